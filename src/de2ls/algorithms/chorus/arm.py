"""An arm under way: what it asks for, what it was told, what it has gained."""

from collections.abc import Callable

import numpy as np

from de2ls._checks import FloatArray
from de2ls._threads import one_thread
from de2ls.algorithms.chorus.archive import Archive, Batches, Rows, Score

FAULTS = (ArithmeticError, np.linalg.LinAlgError, RuntimeError, ValueError, IndexError)


class Arm:
    """An arm under way: its generator, what it asks for, its account."""

    def __init__(self, name: str, make: Callable[[Archive], Batches], a: Archive) -> None:
        self.name, self.make, self.a = name, make, a
        self.batches = make(a)
        self.asked: FloatArray | None = None
        self.answers: list[Rows] = []
        self.told = 0  # points of what it asks for that are answered
        self.ready: Rows | None = None
        self.virtual, self.weight, self.rate = 0.0, 1.0, 0.0
        self.spent, self.cost, self.gain = 0, 0.0, 0.0  # in this turn; cost in virtual time
        self.charged = (0, 0.0)  # evaluations of the last turn and what they cost
        self.used = 0  # evaluations in all
        self.dry = 0  # turns in a row without gain
        self.barren = 0  # evaluations since its last gain
        self.episodes, self.faults, self.idle, self.over = 0, 0, 0, False

    def needs(self) -> FloatArray | None:
        """Return the points it waits for; None at the end of an episode."""
        while True:
            if self.asked is None:
                self.asked = self._resume()
                if self.asked is None:
                    return None
            if self.told < len(self.asked):
                return self.asked[self.told :]
            self.ready = self.answers[0]
            if len(self.answers) > 1:
                joined = (np.concatenate(part) for part in zip(*self.answers, strict=True))
                self.ready = Rows(*joined)
            self.asked, self.answers, self.told = None, [], 0

    def _resume(self) -> FloatArray | None:
        """Let the arm go on; one that breaks down numerically starts anew."""
        answer, self.ready = self.ready, None
        try:
            with np.errstate(all="ignore"), one_thread:
                U = next(self.batches) if answer is None else self.batches.send(answer)
            self.episodes += U is None
            return None if U is None or not len(U) else U
        except StopIteration:
            self.over = True
        except FAULTS:
            self.a.count("faults")
            self.faults += 1
            self.over = self.faults >= self.a.config.faults
            self.restart()
        return None

    def restart(self) -> None:
        """Begin anew, whatever was under way."""
        self.batches = self.make(self.a)
        self.asked, self.answers, self.told, self.ready = None, [], 0, None

    def take(self, rows: Rows, gain: float) -> None:
        """Take answers to the next points it waits for."""
        k = len(rows.v)
        self.answers.append(rows)
        self.told += k
        self.spent += k
        self.used += k
        self.gain += gain
        self.barren = 0 if gain > 0 else self.barren + k
        cost = k / self.weight
        self.virtual += cost
        self.cost += cost

    def close_turn(self) -> None:
        """Settle the account of a turn."""
        if self.spent:
            self.rate = 0.5 * (self.rate + self.gain / self.spent)
            self.dry = 0 if self.gain > 0 else self.dry + 1
            self.idle = 0
        else:
            self.idle += 1
            self.virtual += 1.0 / self.weight
            self.over = self.over or self.idle > self.a.config.idle
        self.a.count(f"evals_{self.name}", self.spent)
        self.charged = (self.spent, self.cost)
        self.spent, self.cost, self.gain = 0, 0.0, 0.0

    def refund(self) -> None:
        """Charge the last turn at the weight that it has earned, if that is the greater one."""
        evals, cost = self.charged
        self.virtual -= max(0.0, cost - evals / self.weight)


def gained(old: Score, new: Score) -> float:
    """Return the relative progress from one score to another."""
    if new[0] < old[0]:
        return 1.0
    if not new[1] < old[1] < np.inf:
        return 0.0
    return (old[1] - new[1]) / (abs(old[1]) + abs(new[1]) + 1e-8)

"""The scheduler: which arm asks next, and what it gains.

Stride scheduling: the arm with the least virtual time runs; its virtual time grows by evaluations
over weight, with discrete coordinates over that which the turn has earned if it is the greater one.
A turn ends with the arm's episode or after a quantum; episodes of `local`, `structure` and
`neighbours` are hardly interrupted. Credit is relative progress of the incumbent per evaluation,

    gain = (old - new) / (|old| + |new| + 1e-8),   rate <- (rate + gain / evaluations) / 2

of f, or of the violation while nothing is feasible; a first feasible point counts 1. The two best
rates have weights 4 and 2, the others 1; an arm that has gained nothing for several turns has no
credit. The local arm runs alone until it has failed `patience` times or its searches end at ever
new values; `rugged` waits until `evolve` has made its first runs, `trend` until searches have ended
at several values. Once the local arm has failed `known` times in a row, or ends at ever new values,
these three have at least weight 4; `trend` or `evolve`, if it gains nothing with a tenth of the
budget, loses that to `rugged`. Where the first local search has found no feasible point,
`evolve` begins after the next one, on the violation and with weight 8, and all but `local` and
those above wait for its first run.

With k workers a batch is filled up to a multiple of k: with points of understudies, local searches
of their own that have no turns, then of the other arms, also of those that would not begin yet.
"""

import math
from collections.abc import Callable, Generator
from itertools import islice, product
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.batches import EVERY_POINT
from de2ls.algorithms.chorus.archive import Archive, Batches, Rows, Score
from de2ls.algorithms.chorus.arm import Arm, gained

EARLY = ("structure", "neighbours")  # these begin after the first local search
WHOLE = ("local", "structure", "neighbours")  # these are hardly interrupted


class Scheduler:
    """Runs the arms; `run` is the generator of batches of the whole search."""

    def __init__(self, a: Archive, arms: dict[str, Callable[[Archive], Batches]]) -> None:
        self.a, self.config = a, a.config
        self.arms = [Arm(name, make, a) for name, make in arms.items()]
        self.awake = [arm for arm in self.arms if arm.name == "local"] or list(self.arms)
        spare = min(self.config.understudies, a.space.workers // (a.n + 7))  # for whole batches
        self.understudies = [
            Arm("local", arms["local"], a) for _ in range(spare) if "local" in arms
        ]
        self.known: dict[bytes, Rows] | None = {} if a.discrete.size else None
        # points in all: a discrete coordinate has one value per unit of its width
        self.points = np.inf if a.free.size else math.prod(a.width.tolist())
        # arms for rugged problems; CMA-ES on the augmented Lagrangian only where that is defined
        lagrangian = a.m > 0 and not a.discrete.size
        self.globals = ("rugged", "trend", "evolve") if lagrangian else ("rugged", "trend")
        self.repeats = 0  # batches in a row without a new point
        per_dim = np.clip(
            self.config.quantum_share * a.budget / a.n,
            self.config.quantum_min,
            self.config.quantum_max,
        )
        self.quantum = int(per_dim * a.n)

    def run(self) -> Generator[FloatArray, Any, str]:
        """Search; returns the reason of the end."""
        a = self.a
        yield from self._given()
        while a.left > 0:
            a.take_injected()
            self._wake()
            if not self.awake:
                return "no arm left"
            arm = min(self.awake, key=lambda arm: arm.virtual)
            yield from self._turn(arm)
            for one in (arm, *self.understudies):
                one.close_turn()
            self._weigh()
            if self.known is not None:  # moves of discrete coordinates gain late in long turns
                arm.refund()
            if arm.over:
                self.arms.remove(arm)
                self.awake.remove(arm)
            if self.repeats > self.config.repeats:  # it goes round in circles: another start for it
                arm.restart()
                yield from self._fresh()
            if self.known is not None and len(self.known) == self.points:
                return EVERY_POINT
            reason = a.done()
            if reason:
                return reason
        return "budget"

    def _given(self) -> Generator[FloatArray, Any, None]:
        """Evaluate the user's points, to the bit where they are continuous."""
        given = np.asarray(self.a.space.x0, float).reshape(-1, self.a.n)[: self.a.left]
        if not len(given):
            return
        if self.known is not None:
            yield from self._evaluate([(None, self.a.unit(given))])
            return
        rows = self.a.rows((yield np.clip(given, self.a.lower, self.a.upper)))
        self.a.evals += len(given)
        self.a.record(self.a.unit(given), rows)

    def _wake(self) -> None:
        """Let arms begin: structure after the first local search, the others when it fails."""
        a, least = self.a, min((arm.virtual for arm in self.awake), default=0.0)
        config = self.config
        enough, patience = config.searches_least, config.patience
        if a.noisy:  # every other search is a polish, which finds no other optimum
            enough, patience = config.noisy_searches, config.noisy_patience
        for arm in self.arms:
            early = arm.name in EARLY and a.searches >= 1
            late = (a.searches >= enough and a.failed >= patience) or a.multimodal
            late = late and (arm.name != "rugged" or self._evolved())
            late = late and (arm.name != "trend" or a.optima.several)
            if self._barred and self._evolve is not None and not self._evolve.episodes:
                late = arm.name == "evolve"
            if arm not in self.awake and (early or late or not self.awake):
                arm.virtual = least - early  # next
                self.awake.append(arm)

    @property
    def _barred(self) -> bool:
        """Whether a local search has found no feasible point, and a run of CMA-ES is affordable."""
        a, affordable = self.a, self.a.budget >= self.config.barred_budget * self.a.n
        return affordable and a.searches > 0 and not a.feasible and "evolve" in self.globals

    def _evolved(self) -> bool:
        """Whether CMA-ES, which needs fewer evaluations, has had its runs before `rugged`.

        On a flat function two of its runs can take half of the budget.
        """
        evolve = self._evolve
        if evolve is None or "evolve" not in self.globals:
            return True
        long = evolve.used >= self.config.first_most * self.a.n
        return long or evolve.episodes >= self.config.first_runs

    @property
    def _evolve(self) -> Arm | None:
        return next((arm for arm in self.arms if arm.name == "evolve"), None)

    def _turn(self, arm: Arm) -> Generator[FloatArray, Any, None]:
        limit: float = self.quantum
        if arm.name in WHOLE:
            limit = max(
                self.config.whole_quanta * self.quantum, self.config.whole_share * self.a.budget
            )
            limit = limit if self.a.noisy or arm.name == "neighbours" else np.inf
        while arm.spent < limit and self.a.left > 0 and self.repeats <= self.config.repeats:
            U = arm.needs()
            if U is None:
                return
            yield from self._evaluate(self._filled(arm, U))

    def _filled(self, arm: Arm, U: FloatArray) -> list[tuple[Arm | None, FloatArray]]:
        """Return the arm's points and, for idle workers, those of understudies and other arms."""
        parts: list[tuple[Arm | None, FloatArray]] = [(arm, U)]
        spare = -len(U) % max(1, int(self.a.space.workers))
        if not spare:
            return parts
        others = sorted((o for o in self.arms if o is not arm), key=lambda o: o.virtual)
        for other in (*self.understudies, *others):
            if not spare:
                break
            more = other.needs()
            if more is not None:
                parts.append((other, more[:spare]))
                spare -= len(parts[-1][1])
        return parts

    def _evaluate(
        self, parts: list[tuple[Arm | None, FloatArray]]
    ) -> Generator[FloatArray, Any, None]:
        """Evaluate points of one or more arms as one batch and tell each its answers."""
        alone = len(parts) == 1
        X, U = self.a.points(parts[0][1] if alone else np.concatenate([U for _, U in parts]))
        if self.known is None:
            X, U = X[: self.a.left], U[: self.a.left]
            rows = self.a.rows((yield X))
            self.a.evals += len(X)
        else:
            rows = yield from self._distinct(X)
            X, U = X[: len(rows.v)], U[: len(rows.v)]
        if alone and len(U):
            self._record(U, rows, parts[0][0], self.a.score)
            return
        at = 0
        for arm, part in parts:
            some = slice(at, at + len(part))
            at += len(part)
            before = self.a.score
            if len(U[some]):
                self._record(U[some], Rows(rows.out[some], rows.v[some]), arm, before)

    def _distinct(self, X: FloatArray) -> Generator[FloatArray, Any, Rows]:
        """Evaluate what was not evaluated before; rows end where the budget does."""
        assert self.known is not None
        keys = [x.tobytes() for x in X]
        new = {key: i for i, key in reversed(list(enumerate(keys))) if key not in self.known}
        order = sorted(new.values())[: self.a.left]
        self.repeats = 0 if order else self.repeats + 1
        if order:
            rows = self.a.rows((yield X[order]))
            self.a.evals += len(order)
            for k, i in enumerate(order):
                self.known[keys[i]] = Rows(rows.out[k : k + 1], rows.v[k : k + 1])
        answers = []
        for key in keys:
            if key not in self.known:
                break
            answers.append(self.known[key])
        if not answers:
            return Rows(np.empty((0, 1 + self.a.m)), np.empty(0))
        return Rows(*(np.concatenate(part) for part in zip(*answers, strict=True)))

    def _fresh(self) -> Generator[FloatArray, Any, None]:
        """Evaluate points where the arms have none but known ones: random ones, then any."""
        _, U = self.a.points(self.a.random(self.config.fresh))
        before = self.a.evals
        yield from self._evaluate([(None, U)])
        if self.a.evals == before and np.isfinite(self.points):
            yield from self._evaluate([(None, self._unknown())])

    def _unknown(self) -> FloatArray:
        """Return points of discrete coordinates only that are not evaluated; few are left then."""
        assert self.known is not None
        steps = (
            np.arange(low + 0.5, high) for low, high in zip(self.a.lower, self.a.upper, strict=True)
        )
        points = (np.array(x) for x in product(*steps))
        new = islice((x for x in points if x.tobytes() not in self.known), self.config.fresh)
        return self.a.unit(np.array(list(new)).reshape(-1, self.a.n))

    def _record(self, U: FloatArray, rows: Rows, arm: Arm | None, before: Score) -> None:
        self.a.record(U, rows)
        if arm is not None:
            arm.take(rows, gained(before, self.a.score))

    def _weigh(self) -> None:
        """Give weights by rank of credit, above the floors of the local and the rugged arm."""
        config = self.config
        stuck = self.a.failed >= config.known or self.a.multimodal
        discrete = self.a.discrete.size > 0
        ranked = sorted(self.awake, key=lambda arm: -arm.rate)
        for i, arm in enumerate(ranked):
            arm.weight = 1.0
            if (
                i < 2
                and arm.rate > config.stale * ranked[0].rate
                and (discrete or arm.dry < config.dry)
            ):
                arm.weight = (config.first_weight, config.second_weight)[i]
            if arm.name == "local" and not stuck:
                arm.weight = max(arm.weight, config.local_weight)
            if stuck and arm.name in self.globals:
                arm.weight = max(arm.weight, self._floor(arm))
            if self._barred and arm.name == "evolve":
                arm.weight = max(arm.weight, config.barred_weight)

    def _floor(self, arm: Arm) -> float:
        """Return the least weight of an arm for rugged problems where the local arm is stuck.

        One that has used much in vain loses it to `rugged`, which gains late in its runs, when its
        points come together.
        """
        weight, limit = self.config.rugged_weight, self.config.barren * self.a.budget
        if arm.name != "rugged":
            return weight if arm.barren <= limit else 1.0
        others = (o for o in self.awake if o is not arm and o.name in self.globals)
        return weight * (1.0 + sum(o.barren > limit for o in others))

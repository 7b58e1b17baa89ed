"""Local search from the best: SciPy's SLSQP, with every evaluation counted.

SLSQP calls its objective, while a search hands out points and is told their values. So SLSQP runs
in a thread of its own, which rests while its points are evaluated; only one of the two ever runs.
OpenBLAS has one thread for its small matrices: on a busy machine more took ten times as long.
Gradients are forward differences, D points at once.
"""

import math
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import numpy as np
from scipy.optimize import minimize

from de2ls._checks import FloatArray
from de2ls._threads import one_thread
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage.members import LineageConfig, Members, Run, better_of

STEP = math.sqrt(np.finfo(np.float64).eps)  # of forward differences, relative to max(|x|, 1)
ITERATIONS = 400


@dataclass(frozen=True, kw_only=True)
class PolishConfig(LineageConfig):
    """Parameters of the local search, for the algorithms that have one."""

    ls_from: float = parameter(0.85, "progress from which the local search may be called", 0.0, 1.0)
    ls_first: float = parameter(0.1, "p_LS: chance of a call per generation at first", 0.0, 1.0)
    ls_after_success: float = parameter(0.1, "p_LS after a success", 0.0, 1.0)
    ls_after_failure: float = parameter(0.01, "p_LS after a failure", 0.0, 1.0)
    ls_share: float = parameter(0.02, "share of the budget that a call may spend", 0.0, 1.0)
    ls_tol: float = parameter(1e-12, "change of the objective at which it stops", 0.0)


class Polish:
    """The late local search, whose chance follows its success."""

    def __init__(self, run: Run[PolishConfig]) -> None:
        self.run = run
        self.chance = run.config.ls_first
        self.counters = run.space.counters
        for name in ("ls_calls", "ls_evaluations", "ls_improved"):
            self.counters[name] = 0

    def try_from(self, pop: Members) -> Generator[FloatArray, Any, Members | None]:
        """Call it by chance from the best member; return a better point, if it found one."""
        run, c = self.run, self.run.config
        if run.progress <= c.ls_from or run.numpy_rng.random() >= self.chance:
            return None
        start = pop[pop.order()[:1]]
        before = run.t
        found = yield from slsqp(run, start, math.ceil(c.ls_share * run.budget), c.ls_tol)
        self.counters["ls_calls"] += 1
        self.counters["ls_evaluations"] += run.t - before
        improved = found.order()[0] == 1
        self.counters["ls_improved"] += improved
        self.chance = c.ls_after_success if improved else c.ls_after_failure
        return found[1:] if improved else None


def slsqp(
    run: Run[LineageConfig], start: Members, limit: int, tolerance: float
) -> Generator[FloatArray, Any, Members]:
    """Minimise from `start`, with at most `limit` evaluations; return the start and the best."""
    best = start
    talk = Conversation(lambda ask: _minimise(ask, run.space, run.box, start, tolerance))
    try:
        while (points := talk.question()) is not None and limit > 0:
            points = points[:limit]
            limit -= len(points)
            y = yield points
            run.t += len(points)
            best = better_of(best, Members(points, y.f, y.v))
            talk.answer(y)
    finally:
        talk.end()
    return start.joined(best)


class Ended(Exception):  # noqa: N818 - no error: it leads out of SciPy's loop
    """The conversation is over."""


class Conversation:
    """A function that asks for values, run in a thread that waits for the answers.

    Parameters
    ----------
    speaker : callable
        ``speaker(ask)``, where ``ask(points)`` returns their answers.
    """

    def __init__(self, speaker: Callable[[Callable[[FloatArray], Any]], None]) -> None:
        self._questions: SimpleQueue[Any] = SimpleQueue()
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._thread = threading.Thread(target=self._speak, args=(speaker,), daemon=True)
        self._thread.start()

    def _speak(self, speaker: Callable[[Callable[[FloatArray], Any]], None]) -> None:
        try:
            with one_thread:
                speaker(self._ask)
        except Ended:
            pass
        except Exception as error:
            self._questions.put(error)
        self._questions.put(None)

    def _ask(self, points: FloatArray) -> Any:
        with one_thread.left():
            self._questions.put(points)
            answer = self._answers.get()
        if answer is None or len(answer.f) < len(points):
            raise Ended
        return answer

    def question(self) -> FloatArray | None:
        """Return the next points to evaluate, or None if the speaker has finished."""
        points: FloatArray | Exception | None = self._questions.get()
        if isinstance(points, Exception):
            raise points
        return points

    def answer(self, values: Any) -> None:
        """Let the speaker go on."""
        self._answers.put(values)

    def end(self) -> None:
        """End the conversation, whatever the speaker is waiting for."""
        self._answers.put(None)
        self._thread.join()


def _minimise(
    ask: Callable[[FloatArray], Any], space: Any, box: FloatArray, start: Members, tolerance: float
) -> None:
    """Run SLSQP: f under the constraints, or the violation while the start is infeasible."""
    feasible = bool(start.v[0] <= space.feasible_tol)
    n_columns = 1 + (space.n_ineq + space.n_eq if feasible else 0)
    known: dict[bytes, FloatArray] = {}  # SLSQP asks for one part after the other
    low, high = box

    def rows(y: Any) -> FloatArray:
        """Return the objective and -g, h, one row per point."""
        table = np.empty((len(y.f), n_columns))
        if feasible:
            cut = 1 + space.n_ineq
            table[:, 0], table[:, cut:] = y.f, y.h
            np.negative(y.g, out=table[:, 1:cut])
        else:
            table[:, 0] = y.v
        return table

    def values(x: FloatArray) -> FloatArray:
        x = np.minimum(np.maximum(x, low), high)
        if (found := known.get(key := x.tobytes())) is None:
            found = known[key] = rows(ask(x[None]))[0]
        return found

    def slopes(x: FloatArray) -> FloatArray:
        x = np.minimum(np.maximum(x, low), high)
        key = b"slopes" + x.tobytes()
        if key not in known:
            step = STEP * np.maximum(np.abs(x), 1.0)
            step = np.where(x + step > high, -step, step)
            points = np.minimum(np.maximum(x + np.diag(step), low), high)
            ahead = rows(ask(points))
            known[key] = ((ahead - values(x)) / step[:, None]).T
        return known[key]

    constraints: list[Any] = []
    if feasible:
        n = 1 + space.n_ineq
        for kind, part in (("ineq", slice(1, n)), ("eq", slice(n, None))):
            if len(values(start.x[0])[part]):
                constraints.append(
                    {
                        "type": kind,
                        "fun": lambda x, part=part: values(x)[part],
                        "jac": lambda x, part=part: slopes(x)[part],
                    }
                )
    run_slsqp: Any = minimize
    with np.errstate(all="ignore"):
        run_slsqp(
            lambda x: float(values(x)[0]),
            start.x[0],
            jac=lambda x: slopes(x)[0],
            bounds=list(zip(box[0].tolist(), box[1].tolist(), strict=True)),
            constraints=constraints,
            method="SLSQP",
            options={"maxiter": ITERATIONS, "ftol": tolerance},
        )

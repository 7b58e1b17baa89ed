"""The driver of a generator of batches."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.batches import Answers, Space
from de2ls.algorithms.config import Config
from de2ls.problems.problem import Problem
from de2ls.trials.driver import Driver, Incumbent, Population
from de2ls.trials.recorder import Recorder


class BatchDriver(Driver):
    """A trial of an algorithm that is a generator of batches.

    The points of a batch are handed out one by one and told in any order; when all are told the
    search gets its answers and yields the next batch. Same seed and same answers give the same
    points: a trial is saved as what it was told, and continued by telling it again.
    """

    def __init__(
        self,
        algorithm: str | Algorithm,
        problem: Problem,
        seed: int,
        max_evals: int | None = None,
        config: Mapping[str, Any] | Config | None = None,
        *,
        x0: FloatArray | None = None,
        workers: int = 1,
        saveable: bool = True,
    ) -> None:
        super().__init__(algorithm, problem, seed, max_evals, config, x0=x0)
        self.recorder = Recorder(problem, self.max_evals)
        self.saveable = saveable
        self._begin(workers)

    def _begin(self, workers: int) -> None:
        """Make the search anew and take its first batch."""
        self.space = Space.of(self.problem, self.x0, workers)
        self._told: list[FloatArray] = []  # f, g, h of the batches that are answered
        self._injected: list[FloatArray] = []  # number of those batches, x, f, g, h
        self._ended = ""  # why the search ended, if it has
        self._take_batch(np.empty((0, self.problem.dim)), 0)
        assert self.algorithm.search is not None
        rng = np.random.default_rng(self.seed)
        self._search = self.algorithm.search(self.space, rng, self.max_evals, self.config)
        self._population = Population(self.batch, self._f, self._v)
        self._advance()
        if not len(self.batch):
            raise ValueError(f"the algorithm {self.algorithm.name} yields no points")

    def _take_batch(self, points: FloatArray, first: int) -> None:
        """Make `points` the batch that is being evaluated."""
        size = len(points)
        self.batch = points
        self._first = first  # number of its first point
        self._issued = 0  # its points that were handed out: the first ones
        self._waiting = size  # its points that have no result yet
        self._out = np.empty((size, 1 + self.problem.n_constraints))
        self._out.fill(np.nan)
        self._f, self._v = np.empty(size), np.empty(size)
        self._known = np.zeros(size, dtype=np.bool_)  # which points have a result
        self.recorder.n_pop = size

    # --- what has happened -----------------------------------------------------------------------

    @property
    def n_evals(self) -> int:
        """Evaluations made so far."""
        return self.recorder.n

    @property
    def n_invalid(self) -> int:
        """Evaluations that gave NaN."""
        return self.recorder.n_invalid

    @property
    def n_outside(self) -> int:
        """Evaluated points outside the box: none, since such a point is an error."""
        return 0

    @property
    def finished(self) -> bool:
        """Whether the trial is over."""
        return bool(self._ended)

    @property
    def stop(self) -> str:
        """Why a finished trial ended: its "budget", or what the search says."""
        return self._ended

    @property
    def incumbent(self) -> Incumbent:
        """The best point evaluated so far."""
        seen, (x, out) = self.recorder, np.split(self.recorder.best.copy(), [self.problem.dim])
        feasible = seen.best_cv <= self.problem.feasible_tol
        return Incumbent(x, out, seen.best_f, seen.best_cv, feasible, seen.best_n)

    @property
    def curve(self) -> FloatArray:
        """Rows of FEs, Min_EV, LCV, batch size, 0: what is written so far."""
        return self.recorder.curve[: self.recorder.row]

    @property
    def present(self) -> tuple[float, ...]:
        """What a row of the curve would say now."""
        return self.recorder.present

    @property
    def population_size(self) -> int:
        """How many points make a batch at present."""
        return len(self.batch)

    @property
    def population(self) -> Population:
        """The points of the last batch that is answered, or what is known of the first one."""
        if len(self._population.f) or not self._known.any():
            return self._population
        return Population(self.batch[self._known], self._f[self._known], self._v[self._known])

    @property
    def reached(self) -> bool:
        """Whether a feasible point has reached the target."""
        return self.recorder.reached

    @property
    def evaluating(self) -> FloatArray:
        """The point that `run` evaluates, or has failed to evaluate."""
        x: FloatArray = self.batch[min(self._issued, len(self.batch) - 1)]
        return x.copy()

    @property
    def notes(self) -> dict[str, Any]:
        """What the search knows of the solution."""
        return self.space.notes

    @property
    def counters(self) -> dict[str, float]:
        """What the search counted."""
        return {name: float(value) for name, value in self.space.counters.items()}

    # --- going on --------------------------------------------------------------------------------

    def aim(self, target: float) -> None:
        """Stop when a feasible point has an objective of at most `target`."""
        seen = self.recorder
        seen.target = target
        seen.reached = bool(seen.best_cv <= self.problem.feasible_tol and seen.best_f <= target)

    def observe(self, x: FloatArray, out: FloatArray) -> None:
        """Let the recorder see a point that the algorithm did not ask for."""
        self.recorder.observe(x[np.newaxis], out[np.newaxis])

    def inject(self, x: FloatArray, out: FloatArray) -> None:
        """Take a point that was evaluated elsewhere."""
        self.observe(x, out)
        self._give(np.concatenate([[len(self._told)], x, out]))
        if self.recorder.n >= self.max_evals:
            self._end("budget")

    def _give(self, injected: FloatArray) -> None:
        """Lay an injected point before the search."""
        self._injected.append(injected)
        _, x, out = np.split(injected[np.newaxis], [1, 1 + self.problem.dim], axis=1)
        f, v, _ = self.recorder.values(out)
        self.space.injected.append((x, self._answers(out, f, v)))

    def run(self, until: int | None = None) -> None:
        """Continue until `until` evaluations are made, or the target, or the end."""
        until = self.max_evals if until is None else min(until, self.max_evals)
        while self.recorder.n < until and not self.recorder.reached:
            rows = self._issue(until - self.recorder.n)
            if rows.start == rows.stop:
                break
            self._evaluate(rows)

    def _evaluate(self, rows: slice) -> None:
        """Evaluate rows of the batch; what follows a failure is not evaluated."""
        X, problem = self.batch[rows], self.problem
        out = np.empty((len(X), 1 + problem.n_constraints))
        done = 0
        try:
            if problem.kernel is not None or problem.many is not None:
                problem.evaluate_rows(X, out)
                done = len(X)
            else:
                for x, values in zip(X, out, strict=True):
                    problem.evaluate_into(x, values, self.work)
                    done += 1
                    if self.recorder.is_target(values):
                        break
        finally:
            self._issued = rows.start + done
            if done:
                self._answer(slice(rows.start, rows.start + done), out[:done])

    def ask(self, n: int) -> list[int]:
        """Hand out up to `n` points of the batch and return their numbers.

        There are fewer when the rest of the batch is out: the search cannot go on without it.
        """
        out = self._issued - (len(self.batch) - self._waiting)
        rows = self._issue(min(n, self.max_evals - self.recorder.n - out))
        return list(range(self._first + rows.start, self._first + rows.stop))

    @property
    def asked(self) -> int:
        """Candidates handed out so far, and the next one's number."""
        return self._first + self._issued

    @property
    def pending(self) -> list[int]:
        """Numbers of the candidates that are out."""
        rows = np.flatnonzero(~self._known[: self._issued])
        return (self._first + rows).tolist()

    def points(self, numbers: Sequence[int]) -> FloatArray:
        """Return the points of candidates that are out, one per row."""
        return self.batch[np.asarray(numbers, dtype=np.intp) - self._first]

    def tell(self, numbers: Sequence[int], out: Sequence[FloatArray] | FloatArray) -> None:
        """Take f, g, h of candidates that are out, one row each."""
        if len(numbers):
            self._answer(np.asarray(numbers, dtype=np.intp) - self._first, np.asarray(out))

    def _issue(self, n: int) -> slice:
        """Return the next rows of the batch to hand out, at most `n`."""
        if self._waiting == 0 and not self._ended:
            self._advance()
        first = self._issued
        self._issued = min(len(self.batch), first + n)
        return slice(first, self._issued)

    def _answer(self, rows: slice | NDArray[np.intp], out: FloatArray) -> None:
        """Take the results of rows; go on to the next batch when there are all."""
        f, v = self.recorder.observe(self.batch[rows], out)
        if isinstance(rows, slice) and len(f) == len(self.batch):  # all of them, in order
            self._out, self._f, self._v = out, f, v
        else:
            self._out[rows], self._f[rows], self._v[rows] = out, f, v
        self._known[rows] = True
        self._waiting -= len(f)
        if self.recorder.n >= self.max_evals:
            self._end("budget")
        elif self._waiting == 0 and not self.recorder.reached:
            self._advance()

    def _advance(self) -> None:
        """Give the search its answers and take its next batch."""
        answers = None
        if len(self.batch):
            self._population = Population(self.batch, self._f, self._v)
            if self.saveable:
                self._told.append(self._out)
            answers = self._answers(self._out, self._f, self._v)
        self.searching = True
        try:
            points: Any = next(self._search) if answers is None else self._search.send(answers)
        except StopIteration as end:
            self._end(self._reason(end.value))
            self.searching = False
            return
        except Exception as error:
            error.add_note(f"in the search of the algorithm {self.algorithm.name}")
            raise
        first = self._first + len(self.batch)
        self._take_batch(self._checked(points)[: self.max_evals - first], first)
        self.searching = False
        if first == 0:
            self.recorder.n0 = len(self.batch)

    def _answers(self, out: FloatArray, f: FloatArray, v: FloatArray) -> Answers:
        cut = 1 + self.problem.n_ineq
        return Answers(f, out[:, 1:cut], out[:, cut:], v)

    def _reason(self, reason: Any) -> str:
        if reason is not None and not isinstance(reason, str):
            raise TypeError(
                f"the algorithm {self.algorithm.name} must return a short text or nothing, "
                f"got {reason!r}"
            )
        return reason or "search"

    def _end(self, reason: str) -> None:
        self._ended = reason
        self._search.close()
        self.recorder.close_curve()

    def _checked(self, points: Any) -> FloatArray:
        """Return a batch as a matrix of its own; every point must lie in the box."""
        name, dim = self.algorithm.name, self.problem.dim
        try:
            X = np.array(points, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            X = np.empty(0)
        if X.ndim != 2 or X.shape[1] != dim or not len(X):
            raise ValueError(
                f"the algorithm {name} must yield points as an array of shape (n, {dim}) with "
                f"n > 0, got {_shape(points)}"
            )
        if not self.recorder.all_inside(X):
            low, high = self.problem.lower, self.problem.upper
            i, j = np.argwhere(~((low <= X) & (high >= X)))[0]
            raise ValueError(
                f"the algorithm {name} must yield points of the box: coordinate {j} of point {i} "
                f"is {X[i, j]:g}, outside [{low[j]:g}, {high[j]:g}]"
            )
        return X

    # --- saving ----------------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the search was told, the batch under way, and the record so far."""
        if not self.saveable:
            raise RuntimeError("the trial keeps no answers and cannot be saved")
        seen = self.recorder
        return {
            "told": np.concatenate([*self._told, self._out[:0]]),
            "injected": np.array(self._injected),
            "batch": self.batch,
            "batch_out": self._out,
            "batch_known": self._known,
            "batch_issued": np.array(self._issued),
            "x0": self.x0,
            "workers": np.array(self.space.workers),
            "ended": np.array(self._ended),
            "record_best": seen.best,
            "record_curve": seen.curve,
            "record_scalars": np.array([getattr(seen, name) for name in seen.SCALARS]),
        }

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Tell the search again what it was told, and go to where `arrays` were taken."""
        self.x0 = saved["x0"]
        self._begin(int(saved["workers"]))
        told, at = saved["told"], 0
        injected = list(saved["injected"])
        while at < len(told):
            self._give_again(injected)
            self._out[:] = told[at : at + len(self.batch)]
            self._f, self._v, _ = self.recorder.values(self._out)
            at += len(self.batch)
            self._advance()
        self._give_again(injected)
        if not np.array_equal(self.batch, saved["batch"]):
            raise ValueError(
                f"the algorithm {self.algorithm.name} now gives other points for the same answers"
            )
        self._out[:], self._known[:] = saved["batch_out"], saved["batch_known"]
        self._f, self._v, _ = self.recorder.values(self._out)
        self._issued = int(saved["batch_issued"])
        self._waiting = int(np.count_nonzero(~self._known))
        if ended := str(saved["ended"]):
            self._end(ended)
        self.recorder.restore(saved["record_scalars"], saved["record_best"], saved["record_curve"])

    def _give_again(self, injected: list[FloatArray]) -> None:
        while injected and injected[0][0] == len(self._told):
            self._give(injected.pop(0))


def _shape(points: Any) -> str:
    return f"shape {points.shape}" if isinstance(points, np.ndarray) else repr(points)

"""The recorder of batches: the rules of `de2ls.engine.recorder`, a batch at a time.

A plain Python function needs no compiled code here, so that a short run of it stays light; results
of a compiled problem are scanned by compiled code.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.engine.budget import n_samples, sample_stride
from de2ls.problems.problem import Problem

if TYPE_CHECKING:
    from de2ls.trials.scan import Scan


def _scanner(problem: Problem) -> "Scan":
    """Return the compiled scan of a problem's results; only here Numba is needed."""
    from de2ls.trials.scan import Scan

    return Scan(problem)


class Recorder:
    """Sees every evaluated point in order, keeps the incumbent and the curve.

    The fields carry the names of the compiled recorder's.
    """

    SCALARS = (
        "n",
        "n0",
        "n_pop",
        "best_f",
        "best_cv",
        "best_n",
        "target",
        "reached",
        "least_cv",
        "n_invalid",
        "row",
    )

    def __init__(self, problem: Problem, budget: int) -> None:
        self.problem = problem
        self.budget = budget
        self.n = 0  # evaluations so far
        self.n0 = 0  # size of the first batch, where the curve begins
        self.n_pop = 0  # size of the present batch
        self.best = np.full(problem.dim + 1 + problem.n_constraints, np.nan)  # x, f, g, h
        self.best_f = self.best_cv = self.least_cv = np.inf
        self.best_n = 0  # evaluation that found it; 0 while all are invalid
        self.target = -np.inf  # objective at which a feasible incumbent ends the run
        self.reached = False
        self.n_invalid = 0
        self.stride = sample_stride(problem.dim, budget)
        self.curve = np.full((n_samples(problem.dim, budget), 5), np.nan)
        self.row = 0  # next row of the curve
        self._compiled = None if problem.kernel is None else _scanner(problem)

    def observe(self, X: FloatArray, out: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Record the points `X` with results `out` (f, g, h); return f and the summed violation.

        Both are infinite where the point has no value.
        """
        f, v, n_invalid, i, least = self._seen(out)
        self.n_invalid += n_invalid
        is_better = self._is_better(float(f[i]), float(v[i]))
        if self.next_sample <= self.n + len(f):
            self._sample(f, v, is_better or least < self.least_cv)
        if self.best_n == 0:  # any point before none, any with a value before one without
            self._keep(X, out, f, v, int(np.argmax((f < np.inf) | (v < np.inf))))
            is_better = self._is_better(float(f[i]), float(v[i]))
        if is_better:
            self._keep(X, out, f, v, i)
        self.least_cv = min(self.least_cv, least)
        self.n += len(f)
        return f, v

    def _seen(self, out: FloatArray) -> tuple[FloatArray, FloatArray, int, int, float]:
        """Return f, violation, the number without a value, the best one and the least violation."""
        if self._compiled is not None:
            return self._compiled.seen(out)
        f, v, n_invalid = self.values(out)
        return f, v, n_invalid, *self._best_of(f, v)

    def values(self, out: FloatArray) -> tuple[FloatArray, FloatArray, int]:
        """Return f and the summed violation of results, and how many have no value."""
        if self._compiled is not None:
            return self._compiled.values(out)
        f = out[:, 0].copy()
        cut = 1 + self.problem.n_ineq
        v = self.problem.summed_violation(out[:, 1:cut], out[:, cut:])
        if np.minimum.reduce(f) > -np.inf and np.minimum.reduce(v) >= 0.0:  # so none is NaN
            return f, v, 0
        invalid = ~((f > -np.inf) & (v >= 0.0))
        f[invalid] = v[invalid] = np.inf
        return f, v, int(np.count_nonzero(invalid))

    def all_inside(self, X: FloatArray) -> bool:
        """Whether all points lie in the box; False where NaN."""
        if self._compiled is not None:
            return self._compiled.all_inside(X)
        inside = self.problem.lower <= X
        inside &= self.problem.upper >= X
        return bool(np.count_nonzero(inside) == X.size)

    def is_target(self, values: FloatArray) -> bool:
        """Whether the results of one point reach the target."""
        if self.target == -np.inf or not values[0] <= self.target:
            return False
        violation = self.problem.violation(*self.problem.split(values))
        return bool(violation <= self.problem.feasible_tol)

    @property
    def next_sample(self) -> float:
        """Evaluations at which the next row is due: N0, then max(N0, min(10 D k, T))."""
        if self.row >= len(self.curve):
            return np.inf
        return max(self.n0, min(self.stride * self.row, self.budget))

    def _best_of(self, f: FloatArray, v: FloatArray) -> tuple[int, float]:
        """Return the position of a batch's best point, and the least violation."""
        if self._compiled is not None:
            return self._compiled.best_of(f, v)
        feasible = v <= self.problem.feasible_tol
        i = least = int(v.argmin())
        n_feasible = np.count_nonzero(feasible)
        if n_feasible:
            i = int((f if n_feasible == len(f) else np.where(feasible, f, np.inf)).argmin())
        return i, float(v[least])

    def _is_better(self, f: float, v: float) -> bool:
        """Whether a point is strictly better than the incumbent."""
        if v <= self.problem.feasible_tol:
            return self.best_cv > self.problem.feasible_tol or f < self.best_f
        return v < self.best_cv

    def _keep(self, X: FloatArray, out: FloatArray, f: FloatArray, v: FloatArray, i: int) -> None:
        self.best_f, self.best_cv = float(f[i]), float(v[i])
        self.best_n = self.n + i + 1 if f[i] < np.inf or v[i] < np.inf else 0
        self.reached = self.best_f <= self.target and self.best_cv <= self.problem.feasible_tol
        dim = self.problem.dim
        self.best[:dim], self.best[dim:] = X[i], out[i]

    def _sample(self, f: FloatArray, v: FloatArray, changes: bool) -> None:
        """Write the rows that fall due within the batch; `changes`: whether it changes them."""
        last = self.n + len(f)
        if not changes:
            self._repeat(last)
            return
        while (due := self.next_sample) <= last:
            count = max(1, int(due) - self.n)
            i, least = self._best_of(f[:count], v[:count])
            f_best, v_best = self.best_f, self.best_cv
            if self._is_better(float(f[i]), float(v[i])):
                f_best, v_best = f[i], v[i]
            min_ev = f_best if v_best <= self.problem.feasible_tol else np.nan
            self.curve[self.row] = due, min_ev, min(least, self.least_cv), self.n_pop, 0.0
            self.row += 1

    def _repeat(self, last: float) -> None:
        """Write the present state in the rows that are due up to `last` evaluations."""
        while (due := self.next_sample) <= last and self.row < len(self.curve):
            self.curve[self.row] = (due, *self.present[1:])
            self.row += 1

    def close_curve(self) -> None:
        """Repeat the last state in the rows that an early end left empty."""
        self._repeat(np.inf)

    @property
    def present(self) -> tuple[float, ...]:
        """What a row of the curve would say now: n, Min_EV, LCV, batch size, 0."""
        feasible = self.best_cv <= self.problem.feasible_tol
        return self.n, self.best_f if feasible else np.nan, self.least_cv, self.n_pop, 0.0

    def restore(self, scalars: FloatArray, best: FloatArray, curve: FloatArray) -> None:
        """Take over what another recorder had recorded."""
        self.best[:], self.curve[:] = best, curve
        for name, value in zip(self.SCALARS, scalars, strict=True):
            kind: Any = type(getattr(self, name))
            setattr(self, name, kind(value))

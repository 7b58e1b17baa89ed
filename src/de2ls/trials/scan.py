"""The compiled scan of a batch's results: its values, its best point, whether it is in the box."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.engine.recorder import better
from de2ls.jit.kernels import kernel
from de2ls.problems.problem import Problem


class Scan:
    """Measures batches by the rules of a problem.

    Parameters
    ----------
    problem : Problem
        What is minimised.
    """

    def __init__(self, problem: Problem) -> None:
        self._tol = problem.tolerances
        self._box = np.array([problem.lower, problem.upper])
        self._n_ineq, self._excess = problem.n_ineq, problem.excess
        self._feasible_tol = problem.feasible_tol

    def values(self, out: FloatArray) -> tuple[FloatArray, FloatArray, int]:
        """Return f and the summed violation of results, and how many have no value."""
        return _values(out, self._tol, self._n_ineq, self._excess)

    def seen(self, out: FloatArray) -> tuple[FloatArray, FloatArray, int, int, float]:
        """Return all of `values` and, of these, `best_of`."""
        return _seen(out, self._tol, self._n_ineq, self._excess, self._feasible_tol)

    def best_of(self, f: FloatArray, v: FloatArray) -> tuple[int, float]:
        """Return the position of the best point, and the least violation."""
        return _best_of(f, v, self._feasible_tol)

    def all_inside(self, X: FloatArray) -> bool:
        """Whether all points lie in the box; False where NaN."""
        return _all_inside(X, self._box)


@kernel
def _values(
    out: FloatArray, tol: FloatArray, n_ineq: int, excess: bool
) -> tuple[FloatArray, FloatArray, int]:
    n = out.shape[0]
    f, v, n_invalid = np.empty(n), np.empty(n), 0
    for i in range(n):
        # Added apart, as `Problem.summed_violation` does; from eight of a kind on that adds them in
        # another order, and the last bits differ.
        by_g, by_h = 0.0, 0.0
        for k in range(n_ineq):
            term = out[i, 1 + k] - tol[k]
            if not term <= 0.0:  # also NaN
                by_g += term
        for k in range(n_ineq, tol.size):
            term = abs(out[i, 1 + k])
            if not term <= tol[k]:
                by_h += term - tol[k] if excess else term
        f[i], v[i] = out[i, 0], by_g + by_h
        if not (f[i] > -np.inf and v[i] >= 0.0):
            f[i] = v[i] = np.inf
            n_invalid += 1
    return f, v, n_invalid


@kernel
def _best_of(f: FloatArray, v: FloatArray, feasible_tol: float) -> tuple[int, float]:
    best, least = 0, v[0]
    for i in range(1, f.size):
        least = min(least, v[i])
        if better(f[i], v[i], f[best], v[best], feasible_tol):
            best = i
    return best, least


@kernel
def _seen(
    out: FloatArray, tol: FloatArray, n_ineq: int, excess: bool, feasible_tol: float
) -> tuple[FloatArray, FloatArray, int, int, float]:
    f, v, n_invalid = _values(out, tol, n_ineq, excess)
    best, least = _best_of(f, v, feasible_tol)
    return f, v, n_invalid, best, least


@kernel
def _all_inside(X: FloatArray, box: FloatArray) -> bool:
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            if not box[0, j] <= X[i, j] <= box[1, j]:
                return False
    return True

"""Sequential quadratic programming as SLSQP does it (D. Kraft, DFVLR-FB 88-28, 1988).

Damped BFGS, a line search on the L1 merit function, and a relaxed subproblem where the linear one
has no solution. The step takes values and says which points it wants next, so that a search can
hand them out; gradients are forward differences. SciPy's SLSQP makes the same steps.

| symbol | here | meaning |
|---|---|---|
| f, c | `now.f`, `c` | objective and constraints at x: first those = 0, then those >= 0 |
| g, C | `g`, `rows` | their slopes |
| B | `hessian` | the model of the Lagrangian's second derivatives |
| s | `s` | the step from x0 to x |
| r, mu | `r`, `mu` | multipliers, and weights of the constraints in the merit function |
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage.quadratic import inverse_root, minimum
from de2ls.jit.kernels import block, kernel, records, routine

STEP = math.sqrt(np.finfo(np.float64).eps)  # of forward differences, relative to max(|x|, 1)
ITERATIONS = 400
RESETS = 5  # of B, the first one included
TRIES = 10  # points of a line search before any is taken
LEAST = 0.1  # what a try leaves of the step at least
RELAXED = 1e4  # weight of half the relaxation squared
NOW = np.dtype(
    [
        ("tolerance", "f8"),
        ("by_f", "i8"),  # whether f is minimised, or the violation
        ("f", "f8"),
        ("f0", "f8"),  # at x0
        ("merit", "f8"),  # at x0
        ("slope", "f8"),  # of the merit along s
        ("relaxed", "i8"),  # whether the subproblem was relaxed
        ("wants_slopes", "i8"),
        ("iteration", "i8"),
        ("resets", "i8"),
        ("tries", "i8"),
    ]
)


class SQP:
    """A run of SLSQP.

    Parameters
    ----------
    space : Space
        What is known of the constraints.
    box : ndarray, shape (2, D)
        Its bounds.
    x : ndarray, shape (D,)
        The start.
    by_f : bool
        Whether f is minimised under the constraints, or the violation without any.
    tolerance : float
        Change of the objective, and violation, at which it ends.
    """

    def __init__(
        self, space: Any, box: FloatArray, x: FloatArray, by_f: bool, tolerance: float
    ) -> None:
        n, m = x.size, space.n_ineq + space.n_eq if by_f else 0
        now = np.zeros(1, NOW)
        now["tolerance"], now["by_f"] = tolerance, by_f
        self.points = np.tile(x, (n, 1))
        vectors, constraints = np.zeros((5, n)), np.zeros((3, m))
        vectors[0] = x
        self._state = (
            *(records(now), box, vectors, constraints),
            *(np.zeros((m, n)), np.zeros((n, n)), self.points),
        )

    def advance(self, y: Any) -> FloatArray:
        """Take the answers to the last points; return the next ones, none at the end."""
        return self.points[: advance(*self._state, y.f, y.g, y.h, y.v)]


@kernel
def advance(
    nows: NDArray[Any],
    box: FloatArray,
    vectors: FloatArray,
    constraints: FloatArray,
    rows: FloatArray,
    hessian: FloatArray,
    points: FloatArray,
    f: FloatArray,
    g_values: FloatArray,
    h_values: FloatArray,
    v: FloatArray,
) -> int:
    """Take values and return how many points are wanted next."""
    now = nows[0]
    x, x0, s, old, g = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    c, r, mu = constraints[0], constraints[1], constraints[2]
    n_eq = h_values.shape[1] if c.size > 0 else 0
    objective = f if now.by_f else v
    if now.wants_slopes:
        for j in range(x.size):
            width = points[j, j] - x[j]
            g[j] = (objective[j] - now.f) / width
            for k in range(c.size):
                rows[k, j] = (constraint(g_values, h_values, n_eq, j, k) - c[k]) / width
        if not (np.isfinite(g).all() and np.isfinite(rows).all()):
            return 0
        if now.iteration > 0:
            update(hessian, s, g - r @ rows - old)
        if not set_direction(now, box, vectors, constraints, rows, hessian, n_eq):
            return 0
        return move(now, box, x, x0, s, 1.0, points)
    now.f = objective[0]
    for k in range(c.size):
        c[k] = constraint(g_values, h_values, n_eq, 0, k)
    if now.iteration > 0:
        gain = now.f + violation(c, mu, n_eq) - now.merit
        if not gain <= now.slope / 10.0 and now.tries <= TRIES:
            part = now.slope / (2.0 * (now.slope - gain)) if gain < np.inf else 0.0
            return move(now, box, x, x0, s, max(LEAST, part), points)
        small = abs(now.f - now.f0) < now.tolerance or norm(s) < now.tolerance
        met = violation(c, np.ones(c.size), n_eq) < now.tolerance
        if small and met and not now.relaxed:
            return 0
    now.wants_slopes = 1
    return set_differences(x, box, points)


@block
def constraint(g_values: FloatArray, h_values: FloatArray, n_eq: int, i: int, k: int) -> float:
    """Return constraint k of point i: h, or -g."""
    value: float = h_values[i, k] if k < n_eq else -g_values[i, k - n_eq]
    return value


@block
def violation(c: FloatArray, weights: FloatArray, n_eq: int) -> float:
    """Return the weighted sum of what is violated."""
    total = 0.0
    for k in range(c.size):
        total += weights[k] * max(-c[k], c[k] if k < n_eq else 0.0)
    return total


@block
def norm(s: FloatArray) -> float:
    """Return the length of s."""
    return math.sqrt((s * s).sum())


@routine
def move(
    now: Any,
    box: FloatArray,
    x: FloatArray,
    x0: FloatArray,
    s: FloatArray,
    part: float,
    points: FloatArray,
) -> int:
    """Want the value at x0 and a part of the step; return 1."""
    now.wants_slopes = 0
    now.tries += 1
    now.slope *= part
    for j in range(x.size):
        s[j] *= part
        x[j] = min(box[1, j], max(box[0, j], x0[j] + s[j]))
    points[0] = x
    return 1


@routine
def set_differences(x: FloatArray, box: FloatArray, points: FloatArray) -> int:
    """Want the points of forward differences, backward where that leaves more room; return D."""
    for j in range(x.size):
        points[j] = x
        step = STEP * max(abs(x[j]), 1.0)
        behind = x[j] + step > box[1, j] and x[j] - box[0, j] > box[1, j] - x[j]
        points[j, j] = max(box[0, j], x[j] - step) if behind else min(box[1, j], x[j] + step)
    return int(x.size)


@routine
def set_direction(
    now: Any,
    box: FloatArray,
    vectors: FloatArray,
    constraints: FloatArray,
    rows: FloatArray,
    hessian: FloatArray,
    n_eq: int,
) -> bool:
    """Set s and the multipliers, and begin a line search from x; False at the end."""
    x, x0, s, old, g = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    c, r, mu = constraints[0], constraints[1], constraints[2]
    inverse = np.empty_like(hessian)
    reset = now.iteration == 0
    while True:
        if reset:
            now.resets += 1
            if now.resets > RESETS:
                return False
            hessian[:, :] = np.eye(x.size)
        now.iteration += 1
        if now.iteration > ITERATIONS:
            return False
        reset = not inverse_root(hessian, inverse)
        if reset:
            continue
        low, high = box[0] - x, box[1] - x
        whole = 1.0
        now.relaxed = not minimum(inverse, g, rows, c, n_eq, low, high, s, r)
        if now.relaxed:
            part = relaxed_minimum(inverse, g, rows, c, n_eq, low, high, s, r)
            reset = part < 0.0
            if reset:
                continue
            whole -= part
        old[:] = g - r @ rows
        x0[:] = x
        slope = (g * s).sum()
        size = abs(slope) + (np.abs(r) * np.abs(c)).sum()
        for k in range(c.size):
            mu[k] = max(abs(r[k]), (mu[k] + abs(r[k])) / 2.0)
        met = violation(c, np.ones(c.size), n_eq) < now.tolerance
        if size < now.tolerance and met and not now.relaxed:
            return False
        now.slope = slope - whole * violation(c, mu, n_eq)
        if now.slope < 0.0:
            break
        reset = True
    now.f0, now.merit, now.tries = now.f, now.f + violation(c, mu, n_eq), 0
    return True


@routine
def relaxed_minimum(
    inverse: FloatArray,
    g: FloatArray,
    rows: FloatArray,
    c: FloatArray,
    n_eq: int,
    low: FloatArray,
    high: FloatArray,
    s: FloatArray,
    r: FloatArray,
) -> float:
    """Solve the subproblem with constraints that a part in [0, 1] relaxes.

    Return the part, or -1 if rounding has kept it from an end.
    """
    n, m = g.size, c.size
    wide, step = np.zeros((n + 1, n + 1)), np.empty(n + 1)
    wide[:n, :n], wide[n, n] = inverse, 1.0 / math.sqrt(RELAXED)
    columns = np.empty((m, n + 1))
    columns[:, :n] = rows
    for k in range(m):
        columns[k, n] = -c[k] if k < n_eq else max(-c[k], 0.0)
    slopes, lowest, highest = np.zeros(n + 1), np.zeros(n + 1), np.ones(n + 1)
    slopes[:n], lowest[:n], highest[:n] = g, low, high
    if not minimum(wide, slopes, columns, c, n_eq, lowest, highest, step, r):
        return -1.0
    s[:] = step[:n]
    return float(step[n])


@routine
def update(hessian: FloatArray, s: FloatArray, change: FloatArray) -> None:
    """Update B by the step and the change of the Lagrangian's slopes, damped as Powell does."""
    image = hessian @ s
    curvature, modelled = (s * change).sum(), (s * image).sum()
    if curvature < 0.2 * modelled:
        keep = 0.8 * modelled / (modelled - curvature)
        change = keep * change + (1.0 - keep) * image
        curvature = 0.2 * modelled
    if not (curvature > 0.0 and modelled > 0.0):
        return
    for i in range(s.size):
        for j in range(s.size):
            hessian[i, j] += change[i] * change[j] / curvature - image[i] * image[j] / modelled

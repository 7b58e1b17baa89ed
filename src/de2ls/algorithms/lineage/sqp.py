"""Sequential quadratic programming: the steps of SLSQP, the line search and the ends of `fmincon`.

Damped BFGS, a line search on the L1 merit function, and a relaxed subproblem where the linear one
has no solution (D. Kraft, DFVLR-FB 88-28, 1988). The line search shortens a step by a fixed factor
until the merit falls enough, and never takes a worse point. The search ends where a step is small
beside x or, without constraints, where the slopes are small beside the first ones. The step takes
values and says which points it wants next, so that a search can hand them out; gradients are
forward differences.

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
ENOUGH = 1e-4  # share of the expected fall of the merit at which a step is taken
SHORTER = 0.7  # what a try leaves of the step
RELAXED = 1e4  # weight of half the relaxation squared
NOW = np.dtype(
    [
        ("tolerance", "f8"),
        ("by_f", "i8"),  # whether f is minimised, or the violation
        ("f", "f8"),
        ("scale", "f8"),  # of the first slopes, at least 1
        ("merit", "f8"),  # at x0
        ("slope", "f8"),  # of the merit along s
        ("relaxed", "i8"),  # whether the subproblem was relaxed
        ("wants_slopes", "i8"),
        ("iteration", "i8"),
        ("resets", "i8"),
    ]
)


class SQP:
    """A run of sequential quadratic programming.

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
        Relative step, violation, and slopes beside the first ones, at which it ends.
    """

    def __init__(
        self, space: Any, box: FloatArray, x: FloatArray, by_f: bool, tolerance: float
    ) -> None:
        n, m = x.size, space.n_ineq + space.n_eq if by_f else 0
        now = np.zeros(1, NOW)
        now["tolerance"], now["by_f"] = tolerance, by_f
        self._now = now
        self.points = np.tile(x, (n, 1))
        vectors, constraints = np.zeros((5, n)), np.zeros((3, m))
        vectors[0] = x
        self._state = (
            *(records(now), box, vectors, constraints),
            *(np.zeros((m, n)), np.zeros((n, n)), self.points),
        )

    @property
    def wants_slopes(self) -> bool:
        """Whether the last points are those of differences, and no steps."""
        return bool(self._now["wants_slopes"][0])

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
        if now.iteration == 0:
            now.scale = max(1.0, np.abs(g).max())
        if c.size == 0 and steepest(g, x, box) <= now.tolerance * now.scale:
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
        small = length(s, x0) < now.tolerance
        if not now.f + violation(c, mu, n_eq) - now.merit <= ENOUGH * now.slope:
            return 0 if small else move(now, box, x, x0, s, SHORTER, points)
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
def length(s: FloatArray, x: FloatArray) -> float:
    """Return the largest |s_j| / (1 + |x_j|)."""
    most = 0.0
    for j in range(s.size):
        most = max(most, abs(s[j]) / (1.0 + abs(x[j])))
    return most


@block
def steepest(g: FloatArray, x: FloatArray, box: FloatArray) -> float:
    """Return the largest |g_j| of those along which the box allows a descent."""
    most = 0.0
    for j in range(g.size):
        if x[j] > box[0, j] if g[j] > 0.0 else x[j] < box[1, j]:
            most = max(most, abs(g[j]))
    return most


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
        for k in range(c.size):
            mu[k] = max(abs(r[k]), (mu[k] + abs(r[k])) / 2.0)
        now.slope = (g * s).sum() - whole * violation(c, mu, n_eq)
        if now.slope < 0.0:
            break
        reset = True
    now.merit = now.f + violation(c, mu, n_eq)
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

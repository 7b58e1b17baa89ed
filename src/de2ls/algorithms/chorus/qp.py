"""The convex subproblem of the local methods, by the solver PIQP.

    min_d,t,s   t + d'Bd/2 + kappa sum s
    with        a_k + g_k'd <= t              (cuts of the objective; one cut: t = g'd)
                c_j + J_j d <= s_j            (inequalities)
                |c_j + J_j d| <= b_j + s_j    (equalities)
                a_w'd <= b_w                  (walls)
                s >= 0,  lo <= d <= hi

| symbol | here | meaning |
|---|---|---|
| d | `step` | the step |
| B | `B` | curvature of the Lagrangian, positive definite |
| a_k, g_k | `offset`, `cuts` | value and slope of cut k |
| c, J, b | `c`, `J`, `band` | constraints, their slopes, the equalities' half widths |
| a_w, b_w | `walls` | planes before regions without values |
| kappa | `kappa` | weight of the l1 penalty |
| lambda, mu | `multipliers`, `cut_weights` | multipliers of constraints and cuts |

References: R. Schwan et al., PIQP: a proximal interior-point quadratic programming solver, CDC
2023; R. Fletcher, Practical methods of optimization, ch. 14 (the l1 penalty), Wiley 1987.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import piqp
from scipy.sparse import csc_array

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.walls import Wall

TOLERANCE = 1e-9
LARGEST = 1e12  # right-hand sides are cut here
MANY = 150  # constraints from which the sparse solver is the faster one: a slack has one entry


class Solution(NamedTuple):
    """A step and what holds it."""

    step: FloatArray
    violation: float  # sum of the slacks s
    multipliers: FloatArray  # of the constraints; negative where an equality pulls down
    cut_weights: FloatArray  # of the cuts; they sum to 1


class ElasticQP:
    """The subproblem's matrices; solved for several right-hand sides and penalties.

    Parameters
    ----------
    B : array (n, n)
    cuts : array (k, n)
        Slopes of the objective; the last one is that at the iterate.
    J : array (m, n)
        Slopes of the constraints, inequalities first.
    n_ineq : int
    lo, hi : array (n,)
        Bounds of the step.
    walls : list of Wall
        Half-spaces of the step.
    """

    def __init__(
        self,
        B: FloatArray,
        cuts: FloatArray,
        J: FloatArray,
        n_ineq: int,
        lo: FloatArray,
        hi: FloatArray,
        walls: Sequence[Wall] = (),
    ) -> None:
        n, m, k = B.shape[0], J.shape[0], len(cuts)
        self.n, self.m, self.ng, self.k = n, m, n_ineq, k
        self.extra = 1 if k > 1 else 0  # the variable t is needed for several cuts only
        first = n + self.extra
        self.head = head = k if self.extra else 0
        size, n_eq = first + m, m - n_ineq
        rows = head + m + n_eq + len(walls)
        # the solver takes matrices column by column: both are made as their transposes
        P, G = np.zeros((size, size)), np.zeros((size, rows))
        P[:n, :n] = B.T
        diagonal(P, 0, 0, n)[:] += 1e-10
        self.q = np.zeros(size)
        if self.extra:
            self.q[n] = 1.0
            G[:n, :k] = cuts.T
            G[n, :k] = -1.0
        else:
            self.q[:n] = cuts[-1]
        G[:n, head : head + m] = J.T
        diagonal(G, first, head, m)[:] = -1.0
        if n_eq:
            G[:n, head + m : head + m + n_eq] = -J[n_ineq:].T
            diagonal(G, first + n_ineq, head + m, n_eq)[:] = -1.0
        for j, wall in enumerate(walls, start=rows - len(walls)):
            G[:n, j] = wall.a
        self.beyond = np.array([wall.b for wall in walls])
        self.P, self.G = P.T, G.T
        self.lo, self.hi = np.zeros(size), np.full(size, np.inf)
        self.lo[:n], self.lo[n:first] = lo, -np.inf
        np.maximum(hi, lo + 1e-12, out=self.hi[:n])
        self.solver: Any = None

    def solve(
        self, offset: FloatArray, c: FloatArray, band: FloatArray, margin: FloatArray, kappa: float
    ) -> Solution | None:
        """Solve for constraints `c`, aimed `margin` inside; None if the solver fails."""
        n, ng, head, first = self.n, self.ng, self.head, self.n + self.extra
        bound = np.empty(self.G.shape[0])
        bound[:head] = -offset[:head]
        np.negative(c, out=bound[head : head + self.m])
        bound[head : head + ng] -= margin[:ng]
        if self.m > ng:
            half = band - np.minimum(margin[ng:], band)
            bound[head + ng : head + self.m] += half
            bound[head + self.m : head + 2 * self.m - ng] = half + c[ng:]
        bound[len(bound) - len(self.beyond) :] = self.beyond
        np.maximum(bound, -LARGEST, out=bound)
        np.minimum(bound, LARGEST, out=bound)
        self.q[first:] = kappa
        limits = {"h_u": bound} if len(bound) else {}
        if self.solver is None:
            sparse = self.m >= MANY
            self.solver = piqp.SparseSolver() if sparse else piqp.DenseSolver()
            settings = self.solver.settings
            settings.eps_abs = settings.eps_rel = TOLERANCE
            settings.max_iter = 60
            P, G = map(csc_array, (self.P, self.G)) if sparse else (self.P, self.G)
            matrix = {"G": G} if len(bound) else {}
            self.solver.setup(P, self.q, x_l=self.lo, x_u=self.hi, **matrix, **limits)
        else:
            self.solver.update(c=self.q, **limits)
        self.solver.solve()
        result = self.solver.result
        w, z = result.x, np.array(result.z_u)
        if not math.isfinite(np.add.reduce(w) + np.add.reduce(z)):
            return None
        multipliers = z[head : head + self.m]
        if self.m > ng:
            multipliers[ng:] -= z[head + self.m : head + 2 * self.m - ng]
        return Solution(
            np.minimum(np.maximum(w[:n], self.lo[:n]), self.hi[:n]),
            float(np.add.reduce(np.maximum(w[first:], 0.0))),
            multipliers,
            z[:head] if self.extra else np.ones(1),
        )


def diagonal(A: FloatArray, row: int, column: int, k: int) -> FloatArray:
    """Return `k` elements of a matrix from a place on, diagonally, as a view."""
    width = A.shape[1]
    begin = row * width + column
    return A.reshape(-1)[begin : begin + k * (width + 1) : width + 1][:k]

"""The convex subproblem of the local methods, by the solver PIQP.

    min_d,t,s   t + d'Bd/2 + kappa sum s
    with        a_k + g_k'd <= t              (cuts of the objective; one cut: t = g'd)
                c_j + J_j d <= s_j            (inequalities)
                |c_j + J_j d| <= b_j + s_j    (equalities)
                s >= 0,  lo <= d <= hi

| symbol | here | meaning |
|---|---|---|
| d | `step` | the step |
| B | `B` | curvature of the Lagrangian, positive definite |
| a_k, g_k | `offset`, `cuts` | value and slope of cut k |
| c, J, b | `c`, `J`, `band` | constraints, their slopes, the equalities' half widths |
| kappa | `kappa` | weight of the l1 penalty |
| lambda, mu | `multipliers`, `cut_weights` | multipliers of constraints and cuts |

References: R. Schwan et al., PIQP: a proximal interior-point quadratic programming solver, CDC
2023; R. Fletcher, Practical methods of optimization, ch. 14 (the l1 penalty), Wiley 1987.
"""

from typing import Any, NamedTuple

import numpy as np
import piqp

from de2ls._checks import FloatArray

TOLERANCE = 1e-9
LARGEST = 1e12  # right-hand sides are cut here


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
    """

    def __init__(
        self,
        B: FloatArray,
        cuts: FloatArray,
        J: FloatArray,
        n_ineq: int,
        lo: FloatArray,
        hi: FloatArray,
    ) -> None:
        n, m, k = B.shape[0], J.shape[0], len(cuts)
        self.n, self.m, self.ng, self.k = n, m, n_ineq, k
        self.extra = 1 if k > 1 else 0  # the variable t is needed for several cuts only
        first = n + self.extra
        size, n_eq = first + m, m - n_ineq
        self.P = np.zeros((size, size), order="F")
        self.P[:n, :n] = B
        self.P[np.arange(n), np.arange(n)] += 1e-10
        self.q = np.zeros(size)
        head = k if self.extra else 0
        self.G = np.zeros((head + m + n_eq, size), order="F")
        if self.extra:
            self.q[n] = 1.0
            self.G[:k, :n] = cuts
            self.G[:k, n] = -1.0
        else:
            self.q[:n] = cuts[-1]
        rows = head + np.arange(m)
        self.G[rows, first + np.arange(m)] = -1.0
        self.G[head : head + m, :n] = J
        self.G[head + m :, :n] = -J[n_ineq:]
        self.G[head + m + np.arange(n_eq), first + n_ineq + np.arange(n_eq)] = -1.0
        self.lo = np.concatenate([lo, np.full(self.extra, -np.inf), np.zeros(m)])
        self.hi = np.concatenate([np.maximum(hi, lo + 1e-12), np.full(self.extra + m, np.inf)])
        self.head = head
        self.solver: Any = None

    def solve(
        self, offset: FloatArray, c: FloatArray, band: FloatArray, margin: FloatArray, kappa: float
    ) -> Solution | None:
        """Solve for constraints `c`, aimed `margin` inside; None if the solver fails."""
        ng, head, first = self.ng, self.head, self.n + self.extra
        inside = np.minimum(margin[ng:], band)
        above = np.concatenate([-c[:ng] - margin[:ng], band - inside - c[ng:]])
        bound = np.concatenate([-offset[:head], above, band - inside + c[ng:]])
        np.clip(bound, -LARGEST, LARGEST, out=bound)
        self.q[first:] = kappa
        if self.solver is None:
            self.solver = piqp.DenseSolver()
            settings = self.solver.settings
            settings.eps_abs = settings.eps_rel = TOLERANCE
            settings.max_iter = 60
            if self.G.shape[0]:
                self.solver.setup(self.P, self.q, G=self.G, h_u=bound, x_l=self.lo, x_u=self.hi)
            else:
                self.solver.setup(self.P, self.q, x_l=self.lo, x_u=self.hi)
        else:
            self.solver.update(c=self.q, h_u=bound if self.G.shape[0] else None)
        self.solver.solve()
        result = self.solver.result
        w, z = np.array(result.x), np.array(result.z_u)
        if not (np.isfinite(w).all() and np.isfinite(z).all()):
            return None
        multipliers = z[head : head + self.m].copy()
        multipliers[ng:] -= z[head + self.m :]
        weights = z[:head] if self.extra else np.ones(1)
        return Solution(
            np.clip(w[: self.n], self.lo[: self.n], self.hi[: self.n]),
            float(np.maximum(w[first:], 0.0).sum()),
            multipliers,
            weights,
        )

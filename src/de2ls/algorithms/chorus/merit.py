"""The merit of quadratic models with an l1 penalty, and its minimum in a box.

    phi(z) = f(z) / S + kappa sum_j over_j(z) / s_j
    S = |grad f| + 0.3 |H_f|,   s_j = |grad c_j| + 0.1 sum |H_j| / n

minimised by S-l1-QP: linearised constraints, curvature of the Lagrangian made positive definite, a
trust region that shrinks where the merit does not fall. No evaluations are needed.
"""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.qp import ElasticQP, Solution
from de2ls.algorithms.chorus.regression import Quadratics
from de2ls.algorithms.chorus.symmetric import convex, eigenvalues

TINY = 1e-300


class Merit:
    """The model of objective and scaled constraints with an l1 penalty."""

    def __init__(self, models: Quadratics, ng: int, slack: FloatArray, band: FloatArray) -> None:
        n, m = models.G.shape[1], len(models.c) - 1
        length = np.sqrt((models.G**2).sum(1))
        self.scale = length[1:] + 0.1 * np.abs(models.H[1:]).sum((1, 2)) / n + TINY
        curve = eigenvalues(models.H[0])
        self.unit = float(length[0]) + 0.3 * max(-float(curve[0]), float(curve[-1])) + TINY
        self.n, self.m, self.ng = n, m, ng
        self.shift = np.concatenate([[0.0], slack, np.zeros(m - ng)])
        self.units = np.concatenate([[self.unit], self.scale])
        self.band = band / self.scale[ng:]
        self.inner = np.arange(m) < ng  # only inequalities are aimed inside
        self.kappa = 1.0
        self.use(models)

    def use(self, models: Quadratics) -> None:
        """Take other models in the same units."""
        s = self.units
        self.models = Quadratics(
            (models.c - self.shift) / s, models.G / s[:, None], models.H / s[:, None, None]
        )
        self.B: FloatArray | None = None  # convex curvature of the objective alone

    def over(self, z: FloatArray, aim: FloatArray) -> float:
        """Return the scaled violation at `z`, inequalities aimed at -aim."""
        return self._over(self.models(z), aim)

    def _over(self, y: FloatArray, aim: FloatArray) -> float:
        ng = self.ng
        over = float(np.maximum(y[1 : 1 + ng] + aim[:ng], 0.0).sum()) if ng else 0.0
        if self.m > ng:
            over += float(np.maximum(np.abs(y[1 + ng :]) - self.band, 0.0).sum())
        return over

    def __call__(self, z: FloatArray, aim: FloatArray) -> float:
        """Return the merit at `z`, in units of S."""
        return self._merit(self.models(z), aim)

    def _merit(self, y: FloatArray, aim: FloatArray) -> float:
        return float(y[0]) + self.kappa * self._over(y, aim)

    def minimise(
        self, z: FloatArray, lo: FloatArray, hi: FloatArray, aim: FloatArray, iterations: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return a minimum of the merit in a box, from `z`, and the multipliers there."""
        y, slopes = self.models.at(z)
        multipliers, radius, now = np.zeros(self.m), 1.0, self._merit(y, aim)
        B = self._curvature(None)
        for _ in range(iterations):
            low = np.minimum(np.maximum(lo - z, -radius), 0.0)
            high = np.maximum(np.minimum(hi - z, radius), 0.0)
            found = self._step(B, y, slopes, low, high, aim)
            if found is None:
                break
            new = np.minimum(np.maximum(z + found.step, lo), hi)
            there, new_slopes = self.models.at(new)
            value = self._merit(there, aim)
            length = float(np.abs(new - z).max())
            if value < now - 1e-9 * abs(now):
                small = length < 1e-3 or now - value < 1e-4 * abs(now)
                z, y, slopes, now = new, there, new_slopes, value
                multipliers = found.multipliers
                if small:
                    break
                B = self._curvature(multipliers)
            else:
                radius = 0.3 * length
                if radius < 1e-3:
                    break
                if not multipliers.any():
                    multipliers = found.multipliers
                    B = self._curvature(multipliers)
        return z, multipliers

    def _curvature(self, multipliers: FloatArray | None) -> FloatArray:
        """Return the curvature of the Lagrangian, made convex."""
        H, n = self.models.H, self.n
        if multipliers is not None and self.m:
            return convex(H[0] + (multipliers @ H[1:].reshape(self.m, -1)).reshape(n, n))
        if self.B is None:
            self.B = convex(H[0])
        return self.B

    def _step(
        self,
        B: FloatArray,
        y: FloatArray,
        slopes: FloatArray,
        low: FloatArray,
        high: FloatArray,
        aim: FloatArray,
    ) -> Solution | None:
        """Solve the subproblem at a point, without inequalities that hold in all of the box."""
        c, J, margin = y[1:], slopes[1:], aim * self.inner
        live = c + margin + np.maximum(J * low, J * high).sum(1) > 0.0
        live[self.ng :] = True
        n_ineq = int(np.count_nonzero(live[: self.ng]))
        qp = ElasticQP(B, slopes[:1], J[live], n_ineq, low, high)
        found = qp.solve(np.zeros(1), c[live], self.band, margin[live], self.kappa)
        if found is None:
            return None
        multipliers = np.zeros(self.m)
        multipliers[live] = found.multipliers
        return found._replace(multipliers=multipliers)

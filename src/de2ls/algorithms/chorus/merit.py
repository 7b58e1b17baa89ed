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

TINY = 1e-300


class Merit:
    """The model of objective and scaled constraints with an l1 penalty."""

    def __init__(self, models: Quadratics, ng: int, slack: FloatArray, band: FloatArray) -> None:
        n, m = models.G.shape[1], len(models.c) - 1
        norm = np.linalg.norm(models.G[1:], axis=1) + 0.1 * np.abs(models.H[1:]).sum((1, 2)) / n
        self.scale = norm + TINY
        unit = np.linalg.norm(models.G[0]) + 0.3 * np.abs(np.linalg.eigvalsh(models.H[0])).max()
        self.unit = float(unit) + TINY
        self.n, self.m, self.ng = n, m, ng
        self.shift = np.concatenate([slack, np.zeros(m - ng)])
        self.band = band / self.scale[ng:]
        self.kappa = 1.0
        self.use(models)

    def use(self, models: Quadratics) -> None:
        """Take other models in the same units."""
        s = self.scale
        self.f = Quadratics(*(part[:1] / self.unit for part in (models.c, models.G, models.H)))
        self.c = Quadratics(
            (models.c[1:] - self.shift) / s,
            models.G[1:] / s[:, None],
            models.H[1:] / s[:, None, None],
        )

    def over(self, z: FloatArray, aim: FloatArray) -> float:
        """Return the scaled violation at `z`, inequalities aimed at -aim."""
        if not self.m:
            return 0.0
        c, ng = self.c(z), self.ng
        inside = np.maximum(np.abs(c[ng:]) - self.band, 0.0).sum()
        return float(np.maximum(c[:ng] + aim[:ng], 0.0).sum() + inside)

    def __call__(self, z: FloatArray, aim: FloatArray) -> float:
        """Return the merit at `z`, in units of S."""
        return float(self.f(z)[0]) + self.kappa * self.over(z, aim)

    def minimise(
        self, z: FloatArray, lo: FloatArray, hi: FloatArray, aim: FloatArray, iterations: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return a minimum of the merit in a box, from `z`, and the multipliers there."""
        multipliers, radius, now = np.zeros(self.m), 1.0, self(z, aim)
        for _ in range(iterations):
            H = self.f.H[0] + np.tensordot(multipliers, self.c.H, 1) if self.m else self.f.H[0]
            B = convex(H)
            low = np.minimum(np.maximum(lo - z, -radius), 0.0)
            high = np.maximum(np.minimum(hi - z, radius), 0.0)
            found = self._step(B, z, low, high, aim)
            if found is None:
                break
            new = np.clip(z + found.step, lo, hi)
            value = self(new, aim)
            length = float(np.abs(new - z).max())
            if value < now - 1e-9 * abs(now):
                small = length < 1e-3 or now - value < 1e-4 * abs(now)
                z, now, multipliers = new, value, found.multipliers
                if small:
                    break
            else:
                radius = 0.3 * length
                multipliers = multipliers if multipliers.any() else found.multipliers
                if radius < 1e-3:
                    break
        return z, multipliers

    def _step(
        self, B: FloatArray, z: FloatArray, low: FloatArray, high: FloatArray, aim: FloatArray
    ) -> Solution | None:
        """Solve the subproblem at `z`, without inequalities that hold in all of the box."""
        c, J, margin = self.c(z), self.c.slopes(z), aim * self.inner
        most = c + margin + np.maximum(J * low, J * high).sum(1)
        live = (most > 0.0) | (np.arange(self.m) >= self.ng)
        qp = ElasticQP(B, self.f.slopes(z), J[live], int(live[: self.ng].sum()), low, high)
        found = qp.solve(np.zeros(1), c[live], self.band, margin[live], self.kappa)
        if found is None:
            return None
        multipliers = np.zeros(self.m)
        multipliers[live] = found.multipliers
        return found._replace(multipliers=multipliers)

    @property
    def inner(self) -> FloatArray:
        """Only inequalities are aimed inside."""
        return np.concatenate([np.ones(self.ng), np.zeros(self.m - self.ng)])


def convex(H: FloatArray) -> FloatArray:
    """Return H, its eigenvalues lifted to a positive floor where they lie below."""
    try:
        np.linalg.cholesky(H)
        return H
    except np.linalg.LinAlgError:
        e, V = np.linalg.eigh(H)
        lifted: FloatArray = (V * np.maximum(e, 1e-6 * max(1.0, np.abs(e).max()))) @ V.T
        return lifted

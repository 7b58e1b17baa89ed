"""CMA-ES on the augmented Lagrangian: the last digits where slopes cannot be trusted.

Where condition numbers are large or constraints are bent at every scale, errors of differences hide
the slope along the boundary. The evolution strategy needs no slopes; its function has its minimum
at the constrained optimum once the multipliers are right:

    L(u) = f + sum_j psi(c_j, gamma_j, omega_j),   psi = gamma c + omega c^2 / 2,
    psi = -gamma^2 / (2 omega) for an inequality with gamma + omega c < 0

After a generation, with the weighted means c of its best points,

    gamma <- gamma + omega c / 5,  at least 0 for inequalities
    omega <- omega chi^(1/4) if omega c^2 < 3 |change of L| / n or 5 |change of c| < |c|,
             else omega / chi;   chi = 2^(1/n)

gamma begins with the multipliers of a local search.

References: A. Atamna, A. Auger, N. Hansen, Linearly convergent evolution strategies via augmented
Lagrangian constraint handling, FOGA 2017.
"""

from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import Archive, Batches, Rows
from de2ls.algorithms.chorus.box import boxed
from de2ls.algorithms.chorus.cma import CMA, default_lambda
from de2ls.algorithms.chorus.differences import View
from de2ls.algorithms.chorus.face import Face

DAMPING = 5.0  # of the multipliers
TINY = 1e-300


class LagrangianCMA(CMA):
    """A CMA-ES on the augmented Lagrangian, from `mean` with the multipliers `gamma`."""

    def __init__(
        self, archive: Archive, mean: FloatArray, sigma: float, lam: int, gamma: FloatArray
    ) -> None:
        super().__init__(archive, mean, sigma, lam, "f")
        self.view = View(archive, "con")
        self.gamma, self.omega = gamma, np.zeros(archive.m)
        self.f, self.c = np.zeros(0), np.zeros((0, archive.m))  # of the present generation
        self.last: tuple[float, FloatArray] | None = None  # means of the last one

    def keys(self, rows: Rows) -> FloatArray:
        """Return the augmented Lagrangian."""
        self.f, self.c = self.view.split(rows)
        if not self.omega.any():
            size = spread(self.f + self.c @ self.gamma)
            self.omega = size / (len(self.mean) * spread(self.c) ** 2 + TINY)
        return self._lagrangian(self.f, self.c)

    def _lagrangian(self, f: FloatArray, c: FloatArray) -> FloatArray:
        gamma, omega, ng = self.gamma, self.omega, self.view.ng
        psi = c * (gamma + 0.5 * omega * c)
        if ng:
            idle = (gamma + omega * c)[..., :ng] < 0
            np.copyto(psi[..., :ng], (-0.5 * gamma**2 / omega)[:ng], where=idle)
        value: FloatArray = f + np.add.reduce(psi, -1)
        return value

    def _update(self, Y: FloatArray, key: FloatArray) -> Any:
        best = super()._update(Y, key)
        f, c = float(self.w @ self.f[best]), self.w @ self.c[best]
        if self.last is not None:
            self._adapt(f, c, *self.last)
        self.last = f, c
        return best

    def _adapt(self, f: float, c: FloatArray, last_f: float, last_c: FloatArray) -> None:
        """Move multipliers and penalties on from the means of two generations."""
        n, ng = len(self.mean), self.view.ng
        now, last = self._lagrangian(np.array([f, last_f]), np.array([c, last_c]))
        change = abs(now - last)
        chi = 2.0 ** (1.0 / n)
        weak = self.omega * c**2 < 3.0 * change / n
        weak |= 5.0 * np.abs(c - last_c) < np.abs(c)
        push = self.omega * c
        active = self.gamma + push > 0
        active[ng:] = True
        self.gamma = self.gamma + push / DAMPING
        if ng:
            np.maximum(self.gamma[:ng], 0.0, out=self.gamma[:ng])
        self.omega = np.where(active, self.omega * np.where(weak, chi**0.25, 1.0 / chi), self.omega)


def refine(a: Archive, u: FloatArray, multipliers: FloatArray | None) -> Batches:
    """Search around `u` with its discrete coordinates fixed; returns the mean at the end."""
    face, n, config = Face(a, u), a.free.size, a.config
    gamma = np.zeros(a.m) if multipliers is None else multipliers.copy()
    es = LagrangianCMA(a, face.down(u), config.refine_sigma, default_lambda(n), gamma)
    a.count("refined")
    yield from face.run(es.run(int(min(config.refine_share * a.budget, config.refine_most * n))))
    return face.up(boxed(es.mean))


def spread(x: FloatArray) -> FloatArray:
    """Return the distance of the quartiles of rows."""
    low, high = np.percentile(x, (25.0, 75.0), axis=0)
    width: FloatArray = high - low
    return width

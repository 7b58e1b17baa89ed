"""The model of the objective: a curvature matrix and, where kinks were met, a bundle of cuts.

Curvature: damped, self-scaling BFGS of the Lagrangian. With step s and change of slope y

    B <- tau B,  tau = min(1, max(s'y / s'Bs, 0.5)) if s'y > 0
    y <- theta y + (1 - theta) B s,  theta = 1 if s'y >= 0.2 s'Bs else 0.8 s'Bs / (s'Bs - s'y)
    B <- B - B s s'B / s'Bs + y y' / s'y,   B_0 = (y'y / s'y) I

Cuts: f(u) >= f_k + g_k'(u - u_k), one per distinct slope; the last is that of the iterate.

References: J. Nocedal and Y. Yuan, Analysis of a self-scaling quasi-Newton method, 1993;
M. J. D. Powell, A fast algorithm for nonlinearly constrained optimization calculations, 1978
(damping); C. Lemarechal, Nondifferentiable optimization, 1989 (bundles).
"""

from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray

TINY = 1e-300


def updated(B: FloatArray, s: FloatArray, y: FloatArray, first: bool) -> FloatArray:
    """Return B after the step `s` with change of slope `y`."""
    sy = float(s @ y)
    if not np.isfinite(sy):
        return B
    if first and sy > 0:
        B = np.eye(len(s)) * sy / float(s @ s)
    Bs = B @ s
    sBs = float(s @ Bs)
    if not sBs > TINY:
        return B
    tau = min(1.0, max(sy / sBs, 0.5)) if sy > 0 else 1.0
    B, Bs, sBs = tau * B, tau * Bs, tau * sBs
    theta = 1.0 if sy >= 0.2 * sBs else 0.8 * sBs / (sBs - sy)
    y = theta * y + (1.0 - theta) * Bs
    sy = float(s @ y)
    if not sy > TINY:
        return B
    B = B - Bs[:, None] * Bs / sBs + y[:, None] * y / sy
    return 0.5 * (B + B.T)


class Cut(NamedTuple):
    """A linear piece of the objective."""

    f: float
    g: FloatArray
    u: FloatArray


class Bundle:
    """The cuts; the last one is that of the iterate."""

    def __init__(self, cut: Cut) -> None:
        self.cuts = [cut]

    def model(self, u: FloatArray, f: float) -> tuple[FloatArray, FloatArray]:
        """Return offsets a_k <= 0 at `u` relative to `f`, and slopes."""
        G = np.array([cut.g for cut in self.cuts])
        at = np.array([cut.f - f for cut in self.cuts])
        to_u = u - np.array([cut.u for cut in self.cuts])
        return np.minimum(at + np.einsum("kn,kn->k", G, to_u), 0.0), G

    def knows(self, g: FloatArray) -> bool:
        """Whether a cut has this slope."""
        return len(others(self.cuts, g)) < len(self.cuts)

    def accept(self, cut: Cut) -> None:
        """Add the cut of a new iterate; it replaces those with the same slope."""
        self.cuts = [*others(self.cuts, cut.g), cut]

    def learn(self, cut: Cut) -> bool:
        """Add the cut of a rejected step before the iterate's own; False if it is known."""
        *rest, last = self.cuts
        if not others([last], cut.g):
            return False
        rest = others(rest, cut.g)
        new = len(rest) == len(self.cuts) - 1
        self.cuts = [*rest, cut, last]
        return new

    def keep(self, k: int) -> None:
        """Keep the last `k` cuts."""
        del self.cuts[:-k]


def others(cuts: list[Cut], g: FloatArray) -> list[Cut]:
    """Return the cuts of other pieces than that with the slope `g`."""
    d = np.array([cut.g for cut in cuts]).reshape(-1, len(g)) - g
    same = np.einsum("kn,kn->k", d, d) <= 1e-6 * (g @ g) + TINY
    return [cut for cut, is_same in zip(cuts, same.tolist(), strict=True) if not is_same]

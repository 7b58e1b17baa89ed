"""Quadratic models of all outputs by regression over points already evaluated.

With scaled points z = (u - u_0) / Delta and relative variances W, every output is

    y(z) = beta_0 + beta'z + z'Hz/2 + noise,   H ~ Gaussian prior: kernel k(z, z') = (z'z')^2 / 2

Constant and slope are free. The projection E that removes them turns the restricted likelihood
into a sum over eigenvalues e_i of the projected kernel; with r = E'y and the ratio lambda of noise
to curvature

    -2 log L / N = log( mean r_i^2 / (e_i + lambda) ) + mean log(e_i + lambda)

is minimised on a grid, for each output alone. It yields the noise sd_j, model error included.

| symbol | here | meaning |
|---|---|---|
| z, W | `Z`, `W` | scaled points, relative variances |
| beta, H | `Quadratics` | constants, slopes and curvatures of all outputs |
| sd_j | `sd` | noise of output j |
| info | `info`, `axes` | how well each direction is known; principal directions of the points |
"""

from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray

RATIOS = 10.0 ** np.arange(-12.0, 4.1, 0.5)  # of noise to curvature


class Quadratics:
    """Quadratic models of k outputs around z = 0."""

    def __init__(self, c: FloatArray, G: FloatArray, H: FloatArray) -> None:
        self.c, self.G, self.H = c, G, H

    def __call__(self, z: FloatArray) -> FloatArray:
        """Return the outputs at `z`."""
        value: FloatArray = self.c + self.G @ z + 0.5 * ((self.H @ z) @ z)
        return value

    def slopes(self, z: FloatArray) -> FloatArray:
        """Return the slopes at `z`, (k, n)."""
        slope: FloatArray = self.G + self.H @ z
        return slope

    def moved(self, z: FloatArray, factor: float) -> "Quadratics":
        """Return the same models around `z`, in units `factor` times as long."""
        return Quadratics(self(z), self.slopes(z) * factor, self.H * factor**2)


class Fit(NamedTuple):
    """Models, noise of each output, and how well the directions are known."""

    models: Quadratics
    sd: FloatArray
    axes: FloatArray
    info: FloatArray


def fit(Z: FloatArray, Y: FloatArray, W: FloatArray) -> Fit:
    """Fit all outputs; Z (N, n) scaled points, Y (N, k) outputs, W (N,) variances; N > n."""
    N, n = Z.shape
    k = Y.shape[1]
    w = 1.0 / np.sqrt(W)
    P = np.empty((N, n + 1))
    P[:, 0], P[:, 1:] = w, Z * w[:, None]
    K = 0.5 * (Z @ Z.T) ** 2 * np.outer(w, w)
    shift = np.median(Y, axis=0)
    unit = np.abs(Y - shift).max(0) + 1e-300
    y = (Y - shift) / unit * w[:, None]
    Q, R = np.linalg.qr(P, mode="complete")
    linear, Q, R = Q[:, : n + 1], Q[:, n + 1 :], R[: n + 1]
    A, sd = np.zeros((N, k)), np.zeros(k)
    if Q.shape[1]:
        e, V = np.linalg.eigh(Q.T @ K @ Q)
        e = np.maximum(e, 0.0)
        E = Q @ V
        r = E.T @ y
        ratio = max(e.max(), 1e-12) * RATIOS
        q = e[:, None] + ratio
        variance = (r**2).T @ (1.0 / q) / len(e) + 1e-32  # (k, ratios)
        best = (np.log(variance) + np.log(q).mean(0)).argmin(1)
        A = E @ (r / q[:, best])
        sd = np.sqrt(variance[np.arange(k), best] * ratio[best])
    # what is left after the curvature differs from the linear part by ratio A, orthogonal to P
    beta = np.linalg.lstsq(R, linear.T @ (y - K @ A), rcond=1e-10)[0]
    weighted = (A * w[:, None]).T
    H = (Z.T[None] * weighted[:, None, :]) @ Z
    models = Quadratics(shift + unit * beta[0], beta[1:].T * unit[:, None], H * unit[:, None, None])
    _, info, axes = np.linalg.svd(R[:, 1:])
    return Fit(models, sd * unit, axes, info)

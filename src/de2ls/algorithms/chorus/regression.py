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

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.symmetric import eigen

NULL = 1e-14  # of the largest eigenvalue: what lies below counts as zero
RATIOS = 10.0 ** np.arange(-12.0, 4.1, 0.5)  # of noise to curvature


class Quadratics:
    """Quadratic models of k outputs around z = 0."""

    def __init__(self, c: FloatArray, G: FloatArray, H: FloatArray) -> None:
        self.c, self.G, self.H = c, G, H

    def __call__(self, z: FloatArray) -> FloatArray:
        """Return the outputs at `z`."""
        return self.at(z)[0]

    def slopes(self, z: FloatArray) -> FloatArray:
        """Return the slopes at `z`, (k, n)."""
        return self.at(z)[1]

    def at(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the outputs and the slopes at `z`."""
        slopes = self.G + (self.H.reshape(-1, len(z)) @ z).reshape(self.G.shape)
        return self.c + 0.5 * ((self.G + slopes) @ z), slopes

    def moved(self, z: FloatArray, factor: float) -> "Quadratics":
        """Return the same models around `z`, in units `factor` times as long."""
        c, G = self.at(z)
        return Quadratics(c, G * factor, self.H * factor**2)


class Fit(NamedTuple):
    """Models, noise of each output, and how well the directions are known."""

    models: Quadratics
    sd: FloatArray
    axes: FloatArray
    info: FloatArray


def coefficients(n: int) -> int:
    """Return how many coefficients a quadratic of n variables has."""
    return (n + 1) * (n + 2) // 2


def fit(Z: FloatArray, Y: FloatArray, W: FloatArray) -> Fit:
    """Fit all outputs; Z (N, n) scaled points, Y (N, k) outputs, W (N,) variances; N > n."""
    N, n = Z.shape
    w = 1.0 / np.sqrt(W)
    P = np.empty((N, n + 1))
    P[:, 0], P[:, 1:] = w, Z * w[:, None]
    shift = np.median(Y, axis=0)
    unit = np.abs(Y - shift).max(0) + 1e-300
    y = (Y - shift) / unit * w[:, None]
    reflectors, tau, _, _ = lapack.dgeqrf(P)

    def turned(A: FloatArray, back: bool = False) -> FloatArray:
        """Return Q'A, whose first n + 1 rows are the linear part, or Q A."""
        side = b"N" if back else b"T"
        B: FloatArray = lapack.dormqr(b"L", side, reflectors, tau, A, 64 * (N + A.shape[1]))[0]
        return B

    H, sd = np.zeros((Y.shape[1], n, n)), np.zeros(Y.shape[1])
    if n + 1 < N:
        A = np.zeros((N, Y.shape[1]), order="F")
        A[n + 1 :], sd = _ridge(*_spectrum(Z, w, turned), turned(y)[n + 1 :])
        H = (Z.T[None] * (turned(A, back=True) * w[:, None]).T[:, None, :]) @ Z
    bent = 0.5 * ((Z @ H) * Z).sum(-1).T * w[:, None]
    R = np.triu(reflectors[: n + 1])
    beta = _solved(R, turned(y - bent)[: n + 1])
    models = Quadratics(shift + unit * beta[0], beta[1:].T * unit[:, None], H * unit[:, None, None])
    _, info, axes = np.linalg.svd(R[:, 1:])
    return Fit(models, sd * unit, axes, info)


def _spectrum(
    Z: FloatArray, w: FloatArray, turned: Callable[[FloatArray], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the positive eigenvalues of the projected kernel, and their eigenvectors.

    The kernel is F F' with a column of F for each product of two coordinates. Where these are
    fewer than the points, F'F has the same eigenvalues and is smaller.
    """
    N, n = Z.shape
    i, j, weight = _products(n)
    if len(i) < N - n - 1:
        F = turned(Z[:, i] * Z[:, j] * weight * w[:, None])[n + 1 :]
        e, V = eigen(F.T @ F)
    else:
        K = turned(0.5 * (Z @ Z.T) ** 2 * np.outer(w, w))[n + 1 :]
        e, V = eigen(turned(K.T)[n + 1 :])
    some = slice(int(np.searchsorted(e, NULL * e[-1], "right")), None)
    e, V = e[some], V[:, some]
    return e, F @ (V / np.sqrt(e)) if len(i) < N - n - 1 else V


@cache
def _products(n: int) -> tuple[Any, Any, FloatArray]:
    """Return the pairs of coordinates, and the weights of their products in the kernel."""
    i, j = np.triu_indices(n)
    return i, j, np.where(i == j, math.sqrt(0.5), 1.0)


def _ridge(e: FloatArray, E: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the kernel's weights and the noise of the projected outputs y.

    Eigenvalues that are not in `e` are zero: their part of y is noise alone.
    """
    N = len(y)
    r = E.T @ y
    rest = ((y - E @ r) ** 2).sum(0)
    ratio = max(e[-1] if len(e) else 0.0, 1e-12) * RATIOS
    q = e[:, None] + ratio
    variance = ((r**2).T @ (1.0 / q) + rest[:, None] / ratio) / N + 1e-32  # (k, ratios)
    log_det = (np.log(q).sum(0) + (N - len(e)) * np.log(ratio)) / N
    best = (np.log(variance) + log_det).argmin(1)
    sd = np.sqrt(variance[np.arange(len(best)), best] * ratio[best])
    return E @ (r / q[:, best]), sd


def _solved(R: FloatArray, b: FloatArray) -> FloatArray:
    """Return the least x with R x = b, R triangular and possibly singular."""
    pivots = np.abs(R.diagonal())
    if pivots.min() > 1e-6 * pivots.max():
        x: FloatArray = lapack.dtrtrs(R, b)[0]
        return x
    return np.asarray(np.linalg.lstsq(R, b, rcond=1e-10)[0], float)

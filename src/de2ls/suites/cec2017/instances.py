"""Generated instances of the suite: shifts and linear maps from a seeded generator."""

import numpy as np

from de2ls._checks import FloatArray


def generate(
    k: int, dim: int, instance: int, bound: float, conditions: tuple[float, ...]
) -> tuple[FloatArray, list[FloatArray]]:
    """Return the shift and one linear map per condition number.

    Parameters
    ----------
    k, dim, instance : int
        Problem number, dimension, number of the instance (1, 2, ...): together they are the seed.
    bound : float
        B of the box [-B, B]^D; the shift is uniform in [-B/2, B/2]^D.
    conditions : tuple of float
        The condition numbers of the maps.
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([2017, k, dim, instance])))
    shift = rng.uniform(-0.5 * bound, 0.5 * bound, dim)
    return shift, [linear_map(rng, dim, condition) for condition in conditions]


def linear_map(rng: np.random.Generator, dim: int, condition: float) -> FloatArray:
    """Return M = P S Q: P, Q orthogonal, S diagonal, geometric from 1 to `condition`."""
    P = haar_orthogonal(rng, dim)
    Q = haar_orthogonal(rng, dim)
    return (P * np.geomspace(1.0, condition, dim)) @ Q


def haar_orthogonal(rng: np.random.Generator, dim: int) -> FloatArray:
    """Draw an orthogonal matrix from the Haar measure: QR with a positive diagonal of R."""
    Q, R = np.linalg.qr(rng.standard_normal((dim, dim)))
    return np.asarray(Q * np.sign(np.diag(R)))

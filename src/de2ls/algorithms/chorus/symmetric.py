"""Eigenvalues of small symmetric matrices, by LAPACK without checks.

NumPy's functions spend more time on checks than on a small matrix.
"""

import numpy as np
from scipy.linalg import lapack

from de2ls._checks import FloatArray


def eigen(A: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return eigenvalues, rising, and eigenvectors as columns."""
    e, V, failed = lapack.dsyevd(A)
    if failed:
        raise np.linalg.LinAlgError("eigenvalues did not converge")
    return e, V


def eigenvalues(A: FloatArray) -> FloatArray:
    """Return the eigenvalues alone."""
    e, _, failed = lapack.dsyevd(A, compute_v=0)
    if failed:
        raise np.linalg.LinAlgError("eigenvalues did not converge")
    values: FloatArray = e
    return values


def convex(A: FloatArray) -> FloatArray:
    """Return A, its eigenvalues lifted to a positive floor where they lie below."""
    if lapack.dpotrf(A)[1] == 0:
        return A
    e, V = eigen(A)
    lifted: FloatArray = (V * np.maximum(e, 1e-6 * max(1.0, -e[0], e[-1]))) @ V.T
    return lifted

"""Hidden separability: swap tests and the basis in which a mixed sum comes apart.

*Swap test*: for random p, q and a random set S of coordinates, a sum of functions of one coordinate
each satisfies F(p) + F(q) = F(p_S q) + F(q_S p). The relative error of this is the interaction.

*Pencil*: f(u) = sum_i phi_i(b_i'u) has Hessians B' diag(phi'') B everywhere. For two points the
eigenvectors of H_1^-1 H_2 are therefore the columns of B^-1.

| symbol | here | meaning |
|---|---|---|
| T | `T` | basis, as columns |
| p_S q | `swapped` | p on S, q elsewhere |
"""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import Archive, Batches

STEP = 3e-7  # of the Hessians' differences


def hessians(a: Archive, points: FloatArray) -> Batches:
    """Return Hessians of f at `points` by finite differences, 1 + n + n (n + 1) / 2 points each."""
    n = a.n
    E = np.eye(n) * STEP
    i, j = np.triu_indices(n)
    found = []
    for u in np.clip(points, 0.0, 1.0 - 2.0 * STEP):
        rows = yield np.concatenate([u[None], u + E, u + E[i] + E[j]])
        f = rows.out[:, 0]
        H = np.zeros((n, n))
        H[i, j] = H[j, i] = (f[n + 1 :] - f[1 + i] - f[1 + j] + f[0]) / STEP**2
        found.append(H)
    return found


def pencil(A: FloatArray, B: FloatArray) -> FloatArray | None:
    """Return the eigenvectors of A^-1 B as columns, or None if they are no usable basis."""
    if not (np.isfinite(A).all() and np.isfinite(B).all()):
        return None
    try:
        V: FloatArray = np.linalg.eig(np.linalg.solve(A, B))[1].real
        length = np.linalg.norm(V, axis=0)
        if not np.isfinite(V).all() or (length < 1e-8).any():
            return None
        V = V / length
        return V if np.linalg.cond(V) < 1e3 else None
    except np.linalg.LinAlgError:
        return None


def swap_test(a: Archive, T: FloatArray, u: FloatArray, repeats: int, width: float) -> Batches:
    """Return the largest relative interaction of every output in the basis T around `u`."""
    n = T.shape[1]
    points = []
    for _ in range(repeats):
        p, q = a.rng.uniform(-width, width, (2, n))
        S = a.rng.random(n) < 0.5
        swapped = np.where(S, p, q), np.where(S, q, p)
        points += [p, q, *swapped]
    rows = yield np.clip(u + np.array(points) @ T.T, 0.0, 1.0)
    F = rows.out.reshape(repeats, 4, -1)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(F[:, 0] + F[:, 1] - F[:, 2] - F[:, 3])
        size = np.abs(F[:, 0] - F[:, 2]) + np.abs(F[:, 1] - F[:, 2]) + np.abs(F[:, 0] - F[:, 3])
        ratio = error / (size + 1e-12 * np.abs(F).max(1) + 1e-300)
    ratio = np.where(np.isfinite(ratio) & (np.abs(F).max(1) < 1e50), ratio, np.inf)
    return ratio.max(0)


def best_pencil(
    a: Archive, points: FloatArray, u: FloatArray, repeats: int, width: float
) -> Batches:
    """Return the basis of least interaction from Hessians at three points, and the interactions."""
    H = yield from hessians(a, points)
    basis, least = None, np.full(1 + a.m, np.inf)
    for A, B in ((H[0], H[1]), (H[0] + H[1], H[2]), (H[0], H[2]), (H[1], H[2])):
        T = pencil(A, B)
        if T is None:
            continue
        found = yield from swap_test(a, T, u, repeats, width)
        if basis is None or (found.max(), found[0]) < (least.max(), least[0]):
            basis, least = T, found
    return basis, least

"""The arm of neighbours: moves of the discrete coordinates from the incumbent.

A move takes one discrete coordinate to its next admissible value, two at once, or some to random
ones. On a problem of discrete coordinates only, the best improving move is made until there is
none; then the incumbent is kicked. Where there are continuous coordinates too, the local method
runs on the face of each move, best first.
"""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import Archive, Batches
from de2ls.algorithms.chorus.local import solve

LENGTHS = 2.0 ** np.arange(-40.0, 0.5)  # of trial moves, to find the next value


def next_values(a: Archive, u: FloatArray) -> FloatArray:
    """Return the points with one discrete coordinate moved to its next value, up or down."""
    found = []
    for i in a.discrete:
        for sign in (-1.0, 1.0):
            U = np.repeat(u[None], len(LENGTHS), axis=0)
            U[:, i] = np.clip(u[i] + sign * LENGTHS, 0.0, 1.0)
            _, U = a.points(U)
            moved = np.flatnonzero(np.abs(U[:, i] - u[i]) > 1e-12)
            if len(moved):
                found.append(U[moved[0]])
    return np.array(found).reshape(-1, a.n)


def pairs(a: Archive, u: FloatArray, singles: FloatArray, most: int) -> FloatArray:
    """Return points that make two single moves at once, at most `most` random ones."""
    k = len(singles)
    i, j = np.triu_indices(k, 1)
    chosen = a.rng.permutation(len(i))[:most]
    moves = singles - u
    return np.clip(u + moves[i[chosen]] + moves[j[chosen]], 0.0, 1.0)


def kicked(a: Archive, u: FloatArray, k: int) -> FloatArray:
    """Return `k` points with one to three random coordinates drawn anew."""
    U = np.repeat(u[None], k, axis=0)
    for row in U:
        some = a.rng.choice(a.discrete, min(len(a.discrete), int(a.rng.integers(1, 4))), False)
        row[some] = a.rng.random(len(some))
    return a.points(U)[1]


def neighbours(a: Archive) -> Batches:
    """Descend by moves, kick, and again."""
    if not a.discrete.size:
        return
    yield a.random(1)
    u = a.incumbent
    while True:
        before = a.score
        singles = next_values(a, u)
        moves = (singles, pairs(a, u, singles, 8 * len(singles)), kicked(a, u, 4 * a.n))
        for U in moves:
            if not len(U):
                continue
            U = yield from _best(a, U, before)
            if a.score < before:
                break
        u = (
            a.incumbent
            if a.score < before or a.rng.random() < 0.5
            else kicked(a, a.incumbent, 1)[0]
        )
        yield None


def _best(a: Archive, U: FloatArray, before: tuple[int, float]) -> Batches:
    """Evaluate moves; with continuous coordinates search the most promising faces."""
    rows = yield U
    if a.free.size:
        for i in a.best_first(rows)[: max(2, len(a.discrete))]:
            yield from solve(a, U[i], "con", 0.05, 20 * (a.n + 1))
            if a.score < before:
                return

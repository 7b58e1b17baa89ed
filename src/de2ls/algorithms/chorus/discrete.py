"""The arm of neighbours: moves of the discrete coordinates from the incumbent.

A move takes one discrete coordinate to its next admissible value or some values further, two to
their next ones, or some to random ones. On a problem of discrete coordinates only, improving moves
are made until there is none; then the incumbent is kicked. Where there are continuous coordinates
too, the local method runs on the faces of the most promising moves, on none of them twice.
"""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import Archive, Batches, Rows, Score
from de2ls.algorithms.chorus.local import solve

LENGTHS = 2.0 ** np.arange(-40.0, 0.5)  # of trial moves, to find the next value

JUMPS = (2, 4, 8)  # values that a move may skip to
FACES = 4  # least number that is searched among moves of a kind


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


def jumps(a: Archive, u: FloatArray, singles: FloatArray) -> FloatArray:
    """Return single moves that go several values further at once; values are evenly spaced."""
    far = np.concatenate([u + k * (singles - u) for k in JUMPS])
    inside = ((far > -1e-9) & (far < 1.0 + 1e-9)).all(1)
    return a.points(far[inside])[1]


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


def promise(a: Archive, u: FloatArray, rows: Rows) -> FloatArray:
    """Return the Lagrangian of points with the multipliers of the optimum at `u`.

    Where a discrete coordinate moves, the continuous ones can follow: to first order the optimum of
    the new face is the Lagrangian of the old one. Without multipliers it is the rank by feasibility
    rules.
    """
    best = a.optima.best
    if best is None or best.multipliers is None or np.abs(best.u - u).max() > 1e-6:
        return np.argsort(a.best_first(rows)).astype(float)
    value: FloatArray = rows.out[:, 0] + rows.out[:, 1:] @ best.multipliers
    return np.where(rows.usable, value, np.inf)


def neighbours(a: Archive) -> Batches:
    """Descend by moves, kick, and again."""
    if not a.discrete.size:
        return
    u, tried = a.incumbent, set[bytes]()
    while True:
        before = a.score
        singles = next_values(a, u)
        yield from _try(a, u, singles, before, tried)
        if a.score == before:
            yield from _try(a, u, jumps(a, u, singles), before, tried)
        if a.score == before:
            yield from _try(a, u, pairs(a, u, singles, 8 * len(singles)), before, tried)
        if a.score == before:
            yield from _try(a, u, kicked(a, u, 4 * a.n), before, tried)
        u = a.incumbent
        if a.score == before:
            yield None
            u = a.incumbent if a.rng.random() < 0.5 else kicked(a, a.incumbent, 1)[0]


def _try(a: Archive, u: FloatArray, moves: FloatArray, before: Score, tried: set[bytes]) -> Batches:
    """Evaluate moves; with continuous coordinates search the most promising faces not `tried`."""
    if not len(moves):
        return
    rows = yield moves
    if a.free.size:
        faces = [move[a.discrete].round(9).tobytes() for move in moves]
        order = promise(a, u, rows).argsort(kind="stable")
        for i in [i for i in order if faces[i] not in tried][: max(FACES, len(a.discrete))]:
            tried.add(faces[i])
            yield from solve(
                a, moves[i], "con", 0.05, int(a.config.face_most * (a.n + 1)), race=True
            )
            if a.score < before:
                return

"""The arm of structure: if the outputs are sums of functions of one variable, tables solve them.

The swap test says on 16 points whether every output is a sum over the coordinates, or, in a basis
from Hessians at three points, over linear combinations. If all are, tables of all outputs along
the basis are made and an entry of each is chosen (`tables`), then the local method starts there; in
a pencil basis this is repeated around the incumbent with a basis estimated anew. If only the
objective is, a quarter of the table gives the relaxed optimum; that needs a larger budget. Where
it has kinks, at which a local method crawls, the tables are followed to the end instead.
"""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import Archive, Batches
from de2ls.algorithms.chorus.local import solve
from de2ls.algorithms.chorus.noise import probe
from de2ls.algorithms.chorus.pencil import best_pencil, swap_test
from de2ls.algorithms.chorus.tables import tables

EXACT, MIXED = 1e-6, 0.01  # interactions below which outputs count as sums: axes, pencil bases
WIDTH = 0.15  # of the swap test's points around the centre


def structure(a: Archive) -> Batches:
    """Test, and use tables where they serve."""
    if a.budget < a.config.structure_budget * a.n or a.discrete.size:
        return
    centre = np.full(a.n, 0.5)
    T, mixed = np.eye(a.n), False
    least = yield from swap_test(a, T, centre, 4, WIDTH)
    if least[0] > EXACT and a.probed < 0:
        yield from probe(a, centre)
    if least[0] > EXACT and _may_use_pencils(a):
        yield None
        points = 0.3 + 0.4 * a.random(3)
        basis, found = yield from best_pencil(a, points, centre, 2, WIDTH)
        if basis is not None and found[0] < MIXED:
            T, least, mixed = basis, found, True
    limit = MIXED if mixed else EXACT
    if least[0] > limit:
        return
    whole = bool((least <= limit).all())
    if not whole and a.budget < a.config.relaxed_budget * a.n:
        return
    a.count("separable")
    k = int(np.clip(1.4 * np.sqrt(a.budget / a.n), 10, 200))
    yield from _use(a, T, centre, mixed, whole, k if whole else max(10, k // 4))


def _may_use_pencils(a: Archive) -> bool:
    return a.config.pencils and not a.noisy and 1.6 * a.n * a.n < 0.05 * a.budget


def _use(
    a: Archive, T: FloatArray, centre: FloatArray, mixed: bool, whole: bool, k: int
) -> Batches:
    """Make tables, polish what they give, and repeat it around the incumbent in a mixed basis."""
    for repeat in range(3 if mixed else 1):
        before = a.score
        table, points, error = yield from tables(a, T, centre, whole, k)
        if whole:
            for u in points[:2]:
                yield from solve(a, u, "con", 1e-3, int(a.config.short_most * (a.n + 1)))
        else:
            if table.kinked and not a.noisy:
                u = yield from table.followed()
                yield u[None]
            else:
                most = int(a.config.table_most * (a.n + 1))
                end = yield from solve(a, points[0], "f", 1e-3, most)
                u = end.u
            a.propose(u)
        if not mixed or error > 0.01:
            return
        centre = a.incumbent
        near = centre + a.rng.uniform(-0.01, 0.01, (3, a.n))
        basis, found = yield from best_pencil(a, near, np.full(a.n, 0.5), 2, WIDTH)
        if basis is None or found.max() > 0.05 or (repeat and not a.score < before):
            return
        T = basis

"""A population in arrays that stay: its first rows are in use, and compiled code shrinks it.

| symbol | here | meaning |
|---|---|---|
| N | `now.n` | members |
| A | rows of `archive`, `now.n_archive` of them | the archive |
| k | `now.k` | cell of the memory that is written next |
"""

from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage.archive import append_new, thin
from de2ls.algorithms.lineage.members import Mask, Members, better, order_of, replace_rows
from de2ls.engine.members import copy_vector
from de2ls.engine.random import RandomState
from de2ls.engine.state import Fields, Records
from de2ls.jit.kernels import block, records, routine

FIELDS: Fields = [("n", "i8"), ("n_archive", "i8"), ("k", "i8")]


class Population(NamedTuple):
    """Members and their trials, the archive, and what changes beside them."""

    now: Records  # (1,) FIELDS and the algorithm's own
    x: FloatArray  # (N0, D)
    f: FloatArray
    v: FloatArray
    u: FloatArray  # (N0, D) trials
    archive: FloatArray

    @classmethod
    def of(cls, members: Members, archive: int, fields: Fields = ()) -> "Population":
        """Return a population of these members, which it takes over, and room for an archive."""
        now = np.zeros(1, np.dtype([*FIELDS, *fields], align=True))
        now["n"] = len(members)
        rows = np.empty((max(1, archive), members.x.shape[1]))
        return cls(records(now), members.x, members.f, members.v, np.empty_like(members.x), rows)

    @property
    def members(self) -> Members:
        """The members; what is put in their places is put here."""
        n = int(self.now["n"][0])
        return Members(self.x[:n], self.f[:n], self.v[:n])

    def take_in(self, found: Members, level: float) -> None:
        """Put a member in the last place, and sort."""
        members = self.members
        members.put([-1], found)
        members.put(slice(None), members.sorted(level))


@block
def in_use(pop: Population) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return x, f and v of the members."""
    n = pop.now[0].n
    return pop.x[:n], pop.f[:n], pop.v[:n]


@block
def archived(pop: Population) -> FloatArray:
    """Return the rows of the archive that are filled."""
    rows: FloatArray = pop.archive[: pop.now[0].n_archive]
    return rows


@routine
def replace(pop: Population, which: Mask, f: FloatArray, v: FloatArray) -> None:
    """Let the marked trials, with these values, take their parents' places."""
    replace_rows(pop.x, pop.f, pop.v, which, pop.u, f, v)


@routine
def mingle(rng: RandomState, pop: Population, which: Mask, capacity: int) -> None:
    """Add the marked members that are new to the archive, then keep a random subset of it."""
    now = pop.now[0]
    now.n_archive = append_new(pop.archive, now.n_archive, pop.x, which)
    now.n_archive = thin(rng, pop.archive, now.n_archive, capacity)


@routine
def sort(pop: Population, level: float) -> None:
    """Sort the members; those that move go by the trials' places, whose rows are lost."""
    x, f, v = in_use(pop)
    order = order_of(f, v, level)
    f[:], v[:] = f[order], v[order]
    for place in range(order.size):
        if order[place] != place:
            copy_vector(x[order[place]], pop.u[place])
    for place in range(order.size):
        if order[place] != place:
            copy_vector(pop.u[place], x[place])


@routine
def keep_best(pop: Population, count: int, level: float) -> None:
    """Let the worst leave one after another; the others close up in the order they stand in.

    Few leave at a time, so that this is quicker than a sort.
    """
    x, f, v = in_use(pop)
    stays = np.ones(f.size, np.bool_)
    for _ in range(f.size - count):
        worst = -1
        for i in range(f.size):
            if stays[i] and (worst < 0 or not better(f[i], v[i], f[worst], v[worst], level)):
                worst = i
        stays[worst] = False
    n = 0
    for i in range(f.size):
        if stays[i]:
            if n < i:
                copy_vector(x[i], x[n])
                f[n], v[n] = f[i], v[i]
            n += 1
    pop.now[0].n = n

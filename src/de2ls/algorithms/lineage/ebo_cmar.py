"""EBOwithCMAR (A. Kumar, R. K. Misra, D. Singh, CEC 2017): a butterfly optimizer and a CMA-ES.

Two populations work side by side: P1 by two operators of differential evolution, P2 by covariance
matrix adaptation ("retreat"). Every 2 CS generations the better one is favoured for a while, then
they exchange members. From three quarters of the budget on SQP polishes the best. The populations'
own pages are `butterflies` and `retreat`.

| symbol | here | meaning |
|---|---|---|
| P1, P2 | `ebo.pop`, `retreat.pop` | the two populations, sorted |
| g | `g` | generations so far |
| CS | `cycle` | generations of half a cycle |
| Pr | `chance` | probabilities of the two phases |
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage.butterflies import Butterflies, ButterflyConfig
from de2ls.algorithms.lineage.contest import contest
from de2ls.algorithms.lineage.members import Best, Members, Run, Search
from de2ls.algorithms.lineage.polish import Polish, PolishConfig
from de2ls.algorithms.lineage.retreat import Retreat, RetreatConfig


@dataclass(frozen=True, kw_only=True)
class EBOConfig(PolishConfig, ButterflyConfig, RetreatConfig):
    """Parameters of EBOwithCMAR."""

    derived: ClassVar[tuple[str, ...]] = ("n0", "n2", "cycle", "g_max")

    ls_from: float = 0.75
    cycle: int | None = parameter(None, "CS: generations of half a cycle; None: 50, 100, 150", 1)
    chance_min: float = parameter(0.1, "least chance of a phase; the largest 1 minus it", 0.0, 0.5)


def search(space: Any, rng: np.random.Generator, budget: int, config: EBOConfig) -> Search:
    """Minimise by EBOwithCMAR."""
    run = Run(space, rng, budget, config)
    first = (yield from run.start()).sorted(run.level)
    n2 = config.n2 or 4 + int(3.0 * math.log(run.dim))
    second = yield from run.evaluate(space.sample(rng, n2))
    # P2 is sampled anew in each generation, and forgets what it has found
    best = first.joined(second).best(1, run.level)
    row = Best(best.x, best.f, best.v)
    ebo, retreat = Butterflies(run, first, row), Retreat(run, second.sorted(run.level), row)
    polish, favoured = Polish(run), 0
    cycle = config.cycle or (50 if run.dim <= 10 else 100 if run.dim <= 30 else 150)
    chance, g, at = np.ones(2), 0, 0
    while True:
        g, at, level = g + 1, at + 1, run.level
        if at == cycle + 1:
            chance = phase_chances(run, ebo.pop.members, retreat.pop.members, level)
            favoured = int(chance[1] > chance[0]) if chance[0] != chance[1] else 2
        elif at == 2 * cycle:
            if favoured == 0:
                some = rng.permutation(len(ebo.pop.members))[:n2]
                retreat.restart(ebo.pop.members[some], config.sigma * (1.0 - run.progress))
            elif retreat.best_is_inside():
                ebo.pop.take_in(retreat.pop.members[:1], level)
            at, chance = 1, np.ones(2)
        if rng.random() < chance[0]:
            yield from ebo.generation(g, level)
        if rng.random() < chance[1]:
            yield from retreat.generation(g, level)
        found = yield from polish.try_from(best)
        if found is not None:
            best.put([0], found)
            ebo.pop.take_in(found, level)
            retreat.restart(ebo.pop.members[np.zeros(n2, np.int64)], config.sigma_polished)


def phase_chances(run: Run[EBOConfig], first: Members, second: Members, level: float) -> FloatArray:
    """Return the chances of the two phases by quality and diversity.

    Quality is 1 - f / sum f of the two bests; where objectives do not allow that (constraints, or a
    sign) it is their rank.
    """
    both = first[:1].joined(second[:1])
    if run.space.n_ineq + run.space.n_eq == 0 and (both.f > 0.0).all():
        quality = 1.0 - both.f / both.f.sum()
    else:
        gain = contest(both[:1], both[1:], level).gain[0]
        quality = np.array([0.5, 0.5]) if gain == 0.0 else np.array([gain < 0.0, gain > 0.0]) * 1.0
    spread = np.array(
        [np.sqrt(((p.x[1:] - p.x[0]) ** 2).sum(axis=1)).mean() for p in (first, second)]
    )
    total = quality + spread / max(float(spread.sum()), 1e-300)
    least = run.config.chance_min
    chances: FloatArray = np.clip(total / total.sum(), least, 1.0 - least)
    return chances


ALGORITHMS = {"ebo-cmar": Algorithm("ebo-cmar", "EBOwithCMAR", EBOConfig, search=search)}

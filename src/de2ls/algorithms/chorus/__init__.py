"""CHORUS: several searchers that share an archive, under one scheduler.

`search` is a generator of batches. Each arm is a generator too, that asks for points of the unit
box: local model searches (`local`), separability and tables (`structure`), lines (`lines`), CMA-ES
(`relaxed`, `evolve`), differential evolution (`rugged`), regression over wide boxes (`trend`),
moves of discrete coordinates (`neighbours`). The scheduler gives evaluations to those who gain.
Nothing here is compiled.
"""

from collections.abc import Callable, Generator

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.batches import Answers, Space
from de2ls.algorithms.chorus.archive import Archive, Batches
from de2ls.algorithms.chorus.config import ChorusConfig
from de2ls.algorithms.chorus.discrete import neighbours
from de2ls.algorithms.chorus.evolution import evolve, relaxed
from de2ls.algorithms.chorus.lines import lines
from de2ls.algorithms.chorus.local import local
from de2ls.algorithms.chorus.rugged import rugged
from de2ls.algorithms.chorus.scheduler import Scheduler
from de2ls.algorithms.chorus.structure import structure
from de2ls.algorithms.chorus.trend import trend

__all__ = ["ALGORITHMS", "ARMS", "ChorusConfig", "search"]

ARMS: dict[str, Callable[[Archive], Batches]] = {
    "local": local,
    "structure": structure,
    "neighbours": neighbours,
    "lines": lines,
    "relaxed": relaxed,
    "evolve": evolve,
    "rugged": rugged,
    "trend": trend,
}


def search(
    space: Space, rng: np.random.Generator, budget: int, config: ChorusConfig
) -> Generator[FloatArray, Answers, str]:
    """Search: yield batches of points, take their answers; returns the reason of the end."""
    archive = Archive(space, rng, budget, config)
    arms = {name: make for name, make in ARMS.items() if getattr(config, name)}
    try:
        return (yield from Scheduler(archive, arms).run())
    finally:
        archive.note()


ALGORITHMS = {"chorus": Algorithm("chorus", "CHORUS", ChorusConfig, search=search)}

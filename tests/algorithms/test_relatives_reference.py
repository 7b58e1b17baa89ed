"""CL-SRDE, RDE26 and RDEx-CASK against plain Python transcriptions: the same points, bit by bit."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest

from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver
from tests.algorithms.landscapes import (
    Values,
    bowl,
    impossible,
    margin,
    terraces,
    valley,
    waves,
)
from tests.algorithms.reference_rdex import ReferenceTrial, Settings
from tests.algorithms.reference_relatives import ReferenceCASK, ReferenceCLSRDE, ReferenceRDE26
from tests.helpers import Witness, first_difference

REFERENCES = {"cl-srde": ReferenceCLSRDE, "rde26": ReferenceRDE26, "rdex-cask": ReferenceCASK}


@dataclass(frozen=True)
class Case:
    algorithm: str
    function: Callable[[np.ndarray], Values]
    lower: list[float]
    upper: list[float]
    T: int
    seed: int
    N0: int
    config: dict[str, Any] = field(default_factory=dict)

    def run(self) -> tuple[ReferenceTrial, Driver, Witness]:
        """Run both; the engine from Python, so that every point is seen."""
        _, g, h = self.function(np.array(self.lower))
        witness = Witness(self.fill)
        box = np.array(self.lower), np.array(self.upper)
        problem = Problem("case", *box, len(g), len(h), function=witness)
        driver = Driver(self.algorithm, problem, self.seed, self.T, {"n0": self.N0} | self.config)
        driver.run()
        reference = REFERENCES[self.algorithm](
            self.function, self.lower, self.upper, self.seed, self.T, Settings(ls_mc=0), self.N0
        )
        if isinstance(reference, ReferenceCASK):
            reference.threshold = self.config.get("stagnation", 180)
        reference.run()
        return reference, driver, witness

    def fill(self, x: np.ndarray, out: np.ndarray) -> None:
        f, g, h = self.function(x)
        out[:] = [f, *g, *h]


SOON = {"stagnation": 6}  # kicks within a short trial
CASES = {
    "cl-srde on the valley": Case(
        "cl-srde", valley, [-2.0, -1.0, -3.0], [2.0, 4.0, 1.0], 4000, 1, 60
    ),
    "cl-srde on terraces": Case("cl-srde", terraces, [-4.0] * 6, [4.0] * 6, 4000, 2, 80),
    "rde26 on the valley": Case("rde26", valley, [-2.0, -1.0, -3.0], [2.0, 4.0, 1.0], 5000, 3, 29),
    "rde26 on waves": Case("rde26", waves, [-5.0] * 5, [5.0, 2.0, 3.0, 1.0, 4.0], 6000, 4, 49),
    "rde26 in a bowl": Case("rde26", bowl, [-1.0] * 4, [1.0, 2.0, 3.0, 4.0], 5000, 5, 39),
    "rde26 on terraces": Case("rde26", terraces, [-4.0] * 6, [4.0] * 6, 5000, 6, 59),
    "rde26 without a solution": Case("rde26", impossible, [-2.0] * 3, [5.0] * 3, 3000, 7, 15),
    "rde26 with few": Case("rde26", bowl, [-1.0] * 3, [2.0] * 3, 2000, 8, 5),
    "rdex-cask on the valley": Case(
        "rdex-cask", valley, [-2.0, -1.0, -3.0], [2.0, 4.0, 1.0], 6000, 9, 30
    ),
    "rdex-cask on waves": Case(
        "rdex-cask", waves, [-5.0] * 5, [5.0, 2.0, 3.0, 1.0, 4.0], 6000, 10, 50, SOON
    ),
    "rdex-cask on terraces": Case("rdex-cask", terraces, [-4.0] * 6, [4.0] * 6, 5000, 11, 60, SOON),
    "rdex-cask without a solution": Case(
        "rdex-cask", impossible, [-2.0] * 3, [5.0] * 3, 5000, 12, 15, SOON
    ),
    "rdex-cask at the margin": Case("rdex-cask", margin, [-2.0] * 4, [2.0] * 4, 5000, 13, 40, SOON),
    "rdex-cask with steep reduction": Case(
        "rdex-cask", waves, [-5.0] * 5, [5.0] * 5, 900, 14, 90, SOON
    ),
}

pytestmark = pytest.mark.xdist_group("relatives-reference")  # the outcomes are shared


@cache
def outcome(name: str) -> tuple[ReferenceTrial, Driver, Witness]:
    return CASES[name].run()


@pytest.mark.parametrize("name", CASES)
def test_engine_visits_the_same_points(name: str) -> None:
    reference, driver, witness = outcome(name)
    assert len(witness.points) == len(reference.points) == CASES[name].T
    assert first_difference(witness.points, reference.points) is None

    now = driver.now
    assert (now["n_pop"], now["cursor"]) == (reference.N, reference.cursor)
    assert (now["sr"], now["eb_rate"], now["eps"]) == (reference.s, reference.rho, reference.eps)
    assert driver.state.memory["cr"].tolist() == reference.MCR
    assert driver.state.memory["f"].tolist() == reference.MF


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("rdex-cask")])
def test_counters_archive_and_reported_best(name: str) -> None:
    reference, driver, _ = outcome(name)
    assert isinstance(reference, ReferenceCASK)
    assert reference.reported is not None
    state, now = driver.state, driver.now
    first = 3 * now["n0"]
    assert state.slot["fails"][: now["n0"]].tolist() == reference.C
    assert now["n_archive"] == len(reference.Z)
    archive = state.x[first : first + len(reference.Z)]
    assert archive.tolist() == [x.tolist() for x in reference.Z]
    assert state.x[first + 50].tolist() == reference.reported.x.tolist()


def test_the_cases_reach_every_part() -> None:
    seen: Counter[str] = Counter()
    for name in CASES:
        seen.update(outcome(name)[0].seen)
    for part in (
        "EB steps",
        "rho adapted",
        "perturbed coordinates",
        "repair low",
        "repair high",
        "wraps",
        "pointer past the front",
        "generations without success",
        "generations of weight 0",
        "races",
        "rivals won",
        "rB attracts",
        "CR2 limited",
        "archive used",
        "archive overwritten",
        "kicks",
        "kicks that raise CR",
        "counters moved",
        "counters beyond the array",
        "counters from inactive cells",
        "reported worse than incumbent",
    ):
        assert seen[part] >= 3, f"{part}: {seen[part]}"

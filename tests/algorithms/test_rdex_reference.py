"""The engine against a plain Python transcription of the algorithm: the same points, bit by bit.

The published records hardly depend on the late part of a trial (EB step, its rate, local search,
injection), so this comparison is what shows that part to be right.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
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
from tests.helpers import Witness, first_difference


@dataclass(frozen=True)
class Case:
    function: Callable[[np.ndarray], Values]
    lower: list[float]
    upper: list[float]
    T: int
    seed: int
    N0: int | None = None
    settings: Settings = field(default_factory=Settings)
    feasible_tol: float = 0.0

    def run(self) -> tuple[ReferenceTrial, Driver, Witness]:
        """Run both; the engine from Python, so that every point is seen."""
        dim = len(self.lower)
        _, g, h = self.function(np.array(self.lower))
        witness = Witness(self.fill)
        problem = Problem(
            self.function.__name__,
            np.array(self.lower),
            np.array(self.upper),
            len(g),
            len(h),
            function=witness,
            feasible_tol=self.feasible_tol,
        )
        config: dict[str, Any] = asdict(self.settings) | {"n0": self.N0}
        driver = Driver("de2ls", problem, self.seed, self.T, config)
        driver.run()
        reference = ReferenceTrial(
            self.function,
            self.lower,
            self.upper,
            self.seed,
            self.T,
            self.settings,
            self.N0 or 10 * dim,
            feasible_tol=self.feasible_tol,
        )
        reference.run()
        return reference, driver, witness

    def fill(self, x: np.ndarray, out: np.ndarray) -> None:
        f, g, h = self.function(x)
        out[:] = [f, *g, *h]


EAGER = Settings(ls_sr=0.3, ls_fsr=0.9, ls_br=0.02, ls_mc=6, ls_sg=2, ls_isr=0.1)
LONG = Settings(ls_sr=0.5, ls_fsr=0.6, ls_br=0.1, ls_mc=3, ls_sg=1, ls_isr=0.4)

CASES = {
    "valley": Case(valley, [-2.0, -1.0, -3.0], [2.0, 4.0, 1.0], 6000, 1),
    "valley, eager": Case(valley, [-2.0, -1.0, -3.0], [2.0, 4.0, 1.0], 5000, 2, settings=EAGER),
    "valley, long": Case(valley, [-2.0, -1.0, -3.0], [2.0, 4.0, 1.0], 4000, 3, 12, LONG),
    "waves": Case(waves, [-5.0, -1.0, -2.0, -3.0, 0.0], [5.0, 2.0, 3.0, 1.0, 4.0], 8000, 4),
    "waves, eager": Case(waves, [-5.0] * 5, [5.0, 2.0, 3.0, 1.0, 4.0], 6000, 5, 20, EAGER, 1e-8),
    "bowl": Case(bowl, [-1.0, -2.0, -3.0, -4.0], [1.0, 2.0, 3.0, 4.0], 5000, 6),
    "bowl, long": Case(bowl, [-1.0, -2.0, -3.0, -4.0], [1.0, 2.0, 3.0, 4.0], 3000, 7, 8, LONG),
    "terraces": Case(terraces, [-4.0] * 6, [4.0] * 6, 7000, 8),
    "terraces, eager": Case(terraces, [-4.0] * 6, [4.0] * 6, 5000, 9, 24, EAGER),
    "impossible": Case(impossible, [-2.0] * 3, [5.0] * 3, 4000, 10, 15, EAGER),
    "margin": Case(margin, [-2.0] * 4, [2.0] * 4, 6000, 11, settings=EAGER),
    "margin, long": Case(margin, [-2.0] * 4, [2.0] * 4, 4000, 12, 16, LONG),
    "valley, smallest": Case(valley, [-2.0] * 3, [2.0] * 3, 2000, 13, 4, EAGER),
    "waves, published": Case(
        waves, [-0.5] * 5, [0.4] * 5, 6000, 14, 25, Settings(box="published", ls_sg=2)
    ),
    "bowl, published": Case(
        bowl, [-0.1] * 4, [0.2] * 4, 4000, 15, 20, Settings(box="published", ls_sg=2)
    ),
}

pytestmark = pytest.mark.xdist_group("rdex-reference")  # the outcomes are shared


@cache
def outcome(name: str) -> tuple[ReferenceTrial, Driver, Witness]:
    return CASES[name].run()


@pytest.mark.parametrize("name", CASES)
def test_engine_visits_the_same_points(name: str) -> None:
    reference, driver, witness = outcome(name)
    assert len(witness.points) == len(reference.points) == CASES[name].T
    assert first_difference(witness.points, reference.points) is None

    now, best = driver.now, reference.incumbent
    assert best is not None
    assert np.array_equal(driver.state.best[: best.x.size], best.x)
    assert (now["best_f"], now["best_v"]) == (best.f, best.v)
    assert (now["n_pop"], now["pointer"], now["cursor"]) == (
        reference.N,
        reference.q,
        reference.cursor,
    )
    assert (now["sr"], now["eb_rate"], now["eps"]) == (reference.s, reference.rho, reference.eps)
    assert driver.state.memory["cr"].tolist() == reference.MCR
    assert driver.state.memory["f"].tolist() == reference.MF
    assert now["ls_calls"] == reference.calls
    assert now["ls_evaluations"] == reference.seen["local evaluations"]
    assert now["n_outside"] == reference.seen["outside"]


def test_the_cases_reach_every_part() -> None:
    """Together the cases take every branch several times."""
    seen: Counter[str] = Counter()
    for name in CASES:
        seen.update(outcome(name)[0].seen)
    for part in (
        "EB steps",
        "EB reordered",
        "rho adapted",
        "perturbed coordinates",
        "repair low",
        "repair high",
        "successes by f",
        "successes by v",
        "wraps",
        "shrinks",
        "pointer past the front",
        "generations without success",
        "generations of weight 0",
        "calls by stagnation",
        "calls from the last centre",
        "local moves",
        "halvings",
        "smallest step",
        "into Q",
        "into P",
        "outside",
    ):
        assert seen[part] >= 3, f"{part}: {seen[part]}"
    assert seen["generations"] >= 2000

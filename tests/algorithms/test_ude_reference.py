"""UDE-III and UDE-IV against a plain Python transcription: the same points, bit by bit."""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cache

import numpy as np
import pytest

from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver
from tests.algorithms.landscapes import Values, bowl, impossible, terraces, valley, waves
from tests.algorithms.reference_ude import ReferenceUDE, Settings
from tests.helpers import Witness, first_difference

IV = {"ranking": "none", "prob": 0.75, "sg": 25, "sprop": 0.4}
SMALL = {"np": 24, "t": 6, "lp": 5, "h": 7}
SOON = {"sg": 4, "sprop": 0.2, "d_min": 0.05}


@dataclass(frozen=True)
class Case:
    algorithm: str
    function: Callable[[np.ndarray], Values]
    lower: list[float]
    upper: list[float]
    T: int
    seed: int
    settings: Settings = field(default_factory=Settings)

    def run(self) -> tuple[ReferenceUDE, Driver, Witness]:
        """Run both; the engine from Python, so that every point is seen."""
        _, g, h = self.function(np.array(self.lower))
        witness = Witness(self.fill)
        box = np.array(self.lower), np.array(self.upper)
        problem = Problem("case", *box, len(g), len(h), function=witness)
        driver = Driver(self.algorithm, problem, self.seed, self.T, asdict(self.settings))
        driver.run()
        reference = ReferenceUDE(
            self.function, self.lower, self.upper, self.seed, self.T, self.settings
        )
        reference.run()
        return reference, driver, witness

    def fill(self, x: np.ndarray, out: np.ndarray) -> None:
        f, g, h = self.function(x)
        out[:] = [f, *g, *h]


CASES = {
    "III on the valley": Case("ude3", valley, [-2.0, -1.0, -3.0], [2.0, 4.0, 1.0], 9100, 1),
    "III on waves": Case(
        "ude3", waves, [-5.0] * 5, [5.0, 2.0, 3.0, 1.0, 4.0], 4000, 2, Settings(**SMALL, **SOON)
    ),
    "III on terraces": Case(
        "ude3", terraces, [-4.0] * 6, [4.0] * 6, 4000, 3, Settings(**SMALL, **SOON)
    ),
    "III, ranked top": Case(
        "ude3", bowl, [-1.0] * 4, [1.0, 2.0, 3.0, 4.0], 3000, 4, Settings(**SMALL, ranking="top")
    ),
    "III, ranked bottom": Case(
        "ude3", waves, [-5.0] * 5, [5.0] * 5, 3000, 5, Settings(**SMALL, ranking="bottom")
    ),
    "III, counting as reported": Case(
        "ude3", valley, [-2.0] * 3, [2.0] * 3, 3000, 6, Settings(**SMALL, top_counting="report")
    ),
    "III, one coordinate forced": Case(
        "ude3", waves, [-5.0] * 5, [5.0] * 5, 3000, 7, Settings(**SMALL, force_jrand=True)
    ),
    "III, first sorted by objective": Case(
        "ude3",
        valley,
        [-2.0] * 3,
        [2.0] * 3,
        3000,
        11,
        Settings(**SMALL, initial_order="objective"),
    ),
    "III, any stagnated replaced": Case(
        "ude3", waves, [-5.0] * 5, [5.0] * 5, 4000, 12, Settings(**SMALL, **SOON, replaced="random")
    ),
    "III, sorted after replacing": Case(
        "ude3", waves, [-5.0] * 5, [5.0] * 5, 4000, 13, Settings(**SMALL, **SOON, sort_first=False)
    ),
    "IV on waves": Case("ude4", waves, [-5.0] * 5, [5.0] * 5, 9000, 8, Settings(**IV)),
    "IV without a solution": Case(
        "ude4", impossible, [-2.0] * 3, [5.0] * 3, 4000, 9, Settings(**SMALL, **IV | SOON)
    ),
    "IV on the valley": Case(
        "ude4", valley, [-2.0] * 3, [2.0] * 3, 4000, 10, Settings(**SMALL, **IV | {"d_min": 0.0})
    ),
}

pytestmark = pytest.mark.xdist_group("ude-reference")  # the outcomes are shared


@cache
def outcome(name: str) -> tuple[ReferenceUDE, Driver, Witness]:
    return CASES[name].run()


@pytest.mark.parametrize("name", CASES)
def test_engine_visits_the_same_points(name: str) -> None:
    reference, driver, witness = outcome(name)
    assert len(witness.points) == len(reference.points)
    assert first_difference(witness.points, reference.points) is None

    state, now, NP = driver.state, driver.now, reference.set.np
    ranked = state.top[state.rank[0, :NP]]
    assert ranked["f"].tolist() == [member.f for member in reference.P]
    assert ranked["v"].tolist() == [member.v for member in reference.P]
    assert state.x[ranked["row"]].tolist() == [member.x.tolist() for member in reference.P]
    assert state.slot["stag"][state.rank[0, :NP]].tolist() == reference.stag
    archived = state.top[state.rank[1, : now["n_archive"]]]
    assert archived["f"].tolist() == [point.f for point in reference.archive]
    assert (now["generation"], now["eps"]) == (reference.G, reference.eps)
    for s in range(3):
        assert state.memory["f"][s, : reference.set.h].tolist() == reference.MF[s]
        if s != 1:  # current-to-rand/1 has no crossover
            assert state.memory["cr"][s, : reference.set.h].tolist() == reference.MCR[s]


def test_the_cases_reach_every_part() -> None:
    seen: Counter[str] = Counter()
    for name in CASES:
        seen.update(outcome(name)[0].seen)
    for part in (
        *(f"p = {p}" for p in range(5, 21)),
        "rand-to-pbest",
        "equals its target",
        "clipped",
        "gains in v",
        "gains in f",
        "no gain",
        "memory wraps",
        "decided within eps",
        "ties",
        "archive cut",
        "replacements",
        "another than the best",
        "too close to replace",
    ):
        assert seen[part] >= 3, f"{part}: {seen[part]}"

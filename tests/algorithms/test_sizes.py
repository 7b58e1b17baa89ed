"""Sizes and numbers of generations over a whole budget, D = 30: they depend on n alone."""

from typing import Any

import numba
import numpy as np
import pytest
from numba import types

from de2ls.algorithms import get_algorithm
from de2ls.algorithms.two_populations.generation import level_index
from de2ls.engine.state import ASK, TELL
from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver
from tests.helpers import compiled

T = 600_000


@numba.njit
def generations(step: Any, state: Any, cand: Any, budget: int, log: Any) -> int:
    """Drive a trial on a plane; log the size of each generation and n at its end."""
    count = 0
    log[0, 0] = state.now[0].n0
    while state.now[0].n < budget:
        cand.out[0] = cand.x[0]
        step(state, cand, TELL | ASK)
        if state.now[0].told == 0:  # a generation (or the initial population) has just ended
            if state.now[0].n > state.now[0].n0:
                log[count, 1] = state.now[0].n
                count += 1
            log[count, 0] = state.now[0].n_pop
    return count


def sizes_and_ends(algorithm: str, **config: Any) -> tuple[list[int], list[int], int]:
    """Return sizes of all generations begun, n at the ends of those that were completed."""
    box = np.full(30, 100.0)
    problem = Problem("plane", -box, box, 0, 0, function=lambda x, out: None)
    driver = Driver(algorithm, problem, 1, T, config)
    driver.begin()
    signature = numba.typeof(driver.state), numba.typeof(driver.cand), types.int64
    step = types.FunctionType(types.boolean(*signature))
    generations.compile((step, *signature[:2], types.int64, types.int64[:, ::1]))
    log = np.zeros((20_000, 2), np.int64)
    count = generations(driver.algorithm.step, driver.state, driver.cand, T, log)
    begun = count + bool(log[count, 0] and log[count - 1, 1] < T)
    return log[:begun, 0].tolist(), log[:count, 1].tolist(), begun


def size_at(progress: float, sizes: list[int], ends: list[int]) -> int:
    """Size after the generation in which n / T first reaches `progress`."""
    k = next(k for k, end in enumerate(ends) if end >= progress * T)
    return sizes[k + 1]


@pytest.mark.parametrize(
    ("algorithm", "N0", "first", "first_ends", "count", "late"),
    [
        (
            "cl-srde",
            600,
            [600, 598, 598, 597, 597, 596],
            [1200, 1798, 2396, 2993, 3590, 4186],
            5171,
            {0.5: 301, 0.8: 123, 0.9: 63},
        ),
        (
            "rdex-cask",
            300,
            [300, 299, 299, 299, 299, 299, 298],
            [600, 899, 1198, 1497, 1796, 2095],
            9009,
            {0.5: 151, 0.8: 63, 0.9: 33},
        ),
    ],
)
def test_the_last_generation_ends_with_the_budget(
    algorithm: str,
    N0: int,
    first: list[int],
    first_ends: list[int],
    count: int,
    late: dict[float, int],
) -> None:
    sizes, ends, begun = sizes_and_ends(algorithm)
    assert sizes[0] == N0
    assert sizes[: len(first)] == first
    assert ends[: len(first_ends)] == first_ends
    assert (begun, len(ends), ends[-1]) == (count, count, T)
    assert {progress: size_at(progress, sizes, ends) for progress in late} == late
    assert sizes[-1] == 4
    steps = -np.diff(sizes)
    assert steps.max() == (2 if algorithm == "cl-srde" else 1)
    assert steps[1:].max() == 1
    assert steps.min() == 0


def test_rde26_without_races_ends_inside_its_last_generation() -> None:
    """9033 generations would take 600002 evaluations; the last one is cut by two."""
    sizes, ends, begun = sizes_and_ends("rde26", race_end=0.0)
    assert (sizes[:3], ends[:3]) == ([299, 298, 298], [598, 896, 1194])
    assert begun == 9033
    assert len(ends) == 9032
    assert (sizes[-1], ends[-1] + sizes[-1]) == (4, 600_002)
    assert {p: size_at(p, sizes, ends) for p in (0.71, 0.75, 0.9)} == {0.71: 89, 0.75: 77, 0.9: 33}


@pytest.mark.parametrize(("N", "index"), [(600, 479), (299, 238), (300, 239)])
def test_first_index_of_the_level(N: int, index: int) -> None:
    assert compiled(level_index)(N, N / T, 0.8) == index


def test_cl_srde_shares_the_compiled_step_of_rdex() -> None:
    assert get_algorithm("cl-srde").step is get_algorithm("rdex").step
    box = np.full(30, 100.0)
    problem = Problem("plane", -box, box, 0, 0, function=lambda x, out: None)
    states = [Driver(name, problem, 1, T).state for name in ("cl-srde", "rdex")]
    assert numba.typeof(states[0]) == numba.typeof(states[1])

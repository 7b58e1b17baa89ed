"""Several candidates of one trial out at once, told in any order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver
from tests.helpers import watched
from tests.trials.examples import ball, crowded, free, inside_box, summed_violation


def evaluated(problem: Problem, x: np.ndarray) -> np.ndarray:
    out = np.empty(1 + problem.n_constraints)
    problem.evaluate_into(x, out, np.empty(0))
    return out


def drive(driver: Driver, batch: int, shuffler: Any) -> list[np.ndarray]:
    """Keep up to `batch` candidates out and tell them in random order; return all points."""
    loop, points = driver, []
    while True:
        for number in loop.ask(batch - len(loop.pending)):
            points.append(loop.points([number])[0])
            assert number == len(points) - 1
        if not loop.pending:
            return points
        for number in shuffler.sample(sorted(loop.pending), shuffler.randint(1, len(loop.pending))):
            x = loop.pending[number].x.copy()
            loop.tell([number], [evaluated(driver.problem, x)])


@settings(max_examples=40)
@given(
    batch=st.integers(1, 40),
    T=st.integers(8, 500),
    seed=st.integers(0, 1000),
    problem=st.sampled_from([ball(2), free(3), crowded(2)]),
    shuffler=st.randoms(use_true_random=False),
)
def test_any_order_keeps_budget_box_and_incumbent(
    batch: int, T: int, seed: int, problem: Problem, shuffler: Any
) -> None:
    config = {"n0": min(T, 12), "ls_sg": 0, "ls_sr": 0.3, "ls_br": 0.05, "ls_mc": 4}
    observed, witness = watched(problem)
    driver = Driver("de2ls", observed, seed, T, config)
    points = drive(driver, batch, shuffler)
    now = driver.now
    assert len(points) == len(witness.points) == now["n"] == T
    assert inside_box(problem, points).all()
    violations = np.array([summed_violation(problem, out) for out in witness.results])
    values = np.array([out[0] for out in witness.results])
    assert now["least_cv"] == violations.min()
    if (violations <= 0.0).any():
        assert now["best_f"] == values[violations <= 0.0].min()
    else:
        assert now["best_cv"] == violations.min()
    assert 4 <= now["n_pop"] <= driver.config.n0  # type: ignore[attr-defined]
    assert driver.state.curve[-1, 0] == T


def test_the_initial_population_can_be_out_at_once_but_no_more() -> None:
    driver = Driver("de2ls", ball(2), 1, 200)
    loop = driver
    numbers = loop.ask(50)
    assert numbers == list(range(20))
    assert loop.ask(1) == []
    for number in reversed(numbers[1:]):
        loop.tell([number], [np.array([1.0, 0.0])])
    assert loop.ask(1) == []
    loop.tell([0], [np.array([1.0, 0.0])])
    assert len(loop.ask(50)) == 50  # now there is no limit but the budget
    assert len(loop.ask(1000)) == 130
    assert loop.ask(1) == []


def test_candidates_out_together_do_not_see_each_other() -> None:
    """All of a generation drawn from one state: telling them changes nothing for the others."""
    first = Driver("rdex", ball(3), 4, 600)
    loop = first
    for number in loop.ask(30):
        loop.tell([number], [evaluated(first.problem, loop.points([number])[0])])
    numbers = loop.ask(30)
    before = loop.points(numbers)
    loop.tell([numbers[0]], [np.array([-100.0, 0.0])])
    for x, number in zip(before[1:], numbers[1:], strict=True):
        assert x.tobytes() == loop.points([number])[0].tobytes()


def test_a_generation_ends_after_n_tells() -> None:
    driver = Driver("rdex", ball(2), 4, 1000)
    loop = driver
    for number in loop.ask(20):
        loop.tell([number], [evaluated(driver.problem, loop.points([number])[0])])
    numbers = loop.ask(25)
    for number in numbers[:19]:
        loop.tell([number], [np.array([9.0, 9.0])])
    assert (driver.now["told"], driver.now["n_pop"]) == (19, 20)
    loop.tell([numbers[19]], [np.array([9.0, 9.0])])
    assert (driver.now["told"], driver.now["n_pop"]) == (0, 19)  # trunc(20 - 16 40 / 1000)
    loop.tell([numbers[20]], [np.array([9.0, 9.0])])  # an older candidate counts for the new one
    assert driver.now["told"] == 1


def test_a_success_is_judged_against_its_target_as_it_was() -> None:
    driver = Driver("rdex", free(2), 4, 1000)
    loop = driver
    for number in loop.ask(20):
        loop.tell([number], [np.array([float(number)])])
    (number,) = loop.ask(1)
    info = loop.pending[number].info[0]
    target = float(driver.state.front[info["slot"]]["f"])
    assert info["f_target"] == target
    driver.state.front[info["slot"]]["f"] = -1.0  # another success has overwritten the slot
    loop.tell([number], [np.array([target - 0.5])])
    assert driver.now["n_success"] == 1
    assert driver.state.slot[0]["weight"] == 0.5


def test_numbers_are_told_once() -> None:
    loop = Driver("rdex", free(2), 4, 1000)
    loop.ask(2)
    loop.tell([1], [np.array([0.0])])
    with pytest.raises(KeyError):
        loop.tell([1], [np.array([0.0])])

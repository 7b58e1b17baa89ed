"""Other people's solvers under one counter."""

import numpy as np
import pytest

from de2ls.problems import problem
from de2ls.studies.rivals import SOLVERS, EndOfBudgetError, Meter, by_minimize, measure


def hill():
    """min (x - 1)^2 + (y - 2)^2, x + y <= 2, x = y / 2 + 0.1: optimum by hand below."""
    return problem(
        lambda x: ((x[0] - 1) ** 2 + (x[1] - 2) ** 2, [x[0] + x[1] - 2], [x[0] - x[1] / 2 - 0.1]),
        [(0, 4), (0, 4)],
        n_ineq=1,
        n_eq=1,
    )


# On the line x = y/2 + 0.1 the inequality is y <= 1.9 / 1.5; f falls until y = 1.96 there.
Y = 1.9 / 1.5
BEST = (Y / 2 - 0.9) ** 2 + (Y - 2) ** 2


def test_the_meter_counts_points_and_ends_the_run():
    meter = Meter(hill(), 3)
    for x in ([0, 0], [0, 0], [1, 1], [2, 2]):  # the repeated point costs nothing
        meter(x)
    assert meter.used == 3
    with pytest.raises(EndOfBudgetError):
        meter([3, 3])
    assert meter.used == 3


def test_the_meter_keeps_the_best_feasible_point_only():
    meter = Meter(hill(), 10)
    meter([0.6, 1.0])  # feasible: f = 1.16
    meter([1.0, 2.0])  # better, but infeasible
    meter([0.1, 0.0])  # feasible and worse
    meter([0.7, 1.2])  # feasible: f = 0.73
    assert [n for n, _ in meter.history] == [1, 4]
    assert [f for _, f in meter.history] == pytest.approx([1.16, 0.73])


def test_undefined_values_are_huge_for_solvers_that_cannot_take_them():
    undefined = problem(lambda x: float("nan"), [(0, 1)] * 2)
    assert Meter(undefined, 5).unit([0.5, 0.5]).f == 1e30


def test_a_metered_problem_is_counted():
    meter = Meter(hill(), 10)
    values = meter.metered().evaluate([0.6, 1.0])
    assert values.f == pytest.approx(1.16)
    assert meter.used == 1


@pytest.mark.parametrize("name", ["cobyla", "slsqp", "cobyqa"])
def test_local_solvers_find_the_optimum(name):
    meter = measure(SOLVERS[name].solve, hill(), seed=1, budget=400)
    assert meter.used <= 400
    assert meter.history[-1][1] == pytest.approx(BEST, abs=2e-3)  # within the band of h


@pytest.mark.parametrize("name", ["cma-al", "scipy-de", "pymoo-de", "isres"])
def test_global_solvers_use_their_budget_on_a_sphere(name):
    sphere = problem(lambda x: float(np.sum((x - 0.3) ** 2)), [(0, 1)] * 3)
    meter = measure(SOLVERS[name].solve, sphere, seed=1, budget=1500)
    assert meter.used == 1500
    assert meter.history[-1][1] < 1e-2


@pytest.mark.parametrize("name", ["slsqp", "cobyla", "isres"])
def test_time_ends_a_run(name):
    meter = measure(SOLVERS[name].solve, hill(), seed=1, budget=10**8, max_time=0.05)
    assert 0 < meter.used < 10**8
    assert meter.ended == "time"


def test_the_end_is_no_failure_of_the_function_to_minimize():
    meter = measure(by_minimize, hill(), seed=1, budget=40, max_time=-1.0)
    assert (meter.used, meter.ended) == (0, "time")


def test_strict_points_break_no_constraint():
    meter = Meter(problem(lambda x: (x[0], [0.5 - x[0]], []), [(0, 1)], n_ineq=1), 10)
    for x in (0.6, 0.5 - 5e-7, 0.5 - 5e-6, 0.55):
        meter([x])
    assert [n for n, _ in meter.history] == [1, 2]  # 5e-7 is within the slack of 1e-6
    assert [n for n, _ in meter.strict] == [1, 4]


def test_every_solver_has_a_title():
    assert len({solver.title for solver in SOLVERS.values()}) == len(SOLVERS)

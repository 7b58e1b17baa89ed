"""The local search of the lineage: quadratic programs by their conditions, ends by SciPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import de2ls
from de2ls.algorithms.batches import Answers, Space
from de2ls.algorithms.lineage.members import LineageConfig, Members, Run
from de2ls.algorithms.lineage.polish import descent
from de2ls.algorithms.lineage.quadratic import inverse_root, minimum
from de2ls.algorithms.lineage.sqp import ITERATIONS, STEP
from de2ls.problems.problem import Problem
from tests.helpers import compiled

Functions = Callable[[np.ndarray], tuple[float, list[float], list[float]]]


def solve(b: Any, g: Any, rows: Any, c: Any, n_eq: int, low: Any, high: Any) -> Any:
    inverse, d, r = np.empty_like(b), np.empty(g.size), np.empty(c.size)
    assert compiled(inverse_root)(b, inverse)
    met = compiled(minimum)(inverse, g, rows, c, n_eq, low, high, d, r)
    return met, d, r


def test_the_inverse_of_a_root() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(6, 6))
    matrix, inverse = a @ a.T + np.eye(6), np.empty((6, 6))
    assert compiled(inverse_root)(matrix, inverse)
    assert np.abs(inverse @ matrix @ inverse.T - np.eye(6)).max() < 1e-12
    assert not compiled(inverse_root)(matrix - 100.0 * np.eye(6), inverse)


@pytest.mark.parametrize("seed", range(40))
def test_a_quadratic_program_meets_its_conditions(seed: int) -> None:
    """Karush, Kuhn and Tucker's, which are sufficient: feasible, stationary, signs, slackness."""
    rng = np.random.default_rng(seed)
    n, n_eq, m = 6, int(rng.integers(0, 3)), 5
    a = rng.normal(size=(n, n))
    b, g = a @ a.T + 0.1 * np.eye(n), 5.0 * rng.normal(size=n)
    low, high = -rng.random(n), rng.random(n)
    rows, inside = rng.normal(size=(m, n)), low + rng.random(n) * (high - low)
    c = -rows @ inside
    c[n_eq:] += rng.random(m - n_eq)
    met, d, r = solve(b, g, rows, c, n_eq, low, high)
    assert met
    values = rows @ d + c
    assert np.abs(values[:n_eq]).max(initial=0.0) < 1e-9
    assert values[n_eq:].min() > -1e-9
    assert (d > low - 1e-9).all()
    assert (d < high + 1e-9).all()
    assert (r[n_eq:] >= 0.0).all()
    assert np.abs(r * values).max() < 1e-8
    rest = b @ d + g - r @ rows  # what the multipliers of the bounds must balance
    at_low, at_high = d < low + 1e-9, d > high - 1e-9
    assert np.abs(rest[~(at_low | at_high)]).max(initial=0.0) < 1e-8
    assert (rest[at_low] > -1e-8).all()
    assert (rest[at_high] < 1e-8).all()


def test_a_quadratic_program_without_a_solution() -> None:
    """x + y >= 5 in the unit square; x + y = 1 and x + y = 1.5."""
    box = np.zeros(2), np.ones(2)
    rows = np.ones((1, 2))
    assert not solve(np.eye(2), np.zeros(2), rows, np.array([-5.0]), 0, *box)[0]
    rows = np.ones((2, 2))
    assert not solve(np.eye(2), np.zeros(2), rows, np.array([-1.0, -1.5]), 2, *box)[0]


def valley(x: np.ndarray) -> tuple[float, list[float], list[float]]:
    """Rosenbrock's function in a ball, on a curve."""
    f = float(100.0 * ((x[1:] - x[:-1] ** 2) ** 2).sum() + ((1.0 - x[:-1]) ** 2).sum())
    return f, [float(x @ x) - 2.0, -float(x[0])], [float(x[0] * x[1] - x[2])]


def apart(x: np.ndarray) -> tuple[float, list[float], list[float]]:
    """At x = 0 the linear constraints, 0 >= 1, have no solution."""
    return float((x * x).sum() + x[1]), [1.0 - float(x[0] ** 2)], []


def free(x: np.ndarray) -> tuple[float, list[float], list[float]]:
    """Rosenbrock's function; the start leads to a bound."""
    return valley(x)[0], [], []


def problem_of(fun: Functions, n: int) -> Problem:
    n_ineq, n_eq = (len(part) for part in fun(np.zeros(n))[1:])
    return de2ls.problem(fun, [(-2.0, 1.5)] * n, n_ineq=n_ineq, n_eq=n_eq)


def driven(
    problem: Problem, start: np.ndarray, tolerance: float, limit: int = 5000
) -> tuple[Any, Members, int]:
    """Return the points asked for one by one, what was found, and the evaluations."""
    run = Run(Space.of(problem), np.random.default_rng(1), 10_000, LineageConfig())
    search = descent(run, Members(start[None], np.ones(1), np.zeros(1)), limit, tolerance)
    points, asked = next(search), []
    try:
        while True:
            if len(points) == 1:
                asked.append(points[0].copy())
            y = problem.evaluate_many(points)
            points = search.send(Answers(*y, problem.violation(y.g, y.h)))
    except StopIteration as end:
        return np.array(asked), end.value, run.t


def scipy_minimum(fun: Functions, start: np.ndarray) -> Any:
    """Return where SciPy's SLSQP ends."""
    parts = {"ineq": lambda x: -np.array(fun(x)[1]), "eq": lambda x: np.array(fun(x)[2])}
    constraints: Any = [
        {"type": kind, "fun": part} for kind, part in parts.items() if part(start).size
    ]
    return minimize(
        lambda x: fun(x)[0],
        start,
        bounds=[(-2.0, 1.5)] * start.size,
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": ITERATIONS, "ftol": 1e-12},
    )


@pytest.mark.parametrize(
    ("fun", "start"),
    [
        (valley, [0.3, 0.2, 0.1, 0.5, -0.2]),
        (valley, [-1.0, 0.5, 0.2, -0.1, 0.3]),
        (free, [-1.2, 1.0, -1.0, 1.4]),
        (apart, [0.0, 0.5, 0.5]),
    ],
)
def test_it_ends_where_scipy_ends(fun: Functions, start: list[float]) -> None:
    x = np.array(start)
    own, _, n_evals = driven(problem_of(fun, x.size), x, 1e-6)
    theirs = scipy_minimum(fun, x)
    assert fun(own[-1])[0] == pytest.approx(theirs.fun, abs=1e-5)
    assert own[-1] == pytest.approx(theirs.x, abs=1e-3)
    assert n_evals < 2000  # by itself


def test_the_line_search_shortens_a_step_until_the_value_falls_enough() -> None:
    """From 0.8 the slope of x^4 is 2.048 and the first step -2.048, too far; then 0.7 of it."""
    problem = de2ls.problem(lambda x: float(x[0] ** 4), [(-2.0, 1.5)])
    asked, _, _ = driven(problem, np.array([0.8]), 1e-6)
    tried = asked[[0, 2, 3]].ravel()  # the second is that of the difference
    assert tried == pytest.approx([0.8, 0.8 - 2.048, 0.8 - 0.7 * 2.048], abs=1e-6)
    assert abs(tried[2]) < 0.8 < abs(tried[1])


def test_it_ends_where_slopes_are_flat_beside_the_first_ones() -> None:
    """1e8 x^2: at the start the slope is 2e8, and 1e-6 of it is that of x = 1e-6."""
    problem = de2ls.problem(lambda x: float(1e8 * x[0] ** 2), [(-2.0, 1.5)])
    _, found, n_evals = driven(problem, np.array([1.0]), 1e-6)
    assert abs(found.x[1, 0]) < 1e-6
    assert n_evals < 50


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_slope_into_a_bound_is_no_descent(sign: float) -> None:
    """In the corner nothing is to be gained: the point, its two differences, and no step."""
    problem = de2ls.problem(lambda x: sign * float(x.sum()), [(0.0, 1.0)] * 2)
    corner = np.full(2, 0.0 if sign > 0.0 else 1.0)
    asked, _, n_evals = driven(problem, corner, 1e-6)
    assert asked.tolist() == [corner.tolist()]
    assert n_evals == 3


def test_a_better_point_of_the_differences_is_not_what_it_found() -> None:
    """f falls beside the start by rounding alone, and nowhere else: there is no success."""
    start = np.array([0.5, 0.5])

    def fun(x: np.ndarray) -> float:
        return 0.0 if (x == start).all() else -1.0 if np.abs(x - start).max() < 1e-6 else 1.0

    _, found, _ = driven(de2ls.problem(fun, [(0.0, 1.0)] * 2), start, 1e-6)
    assert found.f[1] == 0.0


def test_a_minimum_under_constraints() -> None:
    """x^2 + y^2 with x + y >= 1 and x = 3 y: at (3/4, 1/4)."""

    def fun(x: np.ndarray) -> tuple[float, list[float], list[float]]:
        return float(x @ x), [1.0 - x[0] - x[1]], [x[0] - 3.0 * x[1]]

    _, found, n_evals = driven(problem_of(fun, 2), np.array([1.4, 0.4]), 1e-12)
    assert found.x[1] == pytest.approx([0.75, 0.25], abs=1e-3)
    assert found.f[1] == pytest.approx(0.625, abs=1e-3)
    assert found.v[1] == 0.0
    assert 0 < n_evals < 200


def test_no_evaluation_beyond_the_limit() -> None:
    assert driven(problem_of(free, 3), np.array([-1.2, 1.0, 1.0]), 1e-12, limit=6)[2] == 6


def test_it_ends_where_there_is_no_value() -> None:
    """At the start, and ahead of it in each direction."""
    problem = de2ls.problem(lambda x: float("nan"), [(-1.0, 1.0)] * 2)
    assert driven(problem, np.zeros(2), 1e-12)[2] == 3


def test_a_search_that_meets_undefined_points_keeps_what_it_found() -> None:
    """(x - 1)^2 summed, undefined where x_0 > 0.3: steps are shortened, and it ends by itself."""

    def fun(x: np.ndarray) -> float:
        return float(((x - 1.0) ** 2).sum()) if x[0] <= 0.3 else float("nan")

    start = np.array([-1.0, 0.5])
    asked, found, n_evals = driven(de2ls.problem(fun, [(-2.0, 1.5)] * 2), start, 1e-10, limit=500)
    assert any(x[0] > 0.3 for x in asked)  # it has met them
    assert found.f[1] < fun(start)
    assert n_evals < 500


def test_a_search_in_a_narrow_box_stays_inside() -> None:
    """The box is as wide as ten differences; the optimum of a slope is its corner."""
    width = 10.0 * STEP
    problem = de2ls.problem(lambda x: float(x.sum()), [(0.5, 0.5 + width)] * 3)
    asked, _, _ = driven(problem, np.full(3, 0.5 + 0.7 * width), 1e-14)
    assert (asked >= 0.5).all()
    assert (asked <= 0.5 + width).all()
    assert asked[-1].tolist() == [0.5, 0.5, 0.5]


# --- edge cases, by hand --------------------------------------------------------------------------


def test_a_row_of_zeros() -> None:
    """0 d + 1 >= 0 and 0 d = 0 always hold; 0 d - 1 >= 0 never does."""
    g, box, zeros = np.array([-1.0, -2.0]), (np.full(2, -5.0), np.full(2, 5.0)), np.zeros((1, 2))
    for c, n_eq in ((1.0, 0), (0.0, 1)):
        met, d, r = solve(np.eye(2), g, zeros, np.array([c]), n_eq, *box)
        assert met
        assert d.tolist() == [1.0, 2.0]
        assert r.tolist() == [0.0]
    assert not solve(np.eye(2), g, zeros, np.array([-1.0]), 0, *box)[0]


@pytest.mark.parametrize("n_eq", [0, 1, 2])
def test_rows_that_depend_on_each_other(n_eq: int) -> None:
    """x + y >= 1 (or = 1) twice: the nearest point to 0 is (1/2, 1/2), where r_1 + 2 r_2 = 1/2."""
    rows, c = np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([-1.0, -2.0])
    box = np.full(2, -5.0), np.full(2, 5.0)
    met, d, r = solve(np.eye(2), np.zeros(2), rows, c, n_eq, *box)
    assert met
    assert d == pytest.approx([0.5, 0.5], abs=1e-12)
    assert r[0] + 2.0 * r[1] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("width", [0.0, 1e-12])
def test_a_narrow_box_of_a_quadratic_program(width: float) -> None:
    """The nearest point to (1, 2) with x = 1/4, up to the width."""
    low, high = np.array([0.25, -5.0]), np.array([0.25 + width, 5.0])
    nothing = np.empty((0, 2)), np.empty(0)
    met, d, _ = solve(np.eye(2), np.array([-1.0, -2.0]), *nothing, 0, low, high)
    assert met
    assert d == pytest.approx([0.25, 2.0], abs=2e-12)

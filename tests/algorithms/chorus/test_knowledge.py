"""What a run knows of the solution at its end, and when it ends by itself."""

from typing import Any

import numpy as np
import pytest

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus import ChorusConfig
from de2ls.algorithms.chorus.archive import Archive, Rows
from de2ls.algorithms.chorus.optima import End, Optima
from tests.algorithms.chorus.support import Case, drive


def none(X: FloatArray) -> Any:
    return np.zeros((len(X), 0))


def himmelblau(X: FloatArray) -> tuple[Any, Any, Any]:
    """Four minima of value 0 in the box from -5 to 5."""
    x, y = X.T
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2, none(X), none(X)


def two_wells(X: FloatArray) -> tuple[Any, Any, Any]:
    """Minima near x = -1 (the better one) and x = 1; y = 0."""
    x, y = X.T
    return (x**2 - 1) ** 2 + 0.1 * x + y**2, none(X), none(X)


def with_multipliers(X: FloatArray) -> tuple[Any, Any, Any]:
    """x^2 + y^2 + z^2 with x + y >= 2 and z = 1: at (1, 1, 1), multipliers 2 and -2 (h = z - 1)."""
    return (X**2).sum(1), (2 - X[:, 0] - X[:, 1])[:, None], (X[:, 2] - 1)[:, None]


def test_slopes_at_the_solution() -> None:
    run = drive(Case(with_multipliers, 3, n_ineq=1, n_eq=1, eq_tol=1e-9), 600)
    best = run.notes["optima"][0]
    assert best["x"] == pytest.approx([1, 1, 1], abs=1e-5)
    gradient, jacobian = best["slopes"][0], best["slopes"][1:]
    assert gradient == pytest.approx([2, 2, 2], abs=1e-3)
    assert jacobian == pytest.approx(np.array([[-1, -1, 0], [0, 0, 1]]), abs=1e-4)
    assert best["room"] == pytest.approx([0, 0], abs=1e-6)
    left = gradient + np.array([2, -2]) @ jacobian
    assert left == pytest.approx([0, 0, 0], abs=1e-3)


def test_all_minima_are_listed() -> None:
    run = drive(Case(himmelblau, 2), 20_000)  # some thirty searches: each minimum has its share
    minima = [o for o in run.notes["optima"] if o["f"] < 1e-8]
    assert len(minima) == 4
    assert min(o["x"][0] for o in minima) == pytest.approx(-3.779310, abs=1e-4)
    assert sum(o["searches"] for o in minima) >= 4


def test_optima_are_distinct_and_the_best_comes_first() -> None:
    """The wells are the roots of 4 x^3 - 4 x + 0.1: -1.0122 and 0.9872."""
    run = drive(Case(two_wells, 2), 6000)
    f = [o["f"] for o in run.notes["optima"]]
    assert f == sorted(f)
    roots = np.sort(np.roots([4, 0, -4, 0.1]).real)[[0, 2]]
    found = [o["x"][0] for o in run.notes["optima"][:2]]
    assert found == pytest.approx(roots, abs=1e-4)


def test_searches_that_agree_end_the_run() -> None:
    case = Case(with_multipliers, 3, n_ineq=1, n_eq=1)
    run = drive(case, 20_000, stop_when_done=True)
    assert run.reason == "5 independent searches ended at the best value"
    assert run.n_evals < 4000
    assert run.best == pytest.approx(3 - 2 * 1e-4, abs=1e-6)  # the equality's tolerance is used
    assert drive(case, 6000).reason == "budget"


def test_a_run_that_gains_nothing_ends() -> None:
    case = Case(lambda X: (np.ones(len(X)), X[:, :1] + 10.0, none(X)), 2, n_ineq=1)
    run = drive(case, 50_000, stop_when_done=True)
    assert run.reason == "no gain for long"
    assert run.n_evals < 10_000
    assert run.least_violation == pytest.approx(5.0)


def test_notes_are_left_also_when_the_run_is_closed() -> None:
    from de2ls.algorithms.chorus import ChorusConfig, search

    case = Case(himmelblau, 2)
    space = case.space()
    batches = search(space, np.random.default_rng(1), 1000, ChorusConfig())
    batches.send(case.answers(next(batches)))
    batches.close()
    assert space.notes["optima"] == []


def ends_at(*values: float, settled: bool = True) -> Optima:
    """Return the optima after independent searches that ended at these values."""
    optima = Optima(1e-8, 20)
    for f in values:
        optima.add(End(np.full(2, 0.1 * f), f, 0.0, True, settled=settled), True)
    return optima


@pytest.mark.parametrize(
    ("values", "many"),
    [
        ((1.0, 2.0, 3.0), False),  # two searches above the best say little
        ((1.0, 2.0, 3.0, 4.0), True),
        ((1.0, 1.0, 2.0, 3.0, 4.0), False),  # two of five ended at the best
        ((1.0, 1.00001, 1.00002, 1.00003), False),  # one value
    ],
)
def test_many_optima(values: tuple[float, ...], many: bool) -> None:
    assert ends_at(*values).many == many


def test_searches_that_were_given_up_are_no_optima() -> None:
    assert not ends_at(1.0, 2.0, 3.0, 4.0, settled=False).many


def test_an_end_that_is_as_good_as_the_best_is_reported_though_given_up() -> None:
    found = Optima(1e-8, 20)
    for place, f, v in ((0.1, 1.0, 0.0), (0.5, 1.0, 0.0), (0.7, 2.0, 0.0), (0.9, 0.0, 1.0)):
        found.add(End(np.full(2, place), f, v, True, settled=False), True)
    assert [o.end.u[0] for o in found.known(1.0)] == [0.1, 0.5]
    assert found.at_value(1.0, 1.0) == 2


@pytest.mark.parametrize("first", [True, False])
def test_an_optimum_where_one_search_settled_is_settled(first: bool) -> None:
    """Also where the better of two ends is that of a search that was given up."""
    found = Optima(1e-8, 20)
    found.add(End(np.full(2, 0.1), -1.0, 0.0, True), True)
    ends = [(1.0 + 1e-7, True), (1.0, False)]
    for f, settled in ends if first else reversed(ends):
        found.add(End(np.full(2, 0.5), f, 0.0, True, settled=settled), True)
    assert [(o.end.f, o.searches) for o in found.known(1e-3)] == [(-1.0, 1), (1.0, 2)]


@pytest.mark.parametrize(("size", "optima"), [(100.0, 2), (1.0, 3)])
def test_ends_of_different_accuracy_are_one_optimum(size: float, optima: int) -> None:
    """1e-7 apart in value and 1e-6 in place; where f changes by 1, that is more than an error.

    The last one is as good but elsewhere.
    """
    found = Optima(1e-8, 20)
    for place, f in ((0.300001, 1e-7), (0.3, 0.0), (0.7, 1e-7)):
        found.add(End(np.full(2, place), f, 0.0, True), True, size)
    assert len(found.found) == optima
    assert found.found[0].end.f == 0.0  # the more accurate one is kept
    assert found.found[0].searches == 4 - optima


def test_the_best_optimum_comes_first_also_when_it_was_known() -> None:
    found = Optima(1e-8, 20)
    for place, f in ((0.1, 1.0), (0.7, 1.0001), (0.70001, 0.9999)):
        found.add(End(np.full(2, place), f, 0.0, True), True)
    assert [o.end.f for o in found.found] == [0.9999, 1.0]


def test_starts_without_a_value_are_no_searches() -> None:
    """The box holds a value nowhere but in a ball that hardly any start meets."""

    def ball(X: FloatArray) -> tuple[Any, Any, Any]:
        inside = (X**2).sum(1) < 0.5
        return np.where(inside, (X**2).sum(1), np.nan), none(X), none(X)

    run = drive(Case(ball, 3), 4000, stop_when_done=True, stall=0.1, stall_least=10.0)
    assert run.best < np.inf
    ended = sum(o["searches"] for o in run.notes.get("optima", []))
    assert run.reason == "budget" or ended >= 5


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_run_where_nothing_has_a_value_ends(value: float) -> None:
    case = Case(lambda X: (np.full(len(X), value), none(X), none(X)), 5)
    run = drive(case, 10_000, stop_when_done=True)
    assert run.reason == "no point had a value"
    assert 500 * 6 < run.n_evals < 4000


def test_a_run_whose_values_are_huge_does_not_end_for_want_of_a_value() -> None:
    case = Case(lambda X: (1e200 * (X**2).sum(1), none(X), none(X)), 2)
    assert drive(case, 3000, stop_when_done=True).reason != "no point had a value"


def test_a_budget_of_ones_own_is_used_where_nothing_has_a_value() -> None:
    """`stall=0`, as `minimize` sets it there, switches ends for want of gains off."""
    case = Case(lambda X: (np.full(len(X), np.nan), none(X), none(X)), 2)
    assert drive(case, 3000, stop_when_done=True, stall=0.0).reason == "budget"


@pytest.mark.parametrize(
    ("ends", "reason"),
    [
        ([0.0, 1.0], ""),  # found once, and others elsewhere
        ([0.0, 0.0, 1.0], "no gain for long"),
        ([0.0], "no gain for long"),
    ],
)
def test_no_gain_for_long_is_no_end_while_the_best_optimum_was_found_once(
    ends: list[float], reason: str
) -> None:
    a = Archive(
        Case(himmelblau, 2).space(),
        np.random.default_rng(1),
        10_000,
        ChorusConfig(stop_when_done=True),
    )
    a.size, a.valued, a.independent, a.evals = np.ones(1), True, 5, 9_000
    a.record(np.full((1, 2), 0.5), Rows(np.zeros((1, 1)), np.zeros(1)))
    a.last_gain = 10
    for f in ends:
        a.optima.add(End(np.full(2, 0.5 + 0.1 * f), f, 0.0, True, settled=True), True, 1.0)
    assert a.done() == reason


def test_random_points_go_on_until_one_has_a_value() -> None:
    """A twentieth of the box has values: the first one comes after twenty points in the mean."""

    def walled(X: FloatArray) -> tuple[Any, Any, Any]:
        f = np.where(X[:, 0] > 0.9, (X**2).sum(1), np.nan)
        return f, none(X), none(X)

    firsts = []
    for seed in range(1, 12):
        run = drive(Case(walled, 2, lower=-1, upper=1), 400, seed)
        firsts.append(np.flatnonzero(np.isfinite(run.answers.f))[0])
    assert np.median(firsts) < 30

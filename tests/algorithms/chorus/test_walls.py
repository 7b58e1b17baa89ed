"""Walls: regions without values, and steps that keep off them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.walls import Failures, Walls
from tests.algorithms.chorus.support import Case, drive

Values = Callable[[FloatArray], FloatArray]


def none(X: FloatArray) -> FloatArray:
    return np.zeros((len(X), 0))


def walled(f: Values, lost: Callable[[FloatArray], Any], n: int, lower: Any, upper: Any) -> Case:
    """Return the problem min f, undefined where `lost`."""
    values = lambda X: (np.where(lost(X), np.nan, f(X)), none(X), none(X))  # noqa: E731
    return Case(values, n, lower=lower, upper=upper)


def learned(valued: Any, lost: Any) -> Walls:
    """Return the walls of points."""
    walls = Walls(2)
    walls.learn(list(np.array(valued, float)), [True] * len(valued), False)
    walls.learn(list(np.array(lost, float)), [False] * len(lost), True)
    return walls


class TestPlanes:
    def test_a_plane_in_the_middle_of_the_gap(self) -> None:
        """Values for y <= 0.5, none for y >= 0.7: y = 0.6, 0.2 above the iterate."""
        walls = learned([[0.2, 0.5], [0.6, 0.5]], [[0.3, 0.7], [0.5, 0.7]])
        ((a, b),) = walls.near(np.array([0.4, 0.4]), 0.3)
        assert a == pytest.approx([0.0, 1.0], abs=1e-6)
        assert b == pytest.approx(0.2, abs=1e-6)

    def test_a_corner_takes_several(self) -> None:
        """What one plane does not keep out is kept out by others, and the values by none."""
        u = np.array([0.5, 0.5])
        valued = [[0.55, 0.55], [0.4, 0.58], [0.58, 0.4]]
        lost = [[0.65, 0.58], [0.58, 0.65], [0.65, 0.35], [0.35, 0.65]]
        planes = learned(valued, lost).near(u, 0.2)
        assert 2 <= len(planes) <= 3
        A, b = np.array([a for a, _ in planes]), np.array([b for _, b in planes])
        assert (np.array(valued) - u) @ A.T == pytest.approx(np.minimum((valued - u) @ A.T, b))
        assert ((np.array(lost) - u) @ A.T > b).any(axis=1).all()

    def test_a_point_among_values_is_still_kept_out(self) -> None:
        """No plane separates it from all of them: the farther ones are left aside."""
        u = np.array([0.5, 0.5])
        ((a, b),) = learned([[0.4, 0.5], [0.7, 0.5], [0.7, 0.6], [0.7, 0.4]], [[0.6, 0.5]]).near(
            u, 0.2
        )
        assert b >= 0.0
        assert a @ [0.1, 0.0] > b

    def test_points_out_of_reach_make_no_plane(self) -> None:
        assert learned([[0.5, 0.4]], [[0.5, 0.9]]).near(np.array([0.5, 0.5]), 0.1) == []

    def test_clearance_grows_with_lost_steps_and_leaves_room(self) -> None:
        """A plane 0.1 away, in a radius of 0.2: 0.1 - 0.05 * 0.2, twice that after the next."""
        u, lost = np.array([0.5, 0.5]), np.array([0.5, 0.7])
        walls = learned([[0.4, 0.5], [0.6, 0.5]], [lost])
        planes = walls.near(u, 0.2)
        assert planes[0].b == pytest.approx(0.1)
        assert walls.cleared(planes, u, 0.2)[0].b == pytest.approx(0.1)
        walls.keep_off()
        assert walls.cleared(planes, u, 0.2)[0].b == pytest.approx(0.09)
        walls.keep_off()
        assert walls.cleared(planes, u, 0.2)[0].b == pytest.approx(0.08)
        at_the_floor = np.array([0.5, 0.0])  # a step cannot go down from there
        assert walls.cleared([planes[0]._replace(b=0.0)], at_the_floor, 0.2)[0].b == 0.0
        for _ in range(10):
            walls.approach()
        assert walls.clear == 0.0

    def test_a_chance_failure_is_no_wall(self) -> None:
        walls = Walls(2)
        walls.learn([np.array([0.6, 0.5]), np.array([0.58, 0.5])], [False, True], False)
        assert walls.near(np.array([0.5, 0.5]), 0.2) == []


class TestFailures:
    def test_alone_or_together(self) -> None:
        """Chance: more than one of three fails alone; walls: fewer."""
        failures = Failures()
        assert not failures.are_walls
        assert not failures.by_chance
        failures.note(alone=False)
        assert failures.are_walls
        failures.note(alone=True)
        failures.note(alone=True)
        assert failures.by_chance
        assert not failures.are_walls
        for _ in range(4):
            failures.note(alone=False)
        assert failures.are_walls
        assert not failures.by_chance


class TestSearch:
    """Optima at walls that no constraint tells of; 200 n evaluations."""

    @pytest.mark.parametrize(("n", "error"), [(2, 1e-6), (5, 1e-3), (30, 1e-2)])
    def test_a_flat_wall(self, n: int, error: float) -> None:
        """min |x|^2 where sum x >= 1: 1 / n."""
        case = walled(lambda X: (X**2).sum(1), lambda X: X.sum(1) < 1.0, n, -3.0, 3.0)
        ends = [drive(case, 200 * n, seed).best for seed in (1, 2, 3)]
        assert np.median(ends) == pytest.approx(1.0 / n, abs=error)

    def test_without_planes_a_search_ends_where_it_meets_the_wall(self) -> None:
        case = walled(lambda X: (X**2).sum(1), lambda X: X.sum(1) < 1.0, 5, -3.0, 3.0)
        ends = [drive(case, 1000, seed, walls=False).best for seed in (1, 2, 3)]
        assert np.median(ends) > 0.2 + 0.05

    def test_a_bent_wall(self) -> None:
        """min (1, .., n) x within the unit ball: -|(1, .., n)|."""
        slopes = np.arange(1.0, 6.0)
        case = walled(lambda X: X @ slopes, lambda X: (X**2).sum(1) > 1.0, 5, -1.5, 2.0)
        ends = [drive(case, 1000, seed).best for seed in (1, 2, 3)]
        assert np.median(ends) == pytest.approx(-np.linalg.norm(slopes), abs=0.01)

    def test_a_wall_that_recedes_from_a_bound(self) -> None:
        """min sum x where prod x >= 1 and x >= 0.1: all 1; steps along x_i = 0.1 do not show it."""
        case = walled(lambda X: X.sum(1), lambda X: X.prod(1) < 1.0, 5, 0.1, 10.0)
        ends = [drive(case, 1000, seed).best for seed in (1, 2, 3)]
        assert np.median(ends) == pytest.approx(5.0, abs=0.1)

    def test_a_corner_of_two_walls(self) -> None:
        """min x + y where x >= 0.2 y^2 + 0.1 and y >= 0.3 x + 0.2: both hold the optimum."""

        def lost(X: FloatArray) -> Any:
            x, y = X.T
            return (x < 0.2 * y**2 + 0.1) | (y < 0.3 * x + 0.2)

        y = np.roots([0.06, -1.0, 0.23]).min()  # of y = 0.3 (0.2 y^2 + 0.1) + 0.2
        case = walled(lambda X: X.sum(1), lost, 2, -1.0, 1.5)
        ends = [drive(case, 400, seed).best for seed in (1, 2, 3)]
        assert np.median(ends) == pytest.approx(y + 0.2 * y**2 + 0.1, abs=1e-4)

    @pytest.mark.parametrize(("n", "budget"), [(2, 600), (5, 1500)])
    def test_failures_by_chance_are_no_walls(self, n: int, budget: int) -> None:
        """A fifth of all points of Rosenbrock's valley fails: most runs still solve it."""

        def values(X: FloatArray) -> Any:
            fails = np.sin(1e6 * X.sum(1)) > np.cos(0.2 * np.pi)
            f = (100.0 * (X[:, 1:] - X[:, :-1] ** 2) ** 2 + (1.0 - X[:, :-1]) ** 2).sum(1)
            return np.where(fails, np.nan, f), none(X), none(X)

        runs = [drive(Case(values, n, lower=-3.0, upper=3.0), budget, s) for s in range(1, 8)]
        assert all(0.1 * budget < np.isinf(run.answers.v).sum() < 0.3 * budget for run in runs)
        assert sum(run.best < 1e-6 for run in runs) >= 4

    def test_with_workers(self) -> None:
        case = walled(lambda X: (X**2).sum(1), lambda X: X.sum(1) < 1.0, 5, -3.0, 3.0)
        run = drive(case, 1000, workers=8)
        assert run.n_evals == 1000
        assert run.best == pytest.approx(0.2, abs=1e-2)

"""What the local method does not spend: points of a line, digits of a relaxed optimum, probes.

And what it reaches where constraints bend at every scale.
"""

from typing import Any

import numpy as np
import pytest

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus import ARMS, ChorusConfig
from de2ls.algorithms.chorus.archive import Archive, Batches
from de2ls.algorithms.chorus.differences import View
from de2ls.algorithms.chorus.model import Bundle, Cut
from de2ls.algorithms.chorus.optima import End
from de2ls.algorithms.chorus.sqp import LocalSearch
from de2ls.algorithms.chorus.step import Step
from tests.algorithms.chorus.support import Case, drive


def none(X: FloatArray) -> Any:
    return np.zeros((len(X), 0))


def sphere(X: FloatArray) -> tuple[Any, Any, Any]:
    return (X**2).sum(1), none(X), none(X)


def outside(X: FloatArray) -> tuple[Any, Any, Any]:
    """x^2 + y^2 + z^2 with x + y >= 2, z = 1: 3 at (1, 1, 1); its own minimum violates both."""
    return (X**2).sum(1), (2 - X[:, 0] - X[:, 1])[:, None], (X[:, 2] - 1)[:, None]


def quartic(X: FloatArray) -> tuple[Any, Any, Any]:
    return ((X - 1.0) ** 4).sum(1), (X[:, 0] + 1.0)[:, None], none(X)


def archive_of(case: Case, workers: int = 1) -> Archive:
    return Archive(case.space(workers), np.random.default_rng(7), 5000, ChorusConfig())


def sizes(case: Case, a: Archive, batches: Batches) -> tuple[list[int], Any]:
    """Answer a generator; returns the sizes of its batches and what it returns."""
    asked: list[int] = []
    try:
        U = next(batches)
        while True:
            asked.append(len(U))
            rows = a.rows(case.answers(a.points(U)[0]))
            a.evals += len(U)
            a.record(U, rows)
            U = batches.send(rows)
    except StopIteration as end:
        return asked, end.value


def line(curvature: float, radius: float, workers: int) -> list[int]:
    """Sizes of the batches of a line search on a sphere, 100 |u - 1/2|^2, from (0.7, 0.7)."""
    case = Case(sphere, 2)
    a = archive_of(case, workers)
    u = np.full(2, 0.7)
    f, g = 100.0 * 2 * 0.04, np.full(2, 200.0 * 0.2)
    sub = Step(
        View(a, "con"), a.config, u, f, np.empty(0), g, np.empty((0, 2)),
        np.eye(2) * curvature, Bundle(Cut(f, g, u)), radius, np.empty(0),
    )  # fmt: skip
    assert sub.solve(1.5) is not None
    return sizes(case, a, sub.line())[0]


def test_a_step_that_was_foreseen_needs_no_line_search() -> None:
    assert line(200.0, 0.5, workers=1) == [1]


@pytest.mark.parametrize(("curvature", "radius"), [(100.0, 0.5), (800.0, 0.5), (200.0, 0.1)])
def test_others_need_one(curvature: float, radius: float) -> None:
    """The curvature is wrong, or the trust region holds the step."""
    assert line(curvature, radius, workers=1)[:2] == [1, 3]


def test_with_workers_it_is_one_batch() -> None:
    assert line(200.0, 0.5, workers=4)[0] == 4


def test_the_minimum_of_the_objective_is_a_start_like_others() -> None:
    """There is no slope there to measure a violation by."""
    case = Case(outside, 3, n_ineq=1, n_eq=1)
    a = archive_of(case)
    search = LocalSearch(a, a.unit(np.zeros((1, 3)))[0], "con", 0.05, 1000)
    end: End = sizes(case, a, search.run())[1]
    assert end.v <= 1e-8
    assert end.f == pytest.approx(3.0 - 2e-4, abs=1e-6)  # the equality's tolerance is used


def test_a_relaxed_search_is_rough() -> None:
    """On a quartic each digit costs some steps; those of the problem itself are all wanted."""
    used, left = [], []
    for mode in ("f", "con"):
        case = Case(quartic, 3, n_ineq=1 if mode == "f" else 0)
        case.function = quartic if mode == "f" else lambda X: (quartic(X)[0], none(X), none(X))
        a = archive_of(case)
        a.budget, a.size[0] = 3000, 100.0  # with more it is exact
        search = LocalSearch(a, np.full(3, 0.15), mode, 0.1, 2000)
        asked, end = sizes(case, a, search.run())
        used.append(sum(asked))
        left.append(end.f)
    assert left[0] < 1e-2
    assert left[1] < 1e-8
    assert used[0] < 0.6 * used[1]


@pytest.mark.parametrize(("per_dim", "rough"), [(1000, True), (1001, False)])
def test_in_a_long_run_a_relaxed_search_is_exact(per_dim: int, rough: bool) -> None:
    """There is time to follow a valley to its end."""
    case = Case(quartic, 3, n_ineq=1)
    a = archive_of(case)
    a.budget, a.size[0] = 3 * per_dim, 100.0
    end = sizes(case, a, LocalSearch(a, np.full(3, 0.15), "f", 0.1, 2000).run())[1]
    assert (end.f > 1e-12) == rough


def test_coarse_slopes_follow_a_rejected_step() -> None:
    """A region much larger than a step that failed would fail again with the same slopes."""
    case = Case(sphere, 2)
    a = archive_of(case)
    search = LocalSearch(a, np.full(2, 0.3), "con", 0.5, 1000)
    assert search.coarse
    sizes(case, a, search._begin())
    sizes(case, a, search._sharpen(0.2))
    assert search.radius == pytest.approx(0.08)
    assert search.coarse
    sizes(case, a, search._sharpen(0.0))
    assert search.radius == pytest.approx(0.0032)
    assert not search.coarse


@pytest.mark.parametrize(("budget", "probes"), [(100, 0), (160, 1)])
def test_the_first_probe_costs_a_twentieth_at_the_most(budget: int, probes: int) -> None:
    after = drive(Case(sphere, 2), budget).points[8:16]  # the first random ones
    on_a_short_line = bool((np.ptp(after, axis=0) < 1e-3).all())
    assert on_a_short_line == bool(probes)


def rippled(X: FloatArray) -> tuple[Any, Any, Any]:
    """1000 s + 1000 s^2 + t^2 / 1000 with s >= 0, in coordinates that ripple at every scale."""
    away = X - np.array([0.7, -1.3])
    z = away * (1.0 + 0.1 * np.sin(3.0 * np.log(np.abs(away) + 1e-300)))
    s, t = z @ np.array([2.0, -1.0]), z @ np.array([1.0, 2.0])
    return 1e3 * (s + s**2) + 1e-3 * t**2, -s[:, None], none(X)


def test_steps_find_constraints_that_bend_at_every_scale() -> None:
    """The optimum is 0, less what the tolerance of 1e-8 brings."""
    alone = {name: name == "local" for name in ARMS}

    def median_error(**config: float) -> float:
        case = Case(rippled, 2, n_ineq=1)
        found = [drive(case, 2000, seed, **alone, **config).best for seed in range(1, 6)]
        return float(np.median(found)) + 1e3 * 1e-8

    assert median_error() < 1e-7
    assert median_error(fine=0.0) > 3e-7

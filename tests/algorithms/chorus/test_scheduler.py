"""The scheduler: credit, weights, faults, workers."""

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import pytest

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus import ChorusConfig
from de2ls.algorithms.chorus.archive import Archive, Batches, Rows
from de2ls.algorithms.chorus.arm import Arm, gained
from de2ls.algorithms.chorus.rugged import rugged
from de2ls.algorithms.chorus.scheduler import Scheduler
from tests.algorithms.chorus.support import Case, drive


def slope(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The first coordinate, without constraints."""
    return X[:, 0], np.zeros((len(X), 0)), np.zeros((len(X), 0))


def run(
    arms: dict[str, Callable[[Archive], Batches]], budget: int, workers: int = 1
) -> tuple[Archive, str, list[int]]:
    """Drive a scheduler with arms of one's own; returns the archive, the reason, batch sizes."""
    case = Case(slope, 2)
    archive = Archive(case.space(workers), np.random.default_rng(1), budget, ChorusConfig())
    batches, sizes = Scheduler(archive, arms).run(), []
    try:
        X = next(batches)
        while True:
            sizes.append(len(X))
            X = batches.send(case.answers(X))
    except StopIteration as end:
        return archive, end.value, sizes


def idler(a: Archive) -> Batches:
    """Ask for the same point again and again."""
    while True:
        yield np.ones((1, a.n))


def climber(a: Archive) -> Batches:
    """Lower the first coordinate with every point."""
    u = np.ones((1, a.n))
    while True:
        u = 0.998 * u
        yield u


@pytest.mark.parametrize(
    ("old", "new", "gain"),
    [
        ((1, np.inf), (1, 5.0), 0.0),
        ((1, 5.0), (0, 100.0), 1.0),
        ((0, 3.0), (0, 1.0), 0.5),
        ((0, 1.0), (0, -1.0), 1.0),
        ((0, 1.0), (0, 1.0), 0.0),
    ],
)
def test_gain(old: tuple[int, float], new: tuple[int, float], gain: float) -> None:
    assert gained(old, new) == pytest.approx(gain, abs=1e-7)


def test_who_gains_gets_more() -> None:
    """Weights 4 and 1: in the long run four times the evaluations."""
    archive, reason, _ = run({"idler": idler, "climber": climber}, 3000)
    counters = archive.space.counters
    assert reason == "budget"
    assert archive.evals == 3000
    assert counters["evals_climber"] > 2.5 * counters["evals_idler"]
    assert counters["evals_idler"] > 0.1 * 3000


def test_an_arm_that_breaks_down_starts_anew_and_is_counted() -> None:
    began = []

    def fragile(a: Archive) -> Batches:
        began.append(a.evals)
        yield np.full((3, a.n), 0.5)
        if len(began) < 4:
            raise np.linalg.LinAlgError("singular")
        while True:
            yield np.full((3, a.n), 0.25)

    archive, reason, _ = run({"fragile": fragile}, 100)
    assert len(began) == 4
    assert archive.space.counters["faults"] == 3
    assert (archive.evals, reason) == (100, "budget")


def test_an_arm_that_always_breaks_down_is_dropped() -> None:
    def broken(a: Archive) -> Batches:
        raise ValueError("never works")
        yield np.zeros((1, a.n))

    archive, reason, _ = run({"broken": broken, "idler": idler}, 50)
    assert archive.evals == 50
    assert reason == "budget"
    assert archive.space.counters["evals_broken"] == 0


def test_a_search_without_arms_ends() -> None:
    def short(a: Archive) -> Batches:
        yield np.full((2, a.n), 0.5)

    archive, reason, _ = run({"short": short}, 50)
    assert (archive.evals, reason) == (2, "no arm left")


def test_idle_workers_get_points_of_other_arms() -> None:
    _, _, sizes = run({"one": idler, "two": climber, "three": idler, "four": idler}, 400, workers=4)
    assert set(sizes) == {4}
    _, _, sizes = run({"one": idler, "two": climber}, 400, workers=1)
    assert set(sizes) == {1}


def test_understudies_take_workers_that_local_leaves_idle() -> None:
    """A local search has about n + 6 points at once; 32 workers have room for others like it."""

    def disc(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return X.sum(1), ((X**2).sum(1) - 1.0)[:, None], np.zeros((len(X), 0))

    evals = {}
    for count in (0, 3):
        run = drive(Case(disc, 4, n_ineq=1), 1600, workers=32, understudies=count)
        assert run.n_evals == 1600
        assert run.best == pytest.approx(-2.0, abs=1e-6)
        evals[count] = run.counters["evals_local"]
    assert evals[3] > 2 * evals[0]  # 32 // (4 + 7) = 2 understudies: three searches instead of one


def wells(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A constraint that cannot hold: at best 1 is left of it, in the deepest of many wells."""
    ripple = (1.0 - np.cos(6.0 * X)).sum(1)
    g = 1.0 + 0.3 * (X**2).sum(1) + ripple
    return X.sum(1), g[:, None], np.zeros((len(X), 0))


def turns(monkeypatch: pytest.MonkeyPatch, budget: int) -> list[str]:
    """Return which arms had turns on a problem of `wells` without a feasible point, in order."""
    names: list[str] = []
    original = Scheduler._turn

    def noted(self: Scheduler, arm: Arm) -> Generator[FloatArray, Any, None]:
        names.append(arm.name)
        return original(self, arm)

    monkeypatch.setattr(Scheduler, "_turn", noted)
    made = drive(Case(wells, 4, n_ineq=1), budget)
    assert made.least_violation == pytest.approx(1.0, abs=1e-8)
    return names


def test_evolve_begins_early_where_nothing_is_feasible(monkeypatch: pytest.MonkeyPatch) -> None:
    """After two local searches; lines, relaxed and rugged wait for its first run."""
    names = turns(monkeypatch, 20_000)
    assert names[: names.index("evolve")].count("local") == 2
    others = min(names.index(name) for name in ("lines", "relaxed", "rugged"))
    run = names[names.index("evolve") : others]
    # weight 8 against 4 at the most, and a turn of local is not the shorter one
    assert run.count("evolve") > 2 * run.count("local")


def test_a_small_budget_has_no_room_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    names = turns(monkeypatch, 2000)
    assert names.index("lines") < names.index("evolve")


@pytest.mark.parametrize(
    ("noisy", "searches", "failed", "begin"),
    [
        (False, 3, 2, True),
        (False, 3, 1, False),
        (True, 4, 4, False),
        (True, 5, 3, False),
        (True, 5, 4, True),
    ],
)
def test_other_arms_wait_longer_under_noise(
    noisy: bool, searches: int, failed: int, begin: bool
) -> None:
    """Searches are dear there, and every other one is a polish."""
    case = Case(lambda X: (X.sum(1), X[:, :1], np.zeros((len(X), 0))), 2, n_ineq=1)
    archive = Archive(case.space(), np.random.default_rng(1), 1000, ChorusConfig())
    scheduler = Scheduler(archive, dict.fromkeys(("local", "lines", "evolve"), idler))
    archive.noisy, archive.searches, archive.failed = noisy, searches, failed
    scheduler._wake()
    assert [arm.name for arm in scheduler.awake] == ["local"] + begin * ["lines", "evolve"]


def test_rugged_does_not_wait_for_an_endless_run_of_evolve() -> None:
    """2,000 evaluations per dimension are enough; before that, two runs."""

    def flat(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return np.zeros(len(X)), X[:, :1] - 9.0, np.zeros((len(X), 0))

    archive = Archive(
        Case(flat, 2, n_ineq=1).space(), np.random.default_rng(1), 100_000, ChorusConfig()
    )
    scheduler = Scheduler(archive, {"evolve": idler, "rugged": idler})
    evolve = scheduler.arms[0]
    assert not scheduler._evolved()
    evolve.take(Rows(np.zeros((3999, 2)), np.zeros(3999)), 0.0)
    assert not scheduler._evolved()
    evolve.take(Rows(np.zeros((1, 2)), np.zeros(1)), 0.0)
    assert scheduler._evolved()
    other = Scheduler(archive, {"evolve": idler, "rugged": idler})
    other.arms[0].episodes = 2
    assert other._evolved()


def test_an_arm_that_gains_nothing_loses_its_weight_to_rugged() -> None:
    """With a tenth of the budget; one gain brings it back."""

    def flat(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return np.zeros(len(X)), X[:, :1] - 9.0, np.zeros((len(X), 0))

    archive = Archive(
        Case(flat, 2, n_ineq=1).space(), np.random.default_rng(1), 10_000, ChorusConfig()
    )
    scheduler = Scheduler(archive, {"evolve": idler, "trend": idler, "rugged": idler})
    archive.failed = 5

    def weights() -> list[float]:
        scheduler._weigh()
        return [arm.weight for arm in scheduler.arms]

    def told(k: int) -> Rows:
        return Rows(np.zeros((k, 2)), np.zeros(k))

    assert weights() == [4.0, 4.0, 4.0]
    scheduler.arms[0].take(told(1000), 0.0)
    assert weights() == [4.0, 4.0, 4.0]
    scheduler.arms[0].take(told(1), 0.0)
    assert weights() == [1.0, 4.0, 8.0]
    scheduler.arms[1].take(told(1001), 0.0)
    scheduler.arms[2].take(told(5000), 0.0)
    assert weights() == [1.0, 1.0, 12.0]
    scheduler.arms[0].take(told(1), 0.5)
    assert weights() == [4.0, 1.0, 8.0]


def test_the_first_run_of_rugged_does_not_know_the_incumbent() -> None:
    def bowl(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return (X**2).sum(1), np.zeros((len(X), 0)), np.zeros((len(X), 0))

    case = Case(bowl, 2)
    archive = Archive(case.space(), np.random.default_rng(1), 100_000, ChorusConfig())
    best = np.array([0.25, 0.75])
    archive.record(best[None], Rows(np.array([[-1.0]]), np.zeros(1)))
    first, second = _first_points(rugged(archive), archive)
    assert not (first == best).all(1).any()
    assert (second[0] == best).all()


def _first_points(batches: Batches, archive: Archive) -> list[FloatArray]:
    """Return the first points of two runs; all objectives are equal, so that runs end soon."""
    found, new = [], True
    U = next(batches)
    while len(found) < 2:
        if U is None:
            new, U = True, next(batches)
            continue
        if new:
            found.append(U)
        new = False
        archive.evals += len(U)
        U = batches.send(Rows(np.ones((len(U), 1)), np.zeros(len(U))))
    return found


@pytest.mark.parametrize(("earned", "virtual"), [(4.0, 25.0), (1.0, 100.0), (0.5, 100.0)])
def test_a_turn_is_charged_at_the_weight_that_it_earns(earned: float, virtual: float) -> None:
    """Else an arm that has made all gains in one long turn waits for the others to use as much."""
    archive = Archive(Case(slope, 2).space(), np.random.default_rng(1), 1000, ChorusConfig())
    arm = Arm("neighbours", climber, archive)
    arm.take(Rows(np.zeros((100, 1)), np.zeros(100)), gain=0.5)
    arm.close_turn()
    arm.weight = earned
    arm.refund()
    assert arm.virtual == virtual


def test_a_refund_is_at_most_what_was_charged() -> None:
    """Points that filled a batch of other arms were charged at the weight of then."""
    archive = Archive(Case(slope, 2).space(), np.random.default_rng(1), 1000, ChorusConfig())
    arm = Arm("neighbours", climber, archive)
    arm.weight = 4.0
    arm.take(Rows(np.zeros((100, 1)), np.zeros(100)), gain=0.0)
    arm.weight = 1.0
    arm.take(Rows(np.zeros((10, 1)), np.zeros(10)), gain=0.5)
    arm.close_turn()
    arm.weight = 4.0
    arm.refund()
    assert arm.virtual == 27.5

"""The probe for noise, and what CHORUS does on noisy outputs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus import ChorusConfig
from de2ls.algorithms.chorus.archive import Archive, Batches, Rows
from de2ls.algorithms.chorus.iterate import Iterate
from de2ls.algorithms.chorus.local import Next, Starts
from de2ls.algorithms.chorus.noise import probe, table_noise
from de2ls.algorithms.chorus.optima import End
from de2ls.algorithms.chorus.smoothed import tamed, within_cubic
from de2ls.algorithms.chorus.subproblem import Point
from de2ls.algorithms.chorus.watch import Watch
from tests.algorithms.chorus.support import Case, drive

Function = Callable[[FloatArray], Any]


def none(X: FloatArray) -> Any:
    return np.zeros((len(X), 0))


def quadratic(X: FloatArray) -> Any:
    return 1.0 + ((X - 0.7) ** 2).sum(1)


def random(X: FloatArray) -> Any:
    """Deterministic noise: standard normal numbers made of the bits of the points."""
    return np.array([np.random.default_rng(x.view(np.uint64)).standard_normal() for x in X])


def probed(f: Function, at: float = 0.5) -> Archive:
    """Probe a function at one point of the unit box, after a sample that tells its size."""
    case = Case(lambda X: (f(X), none(X), none(X)), 4)
    a = Archive(case.space(), np.random.default_rng(1), 1000, ChorusConfig())

    def first(a: Archive) -> Batches:
        yield a.random(20)
        yield from probe(a, np.full(4, at))

    batches = first(a)
    U = next(batches)
    while True:
        X, U = a.points(U)
        rows = a.rows(case.answers(X))
        a.evals += len(X)
        a.record(U, rows)
        try:
            U = batches.send(rows)
        except StopIteration:
            return a


def test_the_difference_table_estimates_the_deviation() -> None:
    """Few differences bias it down a little; a parabola below the noise leaves no trace."""
    draws = np.random.default_rng(3)
    t = np.arange(8.0)[:, None]
    V = 0.01 * draws.standard_normal((8, 4000)) + 5 - 2 * t + 1e-4 * t**2
    assert 0.007 < np.median(table_noise(V)) < 0.011


@pytest.mark.parametrize("level", [1e-8, 1e-6, 1e-3])
def test_noise_is_found(level: float) -> None:
    a = probed(lambda X: quadratic(X) * (1 + level * random(X)))
    assert a.noisy
    assert level / 10 < a.eta[0] < level * 10


@pytest.mark.parametrize("digits", [3, 4, 5])
def test_rounded_values_are_found(digits: int) -> None:
    a = probed(lambda X: np.round(quadratic(X), digits))
    assert a.noisy


@pytest.mark.parametrize(
    "function",
    [
        quadratic,
        lambda X: np.exp(X.sum(1) / 4),
        lambda X: np.abs(X).sum(1),  # a kink at the point
        lambda X: 1.0 / (1e-9 + np.abs(X).sum(1)),  # a pole at the point
        lambda X: quadratic(X) + (X[:, 0] > 1e-7),  # a jump beside the point
        lambda X: np.cos(3 * X).sum(1),
        lambda X: np.ones(len(X)),
    ],
    ids=["quadratic", "exponential", "kink", "pole", "jump", "waves", "constant"],
)
def test_exact_functions_raise_no_alarm(function: Function) -> None:
    assert not probed(function).noisy


def test_a_constant_objective_is_looked_at_on_three_lines() -> None:
    """With spacings 1e-6, 1e-4 and 1e-2; the next one would be the whole box."""
    a = probed(lambda X: np.ones(len(X)))
    assert a.evals == 20 + 3 * 8
    assert not a.noisy


@pytest.mark.parametrize("lost", [False, True])
def test_noise_that_cannot_be_confirmed_is_no_alarm(lost: bool) -> None:
    """All lines after the first have no values; where they have, they raise the alarm."""
    case = Case(lambda X: (1.0 + 1e-4 * random(X), none(X), none(X)), 4)
    a = Archive(case.space(), np.random.default_rng(1), 1000, ChorusConfig())
    a.size = np.ones(1)
    batches = probe(a, np.full(4, 0.5))
    U, rest = next(batches), False
    while U is not None:
        rows = a.rows(case.answers(a.points(U)[0]))
        if lost and rest:
            rows.out[:] = 1e100
        rest = True
        try:
            U = batches.send(rows)
        except StopIteration:
            break
    assert a.noisy != lost


@pytest.mark.parametrize(("n_ineq", "n_eq"), [(1, 0), (0, 1)])
def test_rounding_of_a_constraint_that_always_holds_is_no_noise(n_ineq: int, n_eq: int) -> None:
    """Shares that were divided by their sum add up to 1 but for rounding."""

    def function(X: FloatArray) -> Any:
        shares = (X + 6.0) / (X + 6.0).sum(1, keepdims=True)
        rest = shares.sum(1, keepdims=True) - 1.0
        return quadratic(X), rest[:, :n_ineq], rest[:, :n_eq]

    run = drive(Case(function, 7, n_ineq=n_ineq, n_eq=n_eq), 300)
    assert not run.notes["noise"].any()
    assert run.best == pytest.approx(1.0, abs=1e-12)


def test_the_alarm_is_withdrawn() -> None:
    """Noise in half of the box only: two probes in the other half find none."""

    def half(X: FloatArray) -> Any:
        return quadratic(X) * (1 + 1e-6 * random(X) * (X[:, 0] > 0))

    case = Case(lambda X: (half(X), none(X), none(X)), 4)
    a = Archive(case.space(), np.random.default_rng(1), 1000, ChorusConfig())
    alarms = []
    for place in (0.8, 0.2, 0.2):
        batches = probe(a, np.full(4, place))
        U = next(batches)
        try:
            while True:
                X, U = a.points(U)
                rows = a.rows(case.answers(X))
                a.evals += len(X)
                a.record(U, rows)
                U = batches.send(rows)
        except StopIteration:
            alarms.append(a.noisy)
    assert alarms == [True, True, False]


def test_optima_of_a_withdrawn_alarm_are_forgotten() -> None:
    """Their values were those of models; one that an exact search had found keeps its own."""
    a = probed(lambda X: quadratic(X) * (1 + 1e-6 * random(X)))
    assert a.noisy
    exact, fitted = End(np.full(4, 0.5), 2.0, 0.0, True), End(np.full(4, 0.9), 1.0, 0.0, True)
    a.optima.add(exact, True)
    a.optima.add(fitted, True, doubtful=True)
    a.optima.add(exact._replace(f=1.9999), True, doubtful=True)
    assert [o.end.f for o in a.optima.found] == [1.0, 2.0]
    case = Case(lambda X: (quadratic(X), none(X), none(X)), 4)
    for _ in range(2):  # probes without noise
        batches = probe(a, np.full(4, 0.3))
        U = next(batches)
        with pytest.raises(StopIteration):
            batches.send(a.rows(case.answers(a.points(U)[0])))
    assert not a.noisy
    assert [(o.end.f, o.searches) for o in a.optima.found] == [(2.0, 2)]


def noisy_disc(level: float) -> Case:
    """The least sum of 3 + x on the unit disc, 3 - 1 in the direction of the diagonal."""

    def function(X: FloatArray) -> tuple[Any, Any, Any]:
        draws = [random(X), random(X + 1e-9)]
        f = (3 + X.sum(1) / 2) * (1 + level * draws[0])
        g = ((X**2).sum(1) - 1.0) * (1 + level * draws[1])
        return f, g[:, None], none(X)

    return Case(function, 4, n_ineq=1)


@pytest.mark.parametrize("level", [1e-9, 1e-6, 1e-3])
def test_noisy_problems_are_solved_to_their_noise(level: float) -> None:
    """At the best point seen the objective without noise is 2 up to a few times its noise."""
    run = drive(noisy_disc(level), 1200)
    feasible = np.flatnonzero(run.answers.v <= 1e-8)
    best = run.points[feasible[run.answers.f[feasible].argmin()]]
    assert 3 + best.sum() / 2 == pytest.approx(2.0, abs=30 * level + 1e-5)
    assert run.notes["noise"][0] > 0


def test_undefined_values_here_and_there() -> None:
    """A tenth of all points has no value."""

    def function(X: FloatArray) -> tuple[Any, Any, Any]:
        lost = np.abs(random(X)) < 0.1257  # a tenth of the normal distribution
        return np.where(lost, np.nan, quadratic(X)), none(X), none(X)

    run = drive(Case(function, 4), 1000)
    assert run.best == pytest.approx(1.0, abs=1e-5)


def test_without_the_switch_nothing_is_probed() -> None:
    run = drive(noisy_disc(1e-3), 300, noise=False)
    assert "probes" not in run.counters


@pytest.mark.parametrize("level", [1e-6, 1e-3])
def test_noise_that_is_correlated_is_found(level: float) -> None:
    """Waves of 6e-5 of the box: a line of 5e-6 sees a smooth function, longer ones see noise."""
    k = np.random.default_rng(4).standard_normal((30, 4)) / 1e-4  # the box is 10 wide

    def waves(X: FloatArray) -> Any:
        return quadratic(X) * (1 + level * np.cos(X @ k.T).sum(1) / np.sqrt(15.0))

    a = probed(waves)
    here = float(quadratic(np.zeros((1, 4)))[0])
    assert a.noisy
    assert a.eta[0] * max(a.size[0], here) == pytest.approx(level * here, rel=0.67)  # 8 values each


def test_constraints_beyond_their_typical_size_are_logarithmic() -> None:
    c = np.array([[-3.0, 0.0], [1e-9, -2.0], [2.0 * np.e, -2.0 * np.e**3]])
    tame = tamed(c, np.array([2.0, 0.0]))  # nothing is known of the second one's size
    assert tame[:, 1].tolist() == c[:, 1].tolist()
    assert tame[1:, 0] == pytest.approx([1e-9, 4.0])
    assert tame[0, 0] == pytest.approx(-2.0 * (1.0 + np.log(1.5)))


def test_values_beyond_a_cubic_are_cut_and_others_are_not() -> None:
    r = np.linspace(0.0, 12.0, 49)
    cubic = 5.0 + (0.3 * r**3 + r)[:, None]
    assert np.array_equal(within_cubic(r, cubic, 4), cubic)
    wild = cubic + np.where(r > 10.0, 1e9, 0.0)[:, None]
    cut = within_cubic(r, wild, 4)
    assert np.array_equal(cut[r <= 10.0], cubic[r <= 10.0])
    assert cut.max() == pytest.approx(5.0 + 3.0 * 4.4 * 6.0**3)  # it differs by 4.4 at r = 2


def test_oscillations_at_all_scales_are_no_correlated_noise() -> None:
    """COCO's irregularity, sines of log |x|, at a distance of the long lines' spacing."""

    def irregular(X: FloatArray) -> Any:
        x = np.log(np.abs(X) + 1e-300)
        return (np.exp(x + 0.049 * (np.sin(10 * x) + np.sin(7.9 * x))) ** 2).sum(1)

    for at in (1e-5, 1e-4, 1e-3):
        assert not probed(irregular, 0.5 + at).noisy


def alarmed(eta: float, size: float = 2.0) -> Archive:
    """Return an archive under alarm with an incumbent of objective 10 at the centre."""
    case = Case(lambda X: (quadratic(X), none(X), none(X)), 4)
    a = Archive(case.space(), np.random.default_rng(1), 1000, ChorusConfig())
    a.eta, a.size, a.noisy, a.searches = np.array([eta]), np.array([size]), True, 1
    a.record(np.full((1, 4), 0.5), Rows(np.array([[10.0]]), np.zeros(1)))
    return a


def test_noise_is_in_units_of_an_outputs_size_or_value() -> None:
    a = alarmed(1e-3)
    assert a.f_noise(10.0) == pytest.approx(0.01)
    assert a.f_noise(-0.5) == pytest.approx(0.002)
    assert a.noise_at(np.array([10.0])) == pytest.approx([0.01])
    a.noisy = False
    assert a.f_noise(10.0) == 0.0
    assert a.noise_at(np.array([10.0])).tolist() == [0.0]


@pytest.mark.parametrize(("eta", "limit"), [(1e-8, 2e-4), (2.5e-7, 1e-3), (0.1, 1e-2)])
def test_difference_steps_balance_noise_and_curvature(eta: float, limit: float) -> None:
    """More and Wild: the step is sqrt(noise / curvature), here twice that, up to 0.01."""
    at = Iterate(alarmed(eta), np.full(4, 0.5), "con", 1e-6)
    assert at.step_limit == pytest.approx(limit)
    curve = np.array([1e20, 40.0 * eta / (0.3 * limit) ** 2, 1e-20])  # the noise is 10 eta
    assert at._steps(10.0, curve) == pytest.approx([0.01 * limit, 0.3 * limit, limit])


@pytest.mark.parametrize(("noisy", "again"), [(True, False), (False, True)])
def test_central_differences_are_given_up_again_under_noise(noisy: bool, again: bool) -> None:
    """Where the step promises so much that forward ones show the slope; exact runs keep them."""
    a = alarmed(1e-3)
    a.noisy = noisy
    at = Iterate(a, np.full(4, 0.5), "con", 0.1)
    at.f, at.c, at.v, at.B = 10.0, np.empty(0), 0.0, np.eye(4)
    at._use(np.full(4, 100.0), np.empty((0, 4)))
    step = at._subproblem(np.eye(4), 0.1, np.empty(0))
    assert step.solve(1.5) is not None
    at.central = True
    best = Point(at.u + step.d, 5.0, np.empty(0), 0.0, 5.0, 1.0)
    points = next(at._slopes(step, best))
    assert at.central == again
    assert len(points) == (8 if again else 4)


@pytest.mark.parametrize(("gain", "stalls"), [(0.009, True), (0.011, False)])
def test_a_gain_below_the_noise_is_a_stall(gain: float, stalls: bool) -> None:
    a = alarmed(1e-3)  # 0.01 at the value 10
    watch = Watch(a, 20.0, race=False)
    watch.begin(10.0, 0.0)
    a.evals += 19
    assert not watch.stalls(10.0, 0.0)
    a.evals += 1
    assert watch.stalls(10.0 - gain, 0.0) == stalls


def starts_at(a: Archive) -> Starts:
    starts = Starts(a, np.full(4, 0.2), np.empty((0, 4)))
    starts.turn = 3  # the first starts are behind it
    return starts


def test_one_polish_between_restarts() -> None:
    """A polished incumbent is polished again when it has gained more than its noise."""
    a = alarmed(1e-3)
    starts = starts_at(a)
    start = starts.next()
    assert start.polish
    assert np.array_equal(start.u, a.incumbent)
    starts.learn(start, End(a.incumbent, 10.02, 0.0, True), gained=False)
    assert not starts.next().polish
    # three times the noise is 0.03 there, 0.006 near 0
    for value, polish in ((9.98, False), (9.95, True), (1e-4, True)):
        a.record(np.full((1, 4), 0.6), Rows(np.array([[value]]), np.zeros(1)))
        assert starts.next().polish == polish


@pytest.mark.parametrize(
    "end",
    [
        End(np.full(4, 0.9), 11.0, 0.0, True),
        End(np.full(4, 0.5), 9.0, 0.0, True),  # the models know of better points
        End(np.full(4, 0.5), 10.0, 0.5, True),
        End(np.full(4, 0.5), 10.0, 0.0, False),
    ],
    ids=["worse", "better", "outside", "cut off"],
)
def test_a_polish_that_misses_the_incumbent_is_tried_twice_more(end: End) -> None:
    starts = starts_at(alarmed(1e-3))
    polishes: list[Next] = []
    while (start := starts.next()).polish:
        polishes.append(start)
        starts.learn(start, end, gained=False)
    assert len(polishes) == 3


def test_restarts_find_the_deepest_of_several_noisy_minima() -> None:
    """Nine wells of equal width, one of them deeper: 600 evaluations in two dimensions."""
    wells = np.array([[x, y] for x in (-3.0, 0.0, 3.0) for y in (-3.0, 0.0, 3.0)])
    depth = np.append(np.full(8, 0.5), 1.0)

    def true(X: FloatArray) -> Any:
        far = ((X[:, None] - wells) ** 2).sum(-1)
        return 2.0 - (depth * np.exp(-far / 1.5)).sum(1)

    def noisy(X: FloatArray) -> tuple[Any, Any, Any]:
        return true(X) * (1 + 1e-3 * random(X)), none(X), none(X)

    for seed in (1, 2, 3):
        run = drive(Case(noisy, 2), 600, seed)
        best = run.points[run.answers.f.argmin()]
        assert np.abs(best - 3.0).max() < 0.3

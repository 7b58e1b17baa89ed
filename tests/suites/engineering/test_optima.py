"""Every problem against its published optimum, and proofs that the stored designs are optimal.

Where the optimum has a closed form, can be enumerated or is convex, the test proves it. Else it
shows that the stored design is feasible, has the published value, satisfies the first-order
conditions, and is not improved by SciPy's SLSQP nor by changes of discrete variables.
"""

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from de2ls.suites.engineering import DESIGNS, dispatch, portfolio

# The published optimum as printed. Ours is at most one unit of the last digit above it (some
# authors cut instead of rounding), and at most so much or 1e-6 of it below: printed values are
# results of searches that may have ended short of the optimum (car side impact: by 5e-7 of it).
PUBLISHED = {
    "welded-beam": "1.724852",
    "cantilever-beam": "1.33996",
    "tubular-column": "26.4995",
    "i-beam": "0.0130741",
    "corrugated-bulkhead": "6.8429580",
    "pressure-vessel": "5885.3328",
    "pressure-vessel-discrete": "6059.7143",
    "tension-spring": "0.012665",
    "speed-reducer": "2994.471",
    "gear-train": "2.700857e-12",
    "rolling-element-bearing": "-81859.74",
    "car-side-impact": "22.84298",
    "three-bar-truss": "263.895843",
    "ten-bar-truss": "5060.85",
    "ten-bar-truss-discrete": "5490.74",
    "twenty-five-bar-truss": "545.16",
    "twenty-five-bar-sections": "484.85",
    "dispatch-valve-points": "121412.5355",
    "dispatch-ramp-limits": "15449.8995",
}

# Designs as printed in the papers (or their followers), with the summed violation of their digits.
PRINTED = {
    "welded-beam": ([0.205730, 3.470489, 9.036624, 0.205729], 0.3),  # psi and lb
    "pressure-vessel-discrete": ([0.8125, 0.4375, 42.0984456, 176.6365958], 0.1),  # cubic in
    "tension-spring": ([0.0516890614, 0.3567177469, 11.2889653382], 1e-8),
    "speed-reducer": ([3.5, 0.7, 17, 7.3, 7.715319911478, 3.350214666096, 5.28665446498], 1e-8),
    "three-bar-truss": ([0.788675, 0.408248], 1e-5),
    "corrugated-bulkhead": ([57.6923077, 34.1476202, 57.6923077, 1.05], 1e-3),
    "tubular-column": ([5.451163, 0.291965], 1e-5),
    "rolling-element-bearing": (
        [125.7191, 21.42559, 11, 0.515, 0.515, 0.424266, 0.633948, 0.3, 0.068858, 0.799498],
        1e-4,
    ),
    "ten-bar-truss": ([30.52, 0.1, 23.2, 15.22, 0.1, 0.551, 7.457, 21.04, 21.53, 0.1], 1e-3),
    "twenty-five-bar-truss": ([0.01, 1.987, 2.994, 0.01, 0.01, 0.684, 1.677, 2.662], 1e-3),
    "dispatch-ramp-limits": (
        [447.4970, 173.3221, 263.4745, 139.0594, 165.4761, 87.1280],
        2e-3,  # MW short: the published digits do not quite meet the demand
    ),
}

CONTINUOUS = [n for n in DESIGNS if "discrete" not in DESIGNS[n].groups]
SMOOTH = [n for n in CONTINUOUS if n not in ("dispatch-valve-points", "portfolio")]


def unit(printed: str) -> float:
    """Return the value of the last printed digit."""
    mantissa, _, exponent = printed.partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


class Free:
    """A problem in its continuous coordinates, scaled to the unit box, at the stored design."""

    step = 1e-6

    def __init__(self, name, design=None):
        self.problem = p = DESIGNS[name].problem()
        self.start = p.round(p.encode(DESIGNS[name].best if design is None else design))
        self.at = np.flatnonzero(~p.discrete)
        self.width = (p.upper - p.lower)[self.at]
        self.u = (self.start[self.at] - p.lower[self.at]) / self.width

    def values(self, u):
        x = self.start.copy()
        x[self.at] = self.problem.lower[self.at] + np.clip(u, 0.0, 1.0) * self.width
        f, g, h = self.problem.evaluate(x)
        return np.concatenate([[f], g, h])

    def slopes(self, u):
        columns = []
        for j in range(u.size):
            less, more = u.copy(), u.copy()
            less[j], more[j] = max(u[j] - self.step, 0.0), min(u[j] + self.step, 1.0)
            columns.append((self.values(more) - self.values(less)) / (more[j] - less[j]))
        return np.array(columns).T

    def polished(self, u):
        """Return the best feasible value that SLSQP finds from `u`."""
        p, cut = self.problem, 1 + self.problem.n_ineq
        size = np.maximum(np.linalg.norm(self.slopes(u), axis=1), 1e-9)
        best = math.inf

        def scaled(u):
            nonlocal best
            values = self.values(u)
            if p.is_feasible(values[1:cut], values[cut:]):
                best = min(best, values[0])
            return values / size

        def slope(u):
            return self.slopes(u) / size[:, np.newaxis]

        constraints = []
        if p.n_ineq:
            constraints.append(
                {
                    "type": "ineq",
                    "fun": lambda u: -scaled(u)[1:cut],
                    "jac": lambda u: -slope(u)[1:cut],
                }
            )
        if p.n_eq:
            constraints.append(
                {"type": "eq", "fun": lambda u: scaled(u)[cut:], "jac": lambda u: slope(u)[cut:]}
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SLSQP warns where it clips to the box
            minimize(
                lambda u: scaled(u)[0],
                u,
                jac=lambda u: slope(u)[0],
                method="SLSQP",
                bounds=[(0.0, 1.0)] * u.size,
                constraints=constraints,
                options={"maxiter": 100, "ftol": 1e-15},
            )
        return best


@pytest.mark.parametrize("name", DESIGNS)
def test_the_stored_design_is_feasible_and_has_the_best_known_value(name):
    design, p = DESIGNS[name], DESIGNS[name].problem()
    x = p.encode(design.best)
    assert p.decode(x).tolist() == [float(v) for v in design.best]
    f, g, h = p.evaluate(x)
    assert p.violation(g, h) <= 1e-8
    assert np.abs(h).max(initial=0.0) <= 1e-9  # the value does not live on the tolerance
    assert f == p.best_known


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_best_known_value_is_the_published_one(name):
    printed = PUBLISHED[name]
    best_known = DESIGNS[name].problem().best_known
    value, last = float(printed), 1.01 * unit(printed)
    assert value - max(last, 1e-6 * abs(value)) <= best_known <= value + last


@pytest.mark.parametrize("name", PRINTED)
def test_the_printed_design_is_nearly_feasible_and_nearly_as_good(name):
    x, tol = PRINTED[name]
    p = DESIGNS[name].problem()
    f, g, h = DESIGNS[name].fun(np.array(x, dtype=float))
    assert np.maximum(g, 0.0).sum() + np.abs(h).sum() <= tol
    assert f == pytest.approx(p.best_known, rel=5e-5)


@pytest.mark.parametrize("name", SMOOTH)
def test_first_order_conditions(name):
    """The objective's slope is a combination of the active constraints' and limits' slopes."""
    free = Free(name)
    values, slopes = free.values(free.u), free.slopes(free.u)
    cut = 1 + free.problem.n_ineq
    size = np.maximum(np.linalg.norm(slopes, axis=1), 1e-12)
    scaled = slopes / size[:, np.newaxis]
    active = np.flatnonzero(values[1:cut] >= -1e-7 * size[1:cut]) + 1
    sides = [scaled[active], scaled[cut:], -scaled[cut:]]
    sides += [-np.eye(free.u.size)[free.u <= 1e-9], np.eye(free.u.size)[free.u >= 1 - 1e-9]]
    _, residual = nnls(np.vstack(sides).T, -scaled[0])
    assert residual <= 1e-5


@pytest.mark.parametrize("name", SMOOTH)
def test_slsqp_finds_nothing_better_nearby(name):
    free, rng = Free(name), np.random.default_rng(1)
    best_known = free.problem.best_known
    for width in (0.0, 0.01, 0.03):
        start = np.clip(free.u + width * rng.normal(size=free.u.size), 0.0, 1.0)
        assert free.polished(start) >= best_known - 1e-8 * abs(best_known)


def neighbours(name, values):
    """Return the design with each combination of some discrete variables' `values`."""
    places = list(values)
    for combination in itertools.product(*values.values()):
        design = list(DESIGNS[name].best)
        for j, value in zip(places, combination, strict=True):
            design[j] = value
        yield design


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("speed-reducer", {2: [17, 18, 19]}),
        ("rolling-element-bearing", {2: [9, 10, 11, 12, 13]}),
        ("car-side-impact", {7: [0.192, 0.345], 8: [0.192, 0.345]}),
    ],
)
def test_other_values_of_the_discrete_variables_are_no_better(name, values):
    best_known = DESIGNS[name].problem().best_known
    for design in neighbours(name, values):
        free = Free(name, design)
        assert free.polished(free.u) >= best_known - 1e-8 * abs(best_known)


def test_pressure_vessel_by_enumeration_of_the_plates():
    """For given plates the cost grows with length and radius: the best vessel follows directly."""
    best = math.inf
    for shell in 0.0625 * np.arange(1, 100):
        for head in 0.0625 * np.arange(1, 100):
            limit = min(shell / 0.0193, head / 0.00954, 200.0)
            radius = np.linspace(10.0, limit, 200) if limit > 10.0 else np.empty(0)
            length = (1296000.0 - 4.0 / 3.0 * math.pi * radius**3) / (math.pi * radius**2)
            length = np.maximum(length, 10.0)
            cost = 0.6224 * shell * radius * length + 1.7781 * head * radius**2
            cost += 3.1661 * shell**2 * length + 19.84 * shell**2 * radius
            best = min(best, cost[length <= 200.0].min(initial=math.inf))
    # the best radius is the largest one for these plates, the end of the grid
    assert best == pytest.approx(DESIGNS["pressure-vessel-discrete"].problem().best_known, rel=1e-9)


def test_gear_train_by_enumeration():
    teeth = np.arange(12, 61)
    products = np.unique(np.multiply.outer(teeth, teeth))
    errors = (1.0 / 6.931 - np.divide.outer(products, products)) ** 2
    assert errors.min() == DESIGNS["gear-train"].problem().best_known


def test_cantilever_beam_in_closed_form():
    # minimise sum x subject to sum c / x^3 = 1: x is proportional to c^(1/4)
    roots = np.array([61.0, 37.0, 19.0, 7.0, 1.0]) ** 0.25
    x = roots * roots.sum() ** (1.0 / 3.0)
    design = DESIGNS["cantilever-beam"]
    assert design.best == pytest.approx(x, rel=1e-6)
    assert design.problem().best_known == pytest.approx(0.0624 * x.sum(), rel=1e-10)


def test_three_bar_truss_in_closed_form():
    x = [(3.0 + math.sqrt(3.0)) / 6.0, 1.0 / math.sqrt(6.0)]
    design = DESIGNS["three-bar-truss"]
    assert design.best == pytest.approx(x, rel=1e-7)
    value = 100.0 * (2.0 * math.sqrt(2.0) * x[0] + x[1])
    assert design.problem().best_known == pytest.approx(value, rel=1e-11)


def test_tubular_column_in_closed_form():
    # both limits active: d t = a and d^2 + t^2 = b
    a = 2500.0 / (500.0 * math.pi)
    b = 8.0 * 2500.0 * 250.0**2 / (math.pi**3 * 0.85e6 * a)
    d = (math.sqrt(b + 2.0 * a) + math.sqrt(b - 2.0 * a)) / 2.0
    assert DESIGNS["tubular-column"].problem().best_known == pytest.approx(9.8 * a + 2.0 * d)


def test_i_beam_in_closed_form():
    # widest, highest, thinnest web; the section's limit gives the flange
    flange = (300.0 - 0.9 * 80.0) / (2.0 * 50.0 - 2.0 * 0.9)
    assert DESIGNS["i-beam"].best == pytest.approx([50.0, 80.0, 0.9, flange], rel=1e-9)


@pytest.mark.parametrize("name", ["ten-bar-truss-discrete", "twenty-five-bar-sections"])
def test_no_lighter_feasible_truss_with_up_to_two_groups_changed(name):
    design, p = DESIGNS[name], DESIGNS[name].problem()
    x = p.encode(design.best)
    sizes = np.array(design.bounds[0].values)
    lighter = 0
    for pair in itertools.combinations(range(p.dim), 2):
        for steps in itertools.product(range(-4, 5), repeat=2):
            y = x.copy()
            y[list(pair)] += steps
            if (y < 0).any() or (y > sizes.size - 1).any():
                continue
            f, g, h = p.evaluate(y)
            if f < p.best_known - 1e-9:
                lighter += 1
                assert not p.is_feasible(g, h)
    assert lighter > 500


def test_valve_points_no_exchange_between_two_units_pays():
    """Power moved from one unit to another, by any amount, does not lower the cost."""
    design = DESIGNS["dispatch-valve-points"]
    x = np.array(design.best)
    low, high, a, b, c, e, f = dispatch.VALVE_UNITS.T

    def cost(j, output):
        return (
            a[j] + output * (b[j] + output * c[j]) + np.abs(e[j] * np.sin(f[j] * (low[j] - output)))
        )

    assert sum(cost(j, x[j]) for j in range(40)) == pytest.approx(design.problem().best_known)
    for i, j in itertools.permutations(range(40), 2):
        room = min(high[i] - x[i], x[j] - low[j])
        kinks = np.pi / f[[i, j]]
        moves = np.concatenate([np.linspace(0.0, room, 400), kinks, 2 * kinks, 3 * kinks])
        moves = moves[moves <= room]
        change = cost(i, x[i] + moves) - cost(i, x[i]) + cost(j, x[j] - moves) - cost(j, x[j])
        assert change.min() >= -1e-6


def test_ramp_limits_are_a_convex_problem_whose_optimum_lies_outside_all_zones():
    """Then the first-order conditions, tested above, make it the global optimum.

    Cost and losses are convex and the cost grows with each output, so that "at least the demand and
    the losses" has the same optimum and is a convex set.
    """
    design = DESIGNS["dispatch-ramp-limits"]
    x = np.array(design.best)
    low, high = np.array(design.bounds).T
    assert np.linalg.eigvalsh(dispatch.LOSS).min() > 0.0
    assert (1.0 - 2.0 * dispatch.LOSS @ x - dispatch.LOSS_LINEAR > 0.0).all()
    assert ((low < x) & (x < high)).all()
    _, g, _ = design.fun(x)
    assert (np.array(g) < -1.0).all()


def test_the_published_loss():
    x = np.array(PRINTED["dispatch-ramp-limits"][0])
    loss = x @ dispatch.LOSS @ x + dispatch.LOSS_LINEAR @ x + dispatch.LOSS_CONSTANT
    assert loss == pytest.approx(12.9584, abs=1e-4)


def test_portfolio_by_enumeration_of_all_sets_of_assets():
    C, r = portfolio.COVARIANCES, portfolio.RETURNS
    best, best_set = math.inf, ()
    for size in (3, 4):  # two assets hold at most 80 %
        for held in itertools.combinations(range(portfolio.ASSETS), size):
            value = least_variance(C[np.ix_(held, held)], r[list(held)])
            if value < best:
                best, best_set = value, held
    design = DESIGNS["portfolio"]
    assert best == pytest.approx(design.problem().best_known, rel=1e-8)
    assert tuple(np.flatnonzero(design.best[: portfolio.ASSETS])) == best_set


def least_variance(C, r):
    """Return the least variance with these assets, from the active set, which is enumerated.

    Each share is at its lower limit, its upper limit or free; the wanted return is met exactly or
    exceeded. The equations of each case are linear; the best feasible solution is the optimum.
    """
    n, best = r.size, math.inf
    for state in itertools.product((portfolio.SMALLEST, None, portfolio.LARGEST), repeat=n):
        free = [j for j in range(n) if state[j] is None]
        w = np.array([0.0 if s is None else s for s in state])
        for rows in ([np.ones(n)], [np.ones(n), r]):
            A = np.array(rows)
            rest = np.array([1.0, portfolio.WANTED])[: len(rows)] - A @ w
            if len(free) < len(rows):
                continue
            F, k = A[:, free], len(free)
            system = np.block([[2 * C[np.ix_(free, free)], F.T], [F, np.zeros((len(rows),) * 2)]])
            right = np.concatenate([-2 * C[free] @ w, rest])
            share = w.copy()
            share[free] = np.linalg.solve(system, right)[:k]
            inside = (share >= portfolio.SMALLEST - 1e-12) & (share <= portfolio.LARGEST + 1e-12)
            if inside.all() and r @ share >= portfolio.WANTED - 1e-9:
                best = min(best, float(share @ C @ share))
    return best

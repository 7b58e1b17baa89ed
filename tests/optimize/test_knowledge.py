"""What a result says of its solution: active limits, multipliers, other optima, trust."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint

import de2ls
from de2ls.optimize.knowledge import _leads_on


def square(x):
    return float(x @ x)


SUM = LinearConstraint([[1, 1]], lb=1)

AGREEING = {  # function, box, what must not be negative
    "two ends": (lambda x: -float(x[0] ** 2), [(-2, 2)] * 2, lambda x: 1 - x @ x),
    "a kink": (
        lambda x: abs(x[0] - 3) + abs(x[1] - 2), [(-5, 5)] * 2, lambda x: 3 - x[0] - x[1]
    ),
}  # fmt: skip


@de2ls.algorithm("knows-the-answer")
def knows_the_answer(space, rng, budget, config):
    """Ends at once at the optimum of `square` under `SUM`."""
    yield np.full((8, 2), 0.5)


class TestMultipliers:
    def test_of_a_quadratic(self):
        """min x'x with x + y >= b has the optimum b^2 / 2, whose slope at b = 1 is 1."""
        res = de2ls.minimize(square, [(-2, 2)] * 2, constraints=SUM, seed=1)
        assert res.active.constraints[0].tolist() == [True]
        np.testing.assert_allclose(res.multipliers.constraints[0], [1.0], rtol=1e-4)
        assert not res.active.lower.any()
        assert not res.active.upper.any()
        assert res.multipliers.note == "from the local model of the search"

    def test_signs_of_limits_and_equalities(self):
        """x + 2 y = 3 and x <= 0.5: f = x^2 + (3 - x)^2 / 4 falls by 0.25 per unit of x there.

        Moving the 3 up raises y^2 by y = 1.25 per unit, so the equality has -1.25.
        """
        res = de2ls.minimize(
            square,
            [(-2, 2)] * 2,
            constraints=[
                {"type": "eq", "fun": lambda x: x[0] + 2 * x[1] - 3},
                NonlinearConstraint(lambda x: x, [-9, -9], [0.5, 9]),
            ],
            seed=1,
        )
        assert [part.tolist() for part in res.active.constraints] == [[True], [True, False]]
        np.testing.assert_allclose(res.multipliers.constraints[0], [-1.25], rtol=1e-4)
        np.testing.assert_allclose(res.multipliers.constraints[1], [0.25, 0.0], atol=1e-4)

    def test_of_bounds(self):
        """(x - 3)^2 at the upper limit 2 falls by 2 per unit; a fixed coordinate is unknown."""
        res = de2ls.minimize(
            lambda x: (x[0] - 3) ** 2 + x[1] ** 2, [(-2, 2), (-1, 1), (5, 5)], seed=1
        )
        assert res.active.upper.tolist() == [True, False, True]
        assert res.active.lower.tolist() == [False, False, True]
        np.testing.assert_allclose(res.multipliers.upper, [2.0, 0.0, np.nan], rtol=1e-3)
        np.testing.assert_allclose(res.multipliers.lower, [0.0, 0.0, np.nan], atol=1e-6)

    def test_of_g6_foretell_the_optimum_of_a_relaxed_problem(self):
        """The two inequalities of G6 as its own (f, g, h), then both relaxed a little."""

        def g6(x, r1=0.0, r2=0.0):
            f = (x[0] - 10) ** 3 + (x[1] - 20) ** 3
            g = [100 - (x[0] - 5) ** 2 - (x[1] - 5) ** 2, (x[0] - 6) ** 2 + (x[1] - 5) ** 2 - 82.81]
            return f, [g[0] - r1, g[1] - r2], []

        def solve(*relaxed):
            return de2ls.minimize(g6, [(13, 100), (0, 100)], relaxed, n_ineq=2, seed=1)

        here = solve()
        first, second = here.multipliers.constraints[0]
        assert here.active.constraints[0].all()
        step = 1e-4
        assert here.fun - solve(step, 0.0).fun == pytest.approx(first * step, rel=0.01)
        assert here.fun - solve(0.0, step).fun == pytest.approx(second * step, rel=0.01)

    def test_other_algorithms_spend_what_is_left_of_the_budget(self):
        calls = []

        def run(max_evals):
            calls.clear()
            return de2ls.minimize(
                lambda x: calls.append(1) or square(x),
                [(-2, 2)] * 2,
                constraints=SUM,
                algorithm=knows_the_answer,
                max_evals=max_evals,
                seed=1,
            )

        res = run(12)
        assert res.multipliers.note == "from 4 evaluations beside the best point"
        assert res.nfev == len(calls) == 12
        np.testing.assert_allclose(res.multipliers.constraints[0], [1.0], rtol=1e-4)
        res = run(11)
        assert res.nfev == len(calls) == 8
        assert np.isnan(res.multipliers.constraints[0]).all()
        assert "3 are left" in res.multipliers.note
        assert res.trust == 0

    def test_chorus_keeps_evaluations_for_them(self):
        """Without its local searches there is no model; the guess is the optimum."""
        others = {"local": False, "structure": False, "lines": False}
        res = de2ls.minimize(
            square, [(-2, 2)] * 2, constraints=SUM, x0=[0.5, 0.5], max_evals=300, config=others,
            seed=1,
        )  # fmt: skip
        assert (res.nfev, res.message) == (300, "The budget of evaluations is used up.")
        assert res.multipliers.note == "from 4 evaluations beside the best point"
        np.testing.assert_allclose(res.multipliers.constraints[0], [1.0], rtol=1e-3)

    def test_noise_makes_them_unknown(self):
        rng = np.random.default_rng(1)
        res = de2ls.minimize(
            lambda x: square(x) + 1e-3 * rng.standard_normal(),
            [(-2, 2)] * 2,
            constraints=SUM,
            max_evals=600,
            seed=1,
        )
        assert np.isnan(res.multipliers.constraints[0]).all()
        assert "nois" in res.multipliers.note

    def test_discrete_coordinates_have_none(self):
        res = de2ls.minimize(square, [(-2, 2)] * 2, constraints=SUM, integrality=True, seed=1)
        assert np.isnan(res.multipliers.constraints[0]).all()
        assert "discrete" in res.multipliers.note
        assert res.alternatives == []

    def test_mixed_ones_hold_their_discrete_coordinates(self):
        """x = 1 or 0 with y = 0 or 1: the continuous y pays 2 y per unit."""
        res = de2ls.minimize(
            square, [(-2, 2)] * 2, constraints=SUM, integrality=[True, False], seed=1
        )
        np.testing.assert_allclose(res.multipliers.constraints[0], [2 * res.x[1]], atol=1e-4)
        assert np.isnan(res.multipliers.lower[0])

    def test_dependent_limits_are_not_unique(self):
        res = de2ls.minimize(square, [(-2, 2)] * 2, constraints=[SUM, SUM], seed=1)
        assert np.isnan(np.concatenate(res.multipliers.constraints)).all()
        assert "not unique" in res.multipliers.note

    def test_no_feasible_point(self):
        never = {"type": "ineq", "fun": lambda x: -1.0 - x[0] ** 2}
        res = de2ls.minimize(square, [(-2, 2)] * 2, constraints=never, max_evals=200, seed=1)
        assert res.multipliers.note == "no feasible point was found"
        assert np.isnan(res.multipliers.constraints[0]).all()


class TestOptima:
    def test_two_wells(self):
        """(x^2 - 1)^2 + x / 10 has minima where 4 x^3 - 4 x + 0.1 = 0, near -1 and 1."""
        res = de2ls.minimize(
            lambda x: (x[0] ** 2 - 1) ** 2 + x[0] / 10, [(-2, 2)], x0=[1.5], seed=1
        )
        left, _, right = np.sort(np.roots([4, 0, -4, 0.1]).real)
        assert res.x[0] == pytest.approx(left, abs=1e-4)
        (other,) = res.alternatives
        assert other.x[0] == pytest.approx(right, abs=1e-4)
        assert other.fun == pytest.approx((right**2 - 1) ** 2 + right / 10, abs=1e-8)

    def test_himmelblau_has_four(self):
        res = de2ls.minimize(
            lambda x: (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2,
            [(-5, 5)] * 2,
            max_evals=20_000,
            config={"agree": 40},
            seed=1,
        )
        found = np.array([res.x, *(other.x for other in res.alternatives)])
        known = [[-3.77931, -3.283186], [-2.805118, 3.131313], [3, 2], [3.584428, -1.848127]]
        np.testing.assert_allclose(found[np.argsort(found[:, 0])], known, atol=1e-4)
        assert res.trust >= 4

    def test_ends_in_a_flat_valley_are_one_optimum(self):
        """A sum of fourth powers is known to 1e-8 only to a hundredth in x."""
        res = de2ls.minimize(lambda x: float(((x - 0.123) ** 4).sum()), [(-5, 5)] * 4, seed=1)
        assert res.alternatives == []
        assert res.trust >= 2

    def test_trust_is_in_the_best_value_of_this_moment(self):
        """A narrow well at 3, of depth 10, is told from outside after the searches found 0."""
        opt = de2ls.Optimizer([(-5, 5)] * 2, max_evals=2000, config={"agree": 9}, seed=1)
        while opt.n_evals < 600:
            candidate = opt.ask()
            opt.tell(candidate, square(candidate.x))
        assert opt.result().trust >= 2
        opt.inject([3.0, 3.0], -10.0)
        assert opt.result().fun == -10.0
        assert opt.result().trust == 0

    @pytest.mark.parametrize("name", AGREEING)
    def test_the_message_and_trust_count_the_same_searches(self, name):
        """Of thirty runs; one or two may end for another reason."""
        fun, box, left = AGREEING[name]
        limit = {"type": "ineq", "fun": left}
        results = [de2ls.minimize(fun, box, constraints=limit, seed=seed) for seed in range(30)]
        counted = r"Done: (\d+) independent searches ended at the best value"
        said = [(re.match(counted, res.message), res.trust) for res in results]
        agreed = [(int(match[1]), trust) for match, trust in said if match]
        assert len(agreed) >= 28
        assert all(number == trust for number, trust in agreed)

    def test_an_equal_optimum_is_listed(self):
        """The ellipse's other end, where a search had been given up."""
        fun, box, left = AGREEING["two ends"]
        res = de2ls.minimize(fun, box, constraints={"type": "ineq", "fun": left}, seed=0)
        (other,) = res.alternatives
        np.testing.assert_allclose(other.x, [-res.x[0], 0.0], atol=1e-3)

    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize(("unit", "tol"), [(1.0, 1e-2), (1.0, 0.3), (1e-6, None)])
    def test_a_wide_tolerance_is_used_and_searches_agree(self, unit, tol, seed):
        """(x - 3)^2 + (y - 2)^2 with x + y <= 3 + t, at (2, 1) + t / 2: 2 (1 - t / 2)^2."""
        res = de2ls.minimize(
            lambda x: (x[0] - 3) ** 2 + (x[1] - 2) ** 2,
            [(-5, 5)] * 2,
            constraints={"type": "ineq", "fun": lambda x: unit * (3 - x[0] - x[1])},
            constraint_tol=tol,
            seed=seed,
        )
        wide = (tol or 1e-8) / unit
        assert (res.status, res.trust) == (9, 5)
        assert "5 independent searches ended at the best value" in res.message
        np.testing.assert_allclose(res.fun, 2 * (1 - wide / 2) ** 2, rtol=1e-7)

    @pytest.mark.parametrize(("value", "leads"), [(0.5, True), (1.5, False)])
    def test_a_slope_leads_on_to_the_same_discrete_values_only(self, value, leads):
        """A slope of 2 over a quarter of the box explains a gain of 0.5, on the same face."""
        problem = SimpleNamespace(
            lower=np.zeros(2), upper=np.array([4.0, 8.0]), discrete=np.array([False, True])
        )
        best = SimpleNamespace(x=np.array([1.0, 0.5]), f=0.0)
        driver = SimpleNamespace(problem=problem, incumbent=best)
        limits = SimpleNamespace(unit=1.0, left=lambda slopes: 2.0)
        optimum = {"x": np.array([2.0, value]), "f": 0.4}
        assert _leads_on(driver, optimum, limits, None) == leads

    def test_one_optimum_has_no_alternatives(self):
        plane = LinearConstraint([1, 1, 1], 1, 1)
        res = de2ls.minimize(square, [(-2, 2)] * 3, constraints=plane, seed=1)
        assert res.alternatives == []
        assert res.trust >= 1

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_noise_makes_no_optima(self, seed):
        """The ends of a noisy bowl are scattered, and all belong to one optimum."""
        noise = np.random.default_rng(seed)

        def bowl(x):
            return square(x - 0.3) + 1e-3 * noise.standard_normal()

        res = de2ls.minimize(bowl, [(-2, 2)] * 4, seed=seed, max_evals=2000)
        assert res.alternatives == []
        assert res.trust >= 1

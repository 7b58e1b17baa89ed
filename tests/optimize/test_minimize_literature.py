"""Constrained problems of the literature, solved to their known optima.

L1 to L9 are the problems G1, G9, G7, G10, G8, G6, G4, G5, G11 of the test collection by Michalewicz
and Schoenauer, under the names and with the tolerances that SciPy's tests of its differential
evolution use; those tests rely on polishing, and so do L2 to L4 here.

An inequality may exceed its limit by the default tolerance of 1e-8, and the optima here lie on
limits: the points found use that tolerance up.
"""

from math import sin

import numba
import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, rosen
from scipy.sparse import csr_array

import de2ls

INF = np.inf
EXCESS = 1e-8 + 1e-13  # the default tolerance of inequalities, and rounding of values up to 100


def check(res, fun, bounds, x_opt, f_opt, *, x_tol, f_tol, x_rtol=0.0):
    assert res.success
    assert res.feasible
    assert res.constr_violation == res.maxcv
    assert fun(np.asarray(x_opt)) == pytest.approx(f_opt, abs=max(f_tol, 1e-7 * abs(f_opt)))
    assert res.fun == pytest.approx(f_opt, abs=f_tol)
    np.testing.assert_allclose(res.x, x_opt, atol=x_tol, rtol=x_rtol)
    low, high = np.transpose(bounds)
    assert (res.x >= low).all()
    assert (res.x <= high).all()


class TestL1:
    """G1: a quadratic with nine linear inequalities, stated in three ways."""

    A = np.zeros((9, 13))
    A[0, [0, 1, 9, 10]] = A[1, [0, 2, 9, 11]] = A[2, [1, 2, 10, 11]] = 2, 2, 1, 1
    for row, j in enumerate(range(3)):
        A[3 + row, [j, 9 + j]] = -8, 1
        A[6 + row, [3 + 2 * j, 4 + 2 * j, 9 + j]] = -2, -1, 1
    b = np.array([10.0, 10, 10, 0, 0, 0, 0, 0, 0])
    bounds = [(0, 1)] * 9 + [(0, 100)] * 3 + [(0, 1)]
    x_opt = [1.0] * 9 + [3.0] * 3 + [1.0]

    @staticmethod
    def fun(x):
        return 5 * np.sum(x[:4]) - 5 * x[:4] @ x[:4] - np.sum(x[4:])

    def constraints(self, how):
        A, b = self.A, self.b
        if how == "dense":
            return LinearConstraint(A, -INF, b)
        if how == "sparse":
            return LinearConstraint(csr_array(A), -INF, b)
        return [
            LinearConstraint(A[:5], -INF, b[:5]),
            LinearConstraint(A[5:6], -INF, b[5:6]),
            NonlinearConstraint(lambda x: A[6:8] @ x, -INF, b[6:8]),
            {"type": "ineq", "fun": lambda x: b[8:] - A[8:] @ x},
        ]

    @pytest.mark.parametrize("how", ["dense", "sparse", "mixed"])
    def test_solved(self, how):
        res = de2ls.minimize(
            self.fun, self.bounds, constraints=self.constraints(how), max_evals=30_000, seed=1
        )
        check(res, self.fun, self.bounds, self.x_opt, -15, x_tol=6e-4, f_tol=5e-3)
        assert (self.A @ res.x <= self.b + EXCESS).all()


def test_l2():
    """G9."""

    def fun(x):
        x1, x2, x3, x4, x5, x6, x7 = x
        return (
            (x1 - 10) ** 2 + 5 * (x2 - 12) ** 2 + x3**4 + 3 * (x4 - 11) ** 2
            + 10 * x5**6 + 7 * x6**2 + x7**4 - 4 * x6 * x7 - 10 * x6 - 8 * x7
        )  # fmt: skip

    def above_zero(x):
        x1, x2, x3, x4, x5, x6, x7 = x
        return [
            127 - 2 * x1**2 - 3 * x2**4 - x3 - 4 * x4**2 - 5 * x5,
            282 - 7 * x1 - 3 * x2 - 10 * x3**2 - x4 + x5,
            196 - 23 * x1 - x2**2 - 6 * x6**2 + 8 * x7,
            -4 * x1**2 - x2**2 + 3 * x1 * x2 - 2 * x3**2 - 5 * x6 + 11 * x7,
        ]

    bounds = [(-10, 10)] * 7
    limits = NonlinearConstraint(above_zero, 0, INF)
    x_opt = [
        2.33049949323300210, 1.95137239646596039, -0.47754041766198602, 4.36572612852776931,
        -0.62448707583702823, 1.03813092302119347, 1.59422663221959926,
    ]  # fmt: skip
    res = de2ls.minimize(
        fun, bounds, constraints=limits, max_evals=30_000, seed=1, polish=True, algorithm="de2ls"
    )
    check(res, fun, bounds, x_opt, 680.630057374402, x_tol=1e-5, f_tol=6.8e-5)
    assert min(above_zero(res.x)) >= -EXCESS


def test_l3():
    """G7: three linear and five nonlinear inequalities."""

    def fun(x):
        x1, x2, x3, x4, x5, x6, x7, x8, x9, x10 = x
        return (
            x1**2 + x2**2 + x1 * x2 - 14 * x1 - 16 * x2 + (x3 - 10) ** 2 + 4 * (x4 - 5) ** 2
            + (x5 - 3) ** 2 + 2 * (x6 - 1) ** 2 + 5 * x7**2 + 7 * (x8 - 11) ** 2
            + 2 * (x9 - 10) ** 2 + (x10 - 7) ** 2 + 45
        )  # fmt: skip

    A = np.zeros((3, 10))
    A[0, [0, 1, 6, 7]] = 4, 5, -3, 9
    A[1, [0, 1, 6, 7]] = 10, -8, -17, 2
    A[2, [0, 1, 8, 9]] = -8, 2, 5, -2

    def below_zero(x):
        x1, x2, x3, x4, x5, x6, _, _, x9, x10 = x
        return [
            3 * (x1 - 2) ** 2 + 4 * (x2 - 3) ** 2 + 2 * x3**2 - 7 * x4 - 120,
            5 * x1**2 + 8 * x2 + (x3 - 6) ** 2 - 2 * x4 - 40,
            x1**2 + 2 * (x2 - 2) ** 2 - 2 * x1 * x2 + 14 * x5 - 6 * x6,
            0.5 * (x1 - 8) ** 2 + 2 * (x2 - 4) ** 2 + 3 * x5**2 - x6 - 30,
            -3 * x1 + 6 * x2 + 12 * (x9 - 8) ** 2 - 7 * x10,
        ]

    bounds = [(-10, 10)] * 10
    x_opt = [
        2.17199634142692, 2.3636830416034, 8.77392573913157, 5.09598443745173, 0.990654756560493,
        1.43057392853463, 1.32164415364306, 9.82872576524495, 8.2800915887356, 8.3759266477347,
    ]  # fmt: skip
    constraints = [
        LinearConstraint(A, -INF, [105, 0, 12]),
        NonlinearConstraint(below_zero, -INF, 0),
    ]
    res = de2ls.minimize(
        fun,
        bounds,
        constraints=constraints,
        max_evals=30_000,
        seed=1,
        polish=True,
        algorithm="de2ls",
    )
    check(res, fun, bounds, x_opt, 24.30620906818, x_tol=1e-6, f_tol=1e-5)
    assert (A @ res.x <= np.array([105, 0, 12]) + EXCESS).all()
    assert max(below_zero(res.x)) <= EXCESS


def test_l4():
    """G10: three linear inequalities of size 1, three bilinear ones of size 1e6."""

    def fun(x):
        return x[0] + x[1] + x[2]

    A = np.zeros((3, 8))
    A[0, [3, 5]] = 0.0025
    A[1, [3, 4, 6]] = -0.0025, 0.0025, 0.0025
    A[2, [4, 7]] = -0.01, 0.01

    def above_zero(x):
        x1, x2, x3, x4, x5, x6, x7, x8 = x
        return [
            x1 * x6 - 833.33252 * x4 - 100 * x1 + 83333.333,
            x2 * x7 - 1250 * x5 - x2 * x4 + 1250 * x4,
            x3 * x8 - 1250000 - x3 * x5 + 2500 * x5,
        ]

    bounds = [(100, 10000)] + [(1000, 10000)] * 2 + [(10, 1000)] * 5
    x_opt = [
        579.306685017979589, 1359.97067807935605, 5109.97065743133317, 182.01769963061534,
        295.601173702746792, 217.982300369384632, 286.41652592786852, 395.601173702746735,
    ]  # fmt: skip
    constraints = [LinearConstraint(A, -INF, 1), NonlinearConstraint(above_zero, 0, INF)]
    res = de2ls.minimize(
        fun,
        bounds,
        constraints=constraints,
        max_evals=40_000,
        seed=1,
        polish=True,
        algorithm="de2ls",
    )
    check(res, fun, bounds, x_opt, 7049.24802052867, x_tol=3.5e-3, x_rtol=2.4e-6, f_tol=1e-3)
    assert (A @ res.x <= 1 + EXCESS).all()
    assert min(above_zero(res.x)) >= -EXCESS


def test_l5():
    """G8; the box is open at 0, where the objective has no value."""

    def fun(x):
        with np.errstate(divide="ignore", invalid="ignore"):
            waves = np.sin(2 * np.pi * x[0]) ** 3 * np.sin(2 * np.pi * x[1])
            return -waves / (x[0] ** 3 * (x[0] + x[1]))

    def below_zero(x):
        return [x[0] ** 2 - x[1] + 1, 1 - x[0] + (x[1] - 4) ** 2]

    bounds = [(0, 10)] * 2
    res = de2ls.minimize(
        fun, bounds, constraints=NonlinearConstraint(below_zero, -INF, 0), max_evals=10_000, seed=1
    )
    x_opt = [1.22797135260752599, 4.24537336612274885]
    check(res, fun, bounds, x_opt, -0.0958250414180359, x_tol=1e-4, f_tol=1e-4)
    assert max(below_zero(res.x)) <= 0


def test_l6():
    """G6."""

    def fun(x):
        return (x[0] - 10) ** 3 + (x[1] - 20) ** 3

    def above_zero(x):
        return [
            (x[0] - 5) ** 2 + (x[1] - 5) ** 2 - 100,
            82.81 - (x[0] - 6) ** 2 - (x[1] - 5) ** 2,
        ]

    bounds = [(13, 100), (0, 100)]
    res = de2ls.minimize(
        fun, bounds, constraints=NonlinearConstraint(above_zero, 0, INF), max_evals=20_000, seed=1
    )
    x_opt = [14.095, 5 - np.sqrt(100 - 9.095**2)]
    check(res, fun, bounds, x_opt, -6961.81387558015, x_tol=1e-4, f_tol=1e-3)
    assert min(above_zero(res.x)) >= -EXCESS


def test_l7():
    """G4: three quantities between two limits each."""

    def fun(x):
        return 5.3578547 * x[2] ** 2 + 0.8356891 * x[0] * x[4] + 37.293239 * x[0] - 40792.141

    def quantities(x):
        x1, x2, x3, x4, x5 = x
        return np.array(
            [
                85.334407 + 0.0056858 * x2 * x5 + 0.0006262 * x1 * x4 - 0.0022053 * x3 * x5,
                80.51249 + 0.0071317 * x2 * x5 + 0.0029955 * x1 * x2 + 0.0021813 * x3**2,
                9.300961 + 0.0047026 * x3 * x5 + 0.0012547 * x1 * x3 + 0.0019085 * x3 * x4,
            ]
        )

    bounds = [(78, 102), (33, 45)] + [(27, 45)] * 3
    low, high = np.array([0, 90, 20]), np.array([92, 110, 25])
    res = de2ls.minimize(
        fun,
        bounds,
        constraints=NonlinearConstraint(quantities, low, high),
        max_evals=50_000,
        seed=1,
    )
    x_opt = [78, 33, 29.9952560256815985, 45, 36.7758129057882073]
    check(res, fun, bounds, x_opt, -30665.53867178332, x_tol=1e-3, f_tol=1e-3)
    assert (quantities(res.x) >= low - EXCESS).all()
    assert (quantities(res.x) <= high + EXCESS).all()


@numba.njit
def l8(x):
    return 3 * x[0] + 1e-6 * x[0] ** 3 + 2 * x[1] + 2e-6 / 3 * x[1] ** 3


@numba.njit
def l8_near_zero(x):
    x1, x2, x3, x4 = x
    return np.array(
        [
            1000 * sin(-x3 - 0.25) + 1000 * sin(-x4 - 0.25) + 894.8 - x1,
            1000 * sin(x3 - 0.25) + 1000 * sin(x3 - x4 - 0.25) + 894.8 - x2,
            1000 * sin(x4 - 0.25) + 1000 * sin(x4 - x3 - 0.25) + 1294.8,
        ]
    )


def test_l8():
    """G5: two linear inequalities and three equalities within 0.001; compiled."""
    A = np.array([[0, 0, -1, 1], [0, 0, 1, -1]])
    bounds = [(0, 1200)] * 2 + [(-0.55, 0.55)] * 2
    res = de2ls.minimize(
        l8,
        bounds,
        constraints=[
            LinearConstraint(A, -0.55, INF),
            NonlinearConstraint(l8_near_zero, np.full(3, -0.001), np.full(3, 0.001)),
        ],
        max_evals=500_000,
        seed=1,
    )
    x_opt = [679.9453, 1026.067, 0.1188764, -0.3962336]
    check(res, l8, bounds, x_opt, 5126.4981, x_tol=2e-3, f_tol=2e-2)
    assert (A @ res.x >= -0.55 - EXCESS).all()
    assert (np.abs(l8_near_zero(res.x)) <= 0.001 + EXCESS).all()


@pytest.mark.parametrize("how", ["two limits", "equality", "dict"])
def test_l9(how):
    """G11: an equality within 0.001, as a band and as an equality with that tolerance."""

    def fun(x):
        return x[0] ** 2 + (x[1] - 1) ** 2

    def near_zero(x):
        return x[1] - x[0] ** 2

    constraint = {
        "two limits": NonlinearConstraint(near_zero, [-0.001], [0.001]),
        "equality": NonlinearConstraint(near_zero, 0, 0),
        "dict": {"type": "eq", "fun": near_zero},
    }[how]
    res = de2ls.minimize(
        fun,
        [(-1, 1)] * 2,
        constraints=constraint,
        # one number would widen the band of the two limits as well
        constraint_tol=(1e-8, 0.001),
        max_evals=20_000,
        seed=1,
    )
    assert res.success
    assert res.fun == pytest.approx(0.75, abs=1.001e-3)
    np.testing.assert_allclose(np.abs(res.x), [np.sqrt(0.5), 0.5], atol=2e-3)
    assert abs(near_zero(res.x)) <= 0.001 + EXCESS


class TestRosenbrockUnderALine:
    """Rosenbrock's function with x + y <= 1.9: the optimum is on the line, near (0.967, 0.933)."""

    bounds = ((0, 2), (0, 2))

    @pytest.mark.parametrize(
        "constraint",
        [
            NonlinearConstraint(lambda x: np.array([x[0] + x[1]]), -INF, 1.9),
            LinearConstraint([[1, 1]], -INF, 1.9),
            {"type": "ineq", "fun": lambda x: 1.9 - x[0] - x[1]},
        ],
    )
    def test_solved(self, constraint):
        res = de2ls.minimize(rosen, self.bounds, constraints=constraint, max_evals=10_000, seed=1)
        assert res.success
        assert res.x.sum() <= 1.9 + EXCESS
        # on the line y = 1.9 - x: minimise 100 (1.9 - x - x^2)^2 + (1 - x)^2, by its derivative
        roots = np.roots([400, 600, -558, -382])
        root = roots[np.isreal(roots) & (roots.real > 0) & (roots.real < 2)].real[0]
        np.testing.assert_allclose(res.x, [root, 1.9 - root], atol=1e-5)

    def test_impossible(self):
        limit = NonlinearConstraint(lambda x: x[0] + x[1], -INF, -1)
        res = de2ls.minimize(rosen, self.bounds, constraints=limit, max_evals=2000, seed=1)
        assert not res.success
        assert not res.feasible
        assert res.maxcv == pytest.approx(1.0, abs=1e-3)  # at the origin
        assert "no feasible point was found" in res.message

    def test_bounds_among_the_constraints(self):
        res = de2ls.minimize(
            rosen, self.bounds, constraints=Bounds(0.0, [0.5, 2]), max_evals=10_000, seed=1
        )
        np.testing.assert_allclose(res.x, [0.5, 0.25], atol=1e-5)


def test_vectorised_constraints():
    def vectorised_rosen(x):
        return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2

    constraints = [
        NonlinearConstraint(lambda x: np.array([x[0] + x[1]]), -INF, 1.9),
        NonlinearConstraint(
            lambda x: np.array([x[0] ** 2 + x[1], x[0] - x[1]]), (0.9, -0.5), (2, 2)
        ),
    ]
    res = de2ls.minimize(
        vectorised_rosen,
        [(0, 10), (0, 10)],
        constraints=constraints,
        vectorized=True,
        max_evals=10_000,
        seed=1,
    )
    np.testing.assert_allclose(res.x, [0.966326, 0.933674], atol=1e-4)


def test_integers_of_a_distribution():
    """Maximum likelihood of a binomial's n (an integer) and p on a fixed sample."""
    from scipy.special import gammaln

    sample = np.array([3, 2, 3, 4, 2, 1, 3, 3, 2, 4, 3, 1, 2, 3, 5, 2, 3, 2, 4, 3])

    def negative_log_likelihood(x):
        n, p = x
        if n < sample.max() or not 0 < p < 1:
            return INF
        log_choose = gammaln(n + 1) - gammaln(sample + 1) - gammaln(n - sample + 1)
        return -np.sum(log_choose + sample * np.log(p) + (n - sample) * np.log1p(-p))

    res = de2ls.minimize(
        negative_log_likelihood, [(1, 18), (0, 0.95)], integrality=[1, 0], max_evals=5000, seed=1
    )
    # for given n the best p is mean / n: try all n
    values = {n: negative_log_likelihood((n, sample.mean() / n)) for n in range(5, 19)}
    best = min(values, key=values.get)
    assert res.x[0] == best
    assert res.x[1] == pytest.approx(sample.mean() / best, abs=1e-5)

"""The numerical parts against libraries and closed forms."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import minimize

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus import ChorusConfig
from de2ls.algorithms.chorus.archive import Archive, Rows
from de2ls.algorithms.chorus.cma import CMA, default_lambda
from de2ls.algorithms.chorus.differences import View
from de2ls.algorithms.chorus.lagrangian import LagrangianCMA
from de2ls.algorithms.chorus.model import Bundle, Cut, updated
from de2ls.algorithms.chorus.pencil import pencil
from de2ls.algorithms.chorus.qp import MANY, ElasticQP
from de2ls.algorithms.chorus.regression import RATIOS, fit
from de2ls.algorithms.chorus.sqp import LocalSearch
from de2ls.algorithms.chorus.step import Step, vertex
from de2ls.algorithms.chorus.symmetric import convex
from de2ls.algorithms.chorus.trend import RADII, _follow, without_tails
from tests.algorithms.chorus.support import Case


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


class TestQP:
    @pytest.mark.parametrize("kappa", [0.3, 3.0, 300.0])
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_the_elastic_problem_against_scipy(self, seed: int, kappa: float) -> None:
        """The same problem with slacks, by SLSQP; both minimise a convex function."""
        draws = np.random.default_rng(seed)
        n, ng, nh = 4, 3, 1
        L = draws.standard_normal((n, n))
        B, g = L @ L.T + 0.1 * np.eye(n), draws.standard_normal(n)
        J, c = draws.standard_normal((ng + nh, n)), 0.5 * draws.standard_normal(ng + nh)
        band = np.full(nh, 0.05)
        lo, hi = -np.ones(n), np.ones(n)
        found = ElasticQP(B, g[None], J, ng, lo, hi).solve(
            np.zeros(1), c, band, np.zeros(ng + nh), kappa
        )
        assert found is not None

        def value(d: np.ndarray) -> float:
            linear = c + J @ d
            over = np.maximum(linear[:ng], 0).sum()
            over += np.maximum(np.abs(linear[ng:]) - band, 0).sum()
            return float(g @ d + 0.5 * d @ B @ d + kappa * over)

        def slack_value(w: np.ndarray) -> float:
            return float(g @ w[:n] + 0.5 * w[:n] @ B @ w[:n] + kappa * w[n:].sum())

        rows = [
            {"type": "ineq", "fun": lambda w: w[n : n + ng] - c[:ng] - J[:ng] @ w[:n]},
            {"type": "ineq", "fun": lambda w: w[n + ng :] + band - c[ng:] - J[ng:] @ w[:n]},
            {"type": "ineq", "fun": lambda w: w[n + ng :] + band + c[ng:] + J[ng:] @ w[:n]},
        ]
        bounds = [(-1, 1)] * n + [(0, None)] * (ng + nh)
        start = np.concatenate([np.zeros(n), np.abs(c)])
        known = minimize(slack_value, start, bounds=bounds, constraints=rows, method="SLSQP")
        assert known.success
        assert value(found.step) == pytest.approx(known.fun, abs=1e-5)
        assert value(found.step) <= known.fun + 1e-7
        assert np.abs(found.multipliers).max() <= kappa * (1 + 1e-6)

    @pytest.mark.parametrize("m", [MANY - 1, MANY, 3 * MANY])
    def test_many_constraints(self, m: int) -> None:
        """The conditions of optimality hold, for the first right-hand side and for another one."""
        draws = np.random.default_rng(m)
        n, nh, kappa = 5, 4, 1.5
        L = draws.standard_normal((n, n))
        B, g, J = L @ L.T + 0.1 * np.eye(n), draws.standard_normal(n), draws.standard_normal((m, n))
        band, margin = np.full(nh, 0.05), np.zeros(m)
        lo, hi = -np.ones(n), np.ones(n)
        qp = ElasticQP(B, g[None], J, m - nh, lo, hi)
        for _ in range(2):
            c = draws.uniform(-2.0, 0.1, m)
            found = qp.solve(np.zeros(1), c, band, margin, kappa)
            assert found is not None
            d, pull = found.step, found.multipliers
            slope = g + B @ d + J.T @ pull  # what the bounds of the step must hold
            free = (d > lo + 1e-6) & (d < hi - 1e-6)
            assert np.abs(slope[free]).max(initial=0.0) < 1e-6
            assert (slope[d <= lo + 1e-6] > -1e-6).all()
            assert (slope[d >= hi - 1e-6] < 1e-6).all()
            over = c + J @ d
            over[m - nh :] = np.abs(over[m - nh :]) - band
            assert np.abs(pull[over < -1e-5]).max(initial=0.0) < 1e-5  # nothing holds it
            assert (np.abs(pull[over > 1e-5]) > kappa - 1e-5).all()  # all that it costs
            assert found.violation == pytest.approx(np.maximum(over, 0.0).sum(), abs=1e-6)

    def test_cuts_share_the_step(self) -> None:
        """max(d, -d) + d^2 / 2 has its minimum at 0, where both cuts hold with weight 1/2."""
        qp = ElasticQP(
            np.eye(1), np.array([[1.0], [-1.0]]), np.zeros((0, 1)), 0, -np.ones(1), np.ones(1)
        )
        found = qp.solve(np.zeros(2), np.zeros(0), np.zeros(0), np.zeros(0), 1.0)
        assert found is not None
        assert found.step == pytest.approx([0.0], abs=1e-7)
        assert found.cut_weights == pytest.approx([0.5, 0.5], abs=1e-6)

    def test_multipliers_of_an_active_constraint(self) -> None:
        """min d^2 / 2 with d >= 1: the multiplier is 1."""
        qp = ElasticQP(
            np.eye(1), np.zeros((1, 1)), -np.ones((1, 1)), 1, -2 * np.ones(1), 2 * np.ones(1)
        )
        found = qp.solve(np.zeros(1), np.ones(1), np.zeros(0), np.zeros(1), 100.0)
        assert found is not None
        assert found.step == pytest.approx([1.0], abs=1e-7)
        assert found.multipliers == pytest.approx([1.0], abs=1e-6)


class TestModel:
    def test_bfgs_learns_a_quadratic(self) -> None:
        """After steps along n conjugate directions B is the Hessian."""
        H = np.diag([1.0, 10.0, 100.0])
        B = np.eye(3)
        for i in range(3):
            s = np.zeros(3)
            s[i] = 0.1
            B = updated(B, s, H @ s, i == 0)
        for i in range(3):
            s = np.eye(3)[i]
            B = updated(B, s, H @ s, False)
        assert pytest.approx(H, rel=1e-6, abs=1e-6) == B

    def test_bfgs_stays_positive_definite(self) -> None:
        """Negative curvature is damped."""
        B = np.eye(4)
        draws = rng()
        for _ in range(30):
            s = draws.standard_normal(4)
            B = updated(B, s, -s, False)
            assert np.linalg.eigvalsh(B).min() > 0

    def test_a_bundle_keeps_one_cut_per_slope(self) -> None:
        u = np.zeros(2)
        bundle = Bundle(Cut(0.0, np.array([1.0, 0.0]), u))
        assert bundle.learn(Cut(0.0, np.array([0.0, 1.0]), u))
        assert not bundle.learn(Cut(0.0, np.array([0.0, 1.0]), u))
        assert len(bundle.cuts) == 2
        assert bundle.cuts[-1].g.tolist() == [1.0, 0.0]
        bundle.accept(Cut(0.0, np.array([0.0, 1.0001]), u))
        assert [cut.g[0] for cut in bundle.cuts] == [1.0, 0.0]
        bundle.keep(1)
        assert len(bundle.cuts) == 1

    def test_the_vertex_of_a_parabola(self) -> None:
        t = np.array([0.0, 1.0, 3.0])
        assert vertex(t, (t - 1.3) ** 2) == pytest.approx(1.3)
        assert vertex(t, -(t**2)) is None

    def test_convex_lifts_negative_eigenvalues_only(self) -> None:
        assert np.array_equal(convex(2 * np.eye(3)), 2 * np.eye(3))
        lifted = np.linalg.eigvalsh(convex(np.diag([-1.0, 2.0])))
        assert lifted == pytest.approx([2e-6, 2.0])


class TestRegression:
    def test_a_quadratic_is_found_exactly(self) -> None:
        """More points than coefficients, no noise: constant, slope, Hessian as given."""
        draws = rng()
        n = 3
        H = draws.standard_normal((n, n))
        H, g = H + H.T, draws.standard_normal(n)
        Z = draws.uniform(-1, 1, (25, n))
        y = 2.0 + Z @ g + 0.5 * np.einsum("ia,ab,ib->i", Z, H, Z)
        found = fit(Z, np.column_stack([y, -3 * y]), np.ones(25))
        assert found.models.c == pytest.approx([2.0, -6.0], abs=1e-8)
        assert found.models.G[0] == pytest.approx(g, abs=1e-8)
        assert found.models.H[0] == pytest.approx(H, abs=1e-7)
        assert found.sd.max() < 1e-5  # the least ratio on the grid is 1e-12, of variances
        z = np.array([0.3, -0.2, 0.9])
        moved = found.models.moved(z, 0.5)
        assert moved(np.array([0.4, 0.4, 0.4])) == pytest.approx(found.models(z + 0.2), abs=1e-9)

    def test_the_noise_is_estimated(self) -> None:
        draws = rng()
        Z = draws.uniform(-1, 1, (200, 2))
        y = Z[:, 0] + 0.01 * draws.standard_normal(200)
        found = fit(Z, y[:, None], np.ones(200))
        assert found.sd[0] == pytest.approx(0.01, rel=0.2)
        assert found.models.G[0] == pytest.approx([1.0, 0.0], abs=0.005)

    @pytest.mark.parametrize("n", [2, 6])  # fewer and more products of coordinates than points
    def test_the_best_predictor_at_the_greatest_likelihood(self, n: int) -> None:
        """As the textbook has it: kriging with a linear drift, by dense inverses."""
        draws = rng()
        Z, W = draws.uniform(-1, 1, (20, n)), draws.uniform(1, 3, 20)
        y = np.exp(Z[:, 0]) + Z[:, -1] ** 2 + 0.1 * draws.standard_normal(20)
        found = fit(Z, y[:, None], W)
        X, K = np.column_stack([np.ones(20), Z]), 0.5 * (Z @ Z.T) ** 2
        w = 1 / np.sqrt(W)
        N = null_space((X * w[:, None]).T)
        largest = np.linalg.eigvalsh(N.T @ (K * np.outer(w, w)) @ N)[-1]
        best = np.inf
        for ratio in largest * RATIOS:
            V = np.linalg.inv(K + ratio * np.diag(W))
            XVX = X.T @ V @ X
            b = np.linalg.solve(XVX, X.T @ V @ y)
            variance = (y - X @ b) @ V @ (y - X @ b) / (20 - n - 1)
            dets = np.linalg.slogdet(XVX)[1] - np.linalg.slogdet(V)[1]
            if np.log(variance) + dets / (20 - n - 1) < best:
                best = np.log(variance) + dets / (20 - n - 1)
                H = np.einsum("i,ia,ib->ab", V @ (y - X @ b), Z, Z)
                wanted = b, H, np.sqrt(variance * ratio)
        assert np.append(found.models.c, found.models.G) == pytest.approx(wanted[0], abs=1e-8)
        assert found.models.H[0] == pytest.approx(wanted[1], abs=1e-8)
        assert found.sd[0] == pytest.approx(wanted[2], rel=1e-8)

    def test_unknown_directions_are_told(self) -> None:
        Z = np.zeros((10, 3))
        Z[:, :2] = rng().uniform(-1, 1, (10, 2))
        found = fit(Z, Z[:, :1], np.ones(10))
        assert found.info[-1] < 1e-12
        assert np.abs(found.axes[-1]) == pytest.approx([0, 0, 1], abs=1e-9)


class TestPencil:
    def test_the_basis_of_a_mixed_sum(self) -> None:
        """H = B' diag B at two points: the columns are those of B^-1, up to scale and order."""
        draws = rng()
        B = draws.standard_normal((4, 4))
        H = [B.T @ np.diag(draws.uniform(1, 5, 4)) @ B for _ in range(2)]
        T = pencil(H[0], H[1])
        assert T is not None
        product = np.abs(B @ T)
        assert (product > 1e-8 * product.max()).sum() == 4

    def test_no_basis_where_there_is_none(self) -> None:
        assert pencil(np.zeros((3, 3)), np.eye(3)) is None
        assert pencil(np.full((3, 3), np.nan), np.eye(3)) is None


class TestCMA:
    def run(
        self, n: int, scale: np.ndarray, budget: int, lam: int = 0, together: float = 0.01
    ) -> tuple[CMA, int]:
        """Minimise a quadratic with given axes; returns the strategy and the evaluations."""
        case = Case(lambda X: (X[:, 0], np.zeros((len(X), 0)), np.zeros((len(X), 0))), n)
        archive = Archive(case.space(), rng(), budget, ChorusConfig(together=together))
        es = CMA(archive, np.full(n, 0.3), 0.2, lam or default_lambda(n), "f")
        batches, used = es.run(budget), 0
        U = next(batches)
        while used < budget and es.best > 1e-12:
            used += len(U)
            f = (((U - 0.5) * scale) ** 2).sum(1)
            U = batches.send(Rows(f[:, None], np.zeros(len(U))))
        return es, used

    def test_the_sphere_converges_at_the_known_rate(self) -> None:
        """About 10 decades of f in 100 to 200 n evaluations for lambda = 4 + 3 ln n."""
        es, used = self.run(8, np.ones(8), 8000)
        assert es.best <= 1e-12
        assert used < 200 * 8

    def test_the_covariance_learns_the_axes(self) -> None:
        """Condition number 1e6 of the Hessian: solved, with the inverse in C."""
        scale = 10.0 ** np.linspace(0, 3, 5)
        es, used = self.run(5, scale, 20_000)
        assert es.best <= 1e-12
        assert used < 6000
        deviations = np.sqrt(np.diag(es.C)) * scale
        assert deviations.max() / deviations.min() < 30

    def test_few_points_go_on_where_many_have_come_together(self) -> None:
        """Of ten decades the last eight need as many evaluations per decade as few points do."""
        few, used = self.run(8, np.ones(8), 20_000, lam=80)
        many, used_by_many = self.run(8, np.ones(8), 20_000, lam=80, together=0.0)
        assert (few.lam, many.lam) == (default_lambda(8), 80)
        assert few.best <= 1e-12
        assert used < 0.5 * used_by_many

    def test_points_stay_in_the_box(self) -> None:
        """A slope to the corner: the best point is the corner."""
        case = Case(lambda X: (X[:, 0], np.zeros((len(X), 0)), np.zeros((len(X), 0))), 3)
        archive = Archive(case.space(), rng(), 3000, ChorusConfig())
        es = CMA(archive, np.full(3, 0.5), 0.3, 8, "f")
        batches = es.run(2000)
        U = next(batches)
        while es.best > 0:
            assert ((U >= 0) & (U <= 1)).all()
            U = batches.send(Rows(U.sum(1)[:, None], np.zeros(len(U))))
        assert es.best_u is not None
        assert es.best_u.tolist() == [0, 0, 0]


class TestView:
    def test_constraints_alone(self) -> None:
        """All objectives are alike, but a point without one is no point to restore."""
        case = Case(
            lambda X: (np.where(X[:, 0] > 0, X[:, 1], np.nan), np.zeros((len(X), 0)), X[:, :1]),
            2,
            n_eq=1,
        )
        archive = Archive(case.space(), rng(), 1000, ChorusConfig())
        rows = archive.rows(case.answers(np.array([[1.0, 7.0], [2.0, -7.0], [-1.0, 0.0]])))
        f, c = View(archive, "c").split(rows)
        assert f[:2].tolist() == [0.0, 0.0]
        assert f[2] > 1e50
        assert c[:2].ravel().tolist() == [1.0, 2.0]

    def test_roots_until_the_other_sign_shows(self) -> None:
        case = Case(lambda X: (X[:, 1], np.zeros((len(X), 0)), X[:, :1]), 2, n_eq=1)
        archive = Archive(case.space(), rng(), 1000, ChorusConfig())
        archive.evals = 9

        def meet(x: float) -> None:
            X = np.array([[x, 0.0]])
            archive.record(archive.unit(X), archive.rows(case.answers(X)))

        meet(4.0)
        view = View(archive, "con")
        X = np.array([[4.0, 0.0]])
        assert view.split(archive.rows(case.answers(X)))[1].tolist() == [[2.0]]
        assert not view.outdated
        meet(-1.0)
        assert view.outdated
        assert View(archive, "con").split(archive.rows(case.answers(X)))[1].tolist() == [[4.0]]


class TestGoInside:
    """An end 1e-9 outside of three of four constraints A x <= 0 that meet at the optimum 0."""

    A = np.array([[3.0, 1.0, 0.0], [-1.0, 2.0, 1.0], [0.5, -1.0, 4.0], [1.0, 1.0, 1.0]])
    weights = np.array([2.0, 1.0, 3.0, 0.5])  # f = -weights'A x: they are the multipliers

    def end(self, error: float) -> tuple[float, float, int]:
        """Go inside by slopes of a relative `error`; returns f, the largest g, evaluations."""

        def function(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            return -(X @ (self.weights @ self.A)), X @ self.A.T, np.zeros((len(X), 0))

        case = Case(function, 3, n_ineq=4)
        space = replace(case.space(), feasible_tol=0.0)
        archive = Archive(space, rng(), 1000, ChorusConfig())
        outside = np.linalg.solve(self.A[:3], [1e-9, 2e-9, 1e-9])
        search = LocalSearch(archive, archive.unit(outside[None])[0], "con", 0.1, 1000)
        rows = archive.rows(case.answers(outside[None]))
        f, c = search.view.split(rows)
        search.f, search.c, search.v = float(f[0]), c[0], float(rows.v[0])
        signs = rng().choice([-1.0, 1.0], (4, 3))
        search._use(-10.0 * self.weights @ self.A, 10.0 * self.A * (1.0 + error * signs))
        used, batches = 0, search._go_inside()
        with contextlib.suppress(StopIteration):
            U = next(batches)
            while True:
                used += len(U)
                U = batches.send(archive.rows(case.answers(archive.points(U)[0])))
        return search.f, float(search.c.max()), used

    def test_good_slopes_lead_inside_at_once(self) -> None:
        """It is not far inside: multipliers of 6.5 in all times some times 2e-9."""
        f, g, used = self.end(0.05)
        assert g <= 0.0
        assert 0.0 <= f <= 6.5 * 4.0 * 2e-9
        assert used == 4

    def test_wrong_slopes_are_taken_anew(self) -> None:
        f, g, used = self.end(3.0)
        assert g <= 0.0
        assert 0.0 <= f <= 6.5 * 64.0 * 2e-9
        assert 4 < used <= 3 * 4 + 2 * 3


class TestTrend:
    def test_a_quadratic_is_its_own_trend(self) -> None:
        """min |x - p|^2 with sum x <= s: p - (sum p - s) / n, from boxes that hold it."""
        p = np.array([1.0, -0.5, 0.8, 0.2])

        def function(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            return ((X - p) ** 2).sum(1), X.sum(1, keepdims=True) - 0.7, np.zeros((len(X), 0))

        case = Case(function, 4, n_ineq=1)
        archive = Archive(case.space(), rng(), 10_000, ChorusConfig())
        batches = _follow(archive, np.full(4, 0.5), RADII)
        U, centre = next(batches), np.zeros(4)
        try:
            while True:
                U = batches.send(archive.rows(case.answers(archive.points(U)[0])))
        except StopIteration as end:
            centre = end.value
        assert centre * 10.0 - 5.0 == pytest.approx(p - 0.2, abs=1e-3)

    def test_tails_are_cut_and_nothing_else(self) -> None:
        """5 and 95 of 0..100 are 90 apart: limits 5 - 270 and 95 + 270."""
        Y = np.append(np.arange(101.0), [1e9, -1e9, 300.0])[:, None]
        low, high = np.percentile(Y, [5.0, 95.0])
        cut = without_tails(Y)
        assert cut[:101].tolist() == Y[:101].tolist()
        assert cut[101:].ravel() == pytest.approx([4 * high - 3 * low, 4 * low - 3 * high, 300.0])


class TestLagrangianCMA:
    def test_it_finds_optimum_and_multipliers(self) -> None:
        """min sum w x^2 with sum x >= 1, and x_0 <= 2 idle: x = gamma / (2 w), gamma = 2 / sum 1/w.

        Multipliers are in units of f over c.
        """
        n, w = 4, 10.0 ** np.linspace(0, 4, 4)
        gamma = 2.0 / (1.0 / w).sum()

        def function(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            g = np.stack([1.0 - X.sum(1), X[:, 0] - 2.0], axis=1)
            return (w * X**2).sum(1), g, np.zeros((len(X), 0))

        case = Case(function, n, n_ineq=2)
        archive = Archive(case.space(), rng(), 10_000, ChorusConfig())
        es = LagrangianCMA(archive, np.full(n, 0.6), 0.1, default_lambda(n), np.zeros(2))
        batches = es.run(6000)
        U = next(batches)
        with contextlib.suppress(StopIteration):
            while True:
                U = batches.send(archive.rows(case.answers(archive.points(U)[0])))
        assert es.mean * 10.0 - 5.0 == pytest.approx(gamma / (2.0 * w), abs=1e-5)
        assert es.gamma == pytest.approx([gamma, 0.0], rel=1e-4)


class TestTolerances:
    def slack(self, tol: float, size: float) -> float:
        """Return the limit of x <= `tol` in the local method where x has this typical size."""
        case = Case(lambda X: (X[:, 0], X[:, :1], X[:, :0]), 1, n_ineq=1)
        space = replace(case.space(), ineq_tol=tol, feasible_tol=0.0)
        a = Archive(space, np.random.default_rng(1), 100, ChorusConfig())
        a.size = np.array([1.0, size])
        return float(View(a, "con").slack[0])

    @pytest.mark.parametrize("size", [0.0, 0.11, 1.0, 1e6])
    def test_a_narrow_one_is_aimed_at_by_a_share(self, size: float) -> None:
        assert self.slack(1e-8, size) == 0.99e-8

    def test_a_wide_one_is_used_but_for_rounding(self) -> None:
        """Beside the constraint's size: 1e-8 is wide where that is 1e-6."""
        assert self.slack(1e-2, 2.0) == pytest.approx(1e-2 - 2e-9, rel=1e-12)
        assert self.slack(1e-8, 1e-6) == pytest.approx(1e-8, rel=1e-6)
        assert self.slack(1e-8, 1e-6) < 1e-8

    def test_of_unknown_size(self) -> None:
        assert self.slack(1e-2, 0.0) == 0.99e-2


class TestSmooth:
    """A step's other points tell a bend from a kink."""

    def step(self, f: Callable[[Any], Any], g: float) -> Step:
        """Return a step by 1 from 0 of `f` of the first coordinate, with slope `g`, as tried."""
        case = Case(lambda X: (f(X[:, 0]), X[:, :0], X[:, :0]), 2, lower=0.0, upper=1.0)
        a = Archive(case.space(), np.random.default_rng(1), 100, ChorusConfig())
        u, slope = np.zeros(2), np.array([g, 0.0])
        step = Step(
            View(a, "con"), a.config, u, float(f(0.0)), np.zeros(0), slope, np.zeros((0, 2)),
            np.eye(2), Bundle(Cut(float(f(0.0)), slope, u)), 1.0, np.zeros(0),
        )  # fmt: skip
        batches = step.evaluate([1.0, 0.4, 0.1], np.array([[1.0, 0.0], [0.4, 0.0], [0.1, 0.0]]))
        U = next(batches)
        with pytest.raises(StopIteration):
            batches.send(a.rows(case.answers(U)))
        return step

    @pytest.mark.parametrize("kink", [0.0, 0.02, 0.05, 0.2, 0.3, 0.6, 0.8])
    def test_kinks_are_none(self, kink: float) -> None:
        step = self.step(lambda x: np.abs(x - kink), -1.0 if kink else 1.0)
        full = step.tried[0]
        if kink:
            assert not step.smooth(full, -1.0, 1.0)
            assert not step.smooth(full, -1.0)
        else:
            assert step.smooth(full, 1.0, 1.0)

    def test_bends_are(self) -> None:
        cubic, growth = self.step(lambda x: (x + 1.0) ** 3, 3.0), self.step(np.exp, 1.0)
        assert cubic.smooth(cubic.tried[0], 3.0, 12.0)
        assert growth.smooth(growth.tried[0], 1.0, np.e)

    def test_a_parabola_is_smooth_from_one_slope(self) -> None:
        step = self.step(lambda x: (x - 0.3) ** 2, -0.6)
        assert step.smooth(step.tried[0], -0.6)

    def test_nothing_is_known_without_points_between(self) -> None:
        step = self.step(lambda x: x, 1.0)
        assert not step.smooth(step.tried[-1], 0.1, 0.1)

"""Users' own functions as a `Problem`: values worked out by hand."""

import pickle
import warnings

import numba
import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint
from scipy.sparse import csr_array

from de2ls.problems import Problem, problem

BOX = [(-5.0, 5.0), (-5.0, 5.0), (0.0, 10.0)]


def sphere(x):
    return float(x @ x)


def product_and_last(x):
    return [x[0] * x[1], x[2]]


def values_of(p, x):
    f, g, h = p.evaluate(x)
    return f, g.tolist(), h.tolist()


def test_plain_objective_without_constraints():
    p = problem(sphere, BOX)
    assert isinstance(p, Problem)
    assert p.name == "sphere"
    assert p.bounds == BOX
    assert values_of(p, [1, 2, 3]) == (14.0, [], [])
    assert p.is_feasible([], []) is True


def test_nonlinear_two_sided_limits_become_upper_then_lower():
    # c = (x0 x1, x2) = (2, 3) at (1, 2, 3); -1 <= c0 <= 1 and 0 <= c1 <= 8
    p = problem(sphere, BOX, constraints=NonlinearConstraint(product_and_last, [-1, 0], [1, 8]))
    assert (p.n_ineq, p.n_eq) == (4, 0)
    assert values_of(p, [1, 2, 3]) == (14.0, [2 - 1, 3 - 8, -1 - 2, 0 - 3], [])


def test_equal_limits_become_an_equality_and_infinite_ones_nothing():
    limits = NonlinearConstraint(product_and_last, [5, -np.inf], [5, np.inf])
    p = problem(sphere, BOX, constraints=[limits])
    assert values_of(p, [1, 2, 3]) == (14.0, [], [2 - 5])


def test_scalar_limits_hold_for_every_value():
    p = problem(sphere, BOX, constraints=NonlinearConstraint(product_and_last, -np.inf, 2.5))
    assert values_of(p, [1, 2, 3])[1] == [-0.5, 0.5]


@pytest.mark.parametrize("matrix", [[[1, 1, 0], [0, 0, 2]], csr_array([[1, 1, 0], [0, 0, 2]])])
def test_linear_constraint_dense_and_sparse(matrix):
    p = problem(sphere, BOX, constraints=LinearConstraint(matrix, [-np.inf, 6], [2, 6]))
    assert values_of(p, [1, 2, 3]) == (14.0, [3 - 2], [6 - 6])


def test_linear_constraint_of_one_row():
    p = problem(sphere, BOX, constraints=LinearConstraint([1, 1, 1], ub=4))
    assert values_of(p, [1, 2, 3])[1] == [2.0]


def test_dicts_of_scipy_minimize():
    def positive(x, a):
        return x[0] - a

    p = problem(
        sphere,
        BOX,
        constraints=(
            {"type": "ineq", "fun": positive, "args": (4.0,)},  # x0 >= 4
            {"type": "EQ", "fun": product_and_last, "jac": None},
        ),
    )
    assert values_of(p, [1, 2, 3]) == (14.0, [3.0], [2.0, 3.0])


def test_bounds_among_the_constraints_narrow_the_box():
    p = problem(sphere, BOX, constraints=[Bounds([-1, -9, 2], [9, 0, 3], keep_feasible=True)])
    assert p.bounds == [(-1, 5), (-5, 0), (2, 3)]
    assert p.n_constraints == 0


def test_bounds_object_as_box():
    assert problem(sphere, Bounds([0, 0, 0], 2)).bounds == [(0, 2)] * 3


def test_order_of_several_constraints():
    p = problem(
        lambda x: (0.0, [x[0]], [x[1]]),
        BOX,
        constraints=[
            {"type": "eq", "fun": lambda x: x[2]},
            {"type": "ineq", "fun": lambda x: x[2] - 1},
        ],
        n_ineq=1,
        n_eq=1,
    )
    # those of fun first, then constraint by constraint
    assert values_of(p, [1, 2, 3]) == (0.0, [1.0, 1 - 3], [2.0, 3.0])


def test_violation_per_constraint_is_measured_at_the_users_limits():
    p = problem(
        lambda x: (0.0, [x[0], -1.0], [-0.25]),
        BOX,
        constraints=[NonlinearConstraint(product_and_last, [-1, 5], [1, 5])],
        n_ineq=2,
        n_eq=1,
    )
    f, g, h = p.evaluate([-2, 2, 3])  # product -4: 3 below -1; last 3: 2 off 5
    violations = np.concatenate([[f], np.maximum(g, 0.0), np.abs(h)])
    own, limits = p.function.per_constraint(violations)
    assert own.tolist() == [0.0, 0.0, 0.25]
    assert limits.tolist() == [3.0, 2.0]


def test_args_reach_the_objective_only():
    p = problem(
        lambda x, a, b: a * x[0] + b, BOX, (2.0, 7.0), {"type": "eq", "fun": lambda x: x[1]}
    )
    assert values_of(p, [1, 2, 3]) == (9.0, [], [2.0])


@pytest.mark.parametrize(
    "value", [3, 3.0, np.float32(3), np.array(3), np.array([3.0]), np.array([[3]])]
)
def test_every_way_to_return_one_number(value):
    p = problem(lambda x: value, BOX)
    assert p.evaluate([0, 0, 0]).f == 3.0


def test_nan_and_infinity_are_passed_on():
    p = problem(lambda x: (np.nan, [np.inf], []), BOX, n_ineq=1)
    f, g, _ = p.evaluate([0, 0, 0])
    assert np.isnan(f)
    assert g.tolist() == [np.inf]


def test_functions_may_keep_and_change_their_point():
    seen = []

    def keeping(x):
        seen.append(x)
        x[0] += 1
        return float(x[0])

    p = problem(keeping, BOX, constraints={"type": "eq", "fun": lambda x: x[0]})
    seen.clear()
    point, out = np.array([1.0, 2.0, 3.0]), np.empty(2)
    p.function(point, out)
    assert point.tolist() == [1, 2, 3]
    assert out.tolist() == [2.0, 1.0]
    p.function(np.array([4.0, 2.0, 3.0]), out)
    assert [x[0] for x in seen] == [2.0, 5.0]


class TestVectorized:
    """Points are columns, as in SciPy."""

    def build(self):
        return problem(
            lambda x: (x**2).sum(axis=0),
            BOX,
            constraints=[
                NonlinearConstraint(lambda x: np.array([x[0] * x[1], x[2]]), [-1, 5], [1, 5]),
                LinearConstraint([[1, 1, 1]], ub=4),
                {"type": "ineq", "fun": lambda x: x[0]},
            ],
            vectorized=True,
        )

    def test_agrees_with_single_points(self):
        X = np.random.default_rng(1).uniform(-5, 5, (7, 3))
        p = self.build()
        F, G, H = p.evaluate_many(X)
        for i, x in enumerate(X):
            assert F[i] == pytest.approx((x**2).sum(), rel=1e-15)
            expected = [x[0] * x[1] - 1, -1 - x[0] * x[1], x.sum() - 4, -x[0]]
            np.testing.assert_allclose(G[i], expected, rtol=1e-14, atol=1e-14)
            assert H[i].tolist() == [x[2] - 5]
            one = p.evaluate(x)
            np.testing.assert_allclose([one.f, *one.g, *one.h], [F[i], *G[i], *H[i]], rtol=1e-14)

    def test_objective_and_constraints_in_one_call(self):
        calls = []

        def fgh(x):
            calls.append(x.shape)
            return x[0], x[:2], x[2]

        p = problem(fgh, BOX, n_ineq=2, n_eq=1, vectorized=True)
        F, G, H = p.evaluate_many([[1, 2, 3], [4, 5, 6]])
        assert calls == [(3, 2)]
        assert (F.tolist(), G.tolist(), H.tolist()) == ([1, 4], [[1, 2], [4, 5]], [[3], [6]])

    def test_rows_instead_of_columns_are_refused(self):
        p = problem(lambda x: (x**2).sum(axis=1), BOX, vectorized=True)
        with pytest.raises(ValueError, match=r"fun must return shape \(1, 5\) or \(5,\).*\(3,\)"):
            p.evaluate_many(np.zeros((5, 3)))


class TestIntegrality:
    def test_functions_see_integers_only_and_all_of_them(self):
        seen = set()

        def fun(x):
            seen.add((x[0], x[2]))
            return 0.0

        p = problem(fun, [(-2.5, 1.2), (0, 1), (3, 4)], integrality=[True, False, True])
        assert p.bounds == [(-2.5, 1.5), (0, 1), (2.5, 4.5)]
        for x in np.random.default_rng(2).uniform(p.lower, p.upper, (500, 3)):
            p.evaluate(x)
        assert seen == {(i, j) for i in (-2, -1, 0, 1) for j in (3, 4)}

    def test_ends_of_the_box_round_inwards(self):
        p = problem(sphere, [(0, 3), (1, 2)], integrality=True)
        assert p.decode(p.lower).tolist() == [0, 1]
        assert p.decode(p.upper).tolist() == [3, 2]
        assert not np.signbit(p.decode(np.array([-0.2, 1.0]))).any()

    def test_decode_takes_rows(self):
        p = problem(sphere, [(0, 3), (1, 2)], integrality=[1, 0])
        assert p.decode(np.array([[0.4, 1.4], [2.6, 1.6]])).tolist() == [[0, 1.4], [3, 1.6]]

    def test_an_integer_coordinate_may_have_one_value(self):
        p = problem(sphere, [(2, 2), (0, 1)], integrality=[True, False])
        assert p.bounds == [(0, 1)]
        assert p.evaluate([1]).f == 5.0


@numba.njit
def compiled_sphere(x, scale):
    value = scale * (x * x).sum()
    x[:] = np.inf  # a function may write on its copy
    return value


@numba.njit
def compiled_pair(x):
    return np.array([x[0] * x[1], x[2]])


@numba.njit
def compiled_first(x, shift):
    x[0] += shift
    return x[0]


@numba.njit
def compiled_fgh(x):
    return x[0], (x[1], x[2]), x[:1] * 2


@numba.njit
def compiled_f_and_g(x):
    return x[0], np.array([x[1]]), ()


class TestCompiled:
    def test_agrees_with_the_same_functions_in_python(self):
        def build(fun, pair, first):
            return problem(
                fun,
                BOX,
                (2.0,),
                [
                    NonlinearConstraint(pair, [1, -np.inf], [1, 2]),
                    LinearConstraint([[1, 2, 3], [0, 0, 1]], [0, 1], [3, 1]),
                    {"type": "ineq", "fun": first, "args": (1.5,)},
                ],
                integrality=[False, True, False],
            )

        fast = build(compiled_sphere, compiled_pair, compiled_first)
        slow = build(compiled_sphere.py_func, compiled_pair.py_func, compiled_first.py_func)
        assert fast.kernel is not None
        assert slow.kernel is None
        for x in np.random.default_rng(3).uniform(-5, 5, (50, 3)):
            a, b = fast.evaluate(x), slow.evaluate(x)
            np.testing.assert_allclose([a.f, *a.g, *a.h], [b.f, *b.g, *b.h], rtol=1e-13, atol=1e-13)

    def test_objective_with_its_own_constraints(self):
        p = problem(compiled_fgh, BOX, n_ineq=2, n_eq=1)
        assert p.kernel is not None
        assert values_of(p, [1, 2, 3]) == (1.0, [2.0, 3.0], [2.0])
        p = problem(compiled_f_and_g, BOX, n_ineq=1)
        assert p.kernel is not None
        assert values_of(p, [1, 2, 3]) == (1.0, [2.0], [])

    def test_wrong_number_of_values_is_an_error(self):
        with pytest.raises(ValueError, match="fun must"):
            problem(compiled_fgh, BOX, n_ineq=3, n_eq=1).evaluate([1, 2, 3])
        wrong = NonlinearConstraint(compiled_pair, [0, 0, 0], [1, 1, 1])
        with pytest.raises(ValueError, match=r"constraints\[0\] must"):
            problem(compiled_fgh, BOX, constraints=[wrong], n_ineq=2, n_eq=1).evaluate([1, 2, 3])

    def test_one_plain_function_among_them_means_python(self):
        p = problem(compiled_sphere, BOX, (1.0,), {"type": "eq", "fun": lambda x: x[0]})
        assert p.kernel is None
        assert values_of(p, [1, 2, 3]) == (14.0, [], [1.0])

    def test_what_does_not_compile_is_called_from_python_with_a_warning(self):
        @numba.njit
        def takes_a_list(x, items):
            return x[0] + items["a"]

        @numba.njit
        def mixed(x):
            return x[0], (x[1], 1), 0.5

        with pytest.warns(RuntimeWarning, match="called from Python"):
            p = problem(mixed, BOX, n_ineq=2, n_eq=1)
        assert values_of(p, [1, 2, 3]) == (1.0, [2.0, 1.0], [0.5])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p = problem(takes_a_list, BOX, ({"a": 1},))
        assert p.kernel is None


def test_function_survives_the_way_to_another_process():
    p = problem(
        sphere,
        BOX,
        constraints=[
            NonlinearConstraint(product_and_last, [-1, 5], [1, 5]),
            LinearConstraint([[1, 1, 1]], ub=4),
        ],
        integrality=[True, False, False],
    )
    copy = pickle.loads(pickle.dumps(p.function))
    here, there = np.empty(5), np.empty(5)
    for x in np.random.default_rng(4).uniform(-5, 5, (5, 3)):
        p.function(x, here)
        copy(x, there)
        assert here.tolist() == there.tolist()


class TestTolerances:
    def made(self, constraint_tol):
        return problem(
            lambda x: x[0],
            [(0.0, 1.0)] * 2,
            constraints=[
                {"type": "ineq", "fun": lambda x: [x[0], x[1]]},
                NonlinearConstraint(lambda x: x, [0.0, -1.0], [0.0, 1.0]),
            ],
            constraint_tol=constraint_tol,
        )

    @pytest.mark.parametrize(
        ("given", "ineq", "eq"),
        [
            (None, [1e-8] * 4, [1e-6]),
            (0.5, [0.5] * 4, [0.5]),
            ((0.1, 0.2), [0.1] * 4, [0.2]),
            ([0.1, 0.2], [0.1, 0.1, 0.2, 0.2], [0.2]),
            ([[0.1, 0.3], [0.2, 0.4]], [0.1, 0.3, 0.4, 0.4], [0.2]),
        ],
    )
    def test_forms(self, given, ineq, eq):
        assert self.made(given).tolerances.tolist() == [*ineq, *eq]

    def test_of_the_values_of_fun_itself(self):
        p = problem(
            lambda x: (x[0], x, [x[0]]), [(0, 1)] * 2, n_ineq=2, n_eq=1, constraint_tol=[1, 2, 3]
        )
        assert p.tolerances.tolist() == [1, 2, 3]
        assert p.evaluate([0.5, 0.25]).g.tolist() == [0.5, 0.25]  # as the function gives them

    def test_violation_is_measured_beyond_them(self):
        p = self.made([[0.1, 0.3], [0.2, 0.4]])
        assert p.violation([0.1, 0.3, 0.4, 0.4], [0.2]) == 0.0
        assert p.is_feasible([0.1, 0.3, 0.4, 0.4], [-0.2])
        assert p.violation([0.35, 0.3, 0.4, 0.4], [-0.7]) == pytest.approx(0.25 + 0.5)

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            (-1.0, ValueError),
            ("tight", TypeError),
            ((0.1, -0.1), ValueError),
            ([0.1, 0.2, 0.3], ValueError),
            ([0.1, [0.1, 0.2, 0.3]], ValueError),
            ([0.1, np.nan], ValueError),
        ],
    )
    def test_bad_input(self, given, error):
        with pytest.raises(error, match="constraint_tol"):
            self.made(given)

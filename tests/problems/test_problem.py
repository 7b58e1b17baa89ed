"""`Problem`: bounds, evaluation, violation and feasibility."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit, types

import de2ls
from de2ls import Problem
from de2ls.jit.kernels import by_address, kernel
from de2ls.problems import CompiledKernel

finite = st.floats(-1e6, 1e6)


def sphere(x, out):
    """f = |x|^2, g = 1 - x_1, h = x_1 - x_2, -h."""
    out[:] = (x @ x, 1.0 - x[0], x[0] - x[1], x[1] - x[0])


@kernel
def compiled_sphere(x, params, work, out):
    work[0] = x[0] * x[0] + x[1] * x[1]
    out[0] = params[0] * work[0]
    out[1] = 1.0 - x[0]
    out[2] = x[0] - x[1]
    out[3] = x[1] - x[0]


def plain(**options):
    return Problem("sphere", [-5, -5], [5, 5], 1, 2, function=sphere, **options)


def compiled(raises=False, **options):
    form = CompiledKernel(compiled_sphere, np.ones(1), n_work=1, raises=raises)
    return Problem("sphere", [-5, -5], [5, 5], 1, 2, kernel=form, **options)


@pytest.mark.parametrize("make", [plain, compiled])
def test_evaluate(make):
    f, g, h = make().evaluate([3, 4])
    assert isinstance(f, float)
    assert f == 25.0
    np.testing.assert_array_equal(g, [-2.0])
    np.testing.assert_array_equal(h, [-1.0, 1.0])


@pytest.mark.parametrize("make", [plain, compiled])
def test_evaluate_many(make):
    X = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 1.0]])
    F, G, H = make().evaluate_many(X)
    np.testing.assert_array_equal(F, [25.0, 0.0, 2.0])
    np.testing.assert_array_equal(G, [[-2.0], [1.0], [0.0]])
    np.testing.assert_array_equal(H, [[-1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize("make", [plain, compiled])
def test_evaluate_many_takes_no_points_any_order_and_read_only_arrays(make):
    problem = make()
    X = np.asfortranarray([[3, 4], [1, 2]])
    X.flags.writeable = False
    np.testing.assert_array_equal(problem.evaluate_many(X).f, [25.0, 5.0])
    assert problem.evaluate(X[0]).f == 25.0
    empty = problem.evaluate_many(np.empty((0, 2)))
    assert [part.shape for part in empty] == [(0,), (0, 1), (0, 2)]


def test_one_compiled_loop_serves_all_kernels():
    from de2ls.problems import batch

    compiled().evaluate_many([[3.0, 4.0]])
    assert len(batch._evaluate_rows.signatures) == 1


@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize("n", [1, 100])
def test_many_points_have_the_bits_of_single_ones(raises, n):
    problem = compiled(raises)
    X = np.random.default_rng(1).uniform(-5, 5, (n, 2))
    single = np.array([problem.evaluate(x).f for x in X])
    np.testing.assert_array_equal(problem.evaluate_many(X).f, single)


@pytest.mark.parametrize("n", [1, 100])
def test_an_error_in_a_compiled_function_reaches_the_caller_of_a_batch(n):
    @njit
    def picky(x):
        if x[0] > 0.5:
            raise ValueError("too large")
        return x[0]

    problem = de2ls.problem(picky, [(0, 1)])
    with pytest.raises(ValueError, match="too large"):
        problem.evaluate_many(np.linspace(0.4, 1.0, n + 1)[1:, np.newaxis])


def test_a_kernel_whose_address_is_not_found_is_handed_over_itself():
    def unknown(x, params, work, out): ...

    assert by_address(unknown, None) is unknown


def test_points_outside_the_box_are_evaluated():
    assert plain().evaluate([30, 40]).f == 2500.0


def test_the_point_is_not_changed():
    def spoil(x, out):
        x[:] = 0.0
        out[:] = 0.0

    x = np.array([3.0, 4.0])
    Problem("spoiler", [0, 0], [5, 5], 0, 0, function=spoil).evaluate(x)
    np.testing.assert_array_equal(x, [3.0, 4.0])


@pytest.mark.parametrize("make", [plain, compiled])
@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([1.0, 2.0], ValueError, r"X must have shape \(n, 2\), got \(2,\)"),
        ([[1.0, 2.0, 3.0]], ValueError, r"X must have shape \(n, 2\), got \(1, 3\)"),
        ([[1.0], [1.0, 2.0]], ValueError, "ragged"),
        ([["a", "b"]], TypeError, "X must have shape .* real numbers"),
        ([[1.0, 2.0], [np.nan, 0.0]], ValueError, r"NaN at \[1, 0\]"),
    ],
)
def test_bad_points(make, X, error, message):
    with pytest.raises(error, match=message):
        make().evaluate_many(X)


def test_the_kernel_is_a_first_class_function():
    vector = types.float64[::1]
    signature = types.void(vector, vector, vector, vector)

    @njit
    def call(function, x, params, work, out):
        function(x, params, work, out)
        return out[0]

    form = compiled().kernel
    form.evaluate.compile(signature)
    call.compile((types.FunctionType(signature), vector, vector, vector, vector))
    call.disable_compile()
    x = np.array([3.0, 4.0])
    assert call(form.evaluate, x, form.params, np.empty(form.n_work), np.empty(4)) == 25.0


def test_violation_is_sum_or_mean_of_the_terms():
    problem = plain()
    assert problem.violation([2.0], [0.5, -0.25]) == 2.75
    assert problem.violation([2.0], [0.5, -0.25], how="mean") == pytest.approx(2.75 / 3)
    assert problem.violation([-2.0], [0.0, 0.0]) == 0.0
    assert Problem("free", [0], [1], 0, 0, function=sphere).violation([], [], "mean") == 0.0


def test_violation_of_many_points():
    G = np.array([[2.0], [-1.0]])
    H = np.array([[0.5, 0.0], [0.0, -3.0]])
    np.testing.assert_array_equal(plain().violation(G, H), [2.5, 3.0])


@pytest.mark.parametrize(
    ("g", "h", "message"),
    [
        ([0.0, 0.0], [0.0], r"g must have shape \(..., 1\), got \(2,\)"),  # g and h exchanged
        ([0.0], [[0.0], [0.0]], "h must"),
        (0.0, [0.0, 0.0], "g must"),
    ],
)
def test_violation_of_other_numbers_of_constraints(g, h, message):
    with pytest.raises(ValueError, match=message):
        plain().violation(g, h)
    with pytest.raises(ValueError, match=message):
        plain().is_feasible(g, h)


def test_an_equality_is_violated_only_beyond_its_tolerance():
    problem = plain(eq_tol=1e-4)
    beyond = np.nextafter(1e-4, 1.0)
    assert problem.violation([0.0], [1e-4, -1e-4]) == 0.0
    assert problem.violation([0.0], [beyond, 0.0]) == beyond
    assert plain(eq_tol=1e-4, excess=True).violation([0.0], [0.25, 0.0]) == 0.25 - 1e-4


def test_inequalities_have_no_slack():
    assert not plain().is_feasible([5e-324], [0.0, 0.0])
    assert plain().is_feasible([0.0], [0.0, 0.0])


def test_feasible_up_to_the_tolerance_on_the_sum():
    problem = plain(feasible_tol=1e-8)
    assert problem.is_feasible([1e-8], [0.0, 0.0])
    assert not problem.is_feasible([1.01e-8], [0.0, 0.0])


def test_nan_is_never_feasible():
    assert not plain().is_feasible([np.nan], [0.0, 0.0])
    assert not plain().is_feasible([0.0], [np.nan, 0.0])


@given(g=st.lists(finite, min_size=1, max_size=1), h=st.lists(finite, min_size=2, max_size=2))
def test_violation_is_zero_exactly_when_every_constraint_holds(g, h):
    problem = plain()
    holds = g[0] <= 0 and all(abs(value) <= problem.eq_tol for value in h)
    assert (problem.violation(g, h) == 0.0) == holds
    assert problem.is_feasible(g, h) == holds


def test_shape():
    problem = plain()
    assert repr(problem) == "Problem('sphere', dim=2, n_ineq=1, n_eq=2)"
    assert problem.dim == 2
    assert problem.n_constraints == 3
    assert problem.bounds == [(-5.0, 5.0), (-5.0, 5.0)]
    with pytest.raises(ValueError, match="read-only"):
        problem.lower[0] = 0.0


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"lower": [0, 5]}, ValueError, "lower < upper; coordinate 1 has lower=5, upper=5"),
        ({"upper": [5, np.inf]}, ValueError, "bounds must be finite, .* coordinate 1"),
        ({"lower": [0, -1e308], "upper": [5, 1e308]}, ValueError, "finite width.* coordinate 1"),
        ({"upper": [5]}, ValueError, "upper must be a vector of 2"),
        ({"n_ineq": -1}, ValueError, "n_ineq must"),
        ({"n_eq": 1.0}, TypeError, "n_eq must be an integer"),
        ({"eq_tol": -1e-4}, ValueError, "eq_tol must"),
        ({"feasible_tol": np.nan}, ValueError, "feasible_tol"),
        ({"function": None}, ValueError, "needs a kernel or a function"),
    ],
)
def test_bad_definitions(changes, error, message):
    arguments = {
        "name": "sphere",
        "lower": [-5, -5],
        "upper": [5, 5],
        "n_ineq": 1,
        "n_eq": 2,
        "function": sphere,
    }
    with pytest.raises(error, match=message):
        Problem(**{**arguments, **changes})


def test_unknown_kind_of_violation():
    with pytest.raises(ValueError, match="how must"):
        plain().violation([0.0], [0.0, 0.0], how="max")

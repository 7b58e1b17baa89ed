"""What people give to `minimize`, and how it starts and ends."""

import subprocess
import sys

import numba
import numpy as np
import pytest
from scipy.optimize import LinearConstraint

import de2ls
from de2ls.optimize.result import Stop
from de2ls.problems.compiled import kernel


def square(x):
    return float(x @ x)


def test_a_plain_function_loads_no_compiler(tmp_path):
    code = (
        "import sys, de2ls\n"
        "res = de2ls.minimize(lambda x: x @ x, [(-1, 2)] * 2,"
        " constraints={'type': 'ineq', 'fun': lambda x: x[0] - 1}, seed=1)\n"
        "print(round(res.fun, 6), 'numba' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == ["1.0", "False"]


class TestCompiledObjective:
    def test_it_is_called_from_python_in_short_runs(self):
        @numba.njit
        def fun(x):
            return x[0] * x[0] + x[1] * x[1]

        for seed in (1, 2):
            assert de2ls.minimize(fun, [(-1, 2)] * 2, max_evals=200, seed=seed).fun < 1e-8
        assert len(fun.signatures) == 1  # its own compilation for a vector, nothing else

    def test_its_kernel_is_compiled_once_per_function_and_box(self):
        @numba.njit
        def fun(x, a):
            return a * x[0] * x[0]

        def form(*args, high=2.0):
            return kernel(de2ls.problem(fun, [(-1, high)], args, jit=False).function)

        assert form(1.0) is form(1.0)
        assert form(1.0) is not form(2.0)
        assert form(1.0) is not form(1)
        assert form(1.0) is form(1.0, high=3.0) or form(1.0, high=3.0) is form(1.0, high=3.0)


class TestStart:
    def test_a_warm_start_keeps_its_gain(self):
        guess = np.full(10, 1e-2)  # f = 0.001
        res = de2ls.minimize(square, [(-5, 5)] * 10, x0=guess, max_evals=1000, seed=1)
        assert res.fun < 1e-12

    def test_several_guesses_come_first(self):
        points = []
        guesses = [[1.0, 2.0], [-1.0, 0.5], [0.25, 0.25]]
        de2ls.minimize(
            lambda x: points.append(x.tolist()) or square(x),
            [(-5, 5)] * 2,
            x0=guesses,
            max_evals=100,
            seed=1,
        )
        assert points[:3] == guesses

    @pytest.mark.parametrize("algorithm", ["chorus", "de2ls", "lshade44"])
    def test_a_population_holds_all_guesses(self, algorithm):
        """Otherwise it would have 20 to 36 members here."""
        points = []
        guesses = np.random.default_rng(0).uniform(-5, 5, (60, 2)).tolist()
        de2ls.minimize(
            lambda x: points.append(x.tolist()) or square(x),
            [(-5, 5)] * 2,
            x0=guesses,
            max_evals=100,
            algorithm=algorithm,
            seed=1,
        )
        assert points[:60] == guesses

    def test_rng_is_another_name_of_seed(self):
        def run(**how):
            return de2ls.minimize(square, [(-5, 5)] * 2, max_evals=100, **how)

        assert run(rng=3).x.tolist() == run(seed=3).x.tolist()
        assert run(rng=np.random.default_rng(3)).seed == run(seed=np.random.default_rng(3)).seed
        with pytest.raises(ValueError, match="rng"):
            run(rng=3, seed=3)

    def test_budget_as_a_float(self):
        assert de2ls.Optimizer([(-1, 1)], max_evals=1e4).max_evals == 10_000
        with pytest.raises(TypeError, match="max_evals"):
            de2ls.minimize(square, [(-1, 1)], max_evals=100.5)

    def test_patience_as_a_float(self):
        runs = [de2ls.minimize(square, [(-1, 1)], seed=1, stall=n) for n in (50, 5e1)]
        assert runs[0].status == Stop.STALL.status
        assert runs[0].nfev == runs[1].nfev
        with pytest.raises(TypeError, match="stall"):
            de2ls.minimize(square, [(-1, 1)], stall=50.5)

    def test_one_number_is_a_guess_of_one_coordinate(self):
        points = []
        de2ls.minimize(
            lambda x: points.append(x.tolist()) or square(x),
            [(-1, 1)],
            x0=0.25,
            max_evals=50,
            seed=1,
        )
        assert points[0] == [0.25]

    def test_a_masked_value_counts_as_nan(self):
        def fun(x):
            return np.ma.masked if x[0] > 0 else square(x)

        res = de2ls.minimize(fun, [(-1, 2)] * 2, max_evals=200, seed=1)
        assert res.n_invalid > 0
        assert res.x[0] <= 0

    def test_one_dimension_and_fixed_coordinates(self):
        res = de2ls.minimize(lambda x: (x[0] - 0.3) ** 2 + x[1], [(-5, 5), (2, 2)], seed=1)
        np.testing.assert_allclose(res.x, [0.3, 2.0], atol=1e-6)


class TestEnd:
    def test_tolerance_of_inequalities(self):
        """Ten times 0.1 is a little less than 1."""
        at_least = LinearConstraint([np.ones(10)], lb=1)
        res = de2ls.minimize(square, [(0, 0.1)] * 10, constraints=at_least, max_evals=500, seed=1)
        assert res.feasible
        assert [part.tolist() for part in res.constraint_tol] == [[1e-8]]

    def test_polishing_uses_the_budget_it_says(self):
        res = de2ls.minimize(
            square, [(-5, 5)] * 5, max_evals=1000, seed=1, polish=True, algorithm="de2ls"
        )
        assert (res.status == Stop.BUDGET.status) == (res.nfev == 1000)
        assert ("used up" in res.message) == (res.nfev == 1000)

    @pytest.mark.parametrize("dim", [4, 10])  # random points alone would miss some of the 1024
    def test_every_point_of_a_small_discrete_problem(self, dim):
        seen = []
        res = de2ls.minimize(
            lambda x: seen.append(x.tolist()) or square(x - 1),
            [(0, 1)] * dim,
            integrality=True,
            max_evals=2000,
            seed=1,
        )
        assert res.status == Stop.EXHAUSTED.status
        assert res.nfev == len(seen) == len({tuple(x) for x in seen}) == 2**dim
        assert res.x.tolist() == [1] * dim

    @pytest.mark.parametrize("algorithm", ["chorus", "de2ls"])
    def test_no_discrete_point_is_evaluated_twice(self, algorithm):
        seen = []
        res = de2ls.minimize(
            lambda x: seen.append(tuple(x)) or square(x - np.arange(12) % 2),
            [(0, 1)] * 12,
            integrality=True,
            algorithm=algorithm,
            max_evals=1500,
            seed=1,
        )
        assert len(set(seen)) == len(seen) == res.nfev <= 1500
        if algorithm == "de2ls":
            assert f"{1500 - res.nfev} points were known from before" in res.message

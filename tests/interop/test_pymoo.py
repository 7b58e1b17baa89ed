"""pymoo's problems as ours, our algorithms in pymoo."""

import pickle

import numpy as np
import pytest

pytest.importorskip("pymoo", reason="needs the extra pymoo")

from pymoo.core.problem import Problem as PymooProblem
from pymoo.core.variable import Real
from pymoo.optimize import minimize
from pymoo.problems import get_problem

import de2ls
from de2ls.interop.pymoo import DE2LS, from_pymoo
from de2ls.suites.cec2006 import DEFINITIONS, cec2006


class TestAlgorithm:
    @pytest.mark.parametrize(
        ("name", "best"), [("g1", -15.0), ("g4", -30665.53867), ("g24", -5.50801)]
    )
    def test_solves_within_the_budget(self, name, best):
        res = minimize(get_problem(name), DE2LS(), ("n_eval", 20_000), seed=1)
        assert res.algorithm.evaluator.n_eval == 20_000
        assert res.CV[0] == 0.0
        assert res.F[0] == pytest.approx(best, rel=1e-4)

    def test_one_by_one_is_the_algorithm_itself(self):
        res = minimize(
            get_problem("g24"), DE2LS(batch=1, config={"n0": 20}), ("n_eval", 500), seed=1
        )
        seed = int(np.random.default_rng(1).integers(2**63))
        ours = de2ls.minimize(
            from_pymoo(get_problem("g24")),
            algorithm="de2ls",
            config={"n0": 20},
            max_evals=500,
            seed=seed,
        )
        assert res.F[0] == ours.fun
        assert (ours.x == res.X).all()

    def test_seed_repeats(self):
        a, b = (minimize(get_problem("g24"), DE2LS(), ("n_eval", 300), seed=3) for _ in range(2))
        assert a.F[0] == b.F[0]

    def test_other_terminations(self):
        res = minimize(get_problem("g24"), DE2LS(max_evals=400), ("n_gen", 1000), seed=1)
        assert res.algorithm.evaluator.n_eval == 400  # our own end, when the budget is used up
        res = minimize(get_problem("g24"), DE2LS(max_evals=4000), ("n_gen", 3), seed=1)
        assert res.algorithm.n_gen - 1 == 3

    def test_integers(self):
        class Whole(PymooProblem):
            def __init__(self):
                super().__init__(n_var=3, n_obj=1, xl=-5, xu=5, vtype=int)

            def _evaluate(self, x, out, *args, **kwargs):
                assert (x == np.rint(x)).all()
                out["F"] = ((x - 1.3) ** 2).sum(axis=1)

        res = minimize(Whole(), DE2LS(), ("n_eval", 500), seed=1)
        assert res.X.tolist() == [1, 1, 1]

    def test_a_pickle_under_way_goes_on_with_the_same_points(self):
        algorithm = DE2LS(algorithm="chorus")
        algorithm.setup(get_problem("g6"), termination=("n_eval", 200), seed=1)
        while algorithm.evaluator.n_eval < 80:
            algorithm.next()
        twin = pickle.loads(pickle.dumps(algorithm))
        for one in (algorithm, twin):
            while one.has_next():
                one.next()
        assert twin.evaluator.n_eval == algorithm.evaluator.n_eval > 80
        assert twin.result().X.tolist() == algorithm.result().X.tolist()

    def test_truth_values(self):
        class Pattern(PymooProblem):
            def __init__(self):
                super().__init__(n_var=6, n_obj=1, xl=False, xu=True, vtype=bool)

            def _evaluate(self, x, out, *args, **kwargs):
                out["F"] = (x != [1, 0, 1, 1, 0, 0]).sum(axis=1)

        res = minimize(Pattern(), DE2LS(), ("n_eval", 1000), seed=1)
        assert res.X.tolist() == [1, 0, 1, 1, 0, 0]
        ours = de2ls.minimize(from_pymoo(Pattern()), max_evals=1000, seed=1)
        assert ours.x.tolist() == [1, 0, 1, 1, 0, 0]

    def test_named_variables_are_refused(self):
        problem = PymooProblem(vars={"a": Real(bounds=(0, 1)), "b": Real(bounds=(0, 1))}, n_obj=1)
        with pytest.raises(ValueError, match="problem must"):
            minimize(problem, DE2LS(), ("n_eval", 100))

    def test_other_algorithms(self):
        res = minimize(get_problem("g24"), DE2LS("ude3"), ("n_eval", 3000), seed=1)
        assert res.algorithm.evaluator.n_eval <= 3000
        assert res.CV[0] == 0.0

    def test_several_objectives_are_refused(self):
        with pytest.raises(ValueError, match="problem must"):
            minimize(get_problem("zdt1"), DE2LS(), ("n_eval", 100))

    def test_batch_is_checked(self):
        with pytest.raises(ValueError, match="batch must"):
            DE2LS(batch=0)


class TestProblems:
    @pytest.mark.parametrize("vectorized", [False, True])
    @pytest.mark.parametrize("name", ["g1", "g5", "g13"])
    def test_values(self, name, vectorized):
        theirs = get_problem(name)
        ours = from_pymoo(theirs, vectorized)
        X = np.random.default_rng(1).uniform(theirs.xl, theirs.xu, (20, theirs.n_var))
        values = theirs.evaluate(X, return_as_dictionary=True)
        F, G, H = ours.evaluate_many(X)
        np.testing.assert_allclose(F, values["F"][:, 0], rtol=1e-13)
        if G.size:
            np.testing.assert_allclose(G, values["G"], rtol=1e-12, atol=1e-12)
        if H.size:
            np.testing.assert_allclose(H, values["H"], rtol=1e-12, atol=1e-12)

    def test_solved(self):
        res = de2ls.minimize(from_pymoo(get_problem("g24"), True), max_evals=10_000, seed=1)
        assert res.fun == pytest.approx(-5.50801327, rel=1e-4)

    def test_several_objectives_are_refused(self):
        with pytest.raises(ValueError, match="problem must"):
            from_pymoo(get_problem("zdt1"))


@pytest.mark.slow
def test_the_g_suite():
    """At least 20 of 23 within 1e-4 of the optimum in the median of 11 seeds.

    The compiled definitions run here agree with pymoo's (`tests/suites/test_cec2006.py`).
    """
    solved = []
    for k in DEFINITIONS:
        problem = cec2006(k)
        errors = []
        for seed in range(1, 12):
            res = de2ls.minimize(problem, max_evals=500_000, seed=seed)
            assert res.nfev <= 500_000
            error = (res.fun - problem.best_known) / abs(problem.best_known)
            errors.append(error if res.feasible else np.inf)
        if np.median(errors) <= 1e-4:
            solved.append(k)
    assert len(solved) >= 20, f"solved only {solved}"

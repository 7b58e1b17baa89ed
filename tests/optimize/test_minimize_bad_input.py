"""Bad input: each case with its exact error type and a message that names the argument."""

import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint

import de2ls
from de2ls.optimize.search import EvaluationError
from de2ls.problems import Problem

BOX = [(-1.0, 1.0), (0.0, 2.0)]


def sphere(x):
    return float(x @ x)


def fgh(x):
    return 0.0, [x[0]], [x[1]]


def inequality(fun, **kwargs):
    return {"type": "ineq", "fun": fun, **kwargs}


class Case(NamedTuple):
    changes: dict[
        str, Any
    ]  # arguments that differ from minimize(sphere, BOX, max_evals=100, seed=1)
    error: type[Exception]
    message: str  # its beginning


nan, inf = float("nan"), float("inf")
A_PROBLEM = de2ls.problem(sphere, BOX)


CASES = {
    # fun and args
    "fun no callable": Case({"fun": 3}, TypeError, "fun must be callable, got 3"),
    "fun None": Case({"fun": None}, TypeError, "fun must be callable, got None"),
    "args no tuple": Case({"args": [1]}, TypeError, "args must be a tuple, got [1]"),
    # bounds
    "bounds None": Case({"bounds": None}, TypeError, "bounds must"),
    "bounds a number": Case({"bounds": 1.0}, ValueError, "bounds must"),
    "bounds flat": Case({"bounds": [0, 1, 2]}, ValueError, "bounds must"),
    "bounds triples": Case({"bounds": [(0, 1, 2)] * 2}, ValueError, "bounds must"),
    "bounds empty": Case({"bounds": []}, ValueError, "bounds must"),
    "bounds ragged": Case({"bounds": [(0, 1), (0, 1, 2)]}, ValueError, "bounds must"),
    "bounds text": Case({"bounds": [("a", "b")] * 2}, TypeError, "bounds must"),
    "bounds complex": Case({"bounds": [(0, 1j)] * 2}, TypeError, "bounds must"),
    "bounds with None": Case({"bounds": [(0, 1), (0, None)]}, ValueError, "bounds must"),
    "bounds reversed": Case(
        {"bounds": [(0, 1), (3, 2)]},
        ValueError,
        "bounds must leave low <= high in each coordinate; coordinate 1 has low=3, high=2",
    ),
    "bounds all equal": Case({"bounds": [(0, 0), (2, 2)]}, ValueError, "bounds must"),
    "bounds infinite": Case({"bounds": [(-inf, inf), (0, 1)]}, ValueError, "bounds must be finite"),
    "bounds NaN": Case({"bounds": [(0, nan), (0, 1)]}, ValueError, "bounds must be finite"),
    "Bounds infinite": Case({"bounds": Bounds([0, 0], inf)}, ValueError, "bounds must be finite"),
    "bounds without a choice left": Case(
        {"bounds": [(0, 1), de2ls.choices([1, 2])], "constraints": Bounds([0, 1.2], [1, 1.8])},
        ValueError,
        "bounds must leave one of the choices in each coordinate; coordinate 1",
    ),
    "integrality of choices": Case(
        {"bounds": [(0, 1), de2ls.choices([1, 2])], "integrality": True},
        ValueError,
        "integrality must",
    ),
    "x0 outside the choices": Case(
        {"bounds": [(0, 1), de2ls.choices([1, 2])], "x0": [0, 3]},
        ValueError,
        "x0 must lie within the bounds; coordinate 1 is 3, outside [1, 2]",
    ),
    "x0 off a fixed coordinate": Case(
        {"bounds": [(0, 1), (2, 2)], "x0": [0, 1.5]},
        ValueError,
        "x0 must lie within the bounds; coordinate 1 is 1.5, outside [2, 2]",
    ),
    # constraints
    "constraints None": Case({"constraints": None}, TypeError, "constraints must"),
    "constraints a function": Case({"constraints": sphere}, TypeError, "constraints must"),
    "constraints with a number": Case(
        {"constraints": [inequality(sphere), 3]}, TypeError, "constraints[1] must"
    ),
    "dict without type": Case(
        {"constraints": [{"fun": sphere}]}, ValueError, "constraints[0] must have the key 'type'"
    ),
    "dict without fun": Case(
        {"constraints": {"type": "eq"}}, ValueError, "constraints must have the key 'fun'"
    ),
    "dict of unknown type": Case(
        {"constraints": [{"type": "inequality", "fun": sphere}]},
        ValueError,
        "constraints[0]['type'] must be one of eq, ineq; got 'inequality'",
    ),
    "dict type a number": Case(
        {"constraints": [{"type": 0, "fun": sphere}]},
        ValueError,
        "constraints[0]['type'] must be one of eq, ineq; got 0",
    ),
    "dict with a misspelt key": Case(
        {"constraints": [{"type": "eq", "fun": sphere, "arg": (1,)}]},
        ValueError,
        "constraints[0] has the unknown key 'arg' (did you mean 'args'?)",
    ),
    "dict fun no callable": Case(
        {"constraints": [{"type": "eq", "fun": 1.0}]},
        TypeError,
        "constraints[0]['fun'] must be callable, got 1.0",
    ),
    "dict args no tuple": Case(
        {"constraints": [inequality(sphere, args=5)]},
        TypeError,
        "constraints[0]['args'] must be a tuple, got 5",
    ),
    "nonlinear fun no callable": Case(
        {"constraints": NonlinearConstraint(None, 0, 1)},
        TypeError,
        "constraints.fun must be callable, got None",
    ),
    "nonlinear limits reversed": Case(
        {"constraints": [NonlinearConstraint(sphere, [2.0], [1.0])]},
        ValueError,
        "constraints[0] must have lb <= ub",
    ),
    "nonlinear limits NaN": Case(
        {"constraints": [NonlinearConstraint(sphere, nan, 1.0)]},
        ValueError,
        "constraints[0].lb must be one number or a vector without NaN, got nan",
    ),
    "nonlinear limits text": Case(
        {"constraints": [NonlinearConstraint(sphere, 0, "high")]},
        TypeError,
        "constraints[0].ub must be real numbers, got 'high'",
    ),
    "nonlinear limits a matrix": Case(
        {"constraints": [NonlinearConstraint(sphere, np.zeros((2, 2)), 1)]},
        ValueError,
        "constraints[0].lb must be one number or a vector",
    ),
    "nonlinear limits impossible": Case(
        {"constraints": [NonlinearConstraint(sphere, [inf], [inf])]},
        ValueError,
        "constraints[0] must",
    ),
    "nonlinear limits of two lengths": Case(
        {"constraints": [NonlinearConstraint(sphere, [0, 0], [1, 1, 1])]},
        ValueError,
        "constraints[0] must",
    ),
    "nonlinear keep_feasible": Case(
        {"constraints": [NonlinearConstraint(sphere, 0, 1, keep_feasible=True)]},
        ValueError,
        "constraints[0].keep_feasible must be False: the search learns from infeasible points",
    ),
    "linear keep_feasible": Case(
        {"constraints": [LinearConstraint([[1, 1]], 0, 1, keep_feasible=[True])]},
        ValueError,
        "constraints[0].keep_feasible must be False",
    ),
    "linear of another dimension": Case(
        {"constraints": [LinearConstraint([[1, 1, 1]], 0, 1)]},
        ValueError,
        "constraints[0].A must have 2 columns, got shape (1, 3)",
    ),
    "linear with NaN": Case(
        {"constraints": [LinearConstraint([[1, nan]], 0, 1)]},
        ValueError,
        "constraints[0].A must hold finite numbers",
    ),
    "linear limits reversed": Case(
        {"constraints": [LinearConstraint([[1, 1]], 2, 1)]},
        ValueError,
        "constraints[0] must have lb <= ub",
    ),
    "Bounds of another dimension": Case(
        {"constraints": [Bounds([0, 0, 0], [1, 1, 1])]},
        ValueError,
        "constraints[0] must",
    ),
    "Bounds that leave nothing": Case(
        {"constraints": [Bounds([2, 0], [3, 1])]},
        ValueError,
        "bounds must leave low <= high in each coordinate; coordinate 0 has low=2, high=1",
    ),
    # what the functions return before the run: constraints of unknown length are called once
    "constraint returns text": Case(
        {"constraints": [inequality(lambda x: "much")]},
        TypeError,
        "constraints[0] must",
    ),
    "constraint returns None": Case(
        {"constraints": [inequality(lambda x: None)]},
        TypeError,
        "constraints[0] must",
    ),
    "constraint returns truth": Case(
        {"constraints": [inequality(lambda x: x[0] > 0)]},
        TypeError,
        "constraints[0] must return real numbers",
    ),
    "constraint returns a matrix": Case(
        {"constraints": [inequality(lambda x: np.zeros((2, 2)))]},
        ValueError,
        "constraints[0] must",
    ),
    "constraint returns a ragged list": Case(
        {"constraints": [inequality(lambda x: [1.0, [2.0, 3.0]])]},
        ValueError,
        "constraints[0] must",
    ),
    "constraint raises in the middle": Case(
        {"constraints": [inequality(lambda x: 1 / 0)]},
        ValueError,
        "constraints[0] must have a value in the middle of the box, where its values are counted; "
        "at x=[0.0, 1.0] it raised ZeroDivisionError: division by zero",
    ),
    # what the functions return during the run
    "fun returns None": Case(
        {"fun": lambda x: None},
        EvaluationError,
        "fun or a constraint failed with TypeError: fun must return real numbers, got None",
    ),
    "fun returns complex": Case(
        {"fun": lambda x: 1 + 2j},
        EvaluationError,
        "fun or a constraint failed with TypeError: fun must return real numbers, got (1+2j)",
    ),
    "fun returns text": Case(
        {"fun": lambda x: "1.5"},
        EvaluationError,
        "fun or a constraint failed with TypeError: fun must return real numbers, got '1.5'",
    ),
    "fun returns a vector": Case(
        {"fun": lambda x: x},
        EvaluationError,
        "fun or a constraint failed with ValueError: fun must return 1 real number, got shape (2,)",
    ),
    "fun returns f, g, h unasked": Case(
        {"fun": fgh},
        EvaluationError,
        "fun or a constraint failed with TypeError: fun must return 1 real number, got 3 values; "
        "give n_ineq and n_eq if it returns (f, g, h)",
    ),
    "fun raises": Case(
        {"fun": lambda x: 1 / 0},
        EvaluationError,
        "fun or a constraint failed with ZeroDivisionError: division by zero (at x=[",
    ),
    "fun without f, g, h": Case(
        {"n_ineq": 1},
        EvaluationError,
        "fun or a constraint failed with TypeError: fun must return (f, g, h) because n_ineq or",
    ),
    "fun with too many g": Case(
        {"fun": fgh, "n_ineq": 2, "n_eq": 1},
        EvaluationError,
        "fun or a constraint failed with ValueError: fun must return as g a vector of 2 real",
    ),
    "fun with missing h": Case(
        {"fun": fgh, "n_ineq": 1},
        EvaluationError,
        "fun or a constraint failed with ValueError: fun must return as h a vector of 0 real",
    ),
    "constraint of another length": Case(
        {"constraints": [NonlinearConstraint(sphere, [0, 0], [1, 1])]},
        EvaluationError,
        "fun or a constraint failed with ValueError: constraints[0] must return a vector of 2",
    ),
    "vectorised fun returns rows": Case(
        {"fun": lambda x: (x**2).sum(axis=1), "vectorized": True},
        EvaluationError,
        "fun or a constraint failed with ValueError: fun must return shape (1, 8) or (8,)",
    ),
    "vectorised fun with g unasked": Case(
        {"fun": lambda x: (x[0], x, x[0]), "vectorized": True, "n_eq": 1},
        EvaluationError,
        "fun or a constraint failed with ValueError: fun must return as g shape (0, 8)",
    ),
    # numbers of constraints
    "n_ineq negative": Case({"n_ineq": -1}, ValueError, "n_ineq must"),
    "n_eq a fraction": Case({"n_eq": 1.5}, TypeError, "n_eq must"),
    "n_ineq a truth value": Case({"n_ineq": True}, TypeError, "n_ineq must be an integer"),
    # the search
    "algorithm misspelt": Case({"algorithm": "de2l"}, ValueError, "algorithm must"),
    "algorithm None": Case({"algorithm": None}, TypeError, "algorithm must"),
    "config with a misspelt field": Case(
        {"algorithm": "de2ls", "config": {"ls_srr": 0.9}},
        ValueError,
        "config has no field 'ls_srr' (did you mean 'ls_sr",
    ),
    "config no mapping": Case({"config": 7}, TypeError, "config must be a mapping"),
    "config out of range": Case(
        {"algorithm": "de2ls", "config": {"ls_sr": 2.0}}, ValueError, "ls_sr must be a finite"
    ),
    "max_evals zero": Case({"max_evals": 0}, ValueError, "max_evals must"),
    "max_evals a fraction": Case({"max_evals": 99.5}, TypeError, "max_evals must be an integer"),
    "max_evals text": Case({"max_evals": "many"}, TypeError, "max_evals must be an integer"),
    "max_evals infinite": Case({"max_evals": inf}, TypeError, "max_evals must be an integer"),
    "x0 of another length": Case(
        {"x0": [0.0]}, ValueError, "x0 must be a vector of 2 real numbers, got shape (1,)"
    ),
    "x0 NaN": Case(
        {"x0": [0.0, nan]}, ValueError, "x0 must be a vector of 2 real numbers, got NaN"
    ),
    "x0 text": Case({"x0": ["a", "b"]}, TypeError, "x0 must be a vector of 2 real numbers"),
    "x0 outside": Case(
        {"x0": [0.0, 3.0]},
        ValueError,
        "x0 must lie within the bounds; coordinate 1 is 3, outside [0, 2]",
    ),
    "x0 outside by a rounding": Case(
        {"bounds": [(0, 0.3), (0, 1)], "x0": [0.1 + 0.2, 0.0]},
        ValueError,
        "x0 must lie within the bounds; coordinate 0 is 0.30000000000000004, outside [0, 0.3]",
    ),
    "x0 of more rows than evaluations": Case(
        {"x0": [[0.1, 0.2]] * 50, "max_evals": 20},
        ValueError,
        "x0 must have at most as many rows as there are evaluations, got 50 rows and max_evals=20",
    ),
    "x0 one number for two coordinates": Case(
        {"x0": 0.5}, ValueError, "x0 must be a vector of 2 real numbers, got shape ()"
    ),
    "x0 outside an integer's bounds": Case(
        {"x0": [0.0, 2.7], "integrality": True},
        ValueError,
        "x0 must lie within the bounds; coordinate 1 is 2.7, outside [0, 2]",
    ),
    "rng a fraction": Case({"seed": None, "rng": 1.5}, TypeError, "rng must"),
    "rng negative": Case({"seed": None, "rng": -1}, ValueError, "rng must"),
    "algorithm in capitals": Case({"algorithm": "Chorus"}, ValueError, "algorithm must"),
    "seed negative": Case({"seed": -1}, ValueError, "seed must"),
    "seed text": Case({"seed": "one"}, TypeError, "seed must"),
    "seed a fraction": Case({"seed": 1.5}, TypeError, "seed must"),
    "integrality of another length": Case(
        {"integrality": [True]},
        ValueError,
        "integrality must",
    ),
    "integrality text": Case({"integrality": "all"}, TypeError, "integrality must be one truth"),
    "integrality of other numbers": Case({"integrality": [0, 2]}, TypeError, "integrality must"),
    "integrality without an integer": Case(
        {"bounds": [(0.1, 0.9), (0, 1)], "integrality": [True, False]},
        ValueError,
        "bounds must leave an integer between the limits in each coordinate; coordinate 0 has "
        "low=0.1, high=0.9",
    ),
    "vectorized a number": Case({"vectorized": 1}, TypeError, "vectorized must be True or False"),
    "workers zero": Case({"workers": 0}, ValueError, "workers must"),
    "workers negative": Case({"workers": -2}, ValueError, "workers must"),
    "workers text": Case({"workers": "two"}, TypeError, "workers must"),
    "workers a truth value": Case({"workers": True}, TypeError, "workers must"),
    "workers a fraction": Case({"workers": 1.0}, TypeError, "workers must"),
    "workers an array": Case({"workers": np.ones(2)}, TypeError, "workers must"),
    "workers that lose a point": Case(
        {"workers": lambda task, points: [task(x) for x in points[1:]]},
        EvaluationError,
        "workers failed with TypeError: workers must be map-like: workers(task, points) gives "
        "task(point) of each point in turn, got 7 results of 8 points",
    ),
    "workers that do not call": Case(
        {"workers": lambda task, points: [0.0 for _ in points]},
        EvaluationError,
        "workers failed with TypeError: workers must be map-like",
    ),
    "workers and vectorized": Case({"workers": 2, "vectorized": True}, ValueError, "workers must"),
    "batch zero": Case({"batch": 0}, ValueError, "batch must"),
    "batch a fraction": Case({"batch": 2.5}, TypeError, "batch must"),
    "callback no callable": Case({"callback": 1}, TypeError, "callback must"),
    "callback of one argument": Case({"callback": lambda xk: None}, TypeError, "callback must"),
    "callback of three": Case(
        {"callback": lambda intermediate_result, a, b: None}, TypeError, "callback must"
    ),
    "target text": Case({"target": "low"}, TypeError, "target must"),
    "target NaN": Case({"target": nan}, ValueError, "target must"),
    "max_time negative": Case({"max_time": -1}, ValueError, "max_time must be a finite number of"),
    "max_time text": Case({"max_time": "1 s"}, TypeError, "max_time must be a finite number"),
    "stall zero": Case({"stall": 0}, ValueError, "stall must"),
    "stall a fraction": Case({"stall": 0.5}, TypeError, "stall must"),
    "tol negative": Case({"tol": -0.1}, ValueError, "tol must"),
    "constraint_tol negative": Case(
        {"constraint_tol": -1e-4},
        ValueError,
        "constraint_tol must",
    ),
    "constraint_tol infinite": Case({"constraint_tol": inf}, ValueError, "constraint_tol must be"),
    "polish a number": Case({"polish": 1}, TypeError, "polish must be True or False, got 1"),
    "disp a number": Case({"disp": 1}, TypeError, "disp must be True or False, got 1"),
    "on_error misspelt": Case(
        {"on_error": "penalise"},
        ValueError,
        "on_error must be one of raise, penalize; got 'penalise' (did you mean 'penalize'?)",
    ),
    # a Problem brings everything along
    "Problem and bounds": Case({"fun": A_PROBLEM}, ValueError, "bounds must"),
    "Problem and an array of bounds": Case(
        {"fun": A_PROBLEM, "bounds": np.array(BOX)},
        ValueError,
        "bounds must",
    ),
    "Problem and constraints": Case(
        {"fun": A_PROBLEM, "bounds": None, "constraints": inequality(sphere)},
        ValueError,
        "constraints must",
    ),
    "Problem and integrality": Case(
        {"fun": A_PROBLEM, "bounds": None, "integrality": True},
        ValueError,
        "integrality must",
    ),
}


def test_there_are_enough_cases():
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_bad_input(case):
    arguments = {"fun": sphere, "bounds": BOX, "max_evals": 100, "seed": 1, **case.changes}
    fun, bounds = arguments.pop("fun"), arguments.pop("bounds")
    with pytest.raises(case.error, match=f"^{re.escape(case.message)}") as caught:
        de2ls.minimize(fun, bounds, **arguments)
    assert type(caught.value) is case.error


def test_unknown_argument():
    with pytest.raises(TypeError, match="max_evaluations"):
        de2ls.minimize(sphere, BOX, max_evaluations=100)


def test_compiled_problem_and_workers():
    compiled = Problem("C", [0, 0], [1, 1], 0, 0, kernel=de2ls.cec2017(1, dim=2, instance=1).kernel)
    with pytest.raises(ValueError, match="workers must"):
        de2ls.minimize(compiled, workers=2, max_evals=100)


def test_a_name_in_other_letters_is_suggested():
    with pytest.raises(ValueError, match="did you mean 'chorus'"):
        de2ls.minimize(sphere, BOX, algorithm="CHORUS")


def test_a_misspelt_public_name_is_suggested():
    with pytest.raises(AttributeError, match="did you mean 'minimize'"):
        de2ls.minimise  # noqa: B018


@pytest.mark.parametrize("error", [AssertionError(), ValueError("why")])
def test_an_error_without_a_text_ends_without_a_colon(error):
    def fun(x):
        raise error

    told = f"failed with {type(error).__name__}{': why' if error.args else ''} (at x=["
    with pytest.raises(EvaluationError, match=re.escape(told)):
        de2ls.minimize(fun, BOX, max_evals=100, seed=1)


def test_a_long_point_is_shortened_in_the_message_only():
    def fun(x):
        raise ValueError("why")

    with pytest.raises(EvaluationError) as caught:
        de2ls.minimize(fun, [(0, 1)] * 1000, max_evals=100, seed=1)
    assert len(str(caught.value)) < 1000
    assert "...] of 1000 coordinates" in str(caught.value)
    assert caught.value.x.size == 1000

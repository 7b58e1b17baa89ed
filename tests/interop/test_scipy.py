"""`method` for `scipy.optimize.minimize`."""

import numpy as np
import pytest
import scipy.optimize

import de2ls
from de2ls.interop.scipy import method

BOX = [(-2.0, 2.0), (-2.0, 2.0)]
OPTIONS = {"max_evals": 3000, "seed": 1}


def fun(x, shift=0.0):
    return float((x[0] - shift) ** 2 + (x[1] + 1) ** 2)


def test_is_the_same_as_our_own_call():
    limit = {"type": "ineq", "fun": lambda x: x[0] - 1}
    theirs = scipy.optimize.minimize(
        fun, [0.5, 0.5], method=method, bounds=BOX, constraints=limit, options=OPTIONS
    )
    ours = de2ls.minimize(fun, BOX, constraints=limit, x0=[0.5, 0.5], **OPTIONS)
    assert isinstance(theirs, scipy.optimize.OptimizeResult)
    assert theirs.fun == ours.fun
    assert (theirs.x == ours.x).all()
    np.testing.assert_allclose(theirs.x, [1, -1], atol=1e-3)


def test_args_bounds_object_and_constraint_objects():
    res = scipy.optimize.minimize(
        fun,
        [0, 0],
        args=(0.25,),
        method=method,
        bounds=scipy.optimize.Bounds(-2, [2, 2]),
        constraints=scipy.optimize.LinearConstraint([[0, 1]], lb=0),
        options=OPTIONS,
    )
    np.testing.assert_allclose(res.x, [0.25, 0], atol=1e-3)


def test_callbacks_of_both_kinds():
    calls = []

    def by_keyword(intermediate_result):
        calls.append(intermediate_result.nfev)
        if len(calls) == 3:
            raise StopIteration

    def by_point(xk):
        calls.append(len(xk))
        if len(calls) == 3:
            raise StopIteration

    for one in (by_keyword, by_point):
        calls.clear()
        res = scipy.optimize.minimize(
            fun, [0, 0], method=method, bounds=BOX, callback=one, options=OPTIONS
        )
        assert len(calls) == 3
        assert res.status == 5


def test_tolerance_is_handed_on():
    # of an algorithm with a population, whose spread it measures
    options = {**OPTIONS, "algorithm": "de2ls"}
    res = scipy.optimize.minimize(
        lambda x: 1 + fun(x), [0, 0], method=method, bounds=BOX, tol=0.5, options=options
    )
    assert res.status == 2


def test_derivatives_are_not_used():
    with pytest.warns(RuntimeWarning, match=r"derivatives.*jac"):
        scipy.optimize.minimize(
            fun, [0, 0], method=method, bounds=BOX, jac=lambda x: 2 * x, options={"max_evals": 50}
        )


def test_bounds_are_needed():
    with pytest.raises(TypeError, match="bounds must be a sequence"):
        scipy.optimize.minimize(fun, [0, 0], method=method)


def test_misspelt_options():
    with pytest.raises(TypeError, match="max_eval"):
        scipy.optimize.minimize(fun, [0, 0], method=method, bounds=BOX, options={"max_eval": 5})

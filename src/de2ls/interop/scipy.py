"""SciPy: `method` for `scipy.optimize.minimize`.

>>> import scipy.optimize
>>> from de2ls.interop.scipy import method
>>> res = scipy.optimize.minimize(
...     lambda x: x @ x, [1.0, 1.0], method=method, bounds=[(-2, 2)] * 2,
...     options={"max_evals": 2000, "seed": 1},
... )
>>> bool(res.fun < 1e-6)
True
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from de2ls.optimize.minimizer import minimize
from de2ls.optimize.result import MinimizeResult


def method(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    callback: Callable[..., Any] | None = None,
    **options: Any,
) -> MinimizeResult:
    """Run `de2ls.minimize` as a method of `scipy.optimize.minimize`.

    `x0` is the first guess, derivatives are not used, and `options` are the further arguments of
    `de2ls.minimize`, such as `max_evals` and `seed`. Bounds are needed.
    """
    for name, derivative in (("jac", jac), ("hess", hess), ("hessp", hessp)):
        if callable(derivative):
            warnings.warn(f"de2ls does not use derivatives ({name})", RuntimeWarning, stacklevel=3)
    told = None if callback is None else _by_keyword(callback)
    return minimize(
        fun,
        bounds,
        args if isinstance(args, tuple) else (args,),
        constraints,
        x0=np.asarray(x0),
        callback=told,
        **options,
    )


def _by_keyword(callback: Callable[..., Any]) -> Callable[..., Any]:
    """SciPy has wrapped the user's callback: it takes the result as its only argument."""

    def told(intermediate_result: MinimizeResult) -> Any:
        return callback(intermediate_result)

    return told

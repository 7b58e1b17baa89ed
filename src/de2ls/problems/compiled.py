"""A user's ``@njit`` functions as one compiled kernel: the search never returns to Python."""

import sys
import warnings
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from de2ls.problems.problem import CompiledKernel

if TYPE_CHECKING:
    from de2ls.problems.constraints import Constraint
    from de2ls.problems.variables import Variables
    from de2ls.problems.wrap import UserFunction

Function = TypeVar("Function", bound=Callable[..., Any])
_KERNELS: dict[Any, CompiledKernel] = {}  # by what they were made of
MOST_KERNELS = 32  # that are kept
Fill = Callable[
    [Any, Any, Any], None
]  # compiled: reads x, may use the copy, writes its part of out


def _compiled(function: Function) -> Function:
    """Compile a closure around a user's function; it is not cached on disk."""
    from numba import njit

    return cast("Function", njit(nogil=True)(function))


def _inner(function: Function) -> Function:
    """Compile a closure that only compiled code calls, without the wrappers for others."""
    from numba import njit

    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast("Function", njit(nogil=True, **options)(function))


def is_compiled(function: Any) -> bool:
    """Whether `function` is compiled with ``numba.njit``."""
    if "numba" not in sys.modules:  # without it no function is compiled
        return False
    from numba.core.dispatcher import Dispatcher

    return isinstance(function, Dispatcher)


def kernel(function: "UserFunction") -> CompiledKernel | None:
    """Return the compiled form of the user's functions; None if one of them is plain Python.

    It is compiled once per process: the same functions in the same box have the same form.
    """
    nonlinear = [c for c in function.constraints if c.matrix is None]
    if not all(is_compiled(f) for f in (function.fun, *(c.function for c in nonlinear))):
        return None
    try:
        identity = _identity(function)
        known = _KERNELS.get(identity)
    except TypeError:  # an argument that cannot be hashed
        return _new_kernel(function)
    if known is None and (known := _new_kernel(function)) is not None:
        _KERNELS[identity] = known
        while len(_KERNELS) > MOST_KERNELS:
            del _KERNELS[next(iter(_KERNELS))]
    return known


def _identity(function: "UserFunction") -> Any:
    """Return all that a compiled form depends on, so that equal ones can be shared."""
    variables = function.variables
    parts = [(c.function, c.matrix, c.args, c.rows, c.size) for c in function.constraints]
    box = (variables.low, variables.high, variables.free, variables.at, *variables.table)
    return _hashable((function.fun, function.args, function.own, box, variables.steps, parts))


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, tuple | list):
        return tuple(_hashable(item) for item in value)
    return type(value), value


def _new_kernel(function: "UserFunction") -> CompiledKernel | None:
    from numba.core.errors import NumbaError

    fill = _objective(function)
    for constraint, place in zip(function.constraints, function.places, strict=True):
        fill = _chain(fill, _constraint(constraint, place))
    evaluate = _evaluate(fill, function.variables)
    try:
        evaluate.compile(_signature())  # type: ignore[attr-defined]
    except NumbaError as error:
        warnings.warn(
            "fun and its constraints are called from Python, though compiled: they do not fit into "
            f"the search loop ({type(error).__name__}). There fun must return a float (or f, g, h) "
            "and a constraint a float, an array or a tuple of floats; args must be numbers, arrays "
            "or tuples of these",
            RuntimeWarning,
            stacklevel=3,
        )
        return None
    return CompiledKernel(evaluate, np.empty(0), n_work=2 * function.variables.size)


def guarded(compiled: CompiledKernel) -> CompiledKernel:
    """Return a kernel that gives NaN where `compiled` raises."""
    evaluate = _guard(compiled.evaluate)
    return CompiledKernel(evaluate, compiled.params, compiled.n_work, raises=False)


@lru_cache(maxsize=32)
def _guard(evaluate: Callable[..., None]) -> Callable[..., None]:
    @_compiled
    def guard(x: Any, params: Any, work: Any, out: Any) -> None:
        try:
            evaluate(x, params, work, out)
        except Exception:
            for k in range(out.size):
                out[k] = np.nan

    return guard


def _signature() -> Any:
    from numba import types

    return types.void(*[types.float64[::1]] * 4)


def _evaluate(fill: Fill, variables: "Variables") -> Callable[..., None]:
    """Return the kernel: it hands the design of a point to `fill`, and room to copy it.

    Every function of the user gets its own copy, so that what it writes there reaches no other.
    """
    fixed, free = variables.low, variables.free
    at, (first, last) = variables.free[variables.at], variables.steps
    values, start = variables.table

    @_compiled
    def evaluate(x: Any, params: Any, work: Any, out: Any) -> None:  # noqa: ARG001
        design, copy = work[: fixed.size], work[fixed.size :]
        design[:] = fixed
        for j in range(free.size):
            design[free[j]] = x[j]
        for k in range(at.size):
            step = min(max(np.rint(design[at[k]]) + 0.0, first[k]), last[k])
            design[at[k]] = step if start[k] < 0 else values[start[k] + int(step)]
        fill(design, copy, out)

    return evaluate


def _chain(first: Fill, second: Fill) -> Fill:
    @_inner
    def chain(x: Any, copy: Any, out: Any) -> None:
        first(x, copy, out)
        second(x, copy, out)

    return chain


def _objective(function: "UserFunction") -> Fill:
    fun, args = function.fun, function.args
    if function.own is None:

        @_inner
        def objective(x: Any, copy: Any, out: Any) -> None:
            copy[:] = x
            out[0] = fun(copy, *args)

        return objective

    item, size = _accessors()
    n_ineq, n_eq = function.own
    (g_place, h_place) = function.slices[0]
    g_start, h_start = g_place.start, h_place.start

    @_inner
    def objective_and_constraints(x: Any, copy: Any, out: Any) -> None:
        copy[:] = x
        f, g, h = fun(copy, *args)
        if size(g) != n_ineq:
            raise ValueError("fun must return n_ineq values g")
        if size(h) != n_eq:
            raise ValueError("fun must return n_eq values h")
        out[0] = f
        for k in range(n_ineq):
            out[g_start + k] = item(g, k)
        for k in range(n_eq):
            out[h_start + k] = item(h, k)

    return objective_and_constraints


def _constraint(constraint: "Constraint", place: Any) -> Fill:
    linear = constraint.matrix is not None
    values = _matrix_product(constraint.matrix) if linear else constraint.function
    item, size = _accessors()
    n_values, args = constraint.size, constraint.args
    message = f"{constraint.label} must return {n_values} values"
    at, sign, shift = constraint.rows

    @_inner
    def fill(x: Any, copy: Any, out: Any) -> None:
        copy[:] = x
        c = values(copy, *args)
        if size(c) != n_values:
            raise ValueError(message)
        for k in range(at.size):
            out[place[k]] = sign[k] * item(c, at[k]) + shift[k]

    return fill


def _matrix_product(matrix: Any) -> Callable[..., Any]:
    A = np.ascontiguousarray(matrix)

    @_inner
    def product(x: Any) -> Any:
        c = np.zeros(A.shape[0])
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                c[i] += A[i, j] * x[j]
        return c

    return product


@cache
def _accessors() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return compiled ``item(values, k)`` and ``size(values)`` for a number, array or tuple."""
    from numba import types
    from numba.extending import overload

    def value_at(values: Any, k: int) -> Any: ...

    def count(values: Any) -> Any: ...

    @overload(value_at)  # type: ignore[untyped-decorator]
    def _value_at(values: Any, k: int) -> Any:  # noqa: ARG001
        def number(values: Any, k: int) -> Any:  # noqa: ARG001
            return values

        def element(values: Any, k: int) -> Any:
            return values[k]

        def nothing(values: Any, k: int) -> Any:  # noqa: ARG001
            return np.nan

        if isinstance(values, types.Number):
            return number
        empty = isinstance(values, types.BaseTuple) and len(values) == 0
        return nothing if empty else element

    @overload(count)  # type: ignore[untyped-decorator]
    def _count(values: Any) -> Any:
        def one(values: Any) -> Any:  # noqa: ARG001
            return 1

        def length(values: Any) -> Any:
            return len(values)

        return one if isinstance(values, types.Number) else length

    item = _inner(lambda values, k: value_at(values, k))
    size = _inner(lambda values: count(values))
    return item, size

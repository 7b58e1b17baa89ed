"""`problem`: a `Problem` from a user's own functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.problems import compiled
from de2ls.problems.constraints import Constraint, box, normalise, real_matrix, real_vector
from de2ls.problems.problem import CompiledKernel, Problem
from de2ls.problems.tolerances import tolerances
from de2ls.problems.variables import Choices, Variables


class UserFunction:
    """The user's functions as ``function(x, out)``, with what they return checked.

    Each function gets its own copy of the point, so that it may keep or change it.
    """

    def __init__(
        self,
        variables: Variables,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        constraints: Sequence[Constraint],
        own: tuple[int, int] | None,
        vectorized: bool,
    ) -> None:
        self.variables = variables
        self.fun = fun
        self.args = args
        self.constraints = tuple(constraints)
        self.own = own  # numbers of inequalities and equalities that `fun` itself returns
        self.vectorized = vectorized
        n_ineq, n_eq = own or (0, 0)
        self.n_ineq = n_ineq + sum(c.ineq.at.size for c in self.constraints)
        self.n_eq = n_eq + sum(c.eq.at.size for c in self.constraints)
        self.slices = self._slices(n_ineq, n_eq)
        self.places = [
            np.r_[g, h].astype(np.intp) for g, h in self.slices[1:]
        ]  # of each constraint's rows among f, g, h

    def _slices(self, n_ineq: int, n_eq: int) -> list[tuple[slice, slice]]:
        """Where the g and h of `fun` and of each constraint stand among f, g, h."""
        g, h = 1, 1 + self.n_ineq
        places = []
        sizes = [(c.ineq.at.size, c.eq.at.size) for c in self.constraints]
        for g_size, h_size in [(n_ineq, n_eq), *sizes]:
            places.append((slice(g, g + g_size), slice(h, h + h_size)))
            g, h = g + g_size, h + h_size
        return places

    def __call__(self, x: FloatArray, out: FloatArray) -> None:
        """Fill `out` with f, g, h of the point `x`."""
        if self.vectorized:
            self.many(x[np.newaxis], out[np.newaxis])
            return
        point = self.variables.decode(x)
        value = self.fun(point.copy(), *self.args)
        if self.own is not None:
            value = self._fill_own(value, out)
        out[0] = value if isinstance(value, float) else _number(value)
        for constraint, place in zip(self.constraints, self.places, strict=True):
            at, sign, shift = constraint.rows
            out[place] = sign * constraint.values(point.copy())[at] + shift

    def many(self, X: FloatArray, out: FloatArray) -> None:
        """Fill the rows of `out` with f, g, h of the rows of `X`."""
        if not self.vectorized:
            for x, row in zip(X, out, strict=True):
                self(x, row)
            return
        n = X.shape[0]
        points = self.variables.decode(X)
        value = self.fun(points.T.copy(), *self.args)
        if self.own is not None:
            f, g_own, h_own = _triple(value)
            g, h = self.slices[0]
            out[:, g] = real_matrix("fun must return as g", g_own, self.own[0], n).T
            out[:, h] = real_matrix("fun must return as h", h_own, self.own[1], n).T
            value = f
        out[:, 0] = real_matrix("fun must return", value, 1, n)[0]
        for constraint, place in zip(self.constraints, self.places, strict=True):
            at, sign, shift = constraint.rows
            c = constraint.values_many(points.T.copy())
            out[:, place] = (sign[:, np.newaxis] * c[at] + shift[:, np.newaxis]).T

    def kernel(self) -> CompiledKernel | None:
        """Return the compiled form, if all functions are compiled with ``numba.njit``."""
        return None if self.vectorized else compiled.kernel(self)

    def per_constraint(self, out: FloatArray) -> list[FloatArray]:
        """Return what belongs to each constraint's values, from one number per f, g (>= 0) and h.

        With constraints from `fun` itself these come first: g, then h.
        """
        parts = []
        if self.own is not None and any(self.own):
            g, h = self.slices[0]
            parts.append(np.concatenate([out[g], out[h]]))
        for constraint, (g, h) in zip(self.constraints, self.slices[1:], strict=True):
            parts.append(constraint.per_value(out[g], out[h]))
        return parts

    def _fill_own(self, value: Any, out: FloatArray) -> Any:
        f, g_own, h_own = _triple(value)
        g, h = self.slices[0]
        out[g] = real_vector("fun must return as g", g_own, g.stop - g.start)
        out[h] = real_vector("fun must return as h", h_own, h.stop - h.start)
        return f


def _triple(value: Any) -> tuple[Any, Any, Any]:
    if not isinstance(value, tuple | list) or len(value) != 3:
        raise TypeError(f"fun must return (f, g, h) because n_ineq or n_eq is given, got {value!r}")
    return value[0], value[1], value[2]


def _number(value: Any) -> float:
    """Return an objective, which may be an array of one number: many end in a matrix product."""
    if isinstance(value, tuple) and len(value) == 3:
        raise TypeError(
            "fun must return 1 real number, got 3 values; give n_ineq and n_eq if it returns "
            "(f, g, h)"
        )
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(())
    return float(real_vector("fun must return", value, 1)[0])


def problem(
    fun: Callable[..., Any],
    bounds: Any,
    args: tuple[Any, ...] = (),
    constraints: Any = (),
    *,
    n_ineq: int | None = None,
    n_eq: int | None = None,
    integrality: Any = None,
    vectorized: bool = False,
    constraint_tol: Any = None,
    name: str | None = None,
    best_known: float | None = None,
    jit: bool = True,
) -> Problem:
    """Make a `Problem` of your own functions.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)`` returns the objective as one real number, or ``(f, g, h)`` if `n_ineq` or
        `n_eq` is given. A function compiled with ``numba.njit`` is compiled into the search loop
        if the functions of all constraints are compiled too (linear ones always are).
    bounds : sequence of pairs and de2ls.choices, or scipy.optimize.Bounds
        Finite limits ``low <= high`` of each coordinate, or the values it may take. Equal limits
        fix it: the functions see it, the search leaves it out.
    args : tuple
        Further arguments of `fun`.
    constraints : constraint or sequence of constraints
        SciPy's `NonlinearConstraint`, `LinearConstraint` and `Bounds`, or dicts of
        `scipy.optimize.minimize`. Where the limits do not tell how many values a function returns,
        it is called once in the middle of the box.
    n_ineq, n_eq : int, optional
        Numbers of inequalities g <= 0 and equalities h = 0 that `fun` itself returns.
    integrality : array_like of bool, optional
        Which coordinates are integers. Their limits are moved to the integers inside the box, and
        the search runs in ``[low - 0.5, high + 0.5]``; the functions see the rounded value.
    vectorized : bool
        Whether the functions take many points at once, as the columns of an array of shape (D, S),
        and return shape (S,), constraints shape (M, S), as in SciPy.
    constraint_tol : float, tuple or list, optional
        By how much a constraint's value may exceed its limit: one number, a tuple (inequalities,
        equalities), or a list of one value per constraint (of `fun` itself one per g, then per h).
        1e-8 for inequalities and 1e-6 for equalities by default.
    name : str, optional
        What tables call the problem; by default the name of `fun`.
    best_known : float, optional
        The optimum, or a bound of it, where one is known.
    jit : bool
        Whether functions compiled with ``numba.njit`` are compiled into the search loop, which
        takes seconds, once per process and function; else they are called from Python.

    Returns
    -------
    Problem
        The problem, ready for `de2ls.run_trial` or `de2ls.minimize`.
    """
    if not callable(fun):
        raise TypeError(f"fun must be callable, got {fun!r}")
    if not isinstance(args, tuple):
        raise TypeError(f"args must be a tuple, got {args!r}")
    if not isinstance(vectorized, bool):
        raise TypeError(f"vectorized must be True or False, got {vectorized!r}")
    lower, upper, given = _limits(bounds)
    integer = _integer_mask(integrality, lower.size, given)
    variables = Variables(lower, upper, integer, given)
    lower, upper, found = normalise(
        constraints, lower, upper, variables.decode(_middle(variables)), vectorized
    )
    variables = Variables(lower, upper, integer, given)
    own = None
    if n_ineq is not None or n_eq is not None:
        own = (_checks.integer("n_ineq", n_ineq or 0, 0), _checks.integer("n_eq", n_eq or 0, 0))
    function = UserFunction(variables, fun, args, found, own, vectorized)
    tol = tolerances(constraint_tol, own or (0, 0), function.constraints)
    made = Problem(
        name=_name(fun) if name is None else name,
        lower=variables.box[0],
        upper=variables.box[1],
        n_ineq=function.n_ineq,
        n_eq=function.n_eq,
        function=function,
        many=function.many if vectorized else None,
        variables=variables,
        eq_tol=tol.eq,
        ineq_tol=tol.ineq,
        excess=function.n_eq > 0,
        best_known=None if best_known is None else _checks.real("best_known", best_known),
    )
    return made.compiled() if jit else made


def _name(fun: Callable[..., Any]) -> str:
    return str(getattr(fun, "__name__", type(fun).__name__))


def _limits(bounds: Any) -> tuple[FloatArray, FloatArray, dict[int, tuple[float, ...]]]:
    """Return lower and upper limits and, by coordinate, the choices among the bounds."""
    if not isinstance(bounds, list | tuple):
        return *box("bounds", bounds), {}
    given = {j: item.values for j, item in enumerate(bounds) if isinstance(item, Choices)}
    pairs = [
        (given[j][0], given[j][-1]) if j in given else _without_none(item)
        for j, item in enumerate(bounds)
    ]
    return *box("bounds", pairs), given


def _without_none(item: Any) -> Any:
    """Return a pair with SciPy's None, no limit, as infinity."""
    if isinstance(item, list | tuple) and len(item) == 2:
        low, high = item
        return (-np.inf if low is None else low, np.inf if high is None else high)
    return item


def _middle(variables: Variables) -> FloatArray:
    """Return the middle of the box; of two middle steps the lower one."""
    lower, upper = variables.box
    middle = (lower + upper) / 2
    return np.where(variables.discrete, np.floor(middle), middle)


def _integer_mask(
    integrality: Any, dim: int, given: Mapping[int, tuple[float, ...]]
) -> NDArray[np.bool_]:
    if integrality is None:
        return np.zeros(dim, dtype=np.bool_)
    expected = f"integrality must be one truth value or a vector of {dim}"
    try:
        array = np.asarray(integrality)
    except ValueError:
        raise ValueError(f"{expected}, got a ragged sequence") from None
    if array.dtype.kind not in "biu" or not np.isin(array, (0, 1)).all():
        raise TypeError(f"{expected}, got {integrality!r}")
    if array.shape not in ((), (dim,)):
        raise ValueError(f"{expected}, got shape {array.shape}")
    mask = np.broadcast_to(array.astype(np.bool_), (dim,)).copy()
    for j in given:
        if mask[j]:
            raise ValueError(
                f"integrality must be False where the bounds give choices, got True for "
                f"coordinate {j}: a choice takes exactly its values"
            )
    return mask

"""SciPy's constraint objects, and dicts of `scipy.optimize.minimize`, as g <= 0 and h = 0.

Every kind becomes ``lower <= c(x) <= upper`` for a vector c; each finite limit of a row then is one
inequality g <= 0, and a row with ``lower == upper`` one equality h = 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls._lists import nearest

DICT_KEYS = ("type", "fun", "jac", "args")


class Rows(NamedTuple):
    """How constraints follow from the values c: ``sign * c[at] + shift``."""

    at: NDArray[np.intp]
    sign: FloatArray
    shift: FloatArray


@dataclass(frozen=True, eq=False)
class Constraint:
    """``lower <= c(x) <= upper`` for the values c of one function of the user."""

    label: str  # what messages call it, such as constraints[1]
    function: Callable[..., Any]
    lower: FloatArray
    upper: FloatArray
    args: tuple[Any, ...] = ()
    matrix: FloatArray | None = None  # of a linear constraint: c(x) = matrix @ x

    @property
    def must(self) -> str:
        """How messages about what the function returns begin."""
        return f"{self.label} must return"

    @property
    def size(self) -> int:
        """Number of values c."""
        return self.lower.size

    @cached_property
    def ineq(self) -> Rows:
        """The inequalities: upper limits ``c - upper``, then lower limits ``lower - c``."""
        two_sided = self.lower < self.upper
        above = np.flatnonzero(two_sided & np.isfinite(self.upper))
        below = np.flatnonzero(two_sided & np.isfinite(self.lower))
        return Rows(
            np.concatenate([above, below]),
            np.concatenate([np.ones(above.size), -np.ones(below.size)]),
            np.concatenate([-self.upper[above], self.lower[below]]),
        )

    @cached_property
    def eq(self) -> Rows:
        """The equalities ``c - lower``."""
        index = np.flatnonzero(self.lower == self.upper)
        return Rows(index, np.ones(index.size), -self.lower[index])

    @cached_property
    def rows(self) -> Rows:
        """The inequalities, then the equalities."""
        return Rows(*(np.concatenate(pair) for pair in zip(self.ineq, self.eq, strict=True)))

    def values(self, x: FloatArray) -> FloatArray:
        """Return c(x), checked."""
        return real_vector(self.must, self.function(x, *self.args), self.size)

    def values_many(self, X: FloatArray) -> FloatArray:
        """Return c of the columns of `X`, one row per value, checked."""
        value = self.function(X, *self.args)
        return real_matrix(self.must, value, self.size, X.shape[1])

    def per_value(self, g: FloatArray, h: FloatArray) -> FloatArray:
        """Return what belongs to each value c, from what belongs to its g (at least 0) and h."""
        values = np.zeros(self.size)
        with np.errstate(invalid="ignore"):  # of a failed evaluation
            np.maximum.at(values, self.ineq.at, g)  # of two limits the larger one
        values[self.eq.at] = h
        return values


def real_vector(must: str, value: Any, size: int) -> FloatArray:
    """Return what a user gave as a float64 vector of `size` real numbers.

    `must` begins the message where it is none, such as "fun must return".
    """
    if isinstance(value, float) and size == 1:  # the two usual ones need no further check
        return np.array([value])
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape == (size,):
        return value
    array = _real_array(must, value)
    if array.ndim == 0 and size == 1:
        array = array.reshape(1)
    if array.shape != (size,):
        raise ValueError(f"{must} {_count(size)}, got shape {array.shape}")
    return array


def real_matrix(must: str, value: Any, size: int, n: int) -> FloatArray:
    """Return a vectorised function's values as a float64 matrix of shape (size, n)."""
    array = _real_array(must, value)
    if (size == 1 and array.shape == (n,)) or (size == 0 and array.size == 0):
        array = array.reshape(size, n)
    if array.shape != (size, n):
        expected = f"({size}, {n})" + (f" or ({n},)" if size == 1 else "")
        raise ValueError(
            f"{must} shape {expected} for x of {n} columns (vectorized=True), "
            f"got shape {array.shape}"
        )
    return array


def _real_array(must: str, value: Any) -> FloatArray:
    return np.asarray(_checks.real_array(f"{must} real numbers", value), dtype=np.float64)


def _count(size: int) -> str:
    return "1 real number" if size == 1 else f"a vector of {size} real numbers"


def box(name: str, bounds: Any) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper limits from SciPy's `Bounds` or a sequence of (low, high) pairs."""
    from scipy.optimize import Bounds

    if isinstance(bounds, Bounds):
        lower = _limit(f"{name}.lb", bounds.lb)
        upper = _limit(f"{name}.ub", bounds.ub)
        try:
            pair = np.broadcast_arrays(np.atleast_1d(lower), np.atleast_1d(upper))
        except ValueError:
            raise ValueError(
                f"{name} must have as many lower as upper limits, got shapes {lower.shape} and "
                f"{upper.shape}"
            ) from None
        return pair[0].copy(), pair[1].copy()
    expected = f"{name} must be a sequence of (low, high) pairs or a scipy.optimize.Bounds"
    pairs = _checks.real_array(expected, bounds)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.shape[0] == 0:
        raise ValueError(f"{expected}, got shape {pairs.shape}")
    return pairs[:, 0].astype(np.float64), pairs[:, 1].astype(np.float64)


class Normalised(NamedTuple):
    """A user's constraints in one form: the box they leave, and the rest."""

    lower: FloatArray
    upper: FloatArray
    constraints: list[Constraint]


def normalise(
    constraints: Any, lower: FloatArray, upper: FloatArray, probe: FloatArray, vectorized: bool
) -> Normalised:
    """Bring the argument `constraints` into one form.

    Parameters
    ----------
    constraints : constraint, dict, or list or tuple of these
        What the user gave.
    lower, upper : ndarray
        The box; `Bounds` among the constraints narrow it.
    probe : ndarray
        Where a function is called once if its limits do not tell how many values it returns.
    vectorized : bool
        Whether the functions take many points as columns.
    """
    from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint

    items = constraints if isinstance(constraints, list | tuple) else [constraints]
    found: list[Constraint] = []
    for i, item in enumerate(items):
        label = f"constraints[{i}]" if isinstance(constraints, list | tuple) else "constraints"
        if isinstance(item, Bounds):
            lower, upper = _narrowed(label, item, lower, upper)
        elif isinstance(item, LinearConstraint):
            found.append(_linear(label, item, lower.size))
        elif isinstance(item, NonlinearConstraint):
            _refuse_keep_feasible(label, item.keep_feasible)
            limits = _limit(f"{label}.lb", item.lb), _limit(f"{label}.ub", item.ub)
            _require_callable(f"{label}.fun", item.fun)
            found.append(_nonlinear(label, item.fun, (), *limits, probe, vectorized))
        elif isinstance(item, Mapping):
            found.append(_from_dict(label, item, probe, vectorized))
        else:
            raise TypeError(
                f"{label} must be a NonlinearConstraint, LinearConstraint, Bounds or a dict with "
                f"'type' and 'fun', got {item!r}"
            )
    return Normalised(lower, upper, found)


def _narrowed(
    label: str, bounds: Any, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    low, high = box(label, bounds)
    if low.size not in (1, lower.size):
        raise ValueError(f"{label} must limit {lower.size} coordinates, got {low.size}")
    return np.maximum(lower, low), np.minimum(upper, high)


def _linear(label: str, item: Any, dim: int) -> Constraint:
    _refuse_keep_feasible(label, item.keep_feasible)
    dense = item.A.toarray() if hasattr(item.A, "toarray") else item.A  # a sparse matrix
    matrix = np.atleast_2d(_real_array(f"{label}.A must hold", dense))
    if matrix.ndim != 2 or matrix.shape[1] != dim:
        raise ValueError(f"{label}.A must have {dim} columns, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{label}.A must hold finite numbers, got {matrix!r}")
    limits = _limit(f"{label}.lb", item.lb), _limit(f"{label}.ub", item.ub)
    lower, upper = _rows(label, *limits, matrix.shape[0])
    return Constraint(label, matrix.dot, lower, upper, matrix=matrix)


def _from_dict(
    label: str, item: Mapping[str, Any], probe: FloatArray, vectorized: bool
) -> Constraint:
    for key in item:
        if key not in DICT_KEYS:
            hint = nearest(key, DICT_KEYS)
            raise ValueError(f"{label} has the unknown key {key!r}{hint}")
    for key in ("type", "fun"):
        if key not in item:
            raise ValueError(f"{label} must have the key {key!r}, got the keys {sorted(item)}")
    kind = item["type"].lower() if isinstance(item["type"], str) else item["type"]
    _checks.choice(f"{label}['type']", kind, ("eq", "ineq"))
    _require_callable(f"{label}['fun']", item["fun"])
    args = item.get("args", ())
    if not isinstance(args, tuple | list):
        raise TypeError(f"{label}['args'] must be a tuple, got {args!r}")
    zero = np.zeros(())
    upper = zero if kind == "eq" else np.array(np.inf)
    return _nonlinear(label, item["fun"], tuple(args), zero, upper, probe, vectorized)


def _nonlinear(
    label: str,
    function: Any,
    args: tuple[Any, ...],
    lower: FloatArray,
    upper: FloatArray,
    probe: FloatArray,
    vectorized: bool,
) -> Constraint:
    if lower.ndim == upper.ndim == 0:
        array = _real_array(
            f"{label} must return", _probed(label, function, args, probe, vectorized)
        )
        if array.ndim > (2 if vectorized else 1):
            raise ValueError(
                f"{label} must return a vector of real numbers, got shape {array.shape}"
            )
        size = array.size
    else:
        size = max(lower.size, upper.size)
    return Constraint(label, function, *_rows(label, lower, upper, size), args=args)


def _probed(
    label: str, function: Any, args: tuple[Any, ...], probe: FloatArray, vectorized: bool
) -> Any:
    """Return a function's value at the probe, where its values are counted."""
    try:
        return function(probe[:, np.newaxis].copy() if vectorized else probe.copy(), *args)
    except Exception as error:
        raise ValueError(
            f"{label} must have a value in the middle of the box, where its values are counted; at "
            f"x={probe.tolist()} it raised {type(error).__name__}: {error}. A NonlinearConstraint "
            "with vectors lb or ub is not called there"
        ) from error


def _rows(
    label: str, lower: FloatArray, upper: FloatArray, size: int
) -> tuple[FloatArray, FloatArray]:
    try:
        low, high = np.broadcast_to(lower, (size,)), np.broadcast_to(upper, (size,))
    except ValueError:
        raise ValueError(
            f"{label} must have {size} lower and upper limits, got shapes {lower.shape} and "
            f"{upper.shape}"
        ) from None
    bad = (low > high) | (low == np.inf) | (high == -np.inf)
    if bad.any():
        i = int(bad.argmax())
        raise ValueError(
            f"{label} must have lb <= ub, at least one of them finite where they are equal; "
            f"row {i} has lb={low[i]:g}, ub={high[i]:g}"
        )
    return low.copy(), high.copy()


def _limit(name: str, value: Any) -> FloatArray:
    array = _checks.real_array(f"{name} must be real numbers", value)
    if array.ndim > 1 or np.isnan(array).any():
        raise ValueError(f"{name} must be one number or a vector without NaN, got {value!r}")
    return array.astype(np.float64)


def _require_callable(name: str, value: Any) -> None:
    if not callable(value):
        raise TypeError(f"{name} must be callable, got {value!r}")


def _refuse_keep_feasible(label: str, keep_feasible: Any) -> None:
    if np.any(keep_feasible):
        raise ValueError(
            f"{label}.keep_feasible must be False: the search learns from infeasible points and "
            "cannot avoid them; only the box (bounds) holds at every evaluation"
        )

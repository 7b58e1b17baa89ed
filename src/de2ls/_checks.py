"""Checks of arguments: every message names the argument, its value and what would be right."""

import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from de2ls._lists import nearest

FloatArray = NDArray[np.float64]


def integer(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """Return `value` as an int within [low, high]; a bool or a fraction is no integer."""
    if isinstance(value, bool | np.bool_):
        raise TypeError(_integer_expected(name, value, low, high))
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(_integer_expected(name, value, low, high)) from None
    if (low is not None and number < low) or (high is not None and number > high):
        raise ValueError(_integer_expected(name, value, low, high))
    return number


def whole(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """Return `value` as an int within [low, high]; a float such as 1e4 will do."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return integer(name, value, low, high)


def _integer_expected(name: str, value: Any, low: int | None, high: int | None) -> str:
    return f"{name} must be an integer{_range_text(low, high)}, got {value!r}"


def real(name: str, value: Any, low: float | None = None, high: float | None = None) -> float:
    """Return `value` as a finite float within [low, high]."""
    expected = f"{name} must be a finite number{_range_text(low, high)}, got {value!r}"
    if isinstance(value, bool | np.bool_ | str | bytes | complex):
        raise TypeError(expected)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(expected) from None
    if (
        not math.isfinite(number)
        or (low is not None and number < low)
        or (high is not None and number > high)
    ):
        raise ValueError(expected)
    return number


def choice(name: str, value: Any, options: Iterable[str]) -> str:
    """Return `value` if it is one of `options`; else suggest the nearest one."""
    known = list(options)
    if isinstance(value, str) and value in known:
        return value
    hint = nearest(value, known)
    raise ValueError(f"{name} must be one of {', '.join(known)}; got {value!r}{hint}")


def real_array(expected: str, value: Any) -> NDArray[Any]:
    """Return `value` as an array of real numbers; messages begin with what is `expected`.

    A masked number is none: NaN stands there.
    """
    if isinstance(value, np.ma.MaskedArray) and value.dtype.kind in "fiu":
        value = np.ma.filled(value.astype(np.float64), np.nan)
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{expected}, got a ragged sequence") from None
    if array.dtype.kind not in "fiu" and array.size > 0:
        kind = f"an array of type {array.dtype}"
        given = (
            kind if isinstance(value, np.ndarray) else f"{value!r} of type {type(value).__name__}"
        )
        raise TypeError(f"{expected}, got {given}")
    return array


def vector(name: str, value: Any, length: int) -> FloatArray:
    """Return `value` as a new float64 vector of `length` numbers without NaN."""
    expected = f"{name} must be a vector of {length} real numbers"
    array = real_array(expected, value)
    if array.shape != (length,):
        raise ValueError(f"{expected}, got shape {array.shape}")
    result = np.array(array, dtype=np.float64)
    if np.isnan(result).any():
        raise ValueError(f"{expected}, got NaN at position {int(np.isnan(result).argmax())}")
    return result


def matrix(name: str, value: Any, width: int) -> FloatArray:
    """Return `value` as a new C-ordered float64 matrix with rows of `width` numbers without NaN."""
    expected = f"{name} must have shape (n, {width})"
    array = real_array(f"{expected} and real numbers", value)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{expected}, got {array.shape}")
    result = np.array(array, dtype=np.float64, order="C")
    if np.isnan(result).any():
        row, column = np.argwhere(np.isnan(result))[0]
        raise ValueError(f"{expected} and no NaN, got NaN at [{row}, {column}]")
    return result


def _range_text(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f" from {_number(low)} to {_number(high)}"
    if low is not None:
        return f" of at least {_number(low)}"
    if high is not None:
        return f" of at most {_number(high)}"
    return ""


def _number(limit: float) -> str:
    return f"{limit:,}" if isinstance(limit, int) and limit >= 10**6 else f"{limit:g}"

"""What the coordinates of a design are: continuous, integers, ordered choices, or fixed.

A search moves in a continuous box. A continuous coordinate stands there as it is, an integer
between ``low - 0.5`` and ``high + 0.5``, and a choice as the position of its value, so that each
value is equally likely. Fixed coordinates are left out. `decode` turns a point of the box into the
design that the functions see.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from de2ls import _checks
from de2ls._checks import FloatArray


@dataclass(frozen=True)
class Choices:
    """The values of an ordered discrete coordinate, in increasing order."""

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        expected = "choices must be an increasing list of finite numbers"
        values: Any = self.values
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
            raise TypeError(f"{expected}, got {values!r}")
        numbers = tuple(_checks.real(f"choices[{i}]", v) for i, v in enumerate(values))
        if not numbers:
            raise ValueError(f"{expected}, got none")
        for i, (before, after) in enumerate(pairwise(numbers)):
            if before >= after:
                raise ValueError(
                    f"{expected}, got {after:g} after {before:g} at position {i + 1}; "
                    "sorted(set(values)) puts them in order"
                )
        object.__setattr__(self, "values", numbers)


def choices(values: Sequence[float]) -> Choices:
    """Return an ordered discrete coordinate, to stand among the bounds.

    Parameters
    ----------
    values : sequence of float
        The values the coordinate may take, in increasing order, such as the plate thicknesses that
        are on the market. One value alone fixes the coordinate.

    Examples
    --------
    >>> import de2ls
    >>> box = [de2ls.choices([0.5, 1.0, 2.0, 4.0]), (0, 3)]
    >>> p = de2ls.problem(lambda x: (x[0] - 1.7) ** 2 + x[1], box)
    >>> p.bounds, p.decode(p.encode([2.0, 0.5])).tolist()
    ([(-0.5, 3.5), (0.0, 3.0)], [2.0, 0.5])
    """
    return Choices(values)  # type: ignore[arg-type]  # made a tuple of floats there


@dataclass(frozen=True, eq=False)
class Variables:
    """The coordinates of a design, and the box in which a search moves for them.

    Parameters
    ----------
    low, high : ndarray, shape (n,)
        Limits of each coordinate, finite; equal ones fix it.
    integer : ndarray of bool, shape (n,)
        Which coordinates are integers.
    choices : mapping
        The values of the coordinates that are ordered choices, by position. Only those within
        `low` and `high` count.
    """

    low: FloatArray
    high: FloatArray
    integer: NDArray[np.bool_]
    choices: Mapping[int, Sequence[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        low, high = self.low.copy(), self.high.copy()
        self._check_finite(low, high)
        low[self.integer] = np.ceil(low[self.integer])
        high[self.integer] = np.floor(high[self.integer])
        kept = {}
        for j, values in self.choices.items():
            kept[j] = np.array([v for v in values if low[j] <= v <= high[j]])
            low[j], high[j] = (kept[j][0], kept[j][-1]) if kept[j].size else (np.inf, -np.inf)
        self._check_order(low, high)
        object.__setattr__(self, "low", low + 0.0)  # no negative zero
        object.__setattr__(self, "high", high + 0.0)
        object.__setattr__(self, "choices", kept)

    def _check_finite(self, low: FloatArray, high: FloatArray) -> None:
        bad = ~(np.isfinite(low) & np.isfinite(high))
        if bad.any():
            j = int(bad.argmax())
            raise ValueError(
                "bounds must be finite: the search needs a box; coordinate "
                f"{j} has low={low[j]:g}, high={high[j]:g}. Give limits that surely hold the "
                "solution, however wide"
            )

    def _check_order(self, low: FloatArray, high: FloatArray) -> None:
        bad = low > high
        if bad.any():
            j = int(bad.argmax())
            what = "low <= high"
            if self.integer[j]:
                what = "an integer between the limits"
            elif j in self.choices:
                what = "one of the choices"
            raise ValueError(
                f"bounds must leave {what} in each coordinate; coordinate {j} has "
                f"low={self.low[j]:g}, high={self.high[j]:g}"
            )
        if (low == high).all():
            raise ValueError(
                f"bounds must leave at least one coordinate free, got low = high = {low.tolist()}"
            )

    @property
    def size(self) -> int:
        """Number of coordinates n of a design, fixed ones included."""
        return self.low.size

    @property
    def limits(self) -> list[tuple[float, float]]:
        """The limits of each coordinate of a design, as SciPy's list of pairs."""
        return list(zip(self.low.tolist(), self.high.tolist(), strict=True))

    @cached_property
    def free(self) -> NDArray[np.intp]:
        """Which coordinates of the design are searched for."""
        return np.flatnonzero(self.low < self.high)

    @cached_property
    def discrete(self) -> NDArray[np.bool_]:
        """Which coordinates of the box take discrete values."""
        return self.integer[self.free] | np.isin(self.free, list(self.choices))

    @cached_property
    def at(self) -> NDArray[np.intp]:
        """The positions of the discrete coordinates in the box."""
        return np.flatnonzero(self.discrete)

    @cached_property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limits of the search."""
        lower, upper = self.low[self.free], self.high[self.free]
        first, last = self.steps
        lower[self.at], upper[self.at] = first - 0.5, last + 0.5
        return lower, upper

    @cached_property
    def steps(self) -> tuple[FloatArray, FloatArray]:
        """First and last step of each discrete coordinate: integers, or positions of choices."""
        at = self.free[self.at]
        first, last = self.low[at], self.high[at]
        for k, j in enumerate(at):
            if j in self.choices:
                first[k], last[k] = 0.0, len(self.choices[j]) - 1.0
        return first, last

    @cached_property
    def table(self) -> tuple[FloatArray, NDArray[np.intp]]:
        """All choices in one vector, and where those of each discrete coordinate begin there.

        An integer begins at -1: it has no values but itself.
        """
        start, values = np.full(self.at.size, -1, dtype=np.intp), [np.empty(0)]
        for k, j in enumerate(self.free[self.at]):
            if j in self.choices:
                start[k] = sum(v.size for v in values)
                values.append(np.asarray(self.choices[j]))
        return np.concatenate(values), start

    @cached_property
    def _chosen(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The choices' positions in the box, and where their values begin in the table."""
        start = self.table[1]
        return self.at[start >= 0], start[start >= 0]

    @cached_property
    def plain(self) -> bool:
        """Whether a point of the box is the design itself."""
        return self.free.size == self.size and self.at.size == 0

    def round(self, x: FloatArray) -> FloatArray:
        """Return a point of the box, or rows of points, with discrete coordinates on a step."""
        if self.at.size == 0:
            return x
        rounded = x.copy()
        first, last = self.steps
        steps = np.rint(x[..., self.at]) + 0.0  # no negative zero
        rounded[..., self.at] = np.minimum(np.maximum(steps, first), last)
        return rounded

    def decode(self, x: FloatArray) -> FloatArray:
        """Return a point of the box, or rows of points, as the design that the functions see."""
        if self.plain:
            return x
        point = self.round(x)
        at, start = self._chosen
        if at.size:
            point[..., at] = self.table[0][start + point[..., at].astype(np.intp)]
        if self.free.size == self.size:
            return point
        design = np.empty((*x.shape[:-1], self.size))
        design[...] = self.low
        design[..., self.free] = point
        return design

    def encode(self, design: FloatArray, name: str = "x") -> FloatArray:
        """Return a design, or rows of designs, as a point of the box; discrete ones are rounded.

        Raises
        ------
        ValueError
            If a coordinate lies outside its limits; an integer may exceed them by less than 0.5.
        """
        slack = np.where(self.integer & (self.low < self.high), 0.5, 0.0)
        outside = (design < self.low - slack) | (design > self.high + slack)
        if outside.any():
            first = np.argwhere(outside)[0]
            j = first[-1]
            value, low, high = map(_exact, (design[tuple(first)], self.low[j], self.high[j]))
            raise ValueError(
                f"{name} must lie within the bounds; coordinate {j} is {value}, outside "
                f"[{low}, {high}]"
            )
        point = design[..., self.free]
        for k, j in enumerate(self.free):
            if j in self.choices:
                values = np.asarray(self.choices[j])
                middles = (values[:-1] + values[1:]) / 2
                point[..., k] = np.searchsorted(middles, point[..., k])
        return point


def _exact(value: float) -> str:
    """Return a number as text that gives it again: 0.3 and 0.1 + 0.2 differ."""
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))

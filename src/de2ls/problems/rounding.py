"""Integer coordinates: the search moves in a continuous box, the functions see rounded values."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray


class Rounding(NamedTuple):
    """Which coordinates are integers, and between which limits.

    The search runs in ``[low - 0.5, high + 0.5]``, so that each integer is equally likely.
    """

    at: NDArray[np.intp]
    low: FloatArray
    high: FloatArray

    def __call__(self, x: FloatArray) -> FloatArray:
        """Return a point, or the rows of a matrix of points, as the functions see it."""
        rounded = x.copy()
        chosen = np.rint(x[..., self.at]) + 0.0  # no negative zero
        rounded[..., self.at] = np.minimum(np.maximum(chosen, self.low), self.high)
        return rounded

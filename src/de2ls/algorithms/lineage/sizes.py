"""Sizes: of the first population, of what it shrinks to, of shares of it."""

import math

from de2ls.jit.kernels import kernel


@kernel
def rounded(value: float) -> int:
    """Return the nearest integer, halves up, as C and MATLAB round positive numbers."""
    return math.floor(value + 0.5)


@kernel
def linear(n0: int, n_min: int, progress: float) -> int:
    """Return the planned size at `progress` = t / T: N0 + (Nmin - N0) t / T."""
    return max(n_min, rounded(n0 + (n_min - n0) * min(1.0, progress)))


@kernel
def power(n0: int, n_min: int, progress: float) -> int:
    """Return the planned size at r = t / T: N0 + (Nmin - N0) r^(1 - r)."""
    r = min(1.0, progress)
    return max(n_min, rounded(n0 + (n_min - n0) * r ** (1.0 - r)))


def generations(n0: int, n_min: int, budget: int) -> int:
    """Return how many generations the linear plan allows within the budget."""
    t, count = n0, 0
    while t < budget:
        t += linear(n0, n_min, t / budget)
        count += 1
    return count

"""Many bowls of about the same depth; the coordinates sum up to 1: of any dimension."""

import numpy as np


def bounds(dim):
    """Return the box."""
    return [(-5.0, 5.0)] * dim


def fun(x):
    """Rastrigin's function."""
    return float(10 * x.size + np.sum(x**2 - 10 * np.cos(2 * np.pi * x)))


constraints = {"type": "eq", "fun": lambda x: x.sum() - 1.0}

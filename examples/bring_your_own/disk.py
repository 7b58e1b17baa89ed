"""A point of the disk, as far along the weighted axes as can be: of any dimension."""

import numpy as np


def bounds(dim):
    """Return the box."""
    return [(-2.0, 2.0)] * dim


def fun(x):
    """Return minus the weighted sum."""
    return float(-np.arange(1, x.size + 1) @ x)


constraints = {"type": "ineq", "fun": lambda x: 1.0 - x @ x}  # a disk of radius 1

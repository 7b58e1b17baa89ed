"""Small constrained functions on which plain transcriptions are compared with the engine."""

import math
from itertools import pairwise

import numpy as np

Values = tuple[float, list[float], list[float]]


def valley(x: np.ndarray) -> Values:
    """Rosenbrock's valley cut by a ball and a plane."""
    f = sum(100.0 * (b - a * a) ** 2 + (1.0 - a) ** 2 for a, b in pairwise(x))
    return float(f), [float(np.dot(x, x)) - 2.0, 0.5 - float(x[0])], []


def waves(x: np.ndarray) -> Values:
    """Rastrigin's function with an equality and an inequality."""
    f = sum(a * a - 10.0 * math.cos(2.0 * math.pi * a) + 10.0 for a in x)
    return float(f), [float(x[0] + x[1]) - 1.0], [float(np.sum(x)) - 0.3]


def bowl(x: np.ndarray) -> Values:
    """No constraint at all; the optimum in a corner of the box."""
    return float(np.dot(x + 3.0, x + 3.0)), [], []


def terraces(x: np.ndarray) -> Values:
    """Plateaus of objective and of violation, so that ties abound."""
    f = float(np.floor(2.0 * np.abs(x)).sum())
    return f, [max(0.0, float(np.floor(3.0 - x[0]))) / 4.0, float(np.floor(x[1] + 0.5))], []


def impossible(x: np.ndarray) -> Values:
    """No feasible point."""
    return float(np.sum(x)), [1.0 + float(np.dot(x, x))], [float(x[0]) + 9.0]


def margin(x: np.ndarray) -> Values:
    """The optimum beyond the feasible side, where violations below delta pay."""
    return -float(x[0]) - float(x[1]), [float(np.dot(x, x)) - 1.0], [float(x[0] - x[1])]

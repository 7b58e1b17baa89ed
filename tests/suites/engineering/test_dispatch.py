"""Economic dispatch with valve points: the best known cost is the global optimum."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from de2ls.suites.engineering import DESIGNS, dispatch

UNITS = range(40)
LOW, HIGH, A, B, C, E, F = dispatch.VALVE_UNITS.T
PARTS = 6  # of the range between two valve points
ROUNDS = 12  # of refinement, at most


def cost(unit, output):
    ripple = np.abs(E[unit] * np.sin(F[unit] * (LOW[unit] - output)))
    return A[unit] + output * (B[unit] + output * C[unit]) + ripple


def breakpoints(unit):
    """Return a unit's valve points and limits, and points between them."""
    ends = np.append(np.arange(LOW[unit], HIGH[unit], np.pi / F[unit]), HIGH[unit])
    points = np.concatenate([np.linspace(a, b, PARTS + 1) for a, b in pairwise(ends)])
    if C[unit] > 0.1:  # convex, not concave between valve points: a fine grid where it works
        points = np.append(points, np.arange(LOW[unit], LOW[unit] + 6.0, 0.5))
    return points


def lower_line(unit, start, end):
    """Return slope and intercept of a line below the cost on a piece, exact at its start."""
    outputs = np.linspace(start, end, 401)[1:]
    slope = ((cost(unit, outputs) - cost(unit, start)) / (outputs - start)).min()
    return slope, cost(unit, start) - slope * start


def bound(points):
    """Return a lower bound of the cost, and the outputs at which it is taken.

    Each unit works in one piece of its range, where a straight line lies below its cost: a
    mixed-integer linear program, solved to a proven bound.
    """
    pieces = []
    for unit in UNITS:
        distinct = np.unique(np.round(points[unit], 9))
        for start, end in pairwise(distinct):
            pieces.append((unit, start, end, *lower_line(unit, start, end)))
    unit, start, end, slope, intercept = np.array(pieces).T
    n, eye = len(pieces), np.eye(len(pieces))
    chosen = (unit == np.array(UNITS)[:, np.newaxis]).astype(float)
    demand = dispatch.VALVE_DEMAND
    result = milp(
        np.concatenate([slope, intercept]),  # the pieces' outputs, then whether they are used
        integrality=np.repeat([0, 1], n),
        bounds=Bounds(0.0, np.concatenate([end, np.ones(n)])),
        constraints=[
            LinearConstraint(csr_array(np.hstack([0.0 * chosen, chosen])), 1.0, 1.0),
            LinearConstraint(np.repeat([1.0, 0.0], n), demand, demand),
            LinearConstraint(csr_array(np.hstack([eye, -np.diag(end)])), -np.inf, 0.0),
            LinearConstraint(csr_array(np.hstack([eye, -np.diag(start)])), 0.0, np.inf),
        ],
        options={"mip_rel_gap": 1e-9},
    )
    assert result.status == 0
    return result.mip_dual_bound, chosen @ result.x[:n]


def test_valve_points_have_no_cheaper_dispatch():
    """A lower bound, refined where it is taken, rises to the best known cost."""
    design = DESIGNS["dispatch-valve-points"]
    points = [np.append(breakpoints(unit), design.best[unit]) for unit in UNITS]
    best_known = design.problem().best_known
    for _ in range(ROUNDS):
        value, outputs = bound(points)
        if value >= best_known - 1e-3:
            break
        points = [np.append(points[unit], outputs[unit]) for unit in UNITS]
    assert value == pytest.approx(best_known, rel=1e-8)

"""Weights of the constraints, from the violations in the initial population."""

from collections.abc import Sequence

import numpy as np

from de2ls._checks import FloatArray
from de2ls.problems.problem import Problem


def constraint_weights(problem: Problem, results: Sequence[FloatArray]) -> FloatArray:
    """Return weights that give all violated constraints the same size, their geometric mean.

    The size of a constraint is its median violation among the points that violate it. Where fewer
    than two constraints are violated nothing is weighted; one that no point violates has weight 1.
    """
    sizes = np.full(problem.n_constraints, np.nan)
    if not results:
        return np.ones_like(sizes)
    values = np.array(results)[:, 1:]
    terms = np.hstack([values[:, : problem.n_ineq], np.abs(values[:, problem.n_ineq :])])
    for k, limit in enumerate(problem.tolerances):
        violated = terms[:, k][(terms[:, k] > limit) & np.isfinite(terms[:, k])]
        if violated.size:
            sizes[k] = np.median(violated)
    known = ~np.isnan(sizes)
    if known.sum() < 2:
        return np.ones_like(sizes)
    common = np.exp(np.mean(np.log(sizes[known])))
    return np.where(known, common / sizes, 1.0)

"""The argument `constraint_tol`: how far a constraint's value may exceed its limit."""

from typing import Any, NamedTuple

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.problems.constraints import Constraint

INEQ_TOL, EQ_TOL = 1e-8, 1e-6  # where the user gives none


class Tolerances(NamedTuple):
    """One value per inequality g and per equality h."""

    ineq: FloatArray
    eq: FloatArray


def tolerances(given: Any, own: tuple[int, int], constraints: tuple[Constraint, ...]) -> Tolerances:
    """Return the tolerances of all g and h, from what the user gave.

    Parameters
    ----------
    given : float, pair, sequence or None
        One number for all; a tuple (inequalities, equalities); or one value per constraint.
    own : tuple of int
        Numbers of inequalities and equalities that the objective's function returns.
    constraints : tuple of Constraint
        The others; a value may be a vector, for each value of the constraint's function.
    """
    n_ineq = own[0] + sum(c.ineq.at.size for c in constraints)
    n_eq = own[1] + sum(c.eq.at.size for c in constraints)
    if given is None:
        given = (INEQ_TOL, EQ_TOL)
    if isinstance(given, str) or not hasattr(given, "__len__"):
        number = _checks.real("constraint_tol", given, 0.0)
        given = (number, number)
    if isinstance(given, tuple) and len(given) == 2:
        ineq, eq = (_checks.real(f"constraint_tol[{k}]", v, 0.0) for k, v in enumerate(given))
        return Tolerances(np.full(n_ineq, ineq), np.full(n_eq, eq))
    return _one_each(list(given), own, constraints)


def _one_each(
    given: list[Any], own: tuple[int, int], constraints: tuple[Constraint, ...]
) -> Tolerances:
    expected = sum(own) + len(constraints)
    if len(given) != expected:
        raise ValueError(
            "constraint_tol must be a number, a tuple (inequalities, equalities) or a list of one "
            f"value per constraint, here {expected}; got {len(given)} values"
        )
    alone = [_checks.real(f"constraint_tol[{k}]", v, 0.0) for k, v in enumerate(given[: sum(own)])]
    ineq, eq = [np.array(alone[: own[0]])], [np.array(alone[own[0] :])]
    for k, constraint in enumerate(constraints, sum(own)):
        values = _of_values(f"constraint_tol[{k}]", given[k], constraint.size)
        ineq.append(values[constraint.ineq.at])
        eq.append(values[constraint.eq.at])
    return Tolerances(np.concatenate(ineq), np.concatenate(eq))


def _of_values(name: str, given: Any, size: int) -> FloatArray:
    if np.ndim(given) == 0:
        return np.full(size, _checks.real(name, given, 0.0))
    values = _checks.vector(name, given, size)
    for i, value in enumerate(values):
        _checks.real(f"{name}[{i}]", value, 0.0)
    return values

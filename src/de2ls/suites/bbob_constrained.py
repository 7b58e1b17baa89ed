"""COCO's constrained suite `bbob-constrained`, by the extra ``coco``.

54 functions: nine objectives, each with six numbers of constraints (N. Hansen et al., COCO: a
platform for comparing continuous optimizers in a black-box setting, Optimization Methods and
Software 36, 2021). COCO does not give the optima away.
"""

from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls._extras import extra
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem
from de2ls.problems.wrap import problem as make_problem
from de2ls.suites.suite import Facts, Suite

DIMENSIONS = (2, 3, 5, 10, 20, 40)
_OBJECTIVES = (  # of six functions each
    "sphere",
    "ellipsoid",
    "linear slope",
    "rotated ellipsoid",
    "discus",
    "bent cigar",
    "different powers",
    "Rastrigin",
    "rotated Rastrigin",
)
_SEPARABLE = ("sphere", "ellipsoid", "linear slope", "Rastrigin")
# Constraints active at the optimum: constant and factor of D; half as many more are not active
_ACTIVE = ((1, 0.0), (2, 0.0), (6, 0.0), (6, 0.5), (6, 1.0), (6, 3.0))


class BbobConstrained(Suite):
    """f1 to f54, D = 2, 3, 5, 10, 20 or 40, instances from 1."""

    name = "bbob-constrained"
    title = "COCO's constrained problems"
    settings = MappingProxyType({"dim": 10, "instance": 1})

    def list_keys(self, **settings: Any) -> list[ProblemKey]:
        """Return f1 to f54."""
        dim = settings["dim"]
        if dim not in DIMENSIONS:
            raise ValueError(f"dim must be among {DIMENSIONS} for {self.name}, got {dim!r}")
        instance = _checks.integer("instance", settings["instance"], 1, 1000)
        numbers = range(1, 1 + len(_OBJECTIVES) * len(_ACTIVE))
        return [ProblemKey.make(self.name, k, dim, instance=instance) for k in numbers]

    def make(self, key: ProblemKey) -> Problem:
        """Return the problem of a function, a dimension and an instance."""
        instance: Any = key["instance"]
        found = _functions(key.dim, instance)
        return from_coco(
            found.get_problem_by_function_dimension_instance(key.name, key.dim, instance)
        )

    def tags(self, key: ProblemKey) -> list[str]:
        """Return the groups by objective and by number of active constraints."""
        objective, (constant, factor) = _parts(key)
        more = f" + {factor:g} D" if factor else ""
        kind = "separable" if objective in _SEPARABLE else "non-separable"
        return [objective, kind, f"{constant}{more} active"]

    def best_known(self, key: ProblemKey) -> None:
        """Return None: COCO does not publish the optima."""
        del key

    def facts(self, key: ProblemKey) -> Facts:
        """Return objective and number of constraints."""
        objective, (constant, factor) = _parts(key)
        active = constant + int(factor * key.dim)
        return Facts(objective, active + active // 2, 0)


def _parts(key: ProblemKey) -> tuple[str, tuple[int, float]]:
    objective, constraints = divmod(int(key.name) - 1, len(_ACTIVE))
    return _OBJECTIVES[objective], _ACTIVE[constraints]


@lru_cache(maxsize=16)
def _functions(dim: int, instance: int) -> Any:
    """Return COCO's suite of one dimension and one instance; its problems live with it."""
    with extra("coco"):
        import cocoex
    return cocoex.Suite("bbob-constrained", f"instances: {instance}", f"dimensions: {dim}")


def from_coco(problem: Any) -> Problem:
    """Return a problem of `cocoex` as a `Problem`; its constraints are inequalities."""
    if problem.number_of_objectives != 1:
        raise ValueError(f"problem must have one objective, got {problem.number_of_objectives}")
    n_ineq = int(problem.number_of_constraints)

    def fgh(x: FloatArray) -> tuple[float, Any, Any]:
        g = problem.constraint(x) if n_ineq else ()
        return float(problem(x)), g, ()

    integers = int(problem.number_of_integer_variables)  # COCO puts them first
    return make_problem(
        fgh,
        np.transpose([problem.lower_bounds, problem.upper_bounds]),
        n_ineq=n_ineq,
        constraint_tol=0.0,
        integrality=np.arange(problem.dimension) < integers if integers else None,
        name=str(problem.id),
    )


BBOB_CONSTRAINED = BbobConstrained()

"""Constrained design problems that practitioners know, from their published formulas.

Each function has its source and the published optimum in its docstring, and units. Best known
values are recomputed: the stored designs are feasible within 1e-8, and no small change improves
them. Equalities hold within 1e-6.
"""

from de2ls.problems.key import ProblemKey
from de2ls.suites.engineering import beams, dispatch, machines, portfolio, trusses
from de2ls.suites.suite import Facts, ProblemTable

DESIGNS = {
    design.name: design
    for module in (beams, machines, trusses, dispatch, portfolio)
    for design in module.DESIGNS
}


class EngineeringSuite(ProblemTable):
    """The engineering suite."""

    def __init__(self) -> None:
        super().__init__(
            "engineering",
            "Engineering design problems",
            {name: design.problem for name, design in DESIGNS.items()},
            {name: design.dim for name, design in DESIGNS.items()},
            {name: design.groups for name, design in DESIGNS.items()},
        )

    def facts(self, key: ProblemKey) -> Facts:
        """Return what a list of problems says of one."""
        design = DESIGNS[str(key.name)]
        return Facts(design.title, design.n_ineq, design.n_eq)


ENGINEERING = EngineeringSuite()

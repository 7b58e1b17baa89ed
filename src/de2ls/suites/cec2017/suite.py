"""The constrained suite of CEC 2017 as a `Suite`."""

from types import MappingProxyType
from typing import Any

from de2ls import _checks
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem
from de2ls.suites.cec2017 import DEFINITIONS, SUITE, best_known, cec2017
from de2ls.suites.suite import COMPETITION, Facts, Suite

# Objectives that are sums, or the largest, of functions of one coordinate each; a map mixes them.
_SEPARABLE = frozenset({4, 6, 7, 8, 9, 10, 11, 12, 15, 16, 18, 19})


class Cec2017(Suite):
    """C1 to C28: official data at D = 10, 30, 50, 100, generated instances for any D."""

    name = "cec2017"
    title = "CEC 2017 constrained problems"
    settings = MappingProxyType({"dim": 30, "definition": "report", "instance": 0})
    record_rule = COMPETITION

    def list_keys(self, **settings: Any) -> list[ProblemKey]:
        """Return C1 to C28."""
        dim, definition, instance = (settings[name] for name in self.settings)
        _checks.choice("definition", definition, DEFINITIONS)
        return [
            ProblemKey.make(self.name, k, dim, definition=definition, instance=instance)
            for k in SUITE
        ]

    def make(self, key: ProblemKey) -> Problem:
        """Make a problem; one with data of its own cannot be made from its key."""
        instance: Any = key["instance"]
        if isinstance(instance, str):
            raise ValueError(f"instance must be a number, got {instance!r}: data of its own")
        return cec2017(int(key.name), key.dim, str(key["definition"]), instance)

    def tags(self, key: ProblemKey) -> list[str]:
        """Return what the objective is like, whether anything is rotated, and the constraints."""
        number = int(key.name)
        facts = SUITE[number]
        tags = ["separable" if number in _SEPARABLE else "non-separable"]
        tags += ["rotated"] if facts.maps else []
        tags += ["with equalities" if facts.n_eq else "inequalities only"]
        tags += [] if facts.feasible else ["no feasible point"]
        return tags

    def best_known(self, key: ProblemKey) -> float | None:
        """Return the optimum where the definitions imply it."""
        return best_known(int(key.name), key.dim, str(key["definition"]))

    def facts(self, key: ProblemKey) -> Facts:
        """Return title and numbers of constraints."""
        facts = SUITE[int(key.name)]
        return Facts(facts.title, facts.n_ineq, facts.n_eq)


CEC2017 = Cec2017()

"""`Suite`: a named family of problems, and by which rule its trials are recorded.

A suite says which problems there are (as keys), makes a problem from its key, and knows what a
comparison wants to know of it: groups, best known values, titles. To state one, derive from `Suite`
and give `name`, `title`, `list_keys` and `make`; or hand a table of problems to `ProblemTable`.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from de2ls import _checks, _lists
from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem


@dataclasses.dataclass(frozen=True)
class RecordRule:
    """How the trials of a suite are recorded.

    Parameters
    ----------
    zero : float
        In a curve, violations and absolute objectives below this are written as 0.
    feasible_tol : float, optional
        The summed violation that still counts as feasible; by default the problem's own.
    """

    zero: float = 0.0
    feasible_tol: float | None = None

    def written(self, curve: FloatArray) -> FloatArray:
        """Return a copy of a curve (FEs, Min_EV, LCV) as the rule writes it."""
        result = curve.copy()
        result[:, 1][np.abs(result[:, 1]) < self.zero] = 0.0
        result[:, 2][result[:, 2] < self.zero] = 0.0
        return result


CEC_TOL = 1e-8  # in the CEC contests less than this counts as 0, and a violation of it as none
COMPETITION = RecordRule(zero=CEC_TOL, feasible_tol=CEC_TOL)


class Facts(NamedTuple):
    """What a list of problems says of one."""

    title: str
    n_ineq: int
    n_eq: int


class Suite(ABC):
    """A named family of problems.

    Attributes
    ----------
    name, title : str
        What keys and commands call it, and what people do.
    settings : mapping
        What chooses among its problems (dim, definition, instance, ...), with the defaults: a
        number or a text, several of them as a tuple, or None for one that must be given.
    record_rule : RecordRule
        By default nothing is rounded, and feasible is what the problem calls so.
    """

    name: str
    title: str
    settings: Mapping[str, Any] = MappingProxyType({})
    record_rule: RecordRule = RecordRule()

    @abstractmethod
    def list_keys(self, **settings: Any) -> Iterable[ProblemKey]:
        """Return the problems for one value of each setting, in the suite's order."""

    @abstractmethod
    def make(self, key: ProblemKey) -> Problem:
        """Make the problem of a key of this suite; `load` adds the key."""

    def problems(self, **settings: Any) -> list[ProblemKey]:
        """Return the problems for some settings; the others have their defaults.

        Parameters
        ----------
        **settings
            A value each, several as a list or as a text such as ``"10,30"`` or ``"1-3"``.
        """
        for name in settings:
            if name not in self.settings:
                known = ", ".join(self.settings) or "none"
                raise ValueError(f"the suite {self.name} has no setting {name!r}; it has {known}")
        values = [
            self._values(name, settings.get(name, default))
            for name, default in self.settings.items()
        ]
        chosen = [
            dict(zip(self.settings, combination, strict=True)) for combination in product(*values)
        ]
        return [key for combination in chosen for key in self.list_keys(**combination)]

    def _values(self, name: str, value: Any) -> list[Any]:
        if value is None:
            raise ValueError(f"{name} must be given for the suite {self.name}")
        default = self.settings[name]
        if isinstance(default, str):
            return _lists.items(name, value)
        return list(_lists.numbers(name, value))

    def load(self, key: ProblemKey) -> Problem:
        """Return the problem of a key, made once per process."""
        if key.suite != self.name:
            raise ValueError(f"key must be of the suite {self.name}, got {key.as_dict()}")
        return _loaded(self, key)

    def tags(self, key: ProblemKey) -> Iterable[str]:
        """Return the names of the groups a problem belongs to."""
        del key
        return ()

    def groups(self, keys: Iterable[ProblemKey]) -> dict[str, list[ProblemKey]]:
        """Return the groups that some problems fall into, by name."""
        found: dict[str, list[ProblemKey]] = {}
        for key in keys:
            for tag in self.tags(key):
                found.setdefault(tag, []).append(key)
        return found

    def best_known(self, key: ProblemKey) -> float | None:
        """Return the optimum of a problem, or the best known value, where there is one."""
        return self.load(key).best_known

    def facts(self, key: ProblemKey) -> Facts:
        """Return what a list of problems says of one."""
        problem = self.load(key)
        return Facts(problem.name, problem.n_ineq, problem.n_eq)

    def __repr__(self) -> str:
        return f"<suite {self.name}>"


_makers: dict[str, Suite] = {}  # the suites that made problems in this process, by name


def maker(key: ProblemKey) -> Suite | None:
    """Return the suite that made a problem of the key's suite in this process, if any did."""
    return _makers.get(key.suite)


@lru_cache(maxsize=256)
def _loaded(suite: Suite, key: ProblemKey) -> Problem:
    problem = suite.make(key)
    _makers[suite.name] = suite
    if problem.dim != key.dim:
        raise ValueError(f"{key.label} of {suite.name} has D = {problem.dim}, not {key.dim}")
    problem = dataclasses.replace(problem)
    object.__setattr__(problem, "key", key)  # as planned: it says all, how violation counts too
    return problem


class ProblemTable(Suite):
    """A suite of problems with names and dimensions of their own.

    Parameters
    ----------
    name, title : str
        As for `Suite`.
    makers : mapping
        Name and a function without arguments that makes the `Problem`.
    dims : mapping
        Dimension of each problem, so that a list needs no problem made.
    tags : mapping, optional
        Names of the groups of each problem.
    record_rule : RecordRule, optional
        As for `Suite`.

    Examples
    --------
    >>> from de2ls.problems import problem
    >>> def sphere():
    ...     return problem(lambda x: x @ x, [(-1, 1)] * 3, best_known=0.0)
    >>> suite = ProblemTable("mine", "My problems", {"sphere": sphere}, {"sphere": 3})
    >>> [key.label for key in suite.problems()], suite.best_known(suite.problems()[0])
    (['sphere'], 0.0)
    """

    def __init__(
        self,
        name: str,
        title: str,
        makers: Mapping[str, Callable[[], Problem]],
        dims: Mapping[str, int],
        tags: Mapping[str, Sequence[str]] | None = None,
        record_rule: RecordRule | None = None,
    ) -> None:
        self.name, self.title = name, title
        self.makers, self.dims = dict(makers), dict(dims)
        self.record_rule = record_rule or RecordRule()
        self._tags = dict(tags or {})
        if self.makers.keys() != self.dims.keys():
            raise ValueError(f"dims must name the problems of makers, got {sorted(self.dims)}")

    def list_keys(self, **settings: Any) -> list[ProblemKey]:
        """Return all problems."""
        del settings
        return [ProblemKey(self.name, name, self.dims[name]) for name in self.makers]

    def make(self, key: ProblemKey) -> Problem:
        """Make a problem by name."""
        return self.makers[_checks.choice("name", key.name, self.makers)]()

    def tags(self, key: ProblemKey) -> Sequence[str]:
        """Return the names of the groups a problem belongs to."""
        return self._tags.get(str(key.name), ())

"""Groups of problems that may stand in one score: one suite, one dimension, one set of data."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from de2ls.problems.key import ProblemKey
from de2ls.suites.registry import get_suite, suite_names

_OF_A_FILE = ("digest", "definition", "instance")  # the text's, as stores of schema 1 have it too


class Group(NamedTuple):
    """What the problems of a group have in common; its text is the group's title."""

    suite: str  # empty: problems of users' own
    dim: int  # 0 where each problem has its own
    variant: tuple[tuple[str, object], ...]  # definition, instance, ...

    def __str__(self) -> str:
        parts = [self.suite or "own problems", f"D = {self.dim}" if self.dim else ""]
        parts += [f"{name} {value}" for name, value in self.variant]
        return ", ".join(filter(None, parts))


def grouped(keys: Iterable[ProblemKey]) -> dict[Group, list[ProblemKey]]:
    """Sort problems into groups.

    A dimension separates the problems of a suite that has them in several; where each problem has
    a dimension of its own, as in the G suite, it does not.
    """
    keys = sorted(set(keys))
    dims: dict[tuple[str, str], set[int]] = defaultdict(set)
    for key in keys:
        dims[key.suite, key.label].add(key.dim)
    repeated = {suite for (suite, _), found in dims.items() if len(found) > 1}
    groups: dict[Group, list[ProblemKey]] = defaultdict(list)
    for key in keys:
        known = key.suite in suite_names()
        by_dim = "dim" in get_suite(key.suite).settings if known else key.suite in repeated
        suite = key.suite if known else ""
        group = Group(suite, key.dim if by_dim else 0, tuple(_shared_fields(key, known)))
        groups[group].append(key)
    return dict(sorted(groups.items(), key=lambda item: (item[0].suite, item[0].dim, str(item[0]))))


def _shared_fields(key: ProblemKey, known: bool) -> Iterable[tuple[str, object]]:
    """Yield the fields of the variant that the problems of a group share."""
    for name, value in key.variant:
        if not known and name in _OF_A_FILE:
            continue
        if name == "instance" and isinstance(value, str):
            yield name, "own data"  # a digest of each problem's
        elif f"_{name[0]}{value}" not in key.label:  # f10_i1: another instance, another problem
            yield name, value

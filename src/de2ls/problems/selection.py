"""Choosing problems by what users call them: numbers, ranges, names and labels."""

from collections.abc import Callable, Iterable
from typing import Any

from de2ls._lists import items, several, span
from de2ls.problems.key import ProblemKey


def chosen(keys: Iterable[ProblemKey], **selection: Any) -> list[ProblemKey]:
    """Return the problems of a selection, in the order of `keys`; None selects all.

    Parameters
    ----------
    keys : iterable of ProblemKey
        What to choose from.
    **selection
        `problems` (numbers, ranges, names, labels such as C07), `suites`, `dims`, and any field
        of the problems' variants, such as `instance`; each a value or several.
    """
    tests = [_test(name, wanted) for name, wanted in selection.items() if wanted is not None]
    return [key for key in keys if all(test(key) for test in tests)]


def _test(name: str, wanted: Any) -> Callable[[ProblemKey], bool]:
    if name == "problems":
        return _named(wanted)
    values = several(wanted)
    if name == "suites":
        return lambda key: key.suite in values
    if name == "dims":
        return lambda key: key.dim in values
    return lambda key: key.get(name) in values


def _named(wanted: Any) -> Callable[[ProblemKey], bool]:
    spans: list[range] = []
    names: set[Any] = set()
    for item in items("problems", wanted):
        found = span("problems", item)
        if found is None:
            names.add(item)
        else:
            spans.append(found)
    return lambda key: (
        key.label in names
        or key.name in names
        or (key.number is not None and any(key.number in found for found in spans))
    )

"""Choosing problems by what users call them: numbers, ranges, names and labels."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from de2ls.problems.key import ProblemKey

MOST_NUMBERS = 1_000_000  # of one range


def items(name: str, value: Any) -> list[Any]:
    """Return a list, also from one value or from a text with commas."""
    if isinstance(value, str):
        return [item.strip() for item in value.split(",") if item.strip()]
    if isinstance(value, int | Mapping):
        return [value]
    if isinstance(value, Iterable):
        return [part for item in value for part in items(name, item)]
    raise TypeError(f"{name} must be a value, a text or a list, got {value!r}")


def numbers(name: str, value: Any) -> Iterator[int]:
    """Yield the integers in ``"1-3,7"``, in a list of such texts, or in an integer."""
    for item in [value] if isinstance(value, range) else items(name, value):
        found = item if isinstance(item, range) else span(name, item)
        if found is None:
            raise ValueError(
                f"{name} must be numbers and ranges such as 1-28 or 1,4,7; got {item!r}"
            )
        yield from found


def span(name: str, item: Any) -> range | None:
    """Return the numbers in ``7`` or ``"1-28"``, None for any other text."""
    found = re.fullmatch(r"(\d{1,18})(?:\s*-\s*(\d{1,18}))?", str(item))
    if not found or isinstance(item, bool):
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    if last - first >= MOST_NUMBERS:
        raise ValueError(f"{name} must name at most {MOST_NUMBERS:,} numbers, got {item!r}")
    return range(first, last + 1)


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


def several(wanted: Any) -> list[Any]:
    """Return a list of one value or of several."""
    return [wanted] if isinstance(wanted, str | int) else list(wanted)


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

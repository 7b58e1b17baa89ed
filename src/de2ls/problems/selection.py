"""Choosing problems by what users call them: numbers, ranges, names and labels."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from de2ls._lists import items, several, span
from de2ls.problems.key import ProblemKey


def chosen(keys: Iterable[ProblemKey], /, **selection: Any) -> list[ProblemKey]:
    """Return the problems of a selection, in the order of `keys`; None selects all.

    Parameters
    ----------
    keys : iterable of ProblemKey
        What to choose from.
    **selection
        `problems` (numbers, ranges, names, labels such as C07, files), `keys` (the problems'
        own), `suites`, `dims`, and any field of the problems' variants, such as `instance`; each
        a value or several.
    """
    tests = [_test(name, wanted) for name, wanted in selection.items() if wanted is not None]
    return [key for key in keys if all(test(key) for test in tests)]


def _test(name: str, wanted: Any) -> Callable[[ProblemKey], bool]:
    if name == "problems":
        return _named(wanted)
    values = several(wanted)
    if name == "keys":
        return set(values).__contains__
    if name == "suites":
        return lambda key: key.suite in values
    if name == "dims":
        return lambda key: key.dim in values
    return lambda key: key.get(name) in values


def _named(wanted: Any) -> Callable[[ProblemKey], bool]:
    tests = [_one(item) for item in items("problems", wanted)]
    return lambda key: any(test(key) for test in tests)


def _one(item: Any) -> Callable[[ProblemKey], bool]:
    """Return the test for a number, a range, a name, a label or a file."""
    letters, numbers = numbered(item)
    return lambda key: (
        item in (key.label, key.name)
        or (str(item).endswith(".py") and Path(item).name == key.suite)
        or (key.number in numbers and letters in ("", _letters(key.label)))
    )


def numbered(item: Any) -> tuple[str, range]:
    """Return letters and numbers of ``7``, ``"1-28"``, ``"C7"`` or ``"G1-G12"``; else no number."""
    parts = re.fullmatch(r"(\D*)(\d+)(?:\s*-\s*(?:\1)?(\d+))?", str(item), re.IGNORECASE)
    if parts is None or isinstance(item, bool):
        return "", range(0)
    letters, first, last = parts.groups()
    return letters.casefold(), span("problems", f"{first}-{last or first}") or range(0)


def _letters(label: str) -> str:
    return re.split(r"\d", label, maxsplit=1)[0].casefold()

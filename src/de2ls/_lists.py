"""Lists as users write them, ``"1-3,7"`` or arrays in TOML; counts in words; names near a slip."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_LONGEST = 100_000  # numbers in one range: more is a slip, and would only fill the memory


def items(name: str, value: Any, single: tuple[type, ...] = ()) -> list[Any]:
    """Return a list, also from a text with commas, or from one value: a number or a `single`."""
    if isinstance(value, str):
        return [item.strip() for item in value.split(",") if item.strip()]
    if isinstance(value, (int, Mapping, *single)):
        return [value]
    if isinstance(value, Iterable):
        return [part for item in value for part in items(name, item, single)]
    raise TypeError(f"{name} must be a value, a text or a list, got {value!r}")


def numbers(name: str, value: Any) -> Iterator[int]:
    """Yield the integers in ``"1-3,7"``, in a list of such texts, or in an integer."""
    for item in items(name, value):
        found = span(name, item)
        if found is None:
            raise ValueError(
                f"{name} must be numbers and ranges such as 1-28 or 1,4,7; got {item!r}"
            )
        yield from found


def span(name: str, item: Any) -> range | None:
    """Return the numbers in ``7`` or ``"1-28"``; None if `item` is something else."""
    found = re.fullmatch(r"(\d+)(?:\s*-\s*(\d+))?", str(item))
    if found is None or isinstance(item, bool):
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    if last - first >= _LONGEST:
        raise ValueError(f"{name} must be at most {_LONGEST:,} numbers, got {item!r}")
    return range(first, last + 1)


def several(value: Any) -> list[Any]:
    """Return a list of one value or of several."""
    return [value] if isinstance(value, str | int) else list(value)


def nearest(value: Any, options: Iterable[str]) -> str:
    """Return a hint such as ``(did you mean 'de2ls'?)``, or nothing."""
    known = {option.lower(): option for option in options}
    matches = difflib.get_close_matches(str(value).lower(), list(known), n=1)
    return f" (did you mean {known[matches[0]]!r}?)" if matches else ""


def count(number: int, what: str) -> str:
    """Return ``1 trial``, ``2 trials``, ..."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

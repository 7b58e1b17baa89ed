"""Algorithms that users bring: as objects, in files, in modules, or as entry points of packages."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from de2ls import _checks
from de2ls.algorithms.algorithm import Algorithm, text_digest
from de2ls.problems.file import execute

GROUP = "de2ls.algorithms"  # of entry points

_objects: dict[str, Algorithm] = {}  # those that were given as objects, by reference


def find(given: Any, names: Sequence[str]) -> Algorithm:
    """Return the algorithm that `given` names or is; `names` are the package's own."""
    if isinstance(given, Algorithm):
        _objects.setdefault(given.reference, given)
        return given
    if not isinstance(given, str):
        raise TypeError(f"algorithm must be a name or an Algorithm, got {given!r}")
    if given in _objects:
        return _objects[given]
    place, _, digest = given.partition("@")
    found = _look(place, names)
    if digest and found.digest != digest:
        raise ValueError(
            f"algorithm {place} is not the one that was planned: its text has changed "
            f"(digest {found.digest}, not {digest})"
        )
    return found


def plugins() -> dict[str, EntryPoint]:
    """Return the entry points of installed packages, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def _look(place: str, names: Sequence[str]) -> Algorithm:
    file, _, which = place.rpartition(":") if ".py:" in place else (place, "", "")
    if file.endswith(".py"):
        return _choose(file, _in_file(file, text_digest(_text(file))), which)
    if ":" in place:
        return _in_module(place)
    installed = plugins()
    if place in installed:
        return _checked(place, installed[place].load())
    _checks.choice("algorithm", place, [*names, *installed])
    raise AssertionError


def _text(path: str) -> bytes:
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no algorithm file {path}")
    return Path(path).read_bytes()


@cache
def _in_file(path: str, digest: str) -> dict[str, Algorithm]:  # noqa: ARG001 -- another text runs again
    """Run a file and return the algorithms it defines, by name."""
    names = execute(Path(path), _text(path))
    return {value.name: value for value in names.values() if isinstance(value, Algorithm)}


def _choose(path: str, found: Mapping[str, Algorithm], which: str) -> Algorithm:
    if which:
        return found[_checks.choice(f"the algorithm of {path}", which, found)]
    if len(found) != 1:
        raise ValueError(
            f"{path} must define one algorithm, with @de2ls.algorithm(...), or be followed by the "
            f"name of one, as in {path}:NAME; it defines {', '.join(found) or 'none'}"
        )
    return next(iter(found.values()))


def _in_module(place: str) -> Algorithm:
    module, _, name = place.partition(":")
    try:
        return _checked(place, getattr(import_module(module), name))
    except (ImportError, AttributeError) as error:
        raise ValueError(f"algorithm {place!r} cannot be found: {error}") from error


def _checked(place: str, value: Any) -> Algorithm:
    if not isinstance(value, Algorithm):
        raise TypeError(
            f"algorithm {place!r} must be an Algorithm, as @de2ls.algorithm makes it, got {value!r}"
        )
    return value

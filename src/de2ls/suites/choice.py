"""Which problems a campaign runs: suites, what they are asked for, and users' names of problems."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from de2ls._lists import items, nearest
from de2ls.problems.key import ProblemKey
from de2ls.problems.selection import chosen, numbered
from de2ls.suites.registry import get_suite, suite_names
from de2ls.suites.suite import Suite


class Choice(NamedTuple):
    """A problem, and where its suite is if the suite's name does not tell: `registry.load`."""

    key: ProblemKey
    source: str


def choose(
    suites: Any, problems: Any, settings: Mapping[str, Any], known: Iterable[str] = ()
) -> list[Choice]:
    """Return the problems that a user asks for.

    Parameters
    ----------
    suites : str or list of str
        As `get_suite` takes them.
    problems : str, int or list, optional
        Numbers, ranges, names and labels of problems of the suites, such as ``"1-5,C12"``; Python
        files, each with all of its problems. By default all problems of the suites.
    settings : mapping
        Settings of the suites and files; each reaches those that understand it.
    known : iterable of str
        Other settings, for the message about one that nobody understands.
    """
    named = items("suite", suites)
    wanted = named if problems is None else items("problems", problems)
    if not wanted:
        raise ValueError("problems must not be empty: there is nothing to run")
    used = [item for item in wanted if _is_file(item)]
    used += named if problems is None or len(used) < len(wanted) else []
    opened = {item: get_suite(item) for item in used}
    understood = {name for suite in opened.values() for name in suite.settings}
    for name in settings:
        if name not in understood:
            there = [*known, *sorted(understood)]
            raise ValueError(
                f"no setting {name!r}{nearest(name, there)} in a plan on "
                f"{', '.join(map(str, opened))}; it has {', '.join(there)}"
            )
    keys = {item: _keys(suite, settings) for item, suite in opened.items()}
    found: list[Choice] = []
    for item in wanted:
        if problems is None or _is_file(item):
            here = {item: keys[item]}
        else:
            here = _matching(item, {place: keys[place] for place in named})
        found += [Choice(key, _source(place)) for place in here for key in here[place]]
    return found


def _is_file(item: Any) -> bool:
    return isinstance(item, str) and item.endswith(".py")


def _source(place: str) -> str:
    if _is_file(place):
        return str(Path(place).absolute())
    return "" if place in suite_names() else place


def _keys(suite: Suite, settings: Mapping[str, Any]) -> list[ProblemKey]:
    mine = {name: value for name, value in settings.items() if name in suite.settings}
    return suite.problems(**mine)


def _matching(item: Any, keys: Mapping[str, list[ProblemKey]]) -> dict[str, list[ProblemKey]]:
    """Return what one number, range, name or label means; refuse what no suite has."""
    found = {place: chosen(there, problems=[item]) for place, there in keys.items()}
    every = [key for there in keys.values() for key in there]
    _, numbers = numbered(item)
    ends = {numbers[0], numbers[-1]} if len(numbers) > 1 else set()  # the suite may lack others
    if not any(found.values()) or not ends <= {key.number for key in every}:
        labels = list(dict.fromkeys(key.label for key in every))
        shown = ", ".join(labels if len(labels) <= 12 else [*labels[:3], "...", labels[-1]])
        raise ValueError(
            f"problems must be among {shown} of {', '.join(keys)}; "
            f"got {item!r}{nearest(item, labels)}"
        )
    return found

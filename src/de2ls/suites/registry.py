"""Suites by name, by file, by ``module:name`` and from packages; each is loaded when it is used.

A package offers a suite through the entry point group ``de2ls.suites``: the entry's name is the
suite's, and it names a `Suite` (or a function without arguments that returns one).
"""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from de2ls import _checks
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem
from de2ls.suites.suite import RecordRule, Suite, maker

GROUP = "de2ls.suites"

_SUITES = {
    "cec2017": "de2ls.suites.cec2017.suite:CEC2017",
    "cec2006": "de2ls.suites.cec2006:CEC2006",
    "cec2017-bound": "de2ls.suites.cec_bound:CEC2017_BOUND",
    "cec2022-bound": "de2ls.suites.cec_bound:CEC2022_BOUND",
    "engineering": "de2ls.suites.engineering:ENGINEERING",
    "bbob-constrained": "de2ls.suites.bbob_constrained:BBOB_CONSTRAINED",
}


def suite_names() -> list[str]:
    """Return the names of all suites: the package's own, then those of installed packages."""
    return [*_SUITES, *(name for name in _offered() if name not in _SUITES)]


def get_suite(suite: str | Path | Suite) -> Suite:
    """Return a suite.

    Parameters
    ----------
    suite : str, Path or Suite
        A registered name (`suite_names`), a Python file (``my_suite.py``), ``module:name``, or a
        suite itself.

    Examples
    --------
    >>> suite = get_suite("cec2006")
    >>> suite.problems()[0].label, suite.best_known(suite.problems()[0])
    ('G1', -15.0)
    """
    if isinstance(suite, Suite):
        return suite
    text = str(suite)
    if text in _SUITES:
        return _imported(_SUITES[text])
    if text.endswith(".py"):
        from de2ls.suites.file import file_suite

        return file_suite(text)
    if ":" in text:
        return _imported(text)
    _checks.choice("suite", text, suite_names())
    return _from_package(text)


suite = get_suite  # the public name, `de2ls.suite`


def load(key: ProblemKey, source: str = "") -> Problem:
    """Make the problem of a key, once per process.

    Parameters
    ----------
    key : ProblemKey
        What identifies it.
    source : str
        Where its suite is, as `get_suite` takes it, if its name does not tell.
    """
    return get_suite(source or key.suite).load(key)


def record_rule(key: ProblemKey) -> RecordRule:
    """Return the rule of a problem's suite: one with that name, or the one that made it here.

    The plain rule for a suite that is not here.
    """
    suite = get_suite(key.suite) if key.suite in suite_names() else maker(key)
    return RecordRule() if suite is None else suite.record_rule


def best_known(key: ProblemKey) -> float | None:
    """Return the best known value of a problem, if its suite is here and knows one."""
    return get_suite(key.suite).best_known(key) if key.suite in suite_names() else None


def tags(key: ProblemKey) -> Iterable[str]:
    """Return the names of the groups of a problem, if its suite is here and names any."""
    return get_suite(key.suite).tags(key) if key.suite in suite_names() else ()


@cache
def _offered() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


@cache
def _from_package(name: str) -> Suite:
    return _checked(name, _offered()[name].load())


@cache
def _imported(place: str) -> Suite:
    module, _, name = place.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"suite {place!r} cannot be imported: {error}") from error
    return _checked(place, found)


def _checked(place: str, found: Any) -> Suite:
    suite = found if isinstance(found, Suite) or not callable(found) else found()
    if not isinstance(suite, Suite):
        raise TypeError(f"suite {place!r} must be a Suite or a function that returns one")
    return suite

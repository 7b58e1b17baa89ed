"""A user's Python file as a suite: `problems(dim)`, `problem(dim)`, or `fun` and `bounds`.

Beside what `de2ls.problems.file` reads, it may define `name` (of the suite; by default the file's),
`title`, `groups` (name of a group: names of its problems) and `best_known` (name of a problem: its
value; or one number in a file of one problem).
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from de2ls import _checks
from de2ls.problems.file import ProblemFile, read
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem
from de2ls.suites.suite import Facts, Suite

_OWN = 0  # in place of a dimension: whichever the problems have


class FileSuite(Suite):
    """The problems of a file; the digest of its text is part of every key.

    Parameters
    ----------
    file : ProblemFile
        The file, loaded.
    """

    def __init__(self, file: ProblemFile) -> None:
        self.file = file
        self.name = self._text("name", file.path.name)
        self.title = self._text("title", f"problems of {file.path.name}")
        self.settings = MappingProxyType({"dim": (file.dims or None) if file.scalable else _OWN})
        self._groups = self._table("groups", file.names.get("groups", {}))
        known = file.names.get("best_known", {})
        alone = isinstance(known, int | float)
        self._known = {file.path.stem: known} if alone else self._table("best_known", known)
        self._made: dict[int, dict[str, Problem]] = {}

    def list_keys(self, **settings: Any) -> list[ProblemKey]:
        """Return the problems of a dimension; of a file that does not scale, those that have it."""
        dim: int = settings["dim"]
        found = [
            ProblemKey.make(self.name, name, problem.dim, digest=self.file.digest)
            for name, problem in self._problems(dim).items()
            if dim in (_OWN, problem.dim)
        ]
        if not found:
            has = ", ".join(sorted({f"{one.dim}" for one in self._problems(dim).values()}))
            raise ValueError(
                f"dim must be {has} for {self.file.path}, got {dim}; let bounds be a function of "
                "dim, or define problem(dim), for other dimensions"
            )
        return found

    def make(self, key: ProblemKey) -> Problem:
        """Return a problem of the file as it was when the key was made."""
        if key.get("digest") != self.file.digest:
            raise ValueError(f"{self.file.path} is not the file of the plan: its text differs")
        made = self._problems(key.dim)
        return made[_checks.choice("name", key.name, made)]

    def tags(self, key: ProblemKey) -> list[str]:
        """Return the groups of the file that name the problem."""
        return [group for group, names in self._groups.items() if key.name in names]

    def best_known(self, key: ProblemKey) -> float | None:
        """Return what the file says, or the problem."""
        value = self._known.get(str(key.name))
        return self.load(key).best_known if value is None else _checks.real("best_known", value)

    def facts(self, key: ProblemKey) -> Facts:
        """Return the problem's name and numbers of constraints."""
        return super().facts(key)._replace(title=str(key.name))

    def _problems(self, dim: int) -> dict[str, Problem]:
        at = dim if self.file.scalable else _OWN
        if at not in self._made:
            self._made[at] = self.file.problems(at or None)
        return self._made[at]

    def _text(self, name: str, default: str) -> str:
        value = self.file.names.get(name, default)
        if not isinstance(value, str):
            raise TypeError(f"{self.file.path}: {name} must be a text, got {value!r}")
        return value

    def _table(self, name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise TypeError(f"{self.file.path}: {name} must be a mapping, got {value!r}")
        return dict(value)


def file_suite(path: str | Path) -> FileSuite:
    """Return the suite of a file, which is run once per process and text."""
    place = Path(path)
    return _file_suite(place, read(place)[1])


@lru_cache(maxsize=64)
def _file_suite(path: Path, digest: str) -> FileSuite:
    del digest  # another text is another suite
    return FileSuite(ProblemFile.load(path))

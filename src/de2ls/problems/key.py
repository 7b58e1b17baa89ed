"""`ProblemKey`: what identifies a problem, everywhere.

A store indexes by it, a score groups by it, a seed is made of it. It is plain data: where the
problem is needed, its suite makes it again from the key.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from de2ls import _checks

Value = int | str | bool | float

# How suites that number their problems call them; a problem with a name is called by its name.
_LABELS = {
    "cec2017": "C{name:02d}",
    "cec2006": "G{name}",
    "bbob-constrained": "f{name}_i{instance}",
    "cec2017-bound": "F{name:02d}",
    "cec2022-bound": "F{name:02d}",
}


@dataclass(frozen=True)
class ProblemKey:
    """The identity of a problem.

    Parameters
    ----------
    suite : str
        Name of the suite; empty for a problem that belongs to none.
    name : int or str
        Number of the problem within its suite, or its name.
    dim : int
        Number of coordinates D; 0 where it is not known.
    variant : tuple of pairs
        What else tells it apart, sorted by name: definition, instance, digest of a file, ...

    Examples
    --------
    >>> key = ProblemKey.make("cec2017", 7, 30, instance=0, definition="report")
    >>> key.label, key["instance"], key.as_dict()["number"]
    ('C07', 0, 7)
    """

    suite: str
    name: int | str
    dim: int
    variant: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.suite, str):
            raise TypeError(f"suite must be a text, got {self.suite!r}")
        if isinstance(self.name, bool) or not isinstance(self.name, int | str):
            raise TypeError(f"name must be a number or a text, got {self.name!r}")
        _checks.integer("dim", self.dim, 0)
        for pair in self.variant:
            if not isinstance(pair[0], str) or not isinstance(pair[1], int | str | float):
                raise TypeError(f"variant must hold texts and plain values, got {pair!r}")
        object.__setattr__(self, "variant", tuple(sorted(self.variant)))

    @classmethod
    def make(cls, suite: str, name: int | str, dim: int, **variant: Value) -> Self:
        """Make a key, the variant given by keywords."""
        return cls(suite, name, dim, tuple(sorted(variant.items())))

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Read a key from its JSON form; what `as_dict` gave comes back equal."""
        rest = dict(fields)
        suite = rest.pop("suite", "")
        if ("number" in rest) == ("name" in rest):
            raise ValueError(f"a problem's key has a number or a name, got {dict(fields)!r}")
        name = rest.pop("number") if "number" in rest else rest.pop("name")
        return cls(suite, name, rest.pop("dim", 0), tuple(sorted(rest.items())))

    def varied(self, **changes: Value | None) -> Self:
        """Return the key with fields of the variant replaced; None removes a field."""
        fields = dict(self.variant) | changes
        rest = tuple((name, value) for name, value in fields.items() if value is not None)
        return replace(self, variant=rest)

    def as_dict(self) -> dict[str, Any]:
        """Return the key as JSON data: suite, number or name, dim, and the variant's fields."""
        which = "number" if isinstance(self.name, int) else "name"
        fields: dict[str, Any] = {"suite": self.suite} if self.suite else {}
        fields[which] = self.name
        if self.dim:
            fields["dim"] = self.dim
        return fields | dict(self.variant)

    def to_json(self) -> str:
        """Return the one text of the key: equal keys have equal texts."""
        return self._text

    @cached_property
    def _text(self) -> str:
        return json.dumps(self.as_dict(), sort_keys=True)

    def __getitem__(self, name: str) -> Value:
        return dict(self.variant)[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field of the variant, or `default`."""
        return dict(self.variant).get(name, default)

    @property
    def number(self) -> int | None:
        """The number by which users choose the problem; None where a name identifies it."""
        is_file = self.suite.endswith(".py")  # stores of schema 1: a file was problem 1
        return None if isinstance(self.name, str) or is_file else self.name

    @property
    def label(self) -> str:
        """What tables and messages call the problem: C07, G1, f10_i1, or its own name."""
        if self.number is None:
            return self.name if isinstance(self.name, str) else self.suite
        pattern = _LABELS.get(self.suite, "{suite} {name}")
        return pattern.format(suite=self.suite, name=self.name, **dict(self.variant))

    @property
    def order(self) -> tuple[Any, ...]:
        """What sorts problems: suite, number or name, dimension, variant."""
        return self.suite, self.number or 0, str(self.name), self.dim, str(self.variant)

    def __lt__(self, other: "ProblemKey") -> bool:
        return self.order < other.order

    def __str__(self) -> str:
        """Return all that tells the problem apart, such as ``C07 D=30 report/0``."""
        dim = f" D={self.dim}" if self.dim else ""
        values = "/".join(str(value) for _, value in self.variant)
        return f"{self.label}{dim} {values}".rstrip()

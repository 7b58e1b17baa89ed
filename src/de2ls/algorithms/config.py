"""Configurations: frozen dataclasses whose fields carry meaning, default and validity range."""

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from de2ls import _checks
from de2ls._lists import nearest

if TYPE_CHECKING:
    from de2ls.engine.state import Records

_INTEGER = (int, int | None, "int", "int | None")  # types of a field, or as the source spells them
_BOOLEAN = (bool, "bool")
_ANYTHING = {"meaning": "", "low": None, "high": None, "options": None}  # of a plain field


def parameter(
    default: Any,
    meaning: str,
    low: float | None = None,
    high: float | None = None,
    options: tuple[str, ...] | None = None,
) -> Any:
    """Declare a field: its default, its meaning, and its range or its options."""
    metadata = {"meaning": meaning, "low": low, "high": high, "options": options}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config:
    """Base of all configurations: checks its fields and turns into a record for the kernels.

    A subclass that only retunes a parameter restates its default, ``h: int = 11``; meaning and
    range are those of the class that declared it.
    """

    derived: ClassVar[tuple[str, ...]] = ()  # fields whose None means "depends on D"

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = self._checked(field)
            object.__setattr__(self, field.name, value)

    def _checked(self, field: dataclasses.Field[Any]) -> Any:
        value, rules = getattr(self, field.name), _rules(type(self), field.name)
        if rules["options"]:
            return _checks.choice(field.name, value, rules["options"])
        if value is None and field.name in self.derived:
            return None
        if field.type in _INTEGER:
            return _checks.integer(field.name, value, rules["low"], rules["high"])
        if field.type in _BOOLEAN:
            if not isinstance(value, bool | np.bool_):
                raise TypeError(f"{field.name} must be True or False, got {value!r}")
            return bool(value)
        return _checks.real(field.name, value, rules["low"], rules["high"])

    @classmethod
    def make(cls, overrides: "Config | Mapping[str, Any] | None") -> Self:
        """Return a configuration from a mapping of fields, from another one, or the default."""
        if overrides is None:
            return cls()
        if type(overrides) is cls:
            return overrides
        if not isinstance(overrides, Mapping):
            raise TypeError(f"config must be a mapping or a {cls.__name__}, got {overrides!r}")
        known = [field.name for field in dataclasses.fields(cls)]
        for name in overrides:
            if name not in known:
                raise ValueError(
                    f"config has no field {name!r}{nearest(name, known)}; "
                    f"{cls.__name__} has {', '.join(known)}"
                )
        return cls(**overrides)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return dataclasses.asdict(self)

    def as_record(self) -> "Records":
        """Return the fields as a record for compiled code; an option is its index."""
        fields = dataclasses.fields(self)
        options = {field.name: _rules(type(self), field.name)["options"] for field in fields}
        whole = (*_INTEGER, *_BOOLEAN)
        dtype = [
            (field.name, "i8" if field.type in whole or options[field.name] else "f8")
            for field in fields
        ]
        record = np.zeros(1, np.dtype(dtype, align=True))
        for field in fields:
            value = getattr(self, field.name)
            if options[field.name]:
                value = options[field.name].index(value)
            record[0][field.name] = -1 if value is None else value
        return record


def _rules(config_class: type[Config], name: str) -> Mapping[str, Any]:
    """Return meaning and range of a field, from the nearest class that declares them."""
    declared = (
        vars(base).get("__dataclass_fields__", {}).get(name) for base in config_class.__mro__
    )
    stated = (field.metadata for field in declared if field is not None and field.metadata)
    return next(stated, _ANYTHING)


def table(config_class: type[Config]) -> list[tuple[str, Any, str, str]]:
    """Return (name, default, range, meaning) of every field, for the docs and the command line."""
    rows = []
    for field in dataclasses.fields(config_class):
        rules = _rules(config_class, field.name)
        if rules["options"]:
            span = " or ".join(rules["options"])
        else:
            low = "" if rules["low"] is None else f"{rules['low']:g}"
            high = "" if rules["high"] is None else f"{rules['high']:g}"
            span = f"[{low}, {high}]" if low or high else "any"
        rows.append((field.name, field.default, span, str(rules["meaning"])))
    return rows

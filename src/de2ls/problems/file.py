"""A user's own problem in a Python file.

The file defines `fun` and `bounds`, and may define `constraints`, `n_ineq`, `n_eq` and `options`
(further arguments, such as `integrality` or `max_evals`), all as `de2ls.minimize` takes them.
"""

import hashlib
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from de2ls.problems.problem import Problem
from de2ls.problems.wrap import problem

_GIVEN: tuple[str, ...] = ("constraints", "n_ineq", "n_eq")
_SHARED: tuple[str, ...] = (
    "integrality",
    "vectorized",
    "constraint_tol",
)  # options that define the problem


@dataclass(frozen=True)
class ProblemFile:
    """What a problem file defines."""

    path: Path
    digest: str  # of its text: another text is another problem
    fun: Any
    bounds: Any
    arguments: dict[str, Any] = field(default_factory=dict)  # constraints, n_ineq, n_eq if given
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | Path) -> "ProblemFile":
        """Run the file and take its names.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If it does not define what it must.
        """
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"there is no problem file {path}")
        text = path.read_bytes()
        digest = hashlib.sha256(text).hexdigest()[:16]
        names = execute(path, text)
        missing = [name for name in ("fun", "bounds") if name not in names]
        if missing:
            raise ValueError(f"{path} must define {' and '.join(missing)}")
        options = names.get("options", {})
        if not isinstance(options, dict):
            raise ValueError(f"{path}: options must be a dict, got {options!r}")
        arguments = {name: names[name] for name in _GIVEN if name in names}
        return cls(path, digest, names["fun"], names["bounds"], arguments, options)

    def problem(self) -> Problem:
        """Return it as a `Problem`."""
        shared = {name: self.options[name] for name in _SHARED if name in self.options}
        return problem(self.fun, self.bounds, **self.arguments, **shared, name=self.path.stem)


def execute(path: Path, text: bytes) -> dict[str, Any]:
    """Run the text as a module that can import what lies beside it, and return its names."""
    module = types.ModuleType(f"{path.stem}_{hashlib.sha256(text).hexdigest()[:16]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(path.absolute().parent))
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)  # noqa: S102 -- the user's program
    except Exception as error:
        raise ValueError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    return module.__dict__

"""A user's own problems in a Python file.

The file defines one of

- `fun` and `bounds`, and may define `constraints`, `n_ineq`, `n_eq` and `options` (further
  arguments, such as `integrality` or `max_evals`), all as `de2ls.minimize` takes them. With
  `bounds` a function of the dimension the problem has any dimension; `constraints`, `n_ineq` and
  `n_eq` may then be functions of it too;
- `problem(dim)`, which returns a `Problem`;
- `problems(dim)`, which returns several: a list, or a mapping from names to problems.

The last two may do without `dim`. `dims` says for which dimensions they are meant.
"""

import contextlib
import hashlib
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from de2ls import _checks
from de2ls.problems.problem import Problem
from de2ls.problems.wrap import problem

_GIVEN: tuple[str, ...] = ("constraints", "n_ineq", "n_eq")
_SHARED: tuple[str, ...] = (
    "integrality",
    "vectorized",
    "constraint_tol",
)  # options that define the problem


@contextlib.contextmanager
def no_exit(what: object) -> Iterator[None]:
    """Turn a `sys.exit` of the user's program, which would end ours too, into an error."""
    try:
        yield
    except SystemExit as error:
        raise RuntimeError(f"{what} called sys.exit({error.code!r})") from error


@dataclass(frozen=True)
class ProblemFile:
    """What a problem file defines."""

    path: Path
    digest: str  # of its text: another text is another problem
    names: Mapping[str, Any]

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Run the file and take its names.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If it cannot be run or does not define what it must.
        """
        path = Path(path)
        text, digest = read(path)
        file = cls(path, digest, execute(path, text))
        if file.maker is None:
            missing = [name for name in ("fun", "bounds") if name not in file.names]
            if missing:
                raise ValueError(
                    f"{path} must define {' and '.join(missing)} (or problem, or problems)"
                )
        if not isinstance(file.options, dict):
            raise ValueError(f"{path}: options must be a dict, got {file.options!r}")
        return file

    @property
    def maker(self) -> Callable[..., Any] | None:
        """The file's own `problems` or `problem`, not one that it has imported."""
        for name in ("problems", "problem"):
            found = self.names.get(name)
            if callable(found) and getattr(found, "__module__", "") == self.names["__name__"]:
                return found  # type: ignore[no-any-return]
        return None

    @property
    def options(self) -> Any:
        """Further arguments of `de2ls.minimize`."""
        return self.names.get("options", {})

    @property
    def scalable(self) -> bool:
        """Whether its problems take a dimension."""
        if self.maker is not None:
            return bool(inspect.signature(self.maker).parameters)
        return callable(self.names["bounds"])

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions the file is meant for; empty if it does not say."""
        value = self.names.get("dims", ())
        if not isinstance(value, list | tuple | range):
            raise ValueError(f"{self.path}: dims must be a list of integers, got {value!r}")
        return tuple(_checks.integer(f"{self.path}: dims", dim, 1) for dim in value)

    def arguments(self, dim: int | None = None) -> dict[str, Any]:
        """Return the arguments of `de2ls.minimize` without the options."""
        dims = self._dim(dim)
        if self.maker is not None:
            made = self.problems(dim)
            if len(made) != 1:
                raise ValueError(f"{self.path} must hold one problem to solve, got {len(made)}")
            return {"fun": next(iter(made.values()))}
        with no_exit(self.path):
            given = {
                name: self.names[name](*dims) if callable(self.names[name]) else self.names[name]
                for name in ("bounds", *_GIVEN)
                if name in self.names
            }
        return {"fun": self.names["fun"], **given}

    def problems(self, dim: int | None = None) -> dict[str, Problem]:
        """Return the problems by name; `dim` is needed iff the file is `scalable`."""
        dims = self._dim(dim)
        with no_exit(self.path):
            if self.maker is not None:
                made = _by_name(self.path, self.maker(*dims))
            else:
                name = self.path.stem
                shared = {name: self.options[name] for name in _SHARED if name in self.options}
                made = {name: problem(**self.arguments(dim), **shared, name=name)}
        for name, one in made.items():
            if dims and one.dim != dim:
                raise ValueError(f"{self.path}: {name} has D = {one.dim} for dim = {dim}")
        return made

    def _dim(self, dim: int | None) -> tuple[int, ...]:
        """Return the dimension as arguments for the file's functions."""
        if not self.scalable:
            return ()
        if dim is None:
            raise ValueError(f"dim must be given: {self.path} makes problems of any dimension")
        return (_checks.integer("dim", dim, 1),)


def read(path: Path) -> tuple[bytes, str]:
    """Return the text of a problem file and its digest."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no problem file {path}")
    text = path.read_bytes()
    return text, _digest(text)


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


def _by_name(path: Path, made: Any) -> dict[str, Problem]:
    """Return what a file's function gives as a mapping, checked."""
    single = [made] if isinstance(made, Problem) else made
    if isinstance(single, Mapping):
        pairs = list(single.items())
    elif isinstance(single, list | tuple):
        pairs = [(getattr(one, "name", None), one) for one in single]
    else:
        raise TypeError(f"{path} must give problems, a list or a mapping of them, got {made!r}")
    for name, one in pairs:
        if not isinstance(one, Problem) or not isinstance(name, str):
            raise TypeError(f"{path} must give a name and a de2ls.Problem, got {name!r}: {one!r}")
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{path} has two problems called {name!r}; give each its own name")
    return dict(pairs)


_running: set[Path] = set()  # files whose text is being run


def execute(path: Path, text: bytes) -> dict[str, Any]:
    """Run the text as a module that can import what lies beside it, and return its names."""
    place = path.absolute()
    if place in _running:
        raise ValueError(f"{path} loads itself")
    module = types.ModuleType(f"{path.stem}_{_digest(text)}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(place.parent))
    _running.add(place)
    try:
        with no_exit("it"):
            exec(compile(text, str(path), "exec"), module.__dict__)  # noqa: S102 -- the user's program
    except Exception as error:
        raise ValueError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        _running.discard(place)
        sys.path.remove(str(place.parent))
    return module.__dict__

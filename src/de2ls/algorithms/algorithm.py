"""What makes an algorithm: a name, a configuration, and its search in one of two forms."""

import hashlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from de2ls.algorithms.batches import Search
from de2ls.algorithms.config import Config

if TYPE_CHECKING:
    from de2ls.engine.state import Candidate, State


@dataclass(frozen=True)
class Algorithm:
    """An algorithm, stated once, as reverse communication: it never calls the objective.

    The compiled form has two functions. ``start(problem, config, seed, budget)`` returns the state
    before the first candidate. ``step(state, cand, action)`` is compiled: with the action TELL it
    takes the candidate's result, with ASK it makes a candidate and says whether there was one to
    give, with both it turns one evaluation into the next.

    The other form is a generator of batches, ``search(space, rng, budget, config)``, see
    `de2ls.algorithms.batches`. Everything that drives one form drives the other.
    """

    name: str
    title: str  # what tables call it
    config_class: type[Config]
    start: "Callable[..., State] | None" = None
    step: "Callable[[State, Candidate, int], bool] | None" = None
    counters: tuple[str, ...] = ()  # fields of the state that go into the record
    search: Search | None = field(default=None, compare=False)
    source: str = ""  # where a brought one is found again: module:function or file.py:name
    digest: str = ""  # of the text that defines a brought one

    def __post_init__(self) -> None:
        if (self.step is None) != (self.start is None) or (self.step is None) == (
            self.search is None
        ):
            raise ValueError(
                f"the algorithm {self.name} must have either start and step, or search"
            )

    @property
    def identity(self) -> str:
        """What records call it: its name and, if it was brought, the digest of its text."""
        return f"{self.name}@{self.digest}" if self.digest else self.name

    @property
    def reference(self) -> str:
        """The text from which `get_algorithm` finds this very algorithm in any process."""
        return f"{self.source}@{self.digest}" if self.source else self.identity


def algorithm(name: str, *, config: type[Config] = Config) -> Callable[[Search], Algorithm]:
    """Make an algorithm of a generator of batches: a decorator.

    Parameters
    ----------
    name : str
        What records, stores and tables call it.
    config : type
        Its parameters, a subclass of `de2ls.algorithms.Config`; none by default.

    Returns
    -------
    callable
        Turns ``search(space, rng, budget, config)`` into an `Algorithm`, which is accepted wherever
        an algorithm's name is.

    Examples
    --------
    >>> import de2ls
    >>> @de2ls.algorithm("random-search")
    ... def random_search(space, rng, budget, config):
    ...     while True:
    ...         y = yield space.sample(rng, 100)  # y.f, y.g, y.h, y.v: one row per point
    >>> de2ls.run_trial(random_search, de2ls.cec2017(1, 5, instance=1), seed=1).n_evals
    100000
    """
    if not isinstance(name, str) or not name or set(name) & set(",:=") or name.strip() != name:
        raise ValueError(f"name must be a text without commas, colons and equals, got {name!r}")
    if not (isinstance(config, type) and issubclass(config, Config)):
        raise TypeError(f"config must be a subclass of de2ls.algorithms.Config, got {config!r}")

    def make(search: Search) -> Algorithm:
        if not inspect.isgeneratorfunction(search):
            raise TypeError(
                f"the algorithm {name} must be a generator function: it yields batches of points; "
                f"got {search!r}"
            )
        source, digest = _origin(name, search)
        return Algorithm(name, name, config, search=search, source=source, digest=digest)

    return make


def text_digest(text: bytes) -> str:
    """Return what tells one text from another."""
    return hashlib.sha256(text).hexdigest()[:16]


def _origin(name: str, search: Search) -> tuple[str, str]:
    """Return where a search is found again, if anywhere, and the digest of the text it is in."""
    try:
        file = Path(inspect.getsourcefile(search) or "")
    except TypeError:
        return "", ""
    if not file.is_file():
        try:
            return "", text_digest(inspect.getsource(search).encode())
        except OSError:
            return "", ""
    digest = text_digest(file.read_bytes())
    function: Any = search
    if "<locals>" in function.__qualname__:
        return "", digest
    module = sys.modules.get(function.__module__)
    if getattr(module, "__spec__", None) is not None and function.__module__ != "__main__":
        return f"{function.__module__}:{function.__qualname__}", digest
    return f"{file.absolute()}:{name}", digest

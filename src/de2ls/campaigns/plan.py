"""A plan: algorithms x problems x runs, as plain data that any process can execute."""

import dataclasses
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any, Self

from de2ls import _checks
from de2ls._lists import items, numbers
from de2ls.algorithms import algorithm_names, get_algorithm
from de2ls.algorithms.algorithm import Algorithm
from de2ls.campaigns.seeds import trial_seed
from de2ls.engine.budget import checked_budget
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem
from de2ls.suites.choice import choose
from de2ls.suites.registry import get_suite, load
from de2ls.trials.key import TrialKey
from de2ls.trials.record import Trial

MOST_TRIALS = 1_000_000  # of a plan


@dataclass(frozen=True)
class Series:
    """An algorithm with its configuration, under a label.

    Parameters
    ----------
    algorithm : str or Algorithm
        What `de2ls.algorithms.get_algorithm` accepts. It becomes what records call it: its name,
        with the digest of its text if it is a user's own.
    label : str
        Name of the series in store, scores and reports; the algorithm's by default.
    config : mapping
        Fields that differ from the defaults; completed here.
    """

    algorithm: str | Algorithm
    label: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    place: str = field(init=False, default="")  # where any process finds the algorithm

    def __post_init__(self) -> None:
        if not isinstance(self.label, str):
            raise TypeError(f"label must be a text, got {self.label!r}")
        found = get_algorithm(self.algorithm)
        object.__setattr__(self, "place", found.reference)
        object.__setattr__(self, "algorithm", found.identity)
        object.__setattr__(self, "config", found.config_class.make(self.config).as_dict())
        object.__setattr__(self, "label", self.label or found.name)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``algorithm``, ``algorithm:field=value:...`` or ``label=algorithm:field=value``.

        The algorithm is a name, a file (``my_es.py`` or ``my_es.py:name``) or
        ``package.module:name``. Without a label of its own a series is called by its algorithm's
        name and its configuration.

        Examples
        --------
        >>> Series.parse("MC1=de2ls:ls_mc=1").label
        'MC1'
        """
        first, *rest = text.strip().split(":")
        label, _, algorithm = first.rpartition("=")
        own = [] if algorithm.strip() in algorithm_names() else rest
        place = [algorithm, *takewhile(lambda item: "=" not in item, own)]
        assignments = rest[len(place) - 1 :]
        config = dict(_assignment(item, text) for item in assignments)
        found = get_algorithm(":".join(place).strip())
        return cls(found, label.strip() or ":".join([found.name, *assignments]), config)


@dataclass(frozen=True, kw_only=True)
class PlannedTrial(Trial):
    """One trial to run; plain data, so that it travels to any worker."""

    place: str  # where any process finds the algorithm
    source: str = ""  # where its problem's suite is, if the suite's name does not tell

    def load(self) -> Problem:
        """Make its problem, once per process."""
        return load(self.problem, self.source)


@dataclass(frozen=True)
class Plan:
    """All trials of a campaign.

    Parameters
    ----------
    series : tuple of Series
        With different labels.
    problems : tuple of ProblemKey
        Each once.
    runs : tuple of int
        Numbers of the runs.
    seed : int
        The campaign's seed, from which every trial's seed is derived.
    max_evals : int, optional
        Budget of each trial; 20000 D by default.
    paired : bool
        Whether the series share their random numbers.
    sources : mapping
        Where the suites of some problems are, if their names do not tell: files, ``module:name``.
    """

    series: tuple[Series, ...]
    problems: tuple[ProblemKey, ...]
    runs: tuple[int, ...]
    seed: int = 1
    max_evals: int | None = None
    paired: bool = False
    sources: Mapping[ProblemKey, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("series", "problems", "runs"):
            if not getattr(self, name):
                raise ValueError(f"{name} must not be empty: there is nothing to run")
        if len(self) > MOST_TRIALS:
            raise ValueError(
                f"runs, problems and algorithms must make at most {MOST_TRIALS:,} trials, got "
                f"{len(self.runs):,} x {len(self.problems):,} x {len(self.series):,}"
            )
        _refuse_repeats("label", [series.label for series in self.series])
        _refuse_repeats("problem", self.problems)
        _refuse_repeats("run", self.runs)
        _checks.integer("seed", self.seed, 0)
        for run in self.runs:
            _checks.integer("runs", run, 1)
        checked_budget(self.max_evals, 1)

    def __len__(self) -> int:
        return len(self.series) * len(self.problems) * len(self.runs)

    def trials(self) -> Iterator[PlannedTrial]:
        """Yield the trials, run by run: what a stopped campaign leaves is a balanced part."""
        for run in self.runs:
            for problem in self.problems:
                budget = checked_budget(self.max_evals, problem.dim)
                for series in self.series:
                    yield PlannedTrial(
                        key=TrialKey(series.label, problem, run),
                        algorithm=str(series.algorithm),
                        place=series.place,
                        config=series.config,
                        seed=trial_seed(self.seed, series.label, problem, run, self.paired),
                        max_evals=budget,
                        source=self.sources.get(problem, ""),
                    )

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as data for a store's log."""
        return {
            "series": [dataclasses.asdict(series) for series in self.series],
            "problems": [problem.as_dict() for problem in self.problems],
            "facts": {key.to_json(): _facts(key, place) for key, place in self.sources.items()},
            "runs": list(self.runs),
            "seed": self.seed,
            "max_evals": self.max_evals,
            "paired": self.paired,
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Make a plan of settings, as a TOML file or the command line gives them.

        Parameters
        ----------
        settings : mapping
            ``algorithms``: a text as for `Series.parse`, several separated by commas, or a list of
            such texts, of tables with `name`, `label` and `config`, and of `Algorithm` objects.
            ``suite``: one or several,
            as for `de2ls.suite`; ``cec2017`` by default. ``problems``: numbers, ranges, names and
            labels such as ``"1-5,C12"``, and Python files; by default all of the suite. What the
            suites and files understand, such as ``dim``, ``definition``, ``instance``: one or
            several. ``runs``: how many, or which (``"26-50"``). ``seed``, ``max_evals``,
            ``paired``.
        """
        values = {**_SETTINGS, **settings}
        own = {
            name: value
            for name, value in settings.items()
            if name not in _SETTINGS and value is not None
        }
        chosen = choose(values["suite"], values["problems"], own, _SETTINGS)
        return cls(
            series=tuple(map(_series, items("algorithms", values["algorithms"], (Algorithm,)))),
            problems=tuple(choice.key for choice in chosen),
            sources={choice.key: choice.source for choice in chosen if choice.source},
            runs=tuple(_runs(values["runs"])),
            seed=_checks.integer("seed", values["seed"], 0),
            max_evals=values["max_evals"],
            paired=_truth("paired", values["paired"]),
        )

    @classmethod
    def from_file(cls, path: str | Path, overrides: Mapping[str, Any] | None = None) -> Self:
        """Read a plan from a TOML file; `overrides` replaces settings of the file."""
        if not Path(path).is_file():
            raise FileNotFoundError(f"there is no plan {path}")
        try:
            settings = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is no valid TOML: {error}") from error
        except RecursionError:
            raise ValueError(f"{path} is no valid TOML: it is nested too deep") from None
        return cls.from_settings({**settings, **(overrides or {})})


_SETTINGS: dict[str, Any] = {
    "algorithms": "de2ls",
    "suite": "cec2017",
    "problems": None,
    "runs": 25,
    "seed": 1,
    "max_evals": None,
    "paired": False,
}


def _facts(key: ProblemKey, place: str) -> dict[str, Any]:
    """Return what a suite says of a problem: reports read it where the suite is not at hand."""
    suite = get_suite(place)
    return {"best_known": suite.best_known(key), "groups": list(suite.tags(key))}


def _runs(value: Any) -> Iterator[int]:
    """Yield 1..n for a plain number n, else the runs that are named."""
    count = str(value).strip()
    return numbers("runs", f"1-{count}" if count.isdigit() else value)


def _series(item: Any) -> Series:
    if isinstance(item, str):
        return Series.parse(item)
    if isinstance(item, Algorithm):
        return Series(item)
    if not isinstance(item, Mapping) or "name" not in item:
        raise ValueError(f"an algorithm is a text or a table with a name; got {item!r}")
    known = ("name", "label", "config")
    for name in item:
        _checks.choice("a field of an algorithm", name, known)
    return Series(item["name"], item.get("label", ""), item.get("config", {}))


def _assignment(item: str, text: str) -> tuple[str, Any]:
    name, equals, value = item.partition("=")
    if not equals:
        raise ValueError(f"{text!r}: {item!r} must have the form field=value")
    try:
        return name.strip(), tomllib.loads(f"value = {value.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be true or false, got {value!r}")
    return value


def _refuse_repeats(name: str, values: Iterable[Any]) -> None:
    seen = set()
    for value in values:
        if value in seen:
            raise ValueError(f"the {name} {value!r} is planned twice; each must be different")
        seen.add(value)

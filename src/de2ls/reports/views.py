"""Views: what readers of COCO and IOHanalyzer ask of a group of trials.

Profiles (how much is reached when), running times (how long to a quality), quality at budgets, who
leads when, and what parameters do.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from de2ls.scores import Collection
from de2ls.scores.bootstrap import Bootstrap
from de2ls.scores.effects import Effects, effects
from de2ls.scores.leads import Leads, leads
from de2ls.scores.profiles import Profile, profiles
from de2ls.scores.running_times import FixedBudget, RunningTimes, fixed_budget, running_times
from de2ls.scores.tables import Column, Table, Value

ALL = "all problems"

Configs = Mapping[str, tuple[str, Mapping[str, Any]]]  # series: algorithm, configuration


@dataclass(frozen=True, eq=False)
class Views:
    """The views of one group of trials."""

    profile: Profile  # of all problems
    groups: Mapping[str, Profile]  # of the groups that the suite names
    problems: Mapping[str, Profile]
    running_times: RunningTimes
    fixed_budget: FixedBudget
    leads: Leads | None  # None with one series
    effects: tuple[Effects, ...]

    def tables(self) -> Iterator[tuple[str, Table]]:
        """Yield the tables by name, in the order in which they are read."""
        if self.leads is not None:
            yield "leads", self.leads.table()
        yield "profiles", sheet("Profiles", "problems", {ALL: self.profile, **self.groups})
        yield "profiles_by_problem", sheet("Profiles by problem", "problem", self.problems)
        yield "running_times", self.running_times.table()
        yield "fixed_budget", self.fixed_budget.table()
        for place, found in enumerate(self.effects, 1):
            yield f"effects{'' if place == 1 else f'_{place}'}", found.table()


def views(
    collection: Collection, protocol: str, resampled: Bootstrap | None, configs: Configs
) -> Views:
    """Return the views of a collection.

    Parameters
    ----------
    collection : Collection
        The trials.
    protocol : str
        By which points are given.
    resampled : Bootstrap, optional
        Of the score: effects of parameters need it.
    configs : mapping of series to (algorithm, configuration)
        What the series run.
    """
    known, groups = collection.best_known, collection.groups
    single = {name: [name] for name in collection.problems}
    found = profiles(collection, {ALL: collection.problems, **groups, **single}, known)
    return Views(
        profile=found[ALL],
        groups={name: found[name] for name in groups},
        problems={name: found[name] for name in single},
        running_times=running_times(collection, known),
        fixed_budget=fixed_budget(collection),
        leads=leads(collection, protocol) if len(collection.algorithms) > 1 else None,
        effects=() if resampled is None else tuple(effects(resampled, configs)),
    )


def sheet(title: str, heading: str, found: Mapping[str, Profile]) -> Table:
    """Return the tables of several profiles as one: a row for each of them and each series."""
    tables = {name: profile.table() for name, profile in found.items()}
    first = next(iter(tables.values()))
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (name, *row) for name, table in tables.items() for row in table.rows
    )
    notes = tuple(dict.fromkeys(note for table in tables.values() for note in table.notes[:1]))
    sources = next(iter(found.values())).notes
    columns = (Column(heading), *first.columns)
    return Table(title, columns, rows, notes=(*notes, *sources))

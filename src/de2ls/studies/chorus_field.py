"""CHORUS and the field of the CEC 2026 competition: points, pairs, problems and profiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from de2ls._checks import FloatArray
from de2ls.campaigns.plan import Series
from de2ls.reports.figures import style, totals
from de2ls.reports.lines import profile
from de2ls.reports.palette import looks
from de2ls.reports.profiles import profiles
from de2ls.reports.views import ALL
from de2ls.scores import Assessment, Collection, Column, Estimate, Table, score
from de2ls.scores.bootstrap import LEVEL, RESAMPLES, draws, estimate
from de2ls.scores.pairwise import ends
from de2ls.scores.profiles import Profile
from de2ls.scores.tables import Value, best_cells
from de2ls.scores.uscore import scorers
from de2ls.studies.cec2026 import FIELD
from de2ls.studies.gather import finals_table, gather_group, renamed, titles
from de2ls.studies.output import Output, provenance
from de2ls.studies.scale import Runner, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHORUS = titles("chorus")
BAR, MEAN_BAR = 0.82, 0.87  # share of points against each of the field and on average, D = 30
_SEED = 0  # of the resamples


@dataclass(frozen=True, eq=False)
class Duels:
    """The share of one series in the points between it and each of the others alone."""

    rivals: tuple[str, ...]
    problems: tuple[str, ...]
    share: FloatArray  # (problems, rivals)
    samples: FloatArray  # (resamples, rivals): over all problems
    n_trials: int

    def estimates(self) -> list[Estimate]:
        """Return the share against each rival, over all problems, with its interval."""
        whole = self.share.mean(axis=0)
        return [estimate(whole[j], self.samples[:, j]) for j in range(len(self.rivals))]

    def mean(self) -> Estimate:
        """Return the mean over the rivals with its interval."""
        return estimate(float(self.share.mean()), self.samples.mean(axis=1))


def duels(collection: Collection, name: str, resamples: int = RESAMPLES) -> Duels:
    """Score one series against each of the others alone.

    The points that a series earns by pairs of its own trials are left out: they are the same
    whatever happens. Every problem has the same number of points, so that the share over all
    problems is their mean. The resamples are drawn once for all duels: the series' own trials are
    the same in each.
    """
    rivals = tuple(other for other in collection.algorithms if other != name)
    problems, places = collection.problems, [collection.index(o) for o in (name, *rivals)]
    share = np.empty((len(problems), len(rivals)))
    samples = np.zeros((resamples, len(rivals)))
    n = collection.n_trials
    within = n * (n - 1)  # accuracy and speed, n (n - 1) / 2 each
    prepared = [list(scorers(collection.select([name, rival]), "cec2026")) for rival in rivals]
    for p, drawn in enumerate(draws(collection, resamples, _SEED)):
        sizes = [len(cell) for cell in collection.cells[p]]
        columns = np.split(drawn, np.cumsum(sizes)[:-1], axis=1)
        starts = np.cumsum([0, *sizes])
        own = columns[places[0]] - starts[places[0]]
        for j, place in enumerate(places[1:]):
            theirs = columns[place] - starts[place] + own.shape[1]
            points = prepared[j][p].totals(np.hstack([own, theirs])) - within
            ratio = points[:, 0] / points.sum(axis=1)
            share[p, j] = ratio[0]
            samples[:, j] += ratio[1:] / len(problems)
    return Duels(rivals, problems, share, samples, n)


def reproduce_chorus_field(scale: Scale, runner: Runner, folder: Path, command: str) -> Output:
    """Run what the store lacks of CHORUS and the field, and write how they compare.

    Parameters
    ----------
    scale : Scale
        How large.
    runner : Runner
        Where the trials are stored and run.
    folder : Path
        Where the tables go.
    command : str
        What the provenance calls the command.
    """
    names = {**CHORUS, **FIELD}
    runner.run(scale.plan([Series(name) for name in names]))
    gathered = gather_group(runner.store, scale.selection(list(names)))
    collection = renamed(gathered.collection, names)
    (title,) = CHORUS.values()
    output = field_output(
        scale, score(collection), duels(collection, title), profiles(collection)[ALL]
    )
    output.machines["trials"] = finals_table(gathered.trials)
    output.write(folder, provenance(command, scale, gathered.info, list(names)))
    return output


def field_output(scale: Scale, assessed: Assessment, found: Duels, profile: Profile) -> Output:
    """Return the tables and figures of a scored field."""
    (title,) = CHORUS.values()
    return Output(
        title=f"CHORUS and the CEC 2026 field, D = {scale.dim}",
        introduction=[
            f"{title} and seven entries on {len(scale.numbers)} problems of the CEC 2017 "
            f"constrained suite, {scale.runs} runs of {scale.budget:,} evaluations, by the "
            "competition's rules.",
        ],
        tables={
            "totals": assessed.table(),
            "duels": duels_table(found, scale),
            "duels-by-problem": duels_by_problem(found),
            "medians": medians_table(assessed.collection),
            "profile": profile.table(),
            "uscores": assessed.score.by_problem("total"),
            "ranks": assessed.score.by_problem("rank"),
            "rank-sum": assessed.rank_sum.table(),
        },
        figures=_figures(assessed, profile),
        captions={
            "totals": f"Total accuracy, speed and U-score; whiskers are {LEVEL:.0%} intervals.",
            "profile": "Share of targets reached against evaluations; bands hold "
            f"{LEVEL:.0%} of the resamples.",
        },
        shown=["totals", "duels", "duels-by-problem", "medians", "profile"],
    )


def duels_table(found: Duels, scale: Scale) -> Table:
    """Return the share of points against each of the field alone, beside what is asked."""
    n = found.n_trials
    asked = [
        *((*pair, BAR) for pair in zip(found.rivals, found.estimates(), strict=True)),
        ("mean", found.mean(), MEAN_BAR),
    ]
    rows: list[tuple[Value, ...]] = [
        (
            rival,
            share,
            bar,
            "yes" if share.value >= bar else "no",
            (n - 1 + 2 * n * share.value) / (2 * (n - 1) + 2 * n),
        )
        for rival, share, bar in asked
    ]
    columns = (
        Column("against"),
        Column("share of points", ".3f", ".3f"),
        Column("bar", ".2f"),
        Column("reached"),
        Column("of both totals", ".3f"),
    )
    notes = (
        "points of CHORUS over all points between the two, each pair scored alone; [low, high]: "
        f"{LEVEL:.0%} interval of {len(found.samples)} resamples",
        "of both totals: with the points that pairs of a series' own trials earn, at most "
        f"{(3 * n - 1) / (4 * n - 2):.3f} here",
        *([] if scale.is_published else ["the bars are set for D = 30, all problems and 25 runs"]),
    )
    return Table("CHORUS against each entry alone", columns, tuple(rows), notes=notes)


def duels_by_problem(found: Duels) -> Table:
    """Return the share of points against each of the field on every problem."""
    rows: list[tuple[Value, ...]] = [
        (problem, *map(float, shares), float(shares.mean()))
        for problem, shares in zip(found.problems, found.share, strict=True)
    ]
    columns = [Column("problem"), *(Column(name, ".2f") for name in (*found.rivals, "mean"))]
    title = "Share of points of CHORUS by problem"
    return Table(title, tuple(columns), tuple(rows))


def medians_table(collection: Collection) -> Table:
    """Return the median final value of every series on every problem, the best in bold."""
    rows: list[tuple[Value, ...]] = []
    ranks: list[Sequence[float]] = []
    for problem, row, tol in zip(
        collection.problems, collection.cells, collection.feasible_tols, strict=True
    ):
        middle = [_median(cell, tol) for cell in row]
        rows.append((problem, *(f"{v:.6g}" + ("" if ok else " (v)") for ok, v in middle)))
        some = any(ok for ok, _ in middle)
        ranks.append([value if ok or not some else np.nan for ok, value in middle])
    columns = (Column("problem"), *map(Column, collection.algorithms))
    note = "(v): the median trial has no feasible point; its violation"
    bold = best_cells(ranks, largest=False)
    return Table("Median final values", columns, tuple(rows), bold, (note,))


def _median(trials: FloatArray, tol: float) -> tuple[bool, float]:
    """Return the middle trial by the rules: whether it is feasible, and its value."""
    values, violations, feasible = ends(trials, tol)
    value = np.where(feasible, values, violations)
    middle = np.lexsort((value, ~feasible))[len(trials) // 2]
    return bool(feasible[middle]), float(value[middle])


def _figures(assessed: Assessment, found: Profile) -> "dict[str, Figure]":
    styles = looks(assessed.score.algorithms)
    with style():
        return {
            "totals": totals(assessed.score, assessed.bootstrap, styles),
            "profile": profile(found, styles),
        }

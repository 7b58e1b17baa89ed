"""The field of the CEC 2026 competition under one set of rules.

Seven of its eight entries (one has no public description) run on one definition of the problems,
with every point inside the box and records by the rules; and once more with the other definition
on the three problems in which the two differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from de2ls._checks import FloatArray
from de2ls.campaigns.plan import Series
from de2ls.reports.figures import critical_difference, new_figure, style, superiority, totals
from de2ls.reports.palette import Look, looks
from de2ls.scores import Assessment, Bootstrap, Collection, Column, Estimate, Table, score
from de2ls.scores.bootstrap import LEVEL
from de2ls.scores.tables import Value
from de2ls.scores.target import mean_ranks
from de2ls.studies.gather import finals_table, gather_group, joined, renamed, titles
from de2ls.studies.official import TOTALS, OfficialTable
from de2ls.studies.output import Output, provenance
from de2ls.studies.scale import Runner, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Labels of the store and the competition's names, in the order of its ranking.
FIELD = titles("rde26", "rdex", "rdex-cask", "de2ls", "ude3", "ude4", "cl-srde")
OTHER = "cpp2017"
DIFFERING = (9, 15, 24)  # problems in which the two definitions differ

_OFFICIAL = (
    "official: D = 30, 28 problems, 25 runs of eight entries, of which AEBDE (fifth) has no public "
    "description; its points are part of the official shares"
)
_CAPTIONS = {
    "totals": f"Total accuracy, speed and U-score; whiskers are {LEVEL:.0%} intervals.",
    "ranks": "Ranks by total U-score: those found here with the definition "
    f"`{OTHER}` and with `report`, and the official ones among these entries where the size is "
    "theirs.",
    "superiority": "Share of the resamples in which the row's total exceeds the column's.",
    "critical-difference": "Mean ranks over the problems; a bar joins entries that Nemenyi's test "
    "does not tell apart.",
}


def reproduce_cec2026(
    scale: Scale, runner: Runner, folder: Path, command: str, official: OfficialTable | None
) -> Output:
    """Run what the store lacks of the field's campaigns and write the ranking.

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
    official : OfficialTable, optional
        The official function-wise table.
    """
    series = [Series(name) for name in FIELD]
    runner.run(scale.plan(series))
    gathered = gather_group(runner.store, scale.selection(list(FIELD)))
    finals = list(gathered.trials)
    report = renamed(gathered.collection, FIELD)
    assessed = {"report": score(report)}
    changed = replace(scale, numbers=tuple(n for n in scale.numbers if n in DIFFERING))
    if changed.numbers:
        runner.run(changed.plan(series, OTHER))
        others = gather_group(runner.store, changed.selection(list(FIELD), OTHER))
        assessed[OTHER] = score(_with_definition(report, renamed(others.collection, FIELD)))
        finals += others.trials
    output = field_output(scale, assessed, official)
    output.machines["trials"] = finals_table(finals)
    output.write(folder, provenance(command, scale, gathered.info, list(FIELD)))
    return output


def _with_definition(report: Collection, others: Collection) -> Collection:
    """Return the problems of `report`, those of the other definition in place of their own."""
    same = [name for name in report.problems if name not in others.problems]
    return joined([report.select(problems=same), others] if same else [others])


def field_output(
    scale: Scale, assessed: Mapping[str, Assessment], official: OfficialTable | None
) -> Output:
    """Return the tables and figures of a scored field."""
    main = assessed["report"]
    tables = {"ranking": ranking_table(main, scale.is_published)}
    if OTHER in assessed:
        tables["definitions"] = definitions_table(main, assessed[OTHER], scale.is_published)
    if official is not None and scale.is_published:
        tables["by-problem-official"] = official_by_problem(main, official)
    rest = main.tables()
    del rest["totals"], rest["by_problem"]
    tables |= {name.replace("_", "-"): table for name, table in rest.items()}
    tables |= {"uscores": main.score.by_problem("total"), "ranks": main.score.by_problem("rank")}
    return Output(
        title=f"The CEC 2026 field under one set of rules, D = {scale.dim}",
        introduction=[
            f"Seven entries on {len(scale.numbers)} problems, {scale.runs} runs: the definition "
            "`report` for all, every evaluated point inside the box, records by the competition's "
            "rules.",
            "Totals of fields of different size are not comparable: ranks and shares of all points "
            "stand beside the official ones."
            if scale.is_published
            else "The official result is of another size (D = 30, 28 problems, 25 runs) and is "
            "left out.",
        ],
        tables=tables,
        figures=_figures(assessed, scale.is_published),
        captions=_CAPTIONS,
        shown=["ranking", *(["definitions"] if "definitions" in tables else [])],
    )


def shares(bootstrap: Bootstrap) -> list[Estimate]:
    """Return each algorithm's share of all points in percent, with its interval."""
    totals = bootstrap.score.sums()["total"]
    whole = float(totals.sum())
    limits = bootstrap.interval("total")
    return [
        Estimate(*(100 * float(v) / whole for v in (totals[a], *limits[a])))
        for a in range(len(totals))
    ]


def official_ranks(names: Sequence[str]) -> dict[str, int]:
    """Return the official ranks among some of the entries."""
    order = sorted(names, key=lambda name: -TOTALS[name])
    return {name: 1 + order.index(name) for name in names}


def ranking_table(assessment: Assessment, is_published: bool) -> Table:
    """Return the ranking under one set of rules, best first, beside the official one if asked."""
    bootstrap = _resampled(assessment)
    names, found = bootstrap.score.algorithms, shares(bootstrap)
    ranks = mean_ranks(-bootstrap.score.sums()["total"][None])[0]
    above = bootstrap.superiority()
    official, all_points = official_ranks(names), sum(TOTALS.values())
    order = np.argsort(ranks, kind="stable")
    rows: list[tuple[Value, ...]] = []
    for place, a in enumerate(order):
        name, is_last = names[a], place + 1 == len(order)
        rows.append(
            (
                name,
                float(ranks[a]),
                found[a],
                None if is_last else float(above[a, order[place + 1]]),
                official[name] if is_published else None,
                100 * TOTALS[name] / all_points if is_published else None,
                float(bootstrap.score.sums()["total"][a]),
            )
        )
    columns = (
        Column("algorithm"),
        Column("rank", ".3g"),
        Column("share %", ".2f", ".2f"),
        Column("P(above the next)", ".3f"),
        Column("official rank of these", "d"),
        Column("official share %", ".2f"),
        Column("U-score"),
    )
    notes = (
        f"share of all points of the field, [low, high]: {LEVEL:.0%} bootstrap interval; P: share "
        f"of {bootstrap.resamples} resamples in which the total exceeds that of the next line",
        *([_OFFICIAL] if is_published else []),
        *bootstrap.warnings,
    )
    return Table("Ranking", columns, tuple(rows), notes=notes).without_empty_columns()


def definitions_table(report: Assessment, other: Assessment, is_published: bool) -> Table:
    """Return what the definition of three problems alone does to shares and ranks."""
    first, second = _resampled(report), _resampled(other)
    ranks = [mean_ranks(-b.score.sums()["total"][None])[0] for b in (first, second)]
    official = official_ranks(first.score.algorithms)
    rows: list[tuple[Value, ...]] = []
    for a in np.argsort(ranks[0], kind="stable"):
        name = first.score.algorithms[a]
        one, two = shares(first)[a], shares(second)[a]
        rows.append(
            (
                name,
                float(ranks[0][a]),
                float(ranks[1][a]),
                official[name] if is_published else None,
                one,
                two,
                two.value - one.value,
            )
        )
    columns = (
        Column("algorithm"),
        Column("rank, report", ".3g"),
        Column(f"rank, {OTHER}", ".3g"),
        Column("official rank of these", "d"),
        Column("share %, report", ".2f", ".2f"),
        Column(f"share %, {OTHER}", ".2f", ".2f"),
        Column("difference", ".2f"),
    )
    text = ", ".join(f"C{number:02d}" for number in DIFFERING)
    note = f"{OTHER}: its definition on {text}, the others as they are (they do not differ)"
    found = Table("What the definition does", columns, tuple(rows), notes=(note,))
    return found.without_empty_columns()


def official_by_problem(assessment: Assessment, official: OfficialTable) -> Table:
    """Return ranks and shares per problem beside the official ones, among the same entries."""
    names = assessment.score.algorithms
    places = [official.algorithms.index(name) for name in names]
    here = _shares_by_problem(assessment.score.total)
    past = _shares_by_problem(official.uscore[:, places])
    columns = [Column("problem")]
    for name in names:
        columns += [
            Column(f"{name} rank", ".3g"),
            Column(f"{name} official rank", ".3g"),
            Column(f"{name} share %", ".1f"),
            Column(f"{name} official share %", ".1f"),
        ]
    ranks, past_ranks = mean_ranks(-here), mean_ranks(-past)
    rows: list[tuple[Value, ...]] = []
    for p, problem in enumerate(assessment.score.problems):
        cells: list[Value] = [problem]
        q = official.problems.index(problem) if problem in official.problems else None
        for a in range(len(names)):
            official_rank = None if q is None else float(past_ranks[q, a])
            official_share = None if q is None else float(past[q, a])
            cells += [float(ranks[p, a]), official_rank, float(here[p, a]), official_share]
        rows.append(tuple(cells))
    note = "ranks and shares among these entries; the official points include those against AEBDE"
    title = "By problem, beside the official result"
    return Table(title, tuple(columns), tuple(rows), notes=(note,)).without_empty_columns()


def _shares_by_problem(points: FloatArray) -> FloatArray:
    found: FloatArray = 100 * points / points.sum(axis=1, keepdims=True)
    return found


def _resampled(assessment: Assessment) -> Bootstrap:
    assert assessment.bootstrap is not None
    return assessment.bootstrap


def _figures(assessed: Mapping[str, Assessment], is_published: bool) -> "dict[str, Figure]":
    main, styles = assessed["report"], looks(FIELD.values())
    with style():
        drawn = {
            "totals": totals(main.score, main.bootstrap, styles),
            "ranks": rank_lines(assessed, styles, is_published),
            "superiority": superiority(_resampled(main)),
        }
        if main.friedman is not None:
            drawn["critical-difference"] = critical_difference(main.friedman, styles)
    return drawn


def rank_lines(
    assessed: Mapping[str, Assessment], styles: Mapping[str, Look], is_published: bool
) -> "Figure":
    """Draw how the ranks move from the official result to one set of rules."""
    names = assessed["report"].score.algorithms
    official = official_ranks(names)
    stations: dict[str, list[float]] = {}
    if is_published:
        stations["official"] = [float(official[name]) for name in names]
    for definition in (OTHER, "report"):
        if definition in assessed:
            sums = assessed[definition].score.sums()["total"]
            stations[f"here, {definition}"] = mean_ranks(-sums[None])[0].tolist()
    figure = new_figure(6.4, 0.9 + 0.4 * len(names))
    axes = figure.subplots()
    x = list(range(len(stations)))
    for a, name in enumerate(names):
        y, look = [ranks[a] for ranks in stations.values()], styles[name]
        axes.plot(x, y, marker=look.marker, color=look.light, lw=2, ms=7)
        axes.text(-0.06, y[0], name, ha="right", va="center", color=look.light)
        axes.text(x[-1] + 0.06, y[-1], name, ha="left", va="center", color=look.light)
    axes.set_xticks(x, list(stations))
    axes.set_xlim(-0.55, x[-1] + 0.55)
    axes.set_yticks(range(1, len(names) + 1))
    axes.invert_yaxis()
    axes.set_ylabel("rank by total U-score")
    axes.grid(axis="x", visible=False)
    return figure

"""What ten years brought: the lineage and the CEC 2026 field, on two suites, by one set of rules.

The CEC 2017 constrained suite, and the CEC 2017 bound-constrained functions. L-SRTDE under
constraints is CL-SRDE, and CL-SRDE without them is L-SRTDE: each stands where it belongs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from de2ls import _checks
from de2ls.campaigns.plan import Plan, Series
from de2ls.problems.key import ProblemKey
from de2ls.reports.figures import critical_difference, new_figure, style, totals
from de2ls.reports.palette import looks
from de2ls.scores import Assessment, Column, Table, score
from de2ls.scores.bootstrap import LEVEL
from de2ls.scores.tables import Value
from de2ls.studies.cec2026 import shares
from de2ls.studies.gather import finals_table, gather_group, renamed, titles
from de2ls.studies.output import Output, environments
from de2ls.studies.scale import Runner
from de2ls.suites.registry import get_suite
from de2ls.trials.record import TrialSummary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONSTRAINED, BOUND = "cec2017", "cec2017-bound"
YEARS = {
    **dict.fromkeys(("jso", "ebo-cmar", "lshade-spacma", "lshade44", "ude"), 2017),
    "lshade44-iepsilon": 2018,
    "dish": 2019,
    "imode": 2020,
    "nl-shade-rsp": 2021,
    "ea4eig": 2022,
    **dict.fromkeys(("l-srtde", "mlshade-rl", "cl-srde", "ude3"), 2024),
    **dict.fromkeys(("ude4", "rdex"), 2025),
    **dict.fromkeys(("rde26", "rdex-cask", "de2ls"), 2026),
}
_ABSENT = {CONSTRAINED: "l-srtde", BOUND: "cl-srde"}
_EVALS_PER_DIM = {CONSTRAINED: 20_000, BOUND: 10_000}  # the contests' budgets


@dataclass(frozen=True)
class Decade:
    """The size of the study; the defaults are those of the contests, at D = 30."""

    dim: int = 30
    runs: int = 25
    seed: int = 1
    max_evals: int | None = None  # of each trial; by default the contests'
    problems: tuple[int, ...] = ()  # numbers; none: all
    names: tuple[str, ...] = tuple(YEARS)
    instance: int = 0  # of the constrained problems; 0: the official data

    def __post_init__(self) -> None:
        _checks.integer("runs", self.runs, 1)
        for name in self.names:
            _checks.choice("names", name, YEARS)

    def present(self, suite: str) -> list[str]:
        """Return the algorithms that run on a suite, by year."""
        return sorted((n for n in self.names if n != _ABSENT[suite]), key=YEARS.__getitem__)

    def keys(self, suite: str) -> tuple[ProblemKey, ...]:
        """Return the problems of a suite."""
        settings = {"instance": self.instance} if suite == CONSTRAINED else {}
        found = get_suite(suite).problems(dim=self.dim, **settings)
        return tuple(key for key in found if not self.problems or key.name in self.problems)

    def plan(self, suite: str) -> Plan:
        """Return the campaign on a suite."""
        series = tuple(Series(name) for name in self.present(suite))
        budget = self.max_evals or _EVALS_PER_DIM[suite] * self.dim
        runs = tuple(range(1, self.runs + 1))
        return Plan(series, self.keys(suite), runs, self.seed, budget)


QUICK = Decade(dim=10, runs=3, max_evals=20_000)


def reproduce_lineage(
    size: Decade, runner: Runner, folder: Path, command: str, suites: Sequence[str]
) -> Output:
    """Run what the store lacks and write rankings, pairs and the figure over the years.

    Parameters
    ----------
    size : Decade
        How large.
    runner : Runner
        Where the trials are stored and run.
    folder : Path
        Where the tables go.
    command : str
        What the provenance calls the command.
    suites : sequence of str
        ``"cec2017"``, ``"cec2017-bound"`` or both.
    """
    output = Output(
        title=f"What ten years brought, D = {size.dim}",
        introduction=[
            f"The lineage and the CEC 2026 field, {size.runs} runs, every point inside the box, "
            "every evaluation counted.",
            "Algorithms made for bounds order infeasible points by one common epsilon level.",
        ],
        captions=_captions(suites),
    )
    finals: list[TrialSummary] = []
    lines = [f"command: `{command}`", f"campaign seed {size.seed}"]
    assessed = {}
    for suite in suites:
        plan, names = size.plan(suite), size.present(suite)
        runner.run(plan)
        selection: dict[str, object] = {
            "labels": names,
            "suites": suite,
            "problems": [key.name for key in plan.problems],
            "dims": size.dim,
            "runs": list(plan.runs),
        }
        if suite == CONSTRAINED:
            selection["instance"] = size.instance
        gathered = gather_group(runner.store, selection)
        assessed[suite] = found = score(renamed(gathered.collection, titles(*names)))
        tables = {"ranking": ranking(found, names)} | {
            name: table for name, table in found.tables().items() if name in ("pairs", "friedman")
        }
        output.tables |= {f"{suite}-{name}": table for name, table in tables.items()}
        finals += gathered.trials
        lines.append(f"{suite}: {plan.max_evals:,} evaluations, {len(plan.problems)} problems")
        lines.append(f"trials by {environments(gathered.info)}")
    output.shown = [f"{suite}-ranking" for suite in suites]
    output.machines["trials"] = finals_table(finals)
    output.figures = _figures(assessed)
    output.write(folder, lines)
    return output


def ranking(assessment: Assessment, names: Sequence[str]) -> Table:
    """Return year and share of all points, best first, and from which place on others differ.

    An algorithm is told from one below it when its total is higher in more than the level's share
    of the resamples.
    """
    bootstrap = assessment.bootstrap
    assert bootstrap is not None
    found, above = shares(bootstrap), bootstrap.superiority()
    order = np.argsort([-estimate.value for estimate in found], kind="stable")
    rows: list[tuple[Value, ...]] = []
    for place, a in enumerate(order):
        below = [b for b in order[place + 1 :] if above[a, b] > LEVEL]
        first = int(np.flatnonzero(order == below[0])[0]) + 1 if below else None
        name = bootstrap.score.algorithms[a]
        rows.append((place + 1, name, YEARS[names[a]], found[a], first))
    columns = (
        Column("rank", "d"),
        Column("algorithm"),
        Column("year", "d"),
        Column("share %", ".2f", ".2f"),
        Column("told from rank", "d"),
    )
    note = (
        f"share of all points of the U-score, [low, high]: {LEVEL:.0%} bootstrap interval; told "
        f"from: the first rank below that it exceeds in more than {LEVEL:.0%} of the resamples"
    )
    return Table("Ranking", columns, tuple(rows), notes=(note, *bootstrap.warnings))


def _captions(suites: Sequence[str]) -> dict[str, str]:
    captions = {
        "years": f"Share of all points by year of publication; whiskers are {LEVEL:.0%} intervals."
    }
    for suite in suites:
        captions[f"{suite}-totals"] = f"{suite}: accuracy, speed and U-score with intervals."
        captions[f"{suite}-critical-difference"] = (
            f"{suite}: mean ranks; a bar joins algorithms that Nemenyi's test does not tell apart."
        )
    return captions


def _figures(assessed: dict[str, Assessment]) -> "dict[str, Figure]":
    styles = looks(titles(*YEARS).values())
    with style():
        drawn = {"years": over_the_years(assessed)}
        for suite, assessment in assessed.items():
            drawn[f"{suite}-totals"] = totals(assessment, styles)
            if assessment.friedman is not None:
                drawn[f"{suite}-critical-difference"] = critical_difference(
                    assessment.friedman, styles
                )
    return drawn


def over_the_years(assessed: dict[str, Assessment]) -> "Figure":
    """Draw each algorithm's share of all points over its year, a panel per suite."""
    years = {title: YEARS[name] for name, title in titles(*YEARS).items()}
    figure = new_figure(5.2 * len(assessed), 4.2)
    panels = np.atleast_1d(figure.subplots(1, len(assessed)))
    for axes, (suite, assessment) in zip(panels, assessed.items(), strict=True):
        assert assessment.bootstrap is not None
        for name, share in zip(
            assessment.score.algorithms, shares(assessment.bootstrap), strict=True
        ):
            year = years[name]
            axes.plot([year, year], [share.low, share.high], color="#94a3b8", lw=1)
            axes.plot([year], [share.value], marker="o", ms=5, color="#0f766e")
            axes.annotate(
                name, (year, share.value), (5, 0), textcoords="offset points", fontsize=7,
                va="center",
            )  # fmt: skip
        axes.set(title=suite, xlabel="year", ylabel="share of all points, %")
        axes.set_xlim(2016.5, 2027.5)
    return figure

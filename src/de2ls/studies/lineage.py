"""What ten years brought: the lineage and the CEC 2026 field, on two suites, by one set of rules.

The CEC 2017 constrained suite, and the CEC 2017 bound-constrained functions. L-SRTDE under
constraints is CL-SRDE with another level, and CL-SRDE without them is L-SRTDE up to constants: each
stands where it belongs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from de2ls import _checks
from de2ls.campaigns.plan import Plan, Series
from de2ls.problems.key import ProblemKey
from de2ls.reports.figures import critical_difference, new_figure, style, superiority, totals
from de2ls.reports.lines import profile
from de2ls.reports.palette import looks
from de2ls.reports.profiles import profiles
from de2ls.reports.views import ALL
from de2ls.scores import Assessment, Column, Table, score
from de2ls.scores.bootstrap import LEVEL
from de2ls.scores.profiles import Profile
from de2ls.scores.tables import Value
from de2ls.studies.cec2026 import shares
from de2ls.studies.gather import finals_table, gather_group, renamed, titles
from de2ls.studies.output import Output, environments
from de2ls.studies.scale import Runner
from de2ls.suites.registry import get_suite
from de2ls.trials.record import TrialSummary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
_LETTER, _LINE = 0.056, 0.12  # inches that a letter and a line of a label take


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

    @property
    def options(self) -> str:
        """The options of the command that makes a study of this size."""
        given = {
            "dim": self.dim,
            "runs": self.runs,
            "seed": self.seed,
            "instance": self.instance,
            "evals": self.max_evals or "",
            "problems": ",".join(map(str, self.problems)),
            "algorithms": "" if self.names == tuple(YEARS) else ",".join(self.names),
        }
        return " ".join(f"--{name} {value}" for name, value in given.items() if value != "")

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
    """Run what the store lacks; write rankings, profiles, pairs and the figure over the years.

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
    assessed: dict[str, Assessment] = {}
    reached: dict[str, Profile] = {}
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
            selection |= {"instance": size.instance, "definition": "report"}
        gathered = gather_group(runner.store, selection)
        collection = renamed(gathered.collection, titles(*names))
        assessed[suite] = found = score(collection)
        reached[suite] = profiles(collection)[ALL]
        tables = {"ranking": ranking(found, names), "profiles": reached[suite].table()} | {
            name: table for name, table in found.tables().items() if name in ("pairs", "friedman")
        }
        output.tables |= {f"{suite}-{name}": table for name, table in tables.items()}
        finals += gathered.trials
        lines.append(f"{suite}: {plan.max_evals:,} evaluations, {len(plan.problems)} problems")
        lines.append(f"trials by {environments(gathered.info)}")
    output.shown = [f"{suite}-ranking" for suite in suites]
    output.machines["trials"] = finals_table(finals)
    output.figures = _figures(assessed, reached)
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
        "years": f"Share of all points by year of publication; whiskers are {LEVEL:.0%} intervals, "
        "the line is the best so far."
    }
    for suite in suites:
        captions |= {
            f"{suite}-totals": f"{suite}: accuracy, speed and U-score with intervals.",
            f"{suite}-profiles": f"{suite}: share of the targets reached against evaluations.",
            f"{suite}-superiority": f"{suite}: share of the resamples in which the row's total "
            "exceeds the column's.",
            f"{suite}-critical-difference": f"{suite}: mean ranks; a bar joins algorithms that "
            "Nemenyi's test does not tell apart.",
        }
    return captions


def _figures(assessed: dict[str, Assessment], reached: dict[str, Profile]) -> "dict[str, Figure]":
    styles = looks(titles(*YEARS).values())
    with style():
        drawn = {"years": over_the_years(assessed)}
        for suite, assessment in assessed.items():
            drawn[f"{suite}-totals"] = totals(assessment.score, assessment.bootstrap, styles)
            drawn[f"{suite}-profiles"] = profile(reached[suite], styles)
            if assessment.bootstrap is not None:
                drawn[f"{suite}-superiority"] = superiority(assessment.bootstrap)
            if assessment.friedman is not None:
                drawn[f"{suite}-critical-difference"] = critical_difference(
                    assessment.friedman, styles
                )
    return drawn


def over_the_years(assessed: dict[str, Assessment]) -> "Figure":
    """Draw each algorithm's share of all points over its year, a panel per suite."""
    figure = new_figure(9.6, 4.0 * len(assessed), arranged=False)
    panels = np.atleast_1d(figure.subplots(len(assessed), 1))
    figure.subplots_adjust(left=0.07, right=0.99, top=0.95, bottom=0.07, hspace=0.3)
    titled = titles(*YEARS)
    years = {title: YEARS[name] for name, title in titled.items()}
    for axes, (suite, assessment) in zip(panels, assessed.items(), strict=True):
        assert assessment.bootstrap is not None
        found = dict(zip(assessment.score.algorithms, shares(assessment.bootstrap), strict=True))
        for name, share in found.items():
            axes.plot([years[name]] * 2, [share.low, share.high], color="#94a3b8", lw=1)
            axes.plot([years[name]], [share.value], marker="o", ms=5, color="#0f766e")
        line = sorted({years[name] for name in found})
        best = [max(s.value for n, s in found.items() if years[n] <= year) for year in line]
        axes.step(line, best, where="post", color="#0f766e", lw=1, alpha=0.4)
        axes.set(title=suite, xlabel="year", ylabel="share of all points, %")
        axes.set_xlim(2016.6, 2027.4)
        axes.set_xticks(range(2017, 2027))
        _name_dots(axes, {name: (years[name], share.value) for name, share in found.items()})
    return figure


def _name_dots(axes: "Axes", dots: dict[str, tuple[int, float]]) -> None:
    """Write each name at the right of its dot, moved up or down where it would cover another."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    box = axes.get_position()
    inches = figure.get_size_inches() * (box.width, box.height)
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    corner, scale = np.array([left, low]), inches / (right - left, high - low)
    at = {name: (np.array(dot) - corner) * scale for name, dot in dots.items()}  # in inches
    taken = [(x - 0.05, x + 0.05, y) for x, y in at.values()]
    for name in sorted(dots, key=lambda name: (dots[name][0], -dots[name][1])):
        x, y = at[name]
        start, end = x + 0.07, x + 0.07 + _LETTER * len(name)
        steps = (0.5 * _LINE * ((k + 1) // 2) * (-1) ** k for k in range(100))
        free = next(
            step
            for step in steps
            if all(b < start or end < a or abs(y + step - c) >= _LINE for a, b, c in taken)
        )
        taken.append((start, end, y + free))
        axes.annotate(
            name,
            dots[name],
            (5, 72 * free),
            textcoords="offset points",
            fontsize=7,
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
        )

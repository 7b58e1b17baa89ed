"""The DE-2LS paper run again: its tables, its figures and the verdicts on its claims.

The paper compares DE-2LS with RDEx, with CL-SRDE and UDE-III, and with nine variants of its own
configuration, on 28 problems at D = 30 with 25 runs each. Its trials are shared between the tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from de2ls.algorithms import ablation_variants
from de2ls.campaigns.plan import Series
from de2ls.reports.figures import style, totals
from de2ls.reports.material import Gathered
from de2ls.reports.palette import Look, looks
from de2ls.scores import Assessment, Bootstrap, Column, Score, Table, score
from de2ls.scores.bootstrap import LEVEL, RESAMPLES
from de2ls.scores.tables import Value
from de2ls.scores.uscore import BY_PROBLEM
from de2ls.studies import published
from de2ls.studies.claims import (
    DOES_NOT_HOLD,
    HOLDS,
    Claim,
    amounts,
    claims_table,
    exceeds,
    gain,
    lead,
    share,
)
from de2ls.studies.compare import (
    by_problem_table,
    gains_table,
    means_table,
    totals_table,
)
from de2ls.studies.gather import each_problem, finals_table, gather_group, renamed, titles
from de2ls.studies.late_search import (
    MORE_RUNS,
    WITH,
    WITHOUT,
    LateSearch,
    late_plan,
    late_search,
    more_plan,
)
from de2ls.studies.output import Output, provenance
from de2ls.studies.procedure import procedure
from de2ls.studies.scale import Runner, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Labels of the store and the paper's names of the series, in the order of its tables.
HEAD_TO_HEAD = titles("de2ls", "rdex")
NEW, OLD = HEAD_TO_HEAD.values()
FOUR = titles("de2ls", "rdex", "cl-srde", "ude3")
ABLATION = {("de2ls" if name == NEW else name): name for name in published.ablation()["total"]}

# Parameters that the paper states, by the fields of the configuration.
PARAMETERS: Mapping[str, float] = {
    "n0_per_dim": 10,
    "n_min": 4,
    "h": 5,
    "mcr": 1.0,
    "mf": 0.3,
    "eb_start": 0.9,
    "eb_rate": 0.7,
    "perturb_rate": 0.2,
    "ls_sr": 0.85,
    "ls_fsr": 0.95,
    "ls_br": 0.005,
    "ls_mc": 2,
    "ls_sg": 8,
    "ls_isr": 0.015,
    "ls_min_rate": 1e-8,
    "ls_delta": 1e-4,
}
_RESAMPLES = 4000  # of totals: a verdict on nine rivals at once needs far quantiles
_VARIANT = Look("#8a94a6", "#8a94a6", (), "o")
_PARTS = ("accuracy", "speed", "total", "rank")


@dataclass(frozen=True, eq=False)
class Study:
    """One comparison of the paper, scored."""

    assessment: Assessment
    problems: Mapping[str, Bootstrap]  # each problem alone

    @property
    def bootstrap(self) -> Bootstrap:
        """The resampled totals."""
        assert self.assessment.bootstrap is not None
        return self.assessment.bootstrap

    @property
    def score(self) -> Score:
        """The score of the trials themselves."""
        return self.assessment.score


def series() -> list[Series]:
    """Return the four algorithms and the nine further variants of DE-2LS."""
    found = [Series(name) for name in FOUR]
    variants = ablation_variants()
    found += [
        Series("de2ls", label, variants[label].as_dict()) for label in ABLATION if label != "de2ls"
    ]
    return found


def reproduce_paper(scale: Scale, runner: Runner, folder: Path, command: str) -> Output:
    """Run what the store lacks of the paper's campaigns and write its tables.

    Parameters
    ----------
    scale : Scale
        How large; the published figures stand beside those of their own size only.
    runner : Runner
        Where the trials are stored and run.
    folder : Path
        Where the tables go.
    command : str
        What the provenance calls the command.

    Raises
    ------
    StoppedError
        If the campaigns were stopped.
    """
    chosen = [s for s in series() if scale.whole or s.label in FOUR]
    runner.run(scale.plan(chosen))
    late = _late_search(scale, runner) if scale.whole else None
    labels = [s.label for s in chosen]
    gathered = gather_group(runner.store, scale.selection(labels))
    output = paper_output(scale, gathered, late)
    everything = (*labels, WITH, WITHOUT) if scale.whole else labels
    output.write(folder, provenance(command, scale, gathered.info, everything))
    return output


def _late_search(scale: Scale, runner: Runner) -> tuple[LateSearch, Gathered]:
    """Run the pairs, and further ones where the first leave it open."""
    problems = scale.problems()
    runner.run(late_plan(problems, scale.run_numbers, scale.seed))
    selection = scale.selection([WITH, WITHOUT])
    found = late_search(gather_group(runner.store, selection), scale.budget)
    if scale.is_published and found.undecided():
        runner.run(more_plan(found, problems, scale.runs, scale.seed))
        selection["runs"] = list(range(1, MORE_RUNS + 1))
    gathered = gather_group(runner.store, selection, allow_unequal=True)
    return late_search(gathered, scale.budget), gathered


def paper_output(
    scale: Scale, gathered: Gathered, late: tuple[LateSearch, Gathered] | None
) -> Output:
    """Return the tables and figures of gathered trials."""
    head, four = _study(gathered, HEAD_TO_HEAD), _study(gathered, FOUR)
    ablation = _study(gathered, ABLATION) if scale.whole else None
    finals = [*gathered.trials, *(late[1].trials if late else ())]
    found = claims(scale, head, four, ablation, late[0] if late else None)
    tables = {
        "claims": claims_table(
            "Verdicts on the claims", found, scale.runs, four.bootstrap.warnings
        ),
        "parameters": parameters_table(scale),
        **_head_tables(scale, head),
        **_four_tables(scale, four),
    }
    if ablation is not None:
        past = published.ablation() if scale.is_published else None
        tables["ablation"] = totals_table("Ablation: ten variants", ablation.bootstrap, past)
    if late is not None:
        tables["late-search"] = late[0].table()
    return Output(
        title=f"The DE-2LS paper at D = {scale.dim}",
        introduction=_introduction(scale),
        tables=tables,
        machines={"trials": finals_table(finals)},
        figures=_figures(scale, gathered, four, ablation),
        captions=_captions(scale),
        shown=["claims"],
    )


def claims(
    scale: Scale, head: Study, four: Study, ablation: Study | None, late: LateSearch | None
) -> list[Claim]:
    """Return the paper's claims, each with its verdict."""
    past = published.by_problem("head_to_head") if scale.is_published else None
    found = []
    for part, word in (("accuracy", "accuracy"), ("speed", "speed"), ("total", "U-score")):
        here = gain(head.bootstrap, part, NEW, OLD)
        size = None if past is None else 100 * (past.sums[part][NEW] / past.sums[part][OLD] - 1)
        found.append(exceeds(f"head to head, {NEW} has more {word} than {OLD}", here, size, "%"))
        if size is not None:
            found.append(amounts(f"head to head, it has {size:.2f} % more {word}", here, size))
    found.append(_majority(head, past))
    found += _leads(four, published.by_problem("four_algorithms").sums if past else None)
    found.append(_feasible(four, scale.is_published))
    if ablation is not None:
        sums = published.ablation() if past else None
        rivals = [name for name in ABLATION.values() if name != NEW]
        text = "the final setting has the largest U-score of ten variants"
        found.append(_leader(ablation, sums, "total", NEW, rivals, text))
    if late is not None:
        found += late.claims()
    return found


def _leads(four: Study, sums: Mapping[str, Mapping[str, float]] | None) -> list[Claim]:
    names = list(FOUR.values())
    found = [
        _leader(four, sums, "total", NEW, [rival], f"of four, {NEW} has more U-score than {rival}")
        for rival in names
        if rival != NEW
    ]
    for part, name, text in (
        ("rank", NEW, "the least rank sum"),
        ("speed", NEW, "the most speed"),
        ("accuracy", "UDE-III", "the most accuracy"),
    ):
        rivals = [rival for rival in names if rival != name]
        found.append(_leader(four, sums, part, name, rivals, f"of four, {name} has {text}"))
    return found


def _leader(
    study: Study,
    sums: Mapping[str, Mapping[str, float]] | None,
    part: str,
    name: str,
    rivals: list[str],
    text: str,
) -> Claim:
    """Return the claim that `name` leads its rivals in one part of the score."""
    past = None
    if sums is not None:
        sign = -1 if part == "rank" else 1
        past = sign * sums[part][name] - max(sign * sums[part][rival] for rival in rivals)
    return exceeds(text, lead(study.bootstrap, part, name, rivals), past)


def _majority(head: Study, past: published.PublishedScore | None) -> Claim:
    """Return the claim that DE-2LS scores more on most problems."""
    U = head.score.total
    wins, losses = int((U[:, 0] > U[:, 1]).sum()), int((U[:, 0] < U[:, 1]).sum())
    in_paper = None
    if past is not None:
        in_paper = 100 * float((past.arrays["total"][:, 0] > past.arrays["total"][:, 1]).mean())
    text = f"head to head, {NEW} scores more than {OLD} on most problems"
    return exceeds(text, share(wins, wins + losses), in_paper, "% of problems", 50.0)


def _feasible(four: Study, is_published: bool) -> Claim:
    """Return the claim that DE-2LS ends feasible wherever a feasible point exists."""
    summary = four.assessment.summary
    a = summary.algorithms.index(NEW)
    infeasible = ("C17", "C19", "C26", "C28")
    rates = [
        rate
        for name, rate in zip(summary.problems, summary.feasible[:, a], strict=True)
        if name not in infeasible
    ]
    trials = summary.n_trials * len(rates)
    here = share(round(sum(rates) * summary.n_trials), trials)
    verdict = HOLDS if here.value == 100 else DOES_NOT_HOLD
    text = f"every trial of {NEW} ends feasible, C17, C19, C26 and C28 apart"
    return Claim(text, here, 100.0 if is_published else None, verdict, "% of trials")


def parameters_table(scale: Scale) -> Table:
    """Return the general parameters: the setting, and DE-2LS's own with the paper's values."""
    from de2ls.algorithms.config import table
    from de2ls.algorithms.de2ls import DE2LSConfig

    setting: list[tuple[str, float, float, str]] = [
        ("D", scale.dim, 30, "dimension"),
        ("T", scale.budget, 600_000, "evaluations of a trial"),
        ("runs", scale.runs, published.RUNS, "trials per problem"),
        ("problems", len(scale.numbers), 28, "of the CEC 2017 suite"),
    ]
    rows: list[tuple[Value, ...]] = list(setting)
    rows += [
        (name, value, PARAMETERS[name], meaning)
        for name, value, _, meaning in table(DE2LSConfig)
        if name in PARAMETERS
    ]
    columns = (Column("parameter"), Column("here"), Column("published"), Column("meaning"))
    return Table("General parameters", columns, tuple(rows))


def _study(gathered: Gathered, names: Mapping[str, str]) -> Study:
    collection = renamed(gathered.collection, names)
    return Study(score(collection, bootstrap=_RESAMPLES), each_problem(collection, RESAMPLES, 0))


def _head_tables(scale: Scale, head: Study) -> dict[str, Table]:
    past = published.by_problem("head_to_head") if scale.is_published else None
    sums = None if past is None else past.sums
    tables = {
        "gains": gains_table(head.bootstrap, NEW, OLD, sums),
        "head-to-head": totals_table("Head to head", head.bootstrap, sums),
    }
    for part in ("accuracy", "speed", "total"):
        name = "uscore" if part == "total" else part
        title = f"Head to head by problem: {BY_PROBLEM[part]}"
        tables[f"head-to-head-{name}"] = by_problem_table(title, part, head.problems, past)
    return tables


def _four_tables(scale: Scale, four: Study) -> dict[str, Table]:
    past = published.by_problem("four_algorithms") if scale.is_published else None
    sums = None if past is None else past.sums
    tables = {"four": totals_table("Four algorithms", four.bootstrap, sums, relative_to=OLD)}
    for part in _PARTS:
        name = "uscore" if part == "total" else part
        title = f"Four algorithms by problem: {BY_PROBLEM[part]}"
        tables[f"four-{name}"] = by_problem_table(title, part, four.problems, past)
    means = published.means() if scale.is_published else {}
    title = "Mean and deviation of the final values"
    tables["means"] = means_table(title, four.assessment.summary, means, scale.runs)
    return tables


def _figures(
    scale: Scale, gathered: Gathered, four: Study, ablation: Study | None
) -> "dict[str, Figure]":
    past = published.by_problem("four_algorithms").sums if scale.is_published else None
    with style():
        drawn = {
            "totals": totals(
                four.assessment.score, four.assessment.bootstrap, looks(FOUR.values()), past
            )
        }
        if ablation is not None:
            sums = published.ablation() if scale.is_published else None
            drawn["ablation"] = totals(
                ablation.assessment.score, ablation.assessment.bootstrap, _ablation_looks(), sums
            )
    pairs = renamed(gathered.collection, HEAD_TO_HEAD)
    pair = procedure(pairs, looks(HEAD_TO_HEAD.values()))
    return drawn if pair is None else {**drawn, "procedure": pair}


def _captions(scale: Scale) -> dict[str, str]:
    marks = ", diamonds the published figures" if scale.is_published else ""
    text = f"Total accuracy, speed and U-score; whiskers are {LEVEL:.0%} intervals{marks}."
    return {
        "totals": f"Four algorithms. {text}",
        "ablation": f"DE-2LS and nine variants of its configuration. {text}",
        "procedure": "How a pair of trials earns its points: the smaller end takes the accuracy "
        "point, the first to reach the worse of both ends takes the speed point.",
    }


def _ablation_looks() -> dict[str, Look]:
    """Return one look for all variants, and the usual one for the final setting."""
    return {**dict.fromkeys(ABLATION.values(), _VARIANT), NEW: looks([NEW])[NEW]}


def _introduction(scale: Scale) -> list[str]:
    size = f"D = {scale.dim}, {len(scale.numbers)} problems, {scale.runs} runs"
    beside = (
        "Each table has the published figures beside those found here."
        if scale.is_published
        else "The published figures are of another size (D = 30, 28 problems, 25 runs) and are "
        "left out."
    )
    return [
        f"DE-2LS against RDEx, CL-SRDE and UDE-III"
        f"{', and nine variants of its configuration' if scale.whole else ''}: {size}. {beside}",
        "Every evaluated point lies inside the box, the definition of the problems is `report`, "
        "and records follow the competition's rules; the published programs differ in the first.",
    ]

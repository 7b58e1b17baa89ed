"""The tables of a report: those of the score, and what is known of series and trials."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from de2ls.algorithms import algorithm_title
from de2ls.campaigns.maintenance import SeriesInfo
from de2ls.problems.key import ProblemKey
from de2ls.reports.material import Material
from de2ls.scores import Column, Estimate, Table
from de2ls.scores.bootstrap import LEVEL
from de2ls.scores.tables import Value
from de2ls.trials.record import TrialSummary

_BY_PROBLEM = {"accuracy": "accuracy", "speed": "speed", "total": "uscores", "rank": "ranks"}

_DOCUMENT = r"""\documentclass{article}
\usepackage[margin=1.5cm,landscape]{geometry}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""


@dataclass(frozen=True)
class Variants:
    """Series of one algorithm that differ in their configuration."""

    algorithm: str
    reference: str  # label of the series that the others are compared with
    changes: Mapping[str, Mapping[str, Any]]  # label: the fields that differ, and their values
    gain: Mapping[str, Estimate]  # label: U minus that of the reference

    def table(self) -> Table:
        """Return what each variant changes and gains."""
        columns = (Column("variant"), Column("change"), Column("U-score to the reference"))
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (label, changed(self.changes[label]), self.gain[label]) for label in self.changes
        )
        note = f"difference of totals to {self.reference}, with its {LEVEL:.0%} interval"
        return Table(f"Variants of {self.algorithm}", columns, rows, notes=(note,))


def changed(fields: Mapping[str, Any]) -> str:
    """Return changed fields for readers, such as ``ls_mc = 1``."""
    return ", ".join(f"{name} = {value}" for name, value in fields.items()) or "none"


def variants(material: Material) -> Variants | None:
    """Return the series that are variants of one algorithm, if the report has such."""
    bootstrap = material.assessment.bootstrap
    counts = Counter(series.algorithm for series in material.series if series.config)
    if bootstrap is None or not counts or max(counts.values()) < 2:
        return None
    algorithm = counts.most_common(1)[0][0]
    group = {
        name: series
        for name, series in zip(material.collection.algorithms, material.series, strict=True)
        if series.algorithm == algorithm
    }
    reference = _reference(group)
    return Variants(
        algorithm_title(algorithm),
        reference,
        {name: _differing(s.config, group[reference].config) for name, s in group.items()},
        {name: bootstrap.difference(name, reference) for name in group},
    )


def _reference(group: Mapping[str, SeriesInfo]) -> str:
    """Return the series with the default configuration, or else the first."""
    from de2ls.algorithms import algorithm_names, resolve_config

    algorithm = next(iter(group.values())).algorithm
    default = resolve_config(algorithm) if algorithm in algorithm_names() else None
    usual = [name for name, series in group.items() if series.config == default]
    return (usual or list(group))[0]


def _differing(config: Mapping[str, Any], reference: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if value != reference.get(name)}


def report_tables(material: Material) -> dict[str, Table]:
    """Return all tables for readers by name, in the order in which they are read."""
    score, found = material.assessment.score, variants(material)
    tables = material.assessment.tables()
    del tables["by_problem"]  # its parts follow, each in a table of its own
    tables |= {_BY_PROBLEM[part]: score.by_problem(part) for part in score.arrays()}
    tables |= dict(material.views.tables())
    if found is not None:
        tables["variants"] = found.table()
    tables["configuration"] = configuration(material)
    tables["provenance"] = provenance(material)
    return tables


def machine_tables(material: Material) -> dict[str, Table]:
    """Return the tables that differ for machines, or that only they need."""
    found = {"summary": material.assessment.summary.table(), "trials": trials(material)}
    bootstrap = material.assessment.bootstrap
    if bootstrap is not None and len(material.series) > 1:
        names = bootstrap.score.algorithms
        shares = bootstrap.superiority().tolist()
        rows = tuple((name, *row) for name, row in zip(names, shares, strict=True))
        columns = (Column("P(row > column)"), *map(Column, names))
        found["superiority"] = Table("Superiority of totals", columns, rows)
    return found


def configuration(material: Material) -> Table:
    """Return every parameter of every series."""
    fields = dict.fromkeys(name for series in material.series for name in series.config)
    rows: list[tuple[Value, ...]] = [
        ("label", *material.labels),
        ("algorithm", *(series.algorithm for series in material.series)),
    ]
    rows += [(name, *(_plain(s.config.get(name)) for s in material.series)) for name in fields]
    columns = (Column("parameter"), *map(Column, material.collection.algorithms))
    return Table("Configuration of the series", columns, tuple(rows))


def provenance(material: Material) -> Table:
    """Return how many trials each series has, what they cost and with what they were made."""
    of_series: dict[str, list[TrialSummary]] = {series.label: [] for series in material.series}
    for trial in material.trials:
        of_series[trial.label].append(trial)
    columns = ("series", "algorithm", "trials", "budget", "evaluations", "seconds per trial")
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            material.names[label],
            found[0].algorithm,
            len(found),
            ", ".join(f"{budget:,}" for budget in sorted({trial.max_evals for trial in found})),
            sum(trial.n_evals for trial in found),
            sum(trial.wall_time for trial in found) / len(found),
        )
        for label, found in of_series.items()
    )
    formats = (".10g", ".10g", "d", ".10g", ",d", ".3f")
    notes = [
        f"de2ls {env.version}: {env.trials} trials of the store; "
        + ", ".join(f"{name} {value}" for name, value in env.description.items())
        for env in material.info.environments
    ]
    notes += [
        f"plan: {len(plan['series'])} series, {len(plan['problems'])} problems, "
        f"{len(plan['runs'])} runs, seed {plan['seed']}, "
        f"{'shared' if plan['paired'] else 'separate'} random numbers"
        for _, plan in material.info.plans
        if _bears_on(plan, material)
    ]
    return Table(
        "Provenance of the series",
        tuple(map(Column, columns, formats)),
        rows,
        notes=tuple(dict.fromkeys(notes)),
    )


def _bears_on(plan: Mapping[str, Any], material: Material) -> bool:
    """Whether a plan has trials of the reported series and problems."""
    labels = {series["label"] for series in plan["series"]}
    return not labels.isdisjoint(material.labels) and any(
        ProblemKey.from_dict(problem) in material.collection.keys for problem in plan["problems"]
    )


def trials(material: Material) -> Table:
    """Return the final values of every trial."""
    columns = ("series", "problem", "run", "seed", "evaluations", "Min_EV", "LCV", "seconds")
    names = dict(zip(material.collection.keys, material.collection.problems, strict=True))
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            material.names[trial.label],
            names[trial.problem],
            trial.run,
            str(trial.seed),
            trial.n_evals,
            trial.min_ev,
            trial.lcv,
            trial.wall_time,
        )
        for trial in material.trials
    )
    return Table("Final values of every trial", tuple(map(Column, columns)), rows)


def write_tables(
    folder: Path,
    tables: Mapping[str, Table],
    machines: Mapping[str, Table] | None = None,
    latex: bool = True,
) -> list[Path]:
    """Write each table as Markdown, LaTeX and CSV, and a document that holds all in LaTeX.

    Parameters
    ----------
    folder : Path
        Created if it is missing.
    tables : mapping of name to Table
        For readers.
    machines : mapping of name to Table, optional
        What the CSV file of that name holds instead; a name of its own gives a CSV file only.
    latex : bool
        Whether LaTeX is written.

    Returns
    -------
    list of Path
        The files.
    """
    texts = {f"{name}.md": table.to_markdown() for name, table in tables.items()}
    texts |= {f"{name}.csv": t.to_csv() for name, t in {**tables, **(machines or {})}.items()}
    if latex:
        texts |= {f"{name}.tex": table.to_latex() for name, table in tables.items()}
        inputs = "\n".join(rf"\input{{{name}.tex}}\clearpage" for name in tables)
        texts["all.tex"] = _DOCUMENT % inputs
    return write_texts(folder, texts)


def write_texts(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts into a folder, which is created if it is missing, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def _plain(value: Any) -> Value:
    is_plain = isinstance(value, str | int | float | None) and not isinstance(value, bool)
    return value if is_plain else json.dumps(value)

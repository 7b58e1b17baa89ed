"""``de2ls score``: U-scores of a store's trials, with intervals and tests."""

import json
import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from enum import StrEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from de2ls._processes import second_process
from de2ls.cli import print_tables
from de2ls.cli import selection as chosen

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from de2ls.reports.material import Material
    from de2ls.scores import Table

app = typer.Typer()

_EPILOG = """\
Examples:

de2ls score results.db

de2ls score results.db --algorithms de2ls,rdex --problems 1-28 --tables totals,pairs

de2ls score results.db --protocol cec2024 --format latex --tables totals > totals.tex

de2ls score results.db --tables profiles,running-times,leads
"""


_LARGE = 10_000_000  # bytes of a store that two processes read sooner than one
_USUAL = ("totals", "pairs", "by_problem", "rank_sum", "friedman", "summary")
_CURVES = ("leads", "profiles", "profiles_by_problem", "running_times", "fixed_budget")
_TABLES = (*_USUAL, *_CURVES, "variants", "effects")
_NEEDS = {
    "leads": "two algorithms",
    "variants": "series of one algorithm with different parameters, and a bootstrap",
    "effects": "series of one algorithm with different parameters, and a bootstrap",
    "pairs": "two algorithms and a bootstrap",
    "rank_sum": "two algorithms",
    "friedman": "three algorithms and two problems",
}


class Format(StrEnum):
    """How the tables are written."""

    table = "table"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"
    json = "json"


@app.command(epilog=_EPILOG)
def score(
    store: chosen.StoreFile,
    algorithms: chosen.Algorithms = None,
    problems: chosen.Problems = None,
    suite: chosen.Suite = None,
    dim: chosen.Dim = None,
    definition: chosen.Definition = None,
    instance: chosen.Instance = None,
    protocol: chosen.ProtocolName = chosen.Protocol.cec2026,
    bootstrap: chosen.Resamples = 1000,
    seed: chosen.ResamplingSeed = 0,
    allow_unequal: chosen.AllowUnequal = False,
    output: Annotated[Format, typer.Option("--format", help="How to write.")] = Format.table,
    tables: Annotated[
        str | None,
        typer.Option(
            help=f"Which of {', '.join(_TABLES)}.",
            show_default="those of the score",
        ),
    ] = None,
) -> None:
    """Score a store: U-scores with intervals, ranks, tests and the table of means.

    Trials of several suites, dimensions, definitions or instances are scored group by group.
    Unequal numbers of trials are refused with their names, unless --allow-unequal accepts them.
    """
    selection = chosen.selection(algorithms, problems, suite, dim, definition, instance)
    with _reader(store) as pool:  # it loads what it needs while this process does the same
        from de2ls._lists import items
        from de2ls.problems.selection import chosen as of_problems
        from de2ls.reports.material import load

        materials = load(store, selection, protocol.value, bootstrap, seed, allow_unequal, pool)
    keys = [key for material in materials for key in material.collection.keys]
    for name in dict.fromkeys(selection["problems"] or ()):
        if not of_problems(keys, problems=name):
            typer.echo(f"warning: {store} holds no such trial on problem {name}", err=True)
    wanted = _choose(materials, None if tables is None else items("tables", tables))
    chosen.warn(materials)
    _print(materials, wanted, output)


def _reader(store: Path) -> "AbstractContextManager[Executor | None]":
    """Start a process that helps to read a large store, where files in memory can be shared."""
    alone = not hasattr(os, "memfd_create") or os.cpu_count() == 1
    if alone or not store.is_file() or store.stat().st_size < _LARGE:
        return nullcontext()
    return second_process(partial(import_module, "de2ls.reports.reading"))


def _choose(materials: "list[Material]", names: list[str] | None) -> "list[dict[str, Table]]":
    """Return the wanted tables of each group, with the group in their titles."""
    from de2ls import _checks

    names = None if names is None else [name.replace("-", "_") for name in names]
    if names is not None and not names:
        raise ValueError(f"tables must be some of {', '.join(_TABLES)}, got none")
    for name in names or ():
        _checks.choice("tables", name, _TABLES)
    found = [material.assessment.tables() for material in materials]
    if names is not None and not set(names) <= set(_USUAL):
        from de2ls.reports.tables import report_tables

        found = [report_tables(m) | tables for m, tables in zip(materials, found, strict=True)]
    for name in names or ():
        if not any(name in tables for tables in found):
            raise ValueError(f"there is no table {name} here: it needs {_NEEDS[name]}")
    return [
        {
            name: replace(tables[name], title=f"{tables[name].title}; {material.group}")
            for name in names or tables
            if name in tables
        }
        for material, tables in zip(materials, found, strict=True)
    ]


def _print(materials: "list[Material]", tables: "list[dict[str, Table]]", output: Format) -> None:
    every = [table for group in tables for table in group.values()]
    if output is Format.table:
        for table in every:
            print_tables(table.to_rich(), "")
    elif output is Format.json:
        groups = [_content(*pair) for pair in zip(materials, tables, strict=True)]
        typer.echo(json.dumps({"groups": groups}, ensure_ascii=False))
    elif output is Format.csv:
        alone = len(every) == len(materials) == 1
        texts = [table.to_csv() for table in every]
        titled = [f"# {table.title}\n{text}" for table, text in zip(every, texts, strict=True)]
        typer.echo("\n".join(texts if alone else titled), nl=False)
    else:
        method = "to_markdown" if output is Format.markdown else "to_latex"
        typer.echo("\n".join(getattr(table, method)() for table in every), nl=False)


def _content(material: "Material", tables: "dict[str, Table]") -> dict[str, Any]:
    score = material.assessment.score
    return {
        "group": str(material.group),
        "protocol": score.protocol,
        "algorithms": score.algorithms,
        "problems": score.problems,
        "trials": score.n_trials,
        "warnings": (*material.warnings, *material.assessment.warnings),
        "tables": {name: table.to_dicts() for name, table in tables.items()},
    }

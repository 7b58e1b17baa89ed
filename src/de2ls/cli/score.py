"""``de2ls score``: U-scores of a store's trials, with intervals and tests."""

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from de2ls.cli import print_tables
from de2ls.cli import selection as chosen

if TYPE_CHECKING:
    from de2ls.scores import Assessment, Table

app = typer.Typer()

_EPILOG = """\
Examples:

de2ls score results.db

de2ls score results.db --algorithms de2ls,rdex --problems 1-28 --tables totals,pairs

de2ls score results.db --protocol cec2024 --format latex --tables totals > totals.tex
"""


_TABLES = ("totals", "pairs", "by_problem", "rank_sum", "friedman", "summary")
_NEEDS = {
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
            show_default="all",
        ),
    ] = None,
) -> None:
    """Score a store: U-scores with intervals, ranks, tests and the table of means.

    Trials of different definitions, instances, dimensions or budgets, or unequal numbers of trials,
    are refused with their names; the options select what belongs together.
    """
    from de2ls._lists import items
    from de2ls.campaigns.store import Store
    from de2ls.problems.selection import chosen as of_problems
    from de2ls.scores import collect
    from de2ls.scores import score as assess

    selection = chosen.selection(algorithms, problems, dim, definition, instance)
    with Store.open(store, readonly=True) as opened:
        opened.check_selection(**selection)
        collection = collect(opened.records(**selection), allow_unequal)
    if selection["labels"] is not None:
        collection = collection.select(selection["labels"])
    for name in dict.fromkeys(selection["problems"] or ()):
        if not of_problems(collection.keys, problems=name):
            typer.echo(f"warning: {store} holds no such trial on problem {name}", err=True)
    assessment = assess(collection, protocol.value, bootstrap, seed)
    wanted = _choose(assessment, None if tables is None else items("tables", tables))
    for warning in assessment.warnings:
        typer.echo(f"warning: {warning}", err=True)
    _print(assessment, wanted, output)


def _choose(assessment: "Assessment", names: list[str] | None) -> "dict[str, Table]":
    from de2ls import _checks

    found = assessment.tables()
    if names is None:
        return found
    for name in names:
        if _checks.choice("tables", name, _TABLES) not in found:
            raise ValueError(f"there is no table {name} here: it needs {_NEEDS[name]}")
    if not names:
        raise ValueError(f"tables must be some of {', '.join(_TABLES)}, got none")
    return {name: found[name] for name in names}


def _print(assessment: "Assessment", tables: "dict[str, Table]", output: Format) -> None:
    if output is Format.table:
        for table in tables.values():
            print_tables(table.to_rich(), "")
    elif output is Format.json:
        content = {
            "protocol": assessment.score.protocol,
            "algorithms": assessment.score.algorithms,
            "problems": assessment.score.problems,
            "trials": assessment.score.n_trials,
            "warnings": assessment.warnings,
            "tables": {name: table.to_dicts() for name, table in tables.items()},
        }
        typer.echo(json.dumps(content, ensure_ascii=False))
    elif output is Format.csv:
        titled = [
            table.to_csv() if len(tables) == 1 else f"# {table.title}\n{table.to_csv()}"
            for table in tables.values()
        ]
        typer.echo("\n".join(titled), nl=False)
    else:
        method = "to_markdown" if output is Format.markdown else "to_latex"
        typer.echo("\n".join(getattr(table, method)() for table in tables.values()), nl=False)

"""``de2ls report``: tables, figures and one HTML page from a store."""

from pathlib import Path
from typing import Annotated

import typer

from de2ls._processes import second_process
from de2ls.cli import selection as chosen

app = typer.Typer()

_EPILOG = """\
Examples:

de2ls report results.db -o report/

de2ls report results.db --algorithms de2ls,rdex --dim 30 --title "DE-2LS and RDEx"
"""


@app.command(epilog=_EPILOG)
def report(
    store: chosen.StoreFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path(
        "report"
    ),
    title: Annotated[
        str | None, typer.Option(help="Heading of the page.", show_default="the store's name")
    ] = None,
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
) -> None:
    """Write tables (Markdown, LaTeX, CSV), figures (PNG, PDF) and one HTML page from a store.

    Trials of several suites, dimensions, definitions or instances are shown group by group.

    With --allow-unequal an unfinished campaign can be looked at: problems that a series lacks are
    left out, and the page says so.
    """
    with second_process(_prepare) as pool:
        from de2ls.reports.report import write_report

        materials = write_report(
            store,
            output,
            chosen.selection(algorithms, problems, suite, dim, definition, instance),
            protocol.value,
            bootstrap,
            seed,
            allow_unequal,
            title,
            pool,
        )
    chosen.warn(materials)
    for material in materials:
        typer.echo(f"{output / 'index.html'}: {material.group}: {len(material.trials)} trials")


def _prepare() -> None:
    """Let the process that draws load what it needs while the store is read."""
    from de2ls.reports.drawing import prepare

    prepare()

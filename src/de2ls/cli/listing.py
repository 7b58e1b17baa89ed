"""``de2ls list``: the suites, the problems and the algorithms there are."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from de2ls.cli import print_tables

app = typer.Typer(no_args_is_help=True, help="List suites, problems and algorithms.")


@app.command()
def suites() -> None:
    """List the suites of problems, also those of installed packages."""
    from de2ls.suites.registry import get_suite, suite_names

    rows = []
    for name in suite_names():
        suite = get_suite(name)
        rows.append((name, suite.title, _settings(suite.settings)))
    _show("Suites", ("suite", "title", "settings"), rows)


@app.command()
def problems(
    suite: Annotated[
        str, typer.Option(help="A suite by name, a Python file, or module:name.")
    ] = "cec2017",
    dim: Annotated[
        str | None, typer.Option(help="Dimension, or several.", show_default=False)
    ] = None,
    definition: Annotated[
        str | None, typer.Option(help="Of a suite with several.", show_default=False)
    ] = None,
    instance: Annotated[
        str | None, typer.Option(help="Of a suite with several.", show_default=False)
    ] = None,
) -> None:
    """List the problems of a suite."""
    from de2ls.suites.registry import get_suite

    given = {"dim": dim, "definition": definition, "instance": instance}
    found = get_suite(suite)
    rows = []
    for key in found.problems(**{name: v for name, v in given.items() if v is not None}):
        title, n_ineq, n_eq = found.facts(key)
        best = found.best_known(key)
        rows.append(
            (
                key.label,
                title,
                str(key.dim),
                f"{n_ineq} g, {n_eq} h",
                "" if best is None else f"{best:.10g}",
                ", ".join(found.tags(key)),
            )
        )
    _show(found.title, ("label", "name", "D", "constraints", "best known", "groups"), rows)
    if found.settings:
        typer.echo(f"Settings: {_settings(found.settings)}.")


@app.command()
def algorithms() -> None:
    """List the algorithms by name, those of installed packages with where they are."""
    from de2ls.algorithms import algorithm_names
    from de2ls.algorithms.brought import plugins

    for name in algorithm_names():
        typer.echo(name)
    for name, point in plugins().items():
        typer.echo(f"{name} ({point.value})")


def _settings(settings: Any) -> str:
    """Return settings with their defaults."""
    return ", ".join(
        name if default in (0, None) and name == "dim" else f"{name} ({default} by default)"
        for name, default in settings.items()
    )


def _show(title: str, headers: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    for header in headers:
        table.add_column(header)
    for row in rows:
        table.add_row(*row)
    print_tables(table)

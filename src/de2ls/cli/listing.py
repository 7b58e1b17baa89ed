"""``de2ls list``: the problems and the algorithms there are."""

import typer

from de2ls.cli import print_tables

app = typer.Typer(no_args_is_help=True, help="List problems and algorithms.")


@app.command()
def problems() -> None:
    """List the problems of the CEC 2017 suite."""
    from rich import box
    from rich.table import Table

    from de2ls.suites.cec2017 import SUITE
    from de2ls.suites.cec2017.data import DIMENSIONS

    table = Table(box=box.SIMPLE_HEAD, title="CEC 2017 constrained problems", title_justify="left")
    for header in ("number", "name", "D", "bounds", "constraints", "feasible"):
        table.add_column(header)
    for k, facts in SUITE.items():
        table.add_row(
            f"C{k:02d}",
            facts.title,
            " ".join(map(str, DIMENSIONS)),
            f"±{facts.bound:g}",
            f"{facts.n_ineq} g, {facts.n_eq} h",
            "yes" if facts.feasible else "none",
        )
    print_tables(table)
    typer.echo("Generated instances (instance=1, 2, ...) take any D of at least 2.")


@app.command()
def algorithms() -> None:
    """List the algorithms by name."""
    from de2ls.algorithms import algorithm_names

    for name in algorithm_names():
        typer.echo(name)

"""``de2ls data``: show, install or download the official CEC 2017 data."""

import os
from pathlib import Path
from typing import Annotated

import typer

from de2ls.suites.cec2017 import data as files

app = typer.Typer(
    no_args_is_help=True, help="Show, install or download the official CEC 2017 data."
)


@app.command()
def status() -> None:
    """Say where the official files are looked for, and whether they are there and whole."""
    used = files.data_folder()
    variable = os.environ.get(files.DATA_VARIABLE)
    typer.echo(f"{files.DATA_VARIABLE}: {variable or 'not set'}")
    typer.echo(f"per-user folder: {files.user_folder()}")
    typer.echo(f"used: {used}")
    missing, wrong = files.check_folder(used)
    n_files = len(files.official_sums())
    typer.echo(f"{n_files - len(missing) - len(wrong)} of {n_files} official files are in place.")
    for what, names in (("missing", missing), ("not the official file", wrong)):
        if names:
            typer.echo(f"{what}: {files.first_names(names)}")
    if missing or wrong:
        typer.echo("Run `de2ls data fetch`, or `de2ls data install PATH` with the folder or zip.")


@app.command()
def install(
    path: Annotated[Path, typer.Argument(help="Folder of the official files, or a zip with them.")],
) -> None:
    """Check the official files and copy them into the per-user folder."""
    typer.echo(f"installed into {files.install(path)}")


@app.command()
def fetch(
    url: Annotated[str, typer.Option(help="Address of a zip that holds the files.")] = (
        files.DEFAULT_URL
    ),
) -> None:
    """Download the official files, check them and put them into the per-user folder."""
    typer.echo(f"downloading {url}")
    typer.echo(f"installed into {files.fetch(url)}")

"""What the commands of ``de2ls reproduce`` share: options, sizes, and how they end."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from de2ls.cli import end_interrupted, print_tables

if TYPE_CHECKING:
    from de2ls.scores import Table
    from de2ls.studies.scale import Runner, Scale

Quick = Annotated[
    bool, typer.Option("--quick", help="D = 10 and 5 runs: minutes instead of hours.")
]
Dim = Annotated[
    int | None,
    typer.Option(help="Dimension; the published one is 30.", show_default="30, quick 10"),
]
Runs = Annotated[int | None, typer.Option(help="Trials per problem.", show_default="25, quick 5")]
Problems = Annotated[str, typer.Option(help="Numbers such as 1-28 or 1,4,7.")]
Instance = Annotated[int, typer.Option(help="0: the official data; 1, 2, ...: generated.")]
Seed = Annotated[int, typer.Option(help="Seed of the campaigns.")]
StoreOption = Annotated[
    Path, typer.Option("--store", help="The store's file; both reproductions share it.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The folder to write to.", show_default="by size"),
]
Workers = Annotated[int | None, typer.Option(help="Trials at a time.", show_default="one per core")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors and the verdicts only.")]


def scale_of(
    quick: bool, dim: int | None, runs: int | None, problems: str, instance: int, seed: int
) -> "Scale":
    """Return the size that the options name."""
    from de2ls._lists import numbers
    from de2ls.studies.scale import QUICK, Scale

    size = QUICK if quick else Scale()
    chosen = size.dim if dim is None else dim
    return Scale(
        dim=chosen,
        runs=size.runs if runs is None else runs,
        numbers=tuple(sorted(set(numbers("problems", problems)))),
        instance=instance,
        seed=seed,
        whole=quick or chosen == Scale.dim,
    )


def runner_of(store: Path, workers: int | None, quiet: bool) -> "Runner":
    """Return what runs the campaigns."""
    from de2ls.campaigns.progress import make_progress
    from de2ls.studies.scale import Runner

    return Runner(store, workers, make_progress(as_json=False, quiet=quiet))


def command_of(name: str, scale: "Scale") -> str:
    """Return the command that makes the same tables, without the places of files."""
    from de2ls.studies.scale import ALL_PROBLEMS, Scale

    text = f"de2ls reproduce {name}"
    for option in ("dim", "runs", "instance", "seed"):
        value = getattr(scale, option)
        text += f" --{option} {value}" if value != getattr(Scale, option) else ""
    if scale.numbers != ALL_PROBLEMS:
        text += f" --problems {','.join(map(str, scale.numbers))}"
    return text + (" --quick" if scale.whole and scale.dim != Scale.dim else "")


@contextmanager
def resumable() -> Iterator[None]:
    """End as `de2ls run` does when the campaigns are stopped."""
    from de2ls.studies.scale import StoppedError

    try:
        yield
    except StoppedError as stopped:
        end_interrupted(stopped.outcome)


def show(table: "Table", folder: Path) -> None:
    """Print the main table, and where the others are."""
    print_tables(table.to_rich())
    typer.echo(f"tables and figures: {folder / 'README.md'}")

"""Options that choose trials of a store and how they are scored; several commands share them."""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from de2ls.reports.material import Material


class Protocol(StrEnum):
    """By which rules trials are scored."""

    cec2026 = "cec2026"
    cec2024 = "cec2024"


StoreFile = Annotated[Path, typer.Argument(help="The store's file.", metavar="STORE")]
Algorithms = Annotated[
    str | None, typer.Option(help="Labels of series, in this order.", show_default="all")
]
Problems = Annotated[
    str | None,
    typer.Option(help="Numbers, ranges, labels or names: 1-28, C07, beam.", show_default="all"),
]
Suite = Annotated[str | None, typer.Option(help="Only these suites.", show_default="all")]
Dim = Annotated[
    str | None, typer.Option(help="Only these dimensions, such as 10,30.", show_default="all")
]
Definition = Annotated[str | None, typer.Option(help="Only this definition.", show_default="all")]
Instance = Annotated[int | None, typer.Option(help="Only this instance.", show_default="all")]
ProtocolName = Annotated[
    Protocol, typer.Option(help="Pairs of trials, or ranks towards the median as target.")
]
Resamples = Annotated[
    int, typer.Option(help="Resamples for the intervals: 1000 to 100000, 0 for none.")
]
ResamplingSeed = Annotated[int, typer.Option(help="Seed of the resampling.")]
AllowUnequal = Annotated[
    bool,
    typer.Option(
        "--allow-unequal",
        help="Accept unequal numbers of trials, and leave out problems that a series lacks.",
    ),
]


def selection(
    algorithms: str | None,
    problems: str | None,
    suite: str | None,
    dim: str | None,
    definition: str | None,
    instance: int | None,
) -> dict[str, Any]:
    """Return the selection of trials that the options name, as `Store.records` takes it."""
    from de2ls._lists import items, numbers

    return {
        "labels": None if algorithms is None else items("algorithms", algorithms),
        "problems": None if problems is None else items("problems", problems),
        "suites": None if suite is None else items("suite", suite),
        "dims": None if dim is None else list(numbers("dim", dim)),
        "definition": definition,
        "instance": instance,
    }


def warn(materials: "Iterable[Material]") -> None:
    """Print what a reader must know of the trials; what concerns all groups is said once."""
    warnings = {
        warning: None
        for material in materials
        for warning in (*material.warnings, *material.assessment.warnings)
    }
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)

"""Options that choose trials of a store and how they are scored; several commands share them."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class Protocol(StrEnum):
    """By which rules trials are scored."""

    cec2026 = "cec2026"
    cec2024 = "cec2024"


StoreFile = Annotated[Path, typer.Argument(help="The store's file.", metavar="STORE")]
Algorithms = Annotated[
    str | None, typer.Option(help="Labels of series, in this order.", show_default="all")
]
Problems = Annotated[
    str | None, typer.Option(help="Numbers such as 1-28 or 1,4,7.", show_default="all")
]
Dim = Annotated[int | None, typer.Option(help="Only this dimension.", show_default="all")]
Definition = Annotated[str | None, typer.Option(help="Only this definition.", show_default="all")]
Instance = Annotated[int | None, typer.Option(help="Only this instance.", show_default="all")]
ProtocolName = Annotated[
    Protocol, typer.Option(help="Pairs of trials, or ranks towards the median as target.")
]
Resamples = Annotated[
    int, typer.Option(help="Resamples for the intervals: 1000 or more, 0 for none.")
]
ResamplingSeed = Annotated[int, typer.Option(help="Seed of the resampling.")]
AllowUnequal = Annotated[
    bool,
    typer.Option(
        "--allow-unequal",
        help="Accept unequal numbers of trials and the like, where the score allows it.",
    ),
]


def selection(
    algorithms: str | None,
    problems: str | None,
    dim: int | None,
    definition: str | None,
    instance: int | None,
) -> dict[str, Any]:
    """Return the selection of trials that the options name, as `Store.curves` takes it."""
    from de2ls._lists import items

    return {
        "labels": None if algorithms is None else items("algorithms", algorithms),
        "problems": None if problems is None else items("problems", problems),
        "dims": dim,
        "definition": definition,
        "instance": instance,
    }

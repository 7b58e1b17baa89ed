"""``de2ls reproduce``: run a published comparison again and set it beside the figures."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from de2ls.cli import evidence
from de2ls.cli.sizes import (
    Dim,
    Instance,
    Output,
    Problems,
    Quick,
    Quiet,
    Runs,
    Seed,
    StoreOption,
    Workers,
    command_of,
    resumable,
    runner_of,
    scale_of,
    show,
)

app = typer.Typer(no_args_is_help=True)
app.add_typer(evidence.app)

_EPILOG = """\
Examples:

de2ls reproduce paper --quick

de2ls reproduce paper --store reproduction.db -o paper-D30

de2ls reproduce paper --dim 50 --store reproduction.db -o paper-D50
"""

_FIELD_EPILOG = """\
Examples:

de2ls reproduce cec2026 --quick

de2ls reproduce cec2026 --store reproduction.db -o cec2026-D30
"""

_LINEAGE_EPILOG = """\
Examples:

de2ls reproduce lineage --quick --suite cec2017-bound

de2ls reproduce lineage --dim 10 --runs 5 --evals 50000 --problems 1,5,9,13,17,21,25

de2ls reproduce lineage --store reproduction.db -o lineage-D30
"""


_CONTINUES = """\
The same command continues where it was stopped; trials that the store holds are not run again."""


@app.callback()
def reproduce() -> None:
    """Run a published comparison again and set it beside the published figures."""


def _campaigns(name: str, place: str, main: str, summary: str, epilog: str | None = None) -> None:
    """Add a command that runs a study's campaigns; `main` is the table that it prints."""

    @app.command(name, help=f"{summary}\n\n{_CONTINUES}", epilog=epilog)
    def run(
        quick: Quick = False,
        dim: Dim = None,
        runs: Runs = None,
        problems: Problems = "1-28",
        instance: Instance = 0,
        seed: Seed = 1,
        store: StoreOption = Path("reproduction.db"),
        output: Output = None,
        workers: Workers = None,
        quiet: Quiet = False,
    ) -> None:
        module, function = place.split(":")
        study = getattr(import_module(f"de2ls.studies.{module}"), function)
        scale = scale_of(quick, dim, runs, problems, instance, seed)
        folder = output or Path(f"{name}-D{scale.dim}")
        with resumable():
            runner = runner_of(store, workers, quiet)
            result = study(scale, runner, folder, command_of(name, scale))
        show(result.tables[main], folder)


_campaigns(
    "paper",
    "paper:reproduce_paper",
    "claims",
    "Reproduce the DE-2LS paper: tables, gains, figures and a verdict on each claim.\n\n"
    "At other dimensions than 30 the four algorithms alone are compared.",
    _EPILOG,
)
_campaigns(
    "chorus-field",
    "chorus_field:reproduce_chorus_field",
    "duels",
    "Compare CHORUS with the field of the CEC 2026 competition.",
)


@app.command(epilog=_FIELD_EPILOG)
def cec2026(
    quick: Quick = False,
    dim: Dim = None,
    runs: Runs = None,
    problems: Problems = "1-28",
    instance: Instance = 0,
    seed: Seed = 1,
    official: Annotated[
        Path | None,
        typer.Option(
            help="CSV with the official U-score of each problem (uscore_NAME).",
            show_default="$DE2LS_CEC2026_OFFICIAL",
        ),
    ] = None,
    store: StoreOption = Path("reproduction.db"),
    output: Output = None,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Run the field of the CEC 2026 competition under one set of rules and rank it.

    Trials that the paper's reproduction left in the store are not run again.
    """
    from de2ls.studies.cec2026 import reproduce_cec2026
    from de2ls.studies.official import official_table

    table = official_table(official)
    scale = scale_of(quick, dim, runs, problems, instance, seed)
    folder = output or Path(f"cec2026-D{scale.dim}")
    with resumable():
        result = reproduce_cec2026(
            scale, runner_of(store, workers, quiet), folder, command_of("cec2026", scale), table
        )
    show(result.tables["ranking"], folder)


@app.command(epilog=_LINEAGE_EPILOG)
def lineage(
    quick: Annotated[
        bool, typer.Option("--quick", help="D = 10, 3 runs of 20,000 evaluations.")
    ] = False,
    suite: Annotated[
        str, typer.Option(help="cec2017, cec2017-bound, or both, separated by a comma.")
    ] = "cec2017,cec2017-bound",
    dim: Annotated[int | None, typer.Option(help="Dimension.", show_default="30, quick 10")] = None,
    runs: Annotated[
        int | None, typer.Option(help="Trials per problem.", show_default="25, quick 3")
    ] = None,
    evals: Annotated[
        int | None,
        typer.Option(
            help="Evaluations of a trial.", show_default="20,000 D, with bounds only 10,000 D"
        ),
    ] = None,
    problems: Annotated[str, typer.Option(help="Numbers such as 1-5; all by default.")] = "",
    algorithms: Annotated[str, typer.Option(help="Some of them, by name.")] = "",
    instance: Instance = 0,
    seed: Seed = 1,
    store: StoreOption = Path("reproduction.db"),
    output: Output = None,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Compare ten years of champions and the CEC 2026 field, with and without constraints.

    The same command continues where it was stopped. The bound-constrained functions need the extra
    `lineage`.
    """
    from dataclasses import replace

    from de2ls import _checks
    from de2ls._lists import items, numbers
    from de2ls.studies.lineage import BOUND, CONSTRAINED, QUICK, Decade, reproduce_lineage

    suites = [_checks.choice("suite", name, (CONSTRAINED, BOUND)) for name in items("suite", suite)]
    size = QUICK if quick else Decade()
    size = replace(
        size,
        dim=size.dim if dim is None else dim,
        runs=size.runs if runs is None else runs,
        max_evals=size.max_evals if evals is None else evals,
        seed=seed,
        instance=instance,
    )
    if problems:
        size = replace(size, problems=tuple(numbers("problems", problems)))
    if algorithms:
        size = replace(size, names=tuple(items("algorithms", algorithms)))
    folder = output or Path(f"lineage-D{size.dim}")
    command = f"de2ls reproduce lineage --suite {suite} {size.options}"
    with resumable():
        result = reproduce_lineage(size, runner_of(store, workers, quiet), folder, command, suites)
    for name in result.shown:
        show(result.tables[name], folder)

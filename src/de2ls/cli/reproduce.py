"""``de2ls reproduce``: run a published comparison again and set it beside the figures."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from de2ls.cli import end_interrupted, print_tables

if TYPE_CHECKING:
    from de2ls.scores import Table
    from de2ls.studies.scale import Runner, Scale

app = typer.Typer(no_args_is_help=True)

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

de2ls reproduce lineage --store reproduction.db -o lineage-D30
"""

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


@app.callback()
def reproduce() -> None:
    """Run a published comparison again and set it beside the published figures."""


@app.command(epilog=_EPILOG)
def paper(
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
    """Reproduce the DE-2LS paper: tables, gains, figures and a verdict on each claim.

    The same command continues where it was stopped; trials that the store holds are not run again.
    At other dimensions than 30 the four algorithms alone are compared.
    """
    from de2ls.studies.paper import reproduce_paper

    scale = _scale(quick, dim, runs, problems, instance, seed)
    folder = output or Path(f"paper-D{scale.dim}")
    with _resumable():
        result = reproduce_paper(
            scale, _runner(store, workers, quiet), folder, _command("paper", scale)
        )
    _show(result.tables["claims"], folder)


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
    scale = _scale(quick, dim, runs, problems, instance, seed)
    folder = output or Path(f"cec2026-D{scale.dim}")
    with _resumable():
        result = reproduce_cec2026(
            scale, _runner(store, workers, quiet), folder, _command("cec2026", scale), table
        )
    _show(result.tables["ranking"], folder)


@app.command()
def practitioners(
    suites: Annotated[
        str, typer.Option(help="Suites, separated by commas.")
    ] = "engineering,cec2006,bbob-constrained",
    dim: Annotated[str, typer.Option(help="Dimensions where a suite offers several.")] = "5,10,20",
    instance: Annotated[int, typer.Option(help="Instance where a suite has several.")] = 1,
    solvers: Annotated[
        str | None, typer.Option(help="Solvers, separated by commas.", show_default="all")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Seeds per solver and problem.")] = 11,
    output: Output = None,
    workers: Workers = None,
) -> None:
    """Compare `minimize` with other people's solvers at 50 D, 200 D and 2,000 D evaluations.

    The same command continues where it was stopped.
    """
    from de2ls import _checks
    from de2ls._lists import items, numbers
    from de2ls.campaigns.executors import worker_count
    from de2ls.studies import practitioners as study
    from de2ls.studies.rivals import SOLVERS

    chosen = list(SOLVERS) if solvers is None else items("solvers", solvers)
    for solver in chosen:
        _checks.choice("solvers", solver, SOLVERS)
    keys = study.problems(items("suites", suites), list(numbers("dim", dim)), instance)
    folder = output or Path("practitioners")
    wanted = study.cases(keys, chosen, _checks.integer("seeds", seeds, 1))
    runs = study.run_missing(folder / "runs.csv", wanted, worker_count(workers))
    command = f"de2ls reproduce practitioners --suites {suites} --dim {dim} --seeds {seeds}"
    _show(study.report(runs, folder, command), folder)


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
    size = replace(QUICK if quick else Decade(), seed=seed, instance=instance)
    size = replace(size, dim=dim or size.dim, runs=runs or size.runs)
    if problems:
        size = replace(size, problems=tuple(numbers("problems", problems)))
    if algorithms:
        size = replace(size, names=tuple(items("algorithms", algorithms)))
    folder = output or Path(f"lineage-D{size.dim}")
    command = f"de2ls reproduce lineage --suite {suite} --dim {size.dim} --runs {size.runs}"
    with _resumable():
        result = reproduce_lineage(size, _runner(store, workers, quiet), folder, command, suites)
    for name in result.shown:
        _show(result.tables[name], folder)


def _scale(
    quick: bool, dim: int | None, runs: int | None, problems: str, instance: int, seed: int
) -> "Scale":
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


def _runner(store: Path, workers: int | None, quiet: bool) -> "Runner":
    from de2ls.campaigns.progress import make_progress
    from de2ls.studies.scale import Runner

    return Runner(store, workers, make_progress(as_json=False, quiet=quiet))


def _command(name: str, scale: "Scale") -> str:
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
def _resumable() -> Iterator[None]:
    """End as `de2ls run` does when the campaigns are stopped."""
    from de2ls.studies.scale import StoppedError

    try:
        yield
    except StoppedError as stopped:
        end_interrupted(stopped.outcome)


def _show(table: "Table", folder: Path) -> None:
    print_tables(table.to_rich())
    typer.echo(f"tables and figures: {folder / 'README.md'}")

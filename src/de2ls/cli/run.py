"""``de2ls run``: run a campaign into a store, or continue it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from de2ls.cli import FAILED, end_interrupted, silence_compilation

if TYPE_CHECKING:
    from de2ls.campaigns.plan import Plan

app = typer.Typer()

_EPILOG = """\
Examples:

de2ls run --algorithms de2ls,rdex --problems 1-28 --dim 30 --runs 25 --seed 1 --store results.db

de2ls run --algorithms de2ls,MC1=de2ls:ls_mc=1 --problems 4,6 --dim 10 --instance 1 --store a.db

de2ls run --suite cec2006 --problems G1-G12 --algorithms de2ls,rdex --store g.db

de2ls run --problems own1.py,own2.py --dim 5,10 --store own.db

de2ls run plan.toml --store results.db --workers 8

de2ls run plan.toml --store results.db --dry-run
"""


def _algorithm_completions(incomplete: str) -> list[str]:
    from de2ls.algorithms import algorithm_names

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in algorithm_names() if name.startswith(last)]


@app.command(epilog=_EPILOG)
def run(
    plan: Annotated[
        Path | None,
        typer.Argument(
            help="A plan in TOML; options given beside it replace its settings.", show_default=False
        ),
    ] = None,
    store: Annotated[Path, typer.Option(help="The store's file; created if it is missing.")] = Path(
        "results.db"
    ),
    algorithms: Annotated[
        str | None,
        typer.Option(
            help="NAME, NAME:FIELD=VALUE or LABEL=NAME:FIELD=VALUE:..., separated by commas.",
            show_default="de2ls",
            autocompletion=_algorithm_completions,
        ),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            help="Suites by name, Python files, or module:name: see `de2ls list suites`.",
            show_default="cec2017",
        ),
    ] = None,
    problems: Annotated[
        str | None,
        typer.Option(
            help="Numbers, ranges, names or labels of the suite's problems: 1-5,C12; or problem "
            "files (*.py).",
            show_default="all",
        ),
    ] = None,
    dim: Annotated[
        str | None, typer.Option(help="Dimension, or several.", show_default="the suite's")
    ] = None,
    definition: Annotated[
        str | None,
        typer.Option(help="cec2017: report or cpp2017.", show_default="the suite's"),
    ] = None,
    instance: Annotated[
        str | None,
        typer.Option(
            help="cec2017: 0 is the official data; 1, 2, ... are generated.",
            show_default="the suite's",
        ),
    ] = None,
    runs: Annotated[
        str | None, typer.Option(help="How many, or which: 25 or 26-50.", show_default="25")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the campaign.", show_default="1")
    ] = None,
    max_evals: Annotated[
        int | None, typer.Option(help="Evaluations per trial.", show_default="20000 D")
    ] = None,
    paired: Annotated[
        bool | None,
        typer.Option(
            "--paired/--no-paired",
            help="Give all algorithms the same random numbers.",
            show_default="no-paired",
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Trials at a time.", show_default="one per core")
    ] = None,
    executor: Annotated[
        Literal["auto", "threads", "processes"],
        typer.Option(
            metavar="KIND",
            help="Where trials run: threads, processes, or auto, which looks at the problems.",
        ),
    ] = "auto",
    dask: Annotated[
        str | None,
        typer.Option(help="Address of a Dask scheduler (tcp://...), or local.", show_default=False),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run and how long it takes.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Report as JSON, one object per line.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Run a campaign: algorithms x problems x runs.

    The same command continues a campaign that was interrupted: what the store holds is not run
    again. A changed configuration under the same label is refused.
    """
    given = {
        "algorithms": algorithms,
        "suite": suite,
        "problems": problems,
        "dim": dim,
        "definition": definition,
        "instance": instance,
        "runs": runs,
        "seed": seed,
        "max_evals": max_evals,
        "paired": paired,
    }
    settings = {name: value for name, value in given.items() if value is not None}

    from de2ls.campaigns.plan import Plan

    parsed = Plan.from_file(plan, settings) if plan else Plan.from_settings(settings)
    if dry_run:
        _dry_run(parsed, store, workers, as_json)
        return
    _run(parsed, store, workers, executor, dask, as_json, quiet)


def _run(
    plan: "Plan",
    store: Path,
    workers: int | None,
    executor: str,
    dask: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    from de2ls.campaigns.campaign import run_campaign
    from de2ls.campaigns.progress import make_progress

    if as_json or quiet:
        silence_compilation()
    outcome = run_campaign(plan, store, workers, executor, dask, make_progress(as_json, quiet))
    if outcome.interrupted:
        end_interrupted(outcome)
    if outcome.failed:
        raise typer.Exit(FAILED)


def _dry_run(plan: "Plan", path: Path, workers: int | None, as_json: bool) -> None:
    from de2ls.campaigns.campaign import missing_trials
    from de2ls.campaigns.estimate import estimate
    from de2ls.campaigns.executors import worker_count
    from de2ls.campaigns.progress import duration
    from de2ls.campaigns.store import Store

    missing = list(plan.trials())
    if path.exists():
        with Store.open(path, readonly=True) as store:
            missing = missing_trials(plan, store)
    cost = estimate(missing)
    count = worker_count(workers)
    seconds = cost.worker_seconds / min(count, max(1, cost.trials))
    if as_json:
        facts: dict[str, Any] = {
            "planned": len(plan),
            "to_run": cost.trials,
            "evaluations": cost.evaluations,
            "workers": count,
            "seconds": seconds,
        }
        import json

        typer.echo(json.dumps(facts))
        return
    for series in plan.series:
        typer.echo(f"{series.label}: {len(plan.problems)} problems x {len(plan.runs)} runs")
    typer.echo(
        f"{len(plan)} trials planned, {len(plan) - cost.trials} in {path}, {cost.trials} to run\n"
        f"{cost.evaluations:,} evaluations\n"
        f"about {duration(seconds)} on {count} workers "
        f"({cost.measured} of {cost.pairs} pairs of algorithm and problem measured)"
    )

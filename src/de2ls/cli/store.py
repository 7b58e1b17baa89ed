"""``de2ls store``: look into a store, verify, merge or shrink it."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from de2ls._lists import count
from de2ls.cli import FAILED, print_tables
from de2ls.cli import selection as chosen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from de2ls.campaigns.maintenance import StoreInfo
    from de2ls.scores.tables import Table
    from de2ls.trials.record import TrialSummary

app = typer.Typer(no_args_is_help=True, help="Look into a store, verify, merge or shrink it.")

AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]


@app.command()
def info(store: chosen.StoreFile, as_json: AsJson = False) -> None:
    """Say what a store holds, and what is mixed in it.

    Example: de2ls store info results.db
    """
    from de2ls.campaigns.store import Store

    with Store.open(store, readonly=True) as opened:
        found = opened.info()
    if as_json:
        problems = [key.as_dict() for key in found.problems]
        _print_json({**asdict(found), "problems": problems, "warnings": found.warnings})
        return
    each = found.bytes_per_trial
    typer.echo(
        f"{store}: {count(found.trials, 'trial')}, {found.size / 1e6:.1f} MB, "
        f"{'' if each is None else f'{each:,.0f} bytes per trial, '}schema {found.schema}"
    )
    print_tables(_series_table(found).to_rich())
    typer.echo(f"problems: {', '.join(_problem_groups(found)) or 'none'}")
    imported = [env for env in found.environments if env.imported]
    if imported:
        trials = count(sum(env.trials for env in imported), "trial")
        typer.echo(f"{trials} imported from {count(len(imported), 'file')}")
    for env in found.environments:
        if not env.imported:
            parts = ", ".join(f"{name} {value}" for name, value in env.description.items())
            typer.echo(f"{count(env.trials, 'trial')} run with de2ls {env.version}, {parts}")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")


@app.command("list")
def list_trials(
    store: chosen.StoreFile,
    algorithms: chosen.Algorithms = None,
    problems: chosen.Problems = None,
    suite: chosen.Suite = None,
    dim: chosen.Dim = None,
    definition: chosen.Definition = None,
    instance: chosen.Instance = None,
    as_json: AsJson = False,
) -> None:
    """List trials with their results.

    Example: de2ls store list results.db --algorithms de2ls --problems 4
    """
    from de2ls.campaigns.store import Store

    selection = chosen.selection(algorithms, problems, suite, dim, definition, instance)
    with Store.open(store, readonly=True) as opened:
        opened.check_selection(**selection)
        trials = list(opened.trials(**selection))
    if as_json:
        for trial in trials:
            _print_json({**trial.key.as_dict(), **_results(trial)})
        return
    print_tables(_trials_table(trials).to_rich())


@app.command()
def verify(store: chosen.StoreFile) -> None:
    """Check a store's structure and recompute the checksum of every trial.

    Ends with exit code 1 if something is wrong.
    """
    from de2ls.campaigns.store import Store

    with Store.open(store, readonly=True) as opened:
        result = opened.verify()
    for finding in result.findings:
        typer.echo(finding)
    if not result.sound:
        typer.echo(
            f"{store}: {count(len(result.findings), 'finding')} in {count(result.trials, 'trial')}"
        )
        raise typer.Exit(FAILED)
    typer.echo(f"{store}: {count(result.trials, 'trial')}, all sound")


@app.command()
def merge(
    target: Annotated[Path, typer.Argument(help="The store that grows; created if missing.")],
    sources: Annotated[list[Path], typer.Argument(help="The stores that are read.")],
) -> None:
    """Copy the trials of other stores into one.

    A trial that is there already must have the same result; a label must stand for the same
    configuration. Each source is taken over completely or not at all.

    Example: de2ls store merge all.db monday.db tuesday.db
    """
    from de2ls.campaigns.store import Store

    with Store.open(target) as store:
        for source in sources:
            with Store.open(source, readonly=True) as other:
                added, equal = store.merge(other)
            typer.echo(f"{source}: {count(added, 'trial')} added, {equal} there already")


@app.command()
def vacuum(store: chosen.StoreFile) -> None:
    """Rewrite a store without gaps, and bring it to the newest schema."""
    from de2ls.campaigns.store import Store

    if not store.is_file():
        raise FileNotFoundError(f"there is no store at {store}")
    with Store.open(store) as opened:
        before, after = opened.vacuum()
    typer.echo(f"{store}: {before:,} bytes before, {after:,} after")


def _results(trial: "TrialSummary") -> dict[str, Any]:
    """Return what tells one trial of a series from another."""
    left_out = ("key", "config", "environment", "version")
    return {name: value for name, value in vars(trial).items() if name not in left_out}


def _series_table(found: "StoreInfo") -> "Table":
    from de2ls.campaigns.progress import duration
    from de2ls.scores.tables import Column, Table

    columns = (
        Column("series"),
        Column("algorithm"),
        Column("trials", "d"),
        Column("problems", "d"),
        Column("evaluations", ",d"),
        Column("work"),
    )
    rows = tuple(
        (s.label, s.algorithm, s.trials, s.problems, s.evaluations, duration(s.seconds))
        for s in found.series
    )
    return Table("Series", columns, rows)


def _trials_table(trials: "Sequence[TrialSummary]") -> "Table":
    from de2ls.scores.tables import Column, Table

    columns = (
        Column("series"),
        Column("problem"),
        Column("run", "d"),
        Column("Min_EV", ".8g"),
        Column("LCV", ".8g"),
        Column("evaluations", "d"),
        Column("seconds", ".2f"),
        Column("seed", "d"),
    )
    rows = tuple(
        (t.label, str(t.problem), t.run, t.min_ev, t.lcv, t.n_evals, t.wall_time, t.seed)
        for t in trials
    )
    return Table("Trials", columns, rows)


def _problem_groups(found: "StoreInfo") -> list[str]:
    """Return lines such as ``28 of cec2017 D=30 report/0``."""
    groups: dict[str, int] = {}
    for key in found.problems:
        place = "/".join(str(value) for _, value in key.variant)
        name = f"{key.suite or key.name} D={key.dim} {place}".strip()
        groups[name] = groups.get(name, 0) + 1
    return [f"{count} of {name}" for name, count in groups.items()]


def _print_json(value: Any) -> None:
    import json

    typer.echo(json.dumps(value, default=str))

"""``de2ls reproduce`` of CHORUS: other people's solvers, noise, workers, its arms."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from de2ls.cli.sizes import Output, Workers, show

if TYPE_CHECKING:
    from de2ls.problems.key import ProblemKey
    from de2ls.studies.runs import Case, Run

app = typer.Typer()

Suites = Annotated[str, typer.Option(help="Suites, separated by commas.")]
Dims = Annotated[str, typer.Option(help="Dimensions where a suite offers several.")]
Instances = Annotated[str, typer.Option(help="Instances where a suite has several.")]
Solvers = Annotated[str, typer.Option(help="Solvers, separated by commas.")]
Seeds = Annotated[int, typer.Option(help="Seeds per solver and problem.")]
Budgets = Annotated[str, typer.Option(help="Evaluations per dimension, separated by commas.")]
Budget = Annotated[int, typer.Option(help="Evaluations per dimension.")]
Levels = Annotated[str, typer.Option(help="Disturbances, separated by commas.", show_default="all")]
Counts = Annotated[str, typer.Option(help="Numbers of workers of `minimize`.")]
Arms = Annotated[
    str, typer.Option(help="Arms that are left out, one at a time.", show_default="each")
]
Seconds = Annotated[float, typer.Option(help="CPU time after which a run ends.")]

_ALL = "engineering,cec2006,bbob-constrained"
_PRACTICE = "engineering,cec2006"
_ADDS = """The same command continues where it was stopped. Calls with other solvers, seeds or
problems add to the same runs; the page shows all of them."""


def _comparison(
    name: str,
    title: str,
    summary: str,
    *,
    dims: str,
    instances: str,
    names: str,
    sizes: str,
    seconds: float,
) -> None:
    """Add a command that compares solvers; the comparisons differ in what is run by default."""

    @app.command(name, help=f"{summary}\n\n{_ADDS}")
    def compare(
        suites: Suites = _ALL,
        dim: Dims = dims,
        instance: Instances = instances,
        solvers: Solvers = names,
        seeds: Seeds = 11,
        budgets: Budgets = sizes,
        max_seconds: Seconds = seconds,
        output: Output = None,
        workers: Workers = None,
    ) -> None:
        from de2ls import _checks
        from de2ls._lists import items, numbers
        from de2ls.studies import practitioners as study
        from de2ls.studies.rivals import SOLVERS
        from de2ls.studies.solvers_page import write_page

        chosen = [_checks.choice("solvers", one, SOLVERS) for one in items("solvers", solvers)]
        keys = _keys(suites, dim, instance)
        at = sorted(set(numbers("budgets", budgets)))
        wanted = study.cases(keys, chosen, _checks.integer("seeds", seeds, 1), at)
        make = partial(study.solver_run, max_seconds=_checks.real("max_seconds", max_seconds, 0.0))
        folder = output or Path(name)
        runs = _missing(folder, wanted, make, workers)
        command = (
            f"de2ls reproduce {name} --suites {suites} --dim {dim} --instance {instance} "
            f"--solvers {solvers} --seeds {seeds} --budgets {budgets}"
        )
        show(write_page(runs, at, folder, title, command, max_seconds), folder)


_comparison(
    "practitioners",
    "`minimize` beside other solvers",
    "Compare `minimize` with other people's solvers.",
    dims="5,10,20",
    instances="1",
    names="chorus,polish,cobyla,slsqp,cobyqa,cma-al,scipy-de,pymoo-de,isres",
    sizes="50,200,2000",
    seconds=20.0,
)
_comparison(
    "chorus-budgets",
    "CHORUS at every budget",
    "Compare CHORUS with other solvers from 50 to 20,000 evaluations per dimension.",
    dims="2,5,10,20",
    instances="1-3",
    names="chorus,cobyla,slsqp,cobyqa,cma-al,scipy-de,polish",
    sizes="50,200,2000,20000",
    seconds=60.0,
)


@app.command(help=f"Compare CHORUS with other solvers on disturbed problems.\n\n{_ADDS}")
def chorus_noise(
    suites: Suites = _PRACTICE,
    levels: Levels = "",
    solvers: Solvers = "chorus,cobyla",
    seeds: Seeds = 11,
    budgets: Budgets = "200",
    max_seconds: Seconds = 60.0,
    output: Output = None,
    workers: Workers = None,
) -> None:
    """Compare CHORUS with other solvers on disturbed problems."""
    from de2ls import _checks
    from de2ls._lists import items, numbers
    from de2ls.studies import chorus_noise as study
    from de2ls.studies.rivals import SOLVERS

    levels = levels or ",".join(study.LEVELS)
    chosen = [_checks.choice("solvers", one, SOLVERS) for one in items("solvers", solvers)]
    kinds = [_checks.choice("levels", one, study.LEVELS) for one in items("levels", levels)]
    at = sorted(set(numbers("budgets", budgets)))
    wanted = study.noise_cases(_keys(suites), kinds, chosen, _checks.integer("seeds", seeds, 1), at)
    make = partial(study.noise_run, max_seconds=_checks.real("max_seconds", max_seconds, 0.0))
    folder = output or Path("chorus-noise")
    runs = _missing(folder, wanted, make, workers)
    command = (
        f"de2ls reproduce chorus-noise --suites {suites} --levels {levels} --solvers {solvers} "
        f"--seeds {seeds} --budgets {budgets}"
    )
    show(study.write_noise_page(runs, at, folder, command, max_seconds), folder)


@app.command(help=f"Count the rounds that CHORUS needs with workers.\n\n{_ADDS}")
def chorus_parallel(
    suites: Suites = _PRACTICE,
    counts: Counts = "1,2,8,32",
    seeds: Seeds = 11,
    budget: Budget = 2000,
    output: Output = None,
    workers: Workers = None,
) -> None:
    """Count the rounds that CHORUS needs with workers."""
    from de2ls import _checks
    from de2ls._lists import numbers
    from de2ls.studies import chorus_parallel as study

    at = sorted(set(numbers("counts", counts)))
    seeds = _checks.integer("seeds", seeds, 1)
    wanted = study.parallel_cases(_keys(suites), at, seeds, _checks.integer("budget", budget, 1))
    folder = output or Path("chorus-parallel")
    runs = _missing(folder, wanted, study.parallel_run, workers)
    command = (
        f"de2ls reproduce chorus-parallel --suites {suites} --counts {counts} --seeds {seeds} "
        f"--budget {budget}"
    )
    show(study.write_parallel_page(runs, folder, command), folder)


@app.command(help=f"Compare CHORUS with itself without each of its arms.\n\n{_ADDS}")
def chorus_arms(
    suites: Suites = _ALL,
    dim: Dims = "5",
    instance: Instances = "1",
    arms: Arms = "",
    seeds: Seeds = 11,
    budget: Budget = 2000,
    output: Output = None,
    workers: Workers = None,
) -> None:
    """Compare CHORUS with itself without each of its arms."""
    from de2ls import _checks
    from de2ls._lists import items
    from de2ls.algorithms.chorus import ARMS
    from de2ls.studies import chorus_arms as study

    arms = arms or ",".join(ARMS)
    chosen = [_checks.choice("arms", one, ARMS) for one in items("arms", arms)]
    seeds = _checks.integer("seeds", seeds, 1)
    budget = _checks.integer("budget", budget, 1)
    wanted = study.arm_cases(_keys(suites, dim, instance, known=False), chosen, seeds, budget)
    folder = output or Path("chorus-arms")
    runs = _missing(folder, wanted, study.arm_run, workers)
    command = (
        f"de2ls reproduce chorus-arms --suites {suites} --dim {dim} --instance {instance} "
        f"--arms {arms} --seeds {seeds} --budget {budget}"
    )
    show(study.write_arms_page(runs, folder, command), folder)


def _keys(
    suites: str, dim: str = "5", instance: str = "1", known: bool = True
) -> "list[ProblemKey]":
    """Return the problems that options name."""
    from de2ls._lists import items, numbers
    from de2ls.studies.practitioners import problems

    dims, instances = list(numbers("dim", dim)), list(numbers("instance", instance))
    return problems(items("suites", suites), dims, instances, known)


def _missing(
    folder: Path, wanted: "Iterable[Case]", make: "Callable[[Case], Run]", workers: int | None
) -> "list[Run]":
    """Make the runs that the folder lacks and return all that it holds."""
    from de2ls.campaigns.executors import worker_count
    from de2ls.studies.runs import run_missing

    return run_missing(folder / "runs.csv", wanted, make, worker_count(workers))

"""``de2ls solve``: minimise the problem in a Python file."""

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NamedTuple

import typer

from de2ls._processes import end_with_parent
from de2ls.cli import FAILED, INTERRUPTED, silence_compilation

app = typer.Typer()

_EPILOG = """\
The file defines `fun` and `bounds`, and may define `constraints`, `n_ineq`, `n_eq` and `options` (a
dict of further arguments), all as de2ls.minimize takes them.

Examples:

de2ls solve problem.py

de2ls solve problem.py --max-evals 50000 --seed 1 --json
"""


@app.command(epilog=_EPILOG)
def solve(
    problem: Annotated[Path, typer.Argument(help="The Python file.", metavar="PROBLEM.py")],
    algorithm: Annotated[
        str | None, typer.Option(help="Algorithm by name.", show_default="de2ls")
    ] = None,
    max_evals: Annotated[
        int | None, typer.Option(help="Budget of evaluations.", show_default="20000 D")
    ] = None,
    max_time: Annotated[
        float | None, typer.Option(help="Seconds after which to stop.", show_default=False)
    ] = None,
    dim: Annotated[
        int | None,
        typer.Option(
            help="Dimension, for a file whose bounds are a function of it.", show_default=False
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed repeats a run.", show_default="random")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes that evaluate.", show_default="1")
    ] = None,
    polish: Annotated[
        bool | None, typer.Option("--polish", help="Improve the best point by SLSQP at the end.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write the result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Minimise the problem in a Python file of yours.

    Ends with exit code 1 if no feasible point was found.
    """
    given = {
        "algorithm": algorithm,
        "max_evals": max_evals,
        "max_time": max_time,
        "seed": seed,
        "workers": workers,
        "polish": polish,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    solved = _in_a_process(_Task(problem, dim, chosen, as_json, quiet))
    _print(solved.facts, as_json, solved.shown)
    if solved.interrupted:
        raise typer.Exit(INTERRUPTED)
    if not solved.facts["success"]:
        raise typer.Exit(FAILED)


class _Task(NamedTuple):
    """What is to be solved, and how."""

    path: Path
    dim: int | None
    chosen: dict[str, Any]  # arguments that replace the file's options
    as_json: bool
    quiet: bool


class _Solved(NamedTuple):
    """What came of it, as plain data."""

    facts: dict[str, Any]
    interrupted: bool
    shown: bool  # whether progress was shown, whose last line is the message


def _in_a_process(task: _Task) -> _Solved:
    """Solve in a process of its own: the user's program may end it, and that is noticed here."""
    with ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn"), initializer=_begin
    ) as pool:
        try:
            child = pool.submit(os.getpid).result()
            with _forwarding(child):
                return pool.submit(_solved, task).result()
        except BrokenProcessPool as error:
            raise RuntimeError(
                f"{task.path} ended the process (os._exit, killed, or out of memory?) before the "
                "search was over"
            ) from error


def _begin() -> None:
    """Leave signals of the terminal to the parent, which hands them on, and end with it."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    end_with_parent()


@contextlib.contextmanager
def _forwarding(child: int) -> Iterator[None]:
    """Hand Ctrl-C on to the process that solves; where it gets it itself, ignore it."""

    def hand_on(number: int, frame: FrameType | None) -> None:
        del frame
        if hasattr(os, "setpgrp"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, hand_on)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _solved(task: _Task) -> _Solved:
    """Minimise the problem in a file; what is chosen comes before the file's options."""
    import de2ls
    from de2ls.optimize.result import Stop
    from de2ls.problems.file import ProblemFile, no_exit

    if task.as_json or task.quiet:
        silence_compilation()
    # what the user's functions print must not mix with the JSON
    with contextlib.redirect_stdout(sys.stderr) if task.as_json else contextlib.nullcontext():
        file = ProblemFile.load(task.path)
        dim = task.dim or next(iter(file.dims), None)
        if task.dim and not file.scalable:
            raise ValueError(f"dim must not be given: {task.path} has a dimension of its own")
        options = {"disp": not (task.as_json or task.quiet), **file.options, **task.chosen}
        options["on_interrupt"] = "return"
        with no_exit(task.path):
            result = de2ls.minimize(**file.arguments(dim), **options)
    sys.stdout.flush()
    facts = {
        "success": bool(result.success),
        "feasible": bool(result.feasible),
        "fun": float(result.fun),
        "x": [float(value) for value in result.x],
        "maxcv": float(result.maxcv),
        "nfev": int(result.nfev),
        "message": str(result.message),
        "seed": result.seed,
    }
    return _Solved(facts, result.status == Stop.INTERRUPTED.status, bool(options["disp"]))


def _print(facts: dict[str, Any], as_json: bool, shown: bool) -> None:
    if as_json:
        import json

        for name in ("fun", "maxcv"):  # NaN or infinite without a valid point; JSON has neither
            facts[name] = facts[name] if math.isfinite(facts[name]) else None
        typer.echo(json.dumps(facts, allow_nan=False))
        return
    if not shown:
        typer.echo(facts["message"])
    typer.echo(f"feasible  {'yes' if facts['feasible'] else 'NO'}")
    typer.echo(f"fun       {facts['fun']!r}")
    for i, value in enumerate(facts["x"]):
        typer.echo(f"{f'x[{i}]':8}  {value!r}")
    maxcv, nfev, seed = (facts[name] for name in ("maxcv", "nfev", "seed"))
    typer.echo(f"worst violation {maxcv:g}, {nfev} evaluations, seed {seed}")

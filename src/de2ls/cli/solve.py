"""``de2ls solve``: minimise the problem in a Python file."""

import contextlib
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from de2ls.cli import FAILED, INTERRUPTED, silence_compilation

if TYPE_CHECKING:
    from de2ls.optimize.result import MinimizeResult

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
    seed: Annotated[
        int | None, typer.Option(help="What repeats a run.", show_default="random")
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
    from de2ls.optimize.result import Stop

    given = {
        "algorithm": algorithm,
        "max_evals": max_evals,
        "max_time": max_time,
        "seed": seed,
        "workers": workers,
        "polish": polish,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if as_json or quiet:
        silence_compilation()
    # what the user's functions print must not mix with the JSON
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        result, shown = _solved(problem, chosen, disp=not (as_json or quiet))
    _print(result, as_json, shown)
    if result.status == Stop.INTERRUPTED.status:
        raise typer.Exit(INTERRUPTED)
    if not result.success:
        raise typer.Exit(FAILED)


def _solved(path: Path, chosen: dict[str, Any], disp: bool) -> "tuple[MinimizeResult, bool]":
    """Minimise the problem in a file; what is chosen comes before the file's options.

    Returns the result and whether progress was shown, whose last line is the message.
    """
    import de2ls
    from de2ls.problems.file import ProblemFile

    file = ProblemFile.load(path)
    options = {"disp": disp, **file.options, **chosen}
    result = de2ls.minimize(file.fun, file.bounds, **file.arguments, **options)
    return result, bool(options["disp"])


def _print(result: "MinimizeResult", as_json: bool, shown: bool) -> None:
    facts: dict[str, Any] = {
        "success": bool(result.success),
        "fun": float(result.fun),
        "x": [float(value) for value in result.x],
        "maxcv": float(result.maxcv),
        "nfev": int(result.nfev),
        "message": str(result.message),
        "seed": result.seed,
    }
    if as_json:
        import json

        for name in ("fun", "maxcv"):  # NaN or infinite without a valid point; JSON has neither
            facts[name] = facts[name] if math.isfinite(facts[name]) else None
        typer.echo(json.dumps(facts, allow_nan=False))
        return
    if not shown:
        typer.echo(facts["message"])
    typer.echo(f"feasible  {'yes' if facts['success'] else 'NO'}")
    typer.echo(f"fun       {facts['fun']!r}")
    for i, value in enumerate(facts["x"]):
        typer.echo(f"{f'x[{i}]':8}  {value!r}")
    typer.echo(f"worst violation {result.maxcv:g}, {result.nfev} evaluations, seed {result.seed}")

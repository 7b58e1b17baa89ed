"""``de2ls dashboard``: a local page that follows a campaign."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()

_EPILOG = """\
Examples:

de2ls dashboard results.db

de2ls dashboard results.db --port 9000 --open

de2ls dashboard run.npz
"""


@app.command(epilog=_EPILOG)
def dashboard(
    file: Annotated[
        Path,
        typer.Argument(help="The store of a campaign, or a checkpoint of minimize; only read."),
    ],
    host: Annotated[
        str, typer.Option(help="Address to listen at; others than 127.0.0.1 show it to others.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = 8765,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = False,
) -> None:
    """Serve a page that follows a campaign while it writes its store, until Ctrl-C.

    The campaign may run in any process, also on a Dask cluster; it is not disturbed. The page shows
    progress, rate, time left, failures and provisional scores, and renews itself. A run of
    `minimize` with `checkpoint=` is watched in the same way.
    """
    from de2ls.campaigns.store import Store
    from de2ls.reports.dashboard.run import run_progress
    from de2ls.reports.dashboard.server import serve
    from de2ls.reports.dashboard.watch import is_checkpoint

    if is_checkpoint(file):
        run_progress(file)
    else:
        Store.open(file, readonly=True).close()

    def ready(address: str) -> None:
        typer.echo(f"{file}: {address} (Ctrl-C ends it)")
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    with contextlib.suppress(KeyboardInterrupt):
        serve(file, host, port, ready)

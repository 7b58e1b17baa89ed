"""Draw the figures of a report: here and now, or in a process beside this one."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from de2ls.reports.figures import FORMATS, Drawing, Looks, drawn, new_figure, save, style
from de2ls.reports.html import pictures

if TYPE_CHECKING:
    from markupsafe import Markup


class Drawn(NamedTuple):
    """What a figure has become."""

    files: list[Path]
    pictures: "dict[str, Markup]"  # it is at most one


@dataclass(frozen=True)
class Begun:
    """A figure that is drawn, or will be."""

    task: Callable[[], Drawn]
    future: "Future[Drawn]"

    @cached_property
    def drawn(self) -> Drawn:
        """What it has become, once it is drawn; here, if the other process has died."""
        try:
            return self.future.result()
        except BrokenProcessPool:
            return self.task()


def begin(drawing: Drawing, name: str, folder: Path, styles: Looks, pool: Executor | None) -> Begun:
    """Draw a figure in the pool's process, or at once without a pool.

    Parameters
    ----------
    drawing : callable
        What draws it; with a pool its content must be fit to travel to another process.
    name : str
        Of the figure and its files.
    folder : Path
        Where to.
    styles : mapping of label to Look
        How the series look.
    pool : Executor, optional
        Whose process draws.
    """
    task = partial(draw, drawing, name, folder, styles)
    future: Future[Drawn] = Future()
    if pool is None:
        future.set_result(task())
    else:
        try:
            future = pool.submit(task)
        except BrokenProcessPool as error:
            future.set_exception(error)
    return Begun(task, future)


def draw(drawing: Drawing, name: str, folder: Path, styles: Looks) -> Drawn:
    """Draw a figure, write its files and return what the page shows of it."""
    figure = drawn(drawing)
    return Drawn(save(figure, folder, name), pictures([(name, figure)], styles))


def prepare() -> None:
    """Load what drawing and writing need: good for a process that has no figure yet."""
    with style():
        figure = new_figure(1.0, 1.0, arranged=False)
        figure.text(0.5, 0.5, "a")
        for kind in FORMATS:
            figure.savefig(BytesIO(), format=kind)

"""Convergence of all problems in one figure: medians and, of few series, quartile bands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from de2ls._checks import FloatArray
from de2ls.reports.curves import best_value, columns, quartiles
from de2ls.reports.figures import FEW, Looks, power, small_multiples
from de2ls.reports.palette import Look
from de2ls.scores import Collection

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FLOOR = 1e-8  # what ties with the best, or is feasible, is drawn here
LOG_FROM = 30  # ratio of values from which a logarithmic axis helps

Span = tuple[float, float]
_QUANTITIES = {"Min_EV": 0, "LCV": 1}
_LABELS = {
    "Min_EV": "Min_EV minus the best final Min_EV (units of the objective)",
    "LCV": "LCV (summed violation)",
}


@dataclass(frozen=True, eq=False)
class Panel:
    """What is drawn of one problem: little enough to hand to another process."""

    problem: str
    evaluations: tuple[FloatArray, ...]  # of each series
    quartiles: tuple[FloatArray, ...]  # of each series, shape (3, samples)
    budget: float
    is_feasible: bool  # whether any run ends feasible


def panels(collection: Collection, quantity: str) -> list[Panel]:
    """Return what `convergence` draws of a collection: quartiles at a few hundred samples."""
    column = _QUANTITIES[quantity]
    found = []
    for problem, row, grids, tol in zip(
        collection.problems, collection.cells, collection.grids, collection.feasible_tols,
        strict=True,
    ):  # fmt: skip
        best = best_value(row, tol) if quantity == "Min_EV" else 0.0
        shown = [columns(len(grid)) for grid in grids]
        quarters = [
            np.maximum(quartiles(cell[:, chosen, column] - best), FLOOR)
            for cell, chosen in zip(row, shown, strict=True)
        ]
        x = [grid[chosen] for grid, chosen in zip(grids, shown, strict=True)]
        known = any(np.isfinite(cell[:, -1, 0]).any() for cell in row)
        found.append(Panel(problem, tuple(x), tuple(quarters), float(grids[0][-1]), known))
    return found


def convergence(
    found: Sequence[Panel], series: Sequence[str], styles: Looks, quantity: str
) -> "Figure":
    """Draw one small axes per problem.

    Parameters
    ----------
    found : sequence of Panel
        The problems.
    series : sequence of str
        Names of the series.
    styles : mapping of label to Look
        How the series look.
    quantity : {"Min_EV", "LCV"}
        What is drawn, on a logarithmic axis that ends at 1e-8.
    """
    figure, grid = small_multiples(len(found), styles, series)
    for axes, panel in zip(grid, found, strict=True):
        curves = zip(series, panel.evaluations, panel.quartiles, strict=True)
        spans = [
            _draw(axes, x, quarters, styles[name], _width(a, len(series)), len(series) <= FEW)
            for a, (name, x, quarters) in enumerate(curves)
        ]
        if not np.isfinite(np.nanmin(spans)):
            _say(axes, "too few feasible runs" if panel.is_feasible else "no feasible point")
        _scale(axes, panel.budget, np.nanmin(spans), np.nanmax(spans))
        axes.set_title(panel.problem)
    figure.supxlabel("evaluations", fontsize=9)
    figure.supylabel(_LABELS[quantity], fontsize=9)
    return figure


def _scale(axes: "Axes", budget: float, lowest: float, highest: float) -> None:
    """Set both axes: logarithmic where values span more than a decade or so."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_xlim(0, budget)
    axes.locator_params(nbins=3)
    axes.ticklabel_format(axis="x", style="sci", scilimits=(0, 3))
    axes.xaxis.get_offset_text().set_fontsize(6.5)
    if highest <= FLOOR:
        _say(axes, "0 from the start")
    elif highest > LOG_FROM * lowest:
        axes.set_yscale("log")
        axes.set_ylim(bottom=lowest / 2)
        axes.yaxis.set_major_locator(LogLocator(numticks=4))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(_power))


def _say(axes: "Axes", text: str) -> None:
    """Write why nothing is drawn."""
    axes.text(0.5, 0.6, text, transform=axes.transAxes, ha="center", color="#666666")
    axes.set_yticks([])


def _power(value: float, position: int | None = None) -> str:
    """Return a power of ten for readers; the floor stands for 0."""
    return "0" if value <= 1.01 * FLOOR else power(value, position)


def _width(position: int, count: int) -> float:
    """Return a line's width: the first is the widest, so that lines that coincide all show."""
    return 1.0 + 1.6 * (1 - position / max(1, count - 1))


def _draw(
    axes: "Axes", x: FloatArray, quarters: FloatArray, look: Look, width: float, has_band: bool
) -> Span:
    """Draw the median and the quartile band where they are known; return the span of values."""
    low, median, high = quarters
    known = np.where(np.isfinite(median), median, np.nan)
    (line,) = axes.plot(x, known, drawstyle="steps-post", color=look.light, lw=width)
    if look.dash:
        line.set_dashes(look.dash)
    if has_band:
        whole = np.isfinite(low) & np.isfinite(high)
        axes.fill_between(
            x, low, high, where=whole, step="post", color=look.light, alpha=0.18, lw=0
        )
    drawn = quarters if has_band else median
    drawn = drawn[np.isfinite(drawn)]
    return (float(drawn.min()), float(drawn.max())) if drawn.size else (np.inf, np.nan)

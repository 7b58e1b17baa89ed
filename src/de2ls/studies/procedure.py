"""How a pair of trials earns its points: the procedure of the U-score on two real trials."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.reports.figures import new_figure, style
from de2ls.reports.palette import Look
from de2ls.scores import Collection
from de2ls.scores.pairwise import TIE, accuracy_points, ends, speed_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Looks = Mapping[str, Look]
Names = tuple[str, ...]

_APART = 1e-3  # relative difference of ends that differ in the digits shown
_TEXT: dict[str, Any] = {
    "size": 8,
    "bbox": {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
    "zorder": 6,
}


def procedure(collection: Collection, looks: Looks) -> "Figure | None":
    """Draw the accuracy point and the speed point of the clearest pair of trials.

    Parameters
    ----------
    collection : Collection
        The first two series are paired, trial by trial.
    looks : mapping of name to Look
        How the two are drawn.

    Returns
    -------
    Figure or None
        None if no pair has two feasible ends that differ visibly.
    """
    place, pair = _clearest(collection)
    if pair is None:
        return None
    names, problem = collection.algorithms[:2], collection.problems[place]
    evaluations = collection.grids[place][0]
    with style():
        figure = new_figure(8.8, 3.7)
        left, right = figure.subplots(1, 2, sharey=True)
        left.set_ylim(*_limits(pair))
        for axes in (left, right):
            for name, trial in zip(names, pair, strict=True):
                (line,) = axes.plot(evaluations, trial[:, 0], label=name, lw=1.6)
                line.set(drawstyle="steps-post", color=looks[name].light)
            axes.set_xlim(0, evaluations[-1])
            axes.set_xlabel("evaluations (thousands)")
            axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}")
        _accuracy(left, evaluations, pair, names, looks)
        _speed(right, evaluations, pair, names, looks)
        left.set_ylabel(f"Min_EV on {problem} (units of the objective)")
        figure.legend(
            *left.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False
        )
    return figure


def _clearest(collection: Collection) -> tuple[int, FloatArray | None]:
    """Return the pair of trials, one of each series, that shows the procedure best."""
    best: tuple[float, int, FloatArray | None] = (0.0, 0, None)
    for problem, row in enumerate(collection.cells):
        for x, y in zip(row[0], row[1], strict=False):
            pair = np.stack([x, y])
            clarity = _clarity(pair)
            if clarity > best[0]:
                best = clarity, problem, pair
    return best[1:]


def _clarity(pair: FloatArray) -> float:
    """Return how well a reader can tell ends and arrivals apart; 0 if not at all.

    A third of the picture between them is enough; a pair whose points go to different trials says
    more than one in which the same trial wins both.
    """
    E, _, feasible = ends(pair)
    low, high = _limits(pair) if feasible.all() else (0.0, 0.0)
    if high <= low or abs(E[0] - E[1]) <= _APART * abs(E).max():
        return 0.0
    gap = abs(E[0] - E[1]) / (high - low)
    arrivals = _arrivals(pair)
    lag = abs(arrivals[0] - arrivals[1]) / pair.shape[1]
    descent = min(np.ptp(np.clip(trial[:, 0], low, high)) for trial in _known(pair)) / (high - low)
    divided = accuracy_points(pair)[0, 1] != speed_points(pair)[0, 1]
    return float(min(gap, 0.3) * min(lag, 0.3) * min(descent, 0.3) * (1 + divided))


def _known(pair: FloatArray) -> list[FloatArray]:
    """Return the parts of both curves in which a feasible point is known."""
    return [trial[np.isfinite(trial[:, 0])] for trial in pair]


def _arrivals(pair: FloatArray) -> list[int]:
    """Return tau of both trials: the first sample at the worse end or below."""
    theta = ends(pair).E.max()
    return [int(np.argmax(trial[:, 0] <= theta + TIE)) for trial in pair]


def _limits(pair: FloatArray) -> tuple[float, float]:
    """Return limits that show the last part of the way down, with room for notes."""
    lowest = float(ends(pair).E.min())
    highest = float(np.nanquantile(pair[:, :, 0], 0.97))
    room = highest - lowest
    return lowest - 0.12 * room, highest + 0.24 * room


def _accuracy(axes: "Axes", x: FloatArray, pair: FloatArray, names: Names, looks: Looks) -> None:
    points = accuracy_points(pair)
    for k, name in enumerate(names):
        end, colour = pair[k, -1, 0], looks[name].light
        axes.plot(x[-1], end, "o", color=colour, clip_on=False, zorder=5)
        _note(axes, f"{name}: E* = {end:.5g}, {_points(points[k, 1 - k])}", k, colour)
    axes.set_title("accuracy: the smaller end wins")


def _speed(axes: "Axes", x: FloatArray, pair: FloatArray, names: Names, looks: Looks) -> None:
    theta, points = float(ends(pair).E.max()), speed_points(pair)
    axes.axhline(theta, color="#444444", lw=1, ls="--")
    worse = f"θ = {theta:.5g}, the worse end"
    axes.annotate(worse, (0, theta), (4, -11), textcoords="offset points", **_TEXT)
    for k, (name, tau) in enumerate(zip(names, _arrivals(pair), strict=True)):
        colour = looks[name].light
        axes.axvline(x[tau], color=colour, lw=1, ls=":")
        axes.plot(x[tau], pair[k, tau, 0], "o", color=colour, clip_on=False, zorder=5)
        _note(axes, f"{name}: τ = {int(x[tau]):,}, {_points(points[k, 1 - k])}", k, colour)
    axes.set_title("speed: the first to reach θ wins")


def _note(axes: "Axes", text: str, line: int, colour: str) -> None:
    """Write a line in the upper right corner, above the curves."""
    corner: dict[str, Any] = {"transform": axes.transAxes, "ha": "right", "va": "top"}
    axes.text(0.97, 0.97 - 0.075 * line, text, color=colour, **corner, **_TEXT)


def _points(earned: float) -> str:
    return f"{earned:g} point" if earned in (0.5, 1.0) else f"{earned:g} points"

"""The picture of a result: convergence over the evaluations, and the solutions in the box."""

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls._extras import extra

with extra("report"):
    from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from de2ls.optimize.result import MinimizeResult

NOTHING = 1e-3  # of the whole gain, or of the objective: not worth a scale of its own
_BLUE, _RED, _GREY = "#0b6fa4", "#b5382a", "#8a8f98"


class ResultFigure(Figure):
    """A figure that notebooks show without pyplot."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=100)
        return buffer.getvalue()


def plot_result(result: "MinimizeResult") -> ResultFigure:
    """Draw a result of `de2ls.minimize`.

    Above: the best objective among feasible points, and the lowest violation, over the evaluations.
    Below: `x` in parallel coordinates, each from its lower to its upper bound, with the other local
    optima, or the final population where none are known.
    """
    figure = ResultFigure(figsize=(8.0, 6.4), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=(1.0, 0.85))
    above, below = parts
    constrained = bool(result.constr)
    axes = above.subplots(1, 2 if constrained else 1, squeeze=False)[0]
    _objective(axes[0], result)
    if constrained:
        _violation(axes[1], result)
    _solutions(below.subplots(), result)
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    return figure


def _objective(ax: "Axes", result: "MinimizeResult") -> None:
    n, f = result.history.nfev, result.history.fun
    known = ~np.isnan(f)
    ax.set_title("Best objective among feasible points", fontsize=10, loc="left")
    ax.set_xlabel("evaluations", fontsize=9)
    if not known.any():
        ax.text(0.5, 0.5, "no feasible point", ha="center", va="center", transform=ax.transAxes)
        ax.set_xlim(0, max(1.0, n[-1]) * 1.02)  # perhaps nothing was evaluated
        ax.set_yticks([])
        return
    ax.step(n[known], f[known], where="post", color=_BLUE, lw=1.6)
    ax.plot(n[-1], result.fun, "o", color=_BLUE, ms=5)
    ax.annotate(
        f"{result.fun:.6g}", (n[-1], result.fun), xytext=(-4, 8), textcoords="offset points",
        ha="right", fontsize=8, color=_BLUE,
    )  # fmt: skip
    if f[known].min() > 0 and f[known].max() > 100 * f[known].min():
        ax.set_yscale("log")
    _spare_first_drop(ax, f[known])
    ax.set_xlim(0, n[-1] * 1.02)
    ax.grid(alpha=0.25)


def _spare_first_drop(ax: "Axes", f: FloatArray) -> None:
    """Show what happens after the first drop, on a linear scale, unless that was nearly all."""
    if ax.get_yscale() == "log":
        return
    low, high = float(f.min()), float(f.max())
    later = float(f[f.size // 20])
    if f.size >= 20 and later - low > NOTHING * (high - low):
        high = later
    height = max(high - low, NOTHING * abs(low))  # the last digits are not worth a scale
    if height > 0.0:
        ax.set_ylim(low - 0.05 * height, low + 1.15 * height)


def _violation(ax: "Axes", result: "MinimizeResult") -> None:
    n, violation = result.history.nfev, result.history.violation
    ax.set_title("Lowest violation", fontsize=10, loc="left")
    ax.set_xlabel("evaluations", fontsize=9)
    ax.step(n, violation, where="post", color=_RED, lw=1.6)
    positive = violation[(violation > 0) & np.isfinite(violation)]
    if positive.size:
        ax.set_yscale("symlog", linthresh=float(positive.min()))
        ax.set_ylim(bottom=0)
    else:
        ax.set_ylim(-0.05, 1)
        ax.text(
            0.5, 0.5, "a point was feasible from the beginning", ha="center", va="center",
            fontsize=8, color=_GREY, transform=ax.transAxes,
        )  # fmt: skip
    ax.set_xscale("log")  # most of it happens early
    ax.set_xlim(max(1.0, n[0] * 0.9), n[-1] * 1.1)
    ax.grid(alpha=0.25)


def _solutions(ax: "Axes", result: "MinimizeResult") -> None:
    low, high = np.transpose(result.bounds)
    width = np.where(high > low, high - low, np.inf)  # a fixed coordinate is at its lower limit
    place = np.arange(low.size)
    others, what = result.population, f"the last population ({len(result.population)})"
    if result.alternatives:
        others = np.array([other.x for other in result.alternatives])
        what = f"the other local optima ({len(others)})"
    for row in ((others - low) / width)[::-1]:
        ax.plot(place, row, color=_GREY, lw=0.8, alpha=0.5)
    ax.plot(place, (result.x - low) / width, "o-", color=_BLUE, lw=1.8, ms=4, label="x")
    ax.set_title(f"x (blue) and {what}, between the bounds", fontsize=10, loc="left")
    ax.set_ylim(-0.04, 1.04)
    ax.set_yticks([0, 1], ["lower", "upper"])
    ax.set_xlim(-0.3, low.size - 0.7)
    step = 1 + (low.size - 1) // 20
    ax.set_xticks(place[::step], [f"x[{j}]" for j in place[::step]])
    ax.grid(axis="x", alpha=0.4)

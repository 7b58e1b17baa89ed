"""Line charts of the views: profiles, who leads when, dimensions, parameters.

A line is named at its end. Of few series the bands are drawn; of many they would cover each other,
so that a figure for papers has none and the page shows a band while its line is pointed at.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.reports.figures import (
    BAND,
    FEW,
    LINE,
    Drawings,
    Looks,
    label_outer,
    log_axis,
    new_figure,
    short,
    small_multiples,
)
from de2ls.reports.palette import Look
from de2ls.reports.views import ALL, Views
from de2ls.scores.effects import Effects
from de2ls.scores.leads import Leads
from de2ls.scores.profiles import Profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LABEL = 0.165  # inches: the height of a label
_LETTER = 0.085  # inches: what a letter of a label takes at most


def view_drawings(views: Views, styles: Looks) -> Drawings:
    """Return what draws the figures of the views, by their names."""
    drawings: Drawings = {}
    if views.leads is not None:
        drawings["leads"] = partial(leads, views.leads, styles)
    drawings["profiles"] = partial(profile, views.profile, styles)
    if views.groups:
        sets = {ALL: views.profile, **views.groups}
        drawings["profiles-by-group"] = partial(small_profiles, sets, styles)
    if len(views.problems) > 1:
        drawings["profiles-by-problem"] = partial(small_profiles, views.problems, styles)
    for place, found in enumerate(views.effects, 1):
        number = "" if place == 1 else f"-{place}"
        drawings[f"effects{number}"] = partial(effects, found)
        drawings[f"parameters{number}"] = partial(parallel, found, styles)
    return drawings


def profile(found: Profile, styles: Looks) -> "Figure":
    """Draw the shares of all series against evaluations, with their names at the ends."""
    figure, axes = named_figure(len(found.series))
    draw_lines(axes, found.per_dim, 100 * found.share, (100 * found.low, 100 * found.high),
           [styles[name] for name in found.series])  # fmt: skip
    axes.set_ylim(0, 100)
    log_axis(axes.xaxis, *_span(found.per_dim))
    axes.set_xlabel("evaluations / D")
    axes.set_ylabel("targets reached (%)")
    name_ends(axes, 100 * found.share[:, -1], found.series, styles)
    return figure


def leads(found: Leads, styles: Looks) -> "Figure":
    """Draw the share of points had the runs ended earlier."""
    figure, axes = named_figure(len(found.series))
    percent = 100 * found.fraction
    axes.axhline(100 / len(found.series), color="#666666", lw=0.8, ls=(0, (4, 3)))
    draw_lines(axes, percent, 100 * found.share, (100 * found.low, 100 * found.high),
           [styles[name] for name in found.series], step=False)  # fmt: skip
    log_axis(axes.xaxis, *_span(percent))
    axes.set_xlabel("end of the runs (% of the budget)")
    axes.set_ylabel("share of all points (%)")
    axes.margins(y=0.08)
    name_ends(axes, 100 * found.share[:, -1], found.series, styles)
    return figure


def small_profiles(found: Mapping[str, Profile], styles: Looks) -> "Figure":
    """Draw one small profile per set of problems."""
    series = next(iter(found.values())).series
    figure, grid = small_multiples(len(found), styles, series)
    for axes, (title, one) in zip(grid, found.items(), strict=True):
        for name, share in zip(one.series, 100 * one.share, strict=True):
            (line,) = axes.plot(*_corners(one.per_dim, share), color=styles[name].light, lw=1.2)
            if styles[name].dash:
                line.set_dashes(styles[name].dash)
        axes.set_ylim(0, 100)
        log_axis(axes.xaxis, *_span(one.per_dim))
        size = f" ({len(one.problems)})" if one.problems != (title,) else ""
        axes.set_title(f"{short(title)}{size}")
    label_outer(grid)
    figure.supxlabel("evaluations / D", fontsize=9)
    figure.supylabel("targets reached (%)", fontsize=9)
    return figure


def effects(found: Effects) -> "Figure":
    """Draw what each value of a parameter does to the total, with its interval."""
    rows = list(reversed(found.effects))
    figure = new_figure(6.4, 1.0 + 0.3 * len(rows))
    axes = figure.subplots()
    for y, row in enumerate(rows):
        value, low, high = row.effect
        axes.plot([low, high], [y, y], color="#666666", lw=1.2, marker="|", ms=5)
        axes.plot(value, y, "o", color="#222222", ms=5)
    axes.axvline(0, color="#666666", lw=0.8)
    names = [short(f"{row.parameter} = {row.value}") for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.set_xlabel("mean U-score of the series with this value minus that of the others (points)")
    axes.grid(axis="y", visible=False)
    return figure


def parallel(found: Effects, styles: Looks) -> "Figure":
    """Draw each series as a line through the values of its parameters to its total."""
    names = [*found.parameters, "U-score"]
    figure, axes = named_figure(len(found.series), 3.4, max(6.4, 1.3 * len(names) + 1.6))
    columns = [_heights(values) for values in found.parameters.values()]
    for x, (heights, values) in enumerate(zip(columns, found.parameters.values(), strict=True)):
        for text, y in dict(zip(map(str, values), heights, strict=True)).items():
            axes.text(x - 0.03, y + 0.012, short(text), ha="right", va="bottom", size=7.5)
    columns.append(_unit(found.totals).tolist())
    for a, series in enumerate(found.series):
        heights = [column[a] for column in columns]
        (line,) = axes.plot(heights, color=styles[series].light, lw=1.8)
        if styles[series].dash:
            line.set_dashes(styles[series].dash)
    for x in range(len(names)):
        axes.axvline(x, color="#666666", lw=0.8)
    axes.set_xticks(range(len(names)), [short(name) for name in names])
    axes.set_yticks([])
    axes.set_xlim(-0.45, len(names) - 1)
    axes.set_ylim(-0.08, 1.08)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    labels = [f"{short(series)}  {total:,.10g}" for series, total in
              zip(found.series, found.totals, strict=True)]  # fmt: skip
    name_ends(axes, np.array(columns[-1]), found.series, styles, labels)
    return figure


def _heights(values: Sequence[Any]) -> list[float]:
    """Return the height of each value on its axis: numbers by their order, others in theirs."""
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    different = [v for i, v in enumerate(values) if v not in values[:i]]
    ordered = sorted(different) if numbers else different
    places = np.linspace(0, 1, len(ordered)).tolist()
    return [places[ordered.index(v)] for v in values]


def _unit(values: FloatArray) -> FloatArray:
    spread = float(np.ptp(values))
    return (values - values.min()) / spread if spread else np.full(values.shape, 0.5)


def named_figure(count: int, height: float = 3.9, width: float = 7.6) -> "tuple[Figure, Axes]":
    """Return a figure with room for so many names at the right; many make it higher."""
    height = max(height, _LABEL * count + 0.9)
    figure = new_figure(width, height, arranged=False)
    axes = figure.subplots()
    figure.subplots_adjust(left=0.65 / width, top=1 - 0.16 / height, bottom=0.5 / height)
    return figure, axes


def _span(values: FloatArray) -> tuple[float, float]:
    low, high = float(values[0]), float(values[-1])
    return (low, high) if high > low else (low / 2, 2 * high)


def draw_lines(
    axes: "Axes",
    x: FloatArray,
    middle: FloatArray,
    limits: tuple[FloatArray, FloatArray],
    looks: Sequence[Look],
    step: bool = True,
) -> None:
    """Draw each series and after it its band, which the page shows when the line is pointed at."""
    few = len(middle) <= FEW
    for a, look in enumerate(looks):
        (line,) = axes.plot(*_corners(x, middle[a], step), color=look.light, lw=1.8, zorder=2)
        if look.dash:
            line.set_dashes(look.dash)
        if not few:  # what the pointer has to meet is wider than the line
            (wide,) = axes.plot(*line.get_data(), color=look.light, zorder=2, lw=9, alpha=0.0)
            wide.set(gid=LINE, visible=False)
        band = axes.fill_between(x, limits[0][a], limits[1][a], color=look.light, alpha=0.18)
        band.set(gid=BAND, visible=few, zorder=2, linewidth=0)


def _corners(x: FloatArray, y: FloatArray, step: bool = True) -> tuple[FloatArray, FloatArray]:
    """Return the points that a line needs: of steps only those where they change."""
    if not step:
        return x, y
    new = np.append(True, np.diff(y) != 0)
    times, values = x[new], y[new]
    return np.append(np.repeat(times, 2)[1:], x[-1]), np.repeat(values, 2)


def name_ends(
    axes: "Axes",
    ends: FloatArray,
    names: Sequence[str],
    styles: Looks,
    labels: Sequence[str] | None = None,
    starts: FloatArray | None = None,
) -> None:
    """Write each series' name at the right, at the height of its end, none upon another.

    `labels` are what is written instead of the names, `starts` the places on the horizontal axis
    from which a thin line leads to a name: by default its right end.
    """
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("axes must belong to a figure")
    shown = labels or [short(name) for name in names]
    room = 0.45 + _LETTER * max(map(len, shown))
    figure.subplots_adjust(right=1 - room / figure.get_figwidth())
    low, high = axes.get_ylim()
    wanted = (np.asarray(ends) - low) / (high - low)
    size = axes.get_position()
    places = spread(wanted, _LABEL / (size.height * figure.get_figheight()))
    left = 1 + 0.24 / (size.width * figure.get_figwidth())
    for a, name in enumerate(names):
        colour = styles[name].light
        axes.annotate(
            shown[a],
            xy=(1.0, wanted[a]) if starts is None else (starts[a], ends[a]),
            xytext=(left, places[a]),
            xycoords="axes fraction" if starts is None else "data",
            textcoords="axes fraction",
            va="center",
            size=8.5,
            color=colour,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "lw": 0.7,
                "alpha": 1.0 if starts is None else 0.5,
                "shrinkA": 1,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            },
            annotation_clip=False,
        )


def spread(wanted: Iterable[float], space: float) -> FloatArray:
    """Return places near the wanted ones, between 0 and 1, at least `space` apart.

    They keep their order. Neighbours that would meet share the room about their mean.
    """
    values = np.asarray(list(wanted), dtype=np.float64)
    order = np.argsort(values, kind="stable")
    groups: list[FloatArray] = []
    for value in values[order]:
        groups.append(np.array([value]))
        while len(groups) > 1 and _places(groups[-1], space)[0] < (
            _places(groups[-2], space)[-1] + space * (1 - 1e-9)
        ):
            last = groups.pop()
            groups[-1] = np.append(groups[-1], last)
    result = np.empty_like(values)
    result[order] = np.concatenate([_places(group, space) for group in groups])
    return result


def _places(group: FloatArray, space: float) -> FloatArray:
    """Return places about the group's mean, `space` apart, moved inside of 0 to 1."""
    half = space * (group.size - 1) / 2
    centre = max(half, min(float(group.mean()), 1 - half))
    return np.asarray(centre + space * (np.arange(group.size) - (group.size - 1) / 2))

"""The figures of a report, drawn with matplotlib for papers: PNG, PDF and SVG."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from de2ls._extras import extra
from de2ls.reports.palette import Look
from de2ls.scores import Bootstrap, Friedman, Score
from de2ls.scores.uscore import HEADINGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from de2ls.reports.material import Material
    from de2ls.reports.tables import Variants

Looks = Mapping[str, Look]
Drawing = Callable[[], "Figure"]
Drawings = dict[str, Drawing]
Published = Mapping[str, Mapping[str, float]]  # part (accuracy, speed, total): algorithm: points

_STYLE = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titley": 1.0,  # just above its axes: looking for a place takes longer than drawing
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#666666",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "text.parse_math": False,  # labels are users' text
    "pdf.fonttype": 42,  # fonts that journals accept
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "de2ls",  # the same drawing gives the same bytes
}
FEW = 3  # series whose bands can be told apart
BAND, LINE = "band", "line"  # marks of artists that the page shows or hides by the pointer
FORMATS = ("png", "pdf", "svg")
_DPI = 160
_LAYOUT_TABLES = ("GDEF", "GPOS", "GSUB", "MATH")  # of fonts
_ACROSS = 4  # small axes in a row
_LONGEST = 28  # letters of a label; more would take room from the drawing
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_WHITE_BELOW = 0.18  # luminance of a cell on which white text has more contrast than black


@contextmanager
def style() -> Iterator[None]:
    """Draw in one style, whatever the user's own settings are."""
    with extra("report"):
        import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def new_figure(width: float, height: float, arranged: bool = True) -> "Figure":
    """Return an empty figure of a size in inches, which no window shows.

    Unless it is `arranged` by a layout engine, its axes are placed by hand.
    """
    with extra("report"):
        from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained" if arranged else None)


def save(figure: "Figure", folder: Path, name: str, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a figure and return its files; drawn anew it gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{kind}" for kind in formats]
    with style(), _fonts_of_glyphs(), warnings.catch_warnings():
        # a letter that the font lacks is drawn as a box; the page has the browser's fonts
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        engine = figure.get_layout_engine()
        if engine is not None:  # arranged once, not once per format
            engine.execute(figure)
            figure.set_layout_engine("none")
        for path in paths:
            dates = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}.get(path.suffix, {})
            figure.savefig(path, dpi=_DPI, metadata=dates)
    return paths


@contextmanager
def _fonts_of_glyphs() -> Iterator[None]:
    """Embed fonts in a PDF without the tables by which text is set.

    Matplotlib has set it already, and to cut those tables down takes longer than to draw.
    """
    from fontTools.subset import Options

    usual = getattr(Options, "_drop_tables_default", ())
    Options._drop_tables_default = [*usual, *_LAYOUT_TABLES]
    try:
        yield
    finally:
        Options._drop_tables_default = usual


def short(label: str) -> str:
    """Return a label that leaves room for the figure."""
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"


def power(value: float, position: int | None = None) -> str:
    """Return a power of ten as plain text: the figures do not typeset users' labels."""
    del position
    return "10" + str(round(np.log10(value))).translate(_SUPERSCRIPT)


def log_axis(axis: "XAxis | YAxis", low: float, high: float) -> None:
    """Make an axis logarithmic from `low` to `high`, with powers of ten, or 1, 2, 5 of a decade."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    getattr(axis.axes, f"set_{axis.axis_name}lim")(low, high)
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    fine = (decades[:, None] * [1.0, 2.0, 5.0]).ravel()
    whole = decades[(decades >= low * 0.999) & (decades <= high * 1.001)]
    few = whole.size < 3
    shown = fine[(fine >= low * 0.999) & (fine <= high * 1.001)] if few else whole
    axis.set_major_locator(FixedLocator(shown[:: -(-shown.size // 6)].tolist()))
    axis.set_minor_locator(NullLocator())
    plain = high < 1e5 if few else low >= 1e-3 and high < 1.001e4
    axis.set_major_formatter("{x:,.10g}" if plain else FuncFormatter(power))


def small_multiples(count: int, styles: Looks, names: Sequence[str]) -> "tuple[Figure, list[Axes]]":
    """Return a figure of small axes, with the names of the series above them.

    The distances are fixed: a layout engine would take longer than the drawing.
    """
    across = min(_ACROSS, count)
    down = -(-count // across)
    width = 2.3 * across + 0.6
    columns = _legend_columns(width, names)
    top = 0.4 + 0.19 * -(-len(names) // columns)
    height = 1.5 * down + 0.5 + top
    figure = new_figure(width, height, arranged=False)
    grid = figure.subplots(down, across, squeeze=False)
    figure.subplots_adjust(
        left=0.85 / width,
        bottom=0.6 / height,
        right=1 - 0.15 / width,
        top=1 - top / height,
        wspace=0.35,
        hspace=0.45,
    )
    _legend(figure, styles, names, columns)
    every = list(grid.ravel())
    for axes in every:
        axes.tick_params(labelsize=6.5)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_label_coords(0, 0)  # they have no label: no time to look for its place
    for axes in every[count:]:
        axes.set_visible(False)
    return figure, every[:count]


def label_outer(grid: "Sequence[Axes]") -> None:
    """Leave the numbers of equal axes at the left and at the foot of small multiples only."""
    for place, axes in enumerate(grid):
        is_last = place >= len(grid) - _ACROSS
        axes.tick_params(labelleft=place % _ACROSS == 0, labelbottom=is_last)


def _legend_columns(width: float, names: Sequence[str]) -> int:
    """Return how many names stand side by side in so many inches, in rows of about one length."""
    longest = max(len(short(name)) for name in names)
    most = max(1, int((width - 0.2) / (0.65 + 0.078 * longest)))
    rows = -(-len(names) // most)
    return -(-len(names) // rows)


def _legend(figure: "Figure", styles: Looks, names: Sequence[str], columns: int) -> None:
    """Name the series above small axes, row by row."""
    from matplotlib.lines import Line2D

    in_columns = [names[i] for c in range(columns) for i in range(c, len(names), columns)]
    lines = [Line2D([], [], color=styles[name].light, lw=1.6) for name in in_columns]
    for line, name in zip(lines, in_columns, strict=True):
        if styles[name].dash:
            line.set_dashes(styles[name].dash)
    shown = [short(name) for name in in_columns]
    figure.legend(lines, shown, loc="upper center", ncols=columns, frameon=False, labelspacing=0.3)


def drawn(drawing: "Drawing") -> "Figure":
    """Return the figure of a drawing, in the report's style."""
    with style():
        return drawing()


def drawings(material: "Material", styles: Looks) -> "Iterator[tuple[str, Drawing]]":
    """Yield what draws the figures that the material allows, with their names.

    What takes long to find is found when it is its turn, and none holds the trials: another process
    may draw the first ones meanwhile.
    """
    from de2ls.reports.convergence import convergence, panels
    from de2ls.reports.lines import view_drawings
    from de2ls.reports.tables import variants

    assessed = material.assessment
    score, bootstrap = assessed.score, assessed.bootstrap
    found = variants(material)
    yield "totals", partial(totals, score, bootstrap, styles)
    yield "heat-map", partial(heat_map, score)
    if score.accuracy is not None:
        yield "accuracy-speed", partial(accuracy_speed, score, bootstrap, styles)
    if bootstrap is not None and len(score.algorithms) > 1:
        yield "superiority", partial(superiority, bootstrap)
    if assessed.friedman is not None:
        yield "critical-difference", partial(critical_difference, assessed.friedman, styles)
    if found is not None:
        yield "variants", partial(variant_bars, found, styles)
    yield from view_drawings(material.views, styles).items()
    names = material.collection.algorithms
    for name, quantity in (("convergence-min-ev", "Min_EV"), ("convergence-lcv", "LCV")):
        shown = panels(material.collection, quantity)
        yield name, partial(convergence, shown, names, styles, quantity)


def totals(
    score: Score, bootstrap: Bootstrap | None, styles: Looks, published: Published | None = None
) -> "Figure":
    """Draw total accuracy, speed and U-score with intervals, the best algorithm on top.

    Parameters
    ----------
    score : Score
        The points.
    bootstrap : Bootstrap, optional
        Its intervals.
    styles : mapping of label to Look
        How the algorithms look.
    published : mapping, optional
        Figures to mark beside the bars.
    """
    from matplotlib.ticker import MaxNLocator

    sums = score.sums()
    parts = [part for part in ("total", "accuracy", "speed") if part in sums]
    order = np.argsort(sums["total"])
    names = [score.algorithms[a] for a in order]
    places = range(len(names))
    figure = new_figure(3.1 * len(parts) + 1.2, 1.25 + 0.36 * len(names))
    for axes, part in zip(_row_of_axes(figure, len(parts)), parts, strict=True):
        values = sums[part][order]
        axes.barh(places, values, 0.62, color=[styles[name].light for name in names], alpha=0.85)
        axes.set_yticks(places, [short(name) for name in names])
        if bootstrap is not None:
            low, high = bootstrap.interval(part)[order].T
            _whiskers(axes, low, high)
        if published is not None:
            marks = [published[part].get(name, np.nan) for name in names]
            axes.plot(marks, places, "D", ms=5, mfc="white", mec="black", label="published")
        axes.set_title(HEADINGS[part])
        axes.set_xlabel("points")
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.grid(axis="y", visible=False)
    if published is not None:
        marks_only = figure.axes[0].get_legend_handles_labels()
        figure.legend(*marks_only, loc="outside lower right", frameon=False)
    return figure


def heat_map(score: Score) -> "Figure":
    """Draw each algorithm's share of a problem's points, with U-score and rank as text."""
    from matplotlib.colors import CenteredNorm

    share, ranks = score.total / score.total.sum(axis=1, keepdims=True), score.ranks
    n, m = share.shape
    figure = new_figure(1.9 + 0.95 * m, 1.3 + 0.24 * n)
    axes = figure.subplots()
    image = axes.imshow(share, cmap="PuOr", aspect="auto", norm=CenteredNorm(1 / m))
    for p, a in np.ndindex(share.shape):
        text = f"{score.total[p, a]:.6g} ({ranks[p, a]:g})"
        colour = _text_on(image, share[p, a])
        cell = axes.text(a, p, text, ha="center", va="center", size=6.5, color=colour)
        cell.set_in_layout(False)  # it lies inside the axes
    _name_columns(axes, score.algorithms, room=11)
    axes.set_yticks(range(n), score.problems)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.set_title("U-score (rank) by problem")
    label = f"share of the problem's points (equal: {1 / m:.3g})"
    figure.colorbar(image, ax=axes, label=label, shrink=0.6, aspect=30)
    return figure


def accuracy_speed(score: Score, bootstrap: Bootstrap | None, styles: Looks) -> "Figure":
    """Draw total accuracy against total speed, with intervals both ways and names at the side."""
    from de2ls.reports.lines import name_ends, named_figure

    sums = score.sums()
    figure, axes = named_figure(len(score.algorithms), 4.2)
    for a, name in enumerate(score.algorithms):
        x, y = sums["speed"][a], sums["accuracy"][a]
        look = styles[name]
        if bootstrap is not None:
            sides = [bootstrap.interval(part)[a] for part in ("speed", "accuracy")]
            axes.plot(sides[0], [y, y], color=look.light, lw=1.2, alpha=0.7)
            axes.plot([x, x], sides[1], color=look.light, lw=1.2, alpha=0.7)
        axes.plot(x, y, look.marker, color=look.light, ms=7, label=short(name))
    axes.set_xlabel("speed (points)")
    axes.set_ylabel("accuracy (points)")
    axes.margins(0.08)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.10g}")
    name_ends(axes, sums["accuracy"], score.algorithms, styles, starts=sums["speed"])
    return figure


def superiority(bootstrap: Bootstrap) -> "Figure":
    """Draw the share of resamples in which one total exceeds another."""
    share, names = bootstrap.superiority(), bootstrap.score.algorithms
    shown = np.where(np.eye(len(names), dtype=bool), np.nan, share)
    side = 1.9 + 0.62 * len(names)
    figure = new_figure(side + 0.6, side)
    axes = figure.subplots()
    image = axes.imshow(shown, cmap="PuOr", vmin=0, vmax=1)
    for i, j in np.argwhere(np.isfinite(shown)):
        colour = _text_on(image, shown[i, j])
        axes.text(j, i, f"{shown[i, j]:.2f}", ha="center", va="center", size=8, color=colour)
    _name_columns(axes, names, room=7)
    axes.set_yticks(range(len(names)), [short(name) for name in names])
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.set_title("P(total of row > total of column)")
    figure.colorbar(image, ax=axes, label="share of resamples", shrink=0.7)
    return figure


def critical_difference(friedman: Friedman, styles: Looks) -> "Figure":
    """Draw mean ranks on a line; bars join what Nemenyi's test does not tell apart."""
    order = np.argsort(friedman.mean_ranks, kind="stable")
    names = [friedman.algorithms[a] for a in order]
    ranks = friedman.mean_ranks[order]
    m, left = len(names), (len(names) + 1) // 2
    figure = new_figure(6.4, 1.5 + 0.26 * left)
    axes = figure.subplots()
    axes.set_xlim(0.6, m + 0.4)
    axes.set_ylim(-left - 1.2, 3.0)
    axes.axis("off")
    axes.plot([1, m], [0, 0], color="k", lw=1)
    for rank in range(1, m + 1):
        axes.plot([rank, rank], [0, 0.18], color="k", lw=1)
        axes.text(rank, 0.3, str(rank), ha="center", va="bottom", size=8)
    for i, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        is_left = i < left
        level = -1.2 - (i if is_left else m - 1 - i)
        end, side = (0.95, "right") if is_left else (m + 0.05, "left")
        axes.plot([rank, rank, end], [0, level, level], color=styles[name].light, lw=1.1)
        text = f"{short(name)}  {rank:.2f}" if is_left else f"{rank:.2f}  {short(name)}"
        gap = -0.008 * m if is_left else 0.008 * m
        axes.text(end + gap, level, text, ha=side, va="center", size=8, color=styles[name].light)
    position = dict(zip(names, ranks, strict=True))
    groups = [group for group in friedman.groups() if len(group) > 1]
    for k, group in enumerate(groups):
        y = -0.25 - 0.22 * k
        # no longer than from first to last: a neighbour outside may be a hair's breadth away
        ends = [position[group[0]], position[group[-1]]]
        axes.plot(ends, [y, y], color="k", lw=3.5, solid_capstyle="butt")
    width = friedman.critical_difference
    axes.plot([1, 1 + width], [1.5, 1.5], "k|-", lw=1.2, ms=7)
    axes.text(1, 1.85, f"CD = {width:.2f}", ha="left", va="bottom", size=8)
    axes.text(m, 1.85, "mean rank (1 is best)", ha="right", va="bottom", size=8)
    return figure


def variant_bars(variants: "Variants", styles: Looks) -> "Figure":
    """Draw what each variant gains or loses against the reference, with intervals."""
    from de2ls.reports.tables import changed

    labels = [label for label in variants.changes if label != variants.reference]
    labels.sort(key=lambda label: variants.gain[label].value)
    names = [f"{short(label)}\n{short(changed(variants.changes[label]))}" for label in labels]
    gains = np.array([variants.gain[label] for label in labels]).reshape(-1, 3)
    figure = new_figure(6.4, 1.1 + 0.42 * len(labels))
    axes = figure.subplots()
    colours = [styles[label].light for label in labels]
    axes.barh(range(len(names)), gains[:, 0], 0.6, color=colours, alpha=0.85)
    axes.set_yticks(range(len(names)), names)
    _whiskers(axes, gains[:, 1], gains[:, 2])
    axes.axvline(0, color="k", lw=0.8)
    axes.set_xlabel(f"U-score minus that of {short(variants.reference)} (points)")
    axes.tick_params(axis="y", labelsize=7.5)
    axes.grid(axis="y", visible=False)
    return figure


def _row_of_axes(figure: "Figure", count: int) -> "list[Axes]":
    return list(np.atleast_1d(figure.subplots(1, count, sharey=True)))


def _name_columns(axes: "Axes", names: Sequence[str], room: int) -> None:
    """Write the names below the columns, slanted where they are too long."""
    axes.set_xticks(range(len(names)), [short(name) for name in names])
    if max(map(len, names)) > room:
        for label in axes.get_xticklabels():
            label.set(rotation=30, ha="right", rotation_mode="anchor")


def _text_on(image: "AxesImage", value: float) -> str:
    """Return black or white, whichever can be read on the colour of a value."""
    rgb = image.to_rgba(np.array([value]))[0, :3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "k" if linear @ [0.2126, 0.7152, 0.0722] > _WHITE_BELOW else "w"


def _whiskers(axes: "Axes", low: Iterable[float], high: Iterable[float]) -> None:
    for y, limits in enumerate(zip(low, high, strict=True)):
        axes.plot(limits, [y, y], color="#222222", lw=1.1, marker="|", ms=5)

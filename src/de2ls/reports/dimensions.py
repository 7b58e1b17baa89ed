"""Dimensions: how running times and shares of points grow where a store has several of them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from de2ls._checks import FloatArray
from de2ls.reports.figures import Looks, log_axis, short, small_multiples, style
from de2ls.reports.lines import draw_lines, name_ends, named_figure
from de2ls.reports.material import Material
from de2ls.scores.bootstrap import LEVEL
from de2ls.scores.groups import Group
from de2ls.scores.profiles import estimate_at
from de2ls.scores.tables import Column, Estimate, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRECISION = 1e-2  # of the target whose running times are compared


@dataclass(frozen=True, eq=False)
class Dimensions:
    """The same problems in several dimensions, one material each."""

    materials: tuple[Material, ...]  # by rising dimension

    @property
    def title(self) -> str:
        """What is compared."""
        group = self.materials[0].group
        same = str(Group(group.suite, 0, group.variant))
        return f"{same}: D = {', '.join(map(str, self.dims))}"

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions."""
        return tuple(material.group.dim for material in self.materials)

    @cached_property
    def series(self) -> tuple[str, ...]:
        """The series that every dimension has."""
        first, *others = (material.collection.algorithms for material in self.materials)
        return tuple(name for name in first if all(name in other for other in others))

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """The problems that every dimension has."""
        first, *others = (material.collection.problems for material in self.materials)
        return tuple(name for name in first if all(name in other for other in others))

    def running_times(self, problem: str, series: str) -> list[tuple[Estimate, str]]:
        """Return ERT to the target in each dimension, and how many runs reached it."""
        found = []
        for material in self.materials:
            times = material.views.running_times
            t = times.precisions.tolist().index(PRECISION)
            p, a = times.problems.index(problem), times.series.index(series)
            parts = (float(array[p, a, t]) for array in (times.ert, times.low, times.high))
            found.append((Estimate(*parts), f"{times.successes[p, a, t]}/{times.trials[p, a]}"))
        return found

    def shares(self, series: str) -> list[Estimate]:
        """Return the share of all points in each dimension, in percent."""
        found = []
        for material in self.materials:
            leads = material.views.leads
            if leads is not None:
                found.append(estimate_at(leads, (leads.series.index(series), -1), 100.0))
        return found

    def tables(self) -> dict[str, Table]:
        """Return running times with their growth, and shares of points, by name."""
        tables = {"scaling": self._scaling()}
        if len(self.series) > 1:
            tables["points_by_dimension"] = self._points()
        return tables

    def _scaling(self) -> Table:
        columns = [Column("problem"), Column("algorithm")]
        for dim in self.dims:
            columns += [Column(f"ERT, D = {dim}", ",.0f", ",.0f"), Column(f"runs, D = {dim}")]
        columns.append(Column("growth", ".2f"))
        rows = []
        for problem in self.problems:
            for name in self.series:
                times = self.running_times(problem, name)
                cells: list[Value] = [problem, name]
                for estimate, runs in times:
                    cells += [estimate if np.isfinite(estimate.value) else None, runs]
                growth = growth_of(self.dims, [estimate.value for estimate, _ in times])
                rows.append((*cells, growth))
        note = (
            f"ERT to {PRECISION:g} above the best value, in units of max(1, |best|); growth: "
            "exponent b of ERT ~ D^b by least squares, where two dimensions have an ERT"
        )
        return Table("Running times by dimension", tuple(columns), tuple(rows), notes=(note,))

    def _points(self) -> Table:
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (name, *self.shares(name)) for name in self.series
        )
        columns = (Column("algorithm"), *(Column(f"D = {dim}", ".1f", ".1f") for dim in self.dims))
        note = f"percent of all points of a dimension; [low, high]: {LEVEL:.0%} of resamples"
        return Table("Shares of the points by dimension", columns, rows, notes=(note,))

    def figures(self, styles: Looks) -> "dict[str, Figure]":
        """Return the figures by name."""
        with style():
            drawn = {"scaling": self._draw_scaling(styles)}
            if len(self.series) > 1:
                drawn["points-by-dimension"] = self._draw_points(styles)
        return drawn

    def _draw_scaling(self, styles: Looks) -> "Figure":
        """Draw ERT against D for each problem, both axes logarithmic."""
        figure, grid = small_multiples(len(self.problems), styles, self.series)
        for axes, problem in zip(grid, self.problems, strict=True):
            times = np.array(
                [[e.value for e, _ in self.running_times(problem, name)] for name in self.series]
            )
            for name, row in zip(self.series, times, strict=True):
                look = styles[name]
                known = np.where(np.isfinite(row), row, np.nan)
                axes.plot(self.dims, known, color=look.light, marker=look.marker, ms=3.5, lw=1.3)
            axes.set_title(short(problem))
            log_axis(axes.xaxis, self.dims[0] / 1.15, self.dims[-1] * 1.15)
            axes.set_xticks(self.dims, [str(dim) for dim in self.dims])
            reached = times[np.isfinite(times)]
            if reached.size:
                log_axis(axes.yaxis, reached.min() / 1.5, reached.max() * 1.5)
            else:
                axes.text(0.5, 0.5, "target not reached", transform=axes.transAxes, ha="center",
                          color="#666666")  # fmt: skip
                axes.set_yticks([])
        figure.supxlabel("D", fontsize=9)
        figure.supylabel(f"ERT to {PRECISION:g} (evaluations)", fontsize=9)
        return figure

    def _draw_points(self, styles: Looks) -> "Figure":
        figure, axes = named_figure(len(self.series))
        shares = np.array([self.shares(name) for name in self.series])
        axes.axhline(100 / len(self.series), color="#666666", lw=0.8, ls=(0, (4, 3)))
        value, low, high = np.moveaxis(shares, 2, 0)
        draw_lines(axes, np.array(self.dims, dtype=float), value, (low, high),
                   [styles[name] for name in self.series], step=False)  # fmt: skip
        log_axis(axes.xaxis, self.dims[0], self.dims[-1])
        axes.set_xticks(self.dims, [str(dim) for dim in self.dims])
        axes.margins(y=0.08)
        axes.set_xlabel("D")
        axes.set_ylabel("share of all points (%)")
        name_ends(axes, shares[:, -1, 0], self.series, styles)
        return figure


def growth_of(dims: Sequence[int], times: Sequence[float]) -> float | None:
    """Return the exponent of a power law through the finite times; None with fewer than two.

    Examples
    --------
    >>> growth_of((10, 20, 40), (100.0, 400.0, 1600.0))
    2.0
    """
    points: FloatArray = np.array(
        [(d, t) for d, t in zip(dims, times, strict=True) if np.isfinite(t)]
    )
    if len(points) < 2:
        return None
    x, y = np.log(points).T
    x = x - x.mean()
    return round(float(x @ y / (x @ x)), 12)


def dimensions(materials: Sequence[Material]) -> list[Dimensions]:
    """Return the groups of a store that differ in nothing but the dimension."""
    found: dict[tuple[str, object], list[Material]] = defaultdict(list)
    for material in materials:
        if material.group.dim:
            found[material.group.suite, material.group.variant].append(material)
    several = (
        Dimensions(tuple(sorted(same, key=lambda m: m.group.dim))) for same in found.values()
    )
    return [d for d in several if len(d.dims) > 1 and d.series and d.problems]

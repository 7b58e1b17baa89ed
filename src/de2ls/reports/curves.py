"""Convergence curves: their quartiles over trials, and a form small enough for a page.

A curve is a step function: a value holds from its sample to the next. While a trial knows no
feasible point its Min_EV counts as infinite, so that quartiles compare all trials at all times.
"""

import base64
import gzip
import json
import math
import re
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.scores import Collection
from de2ls.scores.pairwise import TIE, ends

DIGITS = 4  # significant ones on a page
_MOST_PLACES = 308  # behind the point: 10^309 is no float
_COLUMNS = 300  # equidistant samples on a page
_EARLY = 80  # samples at geometric distances, for a logarithmic axis
_SINGLE = 55  # samples of a single trial: a page holds thousands of them
_WHOLE = re.compile(r"\.0(?=[],])")  # what a whole number needs not to say


def quartiles(curves: FloatArray) -> FloatArray:
    """Return lower quartile, median and upper quartile of curves (trials, samples).

    They are values of trials (the nearest ranks), so that infinity needs no arithmetic.

    Returns
    -------
    array, shape (3, samples)
        Infinite where the trial at that rank knows no feasible point.
    """
    ordered = np.sort(np.where(np.isnan(curves), np.inf, curves), axis=0)
    ranks = np.rint(np.array([0.25, 0.5, 0.75]) * (len(curves) - 1)).astype(np.intp)
    chosen: FloatArray = ordered[ranks]
    return chosen


def best_value(row: tuple[FloatArray, ...], tol: float) -> float:
    """Return the least final Min_EV of a problem's feasible trials; 0 if there is none."""
    E, _, feasible = ends(np.concatenate([cell[:, -1:] for cell in row]), tol)
    return float(E[feasible].min()) if feasible.any() else 0.0


def columns(samples: int) -> NDArray[np.intp]:
    """Return which samples a page shows: all, or a few hundred that suit both kinds of axis."""
    if samples <= _COLUMNS + _EARLY:
        return np.arange(samples)
    even = np.rint(np.linspace(0, samples - 1, _COLUMNS + 1))
    early = np.rint(np.geomspace(1, samples - 1, _EARLY))
    return np.unique(np.concatenate([even, early])).astype(np.intp)


def steps(curve: FloatArray) -> list[list[Any]]:
    """Return where a curve changes and to what: positions and rounded values, infinity as None."""
    rounded = _rounded(np.where(np.isfinite(curve), curve, np.inf))
    changes = np.append(0, 1 + np.flatnonzero(rounded[1:] != rounded[:-1]))
    values = [None if value == math.inf else value for value in rounded[changes].tolist()]
    return [changes.tolist(), values]


def coarse_steps(curve: FloatArray) -> list[list[Any]]:
    """Return the steps of a single trial at fewer samples, and where it becomes finite."""
    if curve.size <= _SINGLE:
        return steps(curve)
    places = _even(curve.size)
    start = np.isfinite(curve).argmax()
    if start > 0:
        places = np.unique(np.append(places, start))
    changes, values = steps(curve[places])
    return [places[changes].tolist(), values]


@cache
def _even(samples: int) -> NDArray[np.intp]:
    """Return which samples of a single trial a page shows."""
    return np.rint(np.linspace(0, samples - 1, _SINGLE)).astype(np.intp)


def page_curves(collection: Collection, problem: int) -> dict[str, Any]:
    """Return the curves of one problem for the page.

    Parameters
    ----------
    collection : Collection
        Of the trials.
    problem : int
        Position of the problem.

    Returns
    -------
    dict
        ``best``: the least final Min_EV; every objective is given by its distance from it
        (``gap``), whose digits are those that matter. ``series``: evaluations, quartiles and
        single trials.
    """
    row = collection.cells[problem]
    shown = columns(row[0].shape[1])
    best = best_value(row, collection.feasible_tols[problem])
    series = []
    for cell, grid, runs in zip(
        row, collection.grids[problem], collection.runs[problem], strict=True
    ):
        gap, lcv = _gap(cell[:, shown, 0], best), cell[:, shown, 1]
        series.append(
            {
                "x": grid[shown].astype(int).tolist(),
                "gap": [steps(curve) for curve in quartiles(gap)],
                "lcv": [steps(curve) for curve in quartiles(lcv)],
                "trials": [
                    {"run": run, "gap": coarse_steps(E), "lcv": coarse_steps(C)}
                    for run, E, C in zip(runs, gap, lcv, strict=True)
                ],
            }
        )
    return {"best": best, "series": series}


def packed(content: Any) -> str:
    """Return JSON of numbers, compressed, as base64: the same content gives the same text."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    text = _WHOLE.sub("", text)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def _gap(objective: FloatArray, best: float) -> FloatArray:
    """Return the distance from the best value; what ties with it is 0."""
    gap = objective - best
    return np.where(gap <= TIE, 0.0, gap)


def _rounded(values: FloatArray) -> FloatArray:
    """Return values with a few significant digits."""
    result = values.copy()
    usual = np.isfinite(values) & (values != 0)
    places = np.minimum(DIGITS - 1 - np.floor(np.log10(np.abs(values[usual]))), _MOST_PLACES)
    # Powers of ten up to 10^22 are floats: then the last step gives what has few digits to write.
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    result[usual] = np.rint(values[usual] * up / down) * down / up
    return result

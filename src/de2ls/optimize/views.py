"""A result in other forms: an HTML table for notebooks, JSON, and tables of pandas."""

import html
import json
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from de2ls import _checks
from de2ls._extras import extra

if TYPE_CHECKING:
    from pandas import DataFrame

    from de2ls.optimize.result import MinimizeResult

FRAMES = ("history", "population")
MOST_ROWS = 20  # of one kind in the HTML table
Row = tuple[str, str]


def as_json(result: "MinimizeResult", indent: int | None) -> str:
    """Return a result as JSON; a number that is not finite is null."""
    fields = {name: plain(value) for name, value in result.items()}
    return json.dumps(fields, indent=indent, allow_nan=False)


def plain(value: Any) -> Any:
    """Return `value` as what JSON knows."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value.name if isinstance(value, Enum) else value


def as_frame(result: "MinimizeResult", what: str) -> "DataFrame":
    """Return the history or the final population as a table."""
    _checks.choice("what", what, FRAMES)
    with extra("pandas"):
        import pandas as pd

    if what == "history":
        table = pd.DataFrame(result.history._asdict())
        return table.astype({"nfev": int, "population_size": int})
    names = [f"x[{j}]" for j in range(result.population.shape[1])]
    table = pd.DataFrame(result.population, columns=names)
    table.insert(0, "fun", result.population_energies)
    return table


def as_html(result: "MinimizeResult") -> str:
    """Return what a notebook shows: the verdict, the design, and what holds it back."""
    verdict = "feasible" if result.feasible else "not feasible"
    color = "#2c7a3f" if result.feasible else "#b5382a"
    rows = [
        ("objective", f"{result.fun:.10g}"),
        ("violation", f"{result.constr_violation:.3g}{_within(result)}"),
        ("evaluations", f"{result.nfev:,}"),
        ("ended", result.message),
        *_knowledge(result),
        *_limited(_coordinates(result), "coordinates"),
        *_limited(_active_constraints(result), "active constraints"),
    ]
    cells = "".join(
        f"<tr><th style='text-align:left'>{name}</th>"
        f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
        for name, text in rows
    )
    return (
        f"<div><b>de2ls: <span style='color:{color}'>{verdict}</span></b>"
        f"<table>{cells}</table></div>"
    )


def _knowledge(result: "MinimizeResult") -> list[Row]:
    rows = []
    if result.trust:
        rows.append(("trust", f"independent searches that ended at this objective: {result.trust}"))
    if result.alternatives:
        rows.append(("alternatives", f"other local optima: {len(result.alternatives)}"))
    return rows


def _within(result: "MinimizeResult") -> str:
    return ", within the tolerances" if result.feasible and result.constr_violation > 0.0 else ""


def _limited(rows: list[Row], what: str) -> list[Row]:
    """Return the first rows, and how many there are beside them."""
    if len(rows) <= MOST_ROWS:
        return rows
    return [*rows[:MOST_ROWS], ("...", f"{len(rows) - MOST_ROWS} more {what}")]


def _coordinates(result: "MinimizeResult") -> list[Row]:
    active, pay = result.active, result.multipliers
    rows = []
    for j, value in enumerate(result.x):
        text = f"{value:.10g}"
        if active.lower[j] and active.upper[j]:
            text += ", fixed"
        elif active.lower[j]:
            text += f", at its lower limit{_saving(pay.lower[j])}"
        elif active.upper[j]:
            text += f", at its upper limit{_saving(pay.upper[j])}"
        rows.append((f"x[{j}]", text))
    return rows


def _active_constraints(result: "MinimizeResult") -> list[Row]:
    parts = zip(result.active.constraints, result.multipliers.constraints, strict=True)
    return [
        (f"constraint {i}" + (f" [{j}]" if at.size > 1 else ""), f"active{_saving(pay[j])}")
        for i, (at, pay) in enumerate(parts)
        for j in np.flatnonzero(at)
    ]


def _saving(multiplier: float) -> str:
    if np.isnan(multiplier):
        return ""
    if multiplier < 0.0:  # of an equality: moving it down would help
        return f"; f rises by {-multiplier:.4g} per unit by which its right-hand side grows"
    return f"; f falls by {multiplier:.4g} per unit of relaxation"

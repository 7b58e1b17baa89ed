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
MOST_COORDINATES = 20  # that the HTML table shows one by one


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
        return pd.DataFrame(result.history._asdict())
    names = [f"x[{j}]" for j in range(result.population.shape[1])]
    table = pd.DataFrame(result.population, columns=names)
    table.insert(0, "fun", result.population_energies)
    return table


def as_html(result: "MinimizeResult") -> str:
    """Return what a notebook shows: the verdict, the design, the constraints."""
    verdict = "feasible" if result.feasible else "not feasible"
    color = "#2c7a3f" if result.feasible else "#b5382a"
    rows = [
        ("objective", f"{result.fun:.10g}"),
        ("violation", f"{result.constr_violation:.3g}"),
        ("evaluations", f"{result.nfev:,}"),
        ("ended", result.message),
        *((f"x[{j}]", f"{value:.10g}") for j, value in enumerate(result.x[:MOST_COORDINATES])),
    ]
    if result.x.size > MOST_COORDINATES:
        rows.append(("...", f"{result.x.size - MOST_COORDINATES} more coordinates"))
    cells = "".join(
        f"<tr><th style='text-align:left'>{name}</th>"
        f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
        for name, text in rows
    )
    return (
        f"<div><b>de2ls: <span style='color:{color}'>{verdict}</span></b>"
        f"<table>{cells}</table></div>"
    )

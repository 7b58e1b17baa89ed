"""Where one run of `minimize` stands, read from its checkpoint."""

import io
from pathlib import Path
from typing import Any

import numpy as np

from de2ls.optimize.result import Stop
from de2ls.trials.saved import saved_history, saved_notes

_ROWS = 400  # of the history that the page draws
_SHOWN = 60  # coordinates of the incumbent that the page lists


def run_progress(path: Path) -> dict[str, Any]:
    """Return what the page shows of a checkpoint, as JSON data.

    Parameters
    ----------
    path : Path
        The file that ``minimize(checkpoint=...)`` writes; it is read at once, as a whole.
    """
    file = io.BytesIO(path.read_bytes())
    header, about = saved_notes(file, "minimize")
    if about is None:
        raise ValueError(f"{path} holds no run of minimize")
    file.seek(0)
    history = saved_history(file)
    n = len(history)
    rows = np.rint(np.linspace(0, n - 1, min(n, _ROWS))).astype(np.intp)
    seen, budget = header["seen"], about["options"]["max_evals"]
    return {
        "written": path.stat().st_mtime,
        "algorithm": header["algorithm"],
        "seed": header["seed"],
        "budget": budget,
        "seconds": header["wall_time"],
        "over": _end(about["search"].get("over"), seen["n_evals"] >= budget),
        "coordinates": len(seen["x"]),
        **seen,
        "x": seen["x"][:_SHOWN],
        "history": history[rows].tolist(),
    }


def _end(noted: str | None, is_used_up: bool) -> str | None:
    """Return why a run is over, or None while it is not."""
    if noted:
        return Stop[noted].text
    return Stop.BUDGET.text if is_used_up else None

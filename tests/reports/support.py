"""Stores of synthetic trials, and the real browser."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from de2ls.campaigns import Store
from de2ls.campaigns.seeds import trial_seed
from de2ls.problems.key import ProblemKey
from de2ls.reports.dimensions import dimensions
from de2ls.reports.figures import drawings, drawn
from de2ls.reports.html import looks_of, page, pictures
from tests.campaigns.support import make_record

HOSTILE = '<script>document.title="owned"</script>'
INFEASIBLE = 17  # a problem whose trials never become feasible


def synthetic_curve(rng: np.random.Generator, samples: int, dim: int, feasible: bool) -> np.ndarray:
    """Return a record's curve: LCV falls to 0 (or stays above), then Min_EV appears and falls."""
    fes = 10.0 * dim * np.maximum(1, np.arange(samples))
    lcv = np.exp(np.cumsum(-rng.exponential(30.0 / samples, samples))) * 100
    start = samples
    if feasible:
        start = int(rng.integers(1, samples // 3))
        lcv[start:] = 0.0
    else:
        lcv += 9.0
    min_ev = np.full(samples, np.nan)
    min_ev[start:] = 2.0 + np.exp(np.cumsum(-rng.exponential(20.0 / samples, samples - start)))
    return np.column_stack([fes, min_ev, lcv])


def fill(
    store: Store,
    labels: dict[str, tuple[str, dict[str, Any]]],
    numbers: Sequence[int] = (1, 4, INFEASIBLE),
    runs: int = 4,
    samples: int = 41,
    dim: int = 5,
    **changes: Any,
) -> None:
    """Add trials of every label (algorithm and configuration) on every problem."""
    for label, (algorithm, config) in labels.items():
        for number in numbers:
            key = ProblemKey.make("cec2017", number, dim, definition="report", instance=1)
            for run in range(1, runs + 1):
                seed = trial_seed(1, label, key, run)
                rng = np.random.default_rng(seed)
                curve = synthetic_curve(rng, samples, dim, number != INFEASIBLE)
                record = make_record(
                    label=label,
                    algorithm=algorithm,
                    config=config,
                    problem=key,
                    run=run,
                    seed=seed,
                    curve=curve,
                    max_evals=int(curve[-1, 0]),
                    n_evals=int(curve[-1, 0]),
                    trace=None,
                    **changes,
                )
                store.add(record)


SERIES = {
    "de2ls": ("de2ls", {"ls_mc": 2, "ls_sr": 0.85}),
    "rdex": ("rdex", {"h": 5}),
    HOSTILE: ("de2ls", {"ls_mc": 1, "ls_sr": 0.85}),
}


def make_store(path: Path, **options: Any) -> Path:
    """Return a store with three series: two of them are variants, one has a hostile label."""
    with Store.open(path) as store:
        fill(store, SERIES, **options)
    return path


NAMES = ["DE-2LS", "RDEx", HOSTILE]  # what tables call them


def drawn_of(materials):
    """Return the figures of a report that has one group."""
    (material,) = materials
    return figures_of(material, looks_of(materials))


def figures_of(material, styles):
    """Return the figures of one group."""
    return {name: drawn(drawing) for name, drawing in drawings(material, styles)}


def page_of(materials, title: str) -> str:
    """Return the page of a report."""
    styles = looks_of(materials)
    shown = [pictures(figures_of(material, styles).items(), styles) for material in materials]
    return page(materials, title, shown, dimensions(materials))


CHROMIUM_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def chromium() -> str:
    """Return the browser's program; without one skip, or fail where CI=true promises it."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        reason = "no chromium on the PATH: the page cannot be opened"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found

"""The rules of `docs/fidelity.md`: when results have the same distribution as the reference's.

Per problem and milestone one two-sample Kolmogorov-Smirnov test on one order of the runs: those
with a feasible point first, by Min_EV; the others after them, by LCV.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

SHARED = Path(__file__).resolve().parents[3] / "shared"
STORE = Path(__file__).resolve().parents[2] / "build" / "fidelity.db"

CAMPAIGN_SEED = 2026  # fixed before the first comparison, never redrawn
RUNS = 25
PROBLEMS = range(1, 29)
MILESTONES = (0.10, 0.25, 0.50, 0.75, 1.00)  # shares of the budget
LEAST_P = 1e-4  # no test may fall below
SMALL_P = 0.05
SMALL_SHARE = 0.08  # of the tests may fall below SMALL_P
DECIMALS = 8

# series and the published program whose results it must share
REFERENCES = {
    "rdex": "RDEx",
    "de2ls": "DE-2LS",
    "rde26": "RDE26",
    "rdex-cask": "RDEx-CASK",
    "rdex-cask-stray": "RDEx-CASK",
    "cl-srde": "CL-SRDE",
}

# series that are no algorithm's default: the published program's reads beyond an array, mimicked
CONFIGURED = {"rdex-cask-stray": "rdex-cask:stray_kicks=0.015"}

Sample = NDArray[np.float64]  # (runs, 2): Min_EV, LCV


@dataclass(frozen=True)
class Verdict:
    """The p-values of one comparison, by problem and milestone, and what the rules say of them."""

    p: NDArray[np.float64]  # (problems, milestones)

    @property
    def least(self) -> float:
        """The smallest p-value."""
        return float(self.p.min())

    @property
    def small_share(self) -> float:
        """Share of the tests below 0.05."""
        return float((self.p < SMALL_P).mean())

    @property
    def passes(self) -> bool:
        """Whether both rules hold."""
        return self.least >= LEAST_P and self.small_share <= SMALL_SHARE


def ranks(ours: Sample, theirs: Sample, decimals: int = DECIMALS) -> tuple[Sample, Sample]:
    """Return the places of both samples' runs in one order; equal runs share a place."""
    both = np.concatenate([ours, theirs])
    both[:, 0][np.abs(both[:, 0]) < 1e-8] = 0.0
    min_ev, lcv = np.round(both, decimals).T + 0.0  # no negative zero
    infeasible = np.isnan(min_ev)
    key = np.where(infeasible, lcv, min_ev)
    _, place = np.unique(np.stack([infeasible, key], axis=1), axis=0, return_inverse=True)
    place = place.reshape(-1).astype(np.float64)
    return place[: len(ours)], place[len(ours) :]


def p_value(ours: Sample, theirs: Sample, decimals: int = DECIMALS) -> float:
    """Return the p-value of the two-sample Kolmogorov-Smirnov test."""
    return float(stats.ks_2samp(*ranks(ours, theirs, decimals), method="exact").pvalue)


def compare(
    ours: NDArray[np.float64], theirs: NDArray[np.float64], decimals: int = DECIMALS
) -> Verdict:
    """Compare two arrays of shape (problems, runs, milestones, 2)."""
    problems, _, milestones, _ = ours.shape
    p = [
        [p_value(ours[k, :, m], theirs[k, :, m], decimals) for m in range(milestones)]
        for k in range(problems)
    ]
    return Verdict(np.array(p))


def reference(name: str) -> NDArray[np.float64]:
    """Return the published program's (28, 25, 5, 2) results inside the box."""
    with np.load(SHARED / "reference" / f"{name}.npz") as saved:
        np.testing.assert_allclose(saved["fractions"], MILESTONES)
        found: NDArray[np.float64] = saved["min_ev_lcv_in_box"]
    return found

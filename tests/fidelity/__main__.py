"""Write the p-values of all comparisons to ``docs/results/fidelity/`` and print their summary."""

import csv
from pathlib import Path

import numpy as np

from tests.fidelity.campaign import milestones
from tests.fidelity.rules import CONFIGURED, MILESTONES, REFERENCES, Verdict, compare, reference

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "results" / "fidelity"


def write(label: str, verdict: Verdict) -> None:
    """Write one comparison as CSV: a row per problem, a column per milestone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{label}.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["problem", *(f"p_at_{share:.0%}" for share in MILESTONES)])
        for k, row in enumerate(verdict.p, start=1):
            writer.writerow([f"C{k:02d}", *(f"{p:.4g}" for p in row)])


def main() -> None:
    """Compare every series with its reference."""
    print("| series | tests | smallest p | where | below 0.05 | rules |")
    print("|---|---:|---:|---|---:|---|")
    for label, name in REFERENCES.items():
        verdict = compare(milestones(label, CONFIGURED.get(label)), reference(name))
        write(label, verdict)
        k, m = np.unravel_index(verdict.p.argmin(), verdict.p.shape)
        print(
            f"| {label} | {verdict.p.size} | {verdict.least:.2g} | C{k + 1:02d} at "
            f"{MILESTONES[m]:.0%} | {verdict.small_share:.1%} | "
            f"{'hold' if verdict.passes else 'do not hold'} |"
        )


if __name__ == "__main__":
    main()

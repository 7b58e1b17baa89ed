"""Print p-values as a Markdown table: ``python -m tests.fidelity rdex RDEx``."""

import sys

from tests.fidelity.campaign import milestones
from tests.fidelity.rules import MILESTONES, compare, reference


def main(label: str, name: str) -> None:
    """Compare the series `label` with the published program `name`."""
    verdict = compare(milestones(label), reference(name))
    print("| problem | " + " | ".join(f"{share:.0%}" for share in MILESTONES) + " |")
    print("|---|" + "---:|" * len(MILESTONES))
    for k, row in enumerate(verdict.p, start=1):
        print(f"| C{k:02d} | " + " | ".join(f"{p:.2g}" for p in row) + " |")
    print(f"\nsmallest p {verdict.least:.2g}; {verdict.small_share:.1%} below 0.05")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What U-score gap arises from chance alone: a study on recorded trials.

Two copies of one algorithm, which differ in nothing but their seeds, are scored head to head many
times (protocol ``cec2026``), on recorded trials: each time two groups of runs are drawn from those
of the one algorithm. From at least twice as many recorded trials the groups are drawn without a
trial in common, else with replacement.

    python docs/studies/chance_gap.py results.db --label de2ls
    python docs/studies/chance_gap.py folder-of-npz --label DE-2LS --array curves

A store gives the full curves. A folder holds ``<label>.npz`` with an array (problems, trials,
samples, 2) of Min_EV and LCV; with few samples the speed points are coarse.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from de2ls._checks import FloatArray
from de2ls.scores import Collection, Column, Table, collect
from de2ls.scores.pairwise import accuracy_points, speed_points

PUBLISHED_GAIN = 5.58  # percent, DE-2LS over RDEx, head to head, 25 runs, 28 problems


@dataclass(frozen=True, eq=False)
class ChanceGap:
    """Relative gains (U_1 - U_2) / U_2 in percent between copies of one algorithm."""

    label: str
    problems: int
    recorded: int  # trials per problem to draw from
    runs: int  # trials per problem and copy
    gains: FloatArray

    def table(self) -> Table:
        """Return the distribution beside the published gain."""
        size = np.abs(self.gains)
        rows = (
            ("standard deviation of the gain, %", float(self.gains.std(ddof=1))),
            ("median of its size, %", float(np.median(size))),
            ("95 % of the sizes are below, %", float(np.quantile(size, 0.95))),
            ("largest size, %", float(size.max())),
            (
                f"share of sizes of at least {PUBLISHED_GAIN} %, in percent",
                float(100 * np.mean(size >= PUBLISHED_GAIN)),
            ),
            (
                f"{PUBLISHED_GAIN} % in standard deviations",
                float(PUBLISHED_GAIN / self.gains.std(ddof=1)),
            ),
        )
        return Table(
            f"{self.label} against itself, {len(self.gains)} times: {self.problems} problems, "
            f"{self.runs} runs each, drawn from {self.recorded}",
            (Column("gap by chance"), Column("value", ".2f")),
            rows,
        )


def chance_gap(
    label: str, cells: Sequence[FloatArray], runs: int = 25, repeats: int = 200, seed: int = 1
) -> ChanceGap:
    """Score two copies of an algorithm head to head, again and again.

    Parameters
    ----------
    label : str
        What the result calls the algorithm.
    cells : sequence of arrays (trials, samples, 2)
        Its recorded trials, one array per problem.
    runs : int
        Trials per problem and copy.
    repeats : int
        How often.
    seed : int
        Of the draws.
    """
    rng = np.random.default_rng(seed)
    first = np.zeros(repeats)
    for trials in cells:
        points = accuracy_points(trials) + speed_points(trials)
        for r in range(repeats):
            x, y = _two_groups(rng, len(trials), runs)
            first[r] += points[np.ix_(x, y)].sum()
    pairs = 2 * runs * runs * len(cells)  # one point each for accuracy and speed
    within = runs * (runs - 1) * len(cells)  # what either copy earns against itself
    U_1, U_2 = first + within, pairs - first + within
    recorded = min(len(trials) for trials in cells)
    return ChanceGap(label, len(cells), recorded, runs, (U_1 - U_2) / U_2 * 100)


def _two_groups(rng: np.random.Generator, recorded: int, runs: int) -> FloatArray:
    if recorded >= 2 * runs:
        return rng.permutation(recorded)[: 2 * runs].reshape(2, runs)
    return rng.integers(0, recorded, (2, runs))


def load(source: Path, label: str, array: str) -> Collection:
    """Read the trials of one series from a store or from a folder of npz files."""
    if source.is_dir():
        with np.load(source / f"{label}.npz") as content:
            return Collection.from_curves({label: content[array]})
    from de2ls.campaigns.store import Store

    with Store.open(source, readonly=True) as store:
        return collect(store.records(labels=label))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study and print its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, help="a store, or a folder of npz files")
    parser.add_argument("--label", required=True, help="the series")
    parser.add_argument("--array", default="curves", help="name of the array in the npz file")
    parser.add_argument("--runs", type=int, default=25, help="trials per problem and copy")
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    collection = load(given.source, given.label, given.array)
    cells = [row[0] for row in collection.cells]
    gap = chance_gap(given.label, cells, given.runs, given.repeats, given.seed)
    sys.stdout.write(gap.table().to_markdown())


if __name__ == "__main__":
    main()

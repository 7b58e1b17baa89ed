"""What the tests of the reproductions share."""

import csv
from collections import Counter
from dataclasses import replace

from de2ls.campaigns.progress import Progress
from de2ls.studies.scale import QUICK

SMALL = replace(QUICK, numbers=(7, 17), runs=2, instance=1, dim=3)


class Counting(Progress):
    """Counts the trials that are run."""

    def __init__(self):
        self.labels = Counter()

    def finished(self, trial, record):
        self.labels[trial.label] += 1


def rows(path):
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))

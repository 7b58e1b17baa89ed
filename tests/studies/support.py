"""What the tests of the reproductions share."""

import csv
from collections import Counter
from dataclasses import replace

from de2ls.campaigns.progress import Progress
from de2ls.reports.material import Gathered
from de2ls.scores import collect
from de2ls.scores.groups import grouped
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


def gathered_of(records):
    """Return records as if they had been gathered from a store."""
    collection = collect(records)
    (group,) = grouped(collection.keys)
    return Gathered("a.db", group, collection.algorithms, collection, tuple(records), None, ())

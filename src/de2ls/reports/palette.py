"""One colour and one dash per series, the same in every figure and on the page.

The eight colours stay apart for readers who do not tell red from green, on white as on the dark
page; further series repeat them with another dash. A registered algorithm keeps its colour in
every report.
"""

from collections.abc import Sequence
from dataclasses import dataclass

LIGHT = (
    *("#194cc1", "#a14a00", "#008f6e", "#630172"),
    *("#8f820c", "#3c98ce", "#7d66e9", "#413b3d"),
)
DARK = (
    *("#5b9bff", "#e07b4f", "#5fce8a", "#dfa6ec"),
    *("#d9de3c", "#91e6f6", "#a883d6", "#a0a0a0"),
)
DASHES = ((), (6, 3), (2, 2), (8, 3, 2, 3))  # lengths of strokes and gaps; () is a solid line
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "d")

# Places of the registered algorithms in the lists above.
_FIRST = (
    *("de2ls", "rdex", "cl-srde", "ude3"),
    *("rde26", "rdex-cask", "ude4", "de-rand-1-bin"),
)


@dataclass(frozen=True)
class Look:
    """How a series is drawn."""

    light: str  # colour on white
    dark: str  # colour on the dark page
    dash: tuple[int, ...]
    marker: str


def looks(labels: Sequence[str], algorithms: Sequence[str]) -> dict[str, Look]:
    """Return the look of each series.

    Parameters
    ----------
    labels : sequence of str
        Of the series, each different.
    algorithms : sequence of str
        What each series runs. The only series of an algorithm has its colour; of several the one
        that is labelled with the algorithm's name has it.
    """
    places: dict[str, int] = {}
    for label, algorithm in zip(labels, algorithms, strict=True):
        alone = algorithms.count(algorithm) == 1
        if algorithm in _FIRST and (alone or label == algorithm):
            places[label] = _FIRST.index(algorithm)
    free = (place for place in range(len(LIGHT) * len(DASHES)) if place not in places.values())
    return {label: _look(places[label] if label in places else next(free)) for label in labels}


def _look(place: int) -> Look:
    round_, colour = divmod(place, len(LIGHT))
    return Look(LIGHT[colour], DARK[colour], DASHES[round_ % len(DASHES)], MARKERS[colour])

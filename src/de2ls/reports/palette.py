"""One colour and one dash per series, the same in every figure and on the page.

The first eight colours stay apart for readers who do not tell red from green, on white as on the
dark page. Further ones are generated without end: their hues go round by the golden ratio, and
neighbours differ in luminance, which everybody sees, and in their dash.
"""

import colorsys
from collections.abc import Iterable
from dataclasses import dataclass

LIGHT = ["#194cc1", "#a14a00", "#008f6e", "#630172", "#8f820c", "#3c98ce", "#7d66e9", "#413b3d"]
DARK = ["#5b9bff", "#e07b4f", "#5fce8a", "#dfa6ec", "#d9de3c", "#91e6f6", "#a883d6", "#a0a0a0"]
DASHES = ((6, 3), (2, 2), (8, 3, 2, 3), (12, 3))  # of generated colours: strokes and gaps
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "d")

_GOLDEN = 0.6180339887498949
_ON_WHITE = (0.13, 0.26, 0.05)  # luminances with a contrast of 3 or more, in turn
_ON_DARK = (0.18, 0.40, 0.70)


@dataclass(frozen=True)
class Look:
    """How a series is drawn."""

    light: str  # colour on white
    dark: str  # colour on the dark page
    dash: tuple[int, ...]  # lengths of strokes and gaps; () is a solid line
    marker: str


def looks(labels: Iterable[str]) -> dict[str, Look]:
    """Return the look of each series; it depends on the places in this order alone."""
    return {label: _look(place) for place, label in enumerate(labels)}


def _look(place: int) -> Look:
    marker = MARKERS[place % len(MARKERS)]
    if place < len(LIGHT):
        return Look(LIGHT[place], DARK[place], (), marker)
    place -= len(LIGHT)
    dash = DASHES[place % len(DASHES)]
    return Look(_colour(place, _ON_WHITE), _colour(place, _ON_DARK), dash, marker)


def _colour(place: int, luminances: tuple[float, ...]) -> str:
    """Return a colour of the next hue with the luminance whose turn it is."""
    wanted = luminances[place % len(luminances)]
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        rgb = colorsys.hls_to_rgb(place * _GOLDEN % 1.0, middle, 0.8)
        low, high = (middle, high) if _luminance(rgb) < wanted else (low, middle)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in rgb)


def _luminance(rgb: tuple[float, float, float]) -> float:
    """Return the relative luminance of WCAG 2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

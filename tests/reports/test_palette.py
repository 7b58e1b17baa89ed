import itertools

import numpy as np
import pytest

from de2ls.reports.palette import looks

# Full protanopia and deuteranopia: Machado, Oliveira and Fernandes 2009, table of severity 1.
BLINDNESS = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def linear(colour):
    values = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    """Return the contrast ratio of WCAG 2."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    low, high = sorted((linear(a) @ weights, linear(b) @ weights))
    return (high + 0.05) / (low + 0.05)


def oklab(rgb):
    to_cones = np.array([[0.4122214708, 0.5363325363, 0.0514459929],
                         [0.2119034982, 0.6806995451, 0.1073969566],
                         [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
    to_lab = np.array([[0.2104542553, 0.7936177850, -0.0040720468],
                       [1.9779984951, -2.4285922050, 0.4505937099],
                       [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip
    return to_lab @ np.cbrt(to_cones @ np.clip(rgb, 0, 1))


SERIES = looks(map(str, range(24)))


@pytest.mark.parametrize(("theme", "page"), [("light", "#ffffff"), ("dark", "#171b21")])
def test_lines_stand_out_from_the_page(theme, page):
    # 3:1 is what WCAG 2 asks of graphics.
    many = looks(map(str, range(200))).values()
    assert min(contrast(getattr(look, theme), page) for look in many) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", BLINDNESS)
def test_series_stay_apart_without_red_and_green(theme, kind):
    # 0.02 in OKLab is about one just noticeable difference; three of them for thin lines. Series
    # with different dashes are told apart by these.
    for a, b in itertools.combinations(SERIES.values(), 2):
        seen = [oklab(np.array(BLINDNESS[kind]) @ linear(getattr(x, theme))) for x in (a, b)]
        assert a.dash != b.dash or np.linalg.norm(seen[0] - seen[1]) >= 0.06


def test_any_number_of_series_has_looks():
    found = looks(map(str, range(100)))
    assert len({(look.light, look.dash) for look in found.values()}) == 100
    assert len({(look.dark, look.dash) for look in found.values()}) == 100


def test_a_look_depends_on_the_place_alone():
    assert list(looks("abcdefghijkl").values()) == list(SERIES.values())[:12]

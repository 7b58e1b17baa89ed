"""Effects of parameters on the total."""

import numpy as np
import pytest

from de2ls.scores import Collection, bootstrap
from de2ls.scores.effects import differing, effects


def resampled(**ends):
    curves = {
        name: np.array(values)[None, :, None, None] * [1.0, 0.0] for name, values in ends.items()
    }
    return bootstrap(Collection.from_curves(curves))


def test_differing_parameters():
    configs = {"a": {"n": 1, "m": 2}, "b": {"n": 1, "m": 3}, "c": {"n": 1}}
    assert differing(configs) == {"m": (2, 3, None)}


def test_effects_by_hand():
    # two trials each: a beats b beats c beats d in every pair, and all arrive at once
    b = resampled(a=[1.0, 1.0], b=[2.0, 2.0], c=[3.0, 3.0], d=[4.0, 4.0])
    configs = {
        "a": ("de", {"f": 0.5, "cr": 1}),
        "b": ("de", {"f": 0.5, "cr": 2}),
        "c": ("de", {"f": 0.9, "cr": 1}),
        "d": ("es", {"f": 0.9}),
    }
    (found,) = effects(b, configs)
    assert (found.algorithm, found.series) == ("de", ("a", "b", "c"))
    # accuracy: 12, 8, 4, 0 against others; speed and own pairs are the same for all
    totals = found.totals - found.totals[2]
    assert totals.tolist() == [8.0, 4.0, 0.0]
    by_value = {(e.parameter, e.value): e for e in found.effects}
    assert by_value["f", 0.5].effect.value == 6.0
    assert by_value["f", 0.9].effect.value == -6.0
    assert by_value["cr", 2].effect.value == 0.0
    assert by_value["f", 0.5].series == ("a", "b")
    assert by_value["f", 0.5].effect == (6.0, 6.0, 6.0)  # equal trials: nothing to resample


def test_intervals_hold_the_effect():
    rng = np.random.default_rng(0)
    b = resampled(a=rng.random(8), b=rng.random(8))
    (found,) = effects(b, {"a": ("de", {"n": 1}), "b": ("de", {"n": 2})})
    for effect in found.effects:
        assert effect.effect.low <= effect.effect.value <= effect.effect.high
    one, two = (effect.effect.value for effect in found.effects)
    assert one == pytest.approx(-two)


def test_series_without_a_difference_have_no_effects():
    b = resampled(a=[1.0], b=[2.0])
    assert effects(b, {"a": ("de", {"n": 1}), "b": ("de", {"n": 1})}) == []
    assert effects(b, {"a": ("de", {"n": 1}), "b": ("es", {"n": 2})}) == []

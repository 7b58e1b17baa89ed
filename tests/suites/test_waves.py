"""Sines and cosines of vectors, against exact arithmetic and the mathematical library."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from de2ls.suites.cec2017 import waves

# The first 50 decimals of pi (a mathematical constant)
PI = Fraction("3.14159265358979323846264338327950288419716939937510")


def sines_and_cosines(function, y, rate):
    y = np.array(y, dtype=float)
    sines, cosines = np.empty(y.size), np.empty(y.size)
    function(y, rate, sines, cosines)
    return sines, cosines


def test_three_parts_make_half_pi():
    parts = [waves.HALF_PI_HIGH, waves.HALF_PI_MIDDLE, waves.HALF_PI_LOW]
    assert abs(sum(map(Fraction, parts)) - PI / 2) < Fraction(1, 2**106)
    for part in parts[:2]:  # 26 bits: the product with a whole number below 2^27 is exact
        mantissa = math.frexp(part)[0] * 2**26
        assert mantissa == int(mantissa)


@pytest.mark.parametrize("size", [1e-9, 1.0, 100.0, 1e4, 1e6, 1.3e8])
@pytest.mark.parametrize("rate", [1.0, 0.5, 2.0])
def test_waves_equal_the_library(size, rate):
    y = np.random.default_rng(1).uniform(-size, size, 20_000) / rate
    sines, cosines = sines_and_cosines(waves.waves, y, rate)
    # both are within one unit in the last place of 1
    np.testing.assert_allclose(sines, np.sin(rate * y), rtol=0, atol=2.3e-16)
    np.testing.assert_allclose(cosines, np.cos(rate * y), rtol=0, atol=2.3e-16)


@pytest.mark.parametrize("far", [1.4e8, -1e12, 1e300])
def test_far_arguments_equal_the_library(far):
    sines, cosines = sines_and_cosines(waves.waves, [0.3, far], 1.0)
    np.testing.assert_allclose(sines, [math.sin(0.3), math.sin(far)], rtol=0, atol=2.3e-16)
    np.testing.assert_allclose(cosines, [math.cos(0.3), math.cos(far)], rtol=0, atol=2.3e-16)


def test_infinity_has_no_sine_but_spoils_no_neighbour():
    for function in (waves.waves, waves.turn_waves):
        sines, cosines = sines_and_cosines(function, [math.inf, 0.0, -math.inf], 1.0)
        np.testing.assert_array_equal(np.isnan(sines), [True, False, True])
        np.testing.assert_array_equal(np.isnan(cosines), [True, False, True])
        assert (sines[1], cosines[1]) == (0.0, 1.0)


@given(st.integers(-(10**9), 10**9), st.floats(-0.5, 0.5))
@settings(deadline=None, max_examples=300)
def test_whole_turns_drop_out(n, part):
    turn = n + part
    rest = float(Fraction(turn) - round(Fraction(turn)))  # exact
    (sine,), (cosine,) = sines_and_cosines(waves.turn_waves, [turn], 1.0)
    assert sine == pytest.approx(math.sin(2 * math.pi * rest), abs=1e-15)
    assert cosine == pytest.approx(math.cos(2 * math.pi * rest), abs=1e-15)


def test_quarter_turns_are_exact():
    sines, cosines = sines_and_cosines(waves.turn_waves, np.arange(-8, 9) / 4, 1.0)
    np.testing.assert_array_equal(sines, [0, 1, 0, -1] * 4 + [0])
    np.testing.assert_array_equal(cosines, [1, 0, -1, 0] * 4 + [1])

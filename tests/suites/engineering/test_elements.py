"""The truss solver: equilibrium, known displacements and stresses, and its matrix."""

import math

import numpy as np
import pytest

from de2ls.suites.engineering.elements import Truss
from de2ls.suites.engineering.trusses import TEN_BARS, TOWER, three_bar_truss

TRUSSES = {"ten bars": TEN_BARS, "tower": TOWER}


def some_areas(truss, seed=1):
    return np.random.default_rng(seed).uniform(0.5, 5.0, truss.lengths.size)


def test_a_bar_in_tension():
    # F L / (E A) = 10 * 3 / (200 * 0.5)
    bar = Truss([(0, 0), (3, 0), (3, 4)], [(1, 2), (3, 2)], supports=[1, 3], modulus=200.0)
    displacements, stresses = bar.solve(np.array([0.5, 1.0]), bar.loads({2: (10, 0)}))
    assert displacements[0] == pytest.approx([0.3, 0.0], abs=1e-15)
    assert stresses[0] == pytest.approx([20.0, 0.0], abs=1e-12)


def test_two_bars_under_a_weight():
    # two bars at 45 degrees of length L: force P / sqrt(2) each, the joint sinks by P L / (E A)
    pair = Truss([(-1, 1), (1, 1), (0, 0)], [(1, 3), (2, 3)], supports=[1, 2], modulus=1000.0)
    displacements, stresses = pair.solve(np.full(2, 0.2), pair.loads({3: (0, -4)}))
    assert displacements[0] == pytest.approx([0.0, -4 * math.sqrt(2.0) / 200.0], abs=1e-15)
    assert stresses[0] == pytest.approx([4 / math.sqrt(2.0) / 0.2] * 2)


def test_a_tripod_in_space():
    # three legs from the corners of a triangle, height 3, feet 4 from the axis: length 5; the
    # vertical force of each leg is P / 3, its axial force (P / 3) (5 / 3), compression
    angles = 2 * np.pi * np.arange(3) / 3
    feet = np.column_stack([4 * np.cos(angles), 4 * np.sin(angles), np.zeros(3)])
    legs = Truss([*feet, (0, 0, 3)], [(1, 4), (2, 4), (3, 4)], supports=[1, 2, 3], modulus=10.0)
    displacements, stresses = legs.solve(np.full(3, 2.0), legs.loads({4: (0, 0, -9)}))
    assert stresses[0] == pytest.approx([-5.0 / 2.0] * 3)
    # work of the load is the strain energy: P u / 2 = 3 N^2 L / (2 E A)
    assert displacements[0] == pytest.approx([0, 0, -3 * 25 * 5 / 20 / 9], abs=1e-14)


def test_agrees_with_the_published_stresses_of_the_three_bar_truss():
    # statically indeterminate: three bars from a ceiling, a force P = 2 at 45 degrees
    joints = [(-1, 1), (0, 1), (1, 1), (0, 0)]
    truss = Truss(joints, [(1, 4), (2, 4), (3, 4)], supports=[1, 2, 3], modulus=1.0)
    loads = truss.loads({4: (math.sqrt(2.0), -math.sqrt(2.0))})
    for outer, middle in np.random.default_rng(3).uniform(0.1, 1.0, (10, 2)):
        _, stresses = truss.solve(np.array([outer, middle, outer]), loads)
        _, g, _ = three_bar_truss(np.array([outer, middle]))
        published = [g[0] + 2.0, g[2] + 2.0, -(g[1] + 2.0)]  # the third bar is compressed
        assert stresses[0] == pytest.approx(published, rel=1e-10)


@pytest.mark.parametrize("truss", TRUSSES.values(), ids=TRUSSES)
def test_bar_forces_and_loads_are_in_equilibrium(truss):
    areas = some_areas(truss)
    loads = np.random.default_rng(2).normal(size=(truss.free.sum(), 3)) * 1e4
    _, stresses = truss.solve(areas, loads)
    np.testing.assert_allclose(truss.cosines @ (stresses * areas).T, loads, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("truss", TRUSSES.values(), ids=TRUSSES)
def test_stiffness_is_symmetric_positive_definite_and_linear_in_the_areas(truss):
    areas = some_areas(truss)
    K = truss.stiffness(areas)
    np.testing.assert_allclose(K, K.T, rtol=1e-14, atol=1e-14 * np.abs(K).max())
    assert np.linalg.eigvalsh(K).min() > 0.0
    np.testing.assert_allclose(
        truss.stiffness(3.0 * areas), 3.0 * K, rtol=1e-13, atol=1e-14 * np.abs(K).max()
    )


def test_without_supports_a_translation_costs_nothing():
    bars = [(1, 2), (2, 3), (3, 1)]
    floating = Truss([(0, 0), (2, 0), (1, 3)], bars, supports=[], modulus=5.0)
    K = floating.stiffness(np.array([1.0, 2.0, 3.0]))
    for translation in ([1, 0] * 3, [0, 1] * 3):
        assert K @ translation == pytest.approx(np.zeros(6), abs=1e-14)


def test_double_loads_give_double_displacements_and_cases_do_not_mix():
    areas = some_areas(TOWER)
    one, other = {1: (1e3, 0, 0)}, {2: (0, 2e3, -1e3)}
    u, s = TOWER.solve(areas, TOWER.loads(one, other))
    u_one, s_one = TOWER.solve(areas, 2.0 * TOWER.loads(one))
    np.testing.assert_allclose(u_one[0], 2.0 * u[0], rtol=1e-11)
    np.testing.assert_allclose(s_one[0], 2.0 * s[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(TOWER.solve(areas, TOWER.loads(other))[0][0], u[1], rtol=1e-11)

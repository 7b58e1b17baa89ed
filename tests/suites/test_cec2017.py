"""The 28 problems: the official test vectors, a plain transcription, and properties."""

import itertools
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import de2ls
from de2ls.suites.cec2017 import SUITE
from de2ls.suites.cec2017.data import OfficialDataMissingError
from tests.conftest import OFFICIAL
from tests.suites.transcription import transcribed

NUMBERS = range(1, 29)
MAPPED = range(21, 29)
VARIANTS = (9, 15, 24)
CASES = [(k, "report") for k in NUMBERS] + [(k, "cpp2017") for k in VARIANTS]

seeds = st.integers(0, 2**32 - 1)
dims = st.sampled_from([2, 3, 4, 5, 9, 10, 16, 30])
quick = settings(deadline=None, max_examples=30)  # the first call of a kernel compiles it


def assert_agree(got, expected):
    """Agreement as the suite's definition asks for: relative 1e-10, absolute 1e-8 near zero."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    worst = np.abs(got - expected) - np.maximum(1e-10 * np.abs(expected), 1e-8)
    assert np.all(worst <= 0), f"{got} differs from {expected}"


def unpacked(problem):
    """Return shift and matrices of a problem, read from its own parameters."""
    D, params = problem.dim, problem.kernel.params
    return params[:D], [block.reshape(D, D).T for block in params[D:].reshape(-1, D * D)]


def in_box(problem, seed, n=4):
    return np.random.default_rng(seed).uniform(problem.lower, problem.upper, (n, problem.dim))


# The definitions ----------------------------------------------------------------------------------


@pytest.mark.official
@pytest.mark.skipif(not (OFFICIAL / "test_vectors.npz").exists(), reason="no test vectors here")
@pytest.mark.parametrize("dim", [10, 30, 50, 100])
@pytest.mark.parametrize(("k", "definition"), CASES)
def test_official_vectors(k, definition, dim):
    name = f"{'orig' if definition == 'cpp2017' else 'report'}_D{dim}_F{k:02d}"
    with np.load(OFFICIAL / "test_vectors.npz") as vectors:
        x, f, g, h = (vectors[f"{name}_{part}"] for part in "xfgh")
    problem = de2ls.cec2017(k, dim, definition)
    assert len(x) == len(f) == len(g) == len(h) > 0
    for got, expected in zip(problem.evaluate_many(x), (f, g, h), strict=True):
        assert_agree(got, expected)


@pytest.mark.parametrize(("k", "definition"), CASES)
@pytest.mark.parametrize("dim", [2, 3, 4, 5, 9, 10, 30, 100])
def test_transcription_in_the_box(k, definition, dim):
    problem = de2ls.cec2017(k, dim, definition, instance=1)
    o, matrices = unpacked(problem)
    points = in_box(problem, seed=[k, dim], n=10)
    corners = np.where(points[:3] > 0, problem.upper, problem.lower)
    for x in (*points, *corners):
        expected = transcribed(k, x, o, matrices, definition)
        for got, value in zip(problem.evaluate(x), expected, strict=True):
            assert_agree(got, value)


@pytest.mark.parametrize(("k", "definition"), CASES)
@given(dim=dims, seed=seeds, size=st.sampled_from([1e-9, 1e-3, 1.0, 10.0]))
@quick
def test_transcription_near_the_shift(k, definition, dim, seed, size):
    problem = de2ls.cec2017(k, dim, definition, instance=1)
    o, matrices = unpacked(problem)
    x = o + np.random.default_rng(seed).normal(0.0, size, dim)
    expected = transcribed(k, x, o, matrices, definition)
    for got, value in zip(problem.evaluate(x), expected, strict=True):
        assert_agree(got, value)


@pytest.mark.parametrize("k", [18, 27])
def test_halves_are_rounded_away_from_zero(k):
    y = np.array([0.25, 0.5, 0.75, -0.75, 1.25, -2.25])
    matrices = np.eye(6) if k == 27 else None
    problem = de2ls.cec2017(k, 6, instance=1, shift=np.zeros(6), matrices=matrices)
    # t = 0.25, 0.5, 1, -1, 1.5, -2.5 and cos(2 pi t) = 0, -1, 1, 1, -1, -1
    expected = (0.25**2 + 10) + (0.5**2 + 20) + 1 + 1 + (1.5**2 + 20) + (2.5**2 + 20)
    assert problem.evaluate(y).f == pytest.approx(expected, rel=1e-14)


def test_boxes_and_numbers_of_constraints():
    """As the definition's tables give them for C01 to C28."""
    n_ineq = [1, 1, 1, 2, 2, 0, 0, 0, 1, 0, 1, 2, 3, 1, 1, 1, 1, 2, 2, 2, 2, 3, 1, 1, 1, 1, 2, 2]
    n_eq = [0, 0, 1, 0, 0, 6, 2, 2, 1, 2, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0]
    total = [1, 1, 2, 2, 2, 6, 2, 2, 2, 2, 2, 2, 3, 2, 2, 2, 2, 3, 2, 2, 2, 3, 2, 2, 2, 2, 3, 2]
    narrow = {4: 10.0, 5: 10.0, 6: 20.0, 7: 50.0, 9: 10.0, 19: 50.0, 28: 50.0}
    for k in NUMBERS:
        problem = de2ls.cec2017(k, 10, instance=1)
        assert (problem.n_ineq, problem.n_eq) == (n_ineq[k - 1], n_eq[k - 1])
        assert problem.n_constraints == total[k - 1]
        bound = narrow.get(k, 100.0)
        assert problem.lower.tolist() == [-bound] * 10
        assert problem.upper.tolist() == [bound] * 10


def test_every_row_of_the_table_has_its_kernel():
    assert list(SUITE) == list(NUMBERS)
    for k, definition in itertools.product(NUMBERS, ("report", "cpp2017")):
        problem = de2ls.cec2017(k, 5, definition, instance=2)
        assert problem.name == f"C{k:02d}"
        assert problem.eq_tol == 1e-4
        assert problem.feasible_tol == 1e-8
        assert problem.key.as_dict() == {
            "suite": "cec2017",
            "number": k,
            "dim": 5,
            "definition": definition,
            "instance": 2,
        }


@pytest.mark.parametrize("k", VARIANTS)
def test_the_two_definitions_differ(k):
    report, cpp = (de2ls.cec2017(k, 10, d, instance=1) for d in ("report", "cpp2017"))
    X = in_box(report, seed=5, n=50)
    ours, theirs = report.evaluate_many(X), cpp.evaluate_many(X)
    assert not np.array_equal(ours.h, theirs.h)
    np.testing.assert_array_equal(ours.g, theirs.g)
    if k == 9:
        np.testing.assert_array_equal(ours.f, theirs.f)
    else:
        assert np.any(ours.f > theirs.f)


# Known values -------------------------------------------------------------------------------------


def at_the_shift(k, D):
    """Return f, g, h at y = 0, worked out by hand."""
    e = math.e
    return {
        1: (0, [-9000 * D], []),
        2: (0, [-9000 * D], []),
        3: (0, [-9000 * D], [0]),
        4: (0, [0, 0], []),
        5: (D - 1, [-90 * D, -90 * D], []),
        6: (0, [], [0] * 6),
        7: (0, [], [0, 0]),
        8: (0, [], [0, 0]),
        9: (0, [0], [0]),
        10: (0, [], [0, 0]),
        11: (0, [0], [0]),
        12: (0, [4, -4], []),
        13: (D - 1, [-100, -2 * D, 5], []),
        14: (0, [1], [-4]),
        15: (0, [-100 * D], [1]),
        16: (0, [-100 * D], [0]),
        17: (0, [1 + D], [-4 * D]),
        18: (0, [1, -100 * D], [0]),
        19: (0, [10 * (D - 1) * (e**5 - 1), -D / 2], []),
        20: (0, [0.625, e - e**0.25], []),
    }[k if k <= 20 else k - 9]


@given(k=st.sampled_from(NUMBERS), dim=dims, instance=st.integers(1, 1000))
@settings(deadline=None, max_examples=150)
def test_value_at_the_shift(k, dim, instance):
    problem = de2ls.cec2017(k, dim, instance=instance)
    o, _ = unpacked(problem)
    f, g, h = problem.evaluate(o)
    for got, expected in zip((f, g, h), at_the_shift(k, dim), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13)
    if k in (1, 2, 3, 4, 6):
        assert f == 0.0
        assert problem.is_feasible(g, h)


@pytest.mark.parametrize("k", [5, 13, 22])
def test_rosenbrock_vanishes_at_one(k):
    problem = de2ls.cec2017(k, 8, instance=1)
    o, matrices = unpacked(problem)
    y = np.linalg.solve(matrices[0], np.ones(8)) if k == 22 else np.ones(8)
    assert problem.evaluate(o + y).f == pytest.approx(0.0, abs=1e-24)


def optimal_y(k, D):
    """Return a point at which the known optimum is taken."""
    if k == 13:
        return np.ones(D)
    if k == 15:
        return np.full(D, 0.75 * math.pi - 0.999 * 1e-4 / math.sqrt(2))
    return np.zeros(D)


@pytest.mark.parametrize("dim", [5, 30, 100])
@pytest.mark.parametrize(
    "k", [k for k in NUMBERS if de2ls.cec2017(k, 30, instance=1).best_known is not None]
)
def test_known_optimum_is_taken_and_feasible(k, dim):
    problem = de2ls.cec2017(k, dim, instance=1)
    o, matrices = unpacked(problem)
    z = optimal_y(k - 9 if k > 20 else k, dim)
    x = o + (np.linalg.solve(matrices[0], z) if k > 20 else z)
    assert np.all((x >= problem.lower) & (x <= problem.upper))
    f, g, h = problem.evaluate(x)
    assert problem.is_feasible(g, h)
    assert f == pytest.approx(problem.best_known, abs=1e-6)
    points = problem.evaluate_many(in_box(problem, seed=k, n=200))
    feasible = problem.is_feasible(points.g, points.h)
    assert np.all(points.f[feasible] >= problem.best_known)


def test_known_optimum_of_c15_is_the_earliest_that_the_tolerance_admits():
    problem = de2ls.cec2017(15, 4, instance=1)
    o, _ = unpacked(problem)
    for step, feasible in ((1e-9, True), (-1e-9, False)):
        _, g, h = problem.evaluate(o + problem.best_known + step)
        assert problem.is_feasible(g, h) == feasible


@given(k=st.sampled_from([17, 26, 19, 28]), dim=dims, seed=seeds)
@settings(deadline=None, max_examples=100)
def test_four_problems_have_no_feasible_point(k, dim, seed):
    problem = de2ls.cec2017(k, dim, instance=1)
    bound = dim - 1 if k in (17, 26) else 10 * (dim - 1) * (math.e**5 - 1)
    g = problem.evaluate_many(in_box(problem, seed)).g[:, 0]
    assert np.all(g >= bound * (1 - 1e-14))
    assert not SUITE[k].feasible


# Properties ---------------------------------------------------------------------------------------


@given(case=st.sampled_from(CASES), dim=dims, seed=seeds)
@settings(deadline=None, max_examples=100)
def test_scalar_and_batch_agree_to_the_bit(case, dim, seed):
    problem = de2ls.cec2017(case[0], dim, case[1], instance=1)
    X = in_box(problem, seed)
    F, G, H = problem.evaluate_many(X)
    for i, x in enumerate(X):
        f, g, h = problem.evaluate(x)
        assert np.array([f, *g, *h]).tobytes() == np.array([F[i], *G[i], *H[i]]).tobytes()


@given(
    k=st.sampled_from(MAPPED),
    dim=dims,
    seed=seeds,
    definition=st.sampled_from(["report", "cpp2017"]),
)
@settings(deadline=None, max_examples=100)
def test_identity_reduces_the_mapped_problems_to_the_others(k, dim, seed, definition):
    o = np.random.default_rng(seed).uniform(-20.0, 20.0, dim)
    mapped = de2ls.cec2017(k, dim, definition, shift=o, matrices=np.eye(dim))
    plain = de2ls.cec2017(k - 9, dim, definition, shift=o)
    X = in_box(mapped, seed)
    for got, expected in zip(mapped.evaluate_many(X), plain.evaluate_many(X), strict=True):
        np.testing.assert_array_equal(got, expected)


@given(dim=dims, seed=seeds)
@quick
def test_a_linear_map_acts_on_every_coordinate(dim, seed):
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(dim, dim))
    y = rng.normal(size=dim)
    problem = de2ls.cec2017(24, dim, shift=np.zeros(dim), matrices=M)
    assert problem.evaluate(y).f == pytest.approx(np.abs(M @ y).max(), rel=1e-12)


# Instances ----------------------------------------------------------------------------------------

PRINT_PARAMS = """
import hashlib, de2ls
for k in range(1, 29):
    for instance in (1, 2):
        print(hashlib.sha256(de2ls.cec2017(k, 7, instance=instance).kernel.params).hexdigest())
"""


def test_generated_instances_are_the_same_in_another_process_and_all_differ():
    sums = [
        subprocess.run(
            [sys.executable, "-c", PRINT_PARAMS], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert sums[0] == sums[1]
    assert len(set(sums[0])) == len(sums[0]) == 56


def test_shifts_of_different_problems_differ():
    shifts = {unpacked(de2ls.cec2017(k, 10, instance=1))[0].tobytes() for k in NUMBERS}
    assert len(shifts) == 28


@given(k=st.sampled_from(NUMBERS), dim=dims, instance=st.integers(1, 10**6))
@settings(deadline=None, max_examples=100)
def test_generated_data_have_the_stated_shape(k, dim, instance):
    problem = de2ls.cec2017(k, dim, instance=instance)
    o, matrices = unpacked(problem)
    assert np.all(np.abs(o) <= 0.5 * problem.upper)
    assert len(matrices) == {2: 1, 5: 2}.get(k, 1 if k in MAPPED else 0)
    for M, condition in zip(matrices, (3.0, 5.0), strict=False):
        sizes = np.linalg.svd(M, compute_uv=False)
        np.testing.assert_allclose(sizes[::-1], np.geomspace(1.0, condition, dim), rtol=1e-12)


def test_own_data_get_a_key_of_their_own():
    first = de2ls.cec2017(1, 3, shift=[1, 2, 3])
    second = de2ls.cec2017(1, 3, shift=[1, 2, 4])
    assert first.key["instance"].startswith("custom-")
    assert first.key == de2ls.cec2017(1, 3, shift=[1.0, 2.0, 3.0]).key
    assert first.key != second.key


@pytest.mark.official
def test_official_matrices_have_the_measured_condition_numbers():
    _, (m1, m2) = unpacked(de2ls.cec2017(5, 30))
    assert np.linalg.cond(m1) == pytest.approx(3.0, rel=1e-3)
    assert np.linalg.cond(m2) == pytest.approx(5.0, rel=1e-3)


# Bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"k": 0}, ValueError, "k must"),
        ({"k": 29}, ValueError, "k must"),
        ({"k": 1.5}, TypeError, "k must"),
        ({"k": "C01"}, TypeError, "k must be an integer"),
        ({"dim": 1, "instance": 1}, ValueError, "dim must be an integer from 2 "),
        ({"dim": 20}, ValueError, "dim must be one of 10, 30, 50, 100 .* got 20; .*instance=1"),
        ({"instance": -1}, ValueError, "instance must be an integer from 0 "),
        ({"definition": "cpp"}, ValueError, "definition must be one of .*did you mean 'cpp2017'"),
        ({"dim": 3, "shift": [1, 2]}, ValueError, r"shift must be a vector of 3 .*\(2,\)"),
        ({"dim": 3, "shift": [1, 2, np.nan]}, ValueError, "shift .* NaN at position 2"),
        ({"matrices": np.eye(30)}, ValueError, "matrices must be None for C1"),
        ({"k": 21, "dim": 3, "matrices": np.eye(2)}, ValueError, r"1 of shape \(3, 3\).*\(2, 2\)"),
        ({"k": 5, "dim": 3, "matrices": np.eye(3)}, ValueError, r"2 of shape \(3, 3\)"),
        ({"k": 21, "dim": 2, "matrices": [[1, np.inf], [0, 1]]}, ValueError, "not finite"),
        ({"k": 21, "dim": 2, "matrices": "M"}, TypeError, "matrices must hold 1.*type str"),
        ({"k": 21, "dim": 2, "matrices": np.eye(2) * 1j}, TypeError, "array of type complex128"),
        ({"k": 21, "dim": 2, "matrices": [[1, 0], [0]]}, ValueError, "got a ragged sequence"),
        ({"dim": 2, "shift": [1, np.inf]}, ValueError, "shift must"),
    ],
)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        de2ls.cec2017(**{"k": 1, **arguments})


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (np.zeros(4), ValueError, "x must"),
        (np.zeros((1, 5)), ValueError, r"got shape \(1, 5\)"),
        ([0, 0, 0, 0, "1"], TypeError, "x must"),
        (np.zeros(5, complex), TypeError, "complex"),
        ([0, 0, np.nan, 0, 0], ValueError, "NaN at position 2"),
    ],
)
def test_bad_points(x, error, message):
    with pytest.raises(error, match=message):
        de2ls.cec2017(1, 5, instance=1).evaluate(x)


def test_missing_data_says_what_to_do(tmp_path):
    with pytest.raises(OfficialDataMissingError) as caught:
        de2ls.cec2017(21, 10, data=tmp_path)
    message = str(caught.value)
    assert "M_21_D10.txt" in message
    assert str(tmp_path) in message
    assert "de2ls data fetch" in message
    assert "DE2LS_CEC2017_DATA" in message
    assert "instance=1" in message
    assert ". " not in message


def test_the_table_needs_no_compiler():
    code = "import sys, de2ls.suites.cec2017; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)

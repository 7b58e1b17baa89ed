import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import de2ls
from de2ls.scores import MixtureError, uscore

from . import oracle
from .strategies import curves


def cells_of(fields, problem):
    return [array[problem].tolist() for array in fields.values()]


@settings(max_examples=250, deadline=None)
@given(curves())
def test_cec2026_equals_the_double_loop_on_records_by_the_rules(fields):
    s = uscore(fields)
    for p in range(len(s.problems)):
        accuracy, speed = oracle.cec2026(cells_of(fields, p))
        assert s.accuracy[p].tolist() == accuracy
        assert s.speed[p].tolist() == speed
        assert s.total[p].tolist() == [a + b for a, b in zip(accuracy, speed, strict=True)]


@settings(max_examples=150, deadline=None)
@given(curves(by_the_rules=False))
def test_cec2026_equals_the_double_loop_on_any_record(fields):
    s = uscore(fields)
    for p in range(len(s.problems)):
        accuracy, speed = oracle.cec2026(cells_of(fields, p))
        assert s.accuracy[p].tolist() == accuracy
        assert s.speed[p].tolist() == speed


@settings(max_examples=150, deadline=None)
@given(st.booleans().flatmap(lambda rules: curves(by_the_rules=rules)))
def test_cec2024_equals_the_ranking_written_out(fields):
    s = uscore(fields, "cec2024")
    for p in range(len(s.problems)):
        assert s.total[p].tolist() == oracle.cec2024(cells_of(fields, p))
    assert s.accuracy is None
    assert s.speed is None


def test_longer_curves_agree_with_the_double_loop():
    rng = np.random.default_rng(5)
    shape = (2, 6, 150)
    fields = {}
    for a in range(3):
        C = np.minimum.accumulate(rng.exponential(size=shape), axis=2)
        C[C < 0.005] = 0.0
        E = np.where(
            C == 0.0, np.minimum.accumulate(rng.normal(size=shape), axis=2).round(1), np.nan
        )
        fields[f"a{a}"] = np.stack([E, C], axis=3)
    assert 0.2 < np.isnan(fields["a0"][:, :, -1, 0]).mean() < 0.8  # both kinds of ends occur
    s, t = uscore(fields), uscore(fields, "cec2024")
    for p in range(2):
        accuracy, speed = oracle.cec2026(cells_of(fields, p))
        assert s.accuracy[p].tolist() == accuracy
        assert s.speed[p].tolist() == speed
        assert t.total[p].tolist() == oracle.cec2024(cells_of(fields, p))


def technical_report_example():
    """Four trials of P and of Q, each of which makes all its descent at one sample.

    Ends, best to worst: q1 p1 q2 p2 p3 feasible, q3 p4 q4 infeasible. Arrivals: p1 q1 q2 p2 q3 p3
    q4 p4; towards any threshold a trial then arrives at its own time.
    """
    feasible = {"q1": 1.0, "p1": 2.0, "q2": 3.0, "p2": 4.0, "p3": 5.0}
    infeasible = {"q3": 1.0, "p4": 2.0, "q4": 3.0}
    order = ["p1", "q1", "q2", "p2", "q3", "p3", "q4", "p4"]
    trials = {}
    for time, name in enumerate(order, start=1):
        curve = np.empty((10, 2))
        curve[:time] = np.nan, 100.0
        curve[time:] = (feasible[name], 0.0) if name in feasible else (np.nan, infeasible[name])
        trials[name] = curve
    return trials


def test_worked_example_of_the_technical_report():
    trials = technical_report_example()
    P = [trials[f"p{i}"] for i in range(1, 5)]
    Q = [trials[f"q{i}"] for i in range(1, 5)]
    s = uscore({"P": [P], "Q": [Q]})
    assert s.accuracy.tolist() == [[14.0, 14.0]]
    assert s.speed.tolist() == [[13.0, 15.0]]
    assert s.total.tolist() == [[27.0, 29.0]]
    # The points of single trials: each trial as an algorithm of its own.
    single = uscore({name: [[trial]] for name, trial in sorted(trials.items())})
    assert single.accuracy[0].tolist() == [6, 4, 3, 1, 7, 5, 2, 0]
    assert single.speed[0].tolist() == [7, 4, 2, 0, 6, 5, 3, 1]


@settings(max_examples=100, deadline=None)
@given(curves())
def test_points_of_all_pairs_are_given_out(fields):
    s = uscore(fields)
    size = len(fields) * s.n_trials
    assert (s.accuracy.sum(axis=1) == size * (size - 1) / 2).all()
    assert (s.speed.sum(axis=1) == size * (size - 1) / 2).all()


@settings(max_examples=100, deadline=None)
@given(curves(), st.randoms(use_true_random=False), st.sampled_from(["cec2026", "cec2024"]))
def test_permutations_change_nothing(fields, random, protocol):
    names = list(fields)
    random.shuffle(names)
    rng = np.random.default_rng(random.randrange(2**32))
    shuffled = {name: fields[name][:, rng.permutation(fields[name].shape[1])] for name in names}
    s, t = uscore(fields, protocol), uscore(shuffled, protocol)
    for name in fields:
        assert (s.total[:, list(fields).index(name)] == t.total[:, names.index(name)]).all()
        assert (s.ranks[:, list(fields).index(name)] == t.ranks[:, names.index(name)]).all()


@settings(max_examples=100, deadline=None)
@given(curves(), st.sampled_from(["cec2026", "cec2024"]))
def test_copies_of_an_algorithm_score_alike(fields, protocol):
    s = uscore({**fields, "copy": fields["a0"]}, protocol)
    assert (s.total[:, 0] == s.total[:, -1]).all()
    assert (s.ranks[:, 0] == s.ranks[:, -1]).all()


@settings(max_examples=100, deadline=None)
@given(curves(algorithms=(1, 3), trials=(1, 4)))
def test_unequal_numbers_give_the_mean_over_all_equal_subsets(fields):
    from itertools import combinations, product

    s = uscore(fields, allow_unequal=True)
    n = min(array.shape[1] for array in fields.values())
    assert s.n_trials == n
    subsets = [list(combinations(range(array.shape[1]), n)) for array in fields.values()]
    scores = [
        uscore(
            {name: fields[name][:, list(chosen)] for name, chosen in zip(fields, c, strict=True)}
        )
        for c in product(*subsets)
    ]
    # The mean of sums of halves, against a weighted sum: equal up to rounding.
    np.testing.assert_allclose(s.total, np.mean([t.total for t in scores], axis=0), rtol=1e-12)


def test_ranks_totals_and_gain():
    # Constructed so that U = A + S is known: each trial of x beats each of y, z ties with y.
    x, y = [[[[1.0, 0.0]]]], [[[[2.0, 0.0]]]]
    s = uscore({"x": x, "y": y, "z": y}, problems=["C01"])
    # One sample: all arrive at it, so that every speed point is shared: S = 1 for each.
    assert s.total.tolist() == [[3.0, 1.5, 1.5]]
    assert s.ranks.tolist() == [[1.0, 2.5, 2.5]]
    assert s.sums()["rank"].tolist() == [1.0, 2.5, 2.5]
    assert s.gain("x", "y") == pytest.approx(100.0)
    assert s.gain("y", "x") == pytest.approx(-50.0)
    with pytest.raises(ValueError, match="algorithm must"):
        s.gain("w", "x")


def test_tolerance_of_ties_is_relative_for_large_values():
    def accuracy(u, v):
        return uscore({"x": [[[[u, 0.0]]]], "y": [[[[v, 0.0]]]]}).accuracy[0, 0]

    assert accuracy(1.0, 1.0 + 0.9e-8) == 0.5
    assert accuracy(1.0, 1.0 + 1.1e-8) == 1.0
    assert accuracy(1e6, 1e6 + 0.9e-6) == 0.5  # 1e-12 * 1e6
    assert accuracy(1e6, 1e6 + 1.1e-6) == 1.0


def test_infinite_violations_are_ties():
    worst = np.array([[[[np.nan, np.inf], [np.nan, np.inf]]]])
    s = uscore({"x": worst, "y": worst})
    assert s.accuracy.tolist() == [[0.5, 0.5]]
    assert s.speed.tolist() == [[0.5, 0.5]]


def test_objectives_of_infeasible_points_are_reported():
    bad = np.array([[[[7.0, 3.0], [8.0, 0.0]]]])
    good = np.array([[[[np.nan, 3.0], [8.0, 0.0]]]])
    s = uscore({"good": good, "bad": bad}, problems=["C03"])
    assert len(s.warnings) == 1
    assert "on C03: objectives of infeasible points" in s.warnings[0]
    assert uscore({"good": good}).warnings == ()


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({}, ValueError, "at least one algorithm"),
        ({"x": np.zeros((1, 2, 3))}, ValueError, r"'x' must have shape \(problems, trials"),
        ({"x": np.zeros((1, 2, 3, 3))}, ValueError, r"got \(1, 2, 3, 3\)"),
        ({"x": np.zeros((1, 0, 3, 2))}, ValueError, "none of them 0"),
        ({"x": [["a"]]}, TypeError, "hold real numbers"),
        ({"x": [[1.0], [1.0, 2.0]]}, ValueError, "ragged"),
        ({"x": np.zeros((1, 2, 3, 2)), "y": np.zeros((2, 2, 3, 2))}, ValueError, "must agree"),
        ({"x": np.zeros((1, 2, 3, 2)), "y": np.zeros((1, 2, 4, 2))}, ValueError, "must agree"),
        (
            {"x": np.zeros((1, 2, 3, 2)), "y": np.zeros((1, 3, 3, 2))},
            MixtureError,
            "2 of x, 3 of y",
        ),
    ],
)
def test_bad_curves_are_refused(fields, error, message):
    with pytest.raises(error, match=message):
        uscore(fields)


def test_a_missing_violation_is_refused_with_its_place():
    array = np.zeros((2, 3, 4, 2))
    array[1, 2, 3, 1] = np.nan
    with pytest.raises(ValueError, match="nan for x on problem C07, trial 2, sample 3"):
        uscore({"x": array}, problems=["C06", "C07"])


def test_bad_options_are_refused():
    array = np.zeros((1, 2, 3, 2))
    with pytest.raises(ValueError, match="protocol must"):
        uscore({"x": array}, "cec2062")
    with pytest.raises(ValueError, match="problems must"):
        uscore({"x": array}, problems=["C01", "C02"])
    with pytest.raises(ValueError, match="needs equal numbers of trials"):
        uscore({"x": array, "y": np.zeros((1, 3, 3, 2))}, "cec2024", allow_unequal=True)


def test_inputs_are_not_changed():
    rng = np.random.default_rng(1)
    array = np.abs(rng.normal(size=(2, 3, 4, 2)))
    array[0, 0, 0, 0] = np.nan
    before = array.copy()
    array.flags.writeable = False
    uscore({"x": array, "y": array})
    uscore({"x": array, "y": array}, "cec2024")
    np.testing.assert_array_equal(array, before)


def test_public_name():
    assert de2ls.uscore is uscore


def test_tables():
    rng = np.random.default_rng(2)
    fields = {name: np.abs(rng.normal(size=(2, 3, 4, 2))) for name in ("x", "y")}
    s = uscore(fields, problems=["C01", "C02"])
    totals = s.table().to_dicts()
    sums = dict(zip(s.algorithms, s.total.sum(axis=0).tolist(), strict=True))
    ranks = dict(zip(s.algorithms, s.ranks.sum(axis=0).tolist(), strict=True))
    best_first = sorted(sums, key=lambda name: -sums[name])
    assert [row["algorithm"] for row in totals] == best_first
    assert [row["U-score"] for row in totals] == [sums[name] for name in best_first]
    assert [row["rank sum"] for row in totals] == [ranks[name] for name in best_first]
    by_problem = s.by_problem("accuracy").to_dicts()
    assert [row["problem"] for row in by_problem] == ["C01", "C02", "Total"]
    assert [row["y"] for row in by_problem[:2]] == s.accuracy[:, 1].tolist()
    with pytest.raises(ValueError, match="part must be one of"):
        s.by_problem("spead")


def test_a_negative_violation_is_refused():
    curves = np.zeros((1, 2, 3, 2))
    curves[0, 1, 2, 1] = -5.0
    with pytest.raises(ValueError, match=r"LCV .* -5 .* trial 1, sample 2"):
        uscore({"x": np.zeros((1, 2, 3, 2)), "y": curves})

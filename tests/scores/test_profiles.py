"""Profiles, hitting times and leads of hand-made curves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from de2ls.scores import collect, uscore
from de2ls.scores.collection import Collection
from de2ls.scores.hitting import hitting_times, targets
from de2ls.scores.leads import leads
from de2ls.scores.profiles import profiles
from tests.scores.records import field, make_record

NAN = np.nan
TWO = np.array([[[NAN, 3.0], [5.0, 0.0], [1.0, 0.0]], [[NAN, 2.0], [NAN, 0.5], [3.0, 0.0]]])


def hand_made():
    """One problem, D = 2, samples after 8, 20 and 40 evaluations, best value 0 (given)."""
    return collect(
        make_record("x", seed=run + 1, samples=samples, evaluations=[8, 20, 40], max_evals=40)
        for run, samples in enumerate(TWO)
    )


def test_targets_stand_above_the_best_known_value():
    aims = targets([TWO], best_known=0.5, precisions=np.array([4.0, 0.5]))
    assert (aims.best, aims.known, aims.least) == (0.5, True, 0.0)
    assert aims.objective.tolist() == [4.5, 1.0]
    assert aims.violation.tolist() == pytest.approx([10.0**k for k in range(4, -9, -1)])


def test_targets_stand_above_the_best_run_where_it_is_better_or_nothing_is_known():
    for known in (None, 2.0):
        aims = targets([TWO], known, np.array([4.0]))
        assert (aims.best, aims.known) == (1.0, False)
        assert aims.objective.tolist() == [5.0]


def test_distances_count_in_units_of_a_large_best_value():
    assert targets([TWO - 200.0], -200.0, np.array([0.1])).objective.tolist() == [-180.0]
    absolute = targets([TWO - 200.0], -200.0, np.array([0.1]), relative=False)
    assert absolute.objective.tolist() == [-199.9]


def test_without_a_feasible_point_the_violation_alone_counts():
    never = np.array([[[NAN, 9.0], [NAN, 2.0]]])
    aims = targets([never])
    assert np.isnan(aims.best)
    assert aims.objective.size == 0
    assert aims.violation[[0, 4, -1]].tolist() == [10002.0, 3.0, 2.0 + 1e-8]


def test_problems_that_are_feasible_from_the_start_have_no_target_of_violation():
    assert targets([np.array([[[4.0, 0.0], [2.0, 0.0]]])]).violation.size == 0


def test_hitting_times_by_hand():
    aims = targets([TWO], best_known=0.0, precisions=np.array([6.0, 3.0, 1.0, 0.1]))
    tau = hitting_times(np.array([8.0, 20.0, 40.0]), TWO, aims)
    # V = 1e4 ... 10 at the first sample; 1, 0.1, ... when the violation falls below
    assert tau[0, :4].tolist() == [8, 8, 8, 8]
    assert tau[0, 4:13].tolist() == [20] * 9
    assert tau[1, 4:13].tolist() == [20] + [40] * 8
    assert tau[0, 13:].tolist() == [20, 40, 40, np.inf]
    assert tau[1, 13:].tolist() == [40, 40, np.inf, np.inf]


def test_a_curve_that_rises_again_counts_by_its_best():
    cell = np.array([[[2.0, 0.0], [7.0, 0.0], [1.0, 0.0]]])
    aims = targets([cell], 0.0, np.array([3.0, 1.5]))
    assert hitting_times(np.array([1.0, 2.0, 3.0]), cell, aims).tolist() == [[1.0, 3.0]]


def test_a_profile_by_hand():
    found = profiles(hand_made(), best_known=[0.0], precisions=[6.0, 3.0, 1.0, 0.1])
    (profile,) = found.values()
    assert profile.per_dim[[0, -1]].tolist() == [4.0, 20.0]
    # of 2 x 17 pairs: 4 + 4 at once; 9 + 1 and one objective after 10 D; 8 and 4 more at the end
    assert profile.at(4.0).tolist() == [8 / 34]
    assert profile.at(10.5).tolist() == [19 / 34]
    assert profile.at(20.0)[0] == pytest.approx(31 / 34, abs=1e-15)
    assert profile.at(3.9).tolist() == [0.0]
    assert profile.notes == ()
    row = profile.table().to_dicts()[0]
    assert (row["algorithm"], row["20 D"]) == ("x", pytest.approx(100 * 31 / 34))


def test_a_profile_says_where_its_targets_stand_on_the_runs():
    (profile,) = profiles(hand_made()).values()
    assert profile.notes == ("targets above the best of the compared runs on all problems",)


def test_sets_of_problems_are_the_means_of_their_problems():
    collection = collect(field(numbers=(1, 2, 3)))
    first, second, third = collection.problems
    sets = {"a": [first], "b": [second], "both": [first, second], "none": ["C28"]}
    found = profiles(collection, sets)
    assert list(found) == ["a", "b", "both"]
    np.testing.assert_allclose(found["both"].share, (found["a"].share + found["b"].share) / 2)
    assert found["both"].problems == (first, second)
    assert third not in found["both"].problems


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_shares_rise_within_their_bands(seed, runs):
    rng = np.random.default_rng(seed)
    collection = collect(field(seeds=range(1, runs + 1), rng=rng))
    (profile,) = profiles(collection, seed=seed).values()
    assert (np.diff(profile.share, axis=1) >= 0).all()
    assert (profile.share >= 0).all()
    assert (profile.share <= 1 + 1e-12).all()
    assert (np.diff(profile.low, axis=1) >= -1e-12).all()
    assert (profile.low <= profile.high).all()


def test_arrays_without_evaluations_have_no_profile():
    with pytest.raises(ValueError, match="evaluations"):
        profiles(Collection.from_curves({"x": np.zeros((1, 2, 3, 2))}))


def test_unknown_evaluations_of_the_first_sample_count_as_the_next():
    samples = [[2.0, 0.0], [1.0, 0.0]]
    record = make_record("x", samples=samples, evaluations=[NAN, 20], max_evals=20)
    (profile,) = profiles(collect([record])).values()
    assert profile.per_dim.tolist() == [10.0] * profile.per_dim.size


def ends_first(label, samples):
    return [
        make_record(label, seed=run + 1, samples=rows, evaluations=[4, 20, 40], max_evals=40)
        for run, rows in enumerate(samples)
    ]


def test_leads_by_hand():
    fast = [[[5.0, 0.0], [2.0, 0.0], [2.0, 0.0]]]
    late = [[[9.0, 0.0], [9.0, 0.0], [1.0, 0.0]]]
    found = leads(collect([*ends_first("fast", fast), *ends_first("late", late)]))
    # At first and in the middle fast is better and as early as late or earlier. At the end late is
    # better (accuracy 0 : 1), but fast was at 2, what both reach, one sample earlier (speed 1 : 0).
    assert found.fraction[[0, -1]].tolist() == [0.1, 1.0]
    assert found.share[:, 0].tolist() == [0.75, 0.25]
    assert found.share[:, -1].tolist() == [0.5, 0.5]


def test_leads_end_at_the_score_and_add_up_to_one():
    collection = collect(field(labels=("x", "y", "z"), numbers=(1, 2, 3), seeds=range(1, 6)))
    for protocol in ("cec2026", "cec2024"):
        found = leads(collection, protocol)
        total = uscore(collection, protocol).total.sum(axis=0)
        np.testing.assert_allclose(found.share[:, -1], total / total.sum(), rtol=1e-12)
        np.testing.assert_allclose(found.share.sum(axis=0), 1.0, rtol=1e-12)
        assert (found.low <= found.high).all()
        assert sum(row["100 %"] for row in found.table().to_dicts()) == pytest.approx(100.0)

"""Running times and quality at budgets of hand-made curves."""

import numpy as np
import pytest

from de2ls.scores import collect
from de2ls.scores.running_times import fixed_budget, running_times
from tests.scores.records import make_record

NAN = np.nan
RUNS = [
    [[9.0, 0.0], [1.0, 0.0], [0.0, 0.0]],
    [[9.0, 0.0], [9.0, 0.0], [0.5, 0.0]],
    [[NAN, 4.0], [NAN, 2.0], [NAN, 1.0]],
]


def hand_made(runs=RUNS):
    return collect(
        make_record("x", seed=i, samples=samples, evaluations=[10, 50, 100], max_evals=100)
        for i, samples in enumerate(runs, 1)
    )


def test_expected_running_times_by_hand():
    found = running_times(hand_made(), [0.0], precisions=(10.0, 1.0, 0.1, 0.0))
    # 10: (10 + 10 + 100) / 2; 1: (50 + 100 + 100) / 2; 0.1 and 0: (100 + 100 + 100) / 1
    assert found.ert[0, 0].tolist() == [60.0, 125.0, 300.0, 300.0]
    assert found.successes[0, 0].tolist() == [2, 2, 1, 1]
    assert found.high[0, 0, 2] == np.inf  # resamples without the first run have no success
    row = found.table().to_dicts()[0]
    assert (row["ERT to 1"], row["runs at 1"]) == (125.0, "2/3")


def test_a_target_that_nobody_reaches_has_no_running_time():
    found = running_times(hand_made(), [-1.0], precisions=(0.1,))
    assert found.ert[0, 0, 0] == np.inf
    row = found.table().to_dicts()[0]
    assert row["ERT to 0.1"] is None
    assert row["runs at 0.1"] == "0/3"


def test_the_interval_holds_the_estimate():
    rng = np.random.default_rng(3)
    runs = [[[9.0, 0.0], [float(x), 0.0], [float(x) / 9, 0.0]] for x in rng.random(12)]
    found = running_times(hand_made(runs), [0.0], precisions=(1.0, 0.3, 0.05))
    assert (found.low <= found.ert).all()
    assert (found.ert <= found.high).all()


def test_without_a_feasible_point_there_is_no_target():
    found = running_times(hand_made([RUNS[2]]))
    assert (found.ert == np.inf).all()
    assert any("no feasible point" in note for note in found.notes)


def test_bad_precisions_are_refused():
    with pytest.raises(ValueError, match="precisions"):
        running_times(hand_made(), precisions=(-1.0,))


def test_quality_at_budgets_by_hand():
    found = fixed_budget(hand_made(), (0.1, 0.5, 1.0))
    assert found.objective[0, 0, 2].tolist()[:2] == [0.0, 0.5]
    assert np.isnan(found.objective[0, 0, 2, 2])
    assert found.violation[0, 0, :, 2].tolist() == [4.0, 2.0, 1.0]
    row = found.table().to_dicts()[0]
    assert (row["after 50%"], row["after 100%"]) == (9.0, 0.5)


def test_an_infeasible_median_is_told_by_its_violation():
    table = fixed_budget(hand_made(RUNS[2:]), (1.0,)).table()
    assert table.to_dicts()[0]["after 100%"] == "CV 1"


def test_a_budget_before_the_first_sample_takes_the_first():
    found = fixed_budget(hand_made(), (0.0,))
    assert found.objective[0, 0, 0, :2].tolist() == [9.0, 9.0]

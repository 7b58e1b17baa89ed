from dataclasses import replace

import numpy as np
import pytest

from de2ls.campaigns.store import Store
from de2ls.problems import problem
from de2ls.problems.key import ProblemKey
from de2ls.scores import Collection, MixtureError, collect, summary, uscore
from de2ls.scores.groups import grouped
from de2ls.trials import run_trial

from .records import field, make_record


def test_records_are_sorted_into_algorithms_and_problems():
    records = field(("y", "x"), (9, 10, 1), (7, 5))
    rng = np.random.default_rng(3)
    collection = collect([records[0], *(records[i] for i in rng.permutation(range(1, 12)))])
    assert collection.algorithms == ("y", "x")  # as they first appear
    assert collection.problems == ("C01", "C09", "C10")
    assert collection.seeds == (((5, 7), (5, 7)),) * 3
    assert collection.n_trials == 2
    assert collection.equal
    assert collection.warnings == ()
    for record in records:
        p = collection.problems.index(f"C{record.problem.name:02d}")
        a = collection.algorithms.index(record.label)
        t = collection.seeds[p][a].index(record.seed)
        np.testing.assert_array_equal(collection.cells[p][a][t], record.curve[:, 1:])
        np.testing.assert_array_equal(collection.curves()[record.label][p, t], record.curve[:, 1:])


def test_names_of_problems():
    def name(key):
        return collect([make_record(key=key)]).problems[0]

    assert name({"suite": "cec2017", "number": 3}) == "C03"
    assert name({"suite": "other", "number": 3}) == "other 3"
    assert name({"suite": "beam.py", "number": 1}) == "beam.py"
    assert name({"name": "welded beam"}) == "welded beam"


@pytest.mark.parametrize(
    ("odd", "aspect", "message"),
    [
        ({"max_evals": 99}, "budget", "budget 99 instead of 40"),
        ({"evaluations": [8, 21, 40]}, "samples", "sampled at other evaluations"),
        ({"samples": [[1.0, 0.0]]}, "samples", "1 samples instead of 3"),
    ],
)
@pytest.mark.parametrize("allow_unequal", [False, True])
def test_mixtures_are_refused_by_name(odd, aspect, message, allow_unequal):
    records = field()
    wrong = make_record("y", 2, 3, **{"max_evals": 40, **odd})
    records[-1] = wrong
    with pytest.raises(MixtureError, match=message) as caught:
        collect(records, allow_unequal)
    assert "y on C02 (run 3)" in str(caught.value)
    fault = next(fault for fault in caught.value.faults if fault.aspect == aspect)
    assert [(t.label, t.problem.label, t.run) for t in fault.trials] == [("y", "C02", 3)]


@pytest.mark.parametrize("allow_unequal", [False, True])
@pytest.mark.parametrize(
    "odd",
    [
        {"definition": "cpp2017"},
        {"instance": 3},
        {"dim": 10},
        {"key": {**make_record(number=2).problem.as_dict(), "excess": True}},
        {"key": {"suite": "cec2006", "number": 2, "dim": 2}},
    ],
)
def test_problems_of_several_groups_do_not_mix(odd, allow_unequal):
    records = field(numbers=(1,)) + field(numbers=(2,), **odd)
    with pytest.raises(MixtureError, match="2 groups") as caught:
        collect(records, allow_unequal)
    assert "allow_unequal" not in str(caught.value)
    (fault,) = caught.value.faults
    for group in grouped(record.problem for record in records):
        assert str(group) in fault.what


def test_problems_with_own_data_have_a_digest_each():
    first, second = ({"instance": f"custom-{name}"} for name in "ab")
    records = field(numbers=(1,), **first) + field(numbers=(2,), **second)
    assert collect(records).problems == ("C01", "C02")
    mixed = field(("x",), (1,), **first) + field(("y",), (1,), **second)
    with pytest.raises(MixtureError, match="y has no trial on C01"):
        collect(mixed, allow_unequal=True)
    both = field(numbers=(1,), **first) + field(numbers=(1,), **second)
    assert len(set(collect(both).problems)) == 2  # told apart


def test_unequal_numbers_of_trials():
    records = field()[:-1]
    with pytest.raises(
        MixtureError, match=r"2 trials instead of 3: y on C02 \(2 trials, runs 1,"
    ) as caught:
        collect(records)
    assert str(caught.value).endswith("(allow_unequal accepts that, with a warning)")
    collection = collect(records, allow_unequal=True)
    assert not collection.equal
    assert collection.n_trials == 2
    assert "unequal trials accepted: 2 trials instead of 3: y on C02" in collection.warnings[0]
    assert uscore(collection).warnings == collection.warnings
    with pytest.raises(ValueError, match="different sizes"):
        collection.curves()


@pytest.mark.parametrize("sizes", [(1, 5, 2), (4, 1, 3), (3, 3, 4)])
def test_cells_of_any_sizes_keep_their_values(sizes):
    samples = {
        (number, run): [[np.nan, 9.0], [10.0 * number + run, 0.0]]
        for number, size in enumerate(sizes, start=1)
        for run in range(1, size + 1)
    }
    records = [make_record("x", *place, curve) for place, curve in samples.items()]
    cells = [row[0] for row in collect(records, allow_unequal=True).cells]
    assert [len(cell) for cell in cells] == list(sizes)
    expected = np.array(list(samples.values()))
    assert np.array_equal(np.concatenate(cells), expected, equal_nan=True)


def test_a_problem_that_a_series_lacks_is_left_out_with_permission():
    records = [r for r in field() if not (r.label == "y" and r.problem.name == 2)]
    with pytest.raises(MixtureError, match="y has no trial on C02"):
        collect(records)
    collection = collect(records, allow_unequal=True)
    assert collection.problems == ("C01",)
    assert collection.warnings == ("C02 is left out: no trial of y",)
    with pytest.raises(MixtureError, match="y has no trial on C01"):  # nothing remains
        collect(field(("x",), (1,)) + field(("y",), (2,)), allow_unequal=True)


@pytest.mark.parametrize("allow_unequal", [False, True])
def test_a_trial_counts_once(allow_unequal):
    records = field()
    with pytest.raises(MixtureError, match=r"more than once: x on C01 \(2 trials, runs 1"):
        collect([*records, records[0]], allow_unequal)


def test_budgets_that_differ_between_problems_need_permission():
    records = field(numbers=(1,)) + field(numbers=(2,), max_evals=60)
    with pytest.raises(MixtureError, match="budget 60 instead of 40"):
        collect(records)
    assert len(collect(records, allow_unequal=True).warnings) == 1


def test_budgets_may_follow_the_problems_own_dimensions():
    keys = [
        {"suite": "cec2006", "number": 1, "dim": 2},
        {"suite": "cec2006", "number": 2, "dim": 4},
    ]
    records = [
        make_record(label, key=key, seed=seed, max_evals=20 * key["dim"])
        for label in "xy"
        for key in keys
        for seed in (1, 2)
    ]
    assert collect(records).problems == ("G1", "G2")


def test_of_many_faults_the_message_shows_the_first():
    numbers = range(1, 8)
    records = field(("x",), numbers) + field(("y",), numbers, max_evals=60)
    with pytest.raises(MixtureError, match=r"; and 2 more$") as caught:
        collect(records)
    assert len(caught.value.faults) == 7
    assert str(caught.value).count("instead of") == 5


def test_different_initial_populations_share_the_grid():
    other = field(("y",), evaluations=[33, 33, 40])
    assert collect(field(("x",)) + other).algorithms == ("x", "y")


def test_a_missing_first_sample_is_left_out_of_all_with_a_warning():
    longer = field(("x",))
    shorter = [
        make_record("y", r.problem.name, r.seed, r.curve[1:, 1:], r.curve[1:, 0], max_evals=40)
        for r in longer
    ]
    with pytest.raises(MixtureError, match="samples instead of"):
        collect(longer + shorter)
    collection = collect(longer + shorter, allow_unequal=True)
    assert {cell.shape for row in collection.cells for cell in row} == {(3, 2, 2)}
    np.testing.assert_array_equal(collection.cells[0][0], collection.cells[0][1])
    assert any("samples" in warning for warning in collection.warnings)


def test_nothing_to_score():
    with pytest.raises(ValueError, match="no trial"):
        collect([])


def test_a_curve_of_wrong_shape_is_refused():
    record = replace(make_record(), curve=np.zeros((5, 4)))
    with pytest.raises(ValueError, match=r"x on .* must have shape \(rows, 3\)"):
        collect([record])


def test_runs_and_evaluations_are_kept():
    collection = collect(field(seeds=(9, 5, 7)))
    assert collection.runs == (((5, 7, 9), (5, 7, 9)),) * 2
    for row in collection.grids:
        for grid in row:
            np.testing.assert_array_equal(grid, [8, 20, 40])


def test_select():
    collection = collect(field(("x", "y", "z"), (1, 2, 3)))
    part = collection.select(["z", "x"], ["C03"])
    assert part.algorithms == ("z", "x")
    assert part.problems == ("C03",)
    assert part.keys[0].number == 3
    assert part.seeds == (((1, 2, 3), (1, 2, 3)),)
    np.testing.assert_array_equal(part.cells[0][0], collection.cells[2][2])
    assert collection.select().problems == collection.problems
    with pytest.raises(ValueError, match="algorithm must"):
        collection.select(["w"])
    with pytest.raises(ValueError, match="at least one"):
        collection.select([])


def test_collections_of_arrays_have_no_seeds():
    collection = Collection.from_curves({"x": np.zeros((1, 1, 1, 2))})
    assert collection.seeds == ()
    assert collection.select(["x"]).seeds == ()
    assert collection.keys == (ProblemKey("", "1", 0),)


def test_a_problem_of_ones_own_is_scored_by_its_own_rule(tmp_path):
    # Feasible up to 0.1, and an objective of 3e-9: neither is the competition's rule.
    def fun(x):
        return 3e-9 + 0.0 * x[0], np.array([0.05]), np.empty(0)

    own = replace(problem(fun, [(0, 1)] * 2, n_ineq=1, n_eq=0, name="mine"), feasible_tol=0.1)
    records = [
        run_trial("de-rand-1-bin", own, seed=seed, max_evals=100, label=label)
        for seed, label in ((1, "x"), (2, "y"))
    ]
    with Store.open(tmp_path / "a.db") as store:
        for record in records:
            store.add(record)
        collection = collect(store.records())
    assert collection.problems == ("mine",)
    for cell in collection.cells[0]:
        assert cell[0, -1].tolist() == [pytest.approx(3e-9), pytest.approx(0.05)]
    found = summary(collection)
    assert found.feasible.tolist() == [[1.0, 1.0]]
    assert found.mean[0].tolist() == [pytest.approx(3e-9)] * 2

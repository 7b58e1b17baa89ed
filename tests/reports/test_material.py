import pytest

from de2ls.campaigns import Plan, Store, run_campaign
from de2ls.reports import load
from de2ls.reports.material import gather
from de2ls.scores import MixtureError
from tests.helpers import BOWL_AND_SLOPE
from tests.reports.support import HOSTILE, NAMES, SERIES, fill, make_store


def test_trials_series_and_samples_belong_to_the_score(material):
    assert material.collection.algorithms == tuple(NAMES)
    assert material.labels == tuple(SERIES)
    assert [series.label for series in material.series] == list(SERIES)
    assert len(material.trials) == 3 * 3 * 4
    assert material.collection.problems == ("C01", "C04", "C17")
    for row in material.collection.grids:
        for grid in row:
            assert grid.tolist() == [50 * max(1, k) for k in range(41)]
    assert material.warnings == ()


def test_labels_choose_and_order_the_series(store):
    (chosen,) = load(store, {"labels": ["rdex", "de2ls"], "problems": [1]})
    assert chosen.collection.algorithms == ("RDEx", "DE-2LS")
    assert [series.algorithm for series in chosen.series] == ["rdex", "de2ls"]
    assert {trial.label for trial in chosen.trials} == {"rdex", "de2ls"}


def test_a_problem_that_a_series_lacks_is_refused_or_left_out_with_a_warning(tmp_path):
    path = make_store(tmp_path / "a.db", numbers=(1, 4))
    with Store.open(path) as store:
        fill(store, {"de2ls": SERIES["de2ls"]}, numbers=(5,))
    with pytest.raises(MixtureError, match=r"rdex, .* has no trial on C05"):
        load(path)
    (found,) = load(path, allow_unequal=True)
    assert found.collection.problems == ("C01", "C04")
    assert {trial.problem.name for trial in found.trials} == {1, 4}
    assert found.assessment.warnings[0] == f"C05 is left out: no trial of rdex, {HOSTILE}"


def test_planned_trials_that_are_missing_are_named(tmp_path):
    path = tmp_path / "a.db"
    plan = Plan.from_settings(
        {"algorithms": "de2ls,rdex", "problems": "1,4", "dim": "5,6", "instance": 1, "runs": 6}
    )
    made = {s.label: (s.algorithm, dict(s.config)) for s in plan.series}
    with Store.open(path) as store:
        store.add_plan(plan.as_dict())
        fill(store, made, numbers=(1,), runs=5)
        fill(store, {"de2ls": made["de2ls"]}, numbers=(4,), runs=6)
    (found,) = load(path, {"dims": 5}, allow_unequal=True)
    assert found.assessment.warnings[0] == "C04 is left out: no trial of rdex"
    assert found.warnings == (
        "8 planned trials are missing: de2ls on C01 (1), rdex on C01 (1), rdex on C04 (6); "
        "the campaign's command continues it",
    )
    (only,) = load(path, {"dims": 5, "problems": [1], "labels": ["de2ls"], "runs": [1, 2, 3, 4, 5]})
    assert only.warnings == ()


def test_mixed_versions_are_a_warning(tmp_path):
    path = make_store(tmp_path / "a.db", numbers=(1,))
    with Store.open(path) as store:
        fill(store, {"newer": SERIES["rdex"]}, numbers=(1,), version="0.2.0")
    ((warning,),) = [found.warnings for found in load(path)]
    assert "different environments are mixed" in warning
    assert "de2ls (0.1.0, 0.2.0)" in warning


def test_groups_are_scored_each_by_itself(tmp_path):
    path = make_store(tmp_path / "a.db", numbers=(1, 4))
    with Store.open(path) as store:
        fill(store, {name: SERIES[name] for name in ("de2ls", "rdex")}, numbers=(1,), dim=10)
    small, large = load(path)
    assert str(small.group) == "cec2017, D = 5, definition report, instance 1"
    assert str(large.group) == "cec2017, D = 10, definition report, instance 1"
    assert small.collection.algorithms == tuple(NAMES)
    assert large.collection.algorithms == ("DE-2LS", "RDEx")
    assert {trial.problem.dim for trial in large.trials} == {10}
    alone = load(path, {"dims": 10})
    assert (alone[0].assessment.score.total == large.assessment.score.total).all()


def test_a_title_is_used_only_where_it_is_unambiguous(tmp_path):
    path = tmp_path / "a.db"
    labels = {"de2ls": SERIES["de2ls"], "DE-2LS": SERIES["rdex"], "mine": SERIES["rdex"]}
    with Store.open(path) as store:
        fill(store, labels, numbers=(1,))
    assert load(path)[0].collection.algorithms == ("de2ls", "DE-2LS", "mine")


def test_groups_and_best_values_of_a_users_file_are_there_without_the_file(tmp_path):
    file, path = tmp_path / "two.py", tmp_path / "a.db"
    file.write_text(BOWL_AND_SLOPE)
    plan = Plan.from_settings(
        {"algorithms": "de-rand-1-bin", "suite": str(file), "dim": 2, "runs": 2, "max_evals": 100}
    )
    run_campaign(plan, path, workers=1, executor="threads")
    file.unlink()
    (found,) = gather(path)
    assert found.collection.problems == ("bowl", "slope")
    assert found.collection.best_known == [0.5, None]
    assert found.collection.groups == {"round": ["bowl"]}

import pickle

import pytest

from de2ls.algorithms import resolve_config
from de2ls.campaigns import Plan, ProblemRef, Series
from de2ls.campaigns.seeds import trial_seed

from .support import small_plan

PROBLEM_FILE = """
from math import hypot

bounds = [(-1, 1), (-1, 1), (0, 3)]
n_ineq = 1
options = {"max_evals": 500}

def fun(x):
    return hypot(x[0], x[1]) + x[2], [0.5 - x[2]], []
"""


def test_trials_are_all_combinations_run_by_run():
    plan = small_plan(runs="2-3", dim="4,5")
    trials = list(plan.trials())
    assert len(trials) == len(plan) == 2 * (2 * 2) * 2
    assert [trial.run for trial in trials] == [2] * 8 + [3] * 8
    assert {(t.label, t.problem.number, t.problem.dim) for t in trials[:8]} == {
        (label, number, dim) for label in ("de2ls", "rdex") for number in (1, 4) for dim in (4, 5)
    }


def test_seed_and_budget_of_a_trial():
    plan = small_plan(max_evals=None, seed=9)
    trial = next(plan.trials())
    assert trial.max_evals == 20_000 * 4
    assert trial.seed == trial_seed(9, "de2ls", trial.problem, 1)
    first, second = list(small_plan(paired=True).trials())[:2]
    assert (first.label, second.label) == ("de2ls", "rdex")
    assert first.seed == second.seed


def test_defaults_are_the_competition():
    plan = Plan.from_settings({})
    assert [series.label for series in plan.series] == ["de2ls"]
    assert [problem.number for problem in plan.problems] == list(range(1, 29))
    assert {(p.dim, p.definition, p.instance) for p in plan.problems} == {(30, "report", 0)}
    assert plan.runs == tuple(range(1, 26))


@pytest.mark.parametrize(
    ("text", "label", "algorithm", "config"),
    [
        ("de2ls", "de2ls", "de2ls", {}),
        ("de2ls:ls_mc=1", "de2ls:ls_mc=1", "de2ls", {"ls_mc": 1}),
        ("MC1 = de2ls:ls_mc=1:ls_sr=0.9", "MC1", "de2ls", {"ls_mc": 1, "ls_sr": 0.9}),
        ("mine=rdex", "mine", "rdex", {}),
    ],
)
def test_series_from_text(text, label, algorithm, config):
    series = Series.parse(text)
    assert (series.label, series.algorithm) == (label, algorithm)
    assert series.config == resolve_config(algorithm, config)
    assert {name: series.config[name] for name in config} == config


def test_toml_file_with_tables_and_overrides(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(
        """
        problems = ["1-2", 5]
        dim = [2, 3]
        instance = 1
        runs = "26-27"
        seed = 5
        max_evals = 100
        paired = true

        [[algorithms]]
        name = "de2ls"

        [[algorithms]]
        name = "de2ls"
        label = "MC1"
        config = { ls_mc = 1 }
        """
    )
    plan = Plan.from_file(path)
    assert plan == Plan(
        series=(Series("de2ls"), Series("de2ls", "MC1", {"ls_mc": 1})),
        problems=tuple(
            ProblemRef("cec2017", number, dim, "report", 1)
            for numbers in ((1, 2), (5,))
            for dim in (2, 3)
            for number in numbers
        ),
        runs=(26, 27),
        seed=5,
        max_evals=100,
        paired=True,
    )
    changed = Plan.from_file(path, {"runs": "2", "algorithms": "rdex"})
    assert changed.runs == (1, 2)
    assert changed.series == (Series("rdex"),)
    assert changed.seed == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"algoritms": "de2ls"}, r"no setting 'algoritms' \(did you mean 'algorithms'\?\)"),
        ({"algorithms": "de2sl"}, r"algorithm must be one of .* \(did you mean 'de2ls'\?\)"),
        ({"algorithms": "de2ls:ls_cm=1"}, r"no field 'ls_cm' \(did you mean 'ls_mc'\?\)"),
        ({"algorithms": "de2ls:ls_mc"}, "must have the form field=value"),
        ({"algorithms": "de2ls,de2ls"}, "label 'de2ls' is planned twice"),
        ({"algorithms": ""}, "series must not be empty"),
        ({"algorithms": [{"label": "a"}]}, "a table with a name"),
        ({"algorithms": [{"name": "de2ls", "conf": {}}]}, "one of name, label, config"),
        ({"problems": "1-x"}, "problems must be numbers and ranges"),
        ({"problems": "1,1"}, "is planned twice"),
        ({"problems": "3-1"}, "problems must not be empty"),
        ({"problems": "none.py"}, "there is no problem file none.py"),
        ({"dim": "ten"}, "dim must be numbers"),
        ({"runs": "0"}, "runs must not be empty"),
        ({"runs": "0-3"}, "runs must be an integer of at least 1"),
        ({"seed": -1}, "seed must be an integer of at least 0"),
        ({"max_evals": 0}, "max_evals must be an integer of at least 1"),
        ({"paired": "yes"}, "paired must be true or false"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises((ValueError, TypeError, FileNotFoundError), match=message):
        small_plan(**settings)


def test_a_plan_that_is_no_toml(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text("runs = = 3")
    with pytest.raises(ValueError, match=r"plan\.toml is no valid TOML"):
        Plan.from_file(path)


def test_a_problem_file_becomes_a_problem(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(PROBLEM_FILE)
    (ref,) = small_plan(problems=str(path)).problems
    problem = ref.load()
    assert (problem.dim, problem.n_ineq, problem.kernel) == (3, 1, None)
    f, g, h = problem.evaluate([0.3, 0.4, 0.25])
    assert (f, g.tolist(), h.tolist()) == (0.75, [0.25], [])
    assert problem.key == ref.key
    assert ref.key.suite == "mine.py"


def test_another_text_is_another_problem_and_never_taken_for_the_first(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(PROBLEM_FILE)
    (before,) = small_plan(problems=str(path)).problems
    path.write_text(PROBLEM_FILE.replace("0.5 -", "0.6 -"))
    (after,) = small_plan(problems=str(path)).problems
    assert before.key != after.key
    with pytest.raises(ValueError, match="is not the file of the plan"):
        before.load()


def test_a_planned_trial_travels():
    trial = next(small_plan().trials())
    assert pickle.loads(pickle.dumps(trial)) == trial


@pytest.mark.parametrize("problems", ["29", "0-3", [1, 40]])
def test_numbers_that_the_suite_lacks_are_refused(problems):
    with pytest.raises(ValueError, match="problems must be an integer from 1 to 28, got "):
        small_plan(problems=problems)

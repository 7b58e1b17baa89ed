import dataclasses
import pickle

import pytest

from de2ls.algorithms import resolve_config
from de2ls.campaigns import Plan, Series
from de2ls.campaigns.seeds import trial_seed
from de2ls.problems.key import ProblemKey
from tests.helpers import BOWL_AND_SLOPE

from .support import small_plan

PROBLEM_FILE = """
from math import hypot

bounds = [(-1, 1), (-1, 1), (0, 3)]
n_ineq = 1
options = {"max_evals": 500}

def fun(x):
    return hypot(x[0], x[1]) + x[2], [0.5 - x[2]], []
"""


def own_plan(*paths, **changes):
    text = ",".join(map(str, paths))
    return small_plan(**{"problems": text, "dim": None, "instance": None, **changes})


def labels(plan):
    return [(key.suite, key.label, key.dim) for key in plan.problems]


def test_problems_of_any_suite_by_number_name_label_and_range():
    plan = Plan.from_settings({"suite": "cec2006", "problems": "1-2,G5,g19-24"})
    assert [key.label for key in plan.problems] == [
        *("G1", "G2", "G5", "G19", "G21", "G22", "G23", "G24")
    ]
    assert len(Plan.from_settings({"suite": "cec2006", "problems": "1-24"}).problems) == 23
    plan = Plan.from_settings({"problems": "C7,c9-C10", "dim": [10, 30]})
    assert [(key.label, key.dim) for key in plan.problems] == [
        *(("C07", 10), ("C07", 30), ("C09", 10), ("C10", 10), ("C09", 30), ("C10", 30))
    ]
    with pytest.raises(ValueError, match="got 20"):
        Plan.from_settings({"suite": "cec2006", "problems": 20})


def test_several_suites_in_one_plan():
    plan = Plan.from_settings(
        {"suite": ["cec2006", "bbob-constrained"], "problems": "f3,G2", "dim": 5}
    )
    assert labels(plan) == [("bbob-constrained", "f3_i1", 5), ("cec2006", "G2", 20)]
    assert not plan.sources
    with pytest.raises(ValueError, match=r"'definition'.*cec2006"):
        Plan.from_settings({"suite": "cec2006", "definition": "report"})


SCALABLE = """
def bounds(dim):
    return [(0, 1)] * dim

def fun(x):
    return sum(x)
"""


def test_files_over_several_dimensions_beside_the_suite(tmp_path):
    first, second = tmp_path / "own1.py", tmp_path / "own2.py"
    first.write_text(SCALABLE)
    second.write_text(SCALABLE.replace("1)", "2)"))
    plan = own_plan(first, second, dim="5,10")
    assert [label[1:] for label in labels(plan)] == [
        *(("own1", 5), ("own1", 10), ("own2", 5), ("own2", 10))
    ]
    assert set(plan.sources.values()) == {str(first), str(second)}
    mixed = small_plan(problems=f"1,{first}", dim=5)
    assert [label[1:] for label in labels(mixed)] == [("C01", 5), ("own1", 5)]
    with pytest.raises(ValueError, match="no setting 'instance'"):
        own_plan(first, dim=5, instance=1)


def test_a_plan_keeps_what_a_file_says_of_its_problems(tmp_path):
    file = tmp_path / "two.py"
    file.write_text(BOWL_AND_SLOPE)
    plan = Plan.from_settings({"suite": str(file), "dim": 2})
    bowl, slope = (key.to_json() for key in plan.problems)
    assert plan.as_dict()["facts"] == {
        bowl: {"best_known": 0.5, "groups": ["round"]},
        slope: {"best_known": None, "groups": []},
    }
    assert Plan.from_settings({"suite": "cec2006"}).as_dict()["facts"] == {}


def test_dim_for_a_file_of_one_dimension_is_an_error(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(PROBLEM_FILE)
    assert labels(own_plan(path, dim=3)) == labels(own_plan(path)) == [("mine.py", "mine", 3)]
    with pytest.raises(ValueError, match=r"dim must be 3 for .*mine\.py, got 5"):
        own_plan(path, dim="3,5")


@pytest.mark.parametrize("text", ["runs = '\xe4'".encode("latin-1"), b"a = " + b"[" * 5000])
def test_plans_that_cannot_be_read_are_named(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"plan\.toml is no valid TOML"):
        Plan.from_file(path)


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
    assert {(p.dim, p["definition"], p["instance"]) for p in plan.problems} == {(30, "report", 0)}
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
            ProblemKey.make("cec2017", number, dim, definition="report", instance=1)
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
        ({"problems": "1-x"}, "problems must be among .* got '1-x'"),
        ({"problems": "C1-C40,G1"}, "problems must be among .* got 'C1-C40'"),
        ({"problems": ""}, "problems must not be empty"),
        ({"suite": "cec2071"}, r"suite must be one of .* \(did you mean 'cec2017'\?\)"),
        ({"suite": "cec2006"}, "no setting 'dim' .*cec2006; it has algorithms, suite"),
        ({"problems": "1,1"}, "is planned twice"),
        ({"problems": "3-1"}, "problems must be among"),
        ({"problems": "none.py"}, "there is no problem file none.py"),
        ({"dim": "ten"}, "dim must be numbers"),
        ({"runs": "0"}, "runs must not be empty"),
        ({"runs": "0-3"}, "runs must"),
        ({"seed": -1}, "seed must"),
        ({"max_evals": 0}, "max_evals must be an integer from 8"),
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
    trial = next(own_plan(path).trials())
    problem = trial.load()
    assert (problem.dim, problem.n_ineq, problem.kernel) == (3, 1, None)
    f, g, h = problem.evaluate([0.3, 0.4, 0.25])
    assert (f, g.tolist(), h.tolist()) == (0.75, [0.25], [])
    assert problem.key == trial.problem
    assert (trial.problem.suite, trial.problem.label) == ("mine.py", "mine")
    assert pickle.loads(pickle.dumps(trial)).load() is problem


def test_another_text_is_another_problem_and_never_taken_for_the_first(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(PROBLEM_FILE)
    before = next(own_plan(path).trials())
    path.write_text(PROBLEM_FILE.replace("0.5 -", "0.6 -"))
    after = next(own_plan(path).trials())
    assert before.problem != after.problem
    with pytest.raises(ValueError, match="is not the file of the plan"):
        before.load()


def test_a_planned_trial_travels():
    trial = next(small_plan().trials())
    assert pickle.loads(pickle.dumps(trial)) == trial


@pytest.mark.parametrize("problems", ["29", "0-3", [1, 40]])
def test_numbers_that_the_suite_lacks_are_refused(problems):
    with pytest.raises(ValueError, match="problems must be among C01"):
        small_plan(problems=problems)


@pytest.mark.parametrize("runs", [999_999_999, "1-999999999", "5,7-99999999999999999999"])
def test_endless_runs_are_refused_at_once(runs):
    with pytest.raises(ValueError, match="runs must"):
        small_plan(runs=runs)


def test_a_plan_has_a_largest_size():
    plan = small_plan()
    with pytest.raises(ValueError, match=r"runs, .* at most 1,000,000 trials, got 1,000,000,000 x"):
        dataclasses.replace(plan, runs=range(1, 10**9 + 1))


@pytest.mark.parametrize(
    ("name", "value"), [("max_evals", 10**22), ("dim", 10**6), ("instance", 10**23)]
)
def test_settings_have_upper_limits(name, value):
    with pytest.raises(ValueError, match=rf"{name} must be an integer from .* to "):
        next(small_plan(**{name: value}).trials()).load()


@pytest.mark.parametrize("label", [[1], 3, {"a": 1}])
def test_a_label_is_a_text(label):
    with pytest.raises(TypeError, match="label must be a text, got"):
        small_plan(algorithms=[{"name": "de2ls", "label": label}])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"runs = " + b"[" * 5000 + b"]" * 5000, "nested"),
        (b'algorithms = "\xff"', "utf-8"),
        (b"runs = = 3", "TOML"),
    ],
)
def test_a_plan_that_cannot_be_read_is_named(tmp_path, content, reason):
    path = tmp_path / "plan.toml"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"plan\.toml .*{reason}"):
        Plan.from_file(path)


def test_a_problem_file_that_is_no_utf_8_is_named(tmp_path):
    path = tmp_path / "mine.py"
    path.write_bytes(b"note = '\xff'\nbounds = [(0, 1)] * 2\ndef fun(x):\n    return x[0]\n")
    with pytest.raises(ValueError, match=r"mine\.py"):
        small_plan(problems=str(path))

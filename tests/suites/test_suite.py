"""What every suite promises, and how problems are asked for."""

import numpy as np
import pytest

from de2ls.problems import problem
from de2ls.problems.key import ProblemKey
from de2ls.suites.registry import get_suite, load
from de2ls.suites.suite import ProblemTable, RecordRule


def sphere(dim):
    return problem(lambda x: float(x @ x), [(-1, 1)] * dim, name="sphere", best_known=0.0)


def table(**more):
    makers = {"small": lambda: sphere(2), "large": lambda: sphere(4)}
    return ProblemTable("mine", "My problems", makers, {"small": 2, "large": 4}, **more)


def test_settings_take_values_lists_and_texts_in_all_combinations():
    suite = get_suite("cec2017")
    found = suite.problems(dim="5,7", instance=[1, 2])
    assert len(found) == 2 * 2 * 28
    assert found[28] == ProblemKey.make("cec2017", 1, 5, definition="report", instance=2)
    assert suite.problems() == suite.problems(dim=30, definition="report", instance=0)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("cec2006", {"definition": "report"}, "cec2006 has no setting 'definition'; it has none"),
        ("cec2017", {"colour": 1}, "'colour'; it has dim, definition, instance"),
        ("cec2017", {"definition": "repor"}, "definition must .* 'report'"),
        ("cec2017", {"dim": "ten"}, "dim must"),
        ("cec2017", {"dim": None}, "dim must be given"),
    ],
)
def test_settings_that_a_suite_does_not_understand(name, settings, message):
    with pytest.raises(ValueError, match=message):
        get_suite(name).problems(**settings)


def test_a_loaded_problem_carries_its_key_and_is_made_once():
    suite = table()
    first, second = suite.problems()
    assert suite.load(first).key == first == ProblemKey("mine", "small", 2)
    assert suite.load(second) is suite.load(second)
    assert suite.best_known(first) == 0.0
    assert suite.facts(first) == ("sphere", 0, 0)


def test_a_problem_with_equalities_keeps_the_key_it_was_asked_for_by():
    def line():
        equal = {"type": "eq", "fun": lambda x: x.sum()}
        return problem(lambda x: float(x @ x), [(-1, 1)] * 2, constraints=equal)

    suite = ProblemTable("mine", "My problems", {"line": line}, {"line": 2})
    (key,) = suite.problems()
    assert suite.load(key).excess
    assert suite.load(key).key == key


def test_keys_of_other_suites_and_dimensions_are_refused():
    with pytest.raises(ValueError, match="key must be of the suite mine"):
        table().load(ProblemKey("other", "small", 2))
    with pytest.raises(ValueError, match="has D = 2, not 3"):
        table().load(ProblemKey("mine", "small", 3))
    with pytest.raises(ValueError, match="name must"):
        table().load(ProblemKey("mine", "smal", 2))


def test_groups_hold_the_keys_that_were_asked_for():
    suite = table(tags={"small": ["tiny", "round"], "large": ["round"]})
    small, large = suite.problems()
    assert suite.groups([small, large]) == {"tiny": [small], "round": [small, large]}
    assert suite.groups([large]) == {"round": [large]}


def test_the_rule_of_the_competition_writes_small_values_as_zero_and_the_plain_one_does_not():
    curve = np.array([[1.0, 3e-9, 2e-9], [2.0, -1.0, 0.5], [3.0, np.nan, 2e-8]])
    written = get_suite("cec2017").record_rule.written(curve)
    np.testing.assert_array_equal(written, [[1, 0, 0], [2, -1, 0.5], [3, np.nan, 2e-8]])
    np.testing.assert_array_equal(RecordRule().written(curve), curve)


@pytest.mark.parametrize("name", ["cec2006", "cec2017"])
def test_every_problem_of_a_suite_loads_by_its_key_alone(name):
    suite = get_suite(name)
    settings = {"dim": 6, "instance": 1} if name == "cec2017" else {}
    for key in suite.problems(**settings):
        made = load(key)
        assert made.key == key
        assert suite.facts(key)[1:] == (made.n_ineq, made.n_eq)
        assert suite.best_known(key) == made.best_known
        assert load(ProblemKey.from_dict(key.as_dict())) is made

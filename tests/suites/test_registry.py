"""Where suites come from."""

import subprocess
import sys

import pytest

import de2ls
from de2ls.problems.key import ProblemKey
from de2ls.suites import registry
from de2ls.suites.registry import get_suite, record_rule, suite_names
from de2ls.suites.suite import ProblemTable, RecordRule

MODULE = """
from de2ls.problems import problem
from de2ls.suites.suite import ProblemTable

def cube():
    return problem(lambda x: float(x[0] ** 3), [(-1, 1)] * 2)

cubes = ProblemTable("cubes", "Cubes", {"cube": cube}, {"cube": 2})

def make():
    return cubes

nothing = 3
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a distribution on the path that offers a suite, as pip would install it."""
    (tmp_path / "cube_suites.py").write_text(MODULE)
    info = tmp_path / "cube_suites-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cube-suites\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[de2ls.suites]\ncubes = cube_suites:make\n")
    monkeypatch.syspath_prepend(tmp_path)
    caches = (registry._offered, registry._from_package, registry._imported)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()
    sys.modules.pop("cube_suites", None)


def test_names_come_without_compiled_code():
    code = (
        "import sys, de2ls; names = de2ls.suite_names(); assert 'cec2006' in names, names;"
        "keys = de2ls.suite('cec2006').problems(); assert len(keys) == 23;"
        "keys = de2ls.suite('cec2017').problems(); assert len(keys) == 28;"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_package_offers_a_suite(package):
    assert suite_names()[-1] == "cubes"
    (key,) = de2ls.suite("cubes").problems()
    assert registry.load(key).evaluate([0.5, 0]).f == 0.125


def test_a_suite_by_module_and_name(package):
    assert get_suite("cube_suites:cubes").name == "cubes"
    key = ProblemKey("cubes", "cube", 2)
    assert registry.load(key, "cube_suites:cubes").key == key


@pytest.mark.parametrize(
    ("place", "kind", "message"),
    [
        ("cec2071", ValueError, "suite must be one of .*'cec2017'"),
        ("cube_suites:absent", ValueError, "cube_suites:absent"),
        ("no_such_module:x", ValueError, "no_such_module"),
        ("cube_suites:nothing", TypeError, "must be a Suite"),
    ],
)
def test_what_is_no_suite_is_refused(package, place, kind, message):
    with pytest.raises(kind, match=message):
        get_suite(place)


def test_the_rule_of_a_suite_that_is_gone_is_the_plain_one():
    assert record_rule(ProblemKey("gone", "x", 2)) == RecordRule()
    assert record_rule(ProblemKey("cec2017", 1, 10)).feasible_tol == 1e-8


@pytest.mark.parametrize("rule", [RecordRule(), RecordRule(zero=1e-3)])
def test_trials_follow_the_rule_of_the_suite_that_made_their_problem(rule):
    def small():
        return de2ls.problem(lambda x: 3e-4 + 1e-9 * float(x @ x), [(-1, 1)] * 2)

    suite = ProblemTable(f"small {rule.zero}", "Small", {"small": small}, {"small": 2}, None, rule)
    (key,) = suite.problems()
    record = de2ls.run_trial("de-rand-1-bin", suite.load(key), seed=1, max_evals=100)
    assert record.min_ev == pytest.approx(0.0 if rule.zero else 3e-4, rel=1e-3)


def test_values_below_1e_8_of_an_own_problem_stay(package):
    own = de2ls.problem(lambda x: 3e-9 + float(x @ x), [(-1e-6, 1e-6)] * 2)
    record = de2ls.run_trial("de2ls", own, seed=1, max_evals=200)
    assert record.curve[-1, 1] == pytest.approx(3e-9, rel=1e-3)

"""Users' files as suites."""

import pytest

from de2ls.suites.registry import get_suite, load

SUITE = """
from de2ls import problem

name = "bowls"
dims = (2, 3)
groups = {"steep": ["steep"], "all": ["flat", "steep"]}
best_known = {"steep": -1.0}


def problems(dim):
    def bowl(factor):
        return problem(lambda x: float(factor * x @ x), [(-1, 1)] * dim, best_known=0.0)

    return {"flat": bowl(1), "steep": bowl(100)}
"""
ONE = """
n_ineq = 1


def bounds(dim):
    return [(0, 2)] * dim


def fun(x):
    return sum(x), [1 - x[0]], []
"""
FIXED = "bounds = [(0, 1)] * 3\nbest_known = 0\n\n\ndef fun(x):\n    return x[0]\n"


@pytest.fixture
def write(tmp_path):
    def write_file(text, name="mine.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write_file


def test_a_suite_of_several_problems_and_dimensions(write):
    suite = get_suite(write(SUITE))
    keys = suite.problems()
    assert [(key.suite, key.label, key.dim) for key in keys] == [
        ("bowls", name, dim) for dim in (2, 3) for name in ("flat", "steep")
    ]
    assert [key.dim for key in suite.problems(dim="5")] == [5, 5]
    steep = suite.load(keys[3])
    assert steep.key == keys[3]
    assert steep.evaluate([0.1, 0, 0]).f == pytest.approx(1.0)
    assert [suite.best_known(key) for key in keys[:2]] == [0.0, -1.0]
    assert suite.groups(keys[:2]) == {"all": keys[:2], "steep": keys[1:2]}


def test_a_list_of_problems_goes_by_their_names(write):
    text = (
        "import de2ls\n\n\ndef problems():\n"
        "    return [de2ls.problem(f, [(0, 1)] * 2) for f in (first, second)]\n"
        "def first(x): return x[0]\ndef second(x): return x[1]\n"
    )
    suite = get_suite(write(text))
    assert [key.label for key in suite.problems()] == ["first", "second"]
    assert load(suite.problems()[1], str(suite.file.path)).evaluate([0.25, 0.5]).f == 0.5


def test_a_single_problem_scales_with_its_bounds(write):
    suite = get_suite(write(ONE))
    with pytest.raises(ValueError, match="dim must be given"):
        suite.problems()
    small, large = suite.problems(dim=[2, 4])
    assert (small.label, small.suite, small.dim, large.dim) == ("mine", "mine.py", 2, 4)
    assert suite.load(large).evaluate([1, 0, 0, 0.5])[:2] == (1.5, [0.0])


def test_problem_of_dim(write):
    text = "import de2ls\n\ndef problem(dim):\n    return de2ls.problem(sum, [(0, 1)] * dim)\n"
    (key,) = get_suite(write(text)).problems(dim=3)
    assert (key.label, key.dim) == ("sum", 3)


def test_a_fixed_dimension_is_kept_and_another_is_refused(write):
    suite = get_suite(write(FIXED))
    (key,) = suite.problems()
    assert key.dim == 3
    assert suite.problems(dim=3) == [key]
    assert suite.best_known(key) == 0
    with pytest.raises(ValueError, match=r"dim must be 3 for .*mine\.py, got 5"):
        suite.problems(dim="3,5")


def test_another_text_is_another_problem_and_never_taken_for_the_first(write):
    path = write(FIXED)
    (before,) = get_suite(path).problems()
    write(FIXED.replace("x[0]", "x[1]"))
    (after,) = get_suite(path).problems()
    assert before != after
    with pytest.raises(ValueError, match="is not the file of the plan"):
        load(before, str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", r"mine\.py must define fun and bounds"),
        ("def problems(): return 3", r"mine\.py must give problems"),
        ("def problems(): return [3]", r"mine\.py must give a name"),
        (
            "import de2ls\ndef problems():\n    return 2 * [de2ls.problem(sum, [(0, 1)] * 2)]",
            "two problems called 'sum'",
        ),
        (ONE.replace("* dim", "* 2"), r"mine\.py: mine has D = 2 for dim = 3"),
        (ONE + "dims = 3", "dims must be a list"),
        (ONE + "name = 3", "name must be a text"),
        (ONE + "groups = 3", "groups must be a mapping"),
        (ONE + "import sys; sys.exit(0)", r"mine\.py cannot be run: .*sys\.exit\(0\)"),
        ("def problems():\n    import sys\n    sys.exit(0)", r"mine\.py called sys\.exit\(0\)"),
        ("import de2ls\nde2ls.suite(__file__)", r"mine\.py loads itself"),
        ("def f(): f()\nf()", r"mine\.py cannot be run: RecursionError"),
    ],
)
def test_files_that_do_not_do(write, text, message):
    path = write(text)
    with pytest.raises((ValueError, TypeError, RuntimeError), match=message):
        get_suite(path).problems(dim=3)


def test_a_file_that_is_not_utf_8_is_named(tmp_path):
    path = tmp_path / "latin.py"
    path.write_bytes("text = 'Größe'\nbounds = [(0, 1)]\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin\.py cannot be run: SyntaxError.*utf-8"):
        get_suite(path)

import json
import re
import signal
import subprocess

import pytest

from tests.campaigns.support import command

# minimum 1.125 at (0.25, 1.75): the projection of (1, 2.5) onto x + y = 2
PROBLEM = """
from scipy.optimize import LinearConstraint

bounds = [(0, 4), (0, 4)]
constraints = LinearConstraint([[1, 1]], -float("inf"), 2)
options = {"max_evals": 4000, "seed": 1, "algorithm": "de2ls"}

def fun(x):
    return (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "problem.py"
    path.write_text(PROBLEM)
    return path


def test_the_file_is_solved(called, file):
    code, out, err = called("solve", file, "--quiet")
    assert (code, "error" in err) == (0, False)
    lines = out.splitlines()
    assert lines[0] == "The budget of evaluations is used up."
    values = dict(line.split() for line in lines[1:5])
    assert values["feasible"] == "yes"
    assert float(values["fun"]) == pytest.approx(1.125, abs=1e-6)
    assert float(values["x[0]"]) == pytest.approx(0.25, abs=1e-3)
    found = re.fullmatch(r"worst violation (\S+), 4000 evaluations, seed 1", lines[5])
    assert found is not None
    assert float(found[1]) <= 1e-8  # the tolerance of inequalities


def test_the_message_is_said_once_with_progress_or_without(called, file):
    for flags in ((), ("--quiet",)):
        out = called("solve", file, *flags)[1]
        assert out.count("The budget of evaluations is used up.") == 1
        assert (re.search(r"evaluations +\(", out) is None) == bool(flags)
    file.write_text(PROBLEM.replace('"seed": 1', '"seed": 1, "disp": True'))
    out = called("solve", file, "--quiet")[1]
    assert out.count("The budget of evaluations is used up.") == 1


def test_flags_replace_options_and_json_tells_the_result(called, file):
    code, out, _ = called("solve", file, "--json", "--max-evals", "2000", "--seed", "5")
    result = json.loads(out)
    assert code == 0
    assert (result["success"], result["nfev"], result["seed"]) == (True, 2000, 5)
    assert result["fun"] == pytest.approx(1.125, abs=1e-3)
    assert sum(result["x"]) <= 2 + 1.01e-8  # the tolerance of inequalities
    same = json.loads(called("solve", file, "--json", "--max-evals", "2000", "--seed", "5")[1])
    assert same == result


def test_what_functions_print_does_not_mix_with_the_json(called, file):
    printing = PROBLEM.replace("def fun(x):", "def fun(x):\n    print('here')")
    file.write_text("print('loaded')\n" + printing)
    code, out, err = called("solve", file, "--json", "--max-evals", "50")
    assert code == 0
    assert json.loads(out)["nfev"] == 50
    assert err.splitlines() == ["loaded"] + ["here"] * 50


def test_json_without_a_valid_point(called, file):
    file.write_text(PROBLEM.replace("    return (x", "    return float('nan') * (x"))
    code, out, _ = called("solve", file, "--json", "--max-evals", "50")
    result = json.loads(out, parse_constant=pytest.fail)  # NaN and Infinity are no JSON
    assert (code, result["success"], result["fun"]) == (1, False, None)


def test_constraints_from_the_function_itself(called, tmp_path):
    path = tmp_path / "within.py"
    path.write_text(
        PROBLEM.replace("constraints =", "unused =").replace(
            "\ndef fun",
            """
n_ineq = 1

def fun(x):
    return base(x), [x[0] + x[1] - 2], []

def base""",
        )
    )
    code, out, _ = called("solve", path, "--json")
    assert code == 0
    assert json.loads(out)["fun"] == pytest.approx(1.125, abs=1e-6)


def test_no_feasible_point_gives_exit_code_1(called, tmp_path):
    path = tmp_path / "problem.py"
    path.write_text(PROBLEM.replace(", 2)", ", -1)"))
    code, out, _ = called("solve", path, "--quiet")
    assert code == 1
    assert out.splitlines()[1].split() == ["feasible", "NO"]
    assert "worst violation 1," in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bounds = [(0, 1)]", "problem.py must define fun"),
        ("", "problem.py must define fun and bounds"),
        ("def fun(x", "problem.py cannot be run: SyntaxError"),
        ("import nothing_like_it", "problem.py cannot be run: ModuleNotFoundError"),
        (PROBLEM + "\noptions = 3", "options must be a dict, got 3"),
        (PROBLEM + "\noptions = {'max_eval': 3}", "max_eval"),
    ],
)
def test_a_file_that_does_not_do(called, tmp_path, text, message):
    path = tmp_path / "problem.py"
    path.write_text(text)
    code, _, err = called("solve", path)
    assert code == 1
    assert message in err
    assert err.count("\n") == 1


def test_a_file_may_import_its_neighbours(called, file):
    (file.parent / "neighbour_of_problem.py").write_text("limit = 4")
    file.write_text("from neighbour_of_problem import limit\n" + PROBLEM)
    assert called("solve", file, "--json")[0] == 0


def test_a_missing_file(called, tmp_path):
    code, _, err = called("solve", tmp_path / "none.py")
    assert code == 1
    assert "there is no problem file" in err


SCALABLE = """
dims = (3, 2)
options = {"max_evals": 200, "seed": 1}

def bounds(dim):
    return [(-1, 1)] * dim

def fun(x):
    return sum(x * x)
"""


def test_a_file_of_any_dimension(called, file):
    file.write_text(SCALABLE)
    for flags, dim in (((), 3), (("--dim", "4"), 4)):
        code, out, _ = called("solve", file, "--json", *flags)
        assert (code, len(json.loads(out)["x"])) == (0, dim)


def test_dim_for_a_file_that_has_its_own(called, file):
    code, _, err = called("solve", file, "--dim", "3")
    assert code == 1
    assert "dim must not be given" in err


@pytest.mark.parametrize("where", ["top", "fun"])
@pytest.mark.parametrize("end", ["sys.exit(0)", "os._exit(0)"])
def test_a_file_that_ends_the_process_is_an_error(called, file, where, end):
    text = PROBLEM.replace("def fun(x):", f"def fun(x):\n    {end}") if where == "fun" else PROBLEM
    file.write_text(f"import os, sys\n{text}" + (f"\n{end}" if where == "top" else ""))
    code, out, err = called("solve", file, "--json")
    assert (code, out) == (1, "")
    assert "problem.py" in err
    assert ("sys.exit" if end == "sys.exit(0)" else "ended the process") in err
    assert err.count("\n") == 1


def test_a_file_that_is_not_utf_8(called, file):
    file.write_bytes("text = 'Größe'".encode("latin-1"))
    code, _, err = called("solve", file)
    assert code == 1
    assert "problem.py cannot be run: SyntaxError" in err


def test_ctrl_c_gives_what_was_found(file):
    slow = "calls = []\ndef fun(x):\n    import time\n    calls.append(x)\n"
    slow += "    time.sleep(0.01 if len(calls) <= 60 else 0.1)\n"  # it must not end by itself
    slow += "    if len(calls) == 60:\n        print('searching', flush=True)"
    file.write_text(PROBLEM.replace("def fun(x):", slow))
    with subprocess.Popen(
        command("solve", str(file), "--quiet"),
        stdout=subprocess.PIPE,
        text=True,
        # a shell that runs the tests in the background lets them ignore Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout.readline() == "searching\n"
        process.send_signal(signal.SIGINT)
        out = process.stdout.read()
    assert process.returncode == 130
    assert "feasible" in out

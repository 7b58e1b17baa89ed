import contextlib
import fcntl
import json
import os
import pty
import struct
import subprocess
import termios

import pytest

from de2ls.campaigns import Store
from tests.campaigns.support import command, small_plan

PLAN = ("--problems", "1,4", "--dim", "4", "--instance", "1", "--runs", "2", "--max-evals", "600")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.db"


def test_flags_make_the_plan(called, path):
    algorithms = ("--algorithms", "de2ls,MC1=de2ls:ls_mc=1", "--seed", "7", "--paired")
    code, out, err = called("run", *algorithms, *PLAN, "--store", path, "--workers", "2")
    assert (code, "error" in err) == (0, False)
    assert out.splitlines() == [
        "8 trials planned: running 8 on 2 threads",
        "complete: 8 trials stored, 8 in the store",
    ]
    expected = small_plan(algorithms="de2ls,MC1=de2ls:ls_mc=1", runs=2, seed=7, paired=True)
    with Store.open(path, readonly=True) as store:
        assert [plan for _, plan in store.info().plans] == [expected.as_dict()]
        assert {trial.seed for trial in store.trials()} == {t.seed for t in expected.trials()}


def test_the_same_command_continues(called, path):
    called("run", *PLAN, "--store", path)
    code, out, _ = called("run", *PLAN[:-4], "--runs", "3", *PLAN[-2:], "--store", path)
    assert code == 0
    assert out.startswith("6 trials planned, 4 already stored: running 2 on ")
    code, out, _ = called("run", *PLAN, "--store", path)
    assert (code, out) == (0, "complete: 0 trials stored, 4 in the store\n")


def test_a_plan_file_and_flags_beside_it(called, path, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'problems = "1,4"\ndim = 4\ninstance = 1\nruns = 9\nmax_evals = 600\n'
        '[[algorithms]]\nname = "rdex"\nlabel = "mine"\n'
    )
    code, _, err = called("run", plan, "--runs", "2", "--store", path, "--quiet")
    assert (code, "error" in err) == (0, False)
    with Store.open(path, readonly=True) as store:
        assert [(t.label, t.algorithm, t.run) for t in store.trials(problems=4)] == [
            ("mine", "rdex", 1),
            ("mine", "rdex", 2),
        ]


def test_a_changed_configuration_is_refused_with_the_difference(called, path):
    called("run", *PLAN, "--store", path)
    code, out, err = called("run", "--algorithms", "de2ls=de2ls:ls_mc=1", *PLAN, "--store", path)
    assert (code, out) == (3, "")
    assert "label 'de2ls' with another configuration: ls_mc was 2 and would be 1" in err
    assert err.count("\n") == 1


def test_quiet_says_nothing(called, path):
    code, out, err = called("run", *PLAN, "--store", path, "--quiet")
    assert (code, out, "error" in err) == (0, "", False)


def test_json_is_one_object_per_line(called, path):
    code, out, _ = called("run", *PLAN, "--store", path, "--json")
    events = [json.loads(line)["event"] for line in out.splitlines()]
    assert (code, events) == (0, ["start", *["trial"] * 4, "end"])


def test_dry_run_counts_measures_and_writes_nothing(called, path):
    flags = ("--algorithms", "de2ls,rdex", *PLAN, "--store", path, "--workers", "3", "--dry-run")
    code, out, _ = called("run", *flags)
    lines = out.splitlines()
    assert code == 0
    assert lines[:4] == [
        "de2ls: 2 problems x 2 runs",
        "rdex: 2 problems x 2 runs",
        f"8 trials planned, 0 in {path}, 8 to run",
        "4,800 evaluations",
    ]
    assert lines[4].startswith("about ")
    assert lines[4].endswith(" on 3 workers (4 of 4 pairs of algorithm and problem measured)")
    assert not path.exists()

    called("run", *PLAN, "--store", path)  # de2ls only
    before = path.read_bytes()
    code, out, _ = called("run", *flags, "--json")
    facts = json.loads(out)
    assert facts.pop("seconds") > 0
    assert facts == {"planned": 8, "to_run": 4, "evaluations": 2400, "workers": 3}
    assert path.read_bytes() == before


def test_dry_run_refuses_what_a_run_would_refuse(called, path):
    called("run", *PLAN, "--store", path)
    code, _, err = called("run", *PLAN, "--seed", "2", "--store", path, "--dry-run")
    assert code == 3
    assert "depends on the campaign's seed" in err


def test_a_terminal_gets_the_live_display(path):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    process = subprocess.Popen(
        command("run", *PLAN, "--store", str(path), "--workers", "2"),
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # Linux's way to say that the other end is closed
        while part := os.read(ours, 65536):
            seen += part
    os.close(ours)
    text = seen.decode()
    assert process.wait(timeout=60) == 0
    assert "4 trials planned: running 4 on 2 threads" in text
    assert "all trials" in text
    assert "complete: 4 trials stored, 4 in the store" in text
    assert text.index("\x1b[?25l") < text.index("\x1b[?25h") < text.index("complete: ")


def test_impossible_workers_leave_no_store(called, path):
    assert called("run", *PLAN, "--workers", "0", "--store", path)[0] == 1
    assert not path.exists()


def test_failed_trials_give_exit_code_1(called, path, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "bounds = [(0, 1)] * 2\ncalls = 0\n\ndef fun(x):\n"
        "    global calls\n    calls += 1\n"
        "    if calls > 50:\n        raise OSError('gone')\n    return x[0]\n"
    )
    code, out, _ = called(
        "run",
        "--problems",
        file,
        "--runs",
        "1",
        "--max-evals",
        "600",
        "--store",
        path,
        "--executor",
        "threads",
        "--workers",
        "1",
    )
    assert code == 1
    assert "OSError: gone" in out
    assert "1 trial failed; the same command tries again" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--algorithms", "de2sl"], "(did you mean 'de2ls'?)"),
        (["--problems", "0"], "problems must be among C01"),
        (["--dim", "7", "--problems", "1"], "dim must"),
        (["none.toml"], "there is no plan none.toml"),
        (["--workers", "0"], "workers must"),
    ],
)
def test_bad_plans_are_one_line(called, path, arguments, message):
    code, _, err = called("run", *arguments, "--store", path)
    assert code == 1
    assert message in err
    assert err.count("\n") == 1


OWN = "import os, sys\nbounds = [(0, 1)] * 2\n\ndef fun(x):\n    {}\n    return x[0]\n"
SHORT = ("--runs", "1", "--max-evals", "200", "--workers", "1")


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_an_exit_in_a_function_fails_the_trial(called, path, tmp_path, kind):
    file = tmp_path / "mine.py"
    file.write_text(OWN.format("os._exit(0)" if kind == "threads" else "sys.exit(0)"))
    arguments = ("--problems", file, *SHORT, "--executor", kind, "--store", path)
    code, out, _ = called("run", *arguments)
    assert code == 1
    assert "mine called sys.exit(0)" in out
    assert "1 trial failed" in out


def test_a_function_that_ends_its_process_ends_the_campaign_with_an_error(called, path, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(OWN.format("os._exit(0)"))
    code, _, err = called("run", "--problems", file, *SHORT, "--store", path)
    assert code == 1
    assert "a worker process died" in err


@pytest.mark.parametrize("end", ["sys.exit(0)", "os._exit(0)"])
def test_an_exit_in_the_file_itself_is_an_error(called, path, tmp_path, end):
    file = tmp_path / "mine.py"
    file.write_text(OWN.format("pass") + f"{end}\n")
    for more in ((), ("--dry-run",)):
        code, _, err = called("run", "--problems", file, *SHORT, *more, "--store", path)
        assert code == 1
        assert "mine.py cannot be run" in err
    assert not path.exists()


@pytest.mark.parametrize("end", ["sys.exit(0)", "os._exit(0)"])
def test_dry_run_of_a_function_that_exits(called, path, tmp_path, end):
    file = tmp_path / "mine.py"
    file.write_text(OWN.format(end))
    code, _, err = called("run", "--problems", file, *SHORT, "--dry-run", "--store", path)
    assert (code, "called sys.exit(0)" in err) == (1, True)


SCALABLE = "def bounds(dim):\n    return [(-1, 2)] * dim\n\ndef fun(x):\n    return float(x @ x)\n"


def test_own_problems_over_several_dimensions(called, path, tmp_path):
    for name in ("own1.py", "own2.py"):
        (tmp_path / name).write_text(SCALABLE + f"# {name}\n")
    files = f"{tmp_path / 'own1.py'},{tmp_path / 'own2.py'}"
    code, _, _ = called("run", "--problems", files, "--dim", "2,3", *SHORT, "--store", path)
    assert code == 0
    with Store.open(path, readonly=True) as store:
        found = {(trial.problem.label, trial.problem.dim) for trial in store.trials()}
    assert found == {("own1", 2), ("own1", 3), ("own2", 2), ("own2", 3)}


@pytest.mark.parametrize(
    ("arguments", "label"),
    [
        (("--suite", "cec2006", "--problems", "1"), "G1"),
        (("--suite", "bbob-constrained", "--problems", "f3", "--dim", "2"), "f3_i1"),
    ],
)
def test_a_campaign_of_another_suite(called, path, arguments, label):
    if label != "G1":
        pytest.importorskip("cocoex", reason="needs the extra coco")
    assert called("run", *arguments, *SHORT, "--quiet", "--store", path) == (0, "", "")
    with Store.open(path, readonly=True) as store:
        (trial,) = store.trials()
    assert trial.problem.label == label
    assert "to run" in called("run", *arguments, *SHORT, "--dry-run", "--store", path)[1]

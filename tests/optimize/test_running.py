"""What happens while `minimize` runs: Ctrl-C, progress, the log."""

import logging
import os
import pty
import re
import signal
import subprocess
import sys

import pytest

import de2ls
from de2ls.optimize import progress
from de2ls.optimize.result import Stop
from tests.helpers import killed_in_the_end

BOX = [(-5, 5)] * 2


def sphere(x):
    return float(x @ x)


def interrupted_at(n):
    """Return a function that is interrupted by Ctrl-C at its n-th call."""
    calls = []

    def fun(x):
        calls.append(1)
        if len(calls) == n:
            raise KeyboardInterrupt
        return sphere(x)

    return fun


@pytest.mark.parametrize("algorithm", ["de2ls", "chorus"])
@pytest.mark.parametrize("n", [1, 11, 150])
def test_an_interrupt_carries_the_result(n, algorithm):
    with pytest.raises(KeyboardInterrupt) as caught:
        de2ls.minimize(interrupted_at(n), BOX, max_evals=500, seed=1, algorithm=algorithm)
    res = caught.value.result
    assert (res.status, res.nfev) == (Stop.INTERRUPTED.status, n - 1)
    assert n == 1 or res.fun == sphere(res.x)


def test_an_interrupt_of_polishing_carries_what_it_found():
    with pytest.raises(KeyboardInterrupt) as caught:
        de2ls.minimize(
            interrupted_at(400), BOX, max_evals=500, seed=1, polish=True, algorithm="de2ls"
        )
    assert caught.value.result.nfev == 399


def test_an_interrupt_may_return():
    res = de2ls.minimize(
        interrupted_at(150), BOX, max_evals=500, seed=1, algorithm="de2ls", on_interrupt="return"
    )
    assert (res.status, res.nfev) == (Stop.INTERRUPTED.status, 149)
    assert res.message == "Interrupted from the keyboard."


def test_chorus_polishes_by_itself():
    with pytest.raises(ValueError, match="polish"):
        de2ls.minimize(sphere, BOX, algorithm="chorus", polish=True)


def test_bad_choices():
    with pytest.raises(ValueError, match="on_interrupt"):
        de2ls.minimize(sphere, BOX, on_interrupt="stop")
    with pytest.raises(TypeError, match="progress"):
        de2ls.minimize(sphere, BOX, progress=1)


HEAD = (
    "import multiprocessing, os, signal, sys, time, numba, de2ls\n"
    # a shell makes its background jobs ignore Ctrl-C, and their children inherit that
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
)


def run_until_signal(script, tmp_path, first_lines):
    """Run a script, send it Ctrl-C after its first lines, and return the rest of its output."""
    file = tmp_path / "script.py"
    file.write_text(HEAD + script)
    with (
        subprocess.Popen(
            [sys.executable, str(file)], stdout=subprocess.PIPE, text=True, cwd=tmp_path,
            start_new_session=True,
        ) as process,
        killed_in_the_end(process),
    ):  # fmt: skip
        for _ in range(first_lines):
            assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    return rest.splitlines()


@pytest.mark.parametrize("decorator", ["", "@numba.njit"])
def test_a_real_signal_ends_a_loop_over_seeds(decorator, tmp_path):
    lines = run_until_signal(
        f"{decorator}\n"
        "def fun(x):\n"
        "    return x[0] * x[0] + x[1] * x[1]\n"
        "def callback(intermediate_result):\n"
        "    print('running', flush=True)\n"
        "if __name__ == '__main__':\n"
        "    try:\n"
        "        for seed in range(3):\n"
        "            de2ls.minimize(fun, [(-1, 1)] * 2, max_evals=10**9, seed=seed,\n"
        "                 algorithm='de2ls', config={'n0': 10_000}, callback=callback)\n"
        "    except KeyboardInterrupt as stop:\n"
        "        res = stop.result\n"
        "        print(seed, res.status, res.nfev > 10_000, res.message)\n",
        tmp_path,
        first_lines=2,
    )
    assert lines[-1] == "0 6 True Interrupted from the keyboard."


def test_a_real_signal_does_not_wait_for_workers(tmp_path):
    lines = run_until_signal(
        "def fun(x):\n"
        "    os.write(1, b'running\\n')\n"
        "    time.sleep(3600)\n"
        "if __name__ == '__main__':\n"
        "    res = de2ls.minimize(fun, [(-1, 1)] * 2, max_evals=100, seed=1, workers=2,\n"
        "                         algorithm='de2ls', on_interrupt='return')\n"
        "    print(res.status, res.nfev)\n",
        tmp_path,
        first_lines=1,
    )
    assert lines[-1] == "6 0"


def test_a_signal_while_workers_start_leaves_none_behind(tmp_path):
    lines = run_until_signal(
        "multiprocessing.set_start_method('fork')\n"
        "fork, started = os.fork, []\n"
        "def slow_fork():\n"
        "    pid = fork()\n"
        "    if pid:\n"
        "        started.append(pid)\n"
        "        os.write(1, b'running\\n')\n"
        "        time.sleep(1)\n"
        "    return pid\n"
        "os.fork = slow_fork\n"
        "def fun(x):\n"
        "    time.sleep(3600)\n"
        "if __name__ == '__main__':\n"
        "    res = de2ls.minimize(fun, [(-1, 1)] * 2, max_evals=100, seed=1, workers=2,\n"
        "                         algorithm='de2ls', on_interrupt='return')\n"
        "    print(res.status, res.nfev, flush=True)\n"
        "    for pid in started:\n"
        "        try:\n"
        "            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)\n"
        "        except ChildProcessError:\n"
        "            pass\n"
        "    print(len(started), 'have ended')\n",
        tmp_path,
        first_lines=1,
    )
    assert lines[-2:] == ["6 0", "2 have ended"]


def test_lines_go_to_the_log_and_not_to_stdout(caplog, capsys):
    with caplog.at_level(logging.INFO, logger="de2ls"):
        de2ls.minimize(sphere, BOX, max_evals=400, seed=1, disp=True, algorithm="de2ls")
    lines = [record.getMessage() for record in caplog.records if record.name == "de2ls"]
    assert len(lines) == 20
    assert lines[-1] == "The budget of evaluations is used up."
    assert capsys.readouterr().out == ""


def test_progress_in_a_file_has_the_end_of_the_run(capsys):
    res = de2ls.minimize(sphere, BOX, max_evals=400, seed=1, progress=True, algorithm="de2ls")
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith(f"400 evaluations (100%), f = {res.fun:.8g}, violation = 0")
    assert lines[-1].endswith("in all")


def states_in_a_terminal(tmp_path, **environment):
    """Return what a bar shows, one after the other, in a terminal of its own."""
    script = tmp_path / "script.py"
    script.write_text(
        "import time, de2ls\n"
        "def fun(x):\n"
        "    time.sleep(0.004)\n"
        "    return float(x @ x)\n"
        "de2ls.minimize(fun, [(-5, 5)] * 2, max_evals=300, seed=1, progress=True,\n"
        "               algorithm='chorus')\n"
    )
    ours, theirs = pty.openpty()
    with (
        subprocess.Popen(
            [sys.executable, str(script)], stderr=theirs, env={**os.environ, **environment},
            start_new_session=True,
        ) as process,
        killed_in_the_end(process),
    ):  # fmt: skip
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other side has closed
                break
            if not part:
                break
            written += part
        process.wait()
    os.close(ours)
    assert process.returncode == 0
    return [line for line in written.decode().split("\r") if "violation" in line]


def test_progress_in_a_terminal(tmp_path):
    states = states_in_a_terminal(tmp_path, COLUMNS="120")
    assert len(states) >= 3
    assert re.search(r"f = .*, violation = 0, \d:\d\d:\d\d left", states[len(states) // 2])
    assert states[-1].startswith("█")
    assert "in all" in states[-1]


def test_the_time_left_fits_into_a_usual_terminal(tmp_path):
    states = states_in_a_terminal(tmp_path, COLUMNS="80")
    assert all(len(line.strip("\n")) <= 79 for line in states)
    assert re.search(r"f = .*, violation = 0, \d:\d\d:\d\d left", states[len(states) // 2])
    assert "in all" in states[-1]


@pytest.mark.parametrize("n", [1, 1_000_000])
def test_a_row_of_the_bar_keeps_the_end_of_its_line(monkeypatch, n):
    monkeypatch.setenv("COLUMNS", "80")
    line = f"{n} evaluations (50%), f = -1.2345678e-12, violation = 1.23e-05, 0:01:02 left"
    row = progress._in_a_row(line, 0.5)
    assert len(row) == 79
    assert row.rstrip().endswith("1.23e-05, 0:01:02 left")
    assert "(50%), f = -1.2345678e-12, viol" in row


def test_a_terminal_without_block_characters(tmp_path):
    states = states_in_a_terminal(tmp_path, COLUMNS="80", PYTHONIOENCODING="ascii")
    assert states[-1].startswith("########")


def test_a_program_without_a_console(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(progress.LOG, "hasHandlers", lambda: False)
    res = de2ls.minimize(sphere, BOX, max_evals=60, seed=1, progress=True, disp=True)
    assert res.nfev == 60

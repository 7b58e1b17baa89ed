"""A run that is killed goes on from its checkpoint and ends with the same bits."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import de2ls
from de2ls.optimize import checkpoint
from de2ls.optimize.progress import LOG
from de2ls.optimize.result import Stop
from de2ls.optimize.search import EvaluationError
from tests.helpers import killed_in_the_end

BOX = [(-4.0, 6.0), (-5.0, 5.0)]
LIMIT = {"type": "ineq", "fun": lambda x: x[0] - 1}


@pytest.fixture(autouse=True)
def always_due(monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)


def valley(x):
    return float((x[0] - x[1] ** 2) ** 2 + 0.1 * x[1] ** 2)


def same(a, b):
    """Whether two results have the same bits, their histories too."""
    return a.to_json() == b.to_json()


def fails_once_at(n):
    """Return a function whose n-th call fails, and none after it."""
    calls = []

    def fun(x):
        calls.append(1)
        if len(calls) == n:
            raise OSError("the licence server is gone")
        return valley(x)

    fun.calls = calls
    return fun


HOW = {
    "plain": {},
    "batches": {"batch": 5},
    "tol": {"tol": 0.5},
    "stall": {"stall": 60},
    "polish": {"polish": True},
}


@pytest.mark.parametrize("algorithm", ["de2ls", "chorus"])
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
@pytest.mark.parametrize("n", [4, 130, 290])
def test_a_failure_is_repeated_and_the_run_goes_on(algorithm, how, n, tmp_path):
    if algorithm == "chorus" and "polish" in how:
        with pytest.raises(ValueError, match="polish must"):
            de2ls.minimize(valley, BOX, algorithm=algorithm, **how)
        return
    options = {"constraints": LIMIT, "algorithm": algorithm, "max_evals": 300, "seed": 3, **how}
    whole = de2ls.minimize(valley, BOX, **options)
    fun = fails_once_at(n)
    path = tmp_path / "run.npz"
    try:
        res = de2ls.minimize(fun, BOX, checkpoint=path, **options)
        assert len(fun.calls) < n or "polish" in how  # polishing takes no notice of it
    except EvaluationError:
        res = de2ls.minimize(fun, BOX, checkpoint=path, **options)
        assert len(fun.calls) == whole.nfev + 1
        assert same(res, whole)
    before = len(fun.calls)
    again = de2ls.minimize(fun, BOX, checkpoint=path, **options)
    assert same(again, res)
    assert len(fun.calls) == before


def test_without_a_seed_the_run_keeps_its_own(tmp_path):
    path = tmp_path / "run.npz"
    options = {"algorithm": "de2ls", "max_evals": 200, "checkpoint": path}
    fun = fails_once_at(100)
    with pytest.raises(EvaluationError):
        de2ls.minimize(fun, BOX, **options)
    res = de2ls.minimize(fun, BOX, **options)
    whole = de2ls.minimize(valley, BOX, algorithm="de2ls", max_evals=200, seed=res.seed)
    assert same(res, whole)


def test_a_run_whose_time_was_up_goes_on(tmp_path):
    options = {"algorithm": "chorus", "max_evals": 200, "seed": 1}
    path = tmp_path / "run.npz"
    first = de2ls.minimize(valley, BOX, max_time=0.0, checkpoint=path, **options)
    assert (first.status, first.nfev < 200) == (Stop.TIME.status, True)
    res = de2ls.minimize(valley, BOX, checkpoint=path, **options)
    assert same(res, de2ls.minimize(valley, BOX, **options))


def after_twenty(intermediate_result):
    return intermediate_result.nfev > 20


RULES = {
    "target": ({"target": 1.0}, {"target": 1e-3}, Stop.TARGET),
    "stall": ({"stall": 3}, {"stall": 40}, Stop.STALL),
    "tol": ({"tol": 5.0}, {"tol": 0.5}, Stop.CONVERGED),
    "callback": (
        {"callback": after_twenty},
        {"callback": lambda x, convergence: False},
        Stop.CALLBACK,
    ),
}


@pytest.mark.parametrize("algorithm", ["de2ls", "chorus"])
@pytest.mark.parametrize("name", RULES)
def test_another_call_has_its_own_rules(name, algorithm, tmp_path):
    """The same rule gives the same answer; a stricter one, or none, lets the run go on."""
    if (algorithm, name) == ("chorus", "tol"):
        pytest.skip("without effect there")
    rule, stricter, stop = RULES[name]
    calls = []

    def fun(x):
        calls.append(1)
        return valley(x)

    options = {"algorithm": algorithm, "max_evals": 200, "seed": 1}
    kept = {**options, "checkpoint": tmp_path / "run.npz"}
    first = de2ls.minimize(fun, BOX, **rule, **kept)
    assert (first.status, first.nfev) == (stop.status, len(calls))
    assert same(de2ls.minimize(fun, BOX, **rule, **kept), first)
    assert len(calls) == first.nfev
    second = de2ls.minimize(fun, BOX, **stricter, **kept)
    assert second.nfev > first.nfev
    assert same(second, de2ls.minimize(valley, BOX, **stricter, **options))
    last = de2ls.minimize(fun, BOX, **kept)
    assert same(last, de2ls.minimize(valley, BOX, **options))
    assert len(calls) == last.nfev == 200


@pytest.mark.parametrize("algorithm", ["de2ls", "chorus"])
def test_a_rule_that_holds_already_ends_a_run_that_another_has_ended(algorithm, tmp_path):
    options = {"algorithm": algorithm, "seed": 1, "max_evals": 200}
    options["checkpoint"] = tmp_path / "run.npz"
    first = de2ls.minimize(valley, BOX, target=1.0, **options)
    looser = de2ls.minimize(valley, BOX, target=2.0, **options)
    assert (looser.status, looser.nfev) == (Stop.TARGET.status, first.nfev)
    other = de2ls.minimize(valley, BOX, callback=lambda x, convergence: True, **options)
    assert (other.status, other.nfev) == (Stop.CALLBACK.status, first.nfev)


def test_slopes_are_taken_anew_where_a_run_goes_on(tmp_path):
    """A run that stalls early takes slopes at a poor point; the next one ends elsewhere."""
    options = {"constraints": LIMIT, "algorithm": "chorus", "max_evals": 400, "seed": 3}
    options["checkpoint"] = tmp_path / "run.npz"
    first = de2ls.minimize(valley, BOX, stall=5, **options)
    res = de2ls.minimize(valley, BOX, **options)
    assert first.fun > 0.2 > res.fun
    np.testing.assert_allclose(res.x[0], 1.0, atol=1e-6)
    relaxed = {"type": "ineq", "fun": lambda x: x[0] - 0.99}
    other = de2ls.minimize(valley, BOX, **{**options, "constraints": relaxed, "checkpoint": None})
    np.testing.assert_allclose(
        res.multipliers.constraints[0], [(res.fun - other.fun) / 0.01], rtol=0.02
    )


OTHERS = {
    "seed": {"seed": 2},
    "algorithm": {"algorithm": "rdex"},
    "config ls_sr": {"config": {"ls_sr": 0.5}},
    "max_evals": {"max_evals": 99},
    "problem upper": {"bounds": [(-4.0, 6.0), (-5.0, 6.0)]},
    "problem n_ineq": {"constraints": LIMIT},
    "x0": {"x0": [0.0, 0.0]},
    "batch": {"batch": 2},
    "polish": {"polish": True},
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_checkpoint_of_another_run_is_refused_by_name(name, tmp_path):
    options = {
        "bounds": BOX, "algorithm": "de2ls", "max_evals": 100, "seed": 1,
        "checkpoint": tmp_path / "run.npz",
    }  # fmt: skip
    de2ls.minimize(valley, **options)
    with pytest.raises(ValueError, match=f"checkpoint .* its {name} is"):
        de2ls.minimize(valley, **{**options, **OTHERS[name]})


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "run.npz"
    path.write_text("text")
    with pytest.raises(ValueError, match="no saved trial"):
        de2ls.minimize(valley, BOX, checkpoint=path)
    np.savez(path, numbers=np.arange(3))
    with pytest.raises(ValueError, match="checkpoint"):
        de2ls.minimize(valley, BOX, checkpoint=path)
    with pytest.raises(ValueError, match="checkpoint"):
        de2ls.minimize(valley, BOX, checkpoint=tmp_path / "nowhere" / "run.npz")
    with pytest.raises(TypeError, match="checkpoint"):
        de2ls.minimize(valley, BOX, checkpoint=3)


SCRIPT = """
import sys, time
import de2ls
from de2ls.optimize import checkpoint

checkpoint.SECONDS = 0.05
algorithm, path, workers, pause = *sys.argv[1:3], *map(float, sys.argv[3:])


def fun(x):
    time.sleep(pause)
    return float((x[0] - x[1] ** 2) ** 2 + 0.1 * x[1] ** 2), [1 - x[0]], []


if __name__ == "__main__":
    res = de2ls.minimize(
        fun, [(-4.0, 6.0), (-5.0, 5.0)], n_ineq=1, n_eq=0, algorithm=algorithm,
        max_evals=700, seed=5, workers=int(workers), checkpoint=path,
    )
    print(res.to_json())
"""


@pytest.mark.parametrize(("algorithm", "workers"), [("de2ls", 1), ("chorus", 1), ("chorus", 2)])
def test_a_killed_process_goes_on_with_the_same_bits(algorithm, workers, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)

    def command(name, pause):
        arguments = [algorithm, tmp_path / name, workers, pause]
        return [sys.executable, str(script), *map(str, arguments)]

    killed = tmp_path / "killed.npz"
    with (
        subprocess.Popen(
            command(killed.name, 0.02), stdout=subprocess.PIPE, start_new_session=True
        ) as process,
        killed_in_the_end(process),
    ):
        states = set()
        while len(states) < 4:  # the checkpoint was replaced some times
            assert process.poll() is None, "it ended before it was killed"
            states |= {killed.stat().st_mtime_ns} if killed.exists() else set()
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.stdout.read() == b""
    with np.load(killed) as saved:
        assert "header" in saved
    rest = subprocess.run(command(killed.name, 0), capture_output=True, check=True)
    whole = subprocess.run(command("whole.npz", 0), capture_output=True, check=True)
    assert rest.stdout == whole.stdout
    assert b'"nfev": ' in whole.stdout


def test_the_log_says_what_the_checkpoint_holds(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(LOG, "hasHandlers", lambda: False)
    file = tmp_path / "run.npz"
    first = de2ls.minimize(valley, BOX, max_evals=60, seed=1, checkpoint=file)
    assert capsys.readouterr().out == ""
    again = de2ls.minimize(valley, BOX, max_evals=60, seed=1, checkpoint=file, disp=True)
    assert same(first, again)
    assert f"{file} holds this run up to {first.nfev} evaluations" in capsys.readouterr().out

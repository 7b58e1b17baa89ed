import io
import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest
from rich.console import Console

import de2ls as package
from de2ls.campaigns import CampaignError, ConflictError, Store, run_campaign
from de2ls.campaigns.codec import fingerprint
from de2ls.campaigns.progress import LiveProgress, Progress

from .support import command, de2ls, fingerprints, rest, small_plan

LONG = ("--dim", "4", "--instance", "1", "--max-evals", "40000")  # about a tenth of a second each


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.db"


class Recorder(Progress):
    """Keeps what a campaign reports."""

    def __init__(self):
        self.trials, self.failures, self.notes = [], [], []

    def finished(self, trial, record):
        self.trials.append((trial, record))

    def failed(self, trial, reason):
        self.failures.append((trial, reason))

    def note(self, text):
        self.notes.append(text)


def test_a_plan_without_its_data_makes_no_store(path, tmp_path, monkeypatch):
    monkeypatch.setenv("DE2LS_CEC2017_DATA", str(tmp_path))
    plan = small_plan(dim=100, instance=0, problems="26")
    with pytest.raises(FileNotFoundError, match="data fetch"):
        run_campaign(plan, path)
    assert not path.exists()


def test_a_campaign_stores_what_run_trial_gives(path):
    plan = small_plan(algorithms="de2ls,MC1=de2ls:ls_mc=1")
    outcome = run_campaign(plan, path, workers=2)
    assert (outcome.planned, outcome.before, outcome.stored, outcome.left) == (12, 0, 12, 0)
    with Store.open(path, readonly=True) as store:
        stored = store.record("MC1", 3, problems=4)
        assert [plan for _, plan in store.info().plans] == [plan.as_dict()]
        assert store.verify().sound
    (planned,) = (
        trial
        for trial in plan.trials()
        if (trial.label, trial.problem.number, trial.run) == ("MC1", 4, 3)
    )
    problem = package.cec2017(4, dim=4, instance=1)
    direct = package.run_trial(
        "de2ls", problem, planned.seed, max_evals=600, config={"ls_mc": 1}, label="MC1"
    )
    assert fingerprint(stored) == fingerprint(direct)
    assert stored.label == "MC1"
    assert stored.environment == direct.environment


def test_one_thread_two_threads_and_processes_give_the_same_bits(tmp_path):
    stores = {}
    for name, options in {
        "one": {"workers": 1},
        "two": {"workers": 2},
        "processes": {"workers": 2, "executor": "processes"},
    }.items():
        path = tmp_path / f"{name}.db"
        run_campaign(small_plan(), path, **options)
        stores[name] = fingerprints(path)
    assert len(stores["one"]) == 12
    assert stores["one"] == stores["two"] == stores["processes"]


def test_paired_series_share_their_random_numbers(path):
    run_campaign(small_plan(algorithms="de2ls:ls_mc=0,rdex", paired=True), path)
    with Store.open(path, readonly=True) as store:
        ours, theirs = (list(store.records(labels=s)) for s in ("de2ls:ls_mc=0", "rdex"))
    for a, b in zip(ours, theirs, strict=True):
        assert a.seed == b.seed
        assert np.array_equal(a.curve, b.curve, equal_nan=True)


def test_the_same_plan_continues_and_runs_nothing_twice(path):
    run_campaign(small_plan(runs=2), path)
    with Store.open(path, readonly=True) as store:
        before = {(t.label, t.problem.name, t.run): t for t in store.trials()}
    recorder = Recorder()
    outcome = run_campaign(small_plan(runs=3, problems="1,4,5"), path, progress=recorder)
    assert (outcome.before, outcome.stored) == (8, 10)
    assert not {(t.label, t.problem.number, t.run) for t, _ in recorder.trials} & before.keys()
    with Store.open(path, readonly=True) as store:
        after = {(t.label, t.problem.name, t.run): t for t in store.trials()}
        assert len(store.info().plans) == 2
    assert len(after) == 18
    assert all(after[name] == trial for name, trial in before.items())  # also their wall time
    assert run_campaign(small_plan(runs=3), path).stored == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"algorithms": "de2ls=de2ls:ls_mc=1"}, "ls_mc was 2 and would be 1"),
        ({"algorithms": "de2ls=rdex"}, "algorithm was 'de2ls' and would be 'rdex'"),
        ({"max_evals": 601}, "max_evals was 600 and would be 601"),
        ({"seed": 2}, "seed was .* depends on the campaign's seed and on paired"),
        ({"paired": True}, "seed was .* depends on the campaign's seed and on paired"),
    ],
)
def test_a_changed_plan_under_the_same_label_is_refused(path, changes, message):
    run_campaign(small_plan(), path)
    before = fingerprints(path)
    with pytest.raises(ConflictError, match=message):
        run_campaign(small_plan(**changes), path)
    assert fingerprints(path) == before
    with Store.open(path, readonly=True) as store:
        assert len(store.info().plans) == 1


FAILING = """
bounds = [(0, 1), (0, 1)]

def fun(x):
    if x[0] > 0.999 or x[1] > 0.999:
        raise ArithmeticError("too far")
    return -x[0] - x[1]
"""


def test_a_trial_that_raises_is_reported_and_the_others_go_on(path, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(FAILING)
    recorder = Recorder()
    plan = small_plan(problems=f"1,{file}", dim=2, algorithms="de2ls", runs=2)
    outcome = run_campaign(plan, path, workers=1, progress=recorder)
    assert (outcome.stored, outcome.left) == (2, 2)
    assert [trial.problem.number for trial, _ in recorder.trials] == [1, 1]
    for (trial, reason), (reported, text) in zip(outcome.failed, recorder.failures, strict=True):
        assert trial is reported
        assert trial.source == str(file)
        assert "too far" in reason == text
    with Store.open(path, readonly=True) as store:
        assert store.failures() == {trial.key: reason for trial, reason in outcome.failed}
    file.write_text(FAILING.replace("0.999", "9.999"))
    again = small_plan(problems=f"1,{file}", dim=2, algorithms="de2ls", runs=2)
    assert run_campaign(again, path, workers=1).stored == 2


def test_a_problem_that_cannot_be_made_stops_before_the_start(path):
    with pytest.raises(ValueError, match="dim must be one of"):
        run_campaign(small_plan(dim=7, instance=0), path)
    assert not list(path.parent.glob("*.lock"))


def test_bad_workers_are_refused(path):
    with pytest.raises(ValueError, match="workers must"):
        run_campaign(small_plan(), path, workers=0)
    with pytest.raises(ValueError, match="executor must"):
        run_campaign(small_plan(), path, executor="thread")


KILLS_ITSELF = """
import os, signal
bounds = [(0, 1), (0, 1)]
calls = 0

def fun(x):
    global calls
    calls += 1
    if calls > 200:
        os.kill(os.getpid(), signal.SIGKILL)
    return x[0]
"""


def test_a_killed_worker_process_ends_the_campaign_with_a_clear_message(path, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(KILLS_ITSELF)
    plan = small_plan(problems=str(file), dim=2, instance=None, algorithms="de2ls", runs=2)
    screen = io.StringIO()
    progress = LiveProgress(Console(file=screen, force_terminal=True))
    with pytest.raises(CampaignError, match=r"a worker process died .* the same command continues"):
        run_campaign(plan, path, workers=1, progress=progress)
    assert screen.getvalue().count("\x1b[?25l") == 1
    assert screen.getvalue().count("\x1b[?25h") == 1  # the cursor is back
    with Store.open(path, readonly=True) as store:
        assert store.verify().sound


# ---------------------------------------------------------------- interruptions of real processes


def started(*arguments, trials=1):
    """Start ``de2ls run --json``, wait until some trials are stored, return process and events."""
    process = subprocess.Popen(
        command("run", "--json", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    events = []
    while sum(event["event"] == "trial" for event in events) < trials:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        events.append(json.loads(line))
    return process, events


def ended(process, events):
    output, errors = rest(process)
    events += [json.loads(line) for line in output.splitlines()]
    return events, errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_finishes_the_running_trials_and_says_what_is_left(path, number):
    arguments = ("--runs", "5000", "--problems", "1", *LONG, "--workers", "2", "--store", str(path))
    process, events = started(*arguments)
    process.send_signal(number)
    events, errors = ended(process, events)
    assert process.returncode == 130
    assert "error" not in errors.lower()
    trials = [event for event in events if event["event"] == "trial"]
    assert {
        "event": "note",
        "text": "stopping after the running trials; Ctrl-C again abandons them",
    } in events
    end = events[-1]
    assert end["event"] == "end"
    assert end["interrupted"] is True
    assert end["left"] == 5000 - len(trials) > 0
    with Store.open(path, readonly=True) as store:
        assert len(list(store.trials())) == end["stored"] == len(trials)
        assert store.verify().sound
    assert sorted(file.name for file in path.parent.iterdir()) == ["results.db"]


def test_a_second_interruption_abandons_the_running_trials(path):
    arguments = ("--runs", "20", "--problems", "1", "--dim", "30", "--instance", "1")
    process, events = started(*arguments, "--workers", "2", "--store", str(path))
    process.send_signal(signal.SIGINT)
    while events[-1]["event"] != "note":
        events.append(json.loads(process.stdout.readline()))
    process.send_signal(signal.SIGINT)
    events, errors = ended(process, events)
    assert process.returncode == 130
    assert "error" not in errors.lower()
    assert events[-1]["interrupted"] is True
    with Store.open(path, readonly=True) as store:
        assert len(list(store.trials())) == events[-1]["stored"]
        assert store.verify().sound


SLOW = """
import time
bounds = [(0, 1), (0, 1)]

def fun(x):
    time.sleep(0.001)
    return x[0]
"""


def children(process):
    """Return the ids of a process's descendants."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            if parent == process.pid:
                found.append(int(entry))
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc to see processes")
def test_worker_processes_end_with_a_killed_campaign(path, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(SLOW)
    arguments = ("--problems", str(file), "--max-evals", "300", "--workers", "2")
    process, _ = started(*arguments, "--store", str(path))
    workers = children(process)
    assert len(workers) >= 2
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 60
    while any(map(is_alive, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_two_campaigns_on_one_store(path):
    arguments = ("--runs", "5000", "--problems", "1", *LONG, "--workers", "1", "--store", str(path))
    process, events = started(*arguments)
    second = de2ls("run", *arguments)
    assert second.returncode == 3
    assert f"{path} is being written by process {process.pid} on " in second.stderr
    assert second.stderr.count("\n") == 1
    look = de2ls("store", "info", str(path), "--json")  # while the first one writes
    assert 1 <= json.loads(look.stdout)["trials"] < 5000
    process.send_signal(signal.SIGINT)
    events, _ = ended(process, events)
    assert events[-1]["stored"] >= 1
    with Store.open(path, readonly=True) as store:
        records = list(store.records())
    assert len(records) == events[-1]["stored"]
    problem = package.cec2017(1, dim=4, instance=1)
    direct = package.run_trial("de2ls", problem, records[0].seed, max_evals=40000)
    assert fingerprint(records[0]) == fingerprint(direct)

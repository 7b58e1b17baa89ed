import io
import json
import math

import pytest
from rich.console import Console

from de2ls.campaigns import Store, run_campaign
from de2ls.campaigns.campaign import Outcome
from de2ls.campaigns.progress import (
    JsonProgress,
    LiveProgress,
    PlainProgress,
    Tally,
    closing,
    duration,
)

from .support import make_record, small_plan


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def trials():
    return list(small_plan().trials())


def test_tally_counts_trials_evaluations_and_the_time_left(trials):
    clock = Clock()
    tally = Tally(small_plan(), trials[4:], clock)
    assert (tally.planned, tally.to_run, tally.done) == (12, 8, 4)
    assert tally.of_label == {"de2ls": 6, "rdex": 6}
    assert (tally.left["de2ls"], tally.left["rdex"]) == (4, 4)
    assert (tally.speed, tally.seconds_left) == (0.0, None)
    clock.now += 3.0
    tally.count(trials[4], make_record(n_evals=600))
    tally.count(trials[5], make_record(n_evals=300))  # an algorithm that ended early
    tally.count(trials[6], None)  # one that failed
    assert (tally.done, tally.seconds) == (6, 3.0)
    assert (tally.left["de2ls"], tally.left["rdex"]) == (3, 3)
    assert tally.speed == 900 / 3.0
    assert tally.seconds_left == 5 * 600 / 300.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "40 ms"),
        (0.1, "0.1 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (99.4, "99 s"),
        (100, "2 min"),
        (5940, "99 min"),
        (8640, "2.4 h"),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_plain_lines_come_now_and_then(trials):
    clock, stream = Clock(), io.StringIO()
    progress = PlainProgress(stream, clock)
    clock.now += 60  # compiling
    progress.start(small_plan(), trials, "2 threads")
    for trial in trials[:6]:
        clock.now += 4
        progress.finished(trial, make_record(n_evals=600, wall_time=4.0))
    progress.failed(trials[6], "ValueError: no")
    progress.end(Outcome(planned=12, before=0, stored=6, failed=[(trials[6], "ValueError: no")]))
    name = "C04 D=4 report/1"
    assert stream.getvalue().splitlines() == [
        "12 trials planned: running 12 on 2 threads",
        "3/12 trials (25 %), 12 s gone, about 36 s left, 150 evaluations/s; "
        f"last: de2ls on {name}, run 1: Min_EV 7.25 (4.00 s)",
        "6/12 trials (50 %), 24 s gone, about 24 s left, 150 evaluations/s; "
        "last: rdex on C01 D=4 report/1, run 2: Min_EV 7.25 (4.00 s)",
        f"failed: de2ls on {name}, run 2: ValueError: no",
        "1 trial failed; the same command tries again",
        "6 trials stored, 6 of 12 left; the same command continues",
    ]


def test_json_lines_of_a_real_campaign(tmp_path):
    stream = io.StringIO()
    plan = small_plan(problems="1,19", runs=2)  # C19 has no feasible point
    run_campaign(plan, tmp_path / "a.db", workers=2, progress=JsonProgress(stream))
    start, *trials, end = (json.loads(line) for line in stream.getvalue().splitlines())
    assert start == {
        "event": "start",
        "planned": 8,
        "to_run": 8,
        "evaluations": 8 * 600,
        "workers": "2 threads",
    }
    with Store.open(tmp_path / "a.db", readonly=True) as store:
        stored = {(t.label, t.problem.name, t.run): t for t in store.trials()}
    assert len(trials) == len(stored) == 8
    for event in trials:
        trial = stored[event["label"], event["problem"]["number"], event["run"]]
        assert event["event"] == "trial"
        assert event["problem"] == trial.problem.as_dict()
        assert (event["feasible"], event["lcv"]) == (trial.feasible, trial.lcv)
        assert event["evaluations"] == trial.n_evals == 600
        assert (event["min_ev"] is None) == math.isnan(trial.min_ev)
        assert event["min_ev"] in (None, trial.min_ev)
    assert {event["problem"]["number"] for event in trials if event["min_ev"] is None} == {19}
    assert end == {
        "event": "end",
        "planned": 8,
        "before": 0,
        "stored": 8,
        "failed": 0,
        "left": 0,
        "interrupted": False,
        "warnings": [],
    }


def test_the_live_display_shows_bars_pace_and_the_last_results(tmp_path):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system=None, width=120)
    progress = LiveProgress(console)
    plan = small_plan(algorithms="de2ls,[bold]odd=rdex")  # a label that looks like markup
    run_campaign(plan, tmp_path / "a.db", workers=2, progress=progress)
    with console.capture() as capture:
        console.print(progress.bars.get_renderable())
    picture = capture.get()
    assert "all trials" in picture
    assert "12/12" in picture
    assert picture.count("6/6") == 2
    assert "[bold]odd" in picture
    assert picture.count(", run ") == 2  # the last result of each series
    assert "evaluations/s" in picture
    text = stream.getvalue()
    assert "12 trials planned: running 12 on 2 threads" in text
    assert "complete: 12 trials stored, 12 in the store" in text
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1  # the cursor comes back


def test_closing_lines():
    done = Outcome(planned=5, before=2, stored=3, warnings=["mixed"])
    assert closing(done) == ["warning: mixed", "complete: 3 trials stored, 5 in the store"]
    stopped = Outcome(planned=5, before=1, stored=1, interrupted=True)
    assert closing(stopped) == [
        "interrupted: 1 trial stored, 3 of 5 left; the same command continues"
    ]

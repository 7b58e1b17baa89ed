"""Rounds of CHORUS with workers."""

import numpy as np
import pytest

from de2ls.problems.key import ProblemKey
from de2ls.studies import chorus_parallel as study
from de2ls.studies.runs import Case, Run
from tests.studies.test_practitioners import columns

G6 = ProblemKey("cec2006", 6, 2)
G8 = ProblemKey("cec2006", 8, 2)


def test_more_workers_need_fewer_rounds_and_the_same_run_comes_again():
    one, four, again = (
        study.parallel_run(case)
        for case in (Case("chorus", G6, 1, 500, k) for k in ("1", "4", "4"))
    )
    assert 950 <= one.used <= 1000  # a point that is asked twice in a row is counted once
    assert np.array_equal(four.history, again.history)
    assert one.history[-1, 0] <= 1000
    assert four.history[-1, 0] <= 250 + 1  # 1000 evaluations by fours; the last may be cut short
    assert four.solved_at < one.solved_at < np.inf


def test_speed_up_is_that_of_problems_solved_by_all():
    def run(key, k, rounds, seed=1):
        history = np.array([[rounds, 1e-5]]) if np.isfinite(rounds) else np.empty((0, 2))
        return Run(Case("chorus", key, seed, 2000, str(k)), history)

    runs = [run(G6, 1, 80), run(G6, 8, 20), run(G8, 1, 50), run(G8, 8, np.inf)]
    table = study.parallel_table(study.speeds(runs))
    shown = columns(table, "workers", "solved", "rounds", "speed-up")
    assert shown[0] == (1, "2 / 2", pytest.approx(80.0), pytest.approx(1.0))
    assert shown[1] == (8, "1 / 2", pytest.approx(20.0), pytest.approx(4.0))


def test_the_page(tmp_path):
    cases = list(study.parallel_cases([G8], [1, 2], 1, 30))
    assert [case.setting for case in cases] == ["1", "2"]
    study.write_parallel_page([study.parallel_run(case) for case in cases], tmp_path, "a command")
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    for part in ("a command", "30 D", "speed-up"):
        assert part in text
    assert (tmp_path / "speedup.png").stat().st_size > 5_000

"""CHORUS without each of its arms."""

import numpy as np
import pytest

from de2ls.problems.key import ProblemKey
from de2ls.studies import chorus_arms as study
from de2ls.studies.runs import Case, Run
from tests.studies.test_practitioners import columns

G = [ProblemKey("cec2006", number, 2) for number in (6, 8, 11, 12, 15, 24)]


def run(key, arm, *history, seed=1, violation=0.0):
    array = np.array(history, dtype=float).reshape(-1, 2)
    return Run(Case("chorus", key, seed, 100, arm), array, violation=violation)


@pytest.mark.parametrize(
    ("one", "two", "wins"),
    [
        ([(50, 1e-5)], [(180, 1e-2)], 1),  # solved against unsolved
        ([(50, 1e-5)], [(52, 1e-9)], 0),  # both, hardly later
        ([(50, 1e-5)], [(90, 1e-9)], 1),  # both, later
        ([(50, 3e-2)], [(50, 2e-2)], -1),  # neither: by the error
        ([], [(50, 1.0)], -1),  # nothing feasible
    ],
)
def test_outcomes(one, two, wins):
    assert study.outcome(run(G[0], "all", *one), run(G[0], "lines", *two)) == wins
    assert study.outcome(run(G[0], "lines", *two), run(G[0], "all", *one)) == -wins


def test_without_a_best_value_the_final_values_count():
    """C08's is not known: -1 is no error, and solves nothing."""
    key = ProblemKey.make("cec2017", 8, 10, definition="report", instance=1)
    one, two = run(key, "all", (20, -1.0)), run(key, "lines", (10, -1.0), (30, -2.0))
    assert study.outcome(one, two) == -1
    table = study.arm_table([one, two])
    assert columns(table, "solved with", "without", "worse with") == [(None, None, 1)]


def test_without_feasible_points_the_violation_counts():
    one, two = run(G[0], "all", violation=1.0), run(G[0], "lines", violation=2.0)
    assert study.outcome(one, two) == 1


def test_an_arm_helps_where_it_wins_on_enough_problems(tmp_path):
    """Six problems of six: p = 2 / 2^6 = 0.03; two for and one against decide nothing."""
    runs = [run(key, "all", (50, 1e-5)) for key in G]
    runs += [run(key, "local", (180, 1e-2)) for key in G]
    later = (90, 90, 20, 50, 50, 50)
    runs += [run(key, "lines", (at, 1e-5)) for key, at in zip(G, later, strict=True)]
    table = study.arm_table(runs)
    assert columns(table, "arm", "better with", "worse with", "p", "verdict") == [
        ("local", 6, 0, pytest.approx(2 / 64), "helps"),
        ("lines", 2, 1, pytest.approx(1.0), "undecided"),
    ]
    assert columns(table, "solved with", "without")[0] == ("6 / 6", "0 / 6")
    needed = study.write_arms_page(runs, tmp_path, "a command")
    assert columns(needed, "arm", "helps, groups") == [("local", 1), ("lines", 0)]
    assert "a command" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_arm_is_left_out():
    found = study.arm_run(Case("chorus", G[0], 1, 20, "local"))
    whole = study.arm_run(Case("chorus", G[0], 1, 20, "all"))
    assert found.used <= 40
    assert found.violation != whole.violation  # nothing is feasible so soon


def test_discrete_moves_are_left_out_where_there_are_some():
    arms = {case.setting for case in study.arm_cases(G[:1], ["neighbours", "lines"], 1, 100)}
    assert arms == {"all", "lines"}

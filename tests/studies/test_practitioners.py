"""The comparison of `minimize` with other people's solvers."""

import numpy as np
import pytest

from de2ls.problems.key import ProblemKey
from de2ls.studies import practitioners as study

G4 = ProblemKey("cec2006", 4, 5)
G8 = ProblemKey("cec2006", 8, 2)


def run(solver, key, seed, budget, *history):
    case = study.Case(solver, key, seed, budget)
    return study.Run(case, 1.0, np.array(history, dtype=float).reshape(-1, 2))


def test_the_error_is_that_of_the_last_improvement_in_time():
    made = run("slsqp", G8, 1, 2000, (10, 0.5), (90, 1e-3), (300, 1e-5))
    assert [made.error(n) for n in (9, 10, 89, 90, 299, 300)] == [
        np.inf,
        0.5,
        0.5,
        1e-3,
        1e-3,
        1e-5,
    ]
    assert made.solved_at == 150  # evaluations per dimension


def test_solvers_that_know_the_budget_run_once_for_each():
    cases = list(study.cases([G8], ["slsqp", "polish"], seeds=2))
    assert [(case.solver, case.budget) for case in cases if case.seed == 1] == [
        ("slsqp", 2000),
        ("polish", 50),
        ("polish", 200),
        ("polish", 2000),
    ]
    assert len(cases) == 8


def test_solved_problems_are_counted_in_the_median():
    runs = [
        *(run("slsqp", G4, seed, 2000, (100, error)) for seed, error in enumerate((1e-5, 1e-5, 1))),
        *(run("slsqp", G8, seed, 2000, (300, error)) for seed, error in enumerate((1e-5, 1, 1))),
        *(run("polish", G4, seed, 200, (900, 1e-5)) for seed in range(3)),
    ]
    rows = {row[1]: row[3:] for row in study.solved_table(runs).rows}
    # G4: 100 evaluations are within 50 D = 250; G8 is solved by one seed of three.
    assert rows["50 D"] == (1, None)
    assert rows["200 D"] == (1, 1)
    assert rows["2000 D"] == (1, None)


def test_runs_are_kept_and_not_made_again(tmp_path, monkeypatch):
    path = tmp_path / "runs.csv"
    wanted = list(study.cases([G8], ["slsqp"], seeds=2, budgets=[50]))
    first = study.run_missing(path, wanted, workers=1)
    lines = path.read_text().splitlines()
    assert len(lines) == 3
    monkeypatch.setattr(study, "one_run", None)  # nothing may run
    again = study.run_missing(path, wanted, workers=1)
    assert [made.case for made in again] == [made.case for made in first]
    for old, new in zip(first, again, strict=True):
        assert new.error(100) == pytest.approx(old.error(100), rel=1e-2)
    assert path.read_text().splitlines() == lines


def test_the_report_has_tables_and_a_figure(tmp_path):
    runs = [
        run("slsqp", G8, 1, 2000, (40, 1e-5)),
        run("cobyla", G8, 1, 2000, (400, 0.1)),
    ]
    table = study.report(runs, tmp_path, "a command")
    assert table.rows[0][3:] == (1, 0)
    text = (tmp_path / "README.md").read_text()
    assert "a command" in text
    assert "SLSQP multi-start" in text
    assert (tmp_path / "profiles.png").stat().st_size > 10_000

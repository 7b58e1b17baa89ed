"""Runs that are kept in a file."""

import numpy as np
import pytest

from de2ls.problems.key import ProblemKey
from de2ls.studies import runs as kept
from de2ls.studies.runs import Case, Run, read, run_missing

G8 = ProblemKey("cec2006", 8, 2)


def made(case):
    """Return what a run would give; at the top so that worker processes find it."""
    history = np.array([[10, 0.5], [90, 1e-3], [300, 1.0004e-4], [310, 9.0e-5], [320, 1e-6]])
    return Run(case, history, best=-3.0, violation=0.25, used=400, ended="time", cpu=1.5, wall=2.0)


def test_the_error_is_that_of_the_last_improvement_in_time():
    run = made(Case("slsqp", G8, 1, 2000))
    found = [run.error(n) for n in (9, 10, 89, 90, 299, 330)]
    assert found == [np.inf, 0.5, 0.5, 1e-3, 1e-3, 1e-6]
    assert run.solved_at == 155  # evaluations per dimension


def test_targets_are_absolute_distances_of_strictly_feasible_points():
    precisions = np.array([100.0, 10.0, 1.0, 0.1, 0.01])
    strict = np.array([[5, 1.0], [50, 0.02]])  # times |f*| = 50: 50 and 1
    run = Run(Case("slsqp", G8, 1, 50), np.empty((0, 2)), strict, best=-50.0)
    assert [run.targets(n, precisions) for n in (4, 5, 49, 50)] == [0.0, 0.2, 0.2, 0.6]


def test_what_is_written_keeps_what_pages_need(tmp_path):
    path, case = tmp_path / "runs.csv", Case("slsqp", G8, 3, 100, "noise 1e-6")
    (run,) = run_missing(path, [case], made, workers=1)
    assert run.case == case
    assert (run.best, run.violation, run.used, run.ended) == (-3.0, 0.25, 400, "time")
    assert (run.cpu, run.wall) == (1.5, 2.0)
    original = made(case)
    assert run.solved_at == original.solved_at
    for budget in (50, 100, 200):
        assert run.error(budget * 2) == pytest.approx(original.error(budget * 2), rel=1e-8)


def test_target_hits_survive_thinning(tmp_path):
    n = np.arange(1, 400)
    strict = np.column_stack([n, 50.0 * 0.93**n])
    original = Run(Case("slsqp", G8, 1, 200), np.empty((0, 2)), strict, best=0.5)
    path = tmp_path / "runs.csv"
    with path.open("w") as file:
        file.write(",".join(kept.FIELDS) + "\n")
        kept.csv.writer(file).writerow(kept._row(original))
    (run,) = read(path).values()
    assert len(run.strict) < 52
    for evaluations in (1, 17, 100, 250, 399):
        assert run.targets(evaluations) == original.targets(evaluations)


def never(case):
    raise AssertionError(case)


def test_runs_are_not_made_again_and_others_join_them(tmp_path):
    path = tmp_path / "runs.csv"
    first = [Case("slsqp", G8, seed, 50) for seed in (1, 2)]
    run_missing(path, first, made, workers=1)
    text = path.read_text()
    assert [run.case for run in run_missing(path, first, never, workers=1)] == first
    assert path.read_text() == text
    other = Case("cobyla", G8, 1, 50)
    assert {run.case for run in run_missing(path, [other], made, workers=1)} == {*first, other}
    assert path.read_text().startswith(text)


def test_two_workers_make_the_same_runs(tmp_path):
    cases = [Case("slsqp", G8, seed, 50) for seed in (1, 2, 3)]
    one = run_missing(tmp_path / "one.csv", cases, made, workers=1)
    two = run_missing(tmp_path / "two.csv", cases, made, workers=2)
    by_case = {run.case: run for run in two}
    assert set(by_case) == set(cases)
    assert all(np.array_equal(run.history, by_case[run.case].history) for run in one)


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("solver,seed\na,1\n")
    with pytest.raises(ValueError, match=r"runs\.csv must have the columns"):
        read(path)

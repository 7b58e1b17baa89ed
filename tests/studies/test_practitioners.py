"""The comparison of `minimize` with other people's solvers."""

import numpy as np
import pytest

from de2ls.problems.key import ProblemKey
from de2ls.scores.hitting import PRECISIONS
from de2ls.studies import practitioners as study
from de2ls.studies.runs import Case, Run, run_missing
from de2ls.studies.solvers_page import write_page

G4 = ProblemKey("cec2006", 4, 5)
G8 = ProblemKey("cec2006", 8, 2)
F1 = [ProblemKey.make("bbob-constrained", 1, 2, instance=i) for i in (1, 2)]


def run(solver, key, seed, budget, *history, **facts):
    array = np.array(history, dtype=float).reshape(-1, 2)
    strict = array if key.suite == "bbob-constrained" else np.empty((0, 2))
    return Run(Case(solver, key, seed, budget), array, strict, **{"best": 0.0, "used": 10, **facts})


def columns(table, *names):
    places = [table.header.index(name) for name in names]
    return [tuple(row[j] for j in places) for row in table.rows]


def test_solvers_that_know_the_budget_run_once_for_each():
    cases = list(study.cases([G8], ["slsqp", "polish"], 2, [50, 200, 2000]))
    assert [(case.solver, case.budget) for case in cases if case.seed == 1] == [
        ("slsqp", 2000),
        ("polish", 50),
        ("polish", 200),
        ("polish", 2000),
    ]
    assert [case.seed for case in cases] == [1] * 4 + [2] * 4


def test_solved_problems_are_counted_in_the_median():
    runs = [
        *(run("slsqp", G4, seed, 2000, (100, error)) for seed, error in enumerate((1e-5, 1e-5, 1))),
        *(run("slsqp", G8, seed, 2000, (300, error)) for seed, error in enumerate((1e-5, 1, 1))),
        *(run("polish", G4, seed, 200, (900, 1e-5)) for seed in range(3)),
    ]
    table = study.solved_table(runs, [50, 200, 2000])
    found = columns(table, "budget", "SLSQP multi-start", "DE-2LS, polish=True")
    # G4: 100 evaluations are within 50 D = 250; G8 is solved by one seed of three.
    assert found == [
        ("50 D", "1 / 2", None),
        ("200 D", "1 / 2", "1 / 1"),
        ("2,000 D", "1 / 2", None),
    ]


def test_a_longer_run_of_the_same_seed_does_not_count_twice():
    short, long = (run("slsqp", G8, 1, budget, (50, 1e-5)) for budget in (200, 20_000))
    found = study.at_budget([long, short], 50, lambda run, n: run.case.budget)
    assert found["slsqp", G8].tolist() == [200]


def test_targets_and_leads_are_split_by_what_design_has_seen():
    runs = [
        *(run("chorus", key, 1, 50, (60, 1e-3)) for key in F1),
        run("cobyla", F1[0], 1, 50, (60, 10.0)),
        run("cobyla", F1[1], 1, 50, (90, 1e-9)),
    ]
    precisions = np.array([100.0, 1.0, 1e-2, 1e-4])
    table = study.target_table(runs, [50], precisions)
    assert columns(table, "problems", "minimize", "COBYLA multi-start") == [
        ("bbob-constrained, D = 2, seen in design", 75.0, 25.0),
        ("bbob-constrained, D = 2, unseen", 75.0, 100.0),
    ]
    leads = study.target_shares(runs, [50], precisions).leads("x")
    assert columns(leads, "leads", "minimize ahead by") == [
        ("minimize", 50.0),
        ("COBYLA multi-start", -25.0),
    ]
    assert study.target_table([run("slsqp", G8, 1, 50)], [50], precisions).rows == ()


def test_the_page_says_how_many_seeds_each_solver_has(tmp_path):
    runs = [
        *(run("slsqp", G8, seed, 2000, (40, 1e-5), wall=2.0, cpu=1e-3) for seed in (1, 2, 3)),
        run("slsqp", G4, 1, 2000, (40, 1e-5), wall=4.0, cpu=1e-3),
        run("cobyla", G8, 1, 2000, (400, 0.1), ended="time"),
        run("chorus", F1[0], 1, 2000, (400, 0.1)),
    ]
    table = study.solver_table(runs)
    shown = ("solver", "seeds, least", "seeds, median", "cut by time", "wall time, s")
    assert columns(table, *shown)[2] == ("SLSQP multi-start", 1, 2.0, 0, 2.0)
    assert columns(table, *shown)[1] == ("COBYLA multi-start", 1, 1.0, 1, 0.0)
    leads = write_page(runs, [200, 2000], tmp_path, "A title", "a command", 20.0)
    # by suite: COCO's one has no run of another solver
    assert columns(leads, "problems", "leads")[-1] == ("cec2006", "SLSQP multi-start")
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    for part in ("# A title", "a command", "20 s", "Who leads", "COCO's targets", "Seen in design"):
        assert part in text
    assert (tmp_path / "profiles.png").stat().st_size > 10_000


def test_real_runs_reach_the_page(tmp_path):
    wanted = study.cases([G8], ["slsqp"], 2, [50])
    runs = run_missing(tmp_path / "runs.csv", wanted, Solving(), workers=1)
    assert [made.case.seed for made in sorted(runs, key=lambda r: r.case.seed)] == [1, 2]
    for made in runs:
        assert made.used == 100
        assert made.best == pytest.approx(-0.0958250414180359)
        assert made.error(100) > -1e-6
    assert {"8"} >= {str(key.name) for key in study.problems(["cec2006"], [2]) if key == G8}


class Solving:
    """One run within a second; workers find it by its place."""

    def __call__(self, case):
        return study.solver_run(case, max_seconds=1.0)


def test_problems_of_every_instance_and_dimension():
    keys = study.problems(["bbob-constrained"], [2, 5], [1, 2])
    assert len(keys) == 4 * 54
    assert {(key.dim, key["instance"]) for key in keys} == {(2, 1), (2, 2), (5, 1), (5, 2)}
    assert len(PRECISIONS) == 51

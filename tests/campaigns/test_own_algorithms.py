"""A user's own algorithm in a campaign: from its file, on threads, processes and Dask."""

from pathlib import Path

import pytest

import de2ls
from de2ls.campaigns import ConflictError, Plan, Series, Store, run_campaign

TEXT = """
import de2ls


@de2ls.algorithm("mine")
def mine(space, rng, budget, config):
    while True:
        yield space.sample(rng, 40)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(TEXT)
    return path


def plan(*algorithms: str, runs: int = 2) -> Plan:
    return Plan.from_settings(
        {
            "algorithms": list(algorithms),
            "problems": "1",
            "dim": 3,
            "instance": 1,
            "runs": runs,
            "max_evals": 300,
        }
    )


def results(path: Path) -> list[tuple[str, int, float]]:
    with Store.open(path, readonly=True) as store:
        return sorted((r.label, r.run, r.f) for r in store.records())


def test_series_of_files_objects_and_modules(file: Path) -> None:
    series = Series.parse(str(file))
    digest = de2ls.algorithms.get_algorithm(str(file)).digest
    assert (series.label, series.algorithm) == ("mine", f"mine@{digest}")
    assert series.place == f"{file}:mine@{digest}"
    assert Series.parse(f"label={file}:mine").label == "label"
    own = de2ls.algorithms.get_algorithm(str(file))
    assert Series(own) == series
    for given in (own, [own], str(file)):
        assert Plan.from_settings({"algorithms": given, "instance": 1}).series == (series,)
    assert Series.parse("de2ls:ls_mc=1").label == "de2ls:ls_mc=1"


def test_a_campaign_on_a_problem_with_an_equality_continues(tmp_path: Path) -> None:
    own = tmp_path / "line.py"
    own.write_text(
        "bounds = [(-1, 1)] * 2\nconstraints = {'type': 'eq', 'fun': lambda x: x.sum()}\n"
        "def fun(x):\n    return float(x @ x)\n"
    )
    settings = {"algorithms": "de-rand-1-bin", "problems": str(own), "max_evals": 100}
    first = run_campaign(Plan.from_settings({**settings, "runs": 1}), tmp_path / "a.db", 1)
    second = run_campaign(Plan.from_settings({**settings, "runs": 2}), tmp_path / "a.db", 1)
    assert (first.stored, second.stored) == (1, 1)
    with Store.open(tmp_path / "a.db", readonly=True) as store:
        planned = Plan.from_settings({**settings, "runs": 2}).trials()
        assert [record.key for record in store.records()] == [trial.key for trial in planned]


def test_processes_run_the_trials_of_threads(file: Path, tmp_path: Path) -> None:
    run_campaign(plan(str(file), "de-rand-1-bin"), tmp_path / "a.db", 2, "threads")
    run_campaign(plan(str(file), "de-rand-1-bin"), tmp_path / "b.db", 2, "processes")
    assert len(results(tmp_path / "a.db")) == 4
    assert results(tmp_path / "a.db") == results(tmp_path / "b.db")


def test_a_changed_file_is_not_the_same_series(file: Path, tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    run_campaign(plan(str(file), runs=1), store, 1, "threads")
    run_campaign(plan(str(file), runs=2), store, 1, "threads")  # goes on
    assert len(results(store)) == 2
    file.write_text(TEXT.replace("40", "41"))
    with pytest.raises(ConflictError, match=r"mine@"):
        run_campaign(plan(str(file), runs=3), store, 1, "threads")
    assert len(results(store)) == 2


def test_workers_refuse_a_file_that_has_changed_since_the_plan(file: Path, tmp_path: Path) -> None:
    planned = plan(str(file), runs=1)
    file.write_text(TEXT.replace("40", "41"))
    outcome = run_campaign(planned, tmp_path / "a.db", 1, "processes")
    assert len(outcome.failed) == 1
    assert "text has changed" in str(outcome.failed[0])


def test_an_algorithm_in_no_file_runs_on_threads_only(tmp_path: Path) -> None:
    @de2ls.algorithm("local")
    def local(space, rng, budget, config):  # type: ignore[no-untyped-def]
        while True:
            yield space.sample(rng, 50)

    base = plan("rdex")
    own = Plan((Series(local),), base.problems, (1,), max_evals=200)
    run_campaign(own, tmp_path / "a.db", 1, "auto")
    assert len(results(tmp_path / "a.db")) == 1
    with pytest.raises(ValueError, match="executor must"):
        run_campaign(own, tmp_path / "b.db", 1, "processes")

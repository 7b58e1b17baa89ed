"""The study of gaps that arise by chance, on trials whose theory is known."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from de2ls.campaigns.store import Store
from de2ls.scores import Collection, uscore

from .records import field

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "studies" / "chance_gap.py"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("chance_gap", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["chance_gap"] = module
    spec.loader.exec_module(module)
    return module


def distinct_trials(rng, trials, samples=1):
    E = rng.permutation(trials).astype(float)[:, None] + np.zeros(samples)
    return np.stack([E, np.zeros_like(E)], axis=2)


@pytest.mark.parametrize("recorded", [50, 80])
def test_the_deviation_is_that_of_the_rank_sum_statistic(study, recorded):
    # One sample: all speed points are shared. Accuracy points of one group of n against the other
    # are the Mann-Whitney statistic with variance n^2 (2 n + 1) / 12.
    n, problems = 25, 6
    rng = np.random.default_rng(0)
    cells = [distinct_trials(rng, recorded) for _ in range(problems)]
    gap = study.chance_gap("x", cells, n, repeats=4000)
    mean_U = problems * (n * (n - 1) + n * n)
    deviation = 2 * math.sqrt(problems * n * n * (2 * n + 1) / 12) / mean_U * 100
    # relative standard error of a deviation from 4000 draws: 1.1 %
    assert gap.gains.std(ddof=1) == pytest.approx(deviation, rel=0.05)
    assert abs(gap.gains.mean()) < 4 * deviation / math.sqrt(4000) + 0.01 * deviation**2


def test_draws_with_replacement_from_few_trials(study):
    rng = np.random.default_rng(1)
    cells = [distinct_trials(rng, 25) for _ in range(6)]
    few = study.chance_gap("x", cells, 25, repeats=4000).gains.std(ddof=1)
    many = study.chance_gap("x", [distinct_trials(rng, 50) for _ in range(6)], 25, 4000)
    assert few == pytest.approx(many.gains.std(ddof=1), rel=0.08)


def test_gains_are_those_of_the_score(study, monkeypatch):
    rng = np.random.default_rng(2)
    cells = [np.abs(rng.normal(size=(6, 4, 2))).round(1) for _ in range(3)]
    groups = np.array([[0, 1, 2], [3, 4, 5]])
    monkeypatch.setattr(study, "_two_groups", lambda *_: groups)
    gap = study.chance_gap("x", cells, runs=3, repeats=1)
    s = uscore(
        {f"copy {i}": np.stack([cell[group] for cell in cells]) for i, group in enumerate(groups)}
    )
    assert gap.gains[0] == pytest.approx(s.gain("copy 0", "copy 1"), rel=1e-12)


def test_equal_trials_leave_no_gap(study):
    cells = [np.ones((10, 3, 2)) * [1.0, 0.0]]
    assert (study.chance_gap("x", cells, 5).gains == 0).all()


def test_store_and_folder(study, tmp_path, capsys):
    records = field(("x", "y"), (1, 2), range(1, 9))
    with Store.open(tmp_path / "results.db") as store:
        for record in records:
            store.add(record)
    x = [record.curve[:, 1:] for record in records if record.label == "x"]
    np.savez(tmp_path / "x.npz", own=np.array(x).reshape(2, 8, 3, 2))
    options = ["--label", "x", "--runs", "4"]
    study.main([str(tmp_path / "results.db"), *options])
    from_store = capsys.readouterr().out
    study.main([str(tmp_path), "--array", "own", *options])
    assert capsys.readouterr().out == from_store
    assert "x against itself, 200 times: 2 problems, 4 runs each, drawn from 8" in from_store
    assert "share of sizes of at least 5.58 %" in from_store


def test_loading_gives_a_collection(study, tmp_path):
    np.savez(tmp_path / "x.npz", curves=np.zeros((2, 3, 4, 2)))
    collection = study.load(tmp_path, "x", "curves")
    assert isinstance(collection, Collection)
    assert collection.algorithms == ("x",)

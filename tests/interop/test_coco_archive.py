"""COCO archives and profiles, held against COCO's own post-processing."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import de2ls
from de2ls.interop import coco
from de2ls.interop.coco_archive import optimum, write_coco
from de2ls.problems.key import ProblemKey
from de2ls.scores import collect
from de2ls.scores.hitting import PRECISIONS
from de2ls.scores.profiles import profiles
from de2ls.trials import TrialKey
from tests.scores.records import make_record

FUNCTIONS, DIM = (1, 20), 2
# cocopp looks for archives on the web and warns without end: it gets a process of its own.
READ = """
import json, sys, warnings
warnings.simplefilter("ignore")
from cocopp import pproc
found = {}
for data in pproc.DataSetList([sys.argv[1]]):
    evals = data.detEvals(json.loads(sys.argv[2]))
    found[data.funcId] = [[float(e) for e in row] for row in evals]
print("RESULT" + json.dumps(found))
"""


def post_processed(folder, targets=PRECISIONS):
    """Return cocopp's evaluations of objective and constraints to each target, by function."""
    arguments = [sys.executable, "-c", READ, str(folder), json.dumps(list(targets))]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    text = done.stdout.partition("RESULT")[2]
    return {int(number): np.array(rows) for number, rows in json.loads(text).items()}


def shares(evaluations, budgets):
    """Return the share of (function, run, target) triples with at most so many evaluations / D."""
    both = 2 * DIM * np.asarray(budgets)[:, None, None] * (1 + 1e-12)
    return np.mean([(rows <= both).mean(axis=(1, 2)) for rows in evaluations.values()], axis=0)


def objective_only(collection):
    """COCO has no targets of violation."""
    cells = tuple(tuple(cell * [1.0, 0.0] for cell in row) for row in collection.cells)
    return replace(collection, cells=cells)


@pytest.fixture(scope="module")
def records():
    suite = de2ls.suite("bbob-constrained")
    keys = [key for key in suite.problems(dim=DIM, instance=1) if key.name in FUNCTIONS]
    found = []
    for key in keys:
        for run in (1, 2):
            record = de2ls.run_trial("de-rand-1-bin", suite.load(key), seed=run, max_evals=800)
            found.append(replace(record, key=TrialKey("de-rand-1-bin", key, run)))
    return found


def test_cocopp_reads_an_archive_and_agrees_with_the_profile(records, tmp_path):
    (folder,) = write_coco(records, tmp_path)
    collection = collect(records)
    known = [optimum(int(key.name), key.dim, 1) for key in collection.keys]
    (profile,) = profiles(objective_only(collection), None, known, relative=False).values()
    evaluations = post_processed(folder)
    assert sorted(evaluations) == list(FUNCTIONS)
    assert all(rows.shape == (PRECISIONS.size, 2) for rows in evaluations.values())
    np.testing.assert_allclose(profile.share[0], shares(evaluations, profile.per_dim), atol=1e-12)
    assert 0 < profile.share[0, -1] < 1


def test_profiles_agree_with_what_cocos_observer_saw(tmp_path, monkeypatch):
    """The runs are observed by COCO; its indicator is computed here from the same points."""
    monkeypatch.chdir(tmp_path)
    seen = []

    def random_search(problem, budget, seed):
        rng = np.random.default_rng(seed)
        seen.append([problem.evaluate(x) for x in rng.uniform(-5, 5, (budget, DIM))])

    options = {"dimensions": (DIM,), "functions": FUNCTIONS, "budget_per_dim": 150, "seed": 3}
    runs = list(coco.run("observed", solver=random_search, **options))
    (folder,) = (tmp_path / "exdata").iterdir()
    records = []
    for run, points in zip(runs, seen, strict=True):
        best = optimum(run.function, DIM, run.instance)
        values = [max(0.0, p.f - best) + np.maximum(0.0, p.g).sum() for p in points]
        samples = np.column_stack([np.minimum.accumulate(values), np.zeros(len(values))])
        key = ProblemKey.make("bbob-constrained", run.function, DIM, instance=1)
        records.append(
            make_record(
                "x",
                samples=samples,
                evaluations=np.arange(1, len(values) + 1),
                key=key.as_dict(),
                max_evals=len(values),
            )
        )
    (profile,) = profiles(collect(records), None, [0.0, 0.0], relative=False).values()
    expected = shares(post_processed(folder), profile.per_dim)
    np.testing.assert_allclose(profile.share[0], expected, atol=1e-12)
    assert 0 < profile.share[0, -1] < 1


def test_other_suites_are_refused(tmp_path):
    with pytest.raises(ValueError, match="bbob-constrained"):
        write_coco([make_record()], tmp_path)

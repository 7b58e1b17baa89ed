"""Files for IOHanalyzer: what they say is what the records say."""

import json

import numpy as np

from de2ls.interop.iohprofiler import improvements, write_ioh
from tests.scores.records import make_record

NAN = np.nan


def read(file):
    """Read a JSON file and its runs as IOHprofiler's format has them."""
    meta = json.loads(file.read_text())
    runs = []
    for scenario in meta["scenarios"]:
        blocks = (file.parent / scenario["path"]).read_text().split(" ".join(meta["attributes"]))
        assert blocks[0] == ""
        tables = [
            np.array([line.split() for line in b.strip().splitlines()], float) for b in blocks[1:]
        ]
        assert len(tables) == len(scenario["runs"])
        runs += list(zip(scenario["runs"], tables, strict=True))
    return meta, runs


def test_improvements_are_the_rows_that_change_and_the_last():
    curve = np.array([[1, NAN, 3.0], [2, NAN, 3.0], [3, 5.0, 0.0], [4, 5.0, 0.0], [5, 5.0, 0.0]])
    assert improvements(curve).tolist() == [[1, np.inf, 3.0], [3, 5.0, 0.0], [5, 5.0, 0.0]]


def test_files_hold_every_run(tmp_path):
    samples = {1: [[NAN, 5.0], [3.0, 0.0], [1.0, 0.0]], 2: [[NAN, 5.0], [NAN, 4.0], [NAN, 4.0]]}
    records = [
        make_record(label, number, run, samples[run], instance=2)
        for label in ("a b/c", "x")
        for number in (1, 4)
        for run in samples
    ]
    files = write_ioh(records, tmp_path)
    assert [file.relative_to(tmp_path).as_posix() for file in files] == [
        f"{folder}/IOHprofiler_f{number}_C0{number}.json"
        for folder in ("a-b-c", "x")
        for number in (1, 4)
    ]
    meta, runs = read(files[1])
    assert (meta["suite"], meta["function_id"], meta["function_name"]) == ("cec2017", 4, "C04")
    assert (meta["algorithm"]["name"], meta["maximization"]) == ("a b/c", False)
    assert meta["scenarios"][0]["dimension"] == 2
    (first, table), (second, other) = runs
    assert table.tolist() == [[8, np.inf, 5], [20, 3, 0], [40, 1, 0]]
    assert (first["instance"], first["evals"]) == (2, 40)
    assert (first["best"]["evals"], first["best"]["y"]) == (40, 1.0)
    assert other.tolist() == [[8, np.inf, 5], [20, np.inf, 4], [40, np.inf, 4]]
    assert second["best"]["y"] is None


def test_writing_again_replaces_the_runs(tmp_path):
    for _ in range(2):
        (file,) = write_ioh([make_record()], tmp_path)
    assert len(read(file)[1]) == 1


def test_dimensions_are_scenarios_of_one_file(tmp_path):
    (file,) = write_ioh([make_record(dim=dim) for dim in (2, 3)], tmp_path)
    meta, runs = read(file)
    assert [scenario["dimension"] for scenario in meta["scenarios"]] == [2, 3]
    assert len(runs) == 2

import numpy as np
import pytest

from de2ls.campaigns import Store, run_campaign
from tests.campaigns.support import make_record, small_plan


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "results.db"
    run_campaign(small_plan(problems="1,19"), path)
    return path


def curves(path):
    with Store.open(path, readonly=True) as store:
        return {(t.label, t.problem.name, t.run): t.curve for t in store.records()}


def test_a_round_trip_loses_nothing_of_the_records(called, path, tmp_path):
    folder, back = tmp_path / "files", tmp_path / "back.db"
    code, out, err = called("export", path, "-o", folder)
    assert (code, err) == (0, "")
    assert out == f"4 files written into {folder / 'de2ls'}, {folder / 'rdex'}\n"
    assert sorted(file.name for file in (folder / "rdex").iterdir()) == [
        "rdex_CEC26_CSOP_F1.txt",
        "rdex_CEC26_CSOP_F19.txt",
    ]
    code, out, _ = called("import", folder, "--dim", 4, "--instance", 1, "--store", back)
    assert code == 0
    assert out.splitlines()[-1] == f"12 trials from 4 files stored in {back}"
    before, after = curves(path), curves(back)
    assert before.keys() == after.keys()
    assert all(before[name].tobytes() == after[name].tobytes() for name in before)

    with Store.open(back, readonly=True) as store:
        trial = store.record("rdex", 2, problems=19)
        assert store.verify().sound
        assert store.info().warnings == []
    assert (trial.stop, trial.config, trial.x.size) == ("imported", {}, 0)
    assert trial.environment == {"source": "files: rdex/rdex_CEC26_CSOP_F19.txt"}
    assert trial.problem.as_dict() == {
        "suite": "cec2017",
        "number": 19,
        "dim": 4,
        "definition": "report",
        "instance": 1,
    }


def test_import_twice_is_refused_and_changes_nothing(called, path, tmp_path):
    called("export", path, "-o", tmp_path / "files")
    back = tmp_path / "back.db"
    arguments = ("import", tmp_path / "files", "--dim", 4, "--store", back)
    called(*arguments)
    before = back.read_bytes()
    code, _, err = called(*arguments)
    assert code == 3
    assert "holds de2ls on C01 D=4 report/0, run 1 already" in err
    assert back.read_bytes() == before


def test_imported_and_run_trials_do_not_share_a_label(called, path, tmp_path):
    called("export", path, "-o", tmp_path / "files")
    source = tmp_path / "files" / "rdex"
    code, _, err = called("import", source, "--dim", 4, "--instance", 2, "--store", path)
    assert code == 3
    assert "label 'rdex' with another configuration" in err
    assert called("import", source, "--dim", 4, "--label", "published", "--store", path)[0] == 0
    assert {name[0] for name in curves(path)} == {"de2ls", "rdex", "published"}


def test_a_selection_is_exported(called, path, tmp_path):
    called("export", path, "-o", tmp_path, "--algorithms", "rdex", "--problems", "19")
    assert [file.name for file in tmp_path.rglob("*.txt")] == ["rdex_CEC26_CSOP_F19.txt"]
    code, _, err = called("export", path, "-o", tmp_path, "--dim", "30")
    assert code == 1
    assert "holds no trials of that kind" in err


def test_a_folder_that_cannot_be_made_is_named(called, path, tmp_path):
    (tmp_path / "file").touch()
    code, _, err = called("export", path, "-o", tmp_path / "file" / "files")
    assert code == 1
    assert err.startswith(f"error: {tmp_path / 'file' / 'files'}")
    assert err.endswith(": Not a directory\n")


def test_runs_stand_in_their_order(called, tmp_path):
    path = tmp_path / "a.db"
    with Store.open(path) as store:
        for run, seed in ((1, 9), (2, 5), (3, 7)):  # seeds in another order
            curve = np.array([[30.0, run, 0.0], [90.0, run, 0.0]])
            store.add(make_record(curve=curve, seed=seed, run=run))
    called("export", path, "-o", tmp_path / "files")
    (file,) = (tmp_path / "files").rglob("*.txt")
    assert file.read_text().splitlines()[0] == "30 1.0 0.0 2.0 0.0 3.0 0.0"


BAD_VALUES = "30 5.0 2.0\n60 4.0 0.0\n90 4.5 0.0\n"  # infeasible objective, then one that rises


def test_contradictions_are_reported_and_stay_unless_corrected(called, tmp_path):
    file = tmp_path / "X_CEC26_CSOP_F1.txt"
    file.write_text(BAD_VALUES)
    code, out, _ = called("import", file, "--dim", 3, "--store", tmp_path / "asis.db")
    assert code == 0
    assert "X_CEC26_CSOP_F1.txt, row 1, run 1: " in out
    assert "X_CEC26_CSOP_F1.txt, row 3, run 1: " in out
    (curve,) = curves(tmp_path / "asis.db").values()
    assert curve[:, 1].tolist() == [5.0, 4.0, 4.5]
    called("import", file, "--dim", 3, "--correct", "--store", tmp_path / "rules.db")
    (curve,) = curves(tmp_path / "rules.db").values()
    assert np.array_equal(curve[:, 1], [np.nan, 4.0, 4.0], equal_nan=True)


def test_findings_of_every_rule_are_shown(called, tmp_path):
    """Five runs with an infeasible objective each do not hide the one that rises."""
    wrong, rising = "7.0 2.0", "4.0 0.0"
    rows = [[wrong] * 5 + [rising], ["nan 2.0"] * 5 + ["4.5 0.0"]]
    file = tmp_path / "X_F1_D3.txt"
    file.write_text("".join(f"{30 * k} {' '.join(row)}\n" for k, row in enumerate(rows, start=1)))
    code, out, _ = called("import", file, "--store", tmp_path / "new.db")
    assert code == 0
    assert [f"X_F1_D3.txt, row 1, run {run}: " in out for run in range(1, 6)] == [True] * 3 + [
        False
    ] * 2
    assert "... infeasible objective: 5 findings in 1 file\n" in out
    assert "X_F1_D3.txt, row 2, run 6: Min_EV rises to 4.5" in out
    assert "... rising objective" not in out


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--dim", 10, "dim must"),
        ("--definition", "reprot", "definition must"),
        ("--instance", -3, "instance must"),
    ],
)
def test_what_the_files_cannot_be_made_with_is_refused(called, tmp_path, option, value, message):
    file = tmp_path / "X_F1_D3.txt"
    file.write_text("30 5.0 0.0\n60 4.0 0.0\n")
    code, _, err = called("import", file, "--store", tmp_path / "new.db", option, value)
    assert code == 1
    assert message in err
    assert not (tmp_path / "new.db").exists()


def test_a_folder_without_result_files_is_refused(called, tmp_path):
    (tmp_path / "notes.txt").write_text("30 5.0 0.0\n")
    code, out, err = called("import", tmp_path, "--store", tmp_path / "new.db")
    assert (code, out) == (1, "not read, no result file by its name: notes.txt\n")
    assert err == f"error: {tmp_path} holds no result file named <name>_F<k>.txt\n"
    assert not (tmp_path / "new.db").exists()


def test_a_damaged_file_stores_nothing(called, path, tmp_path):
    folder = tmp_path / "files"
    called("export", path, "-o", folder)
    (folder / "rdex" / "rdex_CEC26_CSOP_F19.txt").write_text("30 1 2\n60 what 2\n")
    code, _, err = called("import", folder, "--dim", 4, "--store", tmp_path / "new.db")
    assert code == 1
    assert "rdex_CEC26_CSOP_F19.txt, row 2" in err
    assert not (tmp_path / "new.db").exists()
    (folder / "rdex" / "rdex_CEC26_CSOP_F1.txt").write_text("30 1 2\n60 1\n")
    code, _, err = called("import", folder, "--dim", 4, "--store", tmp_path / "new.db")
    assert code == 1
    assert len(err.splitlines()) == 2  # every file that cannot be read
    assert "F1.txt, row 2" in err
    assert "F19.txt, row 2" in err
    code, _, err = called("import", tmp_path / "none", "--store", tmp_path / "new.db")
    assert (code, "there is no file or folder" in err) == (1, True)


def test_one_label_is_for_one_algorithm(called, path, tmp_path):
    called("export", path, "-o", tmp_path / "files")
    code, _, err = called(
        "import", tmp_path / "files", "--dim", 4, "--label", "x", "--store", tmp_path / "n.db"
    )
    assert code == 1
    assert "--label is for one algorithm; " in err
    assert "has de2ls, rdex" in err

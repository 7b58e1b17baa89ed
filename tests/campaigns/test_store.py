import dataclasses
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from de2ls.campaigns import ConflictError, Store, StoreBusyError, StoreError, codec, schema
from de2ls.campaigns.lock import writer_of
from de2ls.campaigns.maintenance import Verification
from de2ls.problems.key import ProblemKey

from .support import KEY, assert_same, make_record


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.db"


@pytest.fixture
def filled(path):
    """A store with 2 series x 2 problems x 3 runs."""
    with Store.open(path) as store:
        for label in ("zeta", "alpha"):
            for number in (4, 1):
                for run in (3, 1, 2):
                    problem = replace(KEY, name=number)
                    store.add(make_record(label=label, problem=problem, seed=run, run=run))
    return path


OLD = Path(__file__).with_name("data") / "schema-1.sqlite"  # written by version 0.1.0


def files(path):
    return sorted(file.name for file in path.parent.iterdir())


# ---------------------------------------------------------------- what goes in comes out


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"trace": None},
        {"f": np.nan, "violation": np.inf, "feasible": False},
        {"curve": np.full((4, 3), np.nan)},
        {"x": np.empty(0), "g": np.empty(0), "config": {}, "environment": {"source": "file"}},
        {"problem": ProblemKey("", "mine", 2)},
        {"problem": KEY.varied(instance="custom-0123456789ab")},
        {"label": "<script> 'quoted' \"täxt\""},
        {"n_evals": np.int64(90), "wall_time": np.float64(0.5)},
    ],
)
def test_a_record_comes_back_bit_by_bit(path, changes):
    record = make_record(**changes)
    with Store.open(path) as store:
        store.add(record)
    with Store.open(path, readonly=True) as store:
        (back,) = store.records()
        assert store.verify().sound
    assert_same(record, back)


def test_a_negative_zero_is_kept_as_zero_and_sound(path):
    curve = make_record().curve.copy()
    curve[1:, 1] = -0.0
    with Store.open(path) as store:
        store.add(make_record(f=-0.0, curve=curve))
        assert store.verify().sound
        assert next(iter(store.records())).f == 0.0


def test_order_is_series_problem_run(filled):
    with Store.open(filled, readonly=True) as store:
        order = [(trial.label, trial.problem.name, trial.run) for trial in store.trials()]
    assert order == [
        (label, number, run)
        for label in ("zeta", "alpha")
        for number in (1, 4)
        for run in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("selection", "count"),
    [
        ({}, 12),
        ({"labels": "zeta"}, 6),
        ({"labels": ["zeta", "alpha"], "problems": 4}, 6),
        ({"problems": [1, 4], "runs": [2, 3]}, 8),
        ({"dims": 3, "definition": "report", "instance": 1, "suites": "cec2017"}, 12),
        ({"dims": 30}, 0),
        ({"problems": "C04"}, 6),
        ({"problems": "2-4,9"}, 6),
        ({"problems": ["C01", 4]}, 12),
        ({"problems": "4", "instance": [1, 2], "runs": 1}, 2),
        ({"definition": "cpp2017"}, 0),
        ({"labels": None, "runs": 1}, 4),
        ({"labels": []}, 0),
        ({"labels": "' OR 1 = 1 --"}, 0),
    ],
)
def test_selections(filled, selection, count):
    with Store.open(filled, readonly=True) as store:
        assert len(list(store.trials(**selection))) == count
        assert len(list(store.records(**selection))) == count


def test_an_unknown_selection_is_an_error(filled):
    wrong = pytest.raises(ValueError, match=r"selected by .*labels.*; got 'label'")
    with Store.open(filled, readonly=True) as store, wrong:
        list(store.trials(label="zeta"))


def test_a_summary_is_the_record_without_its_arrays(filled):
    with Store.open(filled, readonly=True) as store:
        summary = next(store.trials(labels="alpha", runs=2))
        record = store.record("alpha", 2, problems=1)
    for field in dataclasses.fields(summary):
        assert getattr(summary, field.name) == getattr(record, field.name), field.name
    assert (summary.label, summary.problem.label, summary.run) == ("alpha", "C01", 2)


def test_one_trial_must_be_one(filled):
    with Store.open(filled, readonly=True) as store:
        with pytest.raises(StoreError, match=r"holds 2 trials with .*'label': 'alpha'.*, not one"):
            store.record("alpha", 2)
        with pytest.raises(StoreError, match="holds 0 trials"):
            store.record("beta", 2, problems=1)


def test_a_listing_reads_no_arrays(filled):
    from de2ls.campaigns import rows

    with Store.open(filled, readonly=True) as store:
        where, values = rows.condition({"labels": "zeta"}, store.problems())
        plan = store.query(
            "EXPLAIN QUERY PLAN " + rows.SELECT_SUMMARIES.format(where=where), values
        )
        text = " ".join(row["detail"] for row in plan)
        select = rows.SELECT_RECORDS.format(stored_sum="stored_sum", marks="?")
        one = store.query("EXPLAIN QUERY PLAN " + select, (1,))
    assert "trials USING INDEX" in text
    assert "curves" not in text
    assert "details" not in text
    assert not any(row["detail"].startswith("SCAN") for row in one)


# ---------------------------------------------------------------- nothing twice, nothing mixed


def test_a_problem_that_comes_while_trials_are_listed_disturbs_nothing(path, monkeypatch):
    other = replace(KEY, name=2)
    with Store.open(path) as writer:
        writer.add(make_record())
        with Store.open(path, readonly=True) as reader:
            known = reader.problems

            def then_another_is_added():
                found = known()
                monkeypatch.setattr(reader, "problems", known)
                writer.add(make_record(problem=other))
                return found

            monkeypatch.setattr(reader, "problems", then_another_is_added)
            assert [trial.problem for trial in reader.trials()] == [KEY, other]


def test_a_trial_is_there_once(filled):
    with Store.open(filled) as store:
        with pytest.raises(ConflictError, match=r"zeta on C04 D=3 report/1, run 1 already"):
            store.add(make_record(label="zeta", problem=replace(KEY, name=4), run=1))
        assert len(list(store.trials())) == 12


def test_another_configuration_under_a_label_is_refused_with_the_difference(filled):
    changed = make_record(label="zeta", run=9, config={"ls_mc": 4, "ls_sr": 0.1, "new": True})
    with Store.open(filled) as store:
        with pytest.raises(ConflictError) as refused:
            store.add(changed)
        assert len(list(store.trials())) == 12
    message = str(refused.value)
    assert "ls_mc was 3 and would be 4" in message
    assert "box was 'inside' and would be 'absent'" in message
    assert "new was 'absent' and would be True" in message
    assert "ls_sr" not in message


def test_a_failed_transaction_leaves_nothing(path):
    def fail(store):
        with store.transaction():
            store.insert(make_record())
            raise RuntimeError("in between")

    with Store.open(path) as store:
        with pytest.raises(RuntimeError, match="in between"):
            fail(store)
        assert not list(store.trials())
        assert not store.query("SELECT * FROM series")
        store.add(make_record(run=1))
        assert len(list(store.trials())) == 1


def test_foreign_keys_hold(filled):
    with Store.open(filled) as store, pytest.raises(StoreError, match="FOREIGN KEY"):
        store.query("DELETE FROM series")


def test_a_seed_beyond_sqlite_is_refused(path):
    with Store.open(path) as store:
        with pytest.raises(ValueError, match="seed must"):
            store.add(make_record(seed=2**63, run=1))
        store.add(make_record(seed=2**63 - 1, run=1))


def test_the_thread_that_opened_it_owns_it(path):
    errors = []
    with Store.open(path) as store:

        def intrude():
            try:
                store.add(make_record(run=1))
            except StoreError as error:
                errors.append(str(error))

        thread = threading.Thread(target=intrude)
        thread.start()
        thread.join()
        assert "thread" in errors[0]
        assert not list(store.trials())


# ---------------------------------------------------------------- readers and writers


def test_the_file_is_in_wal_mode_and_alone_when_closed(filled):
    assert files(filled) == ["results.db"]
    with Store.open(filled, readonly=True) as store:
        assert store.query("PRAGMA journal_mode")[0][0] == "wal"
        next(store.trials())
    assert files(filled) == ["results.db"]


def test_readers_look_while_a_writer_writes(path):
    with Store.open(path) as writer:
        writer.add(make_record(run=1))
        with Store.open(path, readonly=True) as reader:
            for run in (2, 3):
                with writer.transaction():
                    writer.insert(make_record(run=run))
                    assert len(list(reader.trials())) == run - 1  # not yet committed
                assert len(list(reader.trials())) == run


def test_a_reader_cannot_write(filled):
    before = filled.read_bytes()
    with Store.open(filled, readonly=True) as store:
        with pytest.raises(StoreError, match="was opened read-only"):
            store.add(make_record(run=9))
        with pytest.raises(StoreError, match="readonly"):
            store.query("DELETE FROM details")
    assert filled.read_bytes() == before


def test_two_writers_are_refused_and_the_holder_is_named(path):
    with Store.open(path) as store:
        with pytest.raises(StoreBusyError, match=rf"{path} is being written by process \d+ on "):
            Store.open(path)
        store.add(make_record(run=1))
    with Store.open(path) as store:
        assert len(list(store.trials())) == 1


def test_the_lock_goes_with_a_killed_process(path):
    holder = textwrap.dedent(
        """
        import os, signal, sys
        from de2ls.campaigns.store import Store
        store = Store.open(sys.argv[1])
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    done = subprocess.run([sys.executable, "-c", holder, str(path)], check=False, timeout=60)
    assert done.returncode == -9
    assert "results.db.lock" in files(path)
    with Store.open(path) as store:
        store.add(make_record(run=1))
    assert files(path) == ["results.db"]


def test_a_locked_database_is_named_and_nothing_is_lost(filled):
    other = sqlite3.connect(filled, isolation_level=None)
    with Store.open(filled, timeout=0.05) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match="locked by another program"):
            store.add(make_record(label="zeta", run=9))
        other.execute("ROLLBACK")
        store.add(make_record(label="zeta", run=9))
        assert len(list(store.trials())) == 13
    other.close()


# ---------------------------------------------------------------- failures and the writer


def test_a_failure_is_kept_until_its_trial_succeeds(path):
    plan = {"series": [{"label": "series", "algorithm": "de2ls", "config": make_record().config}]}
    failed, other = make_record(run=1), make_record(run=2)
    with Store.open(path) as store:
        store.add_plan(plan)
        store.add_failure(failed.key, "ValueError: first")
        store.add_failure(other.key, "x" * 5000)
        store.add_failure(failed.key, "ValueError: again")
    with Store.open(path) as store:
        assert store.failures() == {other.key: "x" * 2000, failed.key: "ValueError: again"}
        store.add(failed)
        assert list(store.failures()) == [other.key]
        assert store.verify().sound


def test_trials_have_the_time_at_which_they_were_stored(path):
    before = time.time()
    with Store.open(path) as store:
        store.add(make_record())
        ((stored,),) = store.query("SELECT stored FROM trials")
    assert before <= stored <= time.time()


def test_the_writer_is_known_while_it_lives(path):
    assert writer_of(path) is None
    with Store.open(path):
        assert writer_of(path) == f"process {os.getpid()} on {socket.gethostname()}"
    assert writer_of(path) is None
    script = "import sys; from de2ls.campaigns import Store; Store.open(sys.argv[1]); print(1)\n"
    with subprocess.Popen(
        [sys.executable, "-c", script + "sys.stdout.flush(); sys.stdin.read()", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        process.stdout.readline()
        assert writer_of(path) == f"process {process.pid} on {socket.gethostname()}"
        process.kill()
    assert (path.parent / "results.db.writer").exists()
    assert writer_of(path) is None


def test_a_writer_elsewhere_counts_as_writing(path):
    path.with_name("results.db.writer").write_text("process 1 on another-machine")
    assert writer_of(path) == "process 1 on another-machine"


# ---------------------------------------------------------------- files that are no good store


def test_a_newer_schema_is_refused(filled):
    with sqlite3.connect(filled) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    before = filled.read_bytes()
    for readonly in (True, False):
        with pytest.raises(StoreError, match=r"newer de2ls \(schema 99; .* up to 5\): upgrade"):
            Store.open(filled, readonly=readonly)
    assert filled.read_bytes() == before
    assert files(filled) == ["results.db"]


def test_a_store_of_schema_1_is_migrated_by_a_writer(tmp_path):
    path = Path(shutil.copy(OLD, tmp_path / "old.db"))
    with Store.open(path) as store:
        assert store.info().schema == 5
        assert store.verify().findings == ()
        records = list(store.records())
    assert len(records) == 18
    with sqlite3.connect(OLD) as database:
        old = database.execute(
            "SELECT label, key, run, ls_calls, ls_evaluations, ls_improved, ls_gain FROM trials "
            "JOIN series ON series.id = series_id JOIN problems ON problems.id = problem_id"
        ).fetchall()
    database.close()
    late = ("ls_calls", "ls_evaluations", "ls_improved", "ls_gain")
    expected = {
        (label, key, run): {} if label == "ude3" else dict(zip(late, counts, strict=True))
        for label, key, run, *counts in old
    }
    assert {(r.label, r.problem.to_json(), r.run): r.counters for r in records} == expected


def test_a_reader_sees_a_store_of_schema_1_and_leaves_it_as_it_is(tmp_path):
    path = Path(shutil.copy(OLD, tmp_path / "old.db"))
    with Store.open(path, readonly=True) as store:
        assert store.verify() == Verification(18, ())
        found = {(trial.label, str(trial.problem)) for trial in store.trials()}
        assert len(list(store.records(problems="own.py", labels="MC1"))) == 2
    problems = ("C01 D=5 report/1", "C04 D=5 report/1", "own.py D=3 e8c2f66b9d20200e/0")
    assert found == {(label, name) for label in ("de2ls", "MC1", "ude3") for name in problems}
    assert path.read_bytes() == OLD.read_bytes()


def as_schema_3(path):
    """Turn a store into what schema 3 was: without the sums of what is stored."""
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE trials DROP COLUMN stored_sum")
        database.execute("PRAGMA user_version = 3")
    database.close()


def test_a_store_of_schema_3_is_read_as_it_is_and_migrated_by_a_writer(filled):
    with Store.open(filled, readonly=True) as store:
        expected = list(store.records())
    as_schema_3(filled)
    before = filled.read_bytes()
    with Store.open(filled, readonly=True) as store:
        assert store.info().schema == 3
        assert store.verify() == Verification(len(expected), ())
        for old, new in zip(expected, store.records(), strict=True):
            assert_same(old, new)
    assert filled.read_bytes() == before
    added = replace(expected[0], key=replace(expected[0].key, run=999))
    with Store.open(filled) as store:
        store.add(added)
        assert store.info().schema == 5
        assert store.verify() == Verification(len(expected) + 1, ())
        assert len(list(store.records())) == len(expected) + 1


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("what", ["curve", "x"])
def test_a_changed_array_is_refused_with_the_name_of_its_trial(filled, what, old):
    with Store.open(filled, readonly=True) as store:
        record = next(store.records())
        trial_id = store.ids()[0]
    if old:
        as_schema_3(filled)
    if what == "curve":
        changed = record.curve.copy()
        changed[-1, 1] = np.nextafter(changed[-1, 1], np.inf)
        data, table = codec.encode_table(changed), "curves"
    else:
        data, table = codec.encode_vector(np.nextafter(record.x, np.inf)), "details"
    with sqlite3.connect(filled) as database:
        database.execute(f"UPDATE {table} SET {what} = ? WHERE trial_id = ?", (data, trial_id))
    database.close()
    message = f"{re.escape(str(record.key))} contradicts its checksum"
    with Store.open(filled, readonly=True) as store, pytest.raises(StoreError, match=message):
        list(store.records())


@pytest.mark.parametrize(
    "change",
    [
        "series SET label = label || ' '",
        "series SET algorithm = algorithm || ' '",
        "series SET config = config || ' '",
        "environments SET version = version || ' '",
        "environments SET description = description || ' '",
        *(
            f"trials SET {name} = {name} + 10"
            for name in ("run", "seed", "max_evals", "n_evals", "n_invalid", "n_outside")
        ),
        *(f"trials SET {name} = 0.125" for name in ("f", "violation", "min_ev", "lcv")),
        "trials SET feasible = 1 - feasible",
        "trials SET stop = stop || ' '",
        "trials SET counters = counters || ' '",
        "trials SET wall_time = wall_time + 1",
        "trials SET checksum = zeroblob(32)",
        "trials SET stored_sum = zeroblob(32)",
        "details SET g = h, h = g",
        "details SET trace = CASE WHEN trace IS NULL THEN x'' END",
    ],
)
def test_the_stored_sum_covers_all_that_is_stored(filled, change):
    with sqlite3.connect(filled) as database:
        database.execute(f"UPDATE {change}")
    database.close()
    with Store.open(filled, readonly=True) as store, pytest.raises(StoreError, match="is damaged"):
        list(store.records())


def test_problems_of_a_selection(filled):
    with Store.open(filled, readonly=True) as store:
        for label in {trial.label for trial in store.trials()}:
            expected = sorted({trial.problem for trial in store.trials(labels=label)})
            assert store.problems_of(labels=label) == expected


def test_the_summary_of_a_record_is_that_of_the_store(filled):
    with Store.open(filled, readonly=True) as store:
        for trial, record in zip(store.trials(), store.records(), strict=True):
            np.testing.assert_equal(vars(record.summary()), vars(trial))


def test_a_failing_migration_changes_nothing(tmp_path, monkeypatch):
    path = Path(shutil.copy(OLD, tmp_path / "old.db"))
    monkeypatch.setitem(schema.MIGRATIONS, 1, schema.MIGRATIONS[1] + "DROP TABLE absent;")
    with pytest.raises(StoreError, match="no such table: absent"):
        Store.open(path)
    monkeypatch.undo()
    database = sqlite3.connect(path)
    assert schema.version(database) == 1
    database.close()
    with Store.open(path, readonly=True) as store:
        assert store.verify().sound


def test_a_migrated_store_has_the_tables_of_a_new_one(tmp_path, path):
    def layout(file):
        with Store.open(file) as store:
            tables = [name for (name,) in store.query("SELECT name FROM sqlite_schema")]
            return {
                table: sorted(
                    (row["name"], row["type"]) for row in store.query(f"PRAGMA table_info({table})")
                )
                for table in tables
            }

    assert layout(shutil.copy(OLD, tmp_path / "old.db")) == layout(path)


def test_another_sqlite_file_is_left_alone(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE mine (x)")
    database.close()
    before = path.read_bytes()
    for readonly in (True, False):
        with pytest.raises(StoreError, match="not a store"):
            Store.open(path, readonly=readonly)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"FEs Min_EV LCV\n" * 100, b"x", bytes(5000)])
def test_a_file_that_is_no_database_is_left_alone(path, content):
    path.write_bytes(content)
    for readonly in (True, False):
        with pytest.raises(StoreError, match="damaged or no SQLite file"):
            Store.open(path, readonly=readonly)
    assert path.read_bytes() == content


def test_missing_and_empty_and_misplaced_files(path, tmp_path):
    with pytest.raises(StoreError, match="there is no store at"):
        Store.open(path, readonly=True)
    path.touch()
    with pytest.raises(StoreError, match="is empty"):
        Store.open(path, readonly=True)
    with pytest.raises(StoreError, match="is a folder"):
        Store.open(tmp_path)
    with pytest.raises(StoreError, match="there is no folder"):
        Store.open(tmp_path / "none" / "results.db")
    with Store.open(path) as store:  # an empty file becomes a store
        store.add(make_record(run=1))


def test_a_truncated_store_is_refused_or_reported(filled, tmp_path):
    whole = filled.read_bytes()
    cut = tmp_path / "cut.db"
    messages = []
    for size in range(512, len(whole), 4096):
        cut.write_bytes(whole[:size])
        try:
            with Store.open(cut, readonly=True) as store:
                messages += [" ".join(store.verify().findings)]
        except StoreError as error:
            messages += [str(error)]
    assert len(messages) > 10
    assert all(messages)


# ---------------------------------------------------------------- what contradicts itself


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"n_evals": 91}, "must be an integer from 0 to 90"),
        ({"n_evals": 60}, "the budget of 90 is used up"),
        ({"n_evals": 30, "stop": "generations"}, "the curve changes after them"),
        ({"n_evals": 120, "max_evals": 120}, "the curve ends at 90 evaluations"),
    ],
)
def test_evaluations_that_contradict_the_curve_are_refused(path, changes, reason):
    curve = np.array([[30.0, np.nan, 2.5], [60.0, 7.25, 0.0], [90.0, 7.0, 0.0]])
    with Store.open(path) as store:
        with pytest.raises(ValueError, match=rf"n_evals .*{reason}"):
            store.add(make_record(curve=curve, **changes))
        assert not list(store.trials())


def test_a_trial_that_ended_early_repeats_its_last_sample(path):
    with Store.open(path) as store:
        store.add(make_record(n_evals=50, stop="generations"))
        (record,) = store.records()
    assert (record.n_evals, record.max_evals) == (50, 90)


def test_own_problems_are_chosen_by_name_and_never_by_the_number_of_a_file(path):
    keys = [
        ProblemKey.make("beam.py", 1, 4, definition="0123", instance=0),  # of schema 1
        ProblemKey("mine.py", "beam", 4),
        ProblemKey("cec2006", 1, 13),
    ]
    with Store.open(path) as store:
        for key in keys:
            store.add(make_record(problem=key))
        for wanted, found in [("beam.py", [0]), ("beam", [1]), ("1", [2]), ("G1", [2])]:
            assert [t.problem for t in store.trials(problems=wanted)] == [keys[i] for i in found]
        assert [t.problem for t in store.trials(suites="mine.py")] == [keys[1]]


@pytest.mark.parametrize(
    "sql",
    [
        """UPDATE problems SET key = replace(key, '"dim": 3', '"dim": 2')""",
        """UPDATE problems SET key = replace(key, 'number', 'nulber')""",
        """UPDATE problems SET key = replace(key, '"instance": 1', '"instance": 0')""",
        "UPDATE trials SET seed = seed + 1",
        "DELETE FROM curves WHERE trial_id = 12",
    ],
)
def test_reading_checks_what_is_read(filled, sql):
    with sqlite3.connect(filled) as database:
        database.execute(sql)
    database.close()
    with Store.open(filled, readonly=True) as store, pytest.raises(StoreError, match="is damaged"):
        list(store.records())

import random
import re
import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from de2ls.campaigns import ConflictError, Store, StoreError
from de2ls.problems.key import ProblemKey

from .support import KEY, assert_same, make_record


def fill(path, runs, **changes):
    with Store.open(path) as store:
        for run in runs:
            store.add(make_record(seed=run, **changes, run=run))
    return path


@pytest.fixture
def path(tmp_path):
    return fill(tmp_path / "results.db", (1, 2, 3))


# ---------------------------------------------------------------- info


def test_info_counts_what_is_there(path):
    fill(path, (1, 2), label="other", problem=replace(KEY, name=2), n_evals=50, stop="early")
    with Store.open(path, readonly=True) as store:
        info = store.info()
    assert (info.schema, info.trials, info.size) == (5, 5, path.stat().st_size)
    assert info.bytes_per_trial == path.stat().st_size / 5
    assert [(s.label, s.trials, s.problems, s.evaluations) for s in info.series] == [
        ("series", 3, 1, 270),
        ("other", 2, 1, 100),
    ]
    assert info.series[0].seconds == pytest.approx(3 * 0.7)
    assert info.series[0].config == make_record().config
    assert [key.name for key in info.problems] == [1, 2]
    assert [(env.version, env.trials) for env in info.environments] == [("0.1.0", 5)]
    assert info.warnings == []


def test_info_of_an_empty_store(tmp_path):
    with Store.open(tmp_path / "new.db") as store:
        info = store.info()
    assert (info.trials, info.series, info.problems, info.warnings) == (0, (), (), [])
    assert info.bytes_per_trial is None


def test_a_mixture_of_environments_is_reported_by_what_differs(path):
    fill(path, (4,), environment={"cpu": "another", "numpy": "2"})
    fill(path, (5,), version="0.2.0")
    fill(path, (6,), environment={"source": "a file"}, label="imported", version="")
    with Store.open(path, readonly=True) as store:
        (warning,) = store.info().warnings
    assert "cpu (another, imaginary)" in warning
    assert "de2ls (0.1.0, 0.2.0)" in warning
    assert "numpy" not in warning
    assert "a file" not in warning


# ---------------------------------------------------------------- verify


def change(path, sql):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute(sql)
    database.close()


@pytest.mark.parametrize(
    ("sql", "finding"),
    [
        ("UPDATE trials SET f = 7.250000000000001 WHERE run = 2", "trial 2 .*run 2.*checksum"),
        ("UPDATE trials SET seed = seed + 1 WHERE run = 2", "trial 2 .*checksum"),
        ("UPDATE trials SET wall_time = 0.1 WHERE run = 2", "trial 2 .*checksum"),
        (
            "UPDATE trials SET min_ev = 7 WHERE run = 2",
            "trial 2 .*: its content contradicts its min_ev$",
        ),
        ("UPDATE trials SET run = 9 WHERE run = 2", "trial 2 .*run 9.*checksum"),
        ("UPDATE series SET config = '{}'", "trial 1 .*checksum"),
        ("UPDATE problems SET key = replace(key, 'dim\": 3', 'dim\": 2')", "trial 1 .*checksum$"),
        ("UPDATE environments SET version = '9'", "trial 1 .*checksum"),
        ("UPDATE details SET x = zeroblob(24) WHERE trial_id = 3", "trial 3 .*checksum"),
        ("UPDATE details SET x = zeroblob(23) WHERE trial_id = 3", "trial 3 cannot be read"),
        ("UPDATE curves SET curve = x'00' WHERE trial_id = 3", "trial 3 cannot be read: a stored"),
        ("UPDATE trials SET stored_sum = x'00' WHERE run = 2", "trial 2 .* its stored sum$"),
        ("DELETE FROM curves WHERE trial_id = 1", "trial 1: its curve, .* is missing"),
        ("DELETE FROM environments", r"row 1 of table trials refers to nothing in environments"),
    ],
)
def test_verify_names_what_is_wrong(path, sql, finding):
    change(path, sql)
    with Store.open(path, readonly=True) as store:
        result = store.verify()
    assert not result.sound
    assert result.trials == 3
    assert any(re.search(finding, text) for text in result.findings), result.findings


def test_no_flipped_bit_passes_unnoticed(path, tmp_path):
    """Whatever bit is flipped: refused, reported, or no trial reads differently than before."""
    with Store.open(path, readonly=True) as store:
        expected = list(store.records())
    whole = path.read_bytes()
    damaged = tmp_path / "damaged.db"
    rng = random.Random(1)
    used = [place for place, byte in enumerate(whole) if byte]  # most of a small file is unused
    noticed = 0
    for place in rng.sample(used, 400):
        content = bytearray(whole)
        content[place] ^= 1 << rng.randrange(8)
        damaged.write_bytes(content)
        try:
            with Store.open(damaged, readonly=True) as store:
                if store.verify().sound:
                    for before, after in zip(expected, store.records(), strict=True):
                        assert_same(before, after)
                    continue
        except StoreError:
            pass
        noticed += 1
    assert noticed > 100


READERS = {
    "info": lambda store: store.info(),
    "trials": lambda store: list(store.trials()),
    "records": lambda store: list(store.records()),
    "check_series": lambda store: store.check_series("series", "de2ls", {}),
}


@pytest.mark.parametrize(
    ("sql", "readers"),
    [
        ("UPDATE curves SET curve = x'00'", "records"),
        ("UPDATE details SET x = zeroblob(23)", "records"),
        ("UPDATE problems SET key = '{'", "info trials records"),
        ("UPDATE series SET config = '{'", "info trials records check_series"),
        ("UPDATE series SET label = CAST(x'ff' AS TEXT)", "info trials records"),
        ("UPDATE environments SET description = '{'", "info trials records"),
        ("UPDATE plans SET plan = '{'", "info"),
    ],
)
def test_readers_name_the_store_whose_content_is_damaged(path, tmp_path, sql, readers):
    with Store.open(path) as store:
        store.add_plan({"series": [], "seed": 5})
    change(path, sql)
    with Store.open(path, readonly=True) as store:
        for name in readers.split():
            with pytest.raises(StoreError, match=rf"{path.name} is damaged .*store verify"):
                READERS[name](store)
        if "records" in readers:
            refused = pytest.raises(StoreError, match=rf"{path.name} is damaged")
            with Store.open(tmp_path / "new.db") as other, refused:
                other.merge(store)


def test_a_damaged_description_of_the_tables_is_no_riddle(path, tmp_path):
    content = path.read_bytes().replace(b") STRICT", b") \xa0TRICT")
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(content)
    for readonly in (True, False):
        with pytest.raises(StoreError, match=r"damaged\.db is damaged"):
            Store.open(damaged, readonly=readonly)


# ---------------------------------------------------------------- merge and vacuum


def test_merge_adds_what_is_missing(path, tmp_path):
    other = fill(tmp_path / "other.db", (3, 4))
    fill(other, (1,), label="more", problem=ProblemKey("", "mine", 3))
    with Store.open(other) as store:
        store.add_plan({"series": [], "seed": 5})
    with Store.open(path) as store:
        with Store.open(other, readonly=True) as source:
            assert store.merge(source) == (2, 1)
            assert store.merge(source) == (0, 3)
        assert [(trial.label, trial.run) for trial in store.trials()] == [
            ("series", 1),
            ("series", 2),
            ("series", 3),
            ("series", 4),
            ("more", 1),
        ]
        assert_same(store.record("series", 4), make_record(seed=4, run=4))
        assert [plan for _, plan in store.info().plans] == [{"series": [], "seed": 5}]
        assert store.verify().sound


def test_merge_keeps_the_order_of_series(tmp_path):
    source = tmp_path / "source.db"
    series = [
        {"label": name, "algorithm": "de2ls", "config": make_record().config} for name in "cab"
    ]
    with Store.open(source) as store:
        store.add_plan({"series": series, "seed": 1})
        for label in "bca":  # trials end in any order
            store.add(make_record(label=label))
    with Store.open(tmp_path / "new.db") as store:
        with Store.open(source, readonly=True) as other:
            store.merge(other)
        assert [found.label for found in store.info().series] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"f": 8.0}, "series on C01 D=3 report/1, run 3 has different results in"),
        ({"config": {"ls_mc": 9}}, "ls_mc was 3 and would be 9"),
        ({"config": {"ls_mc": 9}, "f": 8.0}, "ls_mc was 3 and would be 9"),
        (
            {"config": {f"p{i}": i for i in range(20)}},
            "p0 was 'absent' and would be 0, .* and 15 more fields;",
        ),
    ],
)
def test_a_contradicting_store_is_not_merged_at_all(path, tmp_path, changes, message):
    other = tmp_path / "other.db"
    with Store.open(other) as store:
        store.add(make_record(label="new", run=1))
        store.add(make_record(seed=3, run=3 if "f" in changes else 4, **changes))
    before = path.read_bytes()
    with Store.open(path) as store:
        refused = pytest.raises(ConflictError, match=message)
        with Store.open(other, readonly=True) as source, refused:
            store.merge(source)
        assert len(list(store.trials())) == 3
        assert [series.label for series in store.info().series] == ["series"]
    assert path.read_bytes() == before


def test_a_trial_run_elsewhere_is_the_same_trial(path, tmp_path):
    other = fill(tmp_path / "other.db", (3,), wall_time=9.0, environment={"cpu": "another"})
    with Store.open(path) as store, Store.open(other, readonly=True) as source:
        assert store.merge(source) == (0, 1)
        assert store.record("series", 3).wall_time == 0.7


def test_a_damaged_store_is_not_merged(path, tmp_path):
    other = fill(tmp_path / "other.db", (4, 5))
    change(other, "UPDATE trials SET f = 1 WHERE run = 5")
    with Store.open(path) as store:
        refused = pytest.raises(StoreError, match="run 5 contradicts its checksum")
        with Store.open(other, readonly=True) as source, refused:
            store.merge(source)
        assert len(list(store.trials())) == 3


def test_vacuum_shrinks_and_keeps(tmp_path):
    noise = np.random.default_rng(1).random((500, 3))
    noise[-1, 0] = 90.0
    path = fill(tmp_path / "big.db", range(1, 20), curve=noise)
    for table, column in (("curves", "trial_id"), ("details", "trial_id"), ("trials", "id")):
        change(path, f"DELETE FROM {table} WHERE {column} > 2")
    with Store.open(path) as store:
        before, after = store.vacuum()
        assert before > 19 * noise.nbytes / 2  # random numbers do not shrink much
        assert after == store.size() < before / 2
        assert [trial.run for trial in store.trials()] == [1, 2]
        assert_same(store.record("series", 2), make_record(seed=2, run=2, curve=noise))
        assert store.verify().sound

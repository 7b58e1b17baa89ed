"""Trials that are read in two processes are those that one process reads."""

import os
import sqlite3
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

from de2ls._processes import second_process
from de2ls.campaigns import Store, StoreError
from de2ls.reports import reading
from de2ls.reports.material import gather, load

pytestmark = pytest.mark.skipif(
    not hasattr(os, "memfd_create"), reason="two processes read only where files are in memory"
)


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr(reading, "FEW", 2)
    monkeypatch.setattr(reading, "_LATER", 0)


@pytest.fixture(scope="module")
def pool():
    with second_process(int) as started:
        yield started


def files_in_memory():
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return [link for link in links if "memfd:de2ls" in os.readlink(link)]


def assert_alike(one, two):
    assert one.labels == two.labels
    assert list(map(repr, one.trials)) == list(map(repr, two.trials))  # NaN is as NaN
    assert one.warnings == two.warnings
    ours, theirs = one.collection, two.collection
    for name in ("algorithms", "keys", "runs", "seeds", "feasible_tols", "warnings", "digests"):
        assert getattr(ours, name) == getattr(theirs, name)
    for cells in ("cells", "grids"):
        for ours_of, theirs_of in zip(getattr(ours, cells), getattr(theirs, cells), strict=True):
            for a, b in zip(ours_of, theirs_of, strict=True):
                assert a.shape == b.shape
                assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("selection", [{}, {"labels": ["rdex", "de2ls"]}, {"problems": [1]}])
def test_two_processes_read_what_one_reads(store, pool, selection):
    (one,), (two,) = gather(store, selection), gather(store, selection, pool=pool)
    assert_alike(one, two)
    del two  # the values are in these files
    assert files_in_memory() == []


def test_the_other_process_reads_half_and_equal_grids_are_one(store, pool, monkeypatch):
    here = []
    write = reading._write
    monkeypatch.setattr(reading, "_write", lambda *a: here.append(a[1]) or write(*a))
    with Store.open(store, readonly=True) as opened:
        ids = opened.ids()
        found = reading.read(opened, ids, pool)
    assert here == [ids[: len(ids) // 2]]
    assert [trial.key for trial in found.trials] == [trial.key for trial in found.summaries]
    assert len({id(trial.grid) for trial in found.trials}) == 1
    assert sum(block.shape[1] for _, block in found.blocks) == len(ids)


def damage(path, trial_id):
    with sqlite3.connect(path) as database:
        database.execute("UPDATE trials SET seed = seed + 1 WHERE id = ?", (trial_id,))
    database.close()


@pytest.mark.parametrize("places", [[0], [-1], [-2, -1], [0, -1]])
def test_a_damaged_trial_is_refused_alike_in_either_process(store, pool, tmp_path, places):
    path = copy(store, tmp_path / "damaged.db")
    with Store.open(path, readonly=True) as opened:
        ids = opened.ids()
    for place in places:
        damage(path, ids[place])
    messages = []
    for where in (None, pool):
        with pytest.raises(StoreError, match="contradicts its checksum") as refused:
            gather(path, pool=where)
        messages.append(str(refused.value))
    assert messages[0] == messages[1]
    assert files_in_memory() == []


class Dead:
    """A pool whose process has died."""

    def submit(self, *_):
        future = Future()
        future.set_exception(BrokenProcessPool("it has died"))
        return future


def test_what_a_dead_process_should_read_is_read_here(store):
    (one,), (two,) = gather(store), gather(store, pool=Dead())
    assert_alike(one, two)


def test_few_trials_are_read_here(store, monkeypatch):
    monkeypatch.setattr(reading, "FEW", 1000)
    (found,) = gather(store, pool=None)
    (other,) = gather(store, pool="no pool at all")
    assert_alike(found, other)


def test_ctrl_c_leaves_no_file(store, pool, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(reading, "_write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gather(store, pool=pool)
    assert files_in_memory() == []


class SlowThread(ThreadPoolExecutor):
    """Begins a little after it was told to."""

    def submit(self, function, *arguments):
        def later():
            time.sleep(0.2)
            return function(*arguments)

        return super().submit(later)


def test_ctrl_c_harms_no_file_that_is_opened_next(store, monkeypatch, tmp_path):
    """The other process finds its file by a number, which another file may get."""
    write = reading._write

    def interrupted_here(store, ids, file):
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        return write(store, ids, file)

    monkeypatch.setattr(reading, "_write", interrupted_here)
    for i in range(9):
        (tmp_path / str(i)).write_text("as it was")
    with SlowThread(1) as pool:
        with pytest.raises(KeyboardInterrupt):
            gather(store, pool=pool)
        files = [path.open("rb") for path in tmp_path.iterdir()]
    assert [file.read() for file in files] == [b"as it was"] * 9
    for file in files:
        file.close()


def test_a_score_of_shared_values_may_be_changed_and_outlives_the_process(store):
    (expected,) = load(store)
    with second_process(int) as started:
        (found,) = load(store, pool=started)
    assert found.assessment.table() == expected.assessment.table()
    found.collection.cells[0][0][:] = 1.0
    assert np.all(found.collection.cells[0][0] == 1.0)

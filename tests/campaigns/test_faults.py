"""A full disk and a read-only folder, both real: small file systems mounted for the test."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from de2ls.campaigns import Store, StoreError, run_campaign

from .support import de2ls, fingerprints, make_record, small_plan

PLAN = ("--algorithms", "de2ls,rdex", "--problems", "1,4", "--dim", "4", "--instance", "1")


def mount(*arguments):
    """Mount, or skip the test where that is not allowed."""
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a file system cannot be mounted here: {done.stderr.strip()}")


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of half a megabyte."""
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("mounting a file system needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder))
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def read_only(tmp_path):
    """A folder, and the same folder seen through a read-only mount."""
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("mounting a file system needs root")
    writable, frozen = tmp_path / "writable", tmp_path / "frozen"
    writable.mkdir()
    frozen.mkdir()
    mount("--bind", str(writable), str(frozen))
    mount("-o", "remount,ro,bind", str(frozen))
    yield writable, frozen
    subprocess.run(["umount", str(frozen)], check=True)


def test_a_full_disk_loses_no_stored_trial_and_the_campaign_continues(small_disk, tmp_path):
    path = small_disk / "results.db"
    arguments = ("run", *PLAN, "--runs", "30", "--max-evals", "2000", "--store", str(path))
    full = de2ls(*arguments)
    assert full.returncode == 3
    message = full.stderr.splitlines()[-1]
    assert message.startswith(f"error: no space is left for {path}: free some; the trials stored")
    assert "Traceback" not in full.stderr
    before = fingerprints(path)
    assert 0 < len(before) < 120
    with Store.open(path, readonly=True) as store:
        assert store.verify().sound

    mount("-o", "remount,size=50m", str(small_disk))
    again = de2ls(*arguments)
    assert again.returncode == 0, again.stderr
    assert f"120 trials planned, {len(before)} already stored" in again.stdout
    after = fingerprints(path)
    assert len(after) == 120
    assert before.items() <= after.items()

    elsewhere = tmp_path / "results.db"
    assert de2ls(*arguments[:-1], str(elsewhere)).returncode == 0
    assert fingerprints(elsewhere) == after


def test_a_disk_without_any_space_is_named(small_disk):
    (small_disk / "filler").write_bytes(bytes(2**19 - 4096))
    with pytest.raises(StoreError, match=r"no space is left|No space left"):
        Store.open(small_disk / "results.db")
    (small_disk / "filler").unlink()
    with Store.open(small_disk / "results.db") as store:
        store.add(make_record(run=1))


def test_a_read_only_folder_is_named_and_can_be_read(read_only):
    writable, frozen = read_only
    refused = de2ls("run", *PLAN, "--runs", "1", "--store", str(frozen / "results.db"))
    assert refused.returncode == 3
    assert "results.db cannot be written: Read-only file system" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not list(writable.iterdir())

    run_campaign(small_plan(), writable / "results.db")
    with Store.open(frozen / "results.db", readonly=True) as store:
        assert len(list(store.records())) == 12
        assert store.verify().sound
    assert [file.name for file in writable.iterdir()] == ["results.db"]


def test_a_read_only_folder_can_be_read_while_a_campaign_writes(read_only):
    writable, frozen = read_only
    with Store.open(writable / "results.db") as writer:
        writer.add(make_record(run=1))
        with Store.open(frozen / "results.db", readonly=True) as store:
            assert [trial.run for trial in store.trials()] == [1]
            writer.add(make_record(run=2))
            assert [trial.run for trial in store.trials()] == [1, 2]


def test_an_unclosed_store_in_a_read_only_folder(read_only, tmp_path):
    writable, frozen = read_only
    with Store.open(tmp_path / "results.db") as store:
        store.add(make_record(run=1))
        for suffix in ("", "-wal", "-shm"):  # what a kill at this moment leaves behind
            shutil.copy(tmp_path / f"results.db{suffix}", writable)
    with Store.open(frozen / "results.db", readonly=True) as store:
        assert [trial.run for trial in store.trials()] == [1]
    (writable / "results.db-shm").unlink()
    with pytest.raises(StoreError, match=r"cannot be opened .* was not closed, writable\?"):
        Store.open(frozen / "results.db", readonly=True)
    with Store.open(writable / "results.db", readonly=True) as store:
        assert [trial.run for trial in store.trials()] == [1]


WITHOUT_RIGHTS = """
import os, sys
from de2ls.campaigns import StoreError, maintenance
from de2ls.campaigns.store import Store
if os.geteuid() == 0:  # lay down the rights that ignore permissions
    os.setgid(65534)
    os.setuid(65534)
folder = sys.argv[1]
for name in ("results.db", "new.db"):
    try:
        Store.open(f"{folder}/{name}")
    except StoreError as error:
        print(error)
with Store.open(f"{folder}/results.db", readonly=True) as store:
    print(len(list(store.records())), store.verify().sound)
"""


def test_a_user_without_the_right_to_write():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store.open(folder / "results.db") as store:
            store.add(make_record(run=1))
        (folder / "results.db").chmod(0o444)
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_RIGHTS, name],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        folder.chmod(0o755)
    assert done.stderr == ""
    first, second, read = done.stdout.splitlines()
    assert "results.db cannot be written: Permission denied; choose another folder" in first
    assert "new.db cannot be written: Permission denied; choose another folder" in second
    assert read == "1 True"

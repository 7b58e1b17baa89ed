"""The kernels' disk cache: several processes at once, unwritable folders, the notice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from de2ls.jit import cache

TINY = """
import sys
import numpy as np
from de2ls.jit.cache import cache_root
from de2ls.jit.kernels import kernel

@kernel
def double(x):
    return x + x

TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
         np.float32, np.float64, np.complex64, np.complex128]
"""


def start(folder: Path, body: str, **environment: str) -> "subprocess.Popen[str]":
    """Start Python on a small kernel, whose source lies in `folder`, and some lines."""
    script = folder / "tiny.py"
    if not script.exists():
        script.write_text(TINY)
    return subprocess.Popen(
        [sys.executable, "-c", f"from tiny import *\n{body}"],
        cwd=folder,
        env=os.environ | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process: "subprocess.Popen[str]", lines: str = "") -> tuple[str, str]:
    """Return what a process that must succeed wrote to stdout and stderr."""
    stdout, stderr = process.communicate(lines, timeout=900)
    assert process.returncode == 0, stderr
    return stdout, stderr


def test_a_process_waits_while_another_one_stores(tmp_path: Path) -> None:
    body = """
import logging
print(double._cache.cache_path, flush=True); input()
logging.getLogger("filelock").addHandler(logging.StreamHandler(sys.stdout))
logging.getLogger("filelock").setLevel(logging.DEBUG)
double(1)
"""
    process = start(tmp_path, body, DE2LS_CACHE_DIR=str(tmp_path / "cache"))
    assert process.stdout is not None
    folder = Path(process.stdout.readline().strip())
    with FileLock(folder / "lock"):
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        while "not acquired" not in (line := process.stdout.readline()):
            assert line, "it has not waited"
        assert not list(folder.glob("*.nb?"))
    output(process)
    assert len(list(folder.glob("*.nb?"))) == 2


@pytest.mark.slow
def test_processes_that_compile_at_once_leave_a_complete_cache(tmp_path: Path) -> None:
    """Six processes store twelve signatures each, in different order, into one empty cache."""
    body = """
print("ready", flush=True)
shift = int(input())
for kind in TYPES[shift:] + TYPES[:shift]:
    assert double(kind(21)) == 42
"""
    cache = {"DE2LS_CACHE_DIR": str(tmp_path / "cache")}
    processes = [start(tmp_path, body, **cache) for _ in range(6)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for shift, process in enumerate(processes):
        assert process.stdin is not None
        process.stdin.write(f"{2 * shift}\n")
        process.stdin.flush()
    for process in processes:
        output(process)
    check = """
for kind in TYPES:
    assert double(kind(21)) == 42
print(sum(double.stats.cache_hits.values()), sum(double.stats.cache_misses.values()))
"""
    assert output(start(tmp_path, check, **cache))[0] == "12 0\n"


@pytest.mark.slow
def test_first_trials_of_several_processes_and_threads(tmp_path: Path) -> None:
    """Two processes, two trials each in two threads, start at once on an empty cache."""
    body = """
from concurrent.futures import ThreadPoolExecutor
import de2ls
def trial(name):
    return de2ls.run_trial(name, de2ls.cec2017(1, dim=3, instance=1), 1, 600).f
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(trial, ["rdex", "de2ls"])))
"""
    processes = [start(tmp_path, body, DE2LS_CACHE_DIR=str(tmp_path / "c")) for _ in range(2)]
    results = [output(process) for process in processes]
    assert len({stdout for stdout, _ in results}) == 1
    assert all(notice.count("\n") <= 1 for _, notice in results)
    warm = output(start(tmp_path, body, DE2LS_CACHE_DIR=str(tmp_path / "c")))
    assert warm == (results[0][0], "")


def test_the_notice_comes_once_and_only_when_something_is_compiled(tmp_path: Path) -> None:
    body = "double(1), double(1.0), double(1j)"
    cache = {"DE2LS_CACHE_DIR": str(tmp_path / "cache")}
    stdout, notice = output(start(tmp_path, body, **cache))
    assert stdout == ""
    assert notice.count("\n") == 1
    assert notice.startswith("de2ls: compiling")
    assert output(start(tmp_path, body, **cache)) == ("", "")


def test_the_notice_can_be_silenced_and_redirected(tmp_path: Path) -> None:
    silent = "import logging; logging.getLogger('de2ls.compile').setLevel(logging.ERROR); double(1)"
    assert output(start(tmp_path, silent, DE2LS_CACHE_DIR=str(tmp_path / "a"))) == ("", "")
    own = "import logging; logging.basicConfig(stream=sys.stdout, format='%(name)s'); double(1)"
    assert output(start(tmp_path, own, DE2LS_CACHE_DIR=str(tmp_path / "b"))) == (
        "de2ls.compile\n",
        "",
    )


def test_a_cache_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "where"
    output(start(tmp_path, "double(1)", DE2LS_CACHE_DIR=str(folder)))
    assert list(folder.rglob("*.nbc"))


def test_a_folder_that_vanishes_is_no_failure(tmp_path: Path) -> None:
    body = "import shutil; shutil.rmtree(cache_root()); print(double(1), double(1.0))"
    assert output(start(tmp_path, body, DE2LS_CACHE_DIR=str(tmp_path / "c")))[0] == "2 2.0\n"


def test_a_folder_that_cannot_be_written_gives_way(tmp_path: Path) -> None:
    """A path below a file cannot be a folder, whoever asks; the user's cache folder is next."""
    (tmp_path / "file").write_text("")
    body = "print(double(1)); print(cache_root())"
    stdout, notice = output(
        start(
            tmp_path,
            body,
            DE2LS_CACHE_DIR=str(tmp_path / "file" / "cache"),
            XDG_CACHE_HOME=str(tmp_path / "home"),
        )
    )
    assert stdout == f"2\n{tmp_path / 'home' / 'de2ls' / 'kernels'}\n"
    assert f"{tmp_path / 'file' / 'cache'} cannot be written" in notice.splitlines()[0]


def test_without_any_cache_folder_the_temporary_one_serves(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir()
    nowhere = str(tmp_path / "file" / "x")
    environment = {"DE2LS_CACHE_DIR": nowhere, "XDG_CACHE_HOME": nowhere}
    body = "print(double(1)); print(cache_root())"
    stdout, _ = output(start(tmp_path, body, **environment, TMPDIR=str(tmp_path / "tmp")))
    folder = Path(stdout.splitlines()[1])
    assert folder.parent == tmp_path / "tmp"
    assert folder.stat().st_mode & 0o077 == 0  # compiled code that nobody else can write
    assert list(folder.rglob("*.nbc"))


@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0,
    reason="only root can hand the folder to another user",
)
def test_a_temporary_folder_of_somebody_else_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    nowhere = str(tmp_path / "file" / "x")
    foreign = tmp_path / f"de2ls-{os.getuid()}"
    foreign.mkdir()
    os.chown(foreign, 65534, 65534)
    environment = {"DE2LS_CACHE_DIR": nowhere, "XDG_CACHE_HOME": nowhere, "TMPDIR": str(tmp_path)}
    body = "print(double(1)); print(cache_root())"
    stdout, _ = output(start(tmp_path, body, **environment))
    assert Path(stdout.splitlines()[1]) != foreign
    assert list(foreign.iterdir()) == []


def test_caches_of_old_sources_are_removed(tmp_path: Path) -> None:
    for age in range(15):
        folder = tmp_path / f"engine-{age:02d}"
        folder.mkdir()
        os.utime(folder, (1000 - age, 1000 - age))
    (tmp_path / "suites-00").mkdir()
    cache._prune(tmp_path, "engine")
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == [f"engine-{age:02d}" for age in range(12)] + ["suites-00"]


def test_the_cache_is_named_after_the_sources() -> None:
    """An edit of a block must not leave kernels behind that were compiled with the old one."""
    folder = cache._cache_folder("algorithms")
    assert folder is not None
    assert folder.name.startswith("algorithms-")
    assert folder != cache._cache_folder("engine")
    from de2ls.algorithms.de2ls import step

    assert Path(step._cache.cache_path).parent == folder


def test_an_unknown_numba_keeps_its_own_cache(tmp_path: Path) -> None:
    """Its class of caches has another name there; the kernels' code lands in Numba's folder."""
    (tmp_path / "unknown.py").write_text(
        "import numba.core.caching, numba.core.ccallback; del numba.core.caching.FunctionCache"
    )
    (tmp_path / "tiny.py").write_text("import unknown\n" + TINY)
    environment = {"DE2LS_CACHE_DIR": str(tmp_path / "c"), "NUMBA_CACHE_DIR": str(tmp_path / "n")}
    stdout, notice = output(start(tmp_path, "print(double(21))", **environment))
    assert stdout == "42\n"
    assert "Numba" in notice
    assert list((tmp_path / "n").rglob("*.nbc"))
    assert not list((tmp_path / "c").rglob("*.nbc"))


def test_without_any_folder_kernels_are_compiled_each_time(tmp_path: Path) -> None:
    (tmp_path / "nowhere.py").write_text(
        "import tempfile\n"
        "def fail(*args, **kwargs): raise FileNotFoundError('no usable temporary directory')\n"
        "tempfile.TemporaryFile = tempfile.TemporaryDirectory = fail\n"
    )
    (tmp_path / "tiny.py").write_text("import nowhere\n" + TINY)
    (tmp_path / "file").write_text("")
    nothing = {"DE2LS_CACHE_DIR": str(tmp_path / "file"), "XDG_CACHE_HOME": str(tmp_path / "file")}
    assert output(start(tmp_path, "print(double(21), cache_root())", **nothing))[0] == "42 None\n"

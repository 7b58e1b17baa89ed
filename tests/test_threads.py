"""OpenBLAS is kept to one thread while somebody is inside, and only then."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg

from de2ls import _threads
from de2ls._threads import Threads, one_thread, openblas


class Library:
    """Stands for a library that has four threads."""

    number = 4

    def functions(self) -> Threads:
        return Threads(lambda: self.number, lambda number: setattr(self, "number", number))


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> list[Library]:
    """Return the libraries that count as loaded; more may be added."""
    loaded = [Library()]
    monkeypatch.setattr(_threads, "openblas", lambda: [each.functions() for each in loaded])
    return loaded


def test_the_number_of_before_holds_again(libraries: list[Library]) -> None:
    """Also where several are inside at once, as in searches that run in threads."""
    (library,) = libraries
    with one_thread:
        assert library.number == 1
        with one_thread:
            pass
        assert library.number == 1
    assert library.number == 4


def test_a_library_that_is_loaded_inside_waits_for_the_next_time(libraries: list[Library]) -> None:
    with one_thread:
        libraries.append(Library())
    assert [each.number for each in libraries] == [4, 4]
    with one_thread:
        assert [each.number for each in libraries] == [1, 1]


def test_the_libraries_of_this_system() -> None:
    """Where NumPy or SciPy has OpenBLAS in its wheel, it is found, and obeys."""
    parts = (np.show_config(mode="dicts"), scipy.show_config(mode="dicts"))
    blas = [part["Build Dependencies"]["blas"]["name"] for part in parts]
    found = openblas()
    if sys.platform == "linux":
        assert len(found) == blas.count("scipy-openblas")
    before = [each.get() for each in found]
    with one_thread:
        assert [each.get() for each in found] == [1] * len(found)
    assert [each.get() for each in found] == before


FORK = """
import os, signal
from de2ls._threads import one_thread

with one_thread, one_thread.lock:  # as another thread may, while this one forks
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        assert one_thread.inside == 0
        with one_thread:
            pass
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_does_not_wait_for_those_inside() -> None:
    assert subprocess.run([sys.executable, "-c", FORK], check=False).returncode == 0

"""One thread for small matrices.

OpenBLAS, which the wheels of NumPy and SciPy bring along, shares the work on a matrix among threads
from some 30 rows on. Up to some hundred rows that saves nothing: the other threads wait in a loop,
and on a busy machine a decomposition takes ten times as long; one of 30 rows took 4.6 ms of CPU
time instead of 0.07 ms. Other libraries are left alone.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

LIBRARIES = {  # a module that is linked to the library, and the ending of the library's names
    "numpy._core._multiarray_umath": "64_",
    "scipy.linalg._flapack": "",
}


class Threads(NamedTuple):
    """The functions that tell and set a library's number of threads."""

    get: Callable[[], int]
    put: Callable[[int], None]


@cache
def _threads_of(module: str) -> Threads | None:
    """Return the functions of the OpenBLAS to which a loaded module is linked."""
    try:
        library: Any = ctypes.CDLL(sys.modules[module].__file__)
        names = (f"scipy_openblas_{verb}_num_threads{LIBRARIES[module]}" for verb in ("get", "set"))
        return Threads(*(library[name] for name in names))
    except (AttributeError, OSError, TypeError):
        return None  # another library, or a system that does not look through modules


def openblas() -> list[Threads]:
    """Return the functions of each library that is loaded by now."""
    found = (_threads_of(module) for module in LIBRARIES if module in sys.modules)
    return [threads for threads in found if threads is not None]


class OneThread:
    """Keeps OpenBLAS to one thread while somebody is inside; then the number of before holds."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin with nobody inside.

        So does a forked process, to which those inside did not come along: it would wait for ever
        for one who holds the lock.
        """
        self.lock, self.inside, self.before = Lock(), 0, list[tuple[Threads, int]]()

    def __enter__(self) -> None:
        """Go in; the first one sets the number."""
        with self.lock:
            self.inside += 1
            if self.inside == 1:
                numbers = ((threads, threads.get()) for threads in openblas())
                self.before = [(threads, number) for threads, number in numbers if number != 1]
                for threads, _ in self.before:
                    threads.put(1)

    def __exit__(self, *error: object) -> None:
        """Leave; the last one sets the number of before."""
        with self.lock:
            self.inside -= 1
            if not self.inside:
                for threads, number in self.before:
                    threads.put(number)


one_thread = OneThread()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=one_thread.begin)

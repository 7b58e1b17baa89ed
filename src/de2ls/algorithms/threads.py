"""One thread for small matrices.

OpenBLAS, which the wheels of NumPy and SciPy bring along, shares the work on a matrix among threads
from some 30 rows on. Up to some hundred rows that saves nothing: the other threads wait in a loop,
and on a busy machine a decomposition takes ten times as long; one of 30 rows took 4.6 ms of CPU
time instead of 0.07 ms. Other libraries are left alone.
"""

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

LIBRARIES = {  # a module that is linked to the library, and the ending of the library's names
    "numpy._core._multiarray_umath": "64_",
    "scipy.linalg._flapack": "",
}


@cache
def _openblas() -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    """Return for each library the functions that tell and set its number of threads."""
    found = []
    for module, ending in LIBRARIES.items():
        try:
            library: Any = ctypes.CDLL(sys.modules[module].__file__)
            get = library[f"scipy_openblas_get_num_threads{ending}"]
            found.append((get, library[f"scipy_openblas_set_num_threads{ending}"]))
        except (AttributeError, KeyError, OSError, TypeError):
            continue  # another library, or a system that does not look through modules
    return found


class OneThread:
    """Keeps OpenBLAS to one thread while somebody is inside; then the number of before holds."""

    def __init__(self) -> None:
        self.lock, self.inside, self.before = Lock(), 0, list[int]()

    def __enter__(self) -> None:
        """Go in; the first one sets the number."""
        with self.lock:
            self.inside += 1
            if self.inside == 1:
                self.before = [get() for get, _ in _openblas()]
                for _, put in _openblas():
                    put(1)

    def __exit__(self, *error: object) -> None:
        """Leave; the last one sets the number of before."""
        with self.lock:
            self.inside -= 1
            if not self.inside:
                for (_, put), threads in zip(_openblas(), self.before, strict=True):
                    put(threads)

    @contextmanager
    def left(self) -> Iterator[None]:
        """Leave for a while from inside: others may compute as they like."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()


one_thread = OneThread()

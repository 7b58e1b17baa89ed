"""One writer per store: a lock that the system releases when its process ends, however it ends."""

import contextlib
import os
import socket
import sys
from pathlib import Path

from filelock import FileLock, Timeout

from de2ls.campaigns.errors import StoreBusyError


class WriterLock:
    """An exclusive lock on the file ``<store>.lock``; ``<store>.writer`` names its holder.

    The database file itself cannot carry the lock: closing a second handle of it would drop the
    locks that SQLite holds.

    Parameters
    ----------
    store : Path
        The store to be written.
    """

    def __init__(self, store: Path) -> None:
        self._path = store.with_name(store.name + ".lock")
        self._holder = _holder_file(store)
        self._lock = FileLock(self._path, timeout=0, thread_local=False)
        try:
            self._lock.acquire()
        except Timeout:
            raise StoreBusyError(
                f"{store} is being written by {self._holder_name()}: wait until it ends, or use "
                "another store and merge the two later (de2ls store merge)"
            ) from None
        self._holder.write_text(f"process {os.getpid()} on {socket.gethostname()}", "utf-8")

    def _holder_name(self) -> str:
        return _holder_text(self._holder) or "another process"

    def release(self) -> None:
        """Remove the files and give the lock back."""
        for path in (self._holder, self._path):
            with contextlib.suppress(OSError):  # Windows removes no file that is open
                path.unlink(missing_ok=True)
        self._lock.release()


def writer_of(store: Path) -> str | None:
    """Return who writes to a store, or None if nobody does; looking disturbs nobody.

    A writer that was killed leaves its name behind. Whether a process of another machine still
    runs cannot be told: it counts as writing.
    """
    name = _holder_text(_holder_file(store))
    words = name.split()
    is_here = len(words) == 4 and words[1].isdigit() and words[3] == socket.gethostname()
    return None if not name or (is_here and not _runs(int(words[1]))) else name


def _holder_file(store: Path) -> Path:
    return store.with_name(store.name + ".writer")


def _holder_text(file: Path) -> str:
    try:
        return file.read_text("utf-8", errors="replace")[:200]
    except OSError:
        return ""


def _runs(process: int) -> bool:
    """Return whether a process of this machine runs."""
    if sys.platform == "win32":  # os.kill would end it
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, process)  # may query it
        if handle:
            ctypes.windll.kernel32.CloseHandle(handle)
        return bool(handle)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True

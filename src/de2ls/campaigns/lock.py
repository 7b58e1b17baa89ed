"""One writer per store: a lock that the system releases when its process ends, however it ends."""

import contextlib
import os
import socket
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
        self._holder = store.with_name(store.name + ".writer")
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
        try:
            return self._holder.read_text("utf-8", errors="replace")[:200] or "another process"
        except OSError:
            return "another process"

    def release(self) -> None:
        """Remove the files and give the lock back."""
        for path in (self._holder, self._path):
            with contextlib.suppress(OSError):  # Windows removes no file that is open
                path.unlink(missing_ok=True)
        self._lock.release()

"""One writer per store: a lock that the system releases when its process ends, however it ends."""

import fcntl
import os
import socket
from pathlib import Path

from de2ls.campaigns.errors import StoreBusyError


class WriterLock:
    """An exclusive lock on the file ``<store>.lock``, which names its holder.

    The database file itself cannot carry the lock: closing a second handle of it would drop the
    locks that SQLite holds.

    Parameters
    ----------
    store : Path
        The store to be written.
    """

    def __init__(self, store: Path) -> None:
        self._path = store.with_name(store.name + ".lock")
        self._handle = self._acquire(store)

    def _acquire(self, store: Path) -> int:
        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(handle, 200, 0).decode(errors="replace") or "another process"
                os.close(handle)
                raise StoreBusyError(
                    f"{store} is being written by {holder}: wait until it ends, or use another "
                    "store and merge the two later (de2ls store merge)"
                ) from None
            if self._is_current(handle):
                os.ftruncate(handle, 0)
                os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
                return handle
            os.close(handle)

    def _is_current(self, handle: int) -> bool:
        """Whether the locked file is still the one under the name, not one just removed."""
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self._path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Remove the file and give the lock back."""
        self._path.unlink(missing_ok=True)
        os.close(self._handle)

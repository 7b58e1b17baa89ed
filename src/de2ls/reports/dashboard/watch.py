"""What the page is told: looked up anew when the file or its writer changes, never more often."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from de2ls.campaigns.connection import DAMAGE
from de2ls.campaigns.errors import StoreError
from de2ls.campaigns.lock import writer_of
from de2ls.reports.dashboard.progress import progress
from de2ls.reports.dashboard.provisional import provisional

Look = Callable[[Path], dict[str, Any]]

_REST = 10.0  # a look is followed by so many times its own duration without one


class Event:
    """One kind of news: the text of the latest, and its number."""

    def __init__(self, path: Path, look: Look, least: float) -> None:
        self.number = 0
        self.text = ""
        self._path = path
        self._look = look
        self._least = least  # seconds between looks
        self._due = 0.0
        self._seen: object = None
        self._lock = asyncio.Lock()

    async def refresh(self, stamp: object) -> None:
        """Look again in a thread if something has changed and the last look is old enough."""
        if self._lock.locked() or stamp == self._seen or time.monotonic() < self._due:
            return
        async with self._lock:
            begin = time.monotonic()
            text = await asyncio.to_thread(self._read)
            end = time.monotonic()
            self._due = end + max(self._least, _REST * (end - begin))
            self._seen = stamp
            if text != self.text:
                self.text = text
                self.number += 1

    def _read(self) -> str:
        try:
            content = self._look(self._path)
        except (StoreError, *DAMAGE) as error:
            content = {"error": str(error)}
        return json.dumps(content, separators=(",", ":"), default=str)


class Watch:
    """The events about one file; they cost nothing while nobody listens."""

    def __init__(self, path: Path) -> None:
        self.events = {
            "progress": Event(path, _with_writer, 0.5),
            "scores": Event(path, provisional, 3.0),
        }
        self._path = path
        self._scoring: asyncio.Task[None] | None = None

    async def refresh(self) -> None:
        """Bring the events up to date; scores come in their own time."""
        stamp = stamp_of(self._path)
        await self.events["progress"].refresh(stamp)
        if self._scoring is None or self._scoring.done():
            self._scoring = asyncio.create_task(self.events["scores"].refresh(stamp[:-1]))


def stamp_of(path: Path) -> tuple[Any, ...]:
    """Return what changes when the store does: times and sizes of its files, and its writer."""
    files = (path, path.with_name(path.name + "-wal"))
    return (*(_stamp(file) for file in files), writer_of(path))


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return (0, 0)
    if found.st_size == 0:  # the empty log of a reader
        return (0, 0)
    return found.st_mtime_ns, found.st_size


def _with_writer(path: Path) -> dict[str, Any]:
    return {
        "kind": "campaign",
        "source": path.name,
        "writer": writer_of(path),
        "now": time.time(),
        **progress(path),
    }

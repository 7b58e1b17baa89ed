"""What the page is told: looked up anew when the file or its writer changes, never more often."""

import asyncio
import json
import math
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from de2ls.campaigns.connection import DAMAGE
from de2ls.campaigns.errors import StoreError
from de2ls.campaigns.lock import writer_of
from de2ls.reports.dashboard.progress import progress
from de2ls.reports.dashboard.provisional import provisional
from de2ls.reports.dashboard.run import run_progress

Look = Callable[[Path], dict[str, Any]]

_REST = 10.0  # a look is followed by so many times its own work without one


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
            text, work = await asyncio.to_thread(self._read)
            self._due = time.monotonic() + max(self._least, _REST * work)
            self._seen = stamp
            if text != self.text:
                self.text = text
                self.number += 1

    def _read(self) -> tuple[str, float]:
        """Return the news, and the seconds of work that they took."""
        begin = time.thread_time()
        try:
            content = self._look(self._path)
        except (StoreError, OSError, *DAMAGE) as error:
            content = {"error": str(error)}
        text = json.dumps(_finite(content), separators=(",", ":"), allow_nan=False)
        return text, time.thread_time() - begin


class Watch:
    """The events about one file; they cost nothing while nobody listens."""

    def __init__(self, path: Path) -> None:
        is_run = is_checkpoint(path)
        self.events = {"progress": Event(path, _run if is_run else _campaign, 0.5)}
        if not is_run:
            self.events["scores"] = Event(path, provisional, 3.0)
        self._path = path
        self._scoring: asyncio.Task[None] | None = None

    async def refresh(self) -> None:
        """Bring the events up to date; scores come in their own time."""
        stamp = stamp_of(self._path)
        await self.events["progress"].refresh(stamp)
        if "scores" in self.events and (self._scoring is None or self._scoring.done()):
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


def is_checkpoint(path: Path) -> bool:
    """Return whether a file is a checkpoint of `minimize`, not a store."""
    return zipfile.is_zipfile(path)


def _campaign(path: Path) -> dict[str, Any]:
    return {"kind": "campaign", **_about(path), "writer": writer_of(path), **progress(path)}


def _run(path: Path) -> dict[str, Any]:
    return {"kind": "run", **_about(path), **run_progress(path)}


def _about(path: Path) -> dict[str, Any]:
    return {"source": path.name, "now": time.time()}


def _finite(content: Any) -> Any:
    """Return data that JSON can hold: without NaN and infinity, which become null."""
    if isinstance(content, dict):
        return {name: _finite(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    is_number = not isinstance(content, float) or math.isfinite(content)
    return content if is_number else None

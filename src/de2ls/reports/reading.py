"""Read many trials for a score: here, or up to half of them in a process beside this one.

The two processes write the values to files that exist only in memory and have no name: they are
gone when both processes have let them go, whatever ends them.
"""

import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import fields
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.campaigns.store import Store
from de2ls.scores.collection import Cell, sorted_in
from de2ls.scores.mixture import Sampled
from de2ls.trials.record import TrialRecord, TrialSummary

_NAMES = tuple(one.name for one in fields(TrialSummary))
_LATER = 1000  # trials that are read here before the other process begins
FEW = 2000  # trials that are read sooner by one process


class Read(NamedTuple):
    """Trials that were read, and the values of their cells."""

    summaries: list[TrialSummary]
    trials: list[Sampled]
    blocks: list[tuple[Cell, FloatArray]]


class Written(NamedTuple):
    """Trials that were read, while their values are in a file, block after block."""

    summaries: list[TrialSummary]
    trials: list[Sampled]
    shapes: list[tuple[Cell, tuple[int, ...]]]


class Sent(NamedTuple):
    """`Written` on its way from the other process, as small as can be."""

    summaries: list[tuple[Any, ...]]  # the fields of each
    grids: list[FloatArray]  # of the trials; equal ones are one array
    shapes: list[tuple[Cell, tuple[int, ...]]]


def read(store: Store, ids: Sequence[int], pool: Executor | None = None) -> Read:
    """Read the trials with these ids; refuse one that contradicts its checksum.

    Parameters
    ----------
    store : Store
        Where they are.
    ids : sequence of int
        The trials.
    pool : Executor, optional
        Whose process reads up to half of many trials; by default all are read here.
    """
    if pool is not None and len(ids) >= FEW and hasattr(os, "memfd_create"):
        try:
            return _read_in_two(store, ids, pool)
        except (BrokenProcessPool, OSError):  # it has died, or there is no room for the files
            pass
    summaries: list[TrialSummary] = []
    trials, blocks = sorted_in(_noting(store.read_all(ids), summaries), lambda block: block)
    return Read(summaries, trials, blocks)


def _read_in_two(store: Store, ids: Sequence[int], pool: Executor) -> Read:
    middle = (len(ids) + _LATER) // 2
    with _in_memory() as here, _in_memory() as there:
        place = Path(f"/proc/{os.getpid()}/fd/{there.fileno()}")
        sent = pool.submit(_send, store.path, ids[middle:], place)
        try:
            first = _write(store, ids[:middle], here)
            rest = _received(sent.result(), first.trials)
        finally:
            if not sent.cancel():  # closed, its place could become that of another file
                wait([sent])
        return Read(
            first.summaries + rest.summaries,
            first.trials + rest.trials,
            [*_blocks(first, here), *_blocks(rest, there)],
        )


def _in_memory() -> BinaryIO:
    return open(os.memfd_create("de2ls"), "r+b")


def _write(store: Store, ids: Sequence[int], file: BinaryIO) -> Written:
    """Read trials and write the values of their cells: faster than into memory that is new."""

    def keep(block: FloatArray) -> tuple[int, ...]:
        file.write(block.data)
        return block.shape

    summaries: list[TrialSummary] = []
    trials, shapes = sorted_in(_noting(store.read_all(ids), summaries), keep)
    file.flush()
    return Written(summaries, trials, shapes)


def _send(path: Path, ids: Sequence[int], place: Path) -> Sent:
    """Read and write trials in the other process."""
    with Store.open(path, readonly=True) as store, place.open("r+b") as file:
        written = _write(store, ids, file)
    summaries = [tuple(vars(summary).values()) for summary in written.summaries]
    return Sent(summaries, [trial.grid for trial in written.trials], written.shapes)


def _received(sent: Sent, known: Iterable[Sampled]) -> Written:
    """Return what the other process has written; its grids become those that are known."""
    summaries = [TrialSummary(**dict(zip(_NAMES, one, strict=True))) for one in sent.summaries]
    one_of = {grid.tobytes(): grid for grid in _distinct(trial.grid for trial in known)}
    same = {id(grid): one_of.setdefault(grid.tobytes(), grid) for grid in _distinct(sent.grids)}
    trials = [
        Sampled.of(summary, same[id(grid)])
        for summary, grid in zip(summaries, sent.grids, strict=True)
    ]
    return Written(summaries, trials, sent.shapes)


def _distinct(grids: Iterable[FloatArray]) -> Iterable[FloatArray]:
    return {id(grid): grid for grid in grids}.values()


def _blocks(written: Written, file: BinaryIO) -> Iterator[tuple[Cell, FloatArray]]:
    values = np.frombuffer(mmap.mmap(file.fileno(), 0))
    start = 0
    for cell, shape in written.shapes:
        end = start + prod(shape)
        yield cell, values[start:end].reshape(shape)
        start = end


def _noting(records: Iterable[TrialRecord], summaries: list[TrialSummary]) -> Iterator[TrialRecord]:
    """Yield records and note each without its arrays, so that a trial is read once."""
    for record in records:
        summaries.append(record.summary())
        yield record

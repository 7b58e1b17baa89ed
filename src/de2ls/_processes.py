"""What processes of this package have in common; light, so that a child begins quickly."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block: where it would be lost, or lose a process."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # Ctrl-C does not come here, or raises nothing
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def second_process(prepare: Callable[[], object]) -> Iterator["Executor | None"]:
    """Start a process beside this one, or give None where none can be started.

    It begins with `prepare`, and ends with the block; what has not begun by then is given up.
    """
    from concurrent.futures import ProcessPoolExecutor

    try:
        spawn = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(1, mp_context=spawn, initializer=begin_worker)
        pool.submit(prepare)
    except (OSError, ImportError, NotImplementedError):  # no more processes, or no semaphores
        yield None
        return
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def begin_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it: the start of every worker of a pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """End this process when its parent ends, even if that is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)

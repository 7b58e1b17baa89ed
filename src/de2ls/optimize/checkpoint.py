"""Checkpoints of `minimize`: a run that is killed goes on where it was, with the same bits."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from de2ls.trials.driver import Driver
from de2ls.trials.saved import load_driver, saved_notes

SECONDS = 3.0  # between two checkpoints


class Checkpoint:
    """The file of a run.

    Parameters
    ----------
    path : str or Path
        Where it is written, as a whole or not at all.
    options : mapping
        Arguments of the run that must be the same when it goes on: names and JSON values.
    """

    def __init__(self, path: str | Path, options: Mapping[str, Any]) -> None:
        if not isinstance(path, str | Path):
            raise TypeError(f"checkpoint must be a path, got {path!r}")
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise ValueError(f"checkpoint must be in a folder that exists, got {str(path)!r}")
        self.options = dict(options)
        self.next = time.perf_counter() + SECONDS

    def driver(self, seed: Any, make: Callable[[Any], Driver]) -> tuple[Driver, dict[str, Any]]:
        """Return the run of the file, or a new one, and what `Search` noted in it.

        Parameters
        ----------
        seed : optional
            The seed asked for; None takes the file's.
        make : callable
            Makes a new run from a seed.
        """
        if not self.path.exists():
            return make(seed), {}
        header, about = saved_notes(self.path, "minimize")
        if about is None:
            raise ValueError(f"checkpoint {str(self.path)!r} holds no run of minimize")
        self._require("", about["options"], self.options)
        fresh = make(header["seed"] if seed is None else seed)
        self._require("", header, fresh.header())
        return load_driver(self.path, fresh.problem, fresh.algorithm), about["search"]

    def _require(self, prefix: str, saved: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        """Refuse a run that is not the file's, by the name of what differs."""
        for name in given:
            old, new = saved.get(name), given[name]
            if isinstance(new, Mapping):
                self._require(f"{name} ", old or {}, new)
            elif old != new:
                raise ValueError(
                    f"checkpoint {str(self.path)!r} is of another run: its {prefix}{name} is "
                    f"{old!r}, got {new!r}; give another file, or delete it to begin anew"
                )

    def write(self, driver: Driver, search: Mapping[str, Any]) -> None:
        """Write the run as it stands."""
        about = {"options": self.options, "search": dict(search)}
        driver.save(self.path, minimize=np.array(json.dumps(about)))
        self.next = time.perf_counter() + SECONDS

    def is_due(self) -> bool:
        """Whether the last one is old enough."""
        return time.perf_counter() >= self.next

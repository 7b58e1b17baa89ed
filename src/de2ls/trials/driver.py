"""The driver: one trial under way, its state and its candidate, driven compiled or from Python."""

import json
import threading
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from de2ls import _checks
from de2ls.algorithms import get_algorithm
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import Config
from de2ls.engine.recorder import write_row
from de2ls.engine.state import ASK, NONE, TELL, Candidate, State, new_candidate
from de2ls.jit.borrow import borrow
from de2ls.jit.kernels import entry, kernel
from de2ls.problems.problem import Problem

SCHEMA = 1  # of a saved trial
EVALS_PER_DIM = 20_000  # default budget per dimension

_VECTOR = types.Array(types.float64, 1, "C")
_EVALUATE = types.FunctionType(types.void(_VECTOR, _VECTOR, _VECTOR, _VECTOR))
_compiling = threading.Lock()


@kernel
def drive(
    step: Any,
    evaluate: Any,
    state: State,
    cand: Candidate,
    params: Any,
    work: Any,
    until: int,
) -> None:
    """Evaluate and step until `until` evaluations are made, or the target, or the end."""
    s, c, data, scratch = borrow(state), borrow(cand), borrow(params), borrow(work)
    while s.now[0].n < until and not s.now[0].reached:
        evaluate(c.x, data, scratch, c.out)
        if not step(s, c, TELL | ASK):
            break


def _entry(function: Any, signature: tuple[Any, ...]) -> Any:
    """Return the entry point of `function`, compiled by one thread at a time."""
    with _compiling:
        return entry(function, signature)


class Driver:
    """A trial under way.

    Parameters
    ----------
    algorithm : str
        Registered name.
    problem : Problem
        What is minimised.
    seed : int
        Seed of the trial's random numbers.
    max_evals : int, optional
        The budget T; 20000 D by default.
    config : mapping or Config, optional
        Fields that differ from the algorithm's defaults.
    """

    def __init__(
        self,
        algorithm: str,
        problem: Problem,
        seed: int,
        max_evals: int | None = None,
        config: Mapping[str, Any] | Config | None = None,
    ) -> None:
        self.algorithm: Algorithm = get_algorithm(algorithm)
        if not isinstance(problem, Problem):
            raise TypeError(
                "problem must be a Problem, as de2ls.cec2017 and de2ls.problem make it, "
                f"got {problem!r}"
            )
        self.problem = problem
        self.seed = _checks.integer("seed", seed, 0)
        if max_evals is None:
            max_evals = EVALS_PER_DIM * problem.dim
        self.max_evals = _checks.integer("max_evals", max_evals, 8)
        self.config = self.algorithm.config_class.make(config)
        self.state = self.algorithm.start(problem, self.config, self.seed, self.max_evals)
        self.cand = new_candidate(problem)
        self.work = np.empty(problem.kernel.n_work if problem.kernel else 0)
        self._signature = (numba.typeof(self.state), numba.typeof(self.cand), types.int64)
        self.step = _entry(self.algorithm.step, self._signature)
        self.wall_time = 0.0  # seconds, kept by whoever runs the trial

    @property
    def now(self) -> Any:
        """The record of the trial's scalars."""
        return self.state.now[0]

    @property
    def n_evals(self) -> int:
        """Evaluations made so far."""
        return int(self.state.now[0]["n"])

    @property
    def finished(self) -> bool:
        """Whether the trial is over."""
        return bool(self.n_evals >= self.max_evals or self.now["finished"])

    @property
    def stop(self) -> str:
        """Why a finished trial ended: its "budget", or no room in it for one more generation."""
        return "budget" if self.n_evals >= self.max_evals else "generations"

    def begin(self) -> None:
        """Put the first candidate in place; does nothing when there is one."""
        if self.cand.info[0]["kind"] == NONE:
            self.step(self.state, self.cand, ASK)

    def run(self, until: int | None = None) -> None:
        """Go on until `until` evaluations are made or the trial is over."""
        until = self.max_evals if until is None else min(until, self.max_evals)
        self.begin()
        if not self.finished:
            if self.problem.kernel is not None:
                self._run_compiled(until)
            else:
                self._run_python(until)
        if self.finished:
            self.close_curve()

    def _run_compiled(self, until: int) -> None:
        compiled = self.problem.kernel
        assert compiled is not None
        step_type = types.FunctionType(types.boolean(*self._signature))
        loop = _entry(
            drive,
            (step_type, _EVALUATE, *self._signature[:2], _VECTOR, _VECTOR, types.int64),
        )
        _entry(compiled.evaluate, (_VECTOR,) * 4)
        loop(
            self.algorithm.step,
            compiled.evaluate,
            self.state,
            self.cand,
            compiled.params,
            self.work,
            until,
        )

    def _run_python(self, until: int) -> None:
        evaluate, step = self.problem.evaluate_into, self.step
        state, cand, work, now = self.state, self.cand, self.work, self.state.now[0]
        while now["n"] < until and not now["reached"]:
            evaluate(cand.x, cand.out, work)
            if not step(state, cand, TELL | ASK):
                break

    def close_curve(self) -> None:
        """Repeat the last state in the rows that an early end left empty."""
        curve, now = self.state.curve, self.now
        for row in range(int(now["row"]), curve.shape[0]):
            write_row(self.state, row, max(now["n0"], min(now["stride"] * row, self.max_evals)))
        now["row"] = curve.shape[0]

    def save(self, path: str | Path, **extra: NDArray[Any]) -> None:
        """Write the trial, and `extra` arrays, to a file from which `load` continues it."""
        header = {
            "schema": SCHEMA,
            "algorithm": self.algorithm.name,
            "config": self.config.as_dict(),
            "seed": self.seed,
            "max_evals": self.max_evals,
            "wall_time": self.wall_time,
            "problem": _description(self.problem),
        }
        arrays: dict[str, Any] = {f"state_{k}": array for k, array in self.state._asdict().items()}
        arrays |= {f"cand_{k}": array for k, array in self.cand._asdict().items()} | extra
        target = Path(path)
        partial = target.with_name(target.name + ".part")
        with partial.open("wb") as file:
            np.savez(file, header=np.array(json.dumps(header)), **arrays)
        partial.replace(target)

    @classmethod
    def load(cls, path: str | Path, problem: Problem) -> Self:
        """Read a saved trial of `problem`."""
        if Path(path).exists() and not zipfile.is_zipfile(path):
            raise ValueError(f"path {str(path)!r} holds no saved trial")
        try:
            with np.load(path, allow_pickle=False) as saved:
                return cls._from_arrays(path, problem, saved)
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
            raise ValueError(f"path {str(path)!r} holds a damaged trial: {error}") from error

    @classmethod
    def _from_arrays(cls, path: str | Path, problem: Problem, saved: Any) -> Self:
        header = json.loads(str(saved["header"])) if "header" in saved else {}
        if header.get("schema") != SCHEMA:
            raise ValueError(
                f"path {str(path)!r} holds a trial of schema {header.get('schema')}; "
                f"this version reads schema {SCHEMA}"
            )
        _require_same(header["problem"], _description(problem))
        driver = cls(
            header["algorithm"], problem, header["seed"], header["max_evals"], header["config"]
        )
        for prefix, arrays in (("state", driver.state), ("cand", driver.cand)):
            for name, array in arrays._asdict().items():
                stored = saved[f"{prefix}_{name}"]
                if stored.dtype != array.dtype or stored.shape != array.shape:
                    raise ValueError(
                        f"path {str(path)!r} was written by another version of de2ls: its "
                        f"{prefix}_{name} does not fit"
                    )
                array[...] = stored
        driver.wall_time = header.get("wall_time", 0.0)
        return driver


def _description(problem: Problem) -> dict[str, Any]:
    """Return what a saved trial needs to know its problem again."""
    return {
        "name": problem.name,
        "dim": problem.dim,
        "lower": problem.lower.tolist(),
        "upper": problem.upper.tolist(),
        "n_ineq": problem.n_ineq,
        "n_eq": problem.n_eq,
        "eq_tol": problem.eq_tol,
        "excess": problem.excess,
        "feasible_tol": problem.feasible_tol,
        **problem.key.as_dict(),
    }


def _require_same(saved: dict[str, Any], given: dict[str, Any]) -> None:
    for name in sorted(saved.keys() | given.keys()):
        if saved.get(name) != given.get(name):
            raise ValueError(
                f"problem must be the saved trial's: its {name} is {saved.get(name)}, "
                f"got {given.get(name)}"
            )

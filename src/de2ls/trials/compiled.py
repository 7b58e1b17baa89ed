"""The driver of a compiled step: its state and its candidates, driven compiled or from Python."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls._processes import uninterrupted
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import Config
from de2ls.engine.recorder import observe, write_row
from de2ls.engine.state import ASK, INITIAL, NONE, SEARCH, TELL, Candidate, State, new_candidate
from de2ls.jit.borrow import borrow
from de2ls.jit.kernels import entry, kernel
from de2ls.problems.problem import Problem
from de2ls.trials.driver import Driver, Incumbent, Population
from de2ls.trials.weights import constraint_weights

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


@kernel
def record(state: State, cand: Candidate) -> None:
    """Let the recorder see a result that the algorithm did not ask for."""
    observe(state, cand)


def _entry(function: Any, signature: tuple[Any, ...]) -> Any:
    """Return the entry point of `function`, compiled by one thread at a time."""
    with _compiling:
        return entry(function, signature)


class CompiledDriver(Driver):
    """A trial of an algorithm with a compiled step.

    Each candidate is drawn from the state at its ask, a tell acts at once, and a generation ends
    after N tells. With one candidate out at a time this is the algorithm itself; with more it is
    the variant with deferred updating: a success is visible only to candidates asked after it.

    With `weigh` the results of the initial population wait until all are there: then its violations
    set the weights of the constraints, and the search takes them in the order in which they came.
    """

    def __init__(
        self,
        algorithm: str | Algorithm,
        problem: Problem,
        seed: int,
        max_evals: int | None = None,
        config: Mapping[str, Any] | Config | None = None,
        *,
        x0: FloatArray | None = None,
        weigh: bool = False,
    ) -> None:
        super().__init__(algorithm, problem, seed, max_evals, config, x0=x0)
        assert self.algorithm.start is not None
        self.state = self.algorithm.start(problem, self.config, self.seed, self.max_evals)
        self.cand = new_candidate(problem)  # of `run`
        self._weighs = weigh and problem.n_constraints > 1  # and the weights are not known yet
        self._held: list[Candidate] = []  # initial points whose results wait for the weights
        self._asked = 0
        self._pending: dict[int, Candidate] = {}  # of `ask`
        self._ready: list[int] = []  # made already, to be handed out first
        self._spare: list[Candidate] = []
        self._signature = (numba.typeof(self.state), numba.typeof(self.cand), types.int64)
        self.step = _entry(self.algorithm.step, self._signature)

    @property
    def now(self) -> Any:
        """The record of the search's scalars."""
        return self.state.now[0]

    def _seen(self) -> State:
        """Return the state with all results; those that wait are told to a copy."""
        if not self._held:
            return self.state
        state: State = _copy(self.state)
        self._release(state, [_copy(cand) for cand in self._held])
        return state

    @property
    def n_evals(self) -> int:
        """Evaluations made so far."""
        return int(self.now["n"]) + len(self._held)

    @property
    def n_invalid(self) -> int:
        """Evaluations that gave NaN."""
        return int(self._seen().now[0]["n_invalid"])

    @property
    def n_outside(self) -> int:
        """Evaluated points outside the box."""
        return int(self._seen().now[0]["n_outside"])

    @property
    def finished(self) -> bool:
        """Whether the trial is over."""
        return bool(self.n_evals >= self.max_evals or self.now["finished"])

    @property
    def stop(self) -> str:
        """Why a finished trial ended: its "budget", or no room in it for one more generation."""
        return "budget" if self.n_evals >= self.max_evals else "generations"

    @property
    def incumbent(self) -> Incumbent:
        """The best point evaluated so far."""
        seen = self._seen()
        now, (x, out) = seen.now[0], np.split(seen.best.copy(), [self.problem.dim])
        f, violation = float(now["best_f"]), float(now["best_cv"])
        feasible = violation <= self.problem.feasible_tol
        return Incumbent(x, out, f, violation, feasible, int(now["best_n"]))

    @property
    def curve(self) -> FloatArray:
        """Rows of FEs, Min_EV, LCV, population size, epsilon level: what is written so far."""
        seen = self._seen()
        return seen.curve[: seen.now[0]["row"]]

    @property
    def present(self) -> tuple[float, ...]:
        """What a row of the curve would say now."""
        now = self._seen().now[0]
        min_ev = now["best_f"] if now["best_cv"] <= now["feasible_tol"] else np.nan
        return now["n"], min_ev, now["least_cv"], now["n_pop"], now["eps"]

    @property
    def population_size(self) -> int:
        """How many points make a generation at present."""
        return int(self.now["n_pop"])

    @property
    def population(self) -> Population:
        """The members of the population."""
        seen = self._seen()
        members = seen.top[: seen.now[0]["n_pop"]]
        return Population(seen.x[members["row"]], members["f"].copy(), members["v"].copy())

    @property
    def reached(self) -> bool:
        """Whether a feasible point has reached the target."""
        return bool(self.now["reached"])

    @property
    def evaluating(self) -> FloatArray:
        """The point that `run` evaluates, or has failed to evaluate."""
        last = next(reversed(self._pending.values()), self.cand)
        return last.x.copy()

    @property
    def counters(self) -> dict[str, float]:
        """What the algorithm counted."""
        return {name: self.now[name].item() for name in self.algorithm.counters}

    def aim(self, target: float) -> None:
        """Stop when a feasible point has an objective of at most `target`."""
        best = self.incumbent
        self.now["target"] = target
        self.now["reached"] = best.feasible and best.f <= target

    def observe(self, x: FloatArray, out: FloatArray) -> None:
        """Let the recorder see a point that the algorithm did not ask for."""
        cand = new_candidate(self.problem)
        cand.x[:], cand.out[:] = x, out
        record(self.state, cand)

    def inject(self, x: FloatArray, out: FloatArray) -> None:
        """Let the point take the place of the next candidate, which competes with its target.

        Where there is none, or the next one belongs to a local search, only the recorder sees it.
        """
        numbers = self.ask(1)
        if numbers and self._pending[numbers[0]].info[0]["kind"] in (INITIAL, SEARCH):
            self._pending[numbers[0]].x[:] = x
            self.tell(numbers, [out])
        else:
            self._ready += numbers
            self.observe(x, out)

    @property
    def asked(self) -> int:
        """Candidates handed out so far, and the next one's number."""
        return self._asked

    @property
    def pending(self) -> dict[int, Candidate]:
        """The candidates that are out, by number."""
        return self._pending

    def begin(self) -> None:
        """Put the first candidate in place; does nothing when there is one."""
        if self.cand.info[0]["kind"] == NONE:
            self.step(self.state, self.cand, ASK)

    def run(self, until: int | None = None) -> None:
        """Continue until `until` evaluations are made, or the target, or the end."""
        until = self.max_evals if until is None else min(until, self.max_evals)
        self._run_initial(until)
        if self.n_evals >= until or self.reached:
            return
        self.begin()
        if not self.finished:
            if self.problem.kernel is not None:
                self._run_compiled(until)
            else:
                self._run_python(until)
        if self.finished:
            self.close_curve()

    def _run_initial(self, until: int) -> None:
        """Evaluate starting points, and the initial population while it sets the weights."""
        while self.n_evals < until and not self.reached and self._is_initial():
            numbers = list(self._pending)[:1] or self.ask(1)  # one may have failed before
            out = np.empty(1 + self.problem.n_constraints)
            self.problem.evaluate_into(self.pending[numbers[0]].x, out, self.work)
            self.tell(numbers, [out])

    def _is_initial(self) -> bool:
        return self._weighs or self._asked < len(self.x0)

    def _run_compiled(self, until: int) -> None:
        compiled = self.problem.kernel
        assert compiled is not None
        step_type = types.FunctionType(types.boolean(*self._signature))
        loop = _entry(
            drive,
            (step_type, _EVALUATE, *self._signature[:2], _VECTOR, _VECTOR, types.int64),
        )
        _entry(compiled.evaluate, (_VECTOR,) * 4)
        with uninterrupted():  # Numba loses a Ctrl-C while it takes functions as arguments
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

    def ask(self, n: int) -> list[int]:
        """Make up to `n` candidates and return their numbers.

        There are fewer at the end of the trial, and none while the whole initial population (in an
        algorithm of whole generations: the whole generation) is out and not all of it is back.
        """
        numbers, self._ready = self._ready[:n], self._ready[n:]
        while len(numbers) < n and self.n_evals + len(self._pending) < self.max_evals:
            cand = self._spare.pop() if self._spare else new_candidate(self.problem)
            if not self.step(self.state, cand, ASK):
                self._spare.append(cand)
                break
            if self._asked < len(self.x0) and cand.info[0]["kind"] == INITIAL:
                cand.x[:] = self.x0[self._asked]
            self._pending[self._asked] = cand
            numbers.append(self._asked)
            self._asked += 1
        return numbers

    def points(self, numbers: Sequence[int]) -> FloatArray:
        """Return the points of candidates that are out, one per row."""
        return np.array([self._pending[number].x for number in numbers])

    def tell(self, numbers: Sequence[int], out: Sequence[FloatArray] | FloatArray) -> None:
        """Take f, g, h of candidates that are out, one row each."""
        for number, values in zip(numbers, out, strict=True):
            cand = self._pending.pop(number)
            cand.out[:] = values
            if self._weighs:
                self._hold(cand)
            else:
                self.step(self.state, cand, TELL)
                self._spare.append(cand)

    def _hold(self, cand: Candidate) -> None:
        """Let a result wait; release all when they are complete, or the target is reached."""
        self._held.append(cand)
        violation = self.problem.violation(*self.problem.split(cand.out))
        feasible = violation <= self.problem.feasible_tol
        if len(self._held) == self.now["n0"] or (feasible and cand.out[0] <= self.now["target"]):
            self._weighs = False
            self._release(self.state, self._held)
            self._held = []

    def _release(self, state: State, held: Sequence[Candidate]) -> None:
        """Set the weights and tell `state` the results that waited for them."""
        state.weight[:] = constraint_weights(self.problem, [cand.out for cand in held])
        for cand in held:
            self.step(state, cand, TELL)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what `restore` needs to continue."""
        out = [*self._pending.values(), *self._held]
        arrays: dict[str, NDArray[Any]] = {
            "x0": self.x0,
            "weighs": np.array(self._weighs),
            "asked": np.array(self._asked),
            "ready": np.array(self._ready, dtype=np.int64),
            "pending": np.array(list(self._pending), dtype=np.int64),
            "out_x": np.array([cand.x for cand in out]).reshape(-1, self.problem.dim),
            "out_out": np.array([cand.out for cand in out]).reshape(-1, self.cand.out.size),
            "out_info": np.array([cand.info[0] for cand in out], dtype=self.cand.info.dtype),
        }
        arrays |= {f"state_{name}": array for name, array in self.state._asdict().items()}
        return arrays | {f"cand_{name}": array for name, array in self.cand._asdict().items()}

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go to where `arrays` were taken."""
        for prefix, arrays in (("state", self.state), ("cand", self.cand)):
            for name, array in arrays._asdict().items():
                stored = saved[f"{prefix}_{name}"]
                if stored.dtype != array.dtype or stored.shape != array.shape:
                    raise ValueError(
                        f"it was written by another version of de2ls, its {prefix}_{name} does "
                        "not fit"
                    )
                array[...] = stored
        self.x0, self._weighs = saved["x0"], bool(saved["weighs"])
        self._asked = int(saved["asked"])
        self._ready = saved["ready"].tolist()
        out = []
        parts = (saved[f"out_{part}"] for part in Candidate._fields)
        for x, values, info in zip(*parts, strict=True):
            cand = new_candidate(self.problem)
            cand.x[:], cand.out[:], cand.info[0] = x, values, info
            out.append(cand)
        numbers = saved["pending"].tolist()
        self._pending = dict(zip(numbers, out, strict=False))
        self._held = out[len(numbers) :]


def _copy(arrays: Any) -> Any:
    """Return a state or a candidate with copies of all arrays."""
    return type(arrays)(*(array.copy() for array in arrays))

"""`Optimizer`: ask for points, evaluate them wherever you like, tell the results."""

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast, overload

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.algorithms.config import Config
from de2ls.engine.state import Candidate as EngineCandidate
from de2ls.engine.state import new_candidate
from de2ls.optimize.minimizer import integer_seed
from de2ls.optimize.result import MinimizeResult, Stop, make_result
from de2ls.problems.constraints import real_vector
from de2ls.problems.problem import Problem
from de2ls.problems.variables import choices
from de2ls.problems.wrap import problem as make_problem
from de2ls.trials.compiled import CompiledDriver as Driver
from de2ls.trials.driver import EVALS_PER_DIM, load_driver

_NONE = ()  # no constraints


@dataclass(frozen=True, eq=False)
class Candidate:
    """A point to be evaluated."""

    id: int  # its number, in the order of the asks
    x: FloatArray  # inside the box; integers and choices have their values


class Optimizer:
    """An ask/tell optimizer.

    Each candidate is drawn from the state at its ask, a tell acts at once, and a generation ends
    after N tells. With one candidate out at a time this is the algorithm itself, with the bits of
    `de2ls.run_trial`; with several it is the variant with deferred updating. Unlike in
    `de2ls.minimize` the initial population is the algorithm's own, and constraints have no weights.

    Parameters
    ----------
    bounds : sequence of pairs and de2ls.choices, or scipy.optimize.Bounds
        Finite limits of each coordinate, or the values it may take. ``low = high`` fixes it.
    n_ineq, n_eq : int
        Numbers of inequalities g <= 0 and equalities h = 0.
    algorithm : str
        Registered name, see `de2ls.algorithm_names`.
    config : mapping, optional
        Parameters of the algorithm that differ from its defaults.
    max_evals : int, optional
        The budget; 20000 per coordinate by default. The search adapts to it.
    x0 : array_like, optional
        A first guess; it becomes the first candidate.
    seed : optional
        What `numpy.random.default_rng` accepts. Same integer, same candidates.
    integrality : array_like of bool, optional
        Which coordinates are integers.
    constraint_tol : float, optional
        Tolerance of equalities, 1e-4 by default.

    Examples
    --------
    >>> import de2ls
    >>> opt = de2ls.Optimizer([(-5, 5)] * 2, n_ineq=1, max_evals=2000, seed=1)
    >>> while not opt.finished:
    ...     c = opt.ask()
    ...     opt.tell(c, c.x @ c.x, [1 - c.x[0]])
    >>> res = opt.result()
    >>> res.feasible, round(res.fun, 6)
    (True, 1.0)
    """

    def __init__(
        self,
        bounds: Any,
        n_ineq: int = 0,
        n_eq: int = 0,
        *,
        algorithm: str = "de2ls",
        config: Mapping[str, Any] | Config | None = None,
        max_evals: int | None = None,
        x0: Any = None,
        seed: Any = None,
        integrality: Any = None,
        constraint_tol: float | None = None,
    ) -> None:
        problem = make_problem(
            _not_here,
            bounds,
            n_ineq=n_ineq,
            n_eq=n_eq,
            integrality=integrality,
            constraint_tol=constraint_tol,
            name="ask and tell",
        )
        budget = EVALS_PER_DIM * problem.dim if max_evals is None else max_evals
        budget = _checks.integer("max_evals", budget, 8)
        self._guess = None if x0 is None else problem.encode(x0, "x0")
        self._start(Driver(algorithm, problem, integer_seed(seed), budget, config))

    def _start(self, driver: Driver) -> None:
        self._driver = driver
        self._ask_tell = driver

    @property
    def n_evals(self) -> int:
        """Results told so far."""
        return self._driver.n_evals

    @property
    def max_evals(self) -> int:
        """The budget."""
        return self._driver.max_evals

    @property
    def n_pending(self) -> int:
        """Candidates that are out."""
        return len(self._ask_tell.pending)

    @property
    def population_size(self) -> int:
        """Present size of the population."""
        return int(self._driver.now["n_pop"])

    @property
    def finished(self) -> bool:
        """Whether the budget is used up."""
        return self._driver.finished

    @overload
    def ask(self) -> Candidate: ...

    @overload
    def ask(self, n: int) -> list[Candidate]: ...

    def ask(self, n: int | None = None) -> Candidate | list[Candidate]:
        """Return the next candidate, or a list of up to `n`.

        There are fewer than `n` at the end of the budget, and when the rest of the initial
        population is already out.

        Raises
        ------
        RuntimeError
            If there is none to give.
        """
        count = 1 if n is None else _checks.integer("n", n, 1)
        numbers = self._ask_tell.ask(count)
        if not numbers:
            raise RuntimeError(self._why_none())
        if numbers[0] == 0 and self._guess is not None:
            self._ask_tell.pending[0].x[:] = self._guess
        found = [self._public(number) for number in numbers]
        return found[0] if n is None else found

    def _public(self, number: int) -> Candidate:
        point = self._driver.problem.decode(self._ask_tell.pending[number].x.copy())
        point.setflags(write=False)
        return Candidate(number, point)

    def _why_none(self) -> str:
        if self._ask_tell.asked >= self.max_evals or self.finished:
            return f"no candidate is left: the budget max_evals={self.max_evals} is handed out"
        return (
            f"no candidate is available: {self.n_pending} of the population are out; tell their "
            "results first"
        )

    def pending(self) -> list[Candidate]:
        """Return the candidates that are out, say after `load`."""
        return [self._public(number) for number in sorted(self._ask_tell.pending)]

    def tell(self, candidate: Candidate | int, f: Any, g: Any = _NONE, h: Any = _NONE) -> None:
        """Take a candidate's result; candidates may be told in any order.

        Parameters
        ----------
        candidate : Candidate or int
            What `ask` gave, or its id.
        f : float
            The objective; NaN counts as worst.
        g, h : array_like
            The inequalities (satisfied iff g <= 0) and equalities.
        """
        if isinstance(candidate, Candidate):
            number = candidate.id
        else:
            number = _checks.integer("candidate", candidate, 0)
        if number not in self._ask_tell.pending:
            what = "was told before" if number < self._ask_tell.asked else "was never asked for"
            raise ValueError(f"candidate must be one that is out; {number} {what}")
        problem = self._driver.problem
        out = np.empty(1 + problem.n_constraints)
        out[0] = f if isinstance(f, float) else real_vector("f must be", f, 1)[0]
        cut = 1 + problem.n_ineq
        if problem.n_ineq or g is not _NONE:
            out[1:cut] = real_vector("g must be", g, problem.n_ineq)
        if problem.n_eq or h is not _NONE:
            out[cut:] = real_vector("h must be", h, problem.n_eq)
        self._ask_tell.tell([number], out[np.newaxis])

    def result(self) -> MinimizeResult:
        """Return the result so far, as `de2ls.minimize` does."""
        if self.n_evals == 0:
            raise RuntimeError("there is no result yet: tell at least one candidate first")
        return make_result(self._driver, Stop.BUDGET if self.finished else Stop.RUNNING)

    def save(self, path: str | Path) -> None:
        """Write everything, candidates that are out included, to a file without pickles."""
        problem, pending = self._driver.problem, self._ask_tell.pending
        variables = problem.variables
        about = {
            "n_ineq": problem.n_ineq,
            "n_eq": problem.n_eq,
            "eq_tol": problem.eq_tol,
            "bounds": np.transpose([variables.low, variables.high]).tolist(),
            "choices": {int(j): list(values) for j, values in variables.choices.items()},
            "integers": variables.integer.tolist(),
            "asked": self._ask_tell.asked,
        }
        self._driver.save(
            path,
            optimizer=np.array(json.dumps(about)),
            guess=np.empty(0) if self._guess is None else self._guess,
            pending_ids=np.array(list(pending), dtype=np.int64),
            pending_x=np.array([c.x for c in pending.values()]).reshape(-1, problem.dim),
            pending_info=_stacked(list(pending.values()), problem),
        )

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a saved optimizer; it goes on as if it had never stopped."""
        extra: dict[str, Any] = {}
        if zipfile.is_zipfile(path) or not Path(path).exists():
            with np.load(path, allow_pickle=False) as saved:
                extra = {name: saved[name] for name in saved.files if name in _EXTRA}
        if len(extra) < len(_EXTRA):
            raise ValueError(f"path {str(path)!r} does not hold a saved Optimizer")
        about = json.loads(str(extra["optimizer"]))
        problem = make_problem(
            _not_here,
            [
                choices(about["choices"][str(j)]) if str(j) in about["choices"] else pair
                for j, pair in enumerate(about["bounds"])
            ],
            n_ineq=about["n_ineq"],
            n_eq=about["n_eq"],
            integrality=about["integers"],
            constraint_tol=about["eq_tol"],
            name="ask and tell",
        )
        optimizer = cls.__new__(cls)
        optimizer._guess = extra["guess"] if extra["guess"].size else None
        optimizer._start(cast(Driver, load_driver(path, problem)))
        optimizer._ask_tell._asked = about["asked"]
        for number, x, info in zip(
            extra["pending_ids"], extra["pending_x"], extra["pending_info"], strict=True
        ):
            cand = new_candidate(problem)
            cand.x[:], cand.info[0] = x, info
            optimizer._ask_tell.pending[int(number)] = cand
        return optimizer


_EXTRA = ("optimizer", "guess", "pending_ids", "pending_x", "pending_info")


def _stacked(candidates: list[EngineCandidate], problem: Problem) -> Any:
    kind = new_candidate(problem).info.dtype
    return np.array([c.info[0] for c in candidates], dtype=kind)


def _not_here(x: FloatArray) -> float:
    raise RuntimeError(f"the Optimizer does not evaluate: tell it the result of {x.tolist()}")

"""`Optimizer`: ask for points, evaluate them wherever you like, tell the results."""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import Config
from de2ls.optimize.result import MinimizeResult, Stop, end_of, make_result
from de2ls.optimize.start import DEFAULT, budget_of, one_seed, start
from de2ls.problems.constraints import real_vector
from de2ls.problems.variables import choices
from de2ls.problems.wrap import problem as make_problem
from de2ls.trials.saved import Source, load_driver, saved_notes

_NONE = ()  # no constraints


@dataclass(frozen=True, eq=False)
class Candidate:
    """A point to be evaluated."""

    id: int  # its number, in the order of the asks
    x: FloatArray  # inside the box; integers and choices have their values


class Optimizer:
    """An ask/tell optimizer.

    It is the search of `de2ls.minimize`: with one candidate out at a time, the same seed gives the
    same points. With several out it is the variant with deferred updating: a candidate is drawn
    from the state at its ask, and a tell acts at once.

    There is no further candidate while the whole initial population is out and not all of it is
    told. An algorithm of batches hands out the points of one batch and needs all their results
    before it gives more; so does one of whole generations. `ask` then raises an error that says so,
    and ``ask(n)`` gives fewer than `n`.

    Parameters
    ----------
    bounds : sequence of pairs and de2ls.choices, or scipy.optimize.Bounds
        Finite limits of each coordinate, or the values it may take. ``low = high`` fixes it.
    n_ineq, n_eq : int
        Numbers of inequalities g <= 0 and equalities h = 0.
    algorithm : str or Algorithm
        Registered name, see `de2ls.algorithm_names`; or one of your own: an `Algorithm`, its file
        or its place in a module.
    config : mapping, optional
        Parameters of the algorithm that differ from its defaults.
    max_evals : int, optional
        The budget; by default and otherwise as for `de2ls.minimize`.
    x0 : array_like, optional
        A first guess, or several, one per row; they become the first candidates.
    seed, rng : optional
        What `numpy.random.default_rng` accepts. Same integer, same candidates.
    integrality : array_like of bool, optional
        Which coordinates are integers.
    constraint_tol : float, tuple or list, optional
        By how much constraints may exceed their limits: one number, a tuple (inequalities,
        equalities), or a list of one value per g and h; 1e-8 and 1e-6 by default.

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
        algorithm: str | Algorithm = DEFAULT,
        config: Mapping[str, Any] | Config | None = None,
        max_evals: float | None = None,
        x0: Any = None,
        seed: Any = None,
        rng: Any = None,
        integrality: Any = None,
        constraint_tol: Any = None,
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
        budget = budget_of(algorithm, max_evals, problem.dim)
        guess = None if x0 is None else problem.encode(x0, "x0")
        limited, number = max_evals is not None, one_seed(seed, rng)
        self._driver = start(algorithm, problem, number, budget, config, guess, limited=limited)

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
        return len(self._driver.pending)

    @property
    def population_size(self) -> int:
        """Present size of the population."""
        return self._driver.population_size

    @property
    def finished(self) -> bool:
        """Whether the search is over: its budget is used up, or it is done."""
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
        numbers = self._driver.ask(count)
        if not numbers:
            raise RuntimeError(self._why_none())
        found = [self._public(number) for number in numbers]
        return found[0] if n is None else found

    def _public(self, number: int) -> Candidate:
        point = self._driver.problem.decode(self._driver.points([number])[0])
        point.setflags(write=False)
        return Candidate(number, point)

    def _why_none(self) -> str:
        if self._is_over():
            return f"no candidate is left: {self._why_over()}"
        return (
            f"no candidate is available: {self.n_pending} of the population are out; tell their "
            "results first"
        )

    def _is_over(self) -> bool:
        return self.n_evals + self.n_pending >= self.max_evals or self.finished

    def _why_over(self) -> str:
        if self.finished and self.n_evals < self.max_evals:
            return f"the search is over ({self.result().message.removesuffix('.')})"
        return f"the budget max_evals={self.max_evals} is handed out"

    def pending(self) -> list[Candidate]:
        """Return the candidates that are out, say after `load`."""
        return [self._public(number) for number in sorted(self._driver.pending)]

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
        if number not in self._driver.pending:
            what = "was told before" if number < self._driver.asked else "was never asked for"
            raise ValueError(f"candidate must be one that is out; {number} {what}")
        self._driver.tell([number], self._values(f, g, h)[np.newaxis])

    def _values(self, f: Any, g: Any, h: Any) -> FloatArray:
        """Return results as one vector f, g, h."""
        problem = self._driver.problem
        out = np.empty(1 + problem.n_constraints)
        out[0] = f if isinstance(f, float) else real_vector("f must be", f, 1)[0]
        cut = 1 + problem.n_ineq
        if problem.n_ineq or g is not _NONE:
            out[1:cut] = real_vector("g must be", g, problem.n_ineq)
        if problem.n_eq or h is not _NONE:
            out[cut:] = real_vector("h must be", h, problem.n_eq)
        return out

    def abandon(self, candidate: Candidate | int) -> None:
        """Give up a candidate whose result is lost, so that nothing waits for it.

        It counts as an evaluation that gave NaN. To try again instead, evaluate its `x` anew:
        `pending` has it.
        """
        problem = self._driver.problem
        nothing = np.full(problem.n_ineq, np.nan), np.full(problem.n_eq, np.nan)
        self.tell(candidate, np.nan, *nothing)

    def inject(self, x: Any, f: Any, g: Any = _NONE, h: Any = _NONE) -> None:
        """Take a point that was evaluated elsewhere.

        It counts as an evaluation and competes for the result at once. The search uses it too:
        CHORUS takes it into its archive, and starts a local search from one that is the best so
        far; in the compiled algorithms it takes the place of the next candidate, in the initial
        population or against that candidate's target. An algorithm of your own finds it in
        ``space.injected``.

        Parameters
        ----------
        x : array_like
            A point within the bounds.
        f, g, h
            Its results, as for `tell`.
        """
        if self._is_over():
            raise RuntimeError(f"no point can be injected: {self._why_over()}")
        point = self._driver.problem.encode(x, "x")
        if point.ndim != 1:
            raise ValueError(f"x must be one point, got {len(point)}")
        self._driver.inject(point, self._values(f, g, h))

    def result(self) -> MinimizeResult:
        """Return the result so far, as `de2ls.minimize` does."""
        if self.n_evals == 0:
            raise RuntimeError("there is no result yet: tell at least one candidate first")
        return make_result(self._driver, end_of(self._driver) if self.finished else Stop.RUNNING)

    def _about(self) -> dict[str, NDArray[Any]]:
        """Return what `save` adds to the trial."""
        problem, variables = self._driver.problem, self._driver.problem.variables
        about = {
            "n_ineq": problem.n_ineq,
            "n_eq": problem.n_eq,
            "constraint_tol": problem.tolerances.tolist(),
            "bounds": np.transpose([variables.low, variables.high]).tolist(),
            "choices": {int(j): list(values) for j, values in variables.choices.items()},
            "integers": variables.integer.tolist(),
        }
        return {"optimizer": np.array(json.dumps(about))}

    def save(self, path: str | Path) -> None:
        """Write everything, candidates that are out included, to a file without pickles."""
        self._driver.save(path, **self._about())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what `save` writes; an algorithm that is in no file must be picklable itself."""
        file = io.BytesIO()
        self._driver.write(file, **self._about())
        algorithm = self._driver.algorithm
        is_found = algorithm.source or not algorithm.digest
        return _unpickled, (type(self), file.getvalue(), None if is_found else algorithm)

    @classmethod
    def load(cls, path: str | Path, algorithm: str | Algorithm | None = None) -> Self:
        """Read a saved optimizer; it continues as if it had never stopped.

        An `algorithm` of your own that is in no file must be given again.
        """
        return cls._read(lambda: path, algorithm)

    @classmethod
    def _read(cls, source: Callable[[], Source], algorithm: str | Algorithm | None) -> Self:
        _, about = saved_notes(source(), "optimizer")
        if about is None:
            raise ValueError(f"path {str(source())!r} does not hold a saved Optimizer")
        problem = make_problem(
            _not_here,
            [
                choices(about["choices"][str(j)]) if str(j) in about["choices"] else pair
                for j, pair in enumerate(about["bounds"])
            ],
            n_ineq=about["n_ineq"],
            n_eq=about["n_eq"],
            integrality=about["integers"],
            constraint_tol=about["constraint_tol"],
            name="ask and tell",
        )
        optimizer = cls.__new__(cls)
        optimizer._driver = load_driver(source(), problem, algorithm)
        return optimizer


def _unpickled(kind: type[Optimizer], content: bytes, algorithm: Algorithm | None) -> Optimizer:
    return kind._read(lambda: io.BytesIO(content), algorithm)


def _not_here(x: FloatArray) -> float:
    raise RuntimeError(f"the Optimizer does not evaluate: tell it the result of {x.tolist()}")

"""How `minimize` and `Optimizer` start a search: the same way, so that it is the same search."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.algorithms import get_algorithm
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import Config
from de2ls.engine.budget import checked_budget
from de2ls.problems.problem import Problem
from de2ls.trials.driver import Driver, new_driver

DEFAULT = "chorus"
EVALS_PER_DIM = 2000  # default budget of an algorithm that ends by itself
CONVINCED = 10  # independent searches that must agree before a budget given by the user is left
COMPILED_FROM = 1_000_000  # evaluations from which the compiled loop pays for its compilation

# the initial population is the algorithm's own (10 D), or one of these if it is larger:
EVALS_PER_MEMBER, MANY = 500, 1000  # one member per 500 evaluations, up to 1000
FEWEST_EVALS_PER_MEMBER, SOME = 40, 100  # one member per 40 evaluations, up to 100


def start(
    algorithm: str | Algorithm,
    problem: Problem,
    seed: Any,
    budget: int,
    config: Mapping[str, Any] | Config | None,
    x0: FloatArray | None,
    *,
    limited: bool,
    workers: int = 1,
    jit: bool = False,
) -> Driver:
    """Return a search before its first evaluation, its constraints weighted.

    Parameters
    ----------
    algorithm, problem, seed, budget, config, x0, workers
        As for `new_driver`.
    limited : bool
        Whether the user has given the budget: then it is left only where more can hardly help.
    jit : bool
        Whether compiled functions of the user may be compiled into a long search.
    """
    chosen = get_algorithm(algorithm)
    guesses = 0 if x0 is None else len(np.atleast_2d(x0))
    if guesses > budget:
        raise ValueError(
            f"x0 must have at most as many rows as there are evaluations, got {guesses} rows and "
            f"max_evals={budget}"
        )
    fields = population_config(chosen, config, problem.dim, budget, guesses)
    if ends_by_itself(chosen) and (fields is None or isinstance(fields, Mapping)):
        patient = {"agree": CONVINCED, "stall": 0.0} if limited else {}
        fields = {"stop_when_done": True, **patient, **(fields or {})}
    number = integer_seed(seed)
    if jit and chosen.step is not None and budget >= COMPILED_FROM:
        problem = problem.compiled()
    return new_driver(chosen, problem, number, budget, fields, x0=x0, weigh=True, workers=workers)


def ends_by_itself(algorithm: Algorithm) -> bool:
    """Whether the algorithm knows when it is done."""
    return "stop_when_done" in algorithm.config_class().as_dict()


def budget_of(algorithm: str | Algorithm, max_evals: Any, dim: int) -> int:
    """Return the budget: what is asked for, or the algorithm's default."""
    if max_evals is None and ends_by_itself(get_algorithm(algorithm)):
        return EVALS_PER_DIM * dim
    return checked_budget(max_evals, dim)


def one_seed(seed: Any, rng: Any) -> Any:
    """Return `seed`, or `rng`, which is SciPy's name for it."""
    if seed is not None and rng is not None:
        raise ValueError(f"rng must be left out where seed is given, got {rng!r} and {seed!r}")
    return seed if rng is None else integer_seed(rng, "rng")


def integer_seed(seed: Any, name: str = "seed") -> int:
    """Return an integer seed from what `numpy.random.default_rng` accepts.

    A non-negative integer stands for itself; a generator is advanced by one draw. Messages call it
    `name`.
    """
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool):
        return _checks.integer(name, seed, 0)
    try:
        generator = np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{name} must be None, a non-negative integer or what numpy.random.default_rng "
            f"accepts, got {seed!r}"
        ) from None
    return int(generator.integers(2**63))


def population_config(
    algorithm: Algorithm,
    config: Mapping[str, Any] | Config | None,
    dim: int,
    budget: int,
    guesses: int = 0,
) -> Mapping[str, Any] | Config | None:
    """Return `config` with a larger initial population: in few dimensions, or for all guesses.

    It acts only on algorithms whose default is proportional to D, and not where `config` says
    otherwise.
    """
    defaults = algorithm.config_class().as_dict()
    given = {} if config is None else config
    if not isinstance(given, Mapping) or {"n0", "n0_per_dim"} & set(given):
        return config
    if not {"n0", "n0_per_dim"} <= set(defaults):
        return config
    usual = int(defaults["n0_per_dim"] * dim)
    long_run = min(budget // EVALS_PER_MEMBER, MANY)
    short_run = min(budget // FEWEST_EVALS_PER_MEMBER, SOME)
    n0 = min(max(usual, long_run, short_run), budget // 2)
    return {**given, "n0": max(defaults["n_min"], n0, guesses)}

"""`minimize`: constrained black-box minimisation in one call."""

import dataclasses
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from de2ls import _checks
from de2ls.algorithms import get_algorithm
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import Config
from de2ls.optimize.checkpoint import Checkpoint
from de2ls.optimize.evaluators import Memory, choose, is_one
from de2ls.optimize.knowledge import slopes_budget, wants_slopes
from de2ls.optimize.polish import polish as polish_incumbent
from de2ls.optimize.polish import polish_budget
from de2ls.optimize.progress import Bar, say
from de2ls.optimize.result import MinimizeResult, Stop, make_result
from de2ls.optimize.search import Interrupted, Penalised, Rules, Search
from de2ls.optimize.start import DEFAULT, budget_of, ends_by_itself, one_seed, start
from de2ls.problems import compiled
from de2ls.problems.problem import Problem
from de2ls.problems.wrap import problem as make_problem
from de2ls.trials.driver import Driver

JIT_TIME = 60.0  # seconds of `max_time` from which compiled functions are compiled into the loop


def minimize(
    fun: Callable[..., Any] | Problem,
    bounds: Any = None,
    args: tuple[Any, ...] = (),
    constraints: Any = (),
    *,
    n_ineq: int | None = None,
    n_eq: int | None = None,
    algorithm: str | Algorithm = DEFAULT,
    config: Mapping[str, Any] | Config | None = None,
    max_evals: float | None = None,
    x0: Any = None,
    seed: Any = None,
    rng: Any = None,
    integrality: Any = None,
    vectorized: bool = False,
    workers: Any = 1,
    batch: int | None = None,
    callback: Callable[..., Any] | None = None,
    target: float | None = None,
    max_time: float | None = None,
    stall: float | None = None,
    tol: float | None = None,
    constraint_tol: Any = None,
    polish: bool = False,
    disp: bool = False,
    progress: bool = False,
    checkpoint: str | Path | None = None,
    on_error: str = "raise",
    on_interrupt: str = "raise",
) -> MinimizeResult:
    """Minimise a function of several variables within bounds and constraints.

    No derivatives are needed; the objective and the constraints may be plain Python, vectorised or
    compiled with ``numba.njit``. Every evaluated point lies in the box.

    Parameters
    ----------
    fun : callable or Problem
        ``fun(x, *args)`` returns the objective, or ``(f, g, h)`` if `n_ineq` or `n_eq` is given. A
        `Problem` brings its own bounds and constraints.
    bounds : sequence of pairs and de2ls.choices, or scipy.optimize.Bounds
        Finite limits of each coordinate, or the values it may take. ``low = high`` fixes it.
    args : tuple
        Further arguments of `fun`.
    constraints : constraint or sequence of constraints
        `scipy.optimize.NonlinearConstraint`, `LinearConstraint`, `Bounds`, or dicts as in
        `scipy.optimize.minimize`. ``keep_feasible=True`` is refused for all but `Bounds`.
    n_ineq, n_eq : int, optional
        Numbers of inequalities g <= 0 and equalities h = 0 that `fun` itself returns.
    algorithm : str or Algorithm
        Registered name, see `de2ls.algorithm_names`; or one of your own: an `Algorithm`, its file
        or its place in a module.
    config : mapping, optional
        Parameters of the algorithm that differ from its defaults.
    max_evals : int, optional
        The budget, never exceeded; a whole number such as 1e4 will do. 2000 per coordinate by
        default, 20000 for an algorithm that does not know when it is done. See the notes.
    x0 : array_like, optional
        A first guess, or several, one per row; they are evaluated first. With one coordinate one
        number will do. Discrete coordinates are moved to the nearest integer or choice.
    seed, rng : optional
        What `numpy.random.default_rng` accepts; `rng` is SciPy's name. Same integer, same run.
    integrality : array_like of bool, optional
        Which coordinates are integers.
    vectorized : bool
        Whether `fun` takes many points, as the columns of its argument (as in SciPy).
    workers : int, callable or Dask client
        Worker processes (-1: one per core), a map-like callable, or a Dask client.
    batch : int, optional
        Points evaluated together, at most one generation; by default the number of workers, and
        one generation for vectorised functions and map-like callables. More than one is the
        variant of the algorithm with deferred updating.
    callback : callable, optional
        Called after every generation as ``callback(intermediate_result)``, or as
        ``callback(x, convergence)`` if it has no argument of that name; ends the run by returning
        True or raising `StopIteration`.
    target : float, optional
        Ends the run when a feasible point has an objective of at most this.
    max_time : float, optional
        Ends the run after this many seconds; an evaluation under way is not cut short.
    stall : int, optional
        Ends the run after this many evaluations without a better point; 1e3 will do.
    tol : float, optional
        Ends the run when all members of the population are feasible and the standard deviation of
        their objective is at most ``tol`` times its mean's size, as in SciPy. CHORUS has no
        population: it ends by itself.
    constraint_tol : float, tuple or list, optional
        By how much constraints may exceed their limits: one number, a tuple (inequalities,
        equalities), or a list of one value per constraint (of `fun` itself one per g, then per h);
        1e-8 for inequalities and 1e-6 for equalities by default. Rounding rarely lets an equality
        hold exactly: a tolerance of 0 may leave no feasible point, or a poor one.
    polish : bool
        Whether to improve the best point by SciPy's SLSQP near the end. A tenth of the budget is
        kept for it, in short runs up to a quarter, at most ``200 (D + 1)`` evaluations; what it
        does not need goes back to the search. CHORUS polishes by itself: refused there.
    disp : bool
        Whether to show a line at each 5 % of the budget. The lines go to the logger ``"de2ls"`` at
        level INFO; where no logging shows them, `disp` writes them to stdout.
    progress : bool
        Whether to show a bar with the incumbent, its violation and the time left, in a terminal
        (on stderr) or a notebook.
    checkpoint : path, optional
        A file that keeps the run: written every few seconds and at the end. Where it exists the run
        goes on from it and ends with the same bits as one that was never stopped; a run that is
        over gives its result again. One that was ended by `target`, `stall`, `tol`, `callback` or
        `max_time` goes on where the new call has other ones. A file of another run is refused, but
        the functions themselves are not compared: delete the file when you change them.
    on_error : {"raise", "penalize"}
        What happens when a function raises or returns something else than real numbers: end with
        an `EvaluationError` that carries the result so far, or count the point as worst and go on.
        A NaN always counts as worst.
    on_interrupt : {"raise", "return"}
        What Ctrl-C does: raise a `KeyboardInterrupt` whose attribute `result` is the result so far,
        or end this run and return the result.

    Returns
    -------
    MinimizeResult
        A `scipy.optimize.OptimizeResult`; `success` says whether `x` is feasible and its objective
        finite, `status` and `message` why the run ended.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong; the message names it.
    EvaluationError
        If a function fails with ``on_error="raise"``, or the workers fail.
    KeyboardInterrupt
        After Ctrl-C; its attribute `result` is the result so far.

    Notes
    -----
    If the initial population violates two or more constraints, each is weighted by the inverse of
    its median violation there, so that one in large units does not drown the others. The weights
    act inside the search only; feasibility and the choice of the best point use the constraints as
    given.

    The initial population is the largest of three: the algorithm's own (10 per coordinate), one
    member per 500 evaluations of the budget up to 1000, and one per 40 up to 100;
    ``config={"n0": ...}`` sets it.

    Examples
    --------
    >>> import de2ls
    >>> res = de2ls.minimize(
    ...     lambda x: (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2,
    ...     bounds=[(0, 4), (0, 4)],
    ...     constraints={"type": "ineq", "fun": lambda x: 2 - x[0] - x[1]},
    ...     max_evals=4000,
    ...     seed=1,
    ... )
    >>> res.feasible, [round(float(v), 4) for v in res.x]
    (True, [0.25, 1.75])
    """
    problem = _problem(
        fun,
        bounds,
        args=args,
        constraints=constraints,
        n_ineq=n_ineq,
        n_eq=n_eq,
        integrality=integrality,
        vectorized=vectorized,
        constraint_tol=constraint_tol,
    )
    began = time.perf_counter()
    forgive = _checks.choice("on_error", on_error, ("raise", "penalize")) == "penalize"
    unimproved = None if stall is None else _checks.whole("stall", stall, 1)
    rules = Rules(target, max_time, unimproved, tol, callback, disp, forgive)
    for name, value in {"polish": polish, "progress": progress}.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False, got {value!r}")
    if polish and get_algorithm(algorithm).name == "chorus":
        raise ValueError(
            "polish must be False with chorus: its local searches polish by themselves"
        )
    returns = _checks.choice("on_interrupt", on_interrupt, ("raise", "return")) == "return"
    guess = None if x0 is None else problem.encode(x0, "x0")
    evaluator, size = choose(problem, workers, batch)
    budget = budget_of(algorithm, max_evals, problem.dim)
    reserve = polish_budget(problem, budget) if polish else 0
    kept = slopes_budget(problem, budget) if ends_by_itself(get_algorithm(algorithm)) else 0
    searched = _forgiving(problem) if forgive else problem

    def begin(seed: Any) -> Driver:
        return start(
            algorithm,
            searched,
            seed,
            budget,
            config,
            guess,
            limited=max_evals is not None,
            workers=size or 1,
            jit=max_time is None or max_time >= JIT_TIME,
        )

    file, noted, number = None, dict[str, Any](), one_seed(seed, rng)
    if checkpoint is None:
        driver = begin(number)
    else:
        first = None if guess is None else guess.tolist()
        same = {"max_evals": budget, "x0": first, "batch": size, "polish": polish}
        file = Checkpoint(checkpoint, same)
        driver, noted = file.driver(number, begin)
        if driver.n_evals:
            say(f"{checkpoint} holds this run up to {driver.n_evals} evaluations", disp)
    remembers = driver.algorithm.step is not None and bool(problem.discrete.all())
    direct = problem.many is None and is_one(workers) and size == 1 and not remembers
    bar = Bar(driver, budget, max_time) if progress else None
    slopes, memory = None, None
    try:
        with evaluator as evaluate, bar or nullcontext():
            if remembers:
                evaluate = memory = Memory(problem, evaluate)
            search = Search(driver, rules, evaluate, size, direct, began, bar, file, noted)
            stop = _search_and_polish(search, budget - kept, reserve)
            if stop is Stop.BUDGET and not wants_slopes(driver):
                stop = search.run(budget) or stop
            if stop.natural:
                slopes = search.final_slopes(budget)
    except KeyboardInterrupt as error:
        stop = Stop.INTERRUPTED
        if not returns:
            raise Interrupted(make_result(driver, stop)) from error
    result = make_result(driver, stop, slopes)
    if memory is not None and memory.repeats:
        result.nfev -= memory.repeats
        result.message = f"{result.message[:-1]}; {memory.repeats} points were known from before."
    say(result.message, disp)
    return result


def _search_and_polish(search: Search, budget: int, reserve: int) -> Stop:
    """Search, polish with at most `reserve` evaluations, and search with what is left of them."""
    stop = search.run(budget if search.polished else budget - reserve)
    if stop is not Stop.TIME and not search.polished:
        by = polish_incumbent(search.driver, reserve, search.time_is_up) if reserve else None
        if by is Stop.TIME:  # a kept run polishes anew when it goes on
            return by
        search.over, search.polished = by or stop, True
        stop = search.run(budget)
    return stop or Stop.BUDGET


def _problem(fun: Any, bounds: Any, **arguments: Any) -> Problem:
    if not isinstance(fun, Problem):
        if bounds is None:
            raise TypeError("bounds must be a sequence of (low, high) pairs, got None")
        return make_problem(fun, bounds, **arguments, jit=False)
    for name, value in {"bounds": bounds, **arguments}.items():
        left_out = value is None or value is False or (isinstance(value, tuple) and not value)
        if not left_out:
            raise ValueError(f"{name} must be left out when fun is a Problem, got {value!r}")
    return fun


def _forgiving(problem: Problem) -> Problem:
    """Return `problem` with NaN where its functions fail."""
    return dataclasses.replace(
        problem,
        function=None if problem.function is None else Penalised(problem.function),
        kernel=None if problem.kernel is None else compiled.guarded(problem.kernel),
    )

"""`run_trial`: one algorithm, one problem, one seed."""

import platform
import time
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from de2ls import _checks
from de2ls._version import __version__
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import Config
from de2ls.problems.problem import Problem
from de2ls.suites.registry import record_rule
from de2ls.trials.driver import Driver, new_driver
from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialRecord
from de2ls.trials.saved import load_driver


class PausedTrial:
    """A trial that can be stopped at any evaluation, saved, loaded and continued.

    However often it is paused, its record has the bits of an uninterrupted trial (except for the
    wall time). The parameters are those of `run_trial`; with ``saveable=False`` the answers that a
    generator got are not kept.
    """

    def __init__(
        self,
        algorithm: str | Algorithm,
        problem: Problem,
        seed: int,
        max_evals: int | None = None,
        config: Mapping[str, Any] | Config | None = None,
        *,
        saveable: bool = True,
    ) -> None:
        self.driver = new_driver(algorithm, problem, seed, max_evals, config, saveable=saveable)

    def run(self, evals: int | None = None) -> Self:
        """Make `evals` more evaluations, or all that are left."""
        begin = time.perf_counter()
        more = self.driver.max_evals if evals is None else _checks.integer("evals", evals, 0)
        self.driver.run(self.driver.n_evals + more)
        self.driver.wall_time += time.perf_counter() - begin
        return self

    @property
    def finished(self) -> bool:
        """Whether the budget is used up, or no further generation fits into it."""
        return self.driver.finished

    def save(self, path: str | Path) -> None:
        """Write the trial to a file (arrays and JSON, no pickle)."""
        self.driver.save(path)

    @classmethod
    def load(
        cls, path: str | Path, problem: Problem, algorithm: str | Algorithm | None = None
    ) -> Self:
        """Read a saved trial of the same problem.

        The file says where its algorithm is found; one that is in no file must be given again.
        """
        trial = cls.__new__(cls)
        trial.driver = load_driver(path, problem, algorithm)
        return trial

    def record(self, label: str = "", run: int = 1, trace: bool = False) -> TrialRecord:
        """Return the record of the finished trial."""
        if not self.finished:
            raise RuntimeError(
                f"the trial has made {self.driver.n_evals} of {self.driver.max_evals} evaluations; "
                "run it to its end before asking for its record"
            )
        return make_record(self.driver, label, run, trace)


def run_trial(
    algorithm: str | Algorithm,
    problem: Problem,
    seed: int,
    max_evals: int | None = None,
    config: Mapping[str, Any] | Config | None = None,
    *,
    label: str = "",
    run: int = 1,
    trace: bool = False,
) -> TrialRecord:
    """Run one trial and return its record.

    Parameters
    ----------
    algorithm : str or Algorithm
        Registered name, see `de2ls.algorithm_names`; or one of your own: an `Algorithm`, its file
        (``my_es.py``) or its place in a module (``package.module:my_es``).
    problem : Problem
        What is minimised.
    seed : int
        Same seed, same bits.
    max_evals : int, optional
        The budget T, at least 8; 20000 D by default. A default initial population of more than
        half of it is cut to T / 2; one that is asked for (`n0`) must fit into it.
    config : mapping or Config, optional
        Fields that differ from the algorithm's defaults.
    label : str
        Name of the series the trial belongs to; the algorithm's name by default.
    run : int
        Number of the run within its series.
    trace : bool
        Whether to keep population size and epsilon level at the samples.

    Returns
    -------
    TrialRecord
        The record by the competition's rules.

    Examples
    --------
    >>> import de2ls
    >>> record = de2ls.run_trial("de2ls", de2ls.cec2017(1, dim=5, instance=1), seed=1)
    >>> record.feasible, record.n_evals, record.curve.shape
    (True, 100000, (2001, 3))
    """
    trial = PausedTrial(algorithm, problem, seed, max_evals, config, saveable=False)
    return trial.run().record(label, run, trace)


def make_record(driver: Driver, label: str = "", run: int = 1, trace: bool = False) -> TrialRecord:
    """Return the record of a driver whose trial is over."""
    problem, best, curve = driver.problem, driver.incumbent, driver.curve
    g, h = problem.split(best.out)
    return TrialRecord(
        key=TrialKey(label or driver.algorithm.name, problem.key, run),
        algorithm=driver.algorithm.identity,
        config=driver.config.as_dict(),
        seed=driver.seed,
        max_evals=driver.max_evals,
        n_evals=driver.n_evals,
        curve=record_rule(problem.key).written(curve[:, :3]),
        x=problem.decode(best.x).copy(),
        f=best.f,
        g=g,
        h=h,
        violation=best.violation,
        feasible=best.feasible,
        stop=driver.stop,
        trace=curve[:, 3:].copy() if trace else None,
        counters=driver.counters,
        n_invalid=driver.n_invalid,
        version=__version__,
        environment=environment(),
        wall_time=driver.wall_time,
        n_outside=driver.n_outside,
    )


@cache
def environment() -> dict[str, str]:
    """Return what the bits of a result depend on: CPU type and versions."""
    from llvmlite import binding

    return {
        "cpu": f"{platform.machine()} {binding.get_host_cpu_name()}",
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "llvmlite": version("llvmlite"),
    }

"""CL-SRDE's trials with the best as its published program reports it, and the authors' files.

The rule is flawed: a feasible point replaces an infeasible best only if its objective is not
larger. It has no influence on the search, so it is kept here, beside the trial, and nowhere else.
"""

import zipfile
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

import de2ls
from de2ls.campaigns.plan import Plan
from de2ls.engine.state import ASK, TELL
from de2ls.trials.compiled import CompiledDriver as Driver
from tests.fidelity.rules import CAMPAIGN_SEED, RUNS, SHARED

FILES = SHARED / "published" / "cl-srde_results_D30.zip"
MILESTONES = (0.25, 0.50, 0.75, 1.00)
RECORDS = 2000  # at 300, 600, ... evaluations

_VECTOR = types.float64[::1]


@numba.njit
def violation(values: Any, n_ineq: int, tol: Any) -> float:
    """Return the summed violation of f, g, h."""
    total = 0.0
    for k in range(1, len(values)):
        term = values[k] if k <= n_ineq else abs(values[k])
        if term > tol[k - 1]:
            total += term
    return total


@numba.njit
def drive(
    step: Any,
    evaluate: Any,
    state: Any,
    cand: Any,
    params: Any,
    work: Any,
    budget: int,
    records: Any,
) -> None:
    """Drive a trial to its end; write the reported best at every record."""
    now = state.now[0]
    best_f, best_v = np.inf, np.inf
    for n in range(1, budget + 1):
        evaluate(cand.x, params, work, cand.out)
        f, v = cand.out[0], violation(cand.out, now.n_ineq, state.tol)
        if (f <= best_f) if v <= 0.0 else (v <= best_v):
            best_f, best_v = f, v
        if n * len(records) % budget == 0:
            records[n * len(records) // budget - 1, 0] = best_f
            records[n * len(records) // budget - 1, 1] = best_v
        step(state, cand, TELL | ASK)


def our_records(number: int) -> NDArray[np.float64]:
    """Return f and summed violation of the reported best, (runs, records, 2)."""
    plan = Plan.from_settings(
        {
            "algorithms": "cl-srde",
            "problems": str(number),
            "dim": 30,
            "runs": RUNS,
            "seed": CAMPAIGN_SEED,
        }
    )
    problem = de2ls.cec2017(number, 30)
    assert problem.kernel is not None
    kernel = problem.kernel
    kernel.evaluate.compile((_VECTOR,) * 4)  # type: ignore[attr-defined]
    records = np.empty((RUNS, RECORDS, 2))
    for trial in plan.trials():
        driver = Driver("cl-srde", problem, trial.seed)
        driver.begin()
        drive(
            *(driver.algorithm.step, kernel.evaluate, driver.state, driver.cand),
            *(kernel.params, driver.work, driver.max_evals, records[trial.run - 1]),
        )
        assert driver.finished
    return records


def their_records(number: int) -> NDArray[np.float64]:
    """Return the same of the authors' runs."""
    with zipfile.ZipFile(FILES) as archive:
        name = f"results_transposed/CL-SRDE_F{number}_D30.txt"
        with archive.open(name) as file:
            table = np.loadtxt(file)
    return table.reshape(RECORDS, RUNS, 2).transpose(1, 0, 2)


def at_milestones(records: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (1, runs, milestones, 2): the objective if feasible, else NaN; the violation."""
    rows = [round(share * RECORDS) - 1 for share in MILESTONES]
    f, v = records[:, rows, 0], records[:, rows, 1]
    return np.stack([np.where(v <= 0.0, f, np.nan), v], axis=-1)[np.newaxis]

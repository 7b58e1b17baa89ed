"""EA4eig (P. Bujok, P. Kolenovsky, CEC 2022): four algorithms on one population.

CoBiDE, IDEbd, CMA-ES and jSO; a roulette on their successes draws one for each generation. Three of
them may cross in the basis of the best half's eigenvectors.

| symbol | here | meaning |
|---|---|---|
| h, n_h | `now.h`, `memory.wins` | which of the four, and their successes |
| F_i, CR_i | `slot.own_f`, `slot.own_cr` | CoBiDE's parameters, which belong to a member |
| F, CR | `slot.f`, `slot.cr` | those of jSO's trials |
| g, gmax, gt | `g`, `g_max`, `g_turn` | IDE's generations so far, planned, and of its first stage |
| ps, pd | `ps`, `cfg.ide_pd ps` | IDE's share of superior members, rate of disturbed coordinates |
| m, sigma, C | `model`, `now.sigma` | distribution of the CMA-ES |

A generation of each is in `four`.
"""

from dataclasses import dataclass

import numpy as np

from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import cma, generations
from de2ls.algorithms.lineage.four import first, select, vary
from de2ls.algorithms.lineage.jso import JSOConfig
from de2ls.algorithms.lineage.sizes import rounded
from de2ls.engine.state import Candidate, State
from de2ls.jit.kernels import kernel
from de2ls.problems.problem import Problem

FIELDS = [
    *(("h", "i8"), ("g", "i8"), ("g_max", "i8"), ("g_turn", "i8"), ("fails", "i8")),
]
CELL = np.dtype([*generations.CELL, ("wins", "f8")])
SLOT = [("own_f", "f8"), ("own_cr", "f8")]


@dataclass(frozen=True, kw_only=True)
class EA4EigConfig(JSOConfig):
    """Parameters of EA4eig: those of its jSO, and of the others."""

    n0: int | None = parameter(None, "N0: initial population size; None: 100", 10)
    n_min: int = parameter(10, "Nmin: population size at the end of the budget", 6)
    cr_sigma: float = 0.1**0.5
    archive: float = 2.6
    other_until: float = 0.0
    wins: float = parameter(2.0, "n0: successes of each algorithm at the start", 0.1)
    least: float = parameter(0.05, "delta: share of successes below which all restart", 0.0, 0.25)
    p_eigen: float = parameter(0.4, "chance of the eigen crossover per generation", 0.0, 1.0)
    eigen_share: float = parameter(0.5, "share of the best whose covariance is taken", 0.1, 1.0)
    ide_stage: float = parameter(0.5, "share of IDE's generations in its first stage", 0.0, 1.0)
    ide_success: float = parameter(0.0, "success rate that counts as failure there", 0.0, 1.0)
    ide_patience: float = parameter(0.1, "failures that end it, per planned generation", 0.0, 1.0)
    ide_ps: float = parameter(0.1, "ps at the start", 0.0, 1.0)
    ide_pd: float = parameter(0.1, "pd / ps", 0.0, 1.0)
    ide_sigma: float = parameter(0.1, "deviation of IDE's F and CR", 1e-3, 1.0)
    co_f_1: float = parameter(0.65, "one centre of CoBiDE's F", 0.0, 1.0)
    co_f_2: float = parameter(1.0, "the other centre of CoBiDE's F", 0.0, 1.0)
    co_cr_1: float = parameter(0.1, "one centre of CoBiDE's CR", 0.0, 1.0)
    co_cr_2: float = parameter(0.95, "the other centre of CoBiDE's CR", 0.0, 1.0)
    co_scale: float = parameter(0.1, "scale of CoBiDE's Cauchy distributions", 0.0)
    box: str = parameter(
        "repair",
        "whether jSO's eigen crossover is repaired, or leaves the box as in the published program",
        options=("repair", "published"),
    )

    def default_size(self, dim: int) -> int:
        """Return N0 = 100 for every D."""
        del dim
        return 100


def start(problem: Problem, config: EA4EigConfig, seed: int, budget: int) -> State:
    """Return the state before the first candidate."""
    cells = np.zeros(max(config.h, 4), CELL)
    cells["f"], cells["cr"], cells["wins"] = config.mf, config.mcr, config.wins
    state = generations.start(
        problem,
        config,
        seed,
        budget,
        cells,
        fields=FIELDS,
        slot=SLOT,
        sigma=cma.HALF_WIDTH,
    )
    now = state.now[0]
    n0 = int(now["n0"])
    now["g_max"] = max(1, rounded(budget / n0))
    now["g_turn"] = int(config.ide_stage * now["g_max"])
    now["watch_box"] = config.box == "published"
    cma.set_rates(now, problem.dim, n0 // 2)
    return state


@kernel
def step(state: State, cand: Candidate, action: int) -> bool:
    """Take the candidate's result, make the next candidate, or do both."""
    return generations.generation_turn(state, cand, action, first, select, vary)


ALGORITHMS = {"ea4eig": Algorithm("ea4eig", "EA4eig", EA4EigConfig, start, step)}

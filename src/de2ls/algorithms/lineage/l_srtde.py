"""L-SRTDE (V. Stanovov and E. Semenkin, CEC 2024): the success rate drives F and the elite.

The generation of `two_populations`, from which CL-SRDE and RDEx come, with other rules for what
holds during a generation, the common level of the lineage (`generations`) under constraints, and
coordinates outside the box drawn anew.

| symbol | here | meaning |
|---|---|---|
| SR | `sr` | success rate of the last generation |
| mF | `f_mean` | mf_base + mf_amp tanh(mf_slope SR), at most 1: centre of F |
| pn | `n_base` | p_base N exp(-p_rate SR), size of the elite of P |
"""

import math
from dataclasses import dataclass

from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage.generations import set_first_level, set_level
from de2ls.algorithms.two_populations import generation, setup
from de2ls.algorithms.two_populations.generation import close_generation, merge
from de2ls.algorithms.two_populations.operators import BASE_STEP, base_step
from de2ls.algorithms.two_populations.setup import TwoPopulationConfig
from de2ls.algorithms.two_populations.trial import family_turn, note_origin, tell_trial
from de2ls.engine import random
from de2ls.engine.recorder import observe
from de2ls.engine.state import INITIAL, Candidate, State
from de2ls.jit.kernels import block, kernel, routine
from de2ls.problems.problem import Problem


@dataclass(frozen=True, kw_only=True)
class LSRTDEConfig(TwoPopulationConfig):
    """Parameters of L-SRTDE.

    Those of the EB step, of the perturbation and of RDEx's level (`eps_factor`, `eps_cutoff`) have
    no effect.
    """

    n0_per_dim: float = 20.0
    f_sigma: float = 0.02
    cr_sigma: float = 0.05
    p_base: float = 0.7
    pressure: float = 3.0
    p_rate: float = parameter(7.0, "rate at which the elite shrinks with SR", 0.0)
    mf_base: float = parameter(0.4, "mF at SR = 0", 0.0, 1.0)
    mf_amp: float = parameter(0.25, "how far mF rises above it", 0.0, 1.0)
    mf_slope: float = parameter(5.0, "how fast mF rises with SR", 0.0)
    handling: str = parameter(
        "epsilon",
        "order of infeasible members: a falling epsilon level, or the feasibility rule",
        options=("epsilon", "feasibility"),
    )
    eps_share: float = parameter(0.2, "share of the first population within the level", 0.0, 1.0)
    eps_end: float = parameter(0.8, "Tc / T: progress from which the level is 0", 0.0, 1.0)
    eps_power: float = parameter(5.0, "cp: exponent of the level's decrease", 0.0)


def start(problem: Problem, config: LSRTDEConfig, seed: int, budget: int) -> State:
    """Return the state before the first candidate."""
    return setup.start(problem, config, seed, budget, [("first_level", "f8")])


@routine
def begin_generation(state: State) -> None:
    """Fix what holds for the generation; mF and the elite follow the success rate."""
    now, cfg = state.now[0], state.cfg[0]
    if now.phase == INITIAL:
        set_first_level(state)
    set_level(state)
    generation.fix(state)
    now.f_mean = min(1.0, cfg.mf_base + cfg.mf_amp * math.tanh(cfg.mf_slope * now.sr))
    now.n_base = max(2, int(cfg.p_base * now.n_pop * math.exp(-cfg.p_rate * now.sr)))


@routine
def end_generation(state: State) -> None:
    """End a generation: there is no EB step whose rate would be adapted."""
    close_generation(state)
    merge(state)


@block
def ask_trial(state: State, cand: Candidate) -> None:
    """Make a trial, Q_c crossed with Q_c + F (P_a - Q_c) + F (Q_r1 - P_r2)."""
    rng, dim = state.rng, cand.x.shape[0]
    c = random.integer(rng, state.now[0].n_pop)
    toward, plus, minus, F, CR = base_step(state, c)
    note_origin(state, cand, c, BASE_STEP, F)
    x, parent = state.x, state.x[state.front[c].row]
    forced, crossed = random.integer(rng, dim), 0
    for j in range(dim):
        cand.x[j] = parent[j]
        if random.uniform(rng) < CR or j == forced:
            crossed += 1
            value = parent[j] + F * (x[toward, j] - parent[j]) + F * (x[plus, j] - x[minus, j])
            low, high = state.box[0, j], state.box[1, j]
            if not low <= value <= high:
                value = min(high, low + random.uniform(rng) * (high - low))
            cand.x[j] = value
    cand.info[0].CR = crossed / dim


@kernel
def step(state: State, cand: Candidate, action: int) -> bool:
    """Take the candidate's result, make the next candidate, or do both."""
    return family_turn(
        state, cand, action, observe, tell_trial, end_generation, begin_generation, ask_trial
    )


ALGORITHMS = {"l-srtde": Algorithm("l-srtde", "L-SRTDE", LSRTDEConfig, start, step)}

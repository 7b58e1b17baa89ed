"""DE/rand/1/bin with the feasibility rule: the plainest differential evolution, as a baseline.

A trial is x_a + F (x_b - x_c), crossed with its target x_i; it replaces the target unless that is
better: feasible before infeasible, then by violation, then by objective (R. Storn and K. Price,
1997; K. Deb, 2000).
"""

from dataclasses import dataclass

from de2ls import _checks
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import Config, parameter
from de2ls.engine import random
from de2ls.engine.members import ask_initial, write_member
from de2ls.engine.order import superior
from de2ls.engine.recorder import observe
from de2ls.engine.repair import toward_bound
from de2ls.engine.state import INITIAL, SEARCH, Candidate, State, new_state
from de2ls.engine.step import turn
from de2ls.jit.kernels import block, kernel
from de2ls.problems.problem import Problem


@dataclass(frozen=True, kw_only=True)
class DERand1BinConfig(Config):
    """Parameters of DE/rand/1/bin."""

    np: int = parameter(100, "NP: population size", 4)
    f: float = parameter(0.5, "F: scale of the difference", 0.0, 2.0)
    cr: float = parameter(0.9, "CR: crossover rate", 0.0, 1.0)


def start(problem: Problem, config: DERand1BinConfig, seed: int, budget: int) -> State:
    """Return the state before the first candidate."""
    _checks.integer("max_evals", budget, config.np)
    return new_state(problem, config.as_record(), seed, budget, n0=config.np, top=config.np)


@block
def ask(state: State, cand: Candidate) -> bool:
    """Make the next candidate; False while all initial points are out."""
    now, cfg, rng = state.now[0], state.cfg[0], state.rng
    if now.phase == INITIAL:
        return ask_initial(state, cand)
    i = now.issued % now.n_pop
    a = random.integer_except(rng, now.n_pop, i, i, i)
    b = random.integer_except(rng, now.n_pop, i, a, i)
    c = random.integer_except(rng, now.n_pop, i, a, b)
    x, box = state.x, state.box
    forced = random.integer(rng, cand.x.shape[0])
    for j in range(cand.x.shape[0]):
        cand.x[j] = x[i, j]
        if j == forced or random.uniform(rng) < cfg.cr:
            donor = x[a, j] + cfg.f * (x[b, j] - x[c, j])
            cand.x[j] = toward_bound(donor, x[i, j], box[0, j], box[1, j], 0.5)
    cand.info[0].kind, cand.info[0].slot = SEARCH, i
    now.issued += 1
    return True


@block
def tell(state: State, cand: Candidate) -> None:
    """Let a candidate take its target's place, or its own empty one in the beginning."""
    f, v = observe(state, cand)
    now, i = state.now[0], cand.info[0].slot
    if not superior(state.top[i].f, state.top[i].v, f, v):
        write_member(state, state.top, i, cand.x, f, v)
    now.told += 1
    if now.told == now.n0:
        now.phase = SEARCH


@kernel
def step(state: State, cand: Candidate, action: int) -> bool:
    """Take the candidate's result, make the next candidate, or do both."""
    return turn(state, cand, action, ask, tell)


ALGORITHMS = {
    "de-rand-1-bin": Algorithm("de-rand-1-bin", "DE/rand/1/bin", DERand1BinConfig, start, step)
}

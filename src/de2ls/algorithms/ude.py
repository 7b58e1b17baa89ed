"""UDE-III and UDE-IV: unified differential evolution (A. Trivedi and D. Chauhan, 2024 and 2025).

One sorted population. Each of its T best members gets a trial by each of three strategies, every
other member one trial by a strategy drawn in proportion to recent success. A generation is whole:
its E = 3 T + (NP - T) trials are all made from the population at its start, and selection, sorting
and learning follow when all are back.

| symbol | here | meaning |
|---|---|---|
| NP, T, E | `n_pop`, `cfg.t`, `n_trials` | size, size of the top sub-population, trials |
| P | `top`, `rank[P]` | members, and who stands at each position, best first |
| A | `top[NP:]`, `rank[A]` | archive of failed trials, best first |
| U | `front`, `slot` | trials of the generation, and what made them |
| s | `flag`, 0..2 | strategy: rand/1, current-to-rand/1, current-to-pbest/1 |
| MF, MCR, k_s | `memory[s, :]` | memories of F and CR; cell k_s is written next |
| W, L | `memory[s, :].wins`, `.losses` | strategy's wins and losses in the last LP generations |
| G, Gmax | `generation`, `n_generations` | generation number (the initial population is 1) |
| eps0, cp | `eps0`, `cp` | first epsilon level, exponent of its decrease |

Violations are means, as everywhere in the engine; the published program sums them, which matters
only for cp. The program of UDE-III is not public: `docs/algorithms/ude-iii.md` says what is
reconstructed. Each such point is a field of the configuration, but the count of evaluations, which
is the real one.
"""

import math
from dataclasses import dataclass

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import Config, parameter
from de2ls.algorithms.ude_selection import (
    OBJECTIVE,
    P,
    learn,
    replace_stagnated,
    select,
    sort_population,
    vector_at,
)
from de2ls.engine import random
from de2ls.engine.members import ask_initial, write_member
from de2ls.engine.recorder import observe
from de2ls.engine.state import (
    INITIAL,
    SEARCH,
    Candidate,
    State,
    new_state,
)
from de2ls.engine.step import turn
from de2ls.jit.kernels import block, kernel, routine
from de2ls.problems.problem import Problem

RAND, TO_RAND, TO_PBEST = 0, 1, 2
BOTH, TOP, BOTTOM = 0, 1, 2  # options of `ranking`

FIELDS = [
    ("n_trials", "i8"),
    ("generation", "i8"),
    ("n_generations", "i8"),
    ("eps0", "f8"),
    ("cp", "f8"),
    ("q1", "f8"),  # probability of the first strategy in the bottom sub-population,
    ("q12", "f8"),  # and of the first two
    ("n_archive", "i8"),
]
SLOT = np.dtype(
    [
        # of trial k
        ("strategy", "i8"),
        ("f", "f8"),
        ("cr", "f8"),
        # of member i
        ("stag", "i8"),  # failures in a row
    ]
)
CELL = np.dtype(
    [
        ("f", "f8"),
        ("cr", "f8"),
        ("wins", "i8"),
        ("losses", "i8"),
        ("updates", "i8"),  # in cell 0: how often the memory was written
    ]
)


@dataclass(frozen=True, kw_only=True)
class UDE3Config(Config):
    """Parameters of UDE-III."""

    np: int = parameter(100, "NP: population size", 8)
    t: int = parameter(25, "T: size of the top sub-population", 1)
    lp: int = parameter(25, "LP: generations whose wins decide between the strategies", 1)
    h: int = parameter(100, "H: length of the F and CR memories", 1)
    mu0: float = parameter(0.5, "initial value of the memories", 0.0, 1.0)
    sigma: float = parameter(0.1, "scale of F's and deviation of CR's distribution", 1e-6)
    p_min: int = parameter(5, "smallest elite of current-to-pbest", 2)
    p_max: int = parameter(20, "largest elite of current-to-pbest", 2)
    pc: float = parameter(0.5, "share of the generations after which eps = 0", 0.0, 0.999)
    lambda_: float = parameter(6.0, "constant in the exponent of eps")
    cp_max: float = parameter(33.0, "largest exponent of eps", 0.0)
    delta: float = parameter(0.01, "floor added to each strategy's success rate", 1e-6)
    sg: int = parameter(50, "SG: more failures in a row than this are stagnation", 0)
    sprop: float = parameter(0.5, "SProp: share of stagnated members for a replacement", 0.0, 1.0)
    d_min: float = parameter(1.0, "least mean distance to the centroid for it; 0: any", 0.0)
    ranking: str = parameter(
        "both",
        "sub-populations whose base and end vectors are drawn by rank",
        options=("both", "top", "bottom", "none"),
    )
    prob: float = parameter(
        1.0, "in the bottom: share of current-to-pbest, the rest is rand-to-pbest", 0.0, 1.0
    )
    force_jrand: bool = parameter(False, "whether crossover takes at least one coordinate")
    top_counting: str = parameter(
        "program",
        "wins of top targets: best trial and selection, or best trial against the other two",
        options=("program", "report"),
    )
    initial_order: str = parameter(
        "sof",
        "initial population sorted by superiority of feasible points, or by objective alone",
        options=("sof", "objective"),
    )
    sort_first: bool = parameter(True, "whether sorting precedes the stagnation step or follows it")
    replaced: str = parameter(
        "best", "which stagnated member is replaced", options=("best", "random")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.t >= self.np:
            raise ValueError(f"t must be smaller than np={self.np}, got {self.t}")
        if not self.p_min <= self.p_max <= self.np:
            raise ValueError(
                f"p_max must lie between p_min={self.p_min} and np={self.np}, got {self.p_max}"
            )

    @property
    def n_trials(self) -> int:
        """E, the evaluations of a generation."""
        return self.np + 2 * self.t


@dataclass(frozen=True, kw_only=True)
class UDE4Config(UDE3Config):
    """Parameters of UDE-IV: no ranking, a mixed third strategy, earlier stagnation."""

    ranking: str = "none"
    prob: float = 0.75
    sg: int = 25
    sprop: float = 0.4


def start(problem: Problem, config: UDE3Config, seed: int, budget: int) -> State:
    """Return the state before the first candidate."""
    if budget < config.np + config.n_trials:
        raise ValueError(
            f"max_evals must be at least {config.np + config.n_trials} for one generation with "
            f"np={config.np} and t={config.t}, got {budget}"
        )
    cells = np.zeros((3, max(config.h, config.lp)), CELL)
    cells["f"] = cells["cr"] = config.mu0
    state = new_state(
        problem,
        config.as_record(),
        seed,
        budget,
        n0=config.np,
        top=2 * config.np,
        front=config.n_trials,
        fields=FIELDS,
        extra_rows=1,
        slot=np.zeros(config.n_trials, SLOT),
        orders=2,
        memory=cells,
    )
    state.rank[P, : config.np] = np.arange(config.np)
    now = state.now[0]
    now["n_trials"] = config.n_trials
    now["generation"] = 1
    now["n_generations"] = budget // config.n_trials
    return state


@block
def ask(state: State, cand: Candidate) -> bool:
    """Make the next candidate; False while all of a generation are out, and at the end."""
    now = state.now[0]
    if now.phase == INITIAL:
        return ask_initial(state, cand)
    if now.issued == now.n_trials or now.finished:
        return False
    ask_trial(state, cand)
    return True


@block
def tell(state: State, cand: Candidate) -> None:
    """Take a candidate's result; the last one of a generation ends it."""
    f, v = observe(state, cand)
    now, info = state.now[0], cand.info[0]
    now.told += 1
    if info.kind == INITIAL:
        write_member(state, state.top, info.slot, cand.x, f, v)
        if now.told == now.n0:
            sort_population(state, state.cfg[0].initial_order == OBJECTIVE)
            set_level(state)
            begin_generation(state)
        return
    write_member(state, state.front, info.slot, cand.x, f, v)
    trial = state.slot[info.slot]
    trial.strategy, trial.f, trial.cr = info.flag, info.F, info.CR
    if now.told == now.n_trials:
        for s in range(3):
            learn(state, s)
        select(state)
        if state.cfg[0].sort_first:
            sort_population(state, False)
        replace_stagnated(state)
        if not state.cfg[0].sort_first:
            sort_population(state, False)
        if now.n + now.n_trials <= now.budget:
            begin_generation(state)
        else:
            now.finished = 1


@kernel
def step(state: State, cand: Candidate, action: int) -> bool:
    """Take the candidate's result, make the next candidate, or do both."""
    return turn(state, cand, action, ask, tell)


# --- a generation begins -------------------------------------------------------------------------


@routine
def set_level(state: State) -> None:
    """Set eps0, the largest violation, and cp = (ln eps0 + lambda) / ln 2 for pc = 1/2."""
    now, cfg = state.now[0], state.cfg[0]
    for i in range(now.n_pop):
        if state.top[i].v < np.inf:
            now.eps0 = max(now.eps0, state.top[i].v)
    if now.eps0 > 0.0 and cfg.pc > 0.0:
        total = now.eps0 * max(1, now.n_ineq + now.n_eq)
        exponent = (-math.log(total) - cfg.lambda_) / math.log(1.0 - cfg.pc)
        now.cp = max(0.0, min(cfg.cp_max, exponent))


@routine
def begin_generation(state: State) -> None:
    """Set the level and the strategies' probabilities of the next generation."""
    now, cfg = state.now[0], state.cfg[0]
    now.phase = SEARCH
    now.issued = now.told = 0
    now.generation += 1
    progress = now.generation / now.n_generations
    now.eps = now.eps0 * (1.0 - progress) ** now.cp if progress <= cfg.pc else 0.0
    adapt_strategies(state)


@routine
def adapt_strategies(state: State) -> None:
    """Set the probabilities by the success rates of the last LP generations; open a new window."""
    now, cfg, memory = state.now[0], state.cfg[0], state.memory
    now.q1, now.q12 = 0.33, 0.66
    if now.generation > cfg.lp:
        rate1, rate2, rate3 = success_rate(state, 0), success_rate(state, 1), success_rate(state, 2)
        now.q1 = rate1 / (rate1 + rate2 + rate3)
        now.q12 = (rate1 + rate2) / (rate1 + rate2 + rate3)
    for s in range(3):
        memory[s, now.generation % cfg.lp].wins = 0
        memory[s, now.generation % cfg.lp].losses = 0


@routine
def success_rate(state: State, s: int) -> float:
    """Return the share of wins of strategy `s` in the window, plus delta."""
    wins, trials = 0, 0
    for g in range(state.cfg[0].lp):
        wins += state.memory[s, g].wins
        trials += state.memory[s, g].wins + state.memory[s, g].losses
    return float(wins / max(1, trials) + state.cfg[0].delta)


# --- one trial -----------------------------------------------------------------------------------


@block
def ask_trial(state: State, cand: Candidate) -> None:
    """Make the next trial: three for each top target, then one for each bottom target."""
    now, t, info = state.now[0], state.cfg[0].t, cand.info[0]
    k = now.issued
    i, s = k // 3, k % 3
    if k >= 3 * t:
        w = random.uniform(state.rng)
        i, s = k - 2 * t, int(w > now.q1) + int(w > now.q12)
    base, a, b, c = parents(state, i, s)
    cell = state.memory[s, random.integer(state.rng, state.cfg[0].h)]
    sigma = state.cfg[0].sigma
    CR = 1.0 if s == TO_RAND else random.normal_clipped(state.rng, cell.cr, sigma)
    F = random.cauchy(state.rng, cell.f, sigma)
    while F <= 0.0:
        F = random.cauchy(state.rng, cell.f, sigma)
    F = min(F, 1.0)
    cross(state, cand.x, i, base, a, b, c, F, CR)
    info.kind, info.slot, info.flag, info.F, info.CR = SEARCH, k, s, F, CR
    now.issued += 1


@block
def parents(state: State, i: int, s: int) -> tuple[int, int, int, int]:
    """Draw the positions base, a, b, c of x_base + F (x_a - x_base) + F (x_b - x_c).

    They differ from each other and from the target `i`, but the base is `i` itself in the
    current-to strategies, and a in rand/1, where the first difference vanishes.
    """
    n, cfg, rng = state.now[0].n_pop, state.cfg[0], state.rng
    is_top = i < cfg.t
    ranked = cfg.ranking == BOTH or cfg.ranking == (TOP if is_top else BOTTOM)
    base = i
    if s == TO_PBEST:
        elite = int((cfg.p_max - cfg.p_min) * random.uniform(rng) + cfg.p_min + 0.5)
        a = draw(rng, elite, False, i, i, i, i)
        if not is_top and cfg.prob < 1.0 and random.uniform(rng) >= cfg.prob:
            base = draw(rng, n, False, i, a, i, i)
    else:
        a = draw(rng, n, ranked, i, i, i, i)
        if s == RAND:
            base = a
    b = draw(rng, n, ranked, i, a, base, i)
    c = draw(rng, n, False, i, a, base, b)
    return base, a, b, c


@block
def draw(rng: random.RandomState, n: int, ranked: bool, x1: int, x2: int, x3: int, x4: int) -> int:
    """Draw a position in 0..n-1 other than four, uniformly or with weight n - 1 - position."""
    r = random.linear_rank(rng, n - 1, n - 1) if ranked else random.integer(rng, n)
    while r == x1 or r == x2 or r == x3 or r == x4:
        r = random.linear_rank(rng, n - 1, n - 1) if ranked else random.integer(rng, n)
    return r


@block
def cross(
    state: State,
    x: FloatArray,
    i: int,
    base: int,
    a: int,
    b: int,
    c: int,
    F: float,
    CR: float,
) -> None:
    """Cross x_i with x_base + F (x_a - x_base) + F (x_b - x_c); clip to the box."""
    dim, rng = x.shape[0], state.rng
    xi, xo, xa = vector_at(state, i), vector_at(state, base), vector_at(state, a)
    xb, xc = vector_at(state, b), vector_at(state, c)
    for j in range(dim):
        value = xo[j] + F * (xa[j] - xo[j]) + F * (xb[j] - xc[j])
        x[j] = min(state.box[1, j], max(state.box[0, j], value))
    if CR < 1.0:
        forced = random.integer(rng, dim) if state.cfg[0].force_jrand else -1
        for j in range(dim):
            if random.uniform(rng) > CR and j != forced:
                x[j] = xi[j]


ALGORITHMS = {
    "ude3": Algorithm("ude3", "UDE-III", UDE3Config, start, step),
    "ude4": Algorithm("ude4", "UDE-IV", UDE4Config, start, step),
}

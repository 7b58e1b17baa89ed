"""RDEx-CASK: RDEx with an archive, a second scale factor and a kick on stagnation (CEC 2026).

The generation of `two_populations` without perturbation, and in its base step

    Q_c + F (t - Q_c) + F2 (Q_r1 - z),   t = P_a, or the reported best if slot c stagnates,
                                         z = P_r2, or a vector of the archive Z.

| symbol | here | meaning |
|---|---|---|
| F2 | | C(mF, gamma) redrawn until in [0, 1]; not learnt from |
| Z, fill | `archive_row`, `n_archive` | vectors of overwritten members of Q with v <= eps, cyclic |
| C_i | `slot[i].fails` | trials of slot i without success |
| x_best | `reported_row` | the published program's reported best, see `report` |
| eta | `eb_rate` | smoothed EB rate |
"""

from dataclasses import dataclass

import numpy as np

from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.rdex import RDExConfig
from de2ls.algorithms.two_populations import setup
from de2ls.algorithms.two_populations.generation import (
    begin_generation,
    drop_worst,
    eb_credit,
    learn,
    merge,
    take_stock,
)
from de2ls.algorithms.two_populations.operators import (
    BASE_STEP,
    EB_STEP,
    NEW,
    POOL,
    base_step,
    cross,
    eb_step,
)
from de2ls.algorithms.two_populations.trial import (
    count_trial,
    family_turn,
    is_eb_step,
    judge,
    note_origin,
    write_success,
)
from de2ls.engine import random
from de2ls.engine.members import copy_vector
from de2ls.engine.recorder import observe
from de2ls.engine.state import Candidate, State
from de2ls.jit.kernels import block, kernel, routine
from de2ls.problems.problem import Problem

FIELDS = [
    ("n_archive", "i8"),  # fill: vectors in the archive
    ("archive_next", "i8"),  # where the next one goes
    ("reported_f", "f8"),
    ("reported_v", "f8"),
]
SLOT_FIELDS = [("fails", "i8")]


@dataclass(frozen=True, kw_only=True)
class RDExCASKConfig(RDExConfig):
    """Parameters of RDEx-CASK: RDEx's, retuned, and those of its additions."""

    h: int = 10
    sr_exponent: float = 0.4
    eb_rate: float = 0.5
    perturb_rate: float = 0.0
    f2_gamma: float = parameter(0.1, "scale of the base step's F2", 0.0, 1.0)
    archive: int = parameter(50, "capacity of the archive", 1)
    stagnation: int = parameter(180, "trials without success from which a slot stagnates", 1)
    kick_archive: float = parameter(0.65, "least archive probability when stagnating", 0.0, 1.0)
    kick_sr: float = parameter(0.1, "success rate below which a kick raises CR", 0.0, 1.0)
    kick_cr: float = parameter(0.95, "smallest CR of such a kick", 0.0, 1.0)
    stray_kicks: float = parameter(0.0, "share of early trials kicked without reason", 0.0, 1.0)
    eb_learning: float = parameter(0.3, "weight of the new credit in the EB rate", 0.0, 1.0)
    eb_return: float = parameter(0.1, "pull back to eb_rate without credit", 0.0, 1.0)


def start(problem: Problem, config: RDExCASKConfig, seed: int, budget: int) -> State:
    """Return the state before the first candidate."""
    state = setup.start(
        problem, config, seed, budget, FIELDS, SLOT_FIELDS, extra_rows=config.archive + 1
    )
    state.now[0]["reported_f"] = state.now[0]["reported_v"] = np.inf
    return state


@kernel
def step(state: State, cand: Candidate, action: int) -> bool:
    """Take the candidate's result, make the next candidate, or do both."""
    return family_turn(
        state,
        cand,
        action,
        report,
        tell_trial,
        end_generation,
        begin_generation,
        ask_trial,
    )


# --- one trial -----------------------------------------------------------------------------------


@block
def ask_trial(state: State, cand: Candidate) -> None:
    """Make a trial by the EB step or by the base step with F2, archive and kick."""
    now, cfg, rng = state.now[0], state.cfg[0], state.rng
    c = random.integer(rng, now.n_pop)
    if is_eb_step(state):
        flag = EB_STEP
        toward, plus, minus, F, CR = eb_step(state, c)
        F2 = F
    else:
        flag = BASE_STEP
        toward, plus, minus, F, CR = base_step(state, c)
        F2 = random.cauchy_in_unit(rng, now.f_mean, cfg.f2_gamma)
        stagnates = state.slot[c].fails >= cfg.stagnation or is_stray(state)
        if uses_archive(state, stagnates):
            minus = archive_row(state, random.integer(rng, now.n_archive))
        if stagnates:
            toward = reported_row(state)
            if now.sr < cfg.kick_sr:
                CR = max(CR, cfg.kick_cr)
    note_origin(state, cand, c, flag, F)
    cross(state, cand, c, toward, plus, minus, F, F2, CR, cfg.perturb_rate)


@block
def is_stray(state: State) -> bool:
    """Draw whether an early trial counts as stagnating without reason: never, by default.

    The published program reads beyond its counters, which gives some slots of the first quarter a
    large count; `stray_kicks` of 0.015 mimics the size of that.
    """
    now, rate = state.now[0], state.cfg[0].stray_kicks
    return bool(rate > 0.0 and now.n < 0.25 * now.budget and random.uniform(state.rng) < rate)


@block
def uses_archive(state: State, stagnates: bool) -> bool:
    """Draw whether the subtracted vector comes from the archive: its share of Q and Z."""
    now = state.now[0]
    if now.n_archive == 0:
        return False
    share = now.n_archive / (now.n_pop + now.n_archive)
    if stagnates:
        share = max(share, state.cfg[0].kick_archive)
    return bool(random.uniform(state.rng) < share)


@block
def tell_trial(state: State, cand: Candidate, f: float, v: float) -> bool:
    """Take a trial's result; count its slot's failures, and save what a success overwrites."""
    slot = state.slot[cand.info[0].slot]
    weight = judge(state, cand, f, v)
    if weight >= 0.0:
        slot.fails = 0
        archive_overwritten(state)
        write_success(state, cand, f, v, weight)
    else:
        slot.fails += 1
    return count_trial(state)


@routine
def archive_overwritten(state: State) -> None:
    """Copy the member of Q that the next success overwrites, if it is within the level."""
    now, member = state.now[0], state.front[state.now[0].pointer]
    if member.v <= now.eps:
        copy_vector(state.x[member.row], state.x[archive_row(state, now.archive_next)])
        now.archive_next = (now.archive_next + 1) % state.cfg[0].archive
        now.n_archive = min(now.n_archive + 1, state.cfg[0].archive)


@block
def report(state: State, cand: Candidate) -> tuple[float, float]:
    """Record a result, and keep the published program's best, the kick's attractor, by its rule.

    The rule is no order: a feasible point replaces an infeasible best only if its objective is not
    larger. So it differs from the incumbent until the first feasible best.
    """
    f, v = observe(state, cand)
    now = state.now[0]
    if (f <= now.reported_f) if v <= 0.0 else (v <= now.reported_v):
        now.reported_f, now.reported_v = f, v
        copy_vector(cand.x, state.x[reported_row(state)])
    return f, v


@block
def archive_row(state: State, i: int) -> int:
    """Return the row of the archive's i-th vector: behind those of P and Q."""
    return int(3 * state.now[0].n0 + i)


@block
def reported_row(state: State) -> int:
    """Return the row of the reported best: behind those of the archive."""
    return archive_row(state, state.cfg[0].archive)


# --- a generation ends ---------------------------------------------------------------------------


@routine
def end_generation(state: State) -> None:
    """End a generation: the smoothed rate of EB steps, the counters of the slots."""
    adapt_eb_rate(state)
    close_generation(state)
    merge(state)


@routine
def adapt_eb_rate(state: State) -> None:
    """Move eta toward the EB step's share of the gains, or back to its rest value."""
    now, cfg = state.now[0], state.cfg[0]
    eb, base = eb_credit(state)
    if eb != 0.0 and base != 0.0:
        now.eb_rate = (1.0 - cfg.eb_learning) * now.eb_rate + cfg.eb_learning * eb / (eb + base)
    else:
        now.eb_rate = (1.0 - cfg.eb_return) * now.eb_rate + cfg.eb_return * cfg.eb_rate


@routine
def close_generation(state: State) -> None:
    """Take stock of the generation, shrink the front with its counters, learn."""
    n = state.now[0].n_pop
    take_stock(state)
    worst = drop_worst(state)
    while worst >= 0:
        for i in range(worst, n - 1):
            state.slot[i].fails = state.slot[i + 1].fails
        worst = drop_worst(state)
    learn(state)
    if state.now[0].n_success > 0:
        permute_counters(state)


@routine
def permute_counters(state: State) -> None:
    """Rearrange the counters as the merge rearranges P, although they belong to slots of Q.

    A position beyond the N0 counters (a late success of an early generation) brings a count of 0.
    """
    now, slot, old = state.now[0], state.slot, state.rank[NEW]
    for i in range(now.n0):
        old[i] = slot[i].fails
    for i in range(now.n_pop):
        place = state.rank[POOL, i]
        slot[i].fails = old[place] if place < now.n0 else 0


ALGORITHMS = {"rdex-cask": Algorithm("rdex-cask", "RDEx-CASK", RDExCASKConfig, start, step)}

"""The steps that make a trial of the shared generation: base, exploitation-biased (EB), crossover.

| symbol | here | meaning |
|---|---|---|
| c | | slot of the target, and parent, in the front Q |
| P_a, Q_r1, P_r2 | `toward`, `plus`, `minus` | rows of the attractor and of the difference's ends |
| F, F2 | | scales of the attraction and of the difference; equal but in RDEx-CASK |
| CR, CRa | | crossover rate drawn, and the share of coordinates that were crossed |
"""

from de2ls.engine import random
from de2ls.engine.repair import toward_bound
from de2ls.engine.state import Candidate, State
from de2ls.jit.kernels import block, routine

# rows of `rank`: eps-orders of P, of Q, of the new successes, and of P with the successes
A, B, NEW, POOL = 0, 1, 2, 3
BASE_STEP, EB_STEP = 0, 1
PUBLISHED = 1  # option of `box`


@block
def base_step(state: State, c: int) -> tuple[int, int, int, float, float]:
    """Return the rows, F and CR of the base step (5b), Q_c + F (P_a - Q_c) + F (Q_r1 - P_r2).

    a is drawn from the best of P, r1 from Q by rank, r2 from P. Slot numbers are compared,
    whichever population they index.
    """
    now, cfg, rng = state.now[0], state.cfg[0], state.rng
    n = now.n_pop
    a = state.rank[A, random.integer(rng, now.n_base)]
    while a == c:
        a = state.rank[A, random.integer(rng, now.n_base)]
    r1 = state.rank[B, random.exponential_rank(rng, cfg.pressure, now.rank_tail, n)]
    while r1 == a:
        r1 = state.rank[B, random.exponential_rank(rng, cfg.pressure, now.rank_tail, n)]
    r2 = state.rank[A, random.integer(rng, n)]
    while r2 == a or r2 == r1:
        r2 = state.rank[A, random.integer(rng, n)]
    k = random.integer(rng, state.memory.shape[0])
    F = random.normal_in_unit(rng, now.f_mean, cfg.f_sigma)
    CR = random.normal_clipped(rng, state.memory[k].cr, cfg.cr_sigma)
    return state.top[a].row, state.front[r1].row, state.top[r2].row, F, CR


@routine
def eb_step(state: State, c: int) -> tuple[int, int, int, float, float]:
    """Return the rows, F and CR of the EB step (5c), Q_c + F (best - Q_c) + F (mid - worst).

    P_a, Q_r1 and P_r2 are drawn by linear rank weights and ordered by objective alone.
    """
    now, cfg, rng = state.now[0], state.cfg[0], state.rng
    n, h = now.n_pop, state.memory.shape[0]
    a = state.rank[A, random.linear_rank(rng, n, now.n_eb)]
    while a == c:
        a = state.rank[A, random.linear_rank(rng, n, now.n_eb)]
    r1 = state.rank[B, random.linear_rank(rng, n, n)]
    while r1 == a:
        r1 = state.rank[B, random.linear_rank(rng, n, n)]
    r2 = state.rank[A, random.linear_rank(rng, n, n)]
    while r2 == a or r2 == r1:
        r2 = state.rank[A, random.linear_rank(rng, n, n)]
    k = random.integer(rng, h + 1)
    f_centre = state.memory[k].f if k < h else cfg.eb_f
    cr_centre = state.memory[k].cr if k < h else cfg.eb_cr
    F = random.cauchy_in_unit(rng, f_centre, cfg.eb_gamma)
    CR = random.normal_clipped(rng, cr_centre, cfg.cr_sigma)
    first, second, third = state.top[a], state.front[r1], state.top[r2]
    best, mid, worst = by_objective(first.f, first.row, second.f, second.row, third.f, third.row)
    return best, mid, worst, F, CR


@block
def by_objective(
    f1: float, row1: int, f2: float, row2: int, f3: float, row3: int
) -> tuple[int, int, int]:
    """Order three rows by objective, violations ignored; on ties the earlier is the better."""
    if f2 < f1:
        f1, row1, f2, row2 = f2, row2, f1, row1
    if f3 < f2:
        f2, row2, f3, row3 = f3, row3, f2, row2
        if f2 < f1:
            row1, row2 = row2, row1
    return row1, row2, row3


@block
def cross(
    state: State,
    cand: Candidate,
    c: int,
    toward: int,
    plus: int,
    minus: int,
    F: float,
    F2: float,
    CR: float,
    perturb_rate: float,
) -> None:
    """Cross (5d) Q_c with Q_c + F (x_toward - Q_c) + F2 (x_plus - x_minus); notes CRa.

    With probability `perturb_rate` the coordinates that stay get a Cauchy step. What leaves the
    box is repaired toward the bound.
    """
    cfg, rng = state.cfg[0], state.rng
    x, dim = cand.x, cand.x.shape[0]
    parent, xt = state.x[state.front[c].row], state.x[toward]
    xp, xm = state.x[plus], state.x[minus]
    low, high, mix = state.box[0], state.box[1], cfg.bound_mix
    for j in range(dim):  # the donor, apart from the draws, so that it uses SIMD
        value = parent[j] + F * (xt[j] - parent[j]) + F2 * (xp[j] - xm[j])
        x[j] = toward_bound(value, parent[j], low[j], high[j], mix)
    crossed = dim
    if CR < 1.0:
        perturbed = perturb_rate > 0.0 and random.uniform(rng) < perturb_rate
        forced = random.integer(rng, dim)
        for j in range(dim):
            if random.uniform(rng) >= CR and j != forced:
                crossed -= 1
                x[j] = perturb(state, parent[j], j) if perturbed else parent[j]
    cand.info[0].CR = crossed / dim


@block
def perturb(state: State, value: float, j: int) -> float:
    """Give a coordinate that stays a Cauchy step, repaired unless `box` is "published"."""
    cfg = state.cfg[0]
    moved = random.cauchy(state.rng, value, cfg.perturb_scale)
    if cfg.box == PUBLISHED:
        return moved
    return toward_bound(moved, value, state.box[0, j], state.box[1, j], cfg.bound_mix)

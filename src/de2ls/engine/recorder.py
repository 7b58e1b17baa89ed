"""The recorder: it sees every evaluated point in order, keeps the incumbent and the curve.

The incumbent is the best evaluated point: feasible (summed violation within the tolerance) before
infeasible, feasible ones by objective, infeasible ones by violation; only strict improvement
replaces it. Min_EV is the objective of a feasible incumbent, LCV the lowest violation so far.
"""

import numpy as np

from de2ls.engine.state import Candidate, State
from de2ls.jit.kernels import block, kernel, routine


@block
def better(f: float, cv: float, f_best: float, cv_best: float, feasible_tol: float) -> bool:
    """Whether (f, cv) is strictly better than the incumbent: the rule that decides "best"."""
    if cv <= feasible_tol:
        return cv_best > feasible_tol or f < f_best
    return cv < cv_best


@block
def observe(state: State, cand: Candidate) -> tuple[float, float]:
    """Take the result of `cand`: count it, record it, return its f and mean violation v.

    A NaN anywhere, or an objective of minus infinity, makes both infinite: the point counts as
    worst and is reported.
    """
    now = state.now[0]
    out = cand.out
    f = out[0]
    cv, v = 0.0, 0.0
    for k in range(now.n_ineq):
        term = out[1 + k] - state.tol[k]
        if not term <= 0.0:  # also NaN
            cv += term
            v += state.weight[k] * term
    for k in range(now.n_ineq, now.n_ineq + now.n_eq):
        term = abs(out[1 + k])
        if not term <= state.tol[k]:
            if now.excess:
                term -= state.tol[k]
            cv += term
            v += state.weight[k] * term
    if np.isnan(f) or f == -np.inf or np.isnan(cv):
        f = cv = v = np.inf
        now.n_invalid += 1
    v /= max(1, now.n_ineq + now.n_eq)
    now.n += 1
    if now.watch_box == 0 or inside(state, cand):
        now.least_cv = min(now.least_cv, cv)
        if better(f, cv, now.best_f, now.best_cv, now.feasible_tol) or now.best_n == 0:
            keep(state, cand, f, cv, v)
    if now.n >= now.next_sample:
        sample(state)
    return f, v


@routine
def inside(state: State, cand: Candidate) -> bool:
    """Whether the candidate lies in the box; counts it if not."""
    for j in range(cand.x.shape[0]):
        if cand.x[j] < state.box[0, j] or cand.x[j] > state.box[1, j]:
            state.now[0].n_outside += 1
            return False
    return True


@routine
def keep(state: State, cand: Candidate, f: float, cv: float, v: float) -> None:
    """Make the candidate the incumbent; an invalid one gives way to any other."""
    now = state.now[0]
    now.best_f, now.best_cv, now.best_v = f, cv, v
    now.best_n = now.n if f < np.inf or cv < np.inf else 0
    now.reached = f <= now.target and cv <= now.feasible_tol
    dim = cand.x.shape[0]
    for j in range(dim):
        state.best[j] = cand.x[j]
    for k in range(cand.out.shape[0]):
        state.best[dim + k] = cand.out[k]


@routine
def sample(state: State) -> None:
    """Write the rows that are due: row 0 at N0 evaluations, row k at max(N0, min(10 D k, T))."""
    now = state.now[0]
    while now.row < state.curve.shape[0] and now.n >= now.next_sample:
        write_row(state, now.row, now.next_sample)
        now.row += 1
        now.next_sample = max(now.n0, min(now.stride * now.row, now.budget))


@kernel
def write_row(state: State, row: int, evaluations: int) -> None:
    """Write the present state as row `row` of the curve."""
    now = state.now[0]
    state.curve[row, 0] = evaluations
    state.curve[row, 1] = now.best_f if now.best_cv <= now.feasible_tol else np.nan
    state.curve[row, 2] = now.least_cv
    state.curve[row, 3] = now.n_pop
    state.curve[row, 4] = now.eps

"""The arm of lines: stars through the relaxed optimum and sweeps of global line searches.

A *star* is all lines u_r + t T_i through the point of least objective, along the axes or along a
basis T, k points each: half stratified over the line's part of the box, half at log-uniform
distances. Sign changes of equalities are bracketed to roots by regula falsi. The best points by
feasibility rules are starts for the local arm. A *sweep* searches one line after the other
globally: k points, then four times four points around the best.

| symbol | here | meaning |
|---|---|---|
| T | `T` | directions, as columns |
| t in [lo, hi] | `span` | part of a line inside the box |
| k | `points` | points on a line |
"""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import Archive, Batches, Rows
from de2ls.algorithms.chorus.box import boxed
from de2ls.algorithms.chorus.pencil import hessians, pencil

AROUND = np.array([-0.6, -0.2, 0.2, 0.6])


def span(u: FloatArray, T: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the parameter intervals of the lines u + t T_i inside the unit box."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = -u[:, None] / T, (1.0 - u)[:, None] / T
    small = np.abs(T) < 1e-12
    lo = np.where(small, -np.inf, np.minimum(a, b)).max(0)
    hi = np.where(small, np.inf, np.maximum(a, b)).min(0)
    return np.minimum(lo, 0.0), np.maximum(hi, 0.0)


def samples(rng: np.random.Generator, lo: float, hi: float, k: int) -> FloatArray:
    """Return k places: half of them stratified, half at log-uniform distances from 0."""
    half = k // 2
    even = lo + (hi - lo) * (np.arange(half) + rng.random(half)) / half
    near = 10.0 ** rng.uniform(-5.0, -0.3, k - half) * (hi - lo)
    near *= rng.choice([-1.0, 1.0], k - half)
    return np.sort(np.clip(np.concatenate([even, near]), lo, hi))


def star(a: Archive, u: FloatArray, T: FloatArray, points: int) -> Batches:
    """Evaluate all lines through `u`; returns the three best points."""
    lo, hi = span(u, T)
    t = np.array([samples(a.rng, lo[i], hi[i], points) for i in range(T.shape[1])])
    U = boxed(u + t.reshape(-1, 1) * np.repeat(T.T, points, axis=0))
    rows = yield U
    found, outs = [U], [rows]
    if a.nh:
        more, roots = yield from _roots(a, u, T, t, rows)
        found, outs = found + more, outs + roots
    U = np.concatenate(found)
    rows = Rows(np.concatenate([r.out for r in outs]), np.concatenate([r.v for r in outs]))
    return U[a.best_first(rows)[:3]]


def _roots(a: Archive, u: FloatArray, T: FloatArray, t: FloatArray, rows: Rows) -> Batches:
    """Bracket the sign changes of equalities, those with the best objectives, to roots."""
    n, k = t.shape
    h = rows.out[:, 1 + a.ng :].reshape(n, k, a.nh)
    f = rows.out[:, 0].reshape(n, k)
    i, q, j = np.nonzero(h[:, :-1] * h[:, 1:] < 0)
    best = np.argsort(np.minimum(f[i, q], f[i, q + 1]), kind="stable")[: 3 * n]
    i, q, j = i[best], q[best], j[best]
    left, right, f_left, f_right = t[i, q], t[i, q + 1], h[i, q, j], h[i, q + 1, j]
    live = np.arange(len(i))
    found, outs = [], []
    for repeat in range(14):
        if not len(live):
            break
        low, high, at_low, at_high = left[live], right[live], f_left[live], f_right[live]
        middle = 0.5 * (low + high)
        rise = at_high - at_low
        s = high - at_high * (high - low) / np.where(rise == 0, 1.0, rise)
        s = np.where((s > low) & (s < high) & (repeat % 3 != 2), s, middle)
        U = boxed(u + s[:, None] * T.T[i[live]])
        answer = yield U
        found.append(U)
        outs.append(answer)
        value = answer.out[np.arange(len(live)), 1 + a.ng + j[live]]
        below = at_low * value < 0
        right[live], f_right[live] = np.where(below, s, high), np.where(below, value, at_high)
        left[live], f_left[live] = np.where(below, low, s), np.where(below, at_low, value)
        live = live[np.abs(value) > 0.9 * a.eq_tol[j[live]]]
    return found, outs


def sweep(a: Archive, u: FloatArray, T: FloatArray, mode: str, points: int) -> Batches:
    """Make one pass of global line searches along T; returns the point and its key."""
    rows = yield u[None]
    best = float(a.key(rows, mode)[0])
    for i in a.rng.permutation(T.shape[1]):
        lo, hi = (float(x[0]) for x in span(u, T[:, i : i + 1]))
        if not hi > lo:
            continue
        t = samples(a.rng, lo, hi, points)
        grid, at, value = np.append(t, 0.0), 0.0, best
        for _ in range(5):
            key = a.key((yield u + t[:, None] * T[:, i]), mode)
            j = int(key.argmin())
            if key[j] < value:
                at, value = float(t[j]), float(key[j])
            grid.sort()
            p = int(np.searchsorted(grid, at))
            left, right = grid[max(0, p - 1)], grid[min(len(grid) - 1, p + 1)]
            t = np.clip(at + np.where(AROUND < 0, at - left, right - at) * AROUND, lo, hi)
            grid = np.concatenate([t, [left, at, right]])
        if value < best:
            u, best = boxed(u + at * T[:, i]), value
    return u, best


def lines(a: Archive) -> Batches:
    """Stars whenever the relaxed optimum has moved; else sweeps, along each basis in turn."""
    k, turn, seen = a.config.line_points, 0, np.inf
    axes = np.eye(a.n)[:, a.free] if a.free.size else np.eye(a.n)
    while True:
        turn += 1
        names = [None, *a.bases]
        name = names[(turn // 2) % len(names)]
        T = axes if name is None else a.bases[name] / np.linalg.norm(a.bases[name], axis=0)
        moved = a.relaxed_f < seen - (1e-3 * abs(seen) if seen < np.inf else 0.0)
        if a.m and a.relaxed_u is not None and a.relaxed_v > a.feasible_tol and moved:
            seen = a.relaxed_f
            yield from _stars(a, a.relaxed_u, axes, k)
        elif not a.feasible:
            yield from _sweeps(a, a.incumbent, T, "v", k, 4, 1e-9)
        elif turn % 2:
            yield from sweep(a, a.incumbent, T, "rules", k)
        else:
            u = a.incumbent if turn < 4 else a.random(1)[0]
            mode = "f" if a.m else "rules"
            a.propose((yield from _sweeps(a, u, T, mode, k + k // 2, 8, 1e-5)))
        yield None


def _sweeps(
    a: Archive, u: FloatArray, T: FloatArray, mode: str, k: int, most: int, gain: float
) -> Batches:
    """Sweep until that gains no more than a share `gain`; returns the point."""
    best = np.inf
    for _ in range(most):
        u, value = yield from sweep(a, u, T, mode, k)
        if value > best - gain * abs(best) or (mode == "v" and a.feasible):
            break
        best = value
    return u


def _stars(a: Archive, u: FloatArray, axes: FloatArray, k: int) -> Batches:
    """Propose the best points of the stars through `u`: axes, then a pencil basis."""
    for x in (yield from star(a, u, axes, k)):
        a.propose(x)
    a.propose(u)
    yield None
    cheap = 1.2 * a.n * a.n < 0.05 * a.budget
    if a.config.pencils and cheap and not a.noisy and not a.discrete.size:
        H = yield from hessians(a, np.array([u, 0.3 + 0.4 * a.random(1)[0]]))
        T = pencil(H[1], H[0])
        if T is not None:
            a.bases["pencil"] = T
            for x in (yield from star(a, u, T, k))[:2]:
                a.propose(x)

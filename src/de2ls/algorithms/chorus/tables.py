"""Tables of separable outputs, and the choice of one entry per coordinate.

Along the lines u_0 + t T_i every output is tabulated, F(u_0) + sum_i V_i(t_i) is its value
anywhere. The choice minimises, without evaluations,

    F_0 + rho sum_j w_j over_j(sum_i V_i),   rho = 0.1 .. 100

by exchanging one entry at a time, or two. Tables begin with the ends of the lines, as optima often
lie on bounds, and are refined twice around the chosen entries. Where an objective has a kink on
every line, which no local method can follow on all at once, its tables are `followed` to the end:
the gaps around the best place of each line are halved until they are `FINEST`.

| symbol | here | meaning |
|---|---|---|
| t_i, V_i | `at`, `values` | places on line i and the outputs' changes there |
| F(u_0) | `base` | outputs at the centre |
| w_j | `weight` | unit of f over unit of constraint j |
"""

from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import Archive, Batches
from de2ls.algorithms.chorus.lines import span

PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
FINEST = 1e-13  # gap between places at which a line is known
KINK = 0.6  # share of an outer change of slope: at most 0.5 of a parabola, 0.5 to 1 of a jump
SWEEPS, PAIRS, TRIES = 5, 60, 8  # per penalty: sweeps of exchanges, pairs in each, first entries


class Choice(NamedTuple):
    """One entry per line, and the outputs they add up to."""

    merit: float
    total: FloatArray
    entries: list[int]


class Tables:
    """The tables and the choice from them."""

    def __init__(self, a: Archive, T: FloatArray, centre: FloatArray, m: int) -> None:
        self.a, self.T, self.centre, self.m = a, T, centre, m
        self.lines = T.shape[1]
        self.lo, self.hi = span(centre, T)
        self.at = [np.zeros(1) for _ in range(self.lines)]
        self.values = [np.zeros((1, 1 + m)) for _ in range(self.lines)]
        self.band = 0.5 * a.eq_tol[: a.nh if m else 0]
        self.ng = a.ng if m else 0

    def begin(self) -> Batches:
        """Evaluate the centre; where it has no value, the incumbent is the centre instead."""
        rows = yield self.centre[None]
        if not rows.usable[0]:
            self.centre = self.a.incumbent
            self.lo, self.hi = span(self.centre, self.T)
            rows = yield self.centre[None]
        self.base = rows.out[0, : 1 + self.m].copy()

    def add(self, new: list[FloatArray]) -> Batches:
        """Evaluate places `new` on each line and sort those with values in."""
        new = [np.clip(t, self.lo[i], self.hi[i]) for i, t in enumerate(new)]
        sizes = [len(t) for t in new]
        offsets = np.concatenate(new)[:, None] * np.repeat(self.T.T, sizes, axis=0)
        rows = yield np.clip(self.centre + offsets, 0.0, 1.0)
        first = np.cumsum(sizes)[:-1]
        parts = np.split(rows.out[:, : 1 + self.m] - self.base, first)
        for i, (t, part, usable) in enumerate(
            zip(new, parts, np.split(rows.usable, first), strict=True)
        ):
            at = np.concatenate([self.at[i], t[usable]])
            order = np.argsort(at, kind="stable")
            self.at[i] = at[order]
            self.values[i] = np.concatenate([self.values[i], part[usable]])[order]

    def point(self, entries: list[int]) -> FloatArray:
        """Return the point of one entry per line."""
        t = np.array([self.at[i][j] for i, j in enumerate(entries)])
        u: FloatArray = np.clip(self.centre + self.T @ t, 0.0, 1.0)
        return u

    @property
    def kinked(self) -> bool:
        """Whether the objective has a kink at its least value on most lines.

        Across a kink the slope jumps, however near one looks: if the kink lies between two places,
        the better one is nearer, and the inner slopes change by half as much as the outer ones at
        the least. Those of a parabola change by the distance: by half as much at the most.
        """
        jumps = 0
        for i in range(self.lines):
            j = self._least(i)
            if 2 <= j < len(self.at[i]) - 2:
                near = slice(j - 2, j + 3)
                slopes = np.diff(self.values[i][near, 0]) / np.diff(self.at[i][near])
                inner, outer = slopes[2] - slopes[1], slopes[3] - slopes[0]
                jumps += bool(inner > KINK * outer > 0.0)
        return bool(2 * jumps > self.lines)

    def followed(self) -> Batches:
        """Follow the objective alone to its least value on every line; returns that point.

        Two evaluations halve the gaps of a line.
        """
        while self.a.left > 0:
            new = [self._middles(i) for i in range(self.lines)]
            if not sum(map(len, new)):
                break
            yield from self.add(new)
        return self.point([self._least(i) for i in range(self.lines)])

    def _least(self, i: int) -> int:
        return int(self.values[i][:, 0].argmin())

    def _middles(self, i: int) -> FloatArray:
        """Return the middles of the gaps around the best place of line i."""
        j = self._least(i)
        around = self.at[i][max(0, j - 1) : j + 2]
        gaps = np.diff(around)
        middles: FloatArray = (around[:-1] + 0.5 * gaps)[gaps > FINEST]
        return middles

    @staticmethod
    def _step(values: FloatArray) -> FloatArray:
        """Return the usual change from one place of a line to the next; 0 of a single place."""
        if len(values) < 2:
            return np.zeros(values.shape[1])
        change: FloatArray = np.median(np.abs(np.diff(values, axis=0)), axis=0)
        return change

    def choose(self) -> list[Choice]:
        """Return choices from several random weights of the constraints, best first."""
        unit = np.mean([self._step(v) for v in self.values], axis=0) + 1e-300
        self.weight = unit[0] / unit[1:]
        choices = [self._choice(unit) for _ in range(4 if self.m else 1)]
        return sorted(choices, key=lambda choice: choice.merit)

    def _choice(self, unit: FloatArray) -> Choice:
        rng = self.a.rng
        lam = rng.standard_normal(self.m) * self.weight * rng.choice([0.0, 0.3, 1.0, 3.0])
        lam[: self.ng] = np.abs(lam[: self.ng])
        entries = [int((v[:, 0] + v[:, 1:] @ lam).argmin()) for v in self.values]
        total = self.base + sum(v[j] for v, j in zip(self.values, entries, strict=True))
        if self.m:
            for rho in PENALTIES:
                total = self._exchange(entries, total, rho)
        over = self._over(total) / unit[1:]
        return Choice(float(total[0] + 100.0 * unit[0] * over.sum()), total, entries)

    def _over(self, total: FloatArray) -> FloatArray:
        """Return by how much constraints are exceeded; outputs come first, (1 + m, ...)."""
        over: FloatArray = total[1:].copy()
        if len(self.band):
            h = over[self.ng :]
            np.abs(h, out=h)
            np.subtract(h.T, self.band, out=h.T)
        return np.maximum(over, 0.0, out=over)

    def _exchange(self, entries: list[int], total: FloatArray, rho: float) -> FloatArray:
        """Exchange entries one by one and in pairs while that lowers the merit."""
        rng, values = self.a.rng, [np.ascontiguousarray(v.T) for v in self.values]
        weight = rho * self.weight
        first = np.empty(TRIES + 1, int)
        for _ in range(SWEEPS):
            before = list(entries)
            for i, table in enumerate(values):
                rest = total - table[:, entries[i]]
                entries[i] = self._better(rest[:, None] + table, entries[i], weight)
                total = rest + table[:, entries[i]]
            for a, b in rng.integers(self.lines, size=(PAIRS, 2)).tolist():
                if a == b:
                    continue
                A, B = values[a], values[b]
                first[:TRIES] = rng.integers(A.shape[1], size=TRIES)
                first[TRIES] = entries[a]
                rest = total - A[:, entries[a]] - B[:, entries[b]]
                some = A.take(first, 1)
                some += rest[:, None]
                sums = (some[:, :, None] + B[:, None]).reshape(len(rest), -1)
                k = B.shape[1]
                best = self._better(sums, TRIES * k + entries[b], weight)
                entries[a], entries[b] = int(first[best // k]), best % k
                total = sums[:, best]
            if entries == before:
                break
        return total

    def _better(self, sums: FloatArray, now: int, weight: FloatArray) -> int:
        """Return the entry of least merit; the present one unless that is beaten."""
        merit = sums[0] + weight @ self._over(sums)
        best = int(merit.argmin())
        return best if merit[best] < merit[now] - 1e-12 * abs(merit[now]) else now


def tables(a: Archive, T: FloatArray, centre: FloatArray, whole: bool, k: int) -> Batches:
    """Tabulate with `k` places per line and choose.

    Returns the tables, the chosen points, best first, and the relative error of the sum at the
    first.
    """
    table = Tables(a, T, centre, a.m if whole else 0)
    yield from table.begin()
    lines = range(table.lines)
    yield from table.add([_places(a, table.lo[i], table.hi[i], k) for i in lines])
    choices = table.choose()
    for level in range(2):
        yield from table.add([_refinement(a, table, choices, i, level, k) for i in lines])
        choices = table.choose()
    points = np.array([table.point(choice.entries) for choice in choices])
    rows = yield points
    reach = sum(float(np.ptp(v[:, 0])) for v in table.values) + 1e-300
    return table, points, abs(rows.out[0, 0] - choices[0].total[0]) / reach


def _places(a: Archive, lo: float, hi: float, k: int) -> FloatArray:
    """Return the ends of a line and `k` places: refinements lie between those there are."""
    ends = [t for t in (lo, hi) if t != 0.0]  # the centre is a place already
    return np.concatenate([ends, _strata(a, lo, hi, k)])


def _strata(a: Archive, lo: float, hi: float, k: int) -> FloatArray:
    return lo + (hi - lo) * (np.arange(k) + a.rng.random(k)) / k


def _refinement(
    a: Archive, table: Tables, choices: list[Choice], i: int, level: int, k: int
) -> FloatArray:
    """Return new places on line i: where f is low (first level) and around the chosen entries."""
    at, new = table.at[i], []
    if level == 0:
        low = at[np.argsort(table.values[i][:, 0])[: max(5, len(at) // 10)]]
        new.append(_strata(a, low.min(), low.max(), k // 2))
    chosen = sorted({choice.entries[i] for choice in choices})
    for j in chosen:
        left, right = at[max(0, j - 1)], at[min(len(at) - 1, j + 1)]
        new.append(_strata(a, left, right, max(4, k // 2 // len(chosen))))
    return np.concatenate(new)

"""UDE-III and UDE-IV in plain Python: slow and clear, one section after the other.

It shares with the engine only the primitive draws and their order. Violations are means over the
constraints, as in the engine; the exponent of the level is that of their sum.
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.algorithms.reference_rdex import Draws, Individual


def precedes(a: Individual, b: Individual) -> bool:
    """Superiority of feasible: smaller violation first, then smaller objective."""
    return (a.v, a.f) < (b.v, b.f)


@dataclass(frozen=True)
class Settings:
    np: int = 100
    t: int = 25
    lp: int = 25
    h: int = 100
    sg: int = 50
    sprop: float = 0.5
    d_min: float = 1.0
    ranking: str = "both"
    prob: float = 1.0
    force_jrand: bool = False
    top_counting: str = "program"
    initial_order: str = "sof"
    sort_first: bool = True
    replaced: str = "best"


@dataclass
class Trial:
    point: Individual
    s: int
    F: float
    CR: float


class ReferenceUDE:
    def __init__(
        self,
        function: Callable[[np.ndarray], tuple[float, list[float], list[float]]],
        lower: list[float],
        upper: list[float],
        seed: int,
        max_fes: int,
        settings: Settings,
    ) -> None:
        self.function, self.set, self.max_fes = function, settings, max_fes
        self.lo, self.hi, self.D = np.array(lower), np.array(upper), len(lower)
        self.draw = Draws(seed)
        self.points: list[np.ndarray] = []
        self.seen: Counter[str] = Counter()

    def evaluate(self, x: np.ndarray) -> Individual:
        f, g, h = self.function(x)
        total = 0.0
        for value in g:
            total += max(0.0, value)
        for value in h:
            total += abs(value) if abs(value) > 1e-4 else 0.0
        self.nc = max(1, len(g) + len(h))
        self.points.append(x.copy())
        return Individual(x.copy(), f, total / self.nc)

    # --- 5: initialisation, 7: the loop ----------------------------------------------------------

    def run(self) -> None:
        NP, E = self.set.np, self.set.np + 2 * self.set.t
        self.P = []
        for _ in range(NP):
            x = [
                lo + self.draw.uniform() * (hi - lo)
                for lo, hi in zip(self.lo, self.hi, strict=True)
            ]
            self.P.append(self.evaluate(np.array(x)))
        self.stag = [0] * NP
        if self.set.initial_order == "sof":
            self.sort()
        else:
            self.P.sort(key=lambda point: point.f)
        self.eps0 = max(member.v for member in self.P)
        self.cp = 0.0
        if self.eps0 > 0:
            self.cp = max(0.0, min(33.0, (-math.log(self.eps0 * self.nc) - 6) / math.log(0.5)))
        self.MF = [[0.5] * self.set.h for _ in range(3)]
        self.MCR = [[0.5] * self.set.h for _ in range(3)]
        self.k = [0, 0, 0]
        self.W: dict[int, list[int]] = {1: [0, 0, 0]}
        self.L: dict[int, list[int]] = {1: [0, 0, 0]}
        self.archive: list[Individual] = []
        self.G, self.Gmax, self.eps = 1, self.max_fes // E, 0.0
        while len(self.points) + E <= self.max_fes:
            self.G += 1
            self.generation()

    def generation(self) -> None:
        NP, T, progress = self.set.np, self.set.t, self.G / self.Gmax
        self.eps = self.eps0 * (1 - progress) ** self.cp if progress <= 0.5 else 0.0
        self.W[self.G], self.L[self.G] = [0, 0, 0], [0, 0, 0]
        q = self.probabilities()
        threes = [[self.trial(i, s) for s in range(3)] for i in range(T)]
        ones = []
        for i in range(T, NP):
            w = self.draw.uniform()
            ones.append(self.trial(i, 0 if w <= q[0] else 1 if w <= q[0] + q[1] else 2))
        chosen = []
        for three in threes:
            best = three[0]
            for other in three[1:]:
                if precedes(other.point, best.point):
                    best = other
            chosen.append(best)
            self.W[self.G][best.s] += 1
            if self.set.top_counting == "report":
                for other in three:
                    self.L[self.G][other.s] += other is not best
        self.learn(threes)
        self.select(chosen + ones)
        if self.set.sort_first:
            self.sort()
            self.replace_stagnated()
        else:
            self.replace_stagnated()
            self.sort()

    # --- 6: trial vectors ------------------------------------------------------------------------

    def trial(self, i: int, s: int) -> Trial:
        NP, draw, is_top = self.set.np, self.draw, i < self.set.t
        ranked = self.set.ranking in ("both", "top" if is_top else "bottom")

        def uni(*excluded: int) -> int:
            while (r := draw.integer(NP)) in excluded:
                pass
            return r

        def rnk(*excluded: int) -> int:
            if not ranked:
                return uni(*excluded)
            weights = [NP - 1 - r for r in range(NP - 1)]  # the last rank is never drawn
            while (r := draw.weighted(weights)) in excluded:
                pass
            return r

        base = i
        if s == 2:
            p = math.floor(15 * draw.uniform() + 5.5)
            self.seen[f"p = {p}"] += 1
            while (a := draw.integer(p)) == i:
                pass
            if not is_top and self.set.prob < 1 and draw.uniform() >= self.set.prob:
                base = uni(i, a)
                self.seen["rand-to-pbest"] += 1
        else:
            a = rnk(i)
            if s == 0:
                base = a
        b = rnk(i, a, base)
        c = uni(i, a, base, b)
        r = draw.integer(self.set.h)
        CR = 1.0 if s == 1 else min(1.0, max(0.0, draw.normal(self.MCR[s][r], 0.1)))
        while (F := draw.cauchy(self.MF[s][r], 0.1)) <= 0:
            pass
        F = min(F, 1.0)
        x = [self.P[m].x for m in (base, a, b, c)]
        mutant = x[0] + F * (x[1] - x[0]) + F * (x[2] - x[3])
        crossed = self.crossover(self.P[i].x, mutant, CR)
        self.seen["equals its target"] += bool((crossed == self.P[i].x).all())
        self.seen["clipped"] += bool(((crossed < self.lo) | (crossed > self.hi)).any())
        return Trial(self.evaluate(np.clip(crossed, self.lo, self.hi)), s, F, CR)

    def crossover(self, target: np.ndarray, mutant: np.ndarray, CR: float) -> np.ndarray:
        if CR == 1:  # all coordinates cross, whatever is drawn: nothing is
            return mutant
        jrand = self.draw.integer(self.D) if self.set.force_jrand else None
        taken = [self.draw.uniform() <= CR or j == jrand for j in range(self.D)]
        return np.where(taken, mutant, target)

    # --- 8: memories, 9: probabilities -----------------------------------------------------------

    def learn(self, threes: list[list[Trial]]) -> None:
        for s in range(3):
            gains = []
            for target, three in zip(self.P, threes, strict=False):
                new = three[s].point
                if target.v > 0 and new.v < target.v:
                    gains.append((target.v - new.v, three[s]))
                    self.seen["gains in v"] += 1
                elif target.v == 0 and new.v == 0 and new.f < target.f:
                    gains.append((target.f - new.f, three[s]))
                    self.seen["gains in f"] += 1
            if not gains:
                self.seen["no gain"] += 1
                continue
            k, total, cr, f, f2 = self.k[s], 0.0, 0.0, 0.0, 0.0
            for weight, trial in gains:
                total += weight
                cr += weight * trial.CR
                f += weight * trial.F
                f2 += weight * trial.F * trial.F
            self.MF[s][k], self.MCR[s][k] = f2 / f, cr / total
            self.k[s] = (k + 1) % self.set.h
            self.seen["memory wraps"] += self.k[s] == 0

    def probabilities(self) -> tuple[float, float, float]:
        if self.set.lp >= self.G:
            return 0.33, 0.33, 0.34
        rates = []
        for s in range(3):
            window = range(self.G - self.set.lp, self.G)
            wins, losses = (sum(count[g][s] for g in window) for count in (self.W, self.L))
            rates.append((wins / (wins + losses) if wins + losses else 0.0) + 0.01)
            self.seen["strategy unused"] += wins + losses == 0
        q1 = rates[0] / sum(rates)
        q12 = (rates[0] + rates[1]) / sum(rates)
        return q1, q12 - q1, 1 - q12

    # --- 10: selection, 11: sorting and archive --------------------------------------------------

    def select(self, trials: list[Trial]) -> None:
        failed = []
        for i, trial in enumerate(trials):
            new, old = trial.point, self.P[i]
            within = self.eps > 0 and new.v <= self.eps and old.v <= self.eps
            self.seen["decided within eps"] += within and (new.f < old.f) != precedes(new, old)
            success = new.f < old.f if within else precedes(new, old)
            counts = i >= self.set.t or self.set.top_counting == "program"
            if success:
                self.P[i], self.stag[i] = new, 0
                self.W[self.G][trial.s] += counts
            else:
                self.stag[i] += 1
                self.L[self.G][trial.s] += counts
                failed.append(new)
                self.seen["ties"] += (new.v, new.f) == (old.v, old.f)
        self.archive += failed
        self.archive.sort(key=lambda point: (point.v, point.f))  # stable
        self.seen["archive cut"] += len(self.archive) > self.set.np
        self.archive = self.archive[: self.set.np]

    def sort(self) -> None:
        order = sorted(range(self.set.np), key=lambda i: (self.P[i].v, self.P[i].f))
        self.P = [self.P[i] for i in order]
        self.stag = [self.stag[i] for i in order]

    # --- 12: stagnation --------------------------------------------------------------------------

    def replace_stagnated(self) -> None:
        stagnated = [i for i in range(self.set.np) if self.stag[i] > self.set.sg]
        if len(stagnated) <= self.set.sprop * self.set.np:
            return
        x = np.array([member.x for member in self.P])
        if np.linalg.norm(x - x.mean(axis=0), axis=1).mean() <= self.set.d_min:
            self.seen["too close to replace"] += 1
            return
        chosen = stagnated[0]
        if self.set.replaced == "random":
            chosen = stagnated[self.draw.integer(len(stagnated))]
            self.seen["another than the best"] += chosen != stagnated[0]
        self.P[chosen] = self.archive[self.draw.integer(len(self.archive))]
        self.stag[chosen] = 0
        self.seen["replacements"] += 1

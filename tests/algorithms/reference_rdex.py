"""RDEx and DE-2LS in plain Python: slow and clear, one numbered step after the other.

It shares nothing with the engine but the four primitive draws (uniform, integer, normal, Cauchy),
which are tested on their own, and the order in which they are made; so the engine must visit the
same points to the last bit.

Symbols: P top population, Q front, A and B their eps-orders, N size, q pointer, s success rate, rho
EB rate, per slot b (flag), t (last trial's objective), m (objective at the generation's start).
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from de2ls.engine import random
from de2ls.engine.random import seed_state
from tests.helpers import compiled

INF = math.inf


class OutOfBudgetError(Exception):
    """The budget is used up, wherever the algorithm stands."""


@dataclass(frozen=True)
class Individual:
    x: np.ndarray
    f: float
    v: float


@dataclass(frozen=True)
class Settings:
    ls_sr: float = 0.85
    ls_fsr: float = 0.95
    ls_br: float = 0.005
    ls_mc: int = 2
    ls_sg: int = 8
    ls_isr: float = 0.015
    box: str = "repair"


class Draws:
    """The primitive draws, from the engine's random stream."""

    def __init__(self, seed: int) -> None:
        self.state = seed_state(seed)

    def uniform(self) -> float:
        return compiled(random.uniform)(self.state)

    def integer(self, count: int) -> int:
        return compiled(random.integer)(self.state, count)

    def normal(self, mean: float, deviation: float) -> float:
        return compiled(random.normal)(self.state, mean, deviation)

    def cauchy(self, location: float, scale: float) -> float:
        return compiled(random.cauchy)(self.state, location, scale)

    def weighted(self, weights: list[float]) -> int:
        """Draw an index by its weight: the first whose partial sum exceeds u times the sum."""
        target = self.uniform() * math.fsum(weights)
        partial = 0.0
        for i, weight in enumerate(weights):
            partial += weight
            if partial > target:
                return i
        return len(weights) - 1


def eps_order(members: list[Individual], eps: float) -> list[int]:
    """Positions, best first: v <= eps by f, then the others by v; ties: higher position first."""

    def key(i: int) -> tuple[bool, float, int]:
        f, v = members[i].f, members[i].v
        return (v > eps, v if v > eps else f, -i)

    return sorted(range(len(members)), key=key)


def is_better(x: Individual, y: Individual, d: float) -> bool:
    """The late local search's comparison, better(x, y; d)."""
    if x.v <= d and y.v <= d:
        return x.f < y.f
    if x.v <= d:
        return True
    if y.v <= d:
        return False
    return x.v < y.v or (abs(x.v - y.v) <= 1e-16 and x.f < y.f)


def lehmer_mean(values: list[float], weights: list[float]) -> float:
    """Return sum w x^2 / sum w x with normalised weights; 1 in the degenerate cases."""
    total = 0.0
    for weight in weights:
        total += weight
    if total == 0.0:
        return 1.0
    above = below = 0.0
    for x, weight in zip(values, weights, strict=True):
        w = weight / total
        above += w * x * x
        below += w * x
    return above / below if below > 1e-8 else 1.0


class ReferenceTrial:
    """A whole trial; `seen` counts what happened in it.

    The constants are RDEx's; its relatives change them, and override few methods.
    """

    H, MCR0, MF0, learning = 5, 1.0, 0.3, 0.5  # memory
    sr_exponent, F_sigma, CR_sigma = 1 / 3, 0.05, 0.1
    base_share, pressure = 0.3, 7.0
    eps_cutoff = 0.8
    eb_start, rho0 = 0.9, 0.7
    eb_share, eb_slope, eb_gamma, eb_f, eb_cr = 0.17, 0.5, 0.1, 0.4, 0.9
    perturb_rate, perturb_scale = 0.2, 0.1
    bound_mix = 0.5

    def __init__(
        self,
        function: Callable[[np.ndarray], tuple[float, list[float], list[float]]],
        lower: list[float],
        upper: list[float],
        seed: int,
        T: int,
        settings: Settings,
        N0: int,
        eq_tol: float = 1e-4,
        feasible_tol: float = 0.0,
    ) -> None:
        self.function, self.T, self.settings, self.N0 = function, T, settings, N0
        self.L, self.U, self.D = lower, upper, len(lower)
        self.eq_tol, self.feasible_tol = eq_tol, feasible_tol
        self.draw = Draws(seed)
        self.n = 0
        self.points: list[np.ndarray] = []
        self.incumbent: Individual | None = None
        self.incumbent_feasible = False
        self.seen: Counter[str] = Counter()

    # --- evaluating ------------------------------------------------------------------------------

    def evaluate(self, x: np.ndarray) -> Individual:
        if self.n == self.T:
            raise OutOfBudgetError
        f, g, h = self.function(x)
        terms = [max(0.0, value) for value in g]
        terms += [abs(value) if abs(value) > self.eq_tol else 0.0 for value in h]
        total = 0.0
        for term in terms:
            total += term
        self.n += 1
        self.points.append(x.copy())
        new = Individual(x.copy(), f, total / max(1, len(terms)))
        self.update_incumbent(new, total <= self.feasible_tol)
        return new

    def update_incumbent(self, new: Individual, feasible: bool) -> None:
        if not self.is_inside(new.x):
            return
        best = self.incumbent
        if best is None:
            improves = True
        elif feasible != self.incumbent_feasible:
            improves = feasible
        elif feasible:
            improves = new.f < best.f
        else:
            improves = new.v < best.v
        if improves:
            self.incumbent, self.incumbent_feasible = new, feasible

    def is_inside(self, x: np.ndarray) -> bool:
        inside = all(self.L[j] <= x[j] <= self.U[j] for j in range(self.D))
        self.seen["outside"] += not inside
        return inside

    def repaired(self, value: float, parent: float, j: int) -> float:
        if value < self.L[j]:
            self.seen["repair low"] += 1
            return (1 - self.bound_mix) * parent + self.bound_mix * self.L[j]
        if value > self.U[j]:
            self.seen["repair high"] += 1
            return (1 - self.bound_mix) * parent + self.bound_mix * self.U[j]
        return value

    # --- the trial -------------------------------------------------------------------------------

    def run(self) -> None:
        try:
            self.initialise()
            while True:
                self.generation()
        except OutOfBudgetError:
            pass

    def initialise(self) -> None:
        self.N, self.q = self.N0, 0
        self.MCR, self.MF, self.cursor = [self.MCR0] * self.H, [self.MF0] * self.H, 0
        self.s, self.rho, self.eps = 0.5, self.rho0, 0.0
        self.b, self.t = [0] * self.N0, [INF] * self.N0
        self.remembered: Individual | None = None
        self.counter = self.calls = 0
        self.last_centre: Individual | None = None
        self.P: list[Individual] = []
        for _ in range(self.N0):
            x = np.array(
                [self.L[j] + self.draw.uniform() * (self.U[j] - self.L[j]) for j in range(self.D)]
            )
            self.P.append(self.evaluate(x))
        self.Q = list(self.P)

    def generation(self) -> None:
        self.begin()  # 1 to 4
        for _ in range(self.N):
            self.trial()  # 5
        self.seen["generations"] += 1
        self.adapt_rho()  # 6
        self.s = len(self.successes) / self.N  # 7
        self.shrink()  # 8
        self.learn()  # 9
        self.late_local_search()  # 10
        self.merge()  # 11

    def begin(self) -> None:
        p = self.n / self.T
        # 1
        self.mF = self.s**self.sr_exponent
        # 2
        e = int(0.8 * self.N * (1 - p) ** 2)
        self.eps = sorted(individual.v for individual in self.Q)[e]
        if p > self.eps_cutoff:
            self.eps = 0.0
        # 3
        self.A = eps_order(self.P[: self.N], self.eps)
        # 4
        self.np1 = max(2, int(self.base_share * self.N))
        self.np2 = max(2, int(self.eb_share * self.N * (1 - self.eb_slope * p)))
        self.wexp = [math.exp(-self.pressure * i / self.N) for i in range(self.N)]
        self.wlin = [self.N - i for i in range(self.N)]
        self.m = [individual.f for individual in self.Q]
        self.P = self.P[: self.N]
        self.successes: list[tuple[float, float, float]] = []

    def trial(self) -> None:
        B = eps_order(self.Q, self.eps)
        c = self.draw.integer(self.N)
        flag, (toward, plus, minus, F, CR) = self.step(c, B)
        trial, CRa = self.crossover(self.Q[c], toward, plus, minus, F, F, CR, self.perturb_rate)
        self.judge(self.evaluate(trial), c, flag, F, CRa)

    def step(
        self, c: int, B: list[int]
    ) -> tuple[int, tuple[np.ndarray, np.ndarray, np.ndarray, float, float]]:
        if self.n / self.T >= self.eb_start and self.draw.uniform() < self.rho:
            self.seen["EB steps"] += 1
            return 1, self.eb_step(c, B)
        self.seen["base steps"] += 1
        return 0, self.base_step(c, B)

    def judge(self, new: Individual, c: int, flag: int, F: float, CRa: float) -> bool:
        self.t[c], self.b[c] = new.f, flag
        weight = self.success_weight(new, self.Q[c])
        if weight is None:
            return False
        self.P.append(new)
        self.Q[self.q] = new
        self.seen["wraps"] += self.q + 1 == self.N
        self.q = (self.q + 1) % self.N
        self.successes.append((CRa, F, weight))
        return True

    def base_step(
        self, c: int, B: list[int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
        draw = self.draw
        a = self.A[draw.integer(self.np1)]
        while a == c:
            a = self.A[draw.integer(self.np1)]
        r1 = B[draw.weighted(self.wexp)]
        while r1 == a:
            r1 = B[draw.weighted(self.wexp)]
        r2 = self.A[draw.integer(self.N)]
        while r2 in (a, r1):
            r2 = self.A[draw.integer(self.N)]
        k = draw.integer(self.H)
        F = draw.normal(self.mF, self.F_sigma)
        while not 0 <= F <= 1:
            F = draw.normal(self.mF, self.F_sigma)
        CR = min(1.0, max(0.0, draw.normal(self.MCR[k], self.CR_sigma)))
        return self.P[a].x, self.Q[r1].x, self.P[r2].x, F, CR

    def eb_step(
        self, c: int, B: list[int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
        draw = self.draw
        a = self.A[draw.weighted(self.wlin[: self.np2])]
        while a == c:
            a = self.A[draw.weighted(self.wlin[: self.np2])]
        r1 = B[draw.weighted(self.wlin)]
        while r1 == a:
            r1 = B[draw.weighted(self.wlin)]
        r2 = self.A[draw.weighted(self.wlin)]
        while r2 in (a, r1):
            r2 = self.A[draw.weighted(self.wlin)]
        k2 = draw.integer(self.H + 1)
        F_centre, CR_centre = self.eb_f, self.eb_cr
        if k2 < self.H:
            F_centre, CR_centre = self.MF[k2], self.MCR[k2]
        F = draw.cauchy(F_centre, self.eb_gamma)
        while not 0 <= F <= 1:
            F = draw.cauchy(F_centre, self.eb_gamma)
        CR = min(1.0, max(0.0, draw.normal(CR_centre, self.CR_sigma)))
        three = [self.P[a], self.Q[r1], self.P[r2]]
        best, mid, worst = sorted(three, key=lambda individual: individual.f)
        self.seen["EB reordered"] += best is not three[0] or mid is not three[1]
        return best.x, mid.x, worst.x, F, CR

    def crossover(
        self,
        Qc: Individual,
        toward: np.ndarray,
        plus: np.ndarray,
        minus: np.ndarray,
        F: float,
        F2: float,
        CR: float,
        perturb_rate: float,
    ) -> tuple[np.ndarray, float]:
        donor = Qc.x + F * (toward - Qc.x) + F2 * (plus - minus)
        taken = [True] * self.D
        perturbation = {}
        if CR < 1.0:  # with CR = 1 all coordinates cross, whatever is drawn: nothing is
            perturbed = perturb_rate > 0 and self.draw.uniform() < perturb_rate
            jrand = self.draw.integer(self.D)
            for j in range(self.D):
                taken[j] = self.draw.uniform() < CR or j == jrand
                if not taken[j] and perturbed:
                    perturbation[j] = self.draw.cauchy(Qc.x[j], self.perturb_scale)
        trial = Qc.x.copy()
        for j in range(self.D):
            if taken[j]:
                trial[j] = self.repaired(donor[j], Qc.x[j], j)
            elif j in perturbation:
                self.seen["perturbed coordinates"] += 1
                trial[j] = perturbation[j]
                if self.settings.box == "repair":
                    trial[j] = self.repaired(trial[j], Qc.x[j], j)
        return trial, sum(taken) / self.D

    def success_weight(self, new: Individual, old: Individual) -> float | None:
        u_new = 0.0 if new.v <= self.eps else new.v
        u_old = 0.0 if old.v <= self.eps else old.v
        if new.f <= old.f and (new.v <= self.eps or u_new == u_old):
            self.seen["successes by f"] += 1
            return old.f - new.f
        if u_new < u_old:
            self.seen["successes by v"] += 1
            return u_old - u_new
        return None

    def adapt_rho(self) -> None:
        share = self.eb_share_of_gains()
        self.rho = self.rho0 if share is None else share

    def eb_share_of_gains(self) -> float | None:
        EB = base = 0.0
        for i in range(self.N):
            if self.t[i] <= self.m[i]:
                if self.b[i] == 1:
                    EB += self.m[i] - self.t[i]
                else:
                    base += self.m[i] - self.t[i]
        if EB == 0 or base == 0:
            return None
        self.seen["rho adapted"] += 1
        return EB / (EB + base)

    def shrink(self) -> None:
        new_N = int(self.N0 + (4 - self.N0) * self.n / self.T)
        worst = set(eps_order(self.Q, self.eps)[new_N:])
        self.Q = [self.Q[i] for i in range(self.N) if i not in worst]
        self.seen["pointer past the front"] += self.q >= new_N
        self.seen["shrinks"] += new_N < self.N
        self.q %= new_N
        self.N = new_N

    def learn(self) -> None:
        if not self.successes:
            self.seen["generations without success"] += 1
            return
        CRs, Fs, weights = (list(column) for column in zip(*self.successes, strict=True))
        self.seen["generations of weight 0"] += not any(weights)
        k = self.cursor
        new, old = self.learning, 1 - self.learning
        self.MCR[k] = old * self.MCR[k] + new * lehmer_mean(CRs, weights)
        self.MF[k] = old * self.MF[k] + new * lehmer_mean(Fs, weights)
        self.cursor = (k + 1) % self.H

    def merge(self) -> None:
        if self.successes:
            self.P = [self.P[i] for i in eps_order(self.P, self.eps)]
        self.P = self.P[: self.N]

    # --- the late local search -------------------------------------------------------------------

    def late_local_search(self) -> None:
        settings, delta = self.settings, 1e-4
        if settings.ls_mc == 0:
            return
        assert self.incumbent is not None
        if self.remembered is None or is_better(self.incumbent, self.remembered, delta):
            self.remembered, self.counter = self.incumbent, 0
        else:
            self.counter += 1
        p = self.n / self.T
        stagnates = (
            p >= settings.ls_sr
            and self.counter >= settings.ls_sg
            and self.incumbent.v <= max(delta, self.eps)
        )
        if self.calls < settings.ls_mc and (stagnates or p >= settings.ls_fsr) and self.n < self.T:
            self.calls += 1
            self.seen["calls by stagnation"] += p < settings.ls_fsr
            start = self.incumbent
            if self.last_centre is not None and is_better(self.last_centre, start, delta):
                start = self.last_centre
                self.seen["calls from the last centre"] += 1
            self.last_centre = self.local_search(start, delta)
            if self.last_centre is not start:
                self.inject(self.last_centre)

    def local_search(self, centre: Individual, delta: float) -> Individual:
        self.left = min(max(int(self.settings.ls_br * self.T), 2 * self.D), self.T - self.n)
        rate = self.settings.ls_isr
        while self.left > 0 and rate > 1e-8:
            improved = self.scan(centre, rate, delta)
            if improved is None:
                rate /= 2
                self.seen["halvings"] += self.left > 0
            else:
                centre = improved
                self.seen["local moves"] += 1
        self.seen["smallest step"] += rate <= 1e-8
        return centre

    def scan(self, centre: Individual, rate: float, delta: float) -> Individual | None:
        """Return the first better point around the centre, if the call's budget reaches it."""
        for j in range(self.D):
            for sign in (-1, 1):
                if self.left == 0:
                    return None
                self.left -= 1
                x = centre.x.copy()
                moved = x[j] + sign * (rate * (self.U[j] - self.L[j]))
                x[j] = self.repaired(moved, x[j], j)
                new = self.evaluate(x)
                self.seen["local evaluations"] += 1
                if is_better(new, centre, delta):
                    return new
        return None

    def inject(self, centre: Individual) -> None:
        worst = eps_order(self.Q, self.eps)[-1]
        if is_better(centre, self.Q[worst], self.eps):
            self.Q[worst] = centre
            self.seen["into Q"] += 1
        worst = eps_order(self.P, self.eps)[-1]
        if is_better(centre, self.P[worst], self.eps):
            self.P[worst] = centre
            self.seen["into P"] += 1

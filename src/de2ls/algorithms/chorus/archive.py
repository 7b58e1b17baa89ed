"""What the arms of CHORUS share: the unit box, the points seen, the incumbents, starts and bases.

All arms work in the unit box, u = (x - lower) / (upper - lower). An output row is
O = (f, g_1.., h_1..); a row with a NaN or an infinity counts as f = g = BIG.

| symbol | here | meaning |
|---|---|---|
| n, m | `n`, `m` | coordinates; constraints, inequalities first |
| v | `Rows.v` | summed violation, as the problem defines it |
| u* , f* | `best_u`, `best_f` | best feasible point and its objective |
| u_v | `least_u` | point of least violation |
| u_r | `relaxed_u` | point of least objective, constraints ignored |
| sigma_j / size_j | `eta` | noise of output j relative to its typical size |
"""

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from de2ls._checks import FloatArray
from de2ls.algorithms.batches import Answers, Space
from de2ls.algorithms.chorus.box import UnitBox
from de2ls.algorithms.chorus.config import ChorusConfig
from de2ls.algorithms.chorus.memory import Memory
from de2ls.algorithms.chorus.optima import Optima
from de2ls.algorithms.chorus.walls import Failures

BIG = 1e100  # stands for NaN and infinities
USABLE = 1e50  # outputs beyond it are no values


class Rows(NamedTuple):
    """Outputs of a batch: rows (f, g.., h..) without NaN, and the summed violations."""

    out: FloatArray
    v: FloatArray

    @property
    def usable(self) -> Any:
        """Which rows hold values."""
        return np.maximum.reduce(np.abs(self.out), 1) < USABLE


class Start(NamedTuple):
    """A start that an arm proposes to the local arm."""

    u: FloatArray
    radius: float


Batches = Generator[FloatArray | None, Rows, Any]  # an arm: asks for batches, None ends an episode
Score = tuple[int, float]  # 0 and f* once a point is feasible, before that 1 and the least v


class Archive(UnitBox):
    """The shared memory of the arms.

    Parameters
    ----------
    space : Space
        The problem as a search sees it.
    rng : numpy.random.Generator
        The run's random numbers.
    budget : int
        Evaluations in all.
    config : ChorusConfig
        All constants.
    """

    def __init__(
        self, space: Space, rng: np.random.Generator, budget: int, config: ChorusConfig
    ) -> None:
        super().__init__(space)
        self.rng, self.budget, self.config = rng, int(budget), config
        self.ng, self.nh = int(space.n_ineq), int(space.n_eq)
        self.m = self.ng + self.nh
        self.eq_tol = np.broadcast_to(np.asarray(space.eq_tol, float), (self.nh,))
        self.feasible_tol = float(space.feasible_tol)
        self.slack = np.broadcast_to(space.ineq_tol, self.ng) + self.feasible_tol / max(1, self.ng)
        self.evals = 0
        self.failures = Failures()
        self.valued = False  # whether any point had a value
        self.searches, self.independent, self.last_gain = 0, 0, 0  # local searches
        self.failed = 0  # of them, in a row and until now, without gain
        self.optima = Optima(self.feasible_tol, config.optima)
        self.best_f, self.best_u = np.inf, None
        self.least_v, self.least_u, self.least_f = np.inf, None, np.inf
        self.relaxed_f, self.relaxed_u, self.relaxed_v = np.inf, None, np.inf
        self.h_low, self.h_high = np.full(self.nh, np.inf), np.full(self.nh, -np.inf)
        self.starts: list[Start] = []
        self.first_starts: list[FloatArray] = []  # injected points that gained: before all else
        self.bases: dict[str, FloatArray] = {}  # linear bases the arms found, as columns
        self.memory = Memory(int(min(self.budget, config.memory)), self.n, 1 + self.m)
        self.size = np.zeros(1 + self.m)
        self.eta = np.zeros(1 + self.m)
        self.noisy = False  # too noisy for differences
        self.probed = -np.inf  # evaluations at the last probe
        self.clean = 0  # probes in a row without noise

    best_u: FloatArray | None
    least_u: FloatArray | None
    relaxed_u: FloatArray | None

    @property
    def feasible(self) -> bool:
        """Whether a feasible point is known."""
        return self.best_u is not None

    @property
    def incumbent(self) -> FloatArray:
        """The best point: feasible if there is one, else of least violation."""
        if self.best_u is not None:
            return self.best_u
        return np.full(self.n, 0.5) if self.least_u is None else self.least_u

    @property
    def multimodal(self) -> bool:
        """Whether local searches end at ever new values, and not only for their faces."""
        return not self.discrete.size and self.optima.many

    @property
    def score(self) -> Score:
        """What improves."""
        return (0, self.best_f) if self.feasible else (1, self.least_v)

    @property
    def squares(self) -> npt.NDArray[np.bool_]:
        """Which equalities have shown only one sign: they are taken for squares."""
        known = self.config.roots and self.evals > 8
        one_sign = (self.h_low > -self.eq_tol) | (self.h_high < self.eq_tol)
        squares: npt.NDArray[np.bool_] = known & one_sign & (self.eq_tol > 0)
        return squares

    def noise_at(self, out: FloatArray) -> FloatArray:
        """Return the noise of the first outputs where they have these values; 0 without alarm."""
        k = len(out)
        noise: FloatArray = self.noisy * self.eta[:k] * np.maximum(self.size[:k], np.abs(out))
        return noise

    @property
    def idle(self) -> FloatArray:
        """Size up to which an output decides nothing: 0 of the objective, else the tolerance."""
        return np.concatenate([[0.0], self.slack, self.eq_tol])

    @property
    def score_noise(self) -> float:
        """Noise of the score; 0 without alarm."""
        return self.f_noise(self.best_f) if self.feasible else self.key_noise("v")

    def f_noise(self, f: float) -> float:
        """Return the noise of the objective where it has the value `f`; 0 without alarm."""
        return float(self.eta[0]) * max(float(self.size[0]), abs(f)) if self.noisy else 0.0

    @property
    def left(self) -> int:
        """Evaluations that are left."""
        return self.budget - self.evals

    def rows(self, answers: Answers) -> Rows:
        """Return the answers as rows without NaN."""
        out = np.empty((len(answers.f), 1 + self.m))
        out[:, 0] = answers.f
        if self.ng:
            out[:, 1 : 1 + self.ng] = answers.g
        if self.nh:
            out[:, 1 + self.ng :] = answers.h
        v = np.asarray(answers.v, float)
        self.valued = self.valued or bool((answers.f < np.inf).any())
        if not np.maximum.reduce(np.abs(out), None) < BIG:
            bad = ~(np.abs(out) < BIG)
            out[bad] = BIG
            out[bad.any(1), 0] = BIG
            v = np.where(bad.any(1), BIG, v)
        return Rows(out, v)

    def take_injected(self) -> None:
        """Take in points that were evaluated elsewhere; one that gains is the next start."""
        while self.space.injected:
            X, answers = self.space.injected.pop(0)
            before, U = self.score, self.unit(X)
            self.record(U, self.rows(answers))
            if self.score < before:
                self.first_starts.append(U[0])

    def record(self, U: FloatArray, rows: Rows) -> None:
        """Take evaluated points in."""
        f, v = rows.out[:, 0], rows.v
        before = self.score
        self.memory.add(U, rows.out)
        if self.nh:
            h = rows.out[rows.usable, 1 + self.ng :]
            np.minimum(self.h_low, np.minimum.reduce(h, initial=np.inf), out=self.h_low)
            np.maximum(self.h_high, np.maximum.reduce(h, initial=-np.inf), out=self.h_high)
        i = int(f.argmin())
        if f[i] < self.relaxed_f or self.relaxed_u is None:
            self.relaxed_f, self.relaxed_u, self.relaxed_v = f[i], U[i].copy(), v[i]
        i = int(v.argmin())
        if v[i] < self.least_v or self.least_u is None:
            self.least_v, self.least_u, self.least_f = v[i], U[i].copy(), f[i]
        if v[i] <= self.feasible_tol:
            value = np.where(v <= self.feasible_tol, f, np.inf)
            i = int(value.argmin())
            if value[i] < self.best_f and value[i] < USABLE:
                self.best_f, self.best_u = float(value[i]), U[i].copy()
        if better(self.score, before, 1e-6):
            self.last_gain = self.evals

    def ended(self, end: Any, mode: str, independent: bool, gained: bool) -> None:
        """Keep where a local search ended, and whether it gained."""
        self.searches += 1
        self.independent += independent and end.f < USABLE  # not where it could not begin
        self.failed = 0 if gained else self.failed + 1
        if end.converged and mode == "con":
            self.optima.add(end, independent, float(self.size[0]), self.noisy)
            self.note()

    def done(self) -> str:
        """Return why the search may end, if it may."""
        config = self.config
        if not config.stop_when_done:
            return ""
        trust = self.optima.at_value(self.best_f, self.size[0]) if self.feasible else 0
        if trust >= config.agree:
            return f"{trust} independent searches ended at the best value"
        # moves of discrete coordinates gain rarely
        least = config.stall_discrete if self.discrete.size else config.stall_least
        least *= self.n + 1
        if config.stall and not self.valued:
            return "no point had a value" if self.evals > least else ""
        long = max(least, config.stall * self.last_gain)
        stalled = self.evals - self.last_gain > long and self.independent >= config.agree
        # one search of many found the best optimum: there may be better ones
        doubtful = trust < 2 and self.optima.several and not self.discrete.size
        return "no gain for long" if config.stall and stalled and not doubtful else ""

    def note(self) -> None:
        """Write down what is known of the solution, for whoever reports it."""
        notes = self.space.notes
        known = self.optima.known(float(self.size[0]))
        notes["optima"] = [optimum.noted(self, self.m) for optimum in known]
        notes["size"] = self.size
        notes["noise"] = self.eta * self.size if self.noisy else np.zeros(1 + self.m)

    def key(self, rows: Rows, mode: str) -> FloatArray:
        """Order of points: "f" by objective, "v" by violation, "rules" feasible ones first."""
        if mode == "f":
            return rows.out[:, 0]
        if mode == "v":
            return rows.v
        unit = 1.0 + abs(self.best_f if self.feasible else self.least_f)
        rank = -1.0 + np.arctan(rows.out[:, 0] / unit) / np.pi
        return np.where(rows.v <= self.feasible_tol, rank, rows.v)

    def key_noise(self, mode: str) -> float:
        """Return the noise of `key`; 0 where outputs are exact."""
        if not self.noisy:
            return 0.0
        noise = self.eta * self.size
        if mode == "f":
            return float(noise[0])
        if mode == "v":
            return float(noise[1:].sum())
        unit = 1.0 + abs(self.best_f if self.feasible else self.least_f)
        return float(noise[0] / unit / np.pi / 2)

    def best_first(self, rows: Rows) -> Any:
        """Return the order of points by feasibility rules."""
        return np.lexsort((rows.out[:, 0], np.where(rows.v <= self.feasible_tol, 0.0, rows.v)))

    def propose(self, u: FloatArray, radius: float | None = None) -> None:
        """Put a start into the local arm's queue."""
        self.starts.append(Start(u, self.config.start_radius if radius is None else radius))

    def random(self, k: int) -> FloatArray:
        """Return `k` uniform points of the unit box."""
        return self.rng.random((k, self.n))

    def count(self, name: str, by: float = 1.0) -> None:
        """Add to a counter of the record."""
        self.space.counters[name] = self.space.counters.get(name, 0.0) + by


def better(a: Score, b: Score, share: float = 0.0, noise: float = 0.0) -> bool:
    """Whether the score a is better than b by more than rounding, a share of b, and noise."""
    least = (1e-9 + share) * abs(b[1]) + 1e-12 + noise
    return a[0] < b[0] or (a[0] == b[0] and a[1] < b[1] - least)

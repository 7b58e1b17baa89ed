"""Members, their order, and the search that evaluates them.

| symbol | here | meaning |
|---|---|---|
| t, T | `t`, `budget` | evaluations so far, budget |
| eps | `level` | members whose violation is at most this are ordered by f alone |
| x, f, v | `Members` | points, objectives, summed violations |

The eps-order: both v <= eps, or v equal: by f; else by v. A level of 0 is the feasibility rule.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.algorithms.config import Config, parameter
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.jit.kernels import block, kernel, routine

Mask = NDArray[np.bool_]
Search = Generator[FloatArray, Any, Any]


@dataclass(frozen=True, kw_only=True)
class LineageConfig(Config):
    """What all algorithms of the lineage have: sizes, and how they order what is infeasible."""

    derived: ClassVar[tuple[str, ...]] = ("n0",)

    n0: int | None = parameter(None, "N0: initial population size; None: by D", 4)
    n_min: int = parameter(4, "Nmin: population size at the end of the budget", 4)
    handling: str = parameter(
        "epsilon",
        "order of infeasible members: a falling epsilon level, or the feasibility rule",
        options=("epsilon", "feasibility"),
    )
    eps_share: float = parameter(0.2, "share of the first population within the level", 0.0, 1.0)
    eps_end: float = parameter(0.8, "Tc / T: progress from which the level is 0", 0.0, 1.0)
    eps_power: float = parameter(5.0, "cp: exponent of the level's decrease", 0.0)

    def default_size(self, dim: int) -> int:
        """Return N0 as the algorithm's program has it."""
        raise NotImplementedError


@dataclass
class Members:
    """Evaluated points: x (n, D), f (n,), v (n,)."""

    x: FloatArray
    f: FloatArray
    v: FloatArray

    def __len__(self) -> int:
        return len(self.f)

    def __getitem__(self, which: Any) -> "Members":
        return Members(self.x[which], self.f[which], self.v[which])

    def put(self, which: Any, others: "Members") -> None:
        """Put others in some places."""
        self.x[which], self.f[which], self.v[which] = others.x, others.f, others.v

    def replace(self, which: Mask, others: "Members") -> None:
        """Replace the marked members by the others in the same places."""
        replace_rows(self.x, self.f, self.v, which, others.x, others.f, others.v)

    def joined(self, others: "Members") -> "Members":
        """Return these members and others behind them."""
        return Members(
            np.concatenate((self.x, others.x)),
            np.concatenate((self.f, others.f)),
            np.concatenate((self.v, others.v)),
        )

    def order(self, level: float = 0.0) -> IntArray:
        """Return the indices in eps-order, best first."""
        return order_of(self.f, self.v, level)

    def sorted(self, level: float = 0.0) -> "Members":
        """Return the members in eps-order."""
        return self[self.order(level)]

    def best(self, count: int, level: float = 0.0) -> "Members":
        """Return the `count` best, in the order in which they stand."""
        return Members(*_best(self.x, self.f, self.v, count, level))


@kernel
def order_of(f: FloatArray, v: FloatArray, level: float) -> IntArray:
    """Sort by f, and then by the violation beyond the level; both sorts are stable."""
    order = np.argsort(f, kind="mergesort")
    beyond, some = np.zeros(f.size), False
    for place, i in enumerate(order):
        if not v[i] <= level:
            beyond[place], some = v[i], True
    return order[np.argsort(beyond, kind="mergesort")] if some else order


@kernel
def _best(
    x: FloatArray, f: FloatArray, v: FloatArray, count: int, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    kept = np.sort(order_of(f, v, level)[:count])
    return x[kept], f[kept], v[kept]


@kernel
def replace_rows(
    x: FloatArray,
    f: FloatArray,
    v: FloatArray,
    which: Mask,
    new_x: FloatArray,
    new_f: FloatArray,
    new_v: FloatArray,
) -> None:
    """Put others in the marked places."""
    for i in range(which.size):
        if which[i]:
            x[i] = new_x[i]
            f[i], v[i] = new_f[i], new_v[i]


@block
def better(f: float, v: float, than_f: float, than_v: float, level: float) -> bool:
    """Whether (f, v) comes before another in eps-order."""
    if v == than_v or (v <= level and than_v <= level):
        return f < than_f
    return v < than_v


def better_of(best: Members, others: Members) -> Members:
    """Return the one best member, or the first of the best others where it is better at eps = 0."""
    i = _first_better(best.f, best.v, others.f, others.v)
    return best if i < 0 else Members(others.x[[i]], others.f[[i]], others.v[[i]])


@kernel
def _first_better(f: FloatArray, v: FloatArray, new_f: FloatArray, new_v: FloatArray) -> int:
    found, best_f, best_v = -1, f[0], v[0]
    for i in range(new_f.size):
        if better(new_f[i], new_v[i], best_f, best_v, 0.0):
            found, best_f, best_v = i, new_f[i], new_v[i]
    return found


class Best(NamedTuple):
    """The best of all points, in arrays that stay."""

    x: FloatArray  # (1, D)
    f: FloatArray  # (1,)
    v: FloatArray  # (1,)


@routine
def take_better(best: Best, x: FloatArray, f: FloatArray, v: FloatArray) -> None:
    """Let the first of the best members be the best one where it is better at eps = 0."""
    i = _first_better(best.f, best.v, f, v)
    if i >= 0:
        best.x[0] = x[i]
        best.f[0], best.v[0] = f[i], v[i]


AnyConfig = TypeVar("AnyConfig", bound=LineageConfig, covariant=True)


class Run(Generic[AnyConfig]):
    """A search under way: its box, its random numbers, its clock and its level.

    Parameters
    ----------
    space, rng, budget, config
        As a search gets them.
    """

    def __init__(
        self, space: Any, rng: np.random.Generator, budget: int, config: AnyConfig
    ) -> None:
        self.space, self.config = space, config
        self.numpy_rng = rng
        self.rng = rng.integers(0, 2**64, 4, dtype=np.uint64)  # the compiled blocks' own stream
        self.box = np.array([space.lower, space.upper], dtype=np.float64)
        self.dim: int = space.dim
        self.t, self.budget = 0, budget
        self._first_level = 0.0

    @property
    def progress(self) -> float:
        """Return t / T."""
        return self.t / self.budget

    @property
    def level(self) -> float:
        """The epsilon level, eps0 (1 - t / Tc)^cp before Tc and 0 after."""
        end = self.config.eps_end * self.budget
        if self._first_level == 0.0 or self.t >= end:
            return 0.0
        return float(self._first_level * (1.0 - self.t / end) ** self.config.eps_power)

    def first(self, members: Members) -> Members:
        """Set the level by the first population, which is returned."""
        if self.config.handling == "epsilon":
            v = np.sort(members.v[np.isfinite(members.v)])
            place = int(self.config.eps_share * len(members))
            self._first_level = float(v[min(place, v.size - 1)]) if v.size else 0.0
        return members

    def start(self) -> Generator[FloatArray, Any, Members]:
        """Evaluate N0 uniform points (the user's starting points first) and set the level."""
        size = initial_size(self.config, self.dim, self.budget)
        x0 = np.asarray(self.space.x0, dtype=np.float64)[:size]
        sampled = self.space.sample(self.numpy_rng, size - len(x0))
        return self.first((yield from self.evaluate(np.concatenate((x0, sampled)))))

    def evaluate(self, x: FloatArray) -> Generator[FloatArray, Any, Members]:
        """Have points evaluated; what has no value counts as worst."""
        y = yield x
        self.t += len(x)
        return Members(x, np.asarray(y.f), np.asarray(y.v))


def initial_size(config: LineageConfig, dim: int, budget: int) -> int:
    """Return N0: as asked for, or the default, of which at most half the budget is spent."""
    if config.n0 is not None:
        if config.n0 > budget:
            raise ValueError(f"n0 must be at most max_evals={budget}, got {config.n0}")
        return config.n0
    return max(config.n_min, min(config.default_size(dim), budget // 2))

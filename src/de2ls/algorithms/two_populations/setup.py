"""The parameters of the shared generation, and its state before the first candidate."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from de2ls.algorithms.config import Config, parameter
from de2ls.engine.state import Fields, State, new_state
from de2ls.problems.problem import Problem

FIELDS = [
    ("pointer", "i8"),
    ("sr", "f8"),
    ("f_mean", "f8"),
    ("n_base", "i8"),  # np1: attractors of the base step
    ("n_eb", "i8"),  # np2: attractors of the EB step
    ("rank_tail", "f8"),  # 1 - exp(-pressure)
    ("eb_rate", "f8"),
    ("cursor", "i8"),
    ("n_success", "i8"),
    ("pool", "i8"),  # members of P and successes at the generation's end
]
SLOT_FIELDS = [
    ("last", "f8"),
    ("start", "f8"),
    ("flag", "i8"),
    # the generation's successes
    ("cr", "f8"),
    ("f", "f8"),
    ("weight", "f8"),
    # room to select and to permute in
    ("work_f", "f8"),
    ("work_v", "f8"),
]
CELL = np.dtype([("cr", "f8"), ("f", "f8")])


@dataclass(frozen=True, kw_only=True)
class TwoPopulationConfig(Config):
    """Parameters of the shared generation; the defaults are RDEx's."""

    derived: ClassVar[tuple[str, ...]] = ("n0",)

    n0: int | None = parameter(None, "initial population size N0; None: n0_per_dim times D", 4)
    n0_per_dim: float = parameter(10.0, "initial population size per dimension", 0.1)
    n_min: int = parameter(4, "population size at the end of the budget", 4)
    h: int = parameter(5, "number of memory cells", 1)
    mcr: float = parameter(1.0, "initial value of the CR memory", 0.0, 1.0)
    mf: float = parameter(0.3, "initial value of the F memory", 0.0, 1.0)
    learning_rate: float = parameter(0.5, "weight of the new mean in a memory cell", 0.0, 1.0)
    sr: float = parameter(0.5, "initial success rate", 0.0, 1.0)
    sr_exponent: float = parameter(1.0 / 3.0, "exponent of the success rate in mF", 0.0)
    f_sigma: float = parameter(0.05, "deviation of the base step's F", 0.0, 1.0)
    cr_sigma: float = parameter(0.1, "deviation of CR", 0.0, 1.0)
    p_base: float = parameter(0.3, "share of P that attracts in the base step", 0.0, 1.0)
    pressure: float = parameter(7.0, "rank pressure in the choice from Q", 1e-3, 30.0)
    eps_factor: float = parameter(0.8, "share of Q within the epsilon level at the start", 0.0, 1.0)
    eps_cutoff: float = parameter(0.8, "progress p beyond which the level is 0", 0.0, 1.0)
    eb_start: float = parameter(0.9, "progress p from which EB steps are made; 2: never", 0.0, 2.0)
    eb_rate: float = parameter(0.7, "EB rate rho while its credit is undecided", 0.0, 1.0)
    p_eb: float = parameter(0.17, "share of P that attracts in the EB step at p = 0", 0.0, 1.0)
    p_eb_slope: float = parameter(0.5, "relative decrease of that share up to p = 1", 0.0, 1.0)
    eb_gamma: float = parameter(0.1, "scale of the EB step's F", 0.0, 1.0)
    eb_f: float = parameter(0.4, "centre of the EB step's F without memory", 0.0, 1.0)
    eb_cr: float = parameter(0.9, "centre of the EB step's CR without memory", 0.0, 1.0)
    perturb_rate: float = parameter(0.2, "probability that a trial is perturbed", 0.0, 1.0)
    perturb_scale: float = parameter(0.1, "scale of the perturbation, in units of x", 0.0)
    bound_mix: float = parameter(0.5, "weight of the bound in bound repair", 0.0, 1.0)
    box: str = parameter(
        "repair",
        "whether perturbed coordinates are repaired, or leave the box as in the published program",
        options=("repair", "published"),
    )

    def initial_size(self, dim: int, budget: int) -> int:
        """Return N0 for a problem of dimension `dim`.

        At least half of the budget is left to the search: a default N0 larger than T / 2 is cut.
        An N0 that was asked for is never changed.
        """
        if self.n0 is not None:
            if self.n0 < self.n_min:
                raise ValueError(f"n0 must be at least n_min={self.n_min}, got {self.n0}")
            if self.n0 > budget:
                raise ValueError(f"n0 must be at most max_evals={budget}, got {self.n0}")
            return self.n0
        if self.n_min > budget:
            raise ValueError(f"n_min must be at most max_evals={budget}, got {self.n_min}")
        return min(max(self.n_min, int(self.n0_per_dim * dim)), max(self.n_min, budget // 2))


def start(
    problem: Problem,
    config: TwoPopulationConfig,
    seed: int,
    budget: int,
    fields: Fields = (),
    slot_fields: Fields = (),
    extra_rows: int = 0,
) -> State:
    """Return the state before the first candidate.

    `fields` are the algorithm's own in `now`, `slot_fields` those of each slot; `extra_rows`
    vectors follow those of P and Q.
    """
    n0 = config.initial_size(problem.dim, budget)
    slot = np.zeros(2 * n0, np.dtype([*SLOT_FIELDS, *slot_fields]))
    slot["last"] = np.inf
    cells = np.zeros(config.h, CELL)
    cells["cr"], cells["f"] = config.mcr, config.mf
    state = new_state(
        problem,
        config.as_record(),
        seed,
        budget,
        n0=n0,
        top=2 * n0,
        front=n0,
        fields=[*FIELDS, *fields],
        extra_rows=extra_rows,
        slot=slot,
        orders=4,
        memory=cells,
    )
    state.rank[:, : 2 * n0] = np.arange(2 * n0)
    now = state.now[0]
    now["sr"], now["eb_rate"] = config.sr, config.eb_rate
    now["rank_tail"] = -math.expm1(-config.pressure)
    now["watch_box"] = config.box == "published"
    return state

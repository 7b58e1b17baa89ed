"""The success history: H cells that remember which F and CR succeeded."""

from dataclasses import dataclass

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage.members import LineageConfig
from de2ls.jit.kernels import block, kernel

TERMINAL = -1.0  # of CR: no successful trial took more than its forced coordinate


@dataclass(frozen=True, kw_only=True)
class MemoryConfig(LineageConfig):
    """Parameters of the success history, and of the archive that goes with it."""

    mf: float = parameter(0.5, "MF: initial memory of F", 0.0, 1.0)
    mcr: float = parameter(0.5, "MCR: initial memory of CR", 0.0, 1.0)
    f_scale: float = parameter(0.1, "scale of F's Cauchy distribution", 0.0)
    cr_sigma: float = parameter(0.1, "deviation of CR", 0.0)
    archive: float = parameter(1.4, "archive size per member", 0.0)


@dataclass(frozen=True, kw_only=True)
class LSHADEConfig(MemoryConfig):
    """Parameters of L-SHADE, for the algorithms that add to it."""

    n0_per_dim: float = parameter(18.0, "N0 / D", 1.0)
    h: int = parameter(5, "H: memory cells", 1)
    p: float = parameter(0.11, "p: share of the elite", 0.0, 1.0)

    def default_size(self, dim: int) -> int:
        """Return N0, a multiple of D."""
        return int(self.n0_per_dim * dim)


@block
def lehmer(weights: FloatArray, values: FloatArray) -> float:
    """Return the weighted Lehmer mean, sum w s^2 / sum w s; 0 if the denominator is."""
    first, second = 0.0, 0.0
    for w, s in zip(weights, values):  # noqa: B905 - compiled
        first += w * s
        second += w * s * s
    return second / first if first != 0.0 else 0.0


@block
def cell_after(old: float, mean: float) -> float:
    """Return what a cell holds after a mean: a terminal one stays so; all values 0 make it so."""
    return TERMINAL if old < 0.0 or mean == 0.0 else mean


class Memory:
    """Cells of F and CR; cell `k` is written next.

    Parameters
    ----------
    h : int
        H, the number of cells.
    mf, mcr : float
        What they hold at the start.
    keep : float
        Share of the old value in a new one. Without it a terminal CR stays for ever.
    """

    def __init__(self, h: int, mf: float, mcr: float, keep: float = 0.0) -> None:
        self.f = np.full(h, mf)
        self.cr = np.full(h, mcr)
        self.k = 0
        self.keep = keep

    def learn(self, weights: FloatArray, f: FloatArray, cr: FloatArray) -> None:
        """Write the weighted means of the successes' F and CR; weights that sum to 0 teach none.

        One weight per trial, 0 for those that failed.
        """
        self.k = learn(self.f, self.cr, self.k, self.keep, TERMINAL, weights, f, cr)

    def write(self, f: float, cr: float) -> None:
        """Write cell k, which stays the next one."""
        write(self.f, self.cr, self.k, self.keep, f, cr)


@kernel
def write(
    cells_f: FloatArray, cells_cr: FloatArray, k: int, keep: float, f: float, cr: float
) -> None:
    """Write F and CR in cell k, which keeps a share of its own."""
    cells_f[k] += (1.0 - keep) * (f - cells_f[k])
    cells_cr[k] += (1.0 - keep) * (cr - cells_cr[k])


@kernel
def learn(
    cells_f: FloatArray,
    cells_cr: FloatArray,
    k: int,
    keep: float,
    empty: float,
    weights: FloatArray,
    f: FloatArray,
    cr: FloatArray,
) -> int:
    """Write the weighted means in cell k; return the next one, or k if there are no weights.

    `empty` is remembered of successes whose CR are all 0.
    """
    total, mean_f, mean_cr = means(weights, f, cr, False)
    if total == 0.0:
        return k
    stays = keep == 0.0 and cells_cr[k] < 0.0  # TERMINAL, up to rounding
    write(cells_f, cells_cr, k, keep, mean_f, empty if stays or mean_cr == 0.0 else mean_cr)
    return int((k + 1) % cells_f.size)


@kernel
def means(
    weights: FloatArray, f: FloatArray, cr: FloatArray, arithmetic: bool
) -> tuple[float, float, float]:
    """Return the sum of the weights, the mean of F and that of CR (arithmetic, or Lehmer's)."""
    total, mean_cr = 0.0, 0.0
    for w, value in zip(weights, cr):  # noqa: B905 - compiled
        total += w
        mean_cr += w * value
    return total, lehmer(weights, f), mean_cr if arithmetic else lehmer(weights, cr)

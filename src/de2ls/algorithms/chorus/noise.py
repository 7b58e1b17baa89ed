"""Is there noise? Difference tables on short lines, confirmed at a second spacing.

Eight equally spaced values on a random line; T_k their k-th differences. For independent noise of
deviation sigma

    E T_k^2 = sigma^2 (2k)! / (k!)^2
    sigma = median over k = 3..6 of sqrt((k!)^2 / (2k)! mean T_k^2)

while a smooth function's differences of order k fall with spacing^k. What is found at the spacing
1e-6 of the box must persist at 1e-9 within a factor of 30 (a kink or a pole changes), be
everywhere on the line (median |T_2| > 0.3 sigma; a jump is in few differences) and alternate in
sign (a pole does not). What does not persist may be noise that is correlated over a longer way, as
of a mesh that changes: the same must then hold at 1e-4, 2e-5 and 5e-4, within a factor of 4
(kinks scale with the spacing), and below 5e-3 of the output's size; more than that is ruggedness.
A constraint that is typically below its tolerance in size, such as a sum that is zero but for
rounding, is not noisy: nothing depends on it. Constant outputs are looked at on lines of spacing
1e-4 and 1e-2: steps. Under alarm the incumbent is probed again from time to time; two probes
without noise withdraw it.

| symbol | here | meaning |
|---|---|---|
| sigma_j | `sigma` | noise of output j |
| size_j | `Archive.size` | typical size of output j |
| eta_j | `Archive.eta` | sigma_j / size_j |

Reference: J. J. More and S. M. Wild, Estimating computational noise, SIAM J. Sci. Comput., 2011.
"""

from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import USABLE, Archive, Batches

MOST = 5e-3  # of an output's size: what is correlated and larger is ruggedness
LENGTH = 8  # points on a line
FEWEST = 6  # of them defined
STEPS = (1e-4, 1e-2)  # spacings at which a constant objective is looked at for steps
WIDE = 1e-4  # spacing at which noise that is correlated over 1e-5 of the box is independent


def table_noise(V: FloatArray) -> FloatArray:
    """Return the noise of equally spaced values V (k, outputs), by differences of order 3 to 6."""
    T, estimates, factor = V, [], 1.0
    for k in range(1, len(V) - 1):
        T = np.diff(T, axis=0)
        factor *= k * k / (2.0 * k * (2.0 * k - 1.0))  # (k!)^2 / (2k)!
        if k >= 3:
            estimates.append(np.sqrt(factor * (T**2).mean(0)))
    noise: FloatArray = np.median(estimates, axis=0)
    return noise


class Line:
    """Values on a line, where they are defined."""

    def __init__(self, V: FloatArray) -> None:
        self.at = np.flatnonzero(np.abs(V).max(1) < USABLE)
        self.V = V[self.at]

    @property
    def sigma(self) -> FloatArray:
        """Noise of every output; with gaps what a cubic leaves."""
        if len(self.V) == LENGTH:
            return table_noise(self.V)
        A = np.vander(self.at - 0.5 * (LENGTH - 1), 4)
        rest = self.V - A @ np.linalg.lstsq(A, self.V, rcond=None)[0]
        noise: FloatArray = np.sqrt((rest**2).sum(0) / (len(self.V) - 4))
        return noise

    def flat(self) -> Any:
        """Which outputs are constant."""
        return np.ptp(self.V, axis=0) == 0

    def alternates(self, order: int = 2) -> Any:
        """Which outputs vary everywhere on the line and with changing signs.

        By differences of this order and the next; curvature shows in those of order 2.
        """
        if len(self.V) < LENGTH:
            return np.ones(self.V.shape[1], bool)
        first, second = (np.diff(self.V, k, axis=0) for k in (order, order + 1))
        turns = [(np.diff(np.sign(d), axis=0) != 0).sum(0) for d in (first, second)]
        everywhere = np.median(np.abs(first), axis=0) > 0.3 * self.sigma
        return everywhere & (turns[0] + turns[1] >= 4)


def _line(a: Archive, u: FloatArray, spacing: float) -> Batches:
    """Evaluate a random line through `u`."""
    n = len(u)
    # draws of its own: an exact problem is searched with the same numbers, probed or not
    rng = np.random.default_rng([a.config.probe_seed, a.evals])
    p = rng.choice([-1.0, 1.0], n) * rng.uniform(0.5, 1.0, n)
    end = u + (LENGTH - 1) * spacing * p
    p = np.where((end > 1.0) | (end < 0.0), -p, p)
    rows = yield np.clip(u + spacing * np.arange(LENGTH)[:, None] * p, 0.0, 1.0)
    return Line(rows.out)


def sizes(a: Archive) -> FloatArray:
    """Return the mean deviation of every output over what was seen."""
    _, out = a.memory.seen()
    out = out[np.abs(out).max(1) < USABLE]
    if not len(out):
        return np.zeros(1 + a.m)
    size: FloatArray = np.abs(out - np.median(out, axis=0)).mean(0)
    return size


def probe(a: Archive, u: FloatArray) -> Batches:
    """Estimate the noise of every output near `u`; sets `eta` and `noisy`."""
    if not a.config.noise:
        return
    line = yield from _line(a, u, 1e-6)
    a.count("probes")
    if len(line.V) < FEWEST:
        return
    a.probed = a.evals
    if not a.size.all():
        a.size = np.maximum(a.size, sizes(a))
    size = np.maximum(a.size, np.abs(line.V[0]))
    size = np.where(size > a.idle, size, np.inf)
    limit = a.config.noise_limit * size
    flat = line.flat()
    sigma = np.where(flat, 0.0, line.sigma)
    if len(line.V) < LENGTH or (sigma > limit).any():
        suspected: Any = sigma > limit
        sigma = yield from _confirmed(a, u, sigma, limit, 1e-9, 30.0, 2)
        if (suspected & (sigma <= limit)).any():
            noise = yield from _correlated(a, u, limit)
            sigma = np.maximum(sigma, suspected * (noise < MOST * size) * noise)
    for spacing in STEPS:
        if not flat[0]:
            break
        line = yield from _line(a, u, spacing)
        if len(line.V) < FEWEST:
            break
        steps = _steps(line, flat)
        sigma = np.where(flat & (steps >= 0), np.maximum(steps, 0.0), sigma)
        flat &= steps < 0
    _judge(a, sigma / size)


def _confirmed(
    a: Archive,
    u: FloatArray,
    sigma: FloatArray,
    limit: FloatArray,
    spacing: float,
    factor: float,
    order: int,
) -> Batches:
    """Return the noise that another line shows too; what it does not show is below the limit."""
    again = yield from _line(a, u, spacing)
    if len(again.V) < FEWEST:  # unknown: that is no alarm
        return np.minimum(sigma, 0.1 * limit)
    other = again.sigma
    same = (factor * other > sigma) & (other < factor * sigma) & again.alternates(order)
    false = np.minimum(1e-3 * other, 0.1 * limit)
    found = np.where(same, np.minimum(sigma, other), false)
    return np.where(again.flat(), sigma, found)


def _correlated(a: Archive, u: FloatArray, limit: FloatArray) -> Batches:
    """Return the noise that shows on longer lines."""
    line = yield from _line(a, u, WIDE)
    if len(line.V) < FEWEST:
        return np.zeros(1 + a.m)
    noise = np.where(line.alternates(3), line.sigma, 0.0)
    if not (noise > limit).any():
        return np.zeros(1 + a.m)
    noise = yield from _confirmed(a, u, noise, limit, 0.2 * WIDE, 4.0, 3)
    if (noise > limit).any():
        noise = yield from _confirmed(a, u, noise, limit, 5.0 * WIDE, 4.0, 3)
    return noise


def _judge(a: Archive, eta: FloatArray) -> None:
    """Raise the alarm at once; withdraw it after two probes in a row without noise."""
    a.clean = 0 if (eta > a.config.noise_limit).any() else a.clean + 1
    a.eta = eta if a.clean >= 2 else np.maximum(0.3 * a.eta, eta)
    before, a.noisy = a.noisy, bool((a.eta > a.config.noise_limit).any())
    if before and not a.noisy:
        a.optima.forget_doubtful()


def _steps(line: Line, flat: Any) -> FloatArray:
    """Return the noise of outputs that move in steps: 0.29 of the smallest; -1 where unknown."""
    found = np.full(line.V.shape[1], -1.0)
    for j in np.flatnonzero(flat):
        values = np.unique(line.V[:, j])
        if len(values) >= 3:
            step = np.diff(values).min()
            noise = Line(line.V[:, [j]]).sigma[0]
            found[j] = max(noise, 0.29 * step) if noise > 1e-2 * step else 0.0
    return found

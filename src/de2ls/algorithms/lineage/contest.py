"""Trials against their parents: who wins, by how much, and what that weighs."""

from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage.members import Mask, Members
from de2ls.jit.kernels import kernel, routine


class Contest(NamedTuple):
    """Trials against their parents, one to one, in eps-order."""

    gain: FloatArray  # positive where the trial is better, 0 where both are equal
    by_f: Mask  # whether f decided, or else v
    won: Mask  # where the trial is strictly better
    weights: FloatArray  # winners' gains, by f and by v each in proportion to its number; else 0
    n_won: int

    @property
    def held(self) -> Mask:
        """Where the trial is not worse."""
        return self.gain >= 0.0


def contest(parents: Members, trials: Members, level: float) -> Contest:
    """Compare each trial with its parent."""
    return Contest(*compare(parents.f, parents.v, trials.f, trials.v, level))


@kernel
def compare(
    f: FloatArray, v: FloatArray, new_f: FloatArray, new_v: FloatArray, level: float
) -> tuple[FloatArray, Mask, Mask, FloatArray, int]:
    """Return the fields of a `Contest`; a trial without a value beats none."""
    n = f.size
    gain, by_f = np.full(n, -np.inf), np.empty(n, np.bool_)
    for i in range(n):
        by_f[i] = v[i] == new_v[i] or (v[i] <= level and new_v[i] <= level)
        old, new = (f[i], new_f[i]) if by_f[i] else (v[i], new_v[i])
        if new < np.inf:
            gain[i] = old - new
    won, weights = gain > 0.0, np.zeros(n)
    n_won = won.sum()
    for which in (won & by_f, won & ~by_f):
        share(weights, gain, which, which.sum() / max(1, n_won))
    return gain, by_f, won, weights, n_won


@routine
def share(weights: FloatArray, gain: FloatArray, which: Mask, total: float) -> None:
    """Write the marked gains as parts of `total`; one over a point without a value is the most."""
    most, whole = 0.0, 0.0
    for i in range(gain.size):
        if which[i] and gain[i] < np.inf:
            most = max(most, gain[i])
            whole += gain[i]
    for i in range(gain.size):
        if which[i] and gain[i] == np.inf:
            whole += most if most > 0.0 else 1.0
    if not 0.0 < whole < np.inf:
        return
    for i in range(gain.size):
        if which[i]:
            finite = gain[i] if gain[i] < np.inf else most if most > 0.0 else 1.0
            weights[i] = total * finite / whole


@kernel
def shares(gain: FloatArray, which: Mask) -> FloatArray:
    """Return the marked gains as shares of their sum, 0 elsewhere."""
    weights = np.zeros(gain.size)
    share(weights, gain, which, 1.0)
    return weights


def relative_gains(result: Contest, to: Members) -> FloatArray:
    """Return gains relative to what decided in the members `to`, 0 for losers."""
    return relative(result.gain, result.by_f, to.f, to.v)


@kernel
def relative(gain: FloatArray, by_f: Mask, f: FloatArray, v: FloatArray) -> FloatArray:
    """Return gains relative to f or v, whichever decided, 0 for losers."""
    found = np.zeros(gain.size)
    for i in range(gain.size):
        if gain[i] > 0.0:
            part = gain[i] / abs(f[i] if by_f[i] else v[i])
            found[i] = part if part < np.inf else 1.0
    return found

"""The default budget and the samples of a curve, by the competition's rules."""

from typing import Any

from de2ls import _checks

EVALS_PER_DIM = 20_000  # default budget per coordinate
FEWEST_EVALS = 8  # of any search
MOST_EVALS = 10**15  # counts stay exact in the curve's floats
MOST_SAMPLES = 100_000  # of a curve


def checked_budget(max_evals: Any, dim: int) -> int:
    """Return the budget T: what is asked for, or 20000 D."""
    if max_evals is None:
        return EVALS_PER_DIM * dim
    return _checks.whole("max_evals", max_evals, FEWEST_EVALS, MOST_EVALS)


def sample_stride(dim: int, budget: int) -> int:
    """Return the evaluations between samples: 10 D, or a multiple of it in very long trials."""
    every = 10 * dim
    return every * max(1, -(-budget // (every * MOST_SAMPLES)))


def n_samples(dim: int, budget: int) -> int:
    """Return the rows of a curve: row 0 after the first points, row k at k strides."""
    return 1 + -(-budget // sample_stride(dim, budget))

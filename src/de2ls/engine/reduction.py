"""Linear reduction of the population size."""

from de2ls.jit.kernels import block


@block
def linear_size(n0: int, n_min: int, n: int, budget: int) -> int:
    """Return trunc(N0 + (Nmin - N0) n / T), never below `n_min`."""
    return max(n_min, int(n0 + (n_min - n0) * n / budget))

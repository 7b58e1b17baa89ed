"""The epsilon level: an order statistic of the front's violations.

| symbol | meaning |
|---|---|
| N, p | population size; evaluations so far over the budget |
| e | trunc(factor N (1 - p)^2): index of the level among the sorted violations |
"""

from de2ls._checks import FloatArray
from de2ls.engine.order import Members
from de2ls.jit.kernels import block, routine


@block
def level_index(n: int, progress: float, factor: float) -> int:
    """Return e, the 0-based index of the level."""
    return int(factor * n * (1.0 - progress) * (1.0 - progress))


@routine
def level(members: Members, n: int, index: int, scratch: FloatArray) -> float:
    """Return the violation with the 0-based rank `index` among the first `n` members."""
    for i in range(n):
        scratch[i] = members[i].v
    return select(scratch, n, index)


@routine
def select(values: FloatArray, n: int, k: int) -> float:
    """Return the k-th smallest (0-based) of the first `n` values, which are reordered (Hoare)."""
    low, high = 0, n - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return float(values[k])

"""Bound repair of one coordinate."""

from de2ls.jit.kernels import block


@block
def toward_bound(value: float, parent: float, low: float, high: float, mix: float) -> float:
    """Return `value` if it lies in [low, high], else a point between the parent and the bound.

    `mix` is the weight of the bound that was crossed: one half gives the midpoint. Rounding never
    takes it out of the box; a parent beyond the bound (``box="published"``) does.
    """
    if value < low:
        return min(max(min(low, parent), (1.0 - mix) * parent + mix * low), max(low, parent))
    if value > high:
        return max(min(max(high, parent), (1.0 - mix) * parent + mix * high), min(high, parent))
    return value

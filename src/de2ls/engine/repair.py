"""Bound repair of one coordinate."""

from de2ls.engine.jit import block


@block
def toward_bound(value: float, parent: float, low: float, high: float, mix: float) -> float:
    """Return `value` if it lies in [low, high], else a point between the parent and the bound.

    `mix` is the weight of the bound that was crossed: one half gives the midpoint.
    """
    if value < low:
        return max(low, (1.0 - mix) * parent + mix * low)
    if value > high:
        return min(high, (1.0 - mix) * parent + mix * high)
    return value

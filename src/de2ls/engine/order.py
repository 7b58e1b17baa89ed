"""The eps-order of a population, and keeping it up to date.

| symbol | meaning |
|---|---|
| f, v | objective and mean violation of a member |
| eps | level: members with v <= eps come first, by f; the others follow, by v |
| order | positions 0..n-1 of the members, best first |

Among equal keys the higher position comes first, so that new members displace equal old ones. The
order is therefore strict and total, and a member is found in it by bisection.
"""

import numpy as np
from numpy.typing import NDArray

from de2ls.jit.kernels import block, routine

Members = NDArray[np.void]  # records with fields f, v, row
Order = NDArray[np.int64]


@block
def precedes(fa: float, va: float, a: int, fb: float, vb: float, b: int, eps: float) -> bool:
    """Whether member `a` comes before member `b` in the eps-order."""
    if va <= eps:
        if vb > eps or fa < fb:
            return True
        return fa == fb and a > b
    if vb <= eps:
        return False
    return va < vb or (va == vb and a > b)


@block
def superior(fa: float, va: float, fb: float, vb: float) -> bool:
    """Whether a is strictly better than b by the superiority of feasible points (Deb's rule)."""
    return va < vb or (va == vb and fa < fb)


@block
def rank_in(members: Members, order: Order, n: int, position: int, eps: float) -> int:
    """Return how many of the `n` ordered members precede the member at `position`."""
    f, v = members[position].f, members[position].v
    low, high = 0, n
    while low < high:
        middle = (low + high) >> 1
        other = order[middle]
        if precedes(members[other].f, members[other].v, other, f, v, position, eps):
            low = middle + 1
        else:
            high = middle
    return low


@block
def insert(members: Members, order: Order, n: int, position: int, eps: float) -> None:
    """Insert `position` into the order of `n` other members."""
    rank = rank_in(members, order, n, position, eps)
    for i in range(n, rank, -1):
        order[i] = order[i - 1]
    order[rank] = position


@block
def update(members: Members, order: Order, n: int, old: int, eps: float) -> None:
    """Move the entry of rank `old`, whose member has changed, to its new rank."""
    position = order[old]
    f, v = members[position].f, members[position].v
    low, high = 0, n - 1  # ranks among the others: those from `old` on are one higher
    while low < high:
        middle = (low + high) >> 1
        other = order[middle] if middle < old else order[middle + 1]
        if precedes(members[other].f, members[other].v, other, f, v, position, eps):
            low = middle + 1
        else:
            high = middle
    for i in range(old, low):
        order[i] = order[i + 1]
    for i in range(old, low, -1):
        order[i] = order[i - 1]
    order[low] = position


@routine
def merge(
    members: Members, first: Order, n: int, second: Order, m: int, result: Order, eps: float
) -> None:
    """Merge two orders of `n` and `m` members of one population into `result`."""
    i, j = 0, 0
    for k in range(n + m):
        take = j == m
        if i < n and j < m:
            a, b = first[i], second[j]
            fa, va, fb, vb = members[a].f, members[a].v, members[b].f, members[b].v
            take = precedes(fa, va, a, fb, vb, b, eps)
        if take:
            result[k] = first[i]
            i += 1
        else:
            result[k] = second[j]
            j += 1


@routine
def sort(members: Members, order: Order, n: int, eps: float) -> None:
    """Bring the first `n` entries into eps-order.

    Insertion sort: between generations only the members change places whose violation lies between
    the old and the new level, so the entries are nearly sorted.
    """
    for i in range(1, n):
        position = order[i]
        f, v = members[position].f, members[position].v
        j = i
        while j > 0:
            other = order[j - 1]
            if precedes(members[other].f, members[other].v, other, f, v, position, eps):
                break
            order[j] = other
            j -= 1
        order[j] = position

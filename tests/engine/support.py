"""Plain counterparts of the engine's numbers, and loops that draw many of them."""

from functools import cache
from typing import Any

import numba
import numpy as np

MASK = 2**64 - 1


def rotate_left(value: int, by: int) -> int:
    return ((value << by) | (value >> (64 - by))) & MASK


def xoshiro(state: list[int]) -> int:
    """Advance the four words of xoshiro256** and return the output (Blackman and Vigna 2018)."""
    result = rotate_left(state[1] * 5 & MASK, 7) * 9 & MASK
    shifted = state[1] << 17 & MASK
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = rotate_left(state[3], 45)
    return result


def state_that_draws(numerator: int) -> np.ndarray:
    """Return a random state whose next uniform draw is `numerator` / 2^53."""
    scrambled = (numerator << 11) * pow(9, -1, 2**64) & MASK
    word = rotate_left(scrambled, 64 - 7) * pow(5, -1, 2**64) & MASK
    return np.array([1, word, 3, 4], np.uint64)


@cache
def sampler(draw: Any) -> Any:
    """Return a compiled ``fill(rng, out, *arguments)`` that draws into all of `out`."""

    @numba.njit
    def fill(rng: Any, out: Any, *arguments: Any) -> None:
        for i in range(out.size):
            out[i] = draw(rng, *arguments)

    return fill


def draws(draw: Any, seed: int, count: int, *arguments: Any) -> np.ndarray:
    """Return `count` draws with fixed seed."""
    from de2ls.engine.random import seed_state

    out = np.empty(count)
    sampler(draw)(seed_state(seed), out, *arguments)
    return out

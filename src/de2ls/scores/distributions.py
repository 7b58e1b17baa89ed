"""Three distributions that tests need.

`scipy.stats` has them too, but takes longer to import than the tests take.
"""

import math
from statistics import NormalDist

import numpy as np

_STEP = 0.05  # of the trapezoidal rule, which is exact to rounding for so smooth an integrand
_REACH = 9.0  # deviations beyond which a normal density is no more than rounding


def normal_two_sided(z: float) -> float:
    """Return the probability that a normal variable is at least z deviations from its mean."""
    return min(1.0, math.erfc(z / math.sqrt(2)))


def chi_square_above(x: float, freedom: int) -> float:
    """Return the probability that a chi-square variable exceeds x.

    It is Q(a, h) with a = freedom / 2 and h = x / 2, by Q(a + 1, h) = Q(a, h) + h^a e^-h / a!,
    from Q(1/2, h) = erfc(sqrt(h)) or Q(1, h) = e^-h on.
    """
    h = x / 2
    if h <= 0:
        return 1.0
    a, Q = (0.5, math.erfc(math.sqrt(h))) if freedom % 2 else (1.0, math.exp(-h))
    while a < freedom / 2:
        Q += math.exp(a * math.log(h) - h - math.lgamma(a + 1))
        a += 1
    return Q


def studentized_range(level: float, count: int) -> float:
    """Return which range of `count` standard normal variables has this probability.

    The range is at most q with probability count * integral of phi(z) (Phi(z) - Phi(z - q))^(count
    - 1) dz, z being the largest variable; bisection finds q.
    """
    Phi = np.vectorize(NormalDist().cdf)
    z = np.arange(-_REACH, _REACH + _STEP, _STEP)
    density, below = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi), Phi(z)
    low, high = 0.0, 2 * _REACH
    while high - low > 1e-12:
        q = (low + high) / 2
        reached = count * _STEP * float(density @ (below - Phi(z - q)) ** (count - 1))
        low, high = (q, high) if reached < level else (low, q)
    return q

"""The parts that the problems share: the work space, shift and linear map, and sums over y.

Symbols: D dimension, o shift, y = x - o, z = M y. `work` has room for five vectors of length D: y,
z, sines, cosines, and one that a problem prepares for itself.
"""

import math

import numpy as np

from de2ls._checks import FloatArray
from de2ls.jit.kernels import block, kernel
from de2ls.suites.cec2017 import waves

N_VECTORS = 5  # of length D in `work`


@block
def place(work: FloatArray, D: int, which: int) -> FloatArray:
    """Return one of the vectors in `work`."""
    return work[which * D : (which + 1) * D]


@block
def own_vector(work: FloatArray, D: int) -> FloatArray:
    """Return the vector that a problem may use as it likes."""
    return place(work, D, 4)


@block
def waves_of(y: FloatArray, frequency: float, work: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return sin(frequency y_i) and cos(frequency y_i) in `work`."""
    D = y.shape[0]
    sines, cosines = place(work, D, 2), place(work, D, 3)
    waves.waves(y, frequency, sines, cosines)
    return sines, cosines


@block
def turn_waves_of(y: FloatArray, turns: float, work: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return sin(2 pi turns y_i) and cos(2 pi turns y_i) in `work`."""
    D = y.shape[0]
    sines, cosines = place(work, D, 2), place(work, D, 3)
    waves.turn_waves(y, turns, sines, cosines)
    return sines, cosines


@block
def shifted(x: FloatArray, params: FloatArray, work: FloatArray) -> FloatArray:
    """Return y = x - o."""
    D = x.shape[0]
    y = place(work, D, 0)
    for i in range(D):
        y[i] = x[i] - params[i]
    return y


@kernel
def mapped(y: FloatArray, params: FloatArray, work: FloatArray, which: int) -> FloatArray:
    """Return z = M y for the linear map number `which`.

    M lies in `params` column by column, and four columns are added at a time: the inner loops run
    over independent sums, which the compiler turns into SIMD without reordering any of them. The
    order matters: C28 takes the sine of z^3 and magnifies the rounding errors of z.
    """
    D = y.shape[0]
    columns = params[D + which * D * D : D + (which + 1) * D * D]
    z = place(work, D, 1)
    z[:] = 0.0
    in_fours = D - D % 4
    for j in range(0, in_fours, 4):
        a = columns[j * D : (j + 1) * D]
        b = columns[(j + 1) * D : (j + 2) * D]
        c = columns[(j + 2) * D : (j + 3) * D]
        d = columns[(j + 3) * D : (j + 4) * D]
        y_a, y_b, y_c, y_d = y[j], y[j + 1], y[j + 2], y[j + 3]
        for i in range(D):
            z[i] = (((z[i] + a[i] * y_a) + b[i] * y_b) + c[i] * y_c) + d[i] * y_d
    for j in range(in_fours, D):
        a = columns[j * D : (j + 1) * D]
        y_a = y[j]
        for i in range(D):
            z[i] += a[i] * y_a
    return z


@block
def moved(x: FloatArray, params: FloatArray, work: FloatArray) -> FloatArray:
    """Return z = M (x - o) where `params` holds a linear map, else y = x - o."""
    y = shifted(x, params, work)
    return mapped(y, params, work, 0) if params.shape[0] > x.shape[0] else y


@kernel
def schwefel(y: FloatArray, start: int, step: int) -> float:
    """S: the sum of the squared prefix sums of y_start, y_{start+step}, ..."""
    prefix = 0.0
    total = 0.0
    for i in range(start, y.shape[0], step):
        prefix += y[i]
        total += prefix * prefix
    return total


@kernel
def rosenbrock(y: FloatArray) -> float:
    """B = sum_{i<D} 100 (y_i^2 - y_{i+1})^2 + (y_i - 1)^2."""
    total = 0.0
    for i in range(y.shape[0] - 1):
        valley = y[i] * y[i] - y[i + 1]
        away = y[i] - 1.0
        total += 100.0 * valley * valley + away * away
    return total


@kernel
def wells(y: FloatArray, cosines: FloatArray, depth: float, level: float) -> float:
    """Sum of y_i^2 - depth cosine_i - level."""
    total = 0.0
    for i in range(y.shape[0]):
        total += y[i] * y[i] - depth * cosines[i] - level
    return total


@block
def rastrigin(y: FloatArray, cosines: FloatArray) -> float:
    """R = sum (y_i^2 - 10 cos(2 pi y_i) + 10), given the cosines."""
    return wells(y, cosines, 10.0, -10.0)


@kernel
def ackley(y: FloatArray, cosines: FloatArray) -> float:
    """Ackley's function, given the cosines of 2 pi y_i."""
    D = y.shape[0]
    well = -20.0 * math.exp(-0.2 * math.sqrt(squares(y) / D))
    return well + 20.0 - math.exp(cosines.sum() / D) + math.e


@kernel
def griewank(y: FloatArray, work: FloatArray) -> float:
    """Griewank's function; it takes the problem's own vector."""
    angles = own_vector(work, y.shape[0])
    for i in range(y.shape[0]):
        angles[i] = y[i] / math.sqrt(i + 1.0)
    _, cosines = waves_of(angles, 1.0, work)
    return squares(y) / 4000.0 + 1.0 - product(cosines, 0, 1)


@kernel
def product_sum(y: FloatArray, factors: FloatArray) -> float:
    """Sum of y_i factor_i."""
    total = 0.0
    for i in range(y.shape[0]):
        total += y[i] * factors[i]
    return total


@kernel
def links(y: FloatArray, start: int, step: int, reach: int) -> float:
    """Sum of (y_i^2 - y_{i+reach})^2 over i = start, start + step, ... that have both."""
    total = 0.0
    for i in range(start, y.shape[0] - reach, step):
        link = y[i] * y[i] - y[i + reach]
        total += link * link
    return total


@kernel
def squared_steps(y: FloatArray) -> float:
    """Sum of (y_i - y_{i+1})^2."""
    total = 0.0
    for i in range(y.shape[0] - 1):
        step = y[i] - y[i + 1]
        total += step * step
    return total


@kernel
def squares(y: FloatArray) -> float:
    """Sum of y_i^2."""
    total = 0.0
    for value in y:
        total += value * value
    return total


@kernel
def absolutes(y: FloatArray) -> float:
    """Sum of |y_i|."""
    total = 0.0
    for value in y:
        total += abs(value)
    return total


@kernel
def product(y: FloatArray, start: int, step: int) -> float:
    """Product of y_start, y_{start+step}, ..."""
    result = 1.0
    for i in range(start, y.shape[0], step):
        result *= y[i]
    return result


@kernel
def largest(y: FloatArray) -> float:
    """Mx = max y_i."""
    result: float = y[0]
    for value in y:
        result = max(result, value)
    return result


@kernel
def largest_absolute(y: FloatArray) -> float:
    """Return max |y_i|."""
    result = 0.0
    for value in y:
        result = max(result, abs(value))
    return result


@block
def to_half(value: float) -> float:
    """Round to a multiple of 1/2, ties away from zero."""
    doubled = 2.0 * abs(value)
    whole = np.floor(doubled)
    if doubled - whole >= 0.5:
        whole += 1.0
    return math.copysign(0.5 * whole, value)

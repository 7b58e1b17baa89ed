"""Compiled functions C1..C28, by Wu, Mallipeddi and Suganthan's problem definitions of 2017.

Symbols: D dimension, o shift, y = x - o, z = M y. Every ``cNN(x, params, work, out)`` fills `out`
with f, g.., h..; `params` holds o, then M column by column (C5: M1, then M2), `work` is room for y and z.
C21..C28 are C12..C19 on z, so those functions are written once, on a vector that may be either.
"""

import math

from de2ls._checks import FloatArray
from de2ls.engine.jit import kernel

TWO_PI = 2.0 * math.pi


# Parts --------------------------------------------------------------------------------------------


@kernel
def shifted(x: FloatArray, params: FloatArray, work: FloatArray) -> FloatArray:
    """Return y = x - o in the first D places of `work`."""
    D = x.shape[0]
    y = work[:D]
    for i in range(D):
        y[i] = x[i] - params[i]
    return y


@kernel
def mapped(y: FloatArray, params: FloatArray, work: FloatArray, which: int) -> FloatArray:
    """Return M y for the map number `which`, in the second D places of `work`.

    M lies in `params` column by column: the inner loop then runs over independent sums, which the
    compiler turns into SIMD without reordering any of them. The order matters, since C28 takes the
    sine of z^3 and magnifies rounding errors of z.
    """
    D = y.shape[0]
    z = work[D : 2 * D]
    z[:] = 0.0
    for j in range(D):
        start = D + (which * D + j) * D
        column = params[start : start + D]
        for i in range(D):
            z[i] += column[i] * y[j]
    return z


@kernel
def rotated(x: FloatArray, params: FloatArray, work: FloatArray) -> FloatArray:
    """Return z = M (x - o)."""
    return mapped(shifted(x, params, work), params, work, 0)


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
def rastrigin(y: FloatArray) -> float:
    """R = sum (y_i^2 - 10 cos(2 pi y_i) + 10)."""
    total = 0.0
    for value in y:
        total += value * value - 10.0 * math.cos(TWO_PI * value) + 10.0
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
def cosine_wells(y: FloatArray, depth: float, frequency: float, level: float) -> float:
    """Sum of y_i^2 - depth cos(frequency y_i) - level: the inequality of C1..C3 and C5."""
    total = 0.0
    for value in y:
        total += value * value - depth * math.cos(frequency * value) - level
    return total


@kernel
def steps(y: FloatArray) -> float:
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
def largest(y: FloatArray) -> float:
    """Mx = max y_i."""
    result = y[0]
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


# C1..C11 ------------------------------------------------------------------------------------------


@kernel
def c01(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """f = S(y); one inequality."""
    y = shifted(x, params, work)
    out[0] = schwefel(y, 0, 1)
    out[1] = cosine_wells(y, 5000.0, 0.1 * math.pi, 4000.0)


@kernel
def c02(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C1 with the inequality, but not f, on z = M y."""
    y = shifted(x, params, work)
    out[0] = schwefel(y, 0, 1)
    out[1] = cosine_wells(mapped(y, params, work, 0), 5000.0, 0.1 * math.pi, 4000.0)


@kernel
def c03(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C1 with an equality."""
    c01(x, params, work, out)
    total = 0.0
    for value in work[: x.shape[0]]:
        total += value * math.sin(0.1 * math.pi * value)
    out[2] = -total


@kernel
def c04(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """f = R(y); two inequalities of products y sin."""
    y = shifted(x, params, work)
    doubled = 0.0
    single = 0.0
    for value in y:
        doubled += value * math.sin(2.0 * value)
        single += value * math.sin(value)
    out[0] = rastrigin(y)
    out[1] = -doubled
    out[2] = single


@kernel
def c05(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """f = B(y); one inequality on M1 y, one on M2 y."""
    y = shifted(x, params, work)
    out[0] = rosenbrock(y)
    for which in range(2):
        a = mapped(y, params, work, which)
        out[1 + which] = cosine_wells(a, 50.0, TWO_PI, 40.0)


@kernel
def c06(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """f = R(y); six equalities of products y sin or y cos."""
    y = shifted(x, params, work)
    h1 = h2 = h3 = h4 = h5 = 0.0
    for value in y:
        h1 += value * math.sin(value)
        h2 += value * math.sin(math.pi * value)
        h3 += value * math.cos(value)
        h4 += value * math.cos(math.pi * value)
        h5 += value * math.sin(2.0 * math.sqrt(abs(value)))
    out[0] = rastrigin(y)
    out[1] = -h1
    out[2] = h2
    out[3] = -h3
    out[4] = h4
    out[5] = h5
    out[6] = -h5


@kernel
def c07(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """f = sum y_i sin y_i; one equality and its negative."""
    y = shifted(x, params, work)
    f = 0.0
    h = 0.0
    for value in y:
        f += value * math.sin(value)
        h += value - 100.0 * math.cos(0.5 * value) + 100.0
    out[0] = f
    out[1] = h
    out[2] = -h


@kernel
def c08(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """f = Mx(y); S over the odd-numbered and over the even-numbered coordinates."""
    y = shifted(x, params, work)
    out[0] = largest(y)
    out[1] = schwefel(y, 0, 2)
    out[2] = schwefel(y, 1, 2)


@kernel
def c09_sides(y: FloatArray, out: FloatArray) -> None:
    """f and g of C9: Mx(y) and the product of the even-numbered coordinates."""
    product = 1.0
    for i in range(1, y.shape[0], 2):
        product *= y[i]
    out[0] = largest(y)
    out[1] = product


@kernel
def c09(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C9 of the report: the equality links y_1, y_3, y_5, ..."""
    y = shifted(x, params, work)
    c09_sides(y, out)
    total = 0.0
    for i in range(0, 2 * (y.shape[0] // 2) - 2, 2):
        link = y[i] * y[i] - y[i + 2]
        total += link * link
    out[2] = total


@kernel
def c09_cpp2017(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C9 of the first C++ file: the equality links y_3 with y_4, y_5 with y_6, ..."""
    y = shifted(x, params, work)
    c09_sides(y, out)
    total = 0.0
    for i in range(2, 2 * (y.shape[0] // 2), 2):
        link = y[i] * y[i] - y[i + 1]
        total += link * link
    out[2] = total


@kernel
def c10(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """f = Mx(y); S(y) and the squared steps as equalities."""
    y = shifted(x, params, work)
    out[0] = largest(y)
    out[1] = schwefel(y, 0, 1)
    out[2] = steps(y)


@kernel
def c11(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """f = sum y_i; the product of all y_i and the squared steps."""
    y = shifted(x, params, work)
    total = 0.0
    product = 1.0
    for value in y:
        total += value
        product *= value
    out[0] = total
    out[1] = product
    out[2] = steps(y)


# C12..C19 and, on z, C21..C28 ---------------------------------------------------------------------


@kernel
def rastrigin_outside_diamond(z: FloatArray, out: FloatArray) -> None:
    """C12 and C21."""
    out[0] = rastrigin(z)
    out[1] = 4.0 - absolutes(z)
    out[2] = squares(z) - 4.0


@kernel
def rosenbrock_under_rastrigin(z: FloatArray, out: FloatArray) -> None:
    """C13 and C22."""
    total = 0.0
    for value in z:
        total += value
    out[0] = rosenbrock(z)
    out[1] = rastrigin(z) - 100.0
    out[2] = total - 2.0 * z.shape[0]
    out[3] = 5.0 - total


@kernel
def ackley_on_sphere(z: FloatArray, out: FloatArray) -> None:
    """C14 and C23."""
    D = z.shape[0]
    Q = squares(z)
    waves = 0.0
    for value in z:
        waves += math.cos(TWO_PI * value)
    out[0] = -20.0 * math.exp(-0.2 * math.sqrt(Q / D)) + 20.0 - math.exp(waves / D) + math.e
    out[1] = squares(z[1:]) + 1.0 - abs(z[0])
    out[2] = Q - 4.0


@kernel
def maximum_on_circle(z: FloatArray, f: float, out: FloatArray) -> None:
    """C15 and C24 with f = max |z_i| (report) or f = max z_i (cpp2017)."""
    out[0] = f
    out[1] = squares(z) - 100.0 * z.shape[0]
    out[2] = math.cos(f) + math.sin(f)


@kernel
def absolutes_on_circle(z: FloatArray, out: FloatArray) -> None:
    """C16 and C25."""
    f = absolutes(z)
    u = math.cos(f) + math.sin(f)
    out[0] = f
    out[1] = squares(z) - 100.0 * z.shape[0]
    out[2] = u * u - math.exp(u) - 1.0 + math.e


@kernel
def griewank_on_sphere(z: FloatArray, out: FloatArray) -> None:
    """C17 and C26."""
    D = z.shape[0]
    Q = squares(z)
    product = 1.0
    signs = 0.0
    for i in range(D):
        product *= math.cos(z[i] / math.sqrt(i + 1.0))
        side = abs(z[i]) - Q + z[i] * z[i] - 1.0
        if side > 0.0:
            signs += 1.0
        elif side < 0.0:
            signs -= 1.0
    out[0] = Q / 4000.0 + 1.0 - product
    out[1] = 1.0 - signs
    out[2] = Q - 4.0 * D


@kernel
def to_half(value: float) -> float:
    """Round to a multiple of 1/2, ties away from zero."""
    doubled = 2.0 * abs(value)
    whole = math.floor(doubled)
    if doubled - whole >= 0.5:
        whole += 1.0
    return math.copysign(0.5 * whole, value)


@kernel
def stepped_rastrigin(z: FloatArray, out: FloatArray) -> None:
    """C18 and C27."""
    D = z.shape[0]
    f = 0.0
    product = 1.0
    for value in z:
        t = value if abs(value) < 0.5 else to_half(value)
        f += t * t - 10.0 * math.cos(TWO_PI * t) + 10.0
        wave = math.sin((value - 1.0) * math.pi)
        product *= wave * wave
    links = 0.0
    for i in range(D - 1):
        link = z[i] * z[i] - z[i + 1]
        links += link * link
    out[0] = f
    out[1] = 1.0 - absolutes(z)
    out[2] = squares(z) - 100.0 * D
    out[3] = 100.0 * links + product


@kernel
def rough_roots(z: FloatArray, out: FloatArray) -> None:
    """C19 and C28."""
    D = z.shape[0]
    f = 0.0
    waves = 0.0
    for value in z:
        wave = math.sin(2.0 * value)
        f += math.sqrt(abs(value)) + 2.0 * math.sin(value * value * value)
        waves += wave * wave
    pairs = 0.0
    for i in range(D - 1):
        pairs += math.exp(-0.2 * math.sqrt(z[i] * z[i] + z[i + 1] * z[i + 1]))
    out[0] = f
    out[1] = 10.0 * ((D - 1) * math.exp(5.0) - pairs)
    out[2] = waves - 0.5 * D


@kernel
def c20(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """f = Schaffer's function over the ring of neighbours; two inequalities of sum y_i."""
    y = shifted(x, params, work)
    D = y.shape[0]
    f = 0.0
    s = 0.0
    previous = y[D - 1]
    for value in y:
        r = math.sqrt(previous * previous + value * value)
        wave = math.sin(r)
        damping = 1.0 + 0.001 * r
        f += 0.5 + (wave * wave - 0.5) / (damping * damping)
        s += value
        previous = value
    c = math.cos(s)
    out[0] = f
    out[1] = c * c - 0.25 * c - 0.125
    out[2] = math.exp(c) - math.exp(0.25)


# The entries ---


@kernel
def c12(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    rastrigin_outside_diamond(shifted(x, params, work), out)


@kernel
def c13(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    rosenbrock_under_rastrigin(shifted(x, params, work), out)


@kernel
def c14(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    ackley_on_sphere(shifted(x, params, work), out)


@kernel
def c15(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    y = shifted(x, params, work)
    maximum_on_circle(y, largest_absolute(y), out)


@kernel
def c15_cpp2017(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    y = shifted(x, params, work)
    maximum_on_circle(y, largest(y), out)


@kernel
def c16(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    absolutes_on_circle(shifted(x, params, work), out)


@kernel
def c17(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    griewank_on_sphere(shifted(x, params, work), out)


@kernel
def c18(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    stepped_rastrigin(shifted(x, params, work), out)


@kernel
def c19(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    rough_roots(shifted(x, params, work), out)


@kernel
def c21(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    rastrigin_outside_diamond(rotated(x, params, work), out)


@kernel
def c22(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    rosenbrock_under_rastrigin(rotated(x, params, work), out)


@kernel
def c23(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    ackley_on_sphere(rotated(x, params, work), out)


@kernel
def c24(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    z = rotated(x, params, work)
    maximum_on_circle(z, largest_absolute(z), out)


@kernel
def c24_cpp2017(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    z = rotated(x, params, work)
    maximum_on_circle(z, largest(z), out)


@kernel
def c25(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    absolutes_on_circle(rotated(x, params, work), out)


@kernel
def c26(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    griewank_on_sphere(rotated(x, params, work), out)


@kernel
def c27(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    stepped_rastrigin(rotated(x, params, work), out)


@kernel
def c28(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    rough_roots(rotated(x, params, work), out)

"""Compiled functions C1..C28, by Wu, Mallipeddi and Suganthan's problem definitions of 2017.

Every ``cNN(x, params, work, out)`` fills `out` with f, g.., h..; `params` holds the shift o, then M
column by column (C5: M1, then M2). C21..C28 are C12..C19 on M y instead of y = x - o: those
functions are written once, on a vector z that is either. S, R, B, Mx are `schwefel`,
`rastrigin`, `rosenbrock`, `largest` of `parts`.
"""

import math

import numpy as np

from de2ls._checks import FloatArray
from de2ls.jit.kernels import block, kernel
from de2ls.suites.cec2017.parts import (
    absolutes,
    ackley,
    griewank,
    largest,
    largest_absolute,
    links,
    mapped,
    moved,
    own_vector,
    product,
    product_sum,
    rastrigin,
    rosenbrock,
    schwefel,
    shifted,
    squared_steps,
    squares,
    to_half,
    turn_waves_of,
    waves_of,
    wells,
)


@kernel
def c01(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C1: S(y) in cosine wells."""
    y = shifted(x, params, work)
    _, cosines = turn_waves_of(y, 0.05, work)
    out[0] = schwefel(y, 0, 1)
    out[1] = wells(y, cosines, 5000.0, 4000.0)


@kernel
def c02(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C2: S(y) in cosine wells on M y."""
    y = shifted(x, params, work)
    z = mapped(y, params, work, 0)
    _, cosines = turn_waves_of(z, 0.05, work)
    out[0] = schwefel(y, 0, 1)
    out[1] = wells(z, cosines, 5000.0, 4000.0)


@kernel
def c03(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C3: C1 with the equality -sum y_i sin(0.1 pi y_i) = 0."""
    y = shifted(x, params, work)
    sines, cosines = turn_waves_of(y, 0.05, work)
    out[0] = schwefel(y, 0, 1)
    out[1] = wells(y, cosines, 5000.0, 4000.0)
    out[2] = -product_sum(y, sines)


@kernel
def c04(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C4: R(y) with -sum y_i sin 2 y_i <= 0 and sum y_i sin y_i <= 0."""
    y = shifted(x, params, work)
    _, cosines = turn_waves_of(y, 1.0, work)
    out[0] = rastrigin(y, cosines)
    sines, cosines = waves_of(y, 1.0, work)
    doubled = 0.0
    for i in range(y.shape[0]):
        doubled += y[i] * (2.0 * sines[i] * cosines[i])
    out[1] = -doubled
    out[2] = product_sum(y, sines)


@kernel
def c05(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C5: B(y) in cosine wells on M1 y and on M2 y."""
    y = shifted(x, params, work)
    out[0] = rosenbrock(y)
    for which in range(2):
        a = mapped(y, params, work, which)
        _, cosines = turn_waves_of(a, 1.0, work)
        out[1 + which] = wells(a, cosines, 50.0, 40.0)


@kernel
def c06(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C6: R(y) with six equalities; cos 2 pi y = 1 - 2 sin^2 pi y."""
    y = shifted(x, params, work)
    sines, cosines = waves_of(y, 1.0, work)
    out[1] = -product_sum(y, sines)
    out[3] = -product_sum(y, cosines)
    sines, cosines = turn_waves_of(y, 0.5, work)
    out[2] = product_sum(y, sines)
    out[4] = product_sum(y, cosines)
    doubled = own_vector(work, y.shape[0])
    for i in range(y.shape[0]):
        doubled[i] = 1.0 - 2.0 * sines[i] * sines[i]
    out[0] = rastrigin(y, doubled)
    roots = own_vector(work, y.shape[0])
    for i in range(y.shape[0]):
        roots[i] = math.sqrt(abs(y[i]))
    sines, _ = waves_of(roots, 2.0, work)
    out[5] = product_sum(y, sines)
    out[6] = -out[5]


@kernel
def c07(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C7: sum y_i sin y_i with h = sum (y_i - 100 cos(y_i / 2) + 100) and -h."""
    y = shifted(x, params, work)
    sines, cosines = waves_of(y, 0.5, work)
    f = 0.0
    h = 0.0
    for i in range(y.shape[0]):
        f += y[i] * (2.0 * sines[i] * cosines[i])
        h += y[i] - 100.0 * cosines[i] + 100.0
    out[0] = f
    out[1] = h
    out[2] = -h


@kernel
def c08(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C8: Mx(y) with S over the odd-numbered y and S over the even-numbered."""
    y = shifted(x, params, work)
    out[0] = largest(y)
    out[1] = schwefel(y, 0, 2)
    out[2] = schwefel(y, 1, 2)


@kernel
def c09(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C9: Mx(y) with the product y_2 y_4 ... and links y_1^2 - y_3, y_3^2 - y_5, ..."""
    y = shifted(x, params, work)
    out[0] = largest(y)
    out[1] = product(y, 1, 2)
    out[2] = links(y[: y.shape[0] // 2 * 2], 0, 2, 2)


@kernel
def c09_cpp2017(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C9 of the first C++ file, with links y_3^2 - y_4, y_5^2 - y_6, ..."""
    y = shifted(x, params, work)
    out[0] = largest(y)
    out[1] = product(y, 1, 2)
    out[2] = links(y[: y.shape[0] // 2 * 2], 2, 2, 1)


@kernel
def c10(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C10: Mx(y) with S(y) and the squared steps."""
    y = shifted(x, params, work)
    out[0] = largest(y)
    out[1] = schwefel(y, 0, 1)
    out[2] = squared_steps(y)


@kernel
def c11(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C11: sum y_i with the product of all y_i and the squared steps."""
    y = shifted(x, params, work)
    out[0] = y.sum()
    out[1] = product(y, 0, 1)
    out[2] = squared_steps(y)


@kernel
def c12(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C12, C21: R(z) with 4 - sum |z_i| <= 0 and sum z_i^2 - 4 <= 0."""
    z = moved(x, params, work)
    _, cosines = turn_waves_of(z, 1.0, work)
    out[0] = rastrigin(z, cosines)
    out[1] = 4.0 - absolutes(z)
    out[2] = squares(z) - 4.0


@kernel
def c13(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C13, C22: B(z) with R(z) - 100 <= 0, sum z_i - 2 D <= 0 and 5 - sum z_i <= 0."""
    z = moved(x, params, work)
    _, cosines = turn_waves_of(z, 1.0, work)
    total = z.sum()
    out[0] = rosenbrock(z)
    out[1] = rastrigin(z, cosines) - 100.0
    out[2] = total - 2.0 * z.shape[0]
    out[3] = 5.0 - total


@kernel
def c14(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C14, C23: Ackley's function with sum_{i>=2} z_i^2 + 1 - |z_1| <= 0 and sum z_i^2 - 4 = 0."""
    z = moved(x, params, work)
    _, cosines = turn_waves_of(z, 1.0, work)
    out[0] = ackley(z, cosines)
    out[1] = squares(z[1:]) + 1.0 - abs(z[0])
    out[2] = squares(z) - 4.0


@block
def on_circle(f: float, z: FloatArray, out: FloatArray) -> None:
    """Fill in a given f, with sum z_i^2 - 100 D <= 0 and cos f + sin f = 0."""
    out[0] = f
    out[1] = squares(z) - 100.0 * z.shape[0]
    out[2] = math.cos(f) + math.sin(f)


@kernel
def c15(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C15, C24: max |z_i| on circles."""
    z = moved(x, params, work)
    on_circle(largest_absolute(z), z, out)


@kernel
def c15_cpp2017(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C15, C24 of the first C++ file: max z_i on circles."""
    z = moved(x, params, work)
    on_circle(largest(z), z, out)


@kernel
def c16(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C16, C25: f = sum |z_i| with sum z_i^2 - 100 D <= 0 and an equality.

    u = cos f + sin f: u^2 - e^u - 1 + e = 0.
    """
    z = moved(x, params, work)
    f = absolutes(z)
    u = math.cos(f) + math.sin(f)
    out[0] = f
    out[1] = squares(z) - 100.0 * z.shape[0]
    out[2] = u * u - math.exp(u) - 1.0 + math.e


@kernel
def c17(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C17, C26: Griewank's function of z, with two constraints.

    Q = sum z_i^2: 1 - sum sgn(|z_i| - Q + z_i^2 - 1) <= 0 and Q - 4 D = 0.
    """
    z = moved(x, params, work)
    D = z.shape[0]
    Q = squares(z)
    signs = 0.0
    for i in range(D):
        signs += np.sign(abs(z[i]) - Q + z[i] * z[i] - 1.0)
    out[0] = griewank(z, work)
    out[1] = 1.0 - signs
    out[2] = Q - 4.0 * D


@kernel
def c18(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C18, C27: R(t), t_i = z_i inside (-0.5, 0.5) and rounded to halves outside.

    With 1 - sum |z_i| <= 0, sum z_i^2 - 100 D <= 0 and
    100 sum (z_i^2 - z_{i+1})^2 + prod sin^2((z_i - 1) pi) = 0.
    """
    z = moved(x, params, work)
    D = z.shape[0]
    t = own_vector(work, D)
    for i in range(D):
        t[i] = z[i] if abs(z[i]) < 0.5 else to_half(z[i])
    _, cosines = turn_waves_of(t, 1.0, work)
    out[0] = rastrigin(t, cosines)
    out[1] = 1.0 - absolutes(z)
    out[2] = squares(z) - 100.0 * D
    sines, _ = turn_waves_of(z, 0.5, work)  # squared, the sine of (z_i - 1) pi is that of z_i pi
    wave = product(sines, 0, 1)
    out[3] = 100.0 * links(z, 0, 1, 1) + wave * wave


@kernel
def c19(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C19, C28: sum sqrt|z_i| + 2 sin z_i^3, with two constraints.

    10 (D - 1) e^5 - sum_{i<D} 10 exp(-0.2 sqrt(z_i^2 + z_{i+1}^2)) <= 0 and
    sum sin^2 2 z_i - D / 2 <= 0.
    """
    z = moved(x, params, work)
    D = z.shape[0]
    sines, _ = waves_of(z, 2.0, work)
    out[2] = squares(sines) - 0.5 * D
    cubes = own_vector(work, D)
    for i in range(D):
        cubes[i] = z[i] * z[i] * z[i]
    sines, _ = waves_of(cubes, 1.0, work)
    f = 0.0
    pairs = 0.0
    for i in range(D):
        f += math.sqrt(abs(z[i])) + 2.0 * sines[i]
    for i in range(D - 1):
        pairs += math.exp(-0.2 * math.sqrt(z[i] * z[i] + z[i + 1] * z[i + 1]))
    out[0] = f
    out[1] = 10.0 * ((D - 1) * math.exp(5.0) - pairs)


@kernel
def c20(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """C20: Schaffer's function over the ring, with two inequalities of s = sum y_i."""
    y = shifted(x, params, work)
    D = y.shape[0]
    radii = own_vector(work, D)
    for i in range(D):
        neighbour = y[i + 1 - D]
        radii[i] = math.sqrt(y[i] * y[i] + neighbour * neighbour)
    sines, _ = waves_of(radii, 1.0, work)
    f = 0.0
    for i in range(D):
        damping = 1.0 + 0.001 * radii[i]
        f += 0.5 + (sines[i] * sines[i] - 0.5) / (damping * damping)
    c = math.cos(y.sum())
    out[0] = f
    out[1] = c * c - 0.25 * c - 0.125
    out[2] = math.exp(c) - math.exp(0.25)

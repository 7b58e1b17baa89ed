# ruff: noqa: ARG001 -- all kernels have one signature
"""The functions of G1 to G24, compiled: each fills `out` with f, g, h of the point `x`."""

import math

from de2ls._checks import FloatArray
from de2ls.jit.kernels import kernel


@kernel
def g01(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G1: quadratic with nine linear inequalities."""
    f = 0.0
    for j in range(4):
        f += 5.0 * x[j] * (1.0 - x[j])
    for j in range(4, 13):
        f -= x[j]
    out[0] = f
    for k in range(3):
        a, b = (0, 1) if k == 0 else ((0, 2) if k == 1 else (1, 2))
        out[1 + k] = 2.0 * (x[a] + x[b]) + x[9 + a] + x[9 + b] - 10.0
        out[4 + k] = x[9 + k] - 8.0 * x[k]
        out[7 + k] = x[9 + k] - 2.0 * x[3 + 2 * k] - x[4 + 2 * k]


@kernel
def g02(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G2: Keane's bump in 20 dimensions."""
    fourth, product, squares, total, volume = 0.0, 1.0, 0.0, 0.0, 1.0
    for j in range(x.shape[0]):
        c2 = math.cos(x[j]) ** 2
        fourth += c2 * c2
        product *= c2
        squares += (j + 1) * x[j] * x[j]
        total += x[j]
        volume *= x[j]
    out[0] = -abs(fourth - 2.0 * product) / math.sqrt(squares)
    out[1] = 0.75 - volume
    out[2] = total - 7.5 * x.shape[0]


@kernel
def g03(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G3: product on a sphere."""
    n = x.shape[0]
    product, squares = 1.0, 0.0
    for j in range(n):
        product *= x[j]
        squares += x[j] * x[j]
    out[0] = -(float(n) ** (0.5 * n)) * product
    out[1] = squares - 1.0


@kernel
def g04(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G4: Himmelblau's problem."""
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    out[0] = 5.3578547 * x3 * x3 + 0.8356891 * x1 * x5 + 37.293239 * x1 - 40792.141
    u = 85.334407 + 0.0056858 * x2 * x5 + 0.0006262 * x1 * x4 - 0.0022053 * x3 * x5
    v = 80.51249 + 0.0071317 * x2 * x5 + 0.0029955 * x1 * x2 + 0.0021813 * x3 * x3
    w = 9.300961 + 0.0047026 * x3 * x5 + 0.0012547 * x1 * x3 + 0.0019085 * x3 * x4
    out[1], out[2] = -u, u - 92.0
    out[3], out[4] = 90.0 - v, v - 110.0
    out[5], out[6] = 20.0 - w, w - 25.0


@kernel
def g05(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G5: power flow with three equalities."""
    x1, x2, x3, x4 = x[0], x[1], x[2], x[3]
    out[0] = 3.0 * x1 + 1e-6 * x1**3 + 2.0 * x2 + 2e-6 / 3.0 * x2**3
    out[1] = x3 - x4 - 0.55
    out[2] = x4 - x3 - 0.55
    out[3] = 1000.0 * (math.sin(-x3 - 0.25) + math.sin(-x4 - 0.25)) + 894.8 - x1
    out[4] = 1000.0 * (math.sin(x3 - 0.25) + math.sin(x3 - x4 - 0.25)) + 894.8 - x2
    out[5] = 1000.0 * (math.sin(x4 - 0.25) + math.sin(x4 - x3 - 0.25)) + 1294.8


@kernel
def g06(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G6: cubic in a thin crescent."""
    x1, x2 = x[0], x[1]
    out[0] = (x1 - 10.0) ** 3 + (x2 - 20.0) ** 3
    out[1] = 100.0 - (x1 - 5.0) ** 2 - (x2 - 5.0) ** 2
    out[2] = (x1 - 6.0) ** 2 + (x2 - 5.0) ** 2 - 82.81


@kernel
def g07(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G7: quadratic with eight inequalities, three of them linear."""
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    x6, x7, x8, x9, x10 = x[5], x[6], x[7], x[8], x[9]
    f = x1 * x1 + x2 * x2 + x1 * x2 - 14.0 * x1 - 16.0 * x2 + 45.0
    f += (x3 - 10.0) ** 2 + 4.0 * (x4 - 5.0) ** 2 + (x5 - 3.0) ** 2 + 2.0 * (x6 - 1.0) ** 2
    f += 5.0 * x7 * x7 + 7.0 * (x8 - 11.0) ** 2 + 2.0 * (x9 - 10.0) ** 2 + (x10 - 7.0) ** 2
    out[0] = f
    out[1] = 4.0 * x1 + 5.0 * x2 - 3.0 * x7 + 9.0 * x8 - 105.0
    out[2] = 10.0 * x1 - 8.0 * x2 - 17.0 * x7 + 2.0 * x8
    out[3] = -8.0 * x1 + 2.0 * x2 + 5.0 * x9 - 2.0 * x10 - 12.0
    out[4] = 3.0 * (x1 - 2.0) ** 2 + 4.0 * (x2 - 3.0) ** 2 + 2.0 * x3 * x3 - 7.0 * x4 - 120.0
    out[5] = 5.0 * x1 * x1 + 8.0 * x2 + (x3 - 6.0) ** 2 - 2.0 * x4 - 40.0
    out[6] = x1 * x1 + 2.0 * (x2 - 2.0) ** 2 - 2.0 * x1 * x2 + 14.0 * x5 - 6.0 * x6
    out[7] = 0.5 * (x1 - 8.0) ** 2 + 2.0 * (x2 - 4.0) ** 2 + 3.0 * x5 * x5 - x6 - 30.0
    out[8] = -3.0 * x1 + 6.0 * x2 + 12.0 * (x9 - 8.0) ** 2 - 7.0 * x10


@kernel
def g08(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G8: oscillating quotient."""
    x1, x2 = x[0], x[1]
    waves = math.sin(2.0 * math.pi * x1) ** 3 * math.sin(2.0 * math.pi * x2)
    out[0] = -waves / (x1**3 * (x1 + x2))
    out[1] = x1 * x1 - x2 + 1.0
    out[2] = 1.0 - x1 + (x2 - 4.0) ** 2


@kernel
def g09(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G9: polynomial of seven variables."""
    x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    f = (x1 - 10.0) ** 2 + 5.0 * (x2 - 12.0) ** 2 + x3**4 + 3.0 * (x4 - 11.0) ** 2
    f += 10.0 * x5**6 + 7.0 * x6 * x6 + x7**4 - 4.0 * x6 * x7 - 10.0 * x6 - 8.0 * x7
    out[0] = f
    out[1] = 2.0 * x1 * x1 + 3.0 * x2**4 + x3 + 4.0 * x4 * x4 + 5.0 * x5 - 127.0
    out[2] = 7.0 * x1 + 3.0 * x2 + 10.0 * x3 * x3 + x4 - x5 - 282.0
    out[3] = 23.0 * x1 + x2 * x2 + 6.0 * x6 * x6 - 8.0 * x7 - 196.0
    out[4] = 4.0 * x1 * x1 + x2 * x2 - 3.0 * x1 * x2 + 2.0 * x3 * x3 + 5.0 * x6 - 11.0 * x7


@kernel
def g10(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G10: heat exchanger design: constraints of very different size."""
    x1, x2, x3, x4, x5, x6, x7, x8 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
    out[0] = x1 + x2 + x3
    out[1] = 0.0025 * (x4 + x6) - 1.0
    out[2] = 0.0025 * (x5 + x7 - x4) - 1.0
    out[3] = 0.01 * (x8 - x5) - 1.0
    out[4] = -x1 * x6 + 833.33252 * x4 + 100.0 * x1 - 83333.333
    out[5] = -x2 * x7 + 1250.0 * x5 + x2 * x4 - 1250.0 * x4
    out[6] = -x3 * x8 + 1250000.0 + x3 * x5 - 2500.0 * x5


@kernel
def g11(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G11: a point on a parabola."""
    out[0] = x[0] * x[0] + (x[1] - 1.0) ** 2
    out[1] = x[1] - x[0] * x[0]


@kernel
def g12(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """729 disjoint balls: the nearest centre has the rounded coordinates."""
    f, distance = 0.0, 0.0
    for j in range(3):
        f += (x[j] - 5.0) ** 2
        distance += (x[j] - min(max(round(x[j]), 1.0), 9.0)) ** 2
    out[0] = 0.01 * f - 1.0
    out[1] = distance - 0.0625


@kernel
def g13(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G13: exponential of a product with three equalities."""
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    out[0] = math.exp(x1 * x2 * x3 * x4 * x5)
    out[1] = x1 * x1 + x2 * x2 + x3 * x3 + x4 * x4 + x5 * x5 - 10.0
    out[2] = x2 * x3 - 5.0 * x4 * x5
    out[3] = x1**3 + x2**3 + 1.0


@kernel
def g14(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G14: chemical equilibrium; `params` holds the free energies."""
    total, f = 0.0, 0.0
    for j in range(10):
        total += x[j]
    for j in range(10):
        f += x[j] * (params[j] + math.log(x[j] / total))
    out[0] = f
    out[1] = x[0] + 2.0 * x[1] + 2.0 * x[2] + x[5] + x[9] - 2.0
    out[2] = x[3] + 2.0 * x[4] + x[5] + x[6] - 1.0
    out[3] = x[2] + x[6] + x[7] + 2.0 * x[8] + x[9] - 1.0


@kernel
def g15(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G15: quadratic on a circle."""
    x1, x2, x3 = x[0], x[1], x[2]
    out[0] = 1000.0 - x1 * x1 - 2.0 * x2 * x2 - x3 * x3 - x1 * x2 - x1 * x3
    out[1] = x1 * x1 + x2 * x2 + x3 * x3 - 25.0
    out[2] = 8.0 * x1 + 14.0 * x2 + 7.0 * x3 - 56.0


@kernel
def g16(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G16: a chemical plant; `params` holds lower and upper limits of the 17 quantities y."""
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    y = work
    y[0] = x2 + x3 + 41.6
    y[1] = 12.5 / (0.024 * x4 - 4.62) + 12.0
    c2 = 0.0003535 * x1 * x1 + 0.5311 * x1 + 0.08705 * y[1] * x1
    y[2] = c2 / (0.052 * x1 + 78.0 + 0.002377 * y[1] * x1)
    y[3] = 19.0 * y[2]
    rest = x1 - y[2]
    c4 = 0.04782 * rest + 0.1956 * rest * rest / x2 + 0.6376 * y[3] + 1.594 * y[2]
    y[4] = (rest - y[3]) * (0.95 - c4 / (100.0 * x2))
    y[5] = x1 - y[4] - y[3] - y[2]
    c8 = 0.995 * (y[4] + y[3])
    y[6] = c8 / y[0]
    y[7] = c8 / 3798.0
    y[8] = 96.82 / (y[6] - 0.0663 * y[6] / y[7] - 0.3153) + 0.321 * y[0]
    y[9] = 1.29 * y[4] + 1.258 * y[3] + 2.29 * y[2] + 1.71 * y[5]
    y[10] = 1.71 * x1 - 0.452 * y[3] + 0.58 * y[2]
    c12 = 0.995 * y[9] + 1998.0
    y[11] = 12.3 / 752.3 * x1 + 1.75 * y[1] * 0.995 * x1 / c12
    y[12] = c12 - 1.75 * y[1]
    y[13] = 3623.0 + 64.4 * x2 + 58.4 * x3 + 146312.0 / (y[8] + x5)
    y[14] = y[12] / (0.995 * y[9] + 60.8 * x2 + 48.0 * x4 - 0.1121 * y[13] - 5095.0)
    y[15] = 148000.0 - 331000.0 * y[14] + 40.0 * y[12] - 61.0 * y[14] * y[12]
    c14 = 2324.0 * y[9] - 28740000.0 * y[1]
    y[16] = 14130000.0 - 1328.0 * y[9] - 531.0 * y[10] + c14 / c12
    c15 = y[12] / y[14] - y[12] / 0.52
    f = 0.000117 * y[13] + 0.1365 + 0.00002358 * y[12] + 0.000001502 * y[15] + 0.0321 * y[11]
    f += 0.004324 * y[4] + 0.0001 * c15 / (1.104 - 0.72 * y[14]) + 37.48 * y[1] / c12
    out[0] = f - 0.0000005843 * y[16]
    out[1] = 0.28 / 0.72 * y[4] - y[3]
    out[2] = x3 - 1.5 * x2
    out[3] = 3496.0 * y[1] / c12 - 21.0
    out[4] = 110.6 + y[0] - 62212.0 / (y[8] + x5)
    for k in range(17):
        out[5 + 2 * k] = params[2 * k] - y[k]
        out[6 + 2 * k] = y[k] - params[2 * k + 1]


@kernel
def g17(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G17: power flow with jumps in the cost."""
    x1, x2, x3, x4, x5, x6 = x[0], x[1], x[2], x[3], x[4], x[5]
    out[0] = x1 * (30.0 if x1 < 300.0 else 31.0)
    out[0] += x2 * (28.0 if x2 < 100.0 else (29.0 if x2 < 200.0 else 30.0))
    both, third, fourth = x3 * x4 / 131.078, 0.90798 * x3**2 / 131.078, 0.90798 * x4**2 / 131.078
    out[1] = -x1 + 300.0 - both * math.cos(1.48477 - x6) + third * math.cos(1.47588)
    out[2] = -x2 - both * math.cos(1.48477 + x6) + fourth * math.cos(1.47588)
    out[3] = -x5 - both * math.sin(1.48477 + x6) + fourth * math.sin(1.47588)
    out[4] = 200.0 - both * math.sin(1.48477 - x6) + third * math.sin(1.47588)


@kernel
def g18(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G18: the largest small hexagon: 13 inequalities."""
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    x6, x7, x8, x9 = x[5], x[6], x[7], x[8]
    out[0] = -0.5 * (x1 * x4 - x2 * x3 + x3 * x9 - x5 * x9 + x5 * x8 - x6 * x7)
    out[1] = x3 * x3 + x4 * x4 - 1.0
    out[2] = x9 * x9 - 1.0
    out[3] = x5 * x5 + x6 * x6 - 1.0
    out[4] = x1 * x1 + (x2 - x9) ** 2 - 1.0
    out[5] = (x1 - x5) ** 2 + (x2 - x6) ** 2 - 1.0
    out[6] = (x1 - x7) ** 2 + (x2 - x8) ** 2 - 1.0
    out[7] = (x3 - x5) ** 2 + (x4 - x6) ** 2 - 1.0
    out[8] = (x3 - x7) ** 2 + (x4 - x8) ** 2 - 1.0
    out[9] = x7 * x7 + (x8 - x9) ** 2 - 1.0
    out[10] = x2 * x3 - x1 * x4
    out[11] = -x3 * x9
    out[12] = x5 * x9
    out[13] = x6 * x7 - x5 * x8


@kernel
def g19(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G19: Colville's dual problem; `params` holds A (10 x 5), b, C (5 x 5), d, e in this order."""
    A, b, C, d, e = params[:50], params[50:60], params[60:85], params[85:90], params[90:95]
    f = 0.0
    for i in range(10):
        f -= b[i] * x[i]
    for j in range(5):
        row = 0.0
        for i in range(5):
            row += C[5 * i + j] * x[10 + i]
        column = 0.0
        for i in range(10):
            column += A[5 * i + j] * x[i]
        f += row * x[10 + j] + 2.0 * d[j] * x[10 + j] ** 3
        out[1 + j] = -2.0 * row - 3.0 * d[j] * x[10 + j] ** 2 - e[j] + column
    out[0] = f


@kernel
def g21(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G21: a heat exchanger network with five equalities."""
    x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    out[0] = x1
    out[1] = -x1 + 35.0 * x2**0.6 + 35.0 * x3**0.6
    out[2] = -300.0 * x3 + 7500.0 * (x5 - x6) - 25.0 * x4 * (x5 - x6) + x3 * x4
    out[3] = 100.0 * x2 + 155.365 * x4 + 2500.0 * x7 - x2 * x4 - 25.0 * x4 * x7 - 15536.5
    out[4] = -x5 + math.log(900.0 - x4)
    out[5] = -x6 + math.log(x4 + 300.0)
    out[6] = -x7 + math.log(700.0 - 2.0 * x4)


@kernel
def g22(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G22: a larger heat exchanger network: 19 equalities of very different size."""
    x2, x3, x4, x5, x6, x7, x8, x9 = x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]
    x10, x11, x12, x13, x14, x15, x16 = x[9], x[10], x[11], x[12], x[13], x[14], x[15]
    x17, x18, x19, x20, x21, x22 = x[16], x[17], x[18], x[19], x[20], x[21]
    out[0] = x[0]
    out[1] = -x[0] + x2**0.6 + x3**0.6 + x4**0.6
    out[2] = x5 - 1e5 * x8 + 1e7
    out[3] = x6 + 1e5 * x8 - 1e5 * x9
    out[4] = x7 + 1e5 * x9 - 5e7
    out[5] = x5 + 1e5 * x10 - 3.3e7
    out[6] = x6 + 1e5 * x11 - 4.4e7
    out[7] = x7 + 1e5 * x12 - 6.6e7
    out[8] = x5 - 120.0 * x2 * x13
    out[9] = x6 - 80.0 * x3 * x14
    out[10] = x7 - 40.0 * x4 * x15
    out[11] = x8 - x11 + x16
    out[12] = x9 - x12 + x17
    out[13] = -x18 + math.log(x10 - 100.0)
    out[14] = -x19 + math.log(300.0 - x8)
    out[15] = -x20 + math.log(x16)
    out[16] = -x21 + math.log(400.0 - x9)
    out[17] = -x22 + math.log(x17)
    out[18] = -x8 - x10 + x13 * (x18 - x19) + 400.0
    out[19] = x8 - x9 - x11 + x14 * (x20 - x21) + 400.0
    out[20] = x9 - x12 - 4.60517 * x15 + x15 * x22 + 100.0


@kernel
def g23(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G23: pooling: bilinear, with four equalities."""
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    x6, x7, x8, x9 = x[5], x[6], x[7], x[8]
    out[0] = -9.0 * x5 - 15.0 * x8 + 6.0 * x1 + 16.0 * x2 + 10.0 * (x6 + x7)
    out[1] = x9 * x3 + 0.02 * x6 - 0.025 * x5
    out[2] = x9 * x4 + 0.02 * x7 - 0.015 * x8
    out[3] = x1 + x2 - x3 - x4
    out[4] = 0.03 * x1 + 0.01 * x2 - x9 * (x3 + x4)
    out[5] = x3 + x6 - x5
    out[6] = x4 + x7 - x8


@kernel
def g24(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """G24: two disconnected regions."""
    x1, x2 = x[0], x[1]
    out[0] = -x1 - x2
    out[1] = ((-2.0 * x1 + 8.0) * x1 - 8.0) * x1 * x1 + x2 - 2.0
    out[2] = (((-4.0 * x1 + 32.0) * x1 - 88.0) * x1 + 96.0) * x1 + x2 - 36.0

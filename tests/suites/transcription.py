"""The table of the problem definitions, line by line in plain NumPy: what the kernels must equal.

Indices are 1-based in the definitions and 0-based here; every sum runs over the whole vector unless
it says otherwise. z = M y adds the terms of a row from left to right, as the competition's program
does: C28 takes the sine of z^3, and another order of the same sum shows in the eleventh digit.
"""

import math

import numpy as np

pi, e = math.pi, math.e
sin, cos, exp, sqrt = np.sin, np.cos, np.exp, np.sqrt


def schwefel(z):
    return sum(z[: i + 1].sum() ** 2 for i in range(len(z)))


def rastrigin(z):
    return (z**2 - 10 * cos(2 * pi * z) + 10).sum()


def rosenbrock(z):
    return (100 * (z[:-1] ** 2 - z[1:]) ** 2 + (z[:-1] - 1) ** 2).sum()


def row_by_row(M, y):
    z = np.zeros(len(y))
    for j in range(len(y)):
        z = z + M[:, j] * y[j]
    return z


def away_from_zero(v):
    """Round to whole numbers, halves away from zero."""
    nearest = np.trunc(v)
    return nearest + np.sign(v) * (np.abs(v - nearest) >= 0.5)


def transcribed(k, x, o, matrices=(), definition="report"):
    """Return f, [g..], [h..] of problem `k`."""
    y = np.asarray(x) - o
    maps = [row_by_row(M, y) for M in matrices]
    if k >= 21:
        return on(k - 9, maps[0], maps, definition)
    return on(k, y, maps, definition)


def on(k, y, maps, definition):
    D = len(y)
    odd, even = y[0::2], y[1::2]  # odd- and even-numbered, counted from 1
    Q = (y**2).sum()
    match k:
        case 1:
            return schwefel(y), [(y**2 - 5000 * cos(0.1 * pi * y) - 4000).sum()], []
        case 2:
            z = maps[0]
            return schwefel(y), [(z**2 - 5000 * cos(0.1 * pi * z) - 4000).sum()], []
        case 3:
            g = (y**2 - 5000 * cos(0.1 * pi * y) - 4000).sum()
            return schwefel(y), [g], [-(y * sin(0.1 * pi * y)).sum()]
        case 4:
            return rastrigin(y), [-(y * sin(2 * y)).sum(), (y * sin(y)).sum()], []
        case 5:
            return rosenbrock(y), [(a**2 - 50 * cos(2 * pi * a) - 40).sum() for a in maps], []
        case 6:
            h5 = (y * sin(2 * sqrt(abs(y)))).sum()
            return (
                rastrigin(y),
                [],
                [
                    -(y * sin(y)).sum(),
                    (y * sin(pi * y)).sum(),
                    -(y * cos(y)).sum(),
                    (y * cos(pi * y)).sum(),
                    h5,
                    -h5,
                ],
            )
        case 7:
            h = (y - 100 * cos(0.5 * y) + 100).sum()
            return (y * sin(y)).sum(), [], [h, -h]
        case 8:
            return y.max(), [], [schwefel(odd), schwefel(even)]
        case 9:
            if definition == "report":
                h = sum((y[2 * i - 2] ** 2 - y[2 * i]) ** 2 for i in range(1, D // 2))
            else:
                h = sum((y[2 * i - 2] ** 2 - y[2 * i - 1]) ** 2 for i in range(2, D // 2 + 1))
            return y.max(), [even.prod()], [h]
        case 10:
            return y.max(), [], [schwefel(y), ((y[:-1] - y[1:]) ** 2).sum()]
        case 11:
            return y.sum(), [y.prod()], [((y[:-1] - y[1:]) ** 2).sum()]
        case 12:
            return rastrigin(y), [4 - abs(y).sum(), Q - 4], []
        case 13:
            return rosenbrock(y), [rastrigin(y) - 100, y.sum() - 2 * D, 5 - y.sum()], []
        case 14:
            f = -20 * exp(-0.2 * sqrt(Q / D)) + 20 - exp(cos(2 * pi * y).mean()) + e
            return f, [(y[1:] ** 2).sum() + 1 - abs(y[0])], [Q - 4]
        case 15:
            f = abs(y).max() if definition == "report" else y.max()
            return f, [Q - 100 * D], [cos(f) + sin(f)]
        case 16:
            f = abs(y).sum()
            u = cos(f) + sin(f)
            return f, [Q - 100 * D], [u**2 - exp(u) - 1 + e]
        case 17:
            f = Q / 4000 + 1 - cos(y / sqrt(np.arange(1, D + 1))).prod()
            return f, [1 - np.sign(abs(y) - Q + y**2 - 1).sum()], [Q - 4 * D]
        case 18:
            t = np.where(abs(y) < 0.5, y, away_from_zero(2 * y) / 2)
            links = (100 * (y[:-1] ** 2 - y[1:]) ** 2).sum()
            h = links + (sin((y - 1) * pi) ** 2).prod()
            return rastrigin(t), [1 - abs(y).sum(), Q - 100 * D], [h]
        case 19:
            f = (sqrt(abs(y)) + 2 * sin(y**3)).sum()
            g = -(10 * exp(-0.2 * sqrt(y[:-1] ** 2 + y[1:] ** 2))).sum() + (D - 1) * 10 / exp(-5)
            return f, [g, (sin(2 * y) ** 2).sum() - 0.5 * D], []
        case 20:
            r = sqrt(y**2 + np.roll(y, -1) ** 2)
            s = y.sum()
            f = (0.5 + (sin(r) ** 2 - 0.5) / (1 + 0.001 * r) ** 2).sum()
            return f, [cos(s) ** 2 - 0.25 * cos(s) - 0.125, exp(cos(s)) - exp(0.25)], []
    raise AssertionError(k)

"""An objective compiled with Numba: the whole search runs without returning to Python.

The most even placement of ten points on the unit disc: as far apart as possible. The variables
are their coordinates and the least distance d; minimising -d under d <= every distance turns the
maximum of a minimum into a smooth problem with 55 inequalities. The best known d is 0.710978.

    python examples/compiled.py
"""

import time

import numba
import numpy as np

import de2ls

POINTS = 10
PAIRS = POINTS * (POINTS - 1) // 2


@numba.njit
def spread(x):
    """Return -d, and as g <= 0: d minus each distance, and each point within the disc."""
    d = x[-1]
    g = np.empty(PAIRS + POINTS)
    k = 0
    for i in range(POINTS):
        for j in range(i):
            dx, dy = x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]
            g[k] = d - np.sqrt(dx * dx + dy * dy)
            k += 1
        g[PAIRS + i] = x[2 * i] ** 2 + x[2 * i + 1] ** 2 - 1.0
    return -d, g, np.empty(0)


def main(max_evals=300_000):
    """Place the points and print how fast it went."""
    bounds = [(-1, 1)] * (2 * POINTS) + [(0, 1)]
    de2ls.minimize(spread, bounds, n_ineq=PAIRS + POINTS, max_evals=1000, seed=1)  # compiles
    begin = time.perf_counter()
    res = de2ls.minimize(spread, bounds, n_ineq=PAIRS + POINTS, max_evals=max_evals, seed=1)
    seconds = time.perf_counter() - begin
    print(f"least distance {-res.fun:.5f}, feasible: {res.feasible}")
    print(f"  {res.nfev} evaluations in {seconds:.2f} s: {res.nfev / seconds:,.0f} per second")
    return res


if __name__ == "__main__":
    main()

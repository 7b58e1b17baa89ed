"""Bare compiled evaluation of the CEC 2017 problems at D = 30.

600,000 points of a buffer of 256 that lie uniformly in the box (small enough for the cache, varied
enough for no branch to be foreseen), in CPU seconds over the calibration loop's. Bar: a geometric
mean of 0.5 over the 28 problems.
"""

import math
import time
from typing import Any

import numpy as np
from numba import njit, types

import de2ls
from benchmarks.calibrate import calibrate

N_POINTS = 600_000
DIM = 30
REPEATS = 3

_VECTOR = types.float64[::1]
_KERNEL = types.FunctionType(types.void(_VECTOR, _VECTOR, _VECTOR, _VECTOR))


@njit
def _evaluate(
    kernel: Any, X: np.ndarray, params: np.ndarray, work: np.ndarray, out: np.ndarray, n: int
) -> float:
    total = 0.0
    for i in range(n):
        kernel(X[i % X.shape[0]], params, work, out)
        total += out[0]
    return total


def seconds(problem: de2ls.Problem) -> float:
    """Smallest CPU seconds of a few runs over all points."""
    assert problem.kernel is not None
    kernel = problem.kernel
    kernel.evaluate.compile(types.void(_VECTOR, _VECTOR, _VECTOR, _VECTOR))  # type: ignore[attr-defined]
    X = np.random.default_rng(1).uniform(problem.lower, problem.upper, (256, problem.dim))
    work = np.empty(kernel.n_work)
    out = np.empty(1 + problem.n_constraints)
    best = math.inf
    for _ in range(REPEATS):
        start = time.process_time()
        _evaluate(kernel.evaluate, X, kernel.params, work, out, N_POINTS)
        best = min(best, time.process_time() - start)
    return best


def compile_loop() -> None:
    """Compile the loop once, for kernels as pointers."""
    if not _evaluate.signatures:
        _evaluate.compile(
            types.float64(_KERNEL, types.float64[:, ::1], _VECTOR, _VECTOR, _VECTOR, types.int64)
        )
        _evaluate.disable_compile()


def main() -> None:
    """Print the table and the geometric mean."""
    compile_loop()
    unit = calibrate()
    print(f"calibration loop: {unit:.3f} s CPU")
    print("problem  ns per point  ratio")
    ratios = []
    for k in range(1, 29):
        problem = de2ls.cec2017(k, DIM, instance=1)
        cpu = seconds(problem)
        ratios.append(cpu / unit)
        print(f"{problem.name}      {1e9 * cpu / N_POINTS:12.0f}  {ratios[-1]:5.3f}")
    mean = math.exp(np.log(ratios).mean())
    print(f"geometric mean                {mean:5.3f}  (bar: 0.500)")

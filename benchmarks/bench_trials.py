"""Whole trials of DE-2LS at D = 30, beside the published C++ program.

600,000 evaluations, one thread, kernels warm, in CPU seconds over the calibration loop's;
`reference.csv` has the same ratio of the published program. Bar: 4.5 times faster in the geometric
mean over the 28 problems, and faster on every one. Also the complexity figures of the CEC (T1: the
bare evaluations, T2: the trial, geometric means), what Python costs per evaluation, and the start
with an empty and with a warm kernel cache.
"""

import csv
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import de2ls
from benchmarks import bench_suite
from benchmarks.calibrate import calibrate
from de2ls.problems import Problem
from de2ls.trials.compiled import CompiledDriver as Driver
from de2ls.trials.driver import new_driver

DIM = 30
SEEDS = (1, 2, 3)
START = """
import time, de2ls
de2ls.run_trial("de2ls", de2ls.cec2017(1, dim=30, instance=1), 1, max_evals=1000)
print(time.process_time())
"""


def published() -> dict[str, float]:
    """Return the published program's ratios by problem."""
    with (Path(__file__).parent / "reference.csv").open(newline="") as file:
        return {
            row["problem"]: float(row["published_cpp_trial_over_calibration"])
            for row in csv.DictReader(file)
        }


def cpu(action: Callable[[], object]) -> float:
    """Return the CPU seconds of one call."""
    start = time.process_time()
    action()
    return time.process_time() - start


def trial_seconds(problem: Problem, algorithm: str = "de2ls") -> float:
    """Return the smallest CPU seconds of a few trials."""
    de2ls.run_trial(algorithm, problem, 0, max_evals=1000)  # warm
    return min(cpu(lambda s=seed: de2ls.run_trial(algorithm, problem, s)) for seed in SEEDS)


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(np.log(values).mean())


def trials() -> None:
    """Print the table of trials, and the complexity figures."""
    bench_suite.compile_loop()
    reference = published()
    print("problem  seconds  ratio  published  times faster")
    speedups, bare, whole = [], [], []
    for k in range(1, 29):
        problem = de2ls.cec2017(k, DIM, instance=1)
        unit = calibrate()  # beside each problem: the machine is noisy
        seconds = trial_seconds(problem)
        bare.append(bench_suite.seconds(problem))
        whole.append(seconds)
        speedups.append(reference[problem.name] * unit / seconds)
        print(
            f"{problem.name}      {seconds:7.3f}  {seconds / unit:5.2f}  "
            f"{reference[problem.name]:9.2f}  {speedups[-1]:12.2f}"
        )
    print(f"geometric mean {geometric_mean(speedups):36.2f}  (bar: 4.50)")
    print(f"slowest        {min(speedups):36.2f}  (bar: 1.00)")
    t1, t2 = geometric_mean(bare), geometric_mean(whole)
    print(f"T1 = {t1:.3f} s, T2 = {t2:.3f} s, (T2 - T1) / T1 = {(t2 - t1) / t1:.2f}")


def python_overhead() -> None:
    """Print what an evaluation costs from Python beyond the objective itself."""

    def sphere(x: np.ndarray, out: np.ndarray) -> None:
        out[0] = x.dot(x)
        out[1] = 1.0 - x[0]

    problem = Problem("sphere", np.full(DIM, -5.0), np.full(DIM, 5.0), 1, 0, function=sphere)
    driver = Driver("de2ls", problem, 1)
    optimizer = de2ls.Optimizer(problem.bounds, n_ineq=1, seed=1)
    x, out, n = np.ones(DIM), np.empty(2), 5_000

    def bare_calls() -> None:
        for _ in range(n):
            sphere(x, out)

    def ask_and_tell() -> None:
        for _ in range(n):
            candidate = optimizer.ask()
            sphere(candidate.x, out)
            optimizer.tell(candidate, out[0], out[1])

    ways: dict[str, Callable[[], None]] = {
        "run_trial": lambda: driver.run(driver.n_evals + n),
        "ask and tell": ask_and_tell,
    }
    bare = min(cpu(bare_calls) for _ in range(30))
    for name, way in ways.items():
        way()  # the initial population
        driven = min(cpu(way) for _ in range(30))
        print(
            f"{name} from Python: {1e6 * (driven - bare) / n:.2f} us per evaluation beyond the "
            f"objective's {1e6 * bare / n:.2f} us (bar: 8)"
        )


def batch_overhead() -> None:
    """Print what a batch of a generator costs beyond the evaluations of its points."""
    problem = de2ls.cec2017(1, DIM, instance=1)
    n_batches = 1_000
    X = np.random.default_rng(1).uniform(problem.lower, problem.upper, (10_000, DIM))
    out = np.empty((len(X), 1 + problem.n_constraints))
    point = min(cpu(lambda: problem.evaluate_rows(X, out)) for _ in range(30)) / len(X)
    for n, bar in ((1, "30 us per batch"), (100, "1 us per point")):

        @de2ls.algorithm("still")
        def still(space, rng, *_, n=n):
            x = space.sample(rng, n)
            while True:
                yield x

        driver = new_driver(still, problem, 1, max_evals=10**8, saveable=False)
        more = n * n_batches
        run = [cpu(lambda d=driver, more=more: d.run(d.n_evals + more)) for _ in range(15)]
        extra = 1e6 * (min(run) / n_batches - n * point)
        print(
            f"batch of {n}: {extra:.1f} us beyond its evaluations, {extra / n:.2f} per point "
            f"(bar: {bar})"
        )


def start_up() -> None:
    """Print the CPU seconds from process start to the end of a short trial."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DE2LS_CACHE_DIR": folder}
        for name, bar in (("empty", 20), ("warm", 1.5)):
            run = subprocess.run(
                [sys.executable, "-c", START],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            print(f"start with {name} kernel cache: {float(run.stdout):.2f} s CPU (bar: {bar})")


def main() -> None:
    """Print all figures."""
    print(f"calibration loop: {calibrate():.3f} s CPU")
    trials()
    python_overhead()
    batch_overhead()
    start_up()


if __name__ == "__main__":
    main()

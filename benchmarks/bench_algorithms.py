"""Cost per evaluation of every algorithm, relative to DE-2LS, whole trials at D = 30.

The smallest CPU seconds of a few trials over the evaluations made, all algorithms in turn on each
problem. Bars, on the geometric mean over the 28 problems: CL-SRDE, UDE-III and UDE-IV at most 1.6
times DE-2LS, RDE26 and RDEx-CASK at most 1.5 times. Also the CPU seconds to compile each one.
"""

import os
import subprocess
import sys
import tempfile

import de2ls
from benchmarks.bench_trials import DIM, cpu, geometric_mean
from benchmarks.calibrate import calibrate
from de2ls.problems import Problem

SEEDS = (1, 2)
BARS = {"cl-srde": 1.6, "ude3": 1.6, "ude4": 1.6, "rde26": 1.5, "rdex-cask": 1.5}
COMPILE_BAR = 20.0
COMPILE = """
import sys, time, de2ls
problem = de2ls.cec2017(1, dim=30, instance=1)
problem.evaluate(problem.lower)
start = time.process_time()
de2ls.run_trial(sys.argv[1], problem, 1, max_evals=1000)
print(time.process_time() - start)
"""


def costs(problem: Problem, names: list[str], max_evals: int | None = None) -> list[float]:
    """Return the CPU seconds per evaluation of each algorithm."""
    evaluations, seconds = {}, dict.fromkeys(names, float("inf"))
    for name in names:
        evaluations[name] = de2ls.run_trial(name, problem, 0, max_evals=1000).n_evals  # warm
    for seed in SEEDS:
        for name in names:
            record = []
            taken = cpu(
                lambda n=name, s=seed, r=record: r.append(
                    de2ls.run_trial(n, problem, s, max_evals=max_evals)
                )
            )
            seconds[name] = min(seconds[name], taken)
            evaluations[name] = record[0].n_evals
    return [seconds[name] / evaluations[name] for name in names]


def compile_seconds(name: str) -> float:
    """Return the CPU seconds of an algorithm's first trial with an empty kernel cache."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [sys.executable, "-c", COMPILE, name],
            env={**os.environ, "DE2LS_CACHE_DIR": folder},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(run.stdout)


def main() -> None:
    """Print the tables."""
    names = de2ls.algorithm_names()
    unit = calibrate()
    print(f"calibration loop: {unit:.3f} s CPU; microseconds per evaluation")
    print("problem  " + "".join(f"{name:>14}" for name in names))
    rows = []
    for k in range(1, 29):
        rows.append(costs(de2ls.cec2017(k, DIM, instance=1), names))
        print(f"C{k:02d}      " + "".join(f"{1e6 * cost:14.3f}" for cost in rows[-1]), flush=True)
    first = names.index("de2ls")
    print("algorithm       over de2ls   largest   per trial over calibration   compile")
    for i, name in enumerate(names):
        ratios = [row[i] / row[first] for row in rows]
        trial = geometric_mean([600_000 * row[i] / unit for row in rows])
        compiled = compile_seconds(name)
        bar = f"(bar: {BARS[name]})" if name in BARS else ""
        print(
            f"{name:14}  {geometric_mean(ratios):10.2f}  {max(ratios):8.2f}  {trial:27.2f}  "
            f"{compiled:6.1f} s (bar: {COMPILE_BAR:.0f})  {bar}"
        )


if __name__ == "__main__":
    main()

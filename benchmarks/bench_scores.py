"""U-scores of 10 algorithms x 28 problems x 25 trials x 2001 samples.

CPU seconds (of all threads, so that they bound what one core needs) and their ratio to the
calibration loop. Bars: a score in under 1 s, with 1000 bootstrap resamples in under 60 s.
"""

import time
from collections.abc import Callable

import numpy as np

from benchmarks.calibrate import calibrate
from de2ls.scores import Collection, bootstrap, rank_sum, uscore

SHAPE = (28, 25, 2001)
ALGORITHMS = 10
REPEATS = 3


def step_curves(rng: np.random.Generator) -> np.ndarray:
    """Return curves that fall in steps; about one trial in ten ends infeasible."""
    steps = (rng.random(SHAPE) < 0.2) * rng.exponential(size=SHAPE)
    depth = np.cumsum(steps, axis=2) * rng.uniform(0.2, 1.0, SHAPE[:2])[..., None]
    stuck = rng.random((*SHAPE[:2], 1)) < 0.1
    violation = np.where(stuck, 50.0 * np.exp(-depth / 100.0), np.maximum(0.0, 50.0 - depth))
    objective = np.where(violation == 0.0, 1000.0 * np.exp(-depth / 100.0), np.nan)
    return np.stack([objective, violation], axis=3)


def seconds(work: Callable[[], object]) -> float:
    """Smallest CPU seconds of a few runs."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print seconds and ratios."""
    rng = np.random.default_rng(1)
    curves = {f"a{i}": step_curves(rng) for i in range(ALGORITHMS)}
    collection = Collection.from_curves(curves)
    unit = calibrate()
    print(f"calibration loop {unit:.3f} s; {REPEATS} runs each, the smallest counts")
    for name, bar, work in [
        ("uscore cec2026", 1, lambda: uscore(curves)),
        ("uscore cec2024", 1, lambda: uscore(curves, "cec2024")),
        ("with 1000 resamples, cec2026", 60, lambda: bootstrap(collection)),
        ("with 1000 resamples, cec2024", 60, lambda: bootstrap(collection, "cec2024")),
        ("rank-sum tests of all pairs", None, lambda: rank_sum(collection)),
    ]:
        spent = seconds(work)
        limit = "" if bar is None else f"  (bar {bar} s)"
        print(f"{name:30s} {spent:7.3f} s  ratio {spent / unit:6.2f}{limit}")


if __name__ == "__main__":
    main()

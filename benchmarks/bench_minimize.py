"""What `minimize` costs beyond the user's function, and what two workers gain.

The overhead is that of a plain Python objective at D = 30: the time of a run minus that of a bare
loop of as many calls, per evaluation, beside SciPy's differential evolution in the same run. Each
figure is the smallest of several rounds, which alternate.
"""

import math
import time
from collections.abc import Callable

import numpy as np
from scipy.optimize import NonlinearConstraint, differential_evolution

import de2ls

DIM, EVALS, ROUNDS = 30, 20_000, 5
WORK, TASKS = 0.02, 120  # seconds and number of the slow objective's evaluations


def sphere(x: np.ndarray) -> float:
    """Return the plain objective."""
    return float(x @ x)


def limit(x: np.ndarray) -> float:
    """Return the one constraint, at most 1."""
    return float(x[0])


def slow(x: np.ndarray) -> float:
    """Return an objective that computes for 20 ms."""
    end, total = time.process_time() + WORK, 0.0
    while time.process_time() < end:
        total += math.sin(total)
    return float(x @ x) + 0.0 * total


def seconds(action: Callable[[], object]) -> float:
    """Return how long an action takes."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    bounds = [(-5.0, 5.0)] * DIM
    point = np.ones(DIM)
    constraint = NonlinearConstraint(limit, -np.inf, 1.0)
    scipy_options = {
        "popsize": 10,
        "polish": False,
        "tol": 0,
        "rng": 1,
        "maxiter": EVALS // 300 - 1,
    }
    actions: dict[str, Callable[[], object]] = {
        "bare": lambda: [sphere(point) for _ in range(EVALS)],
        "bare, constrained": lambda: [(sphere(point), limit(point)) for _ in range(EVALS)],
        "de2ls": lambda: de2ls.minimize(sphere, bounds, max_evals=EVALS, seed=1),
        "de2ls, constrained": lambda: de2ls.minimize(
            sphere, bounds, constraints=constraint, max_evals=EVALS, seed=1
        ),
        "scipy": lambda: differential_evolution(sphere, bounds, **scipy_options),
        "scipy, constrained": lambda: differential_evolution(
            sphere, bounds, constraints=constraint, **scipy_options
        ),
    }
    de2ls.minimize(sphere, bounds, max_evals=1000, seed=1)  # kernels warm
    best = dict.fromkeys(actions, math.inf)
    for _ in range(ROUNDS):
        for name, action in actions.items():
            best[name] = min(best[name], seconds(action))
    print(f"overhead per evaluation at D = {DIM}, in microseconds")
    print(f"{'':24}{'no constraint':>14}{'one constraint':>16}")
    for solver in ("de2ls", "scipy"):
        plain = (best[solver] - best["bare"]) / EVALS * 1e6
        one = (best[f"{solver}, constrained"] - best["bare, constrained"]) / EVALS * 1e6
        print(f"{solver:24}{plain:14.2f}{one:16.2f}")
    gain = dict.fromkeys((1, 2), math.inf)
    for _ in range(3):
        for workers in gain:
            took = seconds(
                lambda: de2ls.minimize(
                    slow,
                    [(-5.0, 5.0)] * 3,
                    max_evals=TASKS,
                    seed=1,
                    workers=workers,  # noqa: B023
                )
            )
            gain[workers] = min(gain[workers], took)
    print(f"two workers on a 20 ms objective: {gain[1] / gain[2]:.2f} times faster")

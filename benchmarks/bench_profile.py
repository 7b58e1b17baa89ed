"""Where the time of a DE-2LS trial goes: its parts, each alone, on the state of a trial under way.

C12 and C21 at D = 30 after a quarter of the budget. The parts run on the same state again and
again, so caches and branch predictors are warmer than in a trial: a guide, not an account.
"""

import time
from collections.abc import Callable
from typing import Any

import numba

import de2ls
from benchmarks import bench_suite
from de2ls.algorithms import operators
from de2ls.algorithms import two_populations as tp
from de2ls.engine import random
from de2ls.engine.recorder import observe
from de2ls.jit.borrow import borrow
from de2ls.trials.compiled import CompiledDriver as Driver

COUNT = 200_000
PER_GENERATION = 2_000


@numba.njit
def _draws(state: Any, _: Any, n: int) -> float:
    s = borrow(state)
    total = 0.0
    for _i in range(n):
        a, b, c, F, CR = operators.base_step(s, 3)
        total += a + b + c + F + CR
    return total


@numba.njit
def _cross(state: Any, cand: Any, n: int) -> None:
    s, c = borrow(state), borrow(cand)
    for _ in range(n):
        operators.cross(s, c, 3, 4, 5, 6, 0.5, 0.5, random.normal_clipped(s.rng, 0.95, 0.1), 0.2)


@numba.njit
def _observe(state: Any, cand: Any, n: int) -> float:
    s, c = borrow(state), borrow(cand)
    total = 0.0
    for _ in range(n):
        f, v = observe(s, c)
        total += f + v
        s.now[0].n -= 1
    return total


@numba.njit
def _success(state: Any, cand: Any, n: int) -> None:
    s, c = borrow(state), borrow(cand)
    now = s.now[0]
    for i in range(n):
        f = s.front[i % now.n_pop].f
        tp.write_success(s, c, f, 0.0, 1.0)
        if now.n_success == now.n_pop:
            now.n_success = 0


@numba.njit
def _begin(state: Any, _: Any, n: int) -> None:
    s = borrow(state)
    for _i in range(n):
        tp.begin_generation(s)


def nanoseconds(part: Callable[..., Any], driver: Driver, count: int) -> float:
    """Return CPU nanoseconds per repetition of `part` on a copy of the driver's state."""
    state = type(driver.state)(*(array.copy() for array in driver.state))
    part(state, driver.cand, 1)
    start = time.process_time()
    part(state, driver.cand, count)
    return 1e9 * (time.process_time() - start) / count


def profile(k: int) -> None:
    """Print the parts of a trial on problem `k`."""
    problem = de2ls.cec2017(k, dim=30, instance=1)
    driver = Driver("de2ls", problem, 1)
    driver.run(150_000)
    start, first = time.process_time(), driver.n_evals
    driver.run(first + 50_000)
    whole = 1e9 * (time.process_time() - start) / 50_000
    n_pop, sr = int(driver.now["n_pop"]), float(driver.now["sr"])
    print(f"{problem.name}: N = {n_pop}, success rate {sr:.2f}, {whole:.0f} ns per evaluation")
    success = nanoseconds(_success, driver, COUNT)
    rows = [
        ("evaluation of the problem", 1e9 * bench_suite.seconds(problem) / bench_suite.N_POINTS),
        ("draws: parents, F, CR", nanoseconds(_draws, driver, COUNT)),
        ("mutation, crossover, repair", nanoseconds(_cross, driver, COUNT)),
        ("recorder and incumbent", nanoseconds(_observe, driver, COUNT)),
        (f"successes ({success:.0f} ns each)", success * sr),
        ("start of a generation, shared", nanoseconds(_begin, driver, PER_GENERATION) / n_pop),
    ]
    for name, value in rows:
        print(f"  {name:36} {value:6.0f} ns  {value / whole:5.0%}")
    rest = whole - sum(value for _, value in rows)
    print(f"  {'rest: calls, end of a generation':36} {rest:6.0f} ns  {rest / whole:5.0%}")


def main() -> None:
    """Print the profiles."""
    bench_suite.compile_loop()
    for k in (12, 21):
        profile(k)


if __name__ == "__main__":
    main()

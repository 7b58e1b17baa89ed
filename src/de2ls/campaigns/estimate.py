"""How long a campaign will take, from short trials of what it will run."""

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from de2ls.campaigns.executors import compile_kernels
from de2ls.campaigns.plan import PlannedTrial
from de2ls.problems.file import no_exit
from de2ls.trials.run import PausedTrial

_PER_PAIR = 0.05  # seconds that make a measurement
_IN_ALL = 5.0  # seconds after which the rest is taken as the mean of what was measured


@dataclass(frozen=True)
class Estimate:
    """What a campaign costs."""

    trials: int
    evaluations: int
    worker_seconds: float  # on one worker; several share it
    measured: int  # pairs of series and problem
    pairs: int


def estimate(trials: Sequence[PlannedTrial]) -> Estimate:
    """Measure pairs of series and problem with short trials, in random order until time is up."""
    compile_kernels(trials)
    counts = Counter((trial.label, trial.problem) for trial in trials)
    samples = {(trial.label, trial.problem): trial for trial in trials}
    order = random.Random(0).sample(list(samples), len(samples))  # noqa: S311
    deadline = time.monotonic() + _IN_ALL
    costs: dict[object, float] = {}
    for pair in order:
        if costs and time.monotonic() > deadline:
            break
        costs[pair] = _seconds_per_evaluation(samples[pair])
    mean = sum(costs.values()) / max(1, len(costs))
    seconds = sum(
        counts[pair] * trial.max_evals * costs.get(pair, mean) for pair, trial in samples.items()
    )
    evaluations = sum(trial.max_evals for trial in trials)
    return Estimate(len(trials), evaluations, seconds, len(costs), len(samples))


def _seconds_per_evaluation(trial: PlannedTrial) -> float:
    """Run the beginning of a trial, in growing steps until its time can be told."""
    begun = PausedTrial(trial.place, trial.load(), trial.seed, trial.max_evals, trial.config)
    step = 8
    begin = time.perf_counter()
    with no_exit(f"the problem {trial.problem.label}"):
        while not begun.finished and time.perf_counter() - begin < _PER_PAIR:
            begun.run(step)
            step *= 2
    return (time.perf_counter() - begin) / begun.driver.n_evals

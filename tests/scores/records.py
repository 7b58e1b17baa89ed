"""Trial records made by hand."""

import numpy as np

from de2ls.problems.key import ProblemKey
from de2ls.trials import TrialKey, TrialRecord


def make_record(label="x", number=1, seed=1, samples=None, evaluations=None, **changes):
    """Return a record whose curve is `samples` (rows, 2) at 10 D k evaluations."""
    samples = np.array([[np.nan, 5.0], [3.0, 0.0], [1.0, 0.0]] if samples is None else samples)
    key = {"suite": "cec2017", "number": number, "dim": 2, "definition": "report", "instance": 0}
    run = changes.pop("run", seed)
    budget = changes.pop("max_evals", 20 * (len(samples) - 1))
    key |= {name: changes.pop(name) for name in list(changes) if name in key or name == "suite"}
    key = changes.pop("key", key)
    if evaluations is None:
        evaluations = np.maximum(8, 20 * np.arange(len(samples)))
    return TrialRecord(
        key=TrialKey(label, ProblemKey.from_dict(key), run),
        algorithm="algorithm",
        config={},
        seed=seed,
        max_evals=budget,
        n_evals=budget,
        curve=np.column_stack([evaluations, samples]),
        x=np.zeros(2),
        f=float(samples[-1, 0]),
        g=np.zeros(1),
        h=np.zeros(0),
        violation=float(samples[-1, 1]),
        feasible=bool(samples[-1, 1] <= 1e-8),
        stop="max_evals",
        **changes,
    )


def field(labels=("x", "y"), numbers=(1, 2), seeds=(1, 2, 3), rng=None, **changes):
    """Return the records of a whole field, with random ends."""
    rng = np.random.default_rng(0) if rng is None else rng
    return [
        make_record(
            label, number, seed, [[np.nan, 5.0], [3.0, 0.0], [rng.random(), 0.0]], **changes
        )
        for label in labels
        for number in numbers
        for seed in seeds
    ]

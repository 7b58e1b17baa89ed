"""The campaign behind the fidelity tests: resumed, not repeated, when the store has its trials."""

import numpy as np
from numpy.typing import NDArray

from de2ls.campaigns.campaign import run_campaign
from de2ls.campaigns.plan import Plan
from de2ls.campaigns.progress import Progress
from de2ls.campaigns.store import Store
from tests.fidelity.rules import CAMPAIGN_SEED, MILESTONES, PROBLEMS, RUNS, STORE


def milestones(
    label: str, algorithm: str | None = None, problems: str = "1-28"
) -> NDArray[np.float64]:
    """Return (problems, runs, milestones, 2) results of a series, run if they are missing.

    `algorithm` is a series as the command line takes it, ``NAME:FIELD=VALUE``; the label alone
    names an algorithm with its default configuration.
    """
    series = label if algorithm is None else f"{label}={algorithm}"
    settings = {
        "algorithms": series,
        "problems": problems,
        "dim": 30,
        "runs": RUNS,
        "seed": CAMPAIGN_SEED,
    }
    STORE.parent.mkdir(exist_ok=True)
    plan = Plan.from_settings(settings)
    outcome = run_campaign(plan, STORE, progress=Progress())
    assert outcome.left == 0, f"{outcome.left} trials of {series} are missing"
    numbers = sorted({trial.problem.number for trial in plan.trials()})
    assert set(numbers) <= set(PROBLEMS)
    results = np.full((len(numbers), RUNS, len(MILESTONES), 2), np.nan)
    with Store.open(STORE, readonly=True) as store:
        for trial in store.records(labels=label):
            if trial.problem.name in numbers:
                last = trial.curve.shape[0] - 1
                rows = [round(share * last) for share in MILESTONES]
                k = numbers.index(trial.problem.name)
                results[k, trial.run - 1] = trial.curve[rows, 1:3]
    return results

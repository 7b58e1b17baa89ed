"""The seed of every trial, from what identifies it: no order, no number of workers enters."""

import hashlib
import json

from de2ls.problems.key import ProblemKey


def trial_seed(
    campaign_seed: int, label: str, problem: ProblemKey, run: int, paired: bool = False
) -> int:
    """Return the seed of one trial, 63 bits long.

    Parameters
    ----------
    campaign_seed : int
        Chosen by the user.
    label : str
        Name of the trial's series.
    problem : ProblemKey
        The problem; every part of its key enters.
    run : int
        Number of the run, from 1.
    paired : bool
        Leave the label out, so that all series share their random numbers.

    Examples
    --------
    >>> key = ProblemKey.make("cec2017", 1, 30, definition="report", instance=0)
    >>> trial_seed(1, "de2ls", key, 1) == trial_seed(1, "rdex", key, 1)
    False
    >>> trial_seed(1, "de2ls", key, 1, paired=True) == trial_seed(1, "rdex", key, 1, paired=True)
    True
    """
    series = [] if paired else [label]
    variant = [value for _, value in problem.variant]
    identity = [campaign_seed, *series, problem.suite, problem.name, problem.dim, *variant, run]
    digest = hashlib.sha256(json.dumps(identity).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1  # SQLite's integers have 63 bits and a sign

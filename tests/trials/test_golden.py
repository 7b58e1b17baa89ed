"""Bits and seeds that must not change: digests written by version 0.1.0.

Bits depend on the type of the CPU and on library versions, so the digests are compared where both
are those of the file, and skipped elsewhere. Seeds depend on nothing.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import de2ls
from de2ls.campaigns.seeds import trial_seed
from de2ls.problems.key import ProblemKey
from de2ls.trials.run import environment

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())


def digest(record):
    found = hashlib.sha256()
    for array in (record.curve, record.x, record.g, record.h, [record.f, record.violation]):
        found.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return found.hexdigest()[:16]


@pytest.mark.skipif(
    environment() != GOLDEN["environment"],
    reason="the digests were made on another type of CPU or with other versions",
)
@pytest.mark.parametrize("name", sorted({place.split()[0] for place in GOLDEN["trials"]}))
def test_every_problem_gives_the_bits_of_version_0_1_0(name):
    found = {
        k: digest(
            de2ls.run_trial(
                name,
                de2ls.cec2017(k, dim=GOLDEN["dim"], instance=GOLDEN["instance"]),
                seed=1000 + k,
                max_evals=GOLDEN["max_evals"],
            )
        )
        for k in range(1, 29)
    }
    assert found == {k: GOLDEN["trials"][f"{name} {k}"] for k in range(1, 29)}


@pytest.mark.parametrize("row", GOLDEN["seeds"])
def test_the_seeds_of_the_cec_suite_stay(row):
    campaign_seed, label, key, run, paired, expected = row
    assert trial_seed(campaign_seed, label, ProblemKey.from_dict(key), run, paired) == expected

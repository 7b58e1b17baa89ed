"""CL-SRDE against its authors' own 25 runs, both with the best as their program reports it."""

import numpy as np
import pytest

from tests.fidelity.reported_best import FILES, at_milestones, our_records, their_records
from tests.fidelity.rules import LEAST_P, PROBLEMS, SMALL_SHARE, Verdict, compare

pytestmark = [
    pytest.mark.fidelity,
    pytest.mark.skipif(not FILES.is_file(), reason="the authors' files are not there"),
]

# Their values have 12 digits: on these problems many runs end at one level (C19 and C28: violation
# 42749.816...), told apart by the 13th.
DECIMALS = {12: 6, 19: 6, 21: 6, 28: 6}


def test_cl_srde_agrees_with_its_authors_files() -> None:
    p = []
    for number in PROBLEMS:
        ours, theirs = at_milestones(our_records(number)), at_milestones(their_records(number))
        p.append(compare(ours, theirs, DECIMALS.get(number, 8)).p)
    verdict = Verdict(np.concatenate(p))
    assert verdict.least >= LEAST_P
    assert verdict.small_share <= SMALL_SHARE

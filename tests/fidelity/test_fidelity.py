"""Our trials against the published programs' own runs, by the rules of `docs/fidelity.md`.

Run by ``make fidelity``; the trials are kept in ``build/fidelity.db`` and not repeated.
"""

import numpy as np
import pytest

from tests.fidelity.campaign import milestones
from tests.fidelity.rules import (
    CONFIGURED,
    LEAST_P,
    REFERENCES,
    SHARED,
    SMALL_SHARE,
    Verdict,
    compare,
    reference,
)

pytestmark = [
    pytest.mark.fidelity,
    pytest.mark.skipif(
        not (SHARED / "reference").is_dir(), reason="the reference results are not there"
    ),
]

BOX_RULE = [6]  # C07: the published program leaves the box there; compared apart
OUT_OF_BOX = ["rdex", "de2ls"]  # series whose published program leaves the box


def test_rdex_and_de2ls_agree_where_the_box_rule_does_not_act() -> None:
    p = []
    for name in OUT_OF_BOX:
        verdict = compare(milestones(name), reference(REFERENCES[name]))
        p.append(np.delete(verdict.p, BOX_RULE, axis=0))
    verdict = Verdict(np.concatenate(p))
    assert verdict.least >= LEAST_P
    assert verdict.small_share <= SMALL_SHARE


@pytest.mark.parametrize("name", OUT_OF_BOX)
def test_the_difference_on_c07_is_the_box_rule(name: str) -> None:
    theirs = reference(REFERENCES[name])[BOX_RULE]
    ours = milestones(f"{name}-published-box", f"{name}:box=published", problems="7")
    assert compare(ours, theirs).least >= LEAST_P


@pytest.mark.parametrize("name", ["rde26", "rdex-cask-stray", "cl-srde"])
def test_the_rivals_agree(name: str) -> None:
    verdict = compare(milestones(name, CONFIGURED.get(name)), reference(REFERENCES[name]))
    assert verdict.least >= LEAST_P
    assert verdict.small_share <= SMALL_SHARE


def test_rdex_cask_ends_like_the_reference_without_its_stray_reads() -> None:
    verdict = compare(milestones("rdex-cask"), reference("RDEx-CASK"))
    at_the_end = Verdict(verdict.p[:, -1:])
    assert at_the_end.passes

import hashlib
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from de2ls.campaigns.seeds import trial_seed

from .support import KEY


def test_seed_is_the_head_of_a_sha256():
    text = '[7, "de2ls", "cec2017", 1, 3, "report", 1, 25]'
    expected = int(hashlib.sha256(text.encode()).hexdigest()[:16], 16) // 2
    assert trial_seed(7, "de2ls", KEY, 25) == expected


def test_paired_leaves_the_label_out():
    text = '[7, "cec2017", 1, 3, "report", 1, 25]'
    expected = int(hashlib.sha256(text.encode()).hexdigest()[:16], 16) // 2
    assert trial_seed(7, "de2ls", KEY, 25, paired=True) == expected
    assert trial_seed(7, "rdex", KEY, 25, paired=True) == expected


@given(st.integers(0), st.text(), st.integers(1, 28), st.integers(1, 1000), st.booleans())
def test_seeds_fit_sqlite(seed, label, number, run, paired):
    assert 0 <= trial_seed(seed, label, replace(KEY, name=number), run, paired) < 2**63


def test_whatever_differs_gives_another_seed():
    variants = [
        (seed, label, key, run)
        for seed in (1, 2)
        for label in ("a", "b")
        for key in [
            KEY,
            replace(KEY, suite="other"),
            replace(KEY, name=2),
            replace(KEY, name="2"),
            replace(KEY, dim=10),
            KEY.varied(definition="cpp2017"),
            KEY.varied(instance=2),
            KEY.varied(excess=True),
        ]
        for run in range(1, 26)
    ]
    assert len({trial_seed(*variant) for variant in variants}) == len(variants)

"""Random records for Hypothesis: NaN, ties, infeasible ends, plateaus, single trials."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

# Few distinct values, some of them within the tolerances of each other, make many ties.
OBJECTIVES = [-3.0, 0.0, 5e-9, 1e-8, 2.1e-8, 1.0, 1.0 + 9e-9, 2.0, 1e6, 1e6 + 5e-7, 1e6 + 5e-6]
VIOLATIONS = [0.0, 4e-9, 1e-8, 1.1e-8, 2.5e-8, 0.5, 0.5 + 9e-9, 7.0, 4e4, 4e4 + 3e-8, np.inf]


@st.composite
def curves(draw, algorithms=(1, 4), trials=None, by_the_rules=True):
    """Draw a dict of curves (problems, trials, samples, 2)."""
    problems = draw(st.integers(1, 2))
    samples = draw(st.integers(1, 7))
    n = draw(st.integers(1, 4))
    objectives = [np.nan, *OBJECTIVES] + ([] if by_the_rules else [np.inf, -np.inf])
    fields = {}
    for a in range(draw(st.integers(*algorithms))):
        shape = (problems, n if trials is None else draw(st.integers(*trials)), samples)
        E = draw(hnp.arrays(np.float64, shape, elements=st.sampled_from(objectives)))
        C = draw(hnp.arrays(np.float64, shape, elements=st.sampled_from(VIOLATIONS)))
        if by_the_rules:
            C = np.minimum.accumulate(C, axis=2)
            E = np.where(C <= 1e-8, np.where(np.isnan(E), 3.0, E), np.nan)
            E = np.fmin.accumulate(E, axis=2)
        fields[f"a{a}"] = np.stack([E, C], axis=3)
    return fields

import math

import numpy as np
import pytest

from de2ls.scores import Collection, summary


def collection_of(problems, **ends):
    """Return one-sample trials: ends[name][problem] is a list of (Min_EV, LCV)."""
    return Collection.from_curves(
        {name: np.array(cells, float)[:, :, None, :] for name, cells in ends.items()}, problems
    )


@pytest.fixture
def mixed():
    nan = math.nan
    return summary(
        collection_of(
            ["C01", "C06", "C19"],
            x=[[(1, 0), (4, 0)], [(2, 0), (nan, 3)], [(nan, 10), (nan, 20)]],
            y=[[(2, 0), (2, 0)], [(2, 0), (2, 0)], [(nan, 15), (nan, 15)]],
        )
    )


def test_means_of_feasible_cells(mixed):
    assert mixed.mean[0].tolist() == [2.5, 2.0]
    assert mixed.deviation[0].tolist() == [math.sqrt(4.5), 0.0]  # n - 1
    assert mixed.feasible.tolist() == [[1.0, 1.0], [0.5, 1.0], [0.0, 0.0]]
    assert np.isnan(mixed.mean[1, 0])
    assert np.isnan(mixed.violation[1, 0])  # only with no feasible trial
    assert mixed.violation[2].tolist() == [15.0, 15.0]


def test_compact_table(mixed):
    rows = mixed.compact().rows
    assert rows[0] == ("C01", "2.500E+00 ± 2.121E+00", "2.000E+00 ± 0.000E+00")
    assert rows[1] == ("C06", "50 %", "2.000E+00 ± 0.000E+00")
    assert rows[2] == ("C19", "0 %, CV 15", "0 %, CV 15")
    assert mixed.compact().bold == {(0, 2), (1, 2), (2, 1), (2, 2)}
    assert r"$\pm$" in mixed.to_latex()


def test_every_number_has_its_column(mixed):
    row = mixed.table().to_dicts()[1]
    assert row["x mean"] is None
    assert row["x feasible %"] == 50.0
    assert row["y mean"] == 2.0
    assert mixed.to_csv().splitlines()[3] == "C19,,,0.0,15.0,,,0.0,15.0"


def test_single_trials_have_no_deviation():
    result = summary(collection_of(["C01"], x=[[(1, 0)]]))
    assert np.isnan(result.deviation[0, 0])
    assert result.compact().rows == (("C01", "1.000E+00"),)
    assert result.compact().bold == frozenset()  # nothing to compare with

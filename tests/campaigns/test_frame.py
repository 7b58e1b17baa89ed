"""Trials as a data frame and as Parquet."""

import numpy as np
import pandas as pd

from de2ls.campaigns import Store
from tests.campaigns.support import make_record


def test_records_become_rows_and_parquet_keeps_them(tmp_path):
    with Store.open(tmp_path / "a.db") as store:
        for run in (1, 2):
            store.add(make_record(run=run))
        frame = store.to_frame()
        curves = store.to_frame(curves=True, runs=2)
        empty = store.to_frame(runs=3)
    assert frame["run"].tolist() == [1, 2]
    row = frame.iloc[0]
    assert (row["series"], row["suite"], row["problem"], row["dim"]) == (
        "series",
        "cec2017",
        "C01",
        3,
    )
    assert (row["definition"], row["instance"], row["min_ev"]) == ("report", 1, 7.25)
    assert (row["counters.ls_calls"], row["config.ls_mc"]) == (2, 3)
    expected = make_record().curve
    np.testing.assert_array_equal(curves[["evaluations", "min_ev", "lcv"]], expected)
    assert curves["run"].tolist() == [2, 2, 2]
    assert empty.empty
    frame.to_parquet(tmp_path / "trials.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "trials.parquet"), frame)

"""`de2ls.profiles` of stores, collections and records."""

import numpy as np
import pytest

import de2ls
from de2ls.campaigns import Store
from tests.reports.support import NAMES, SERIES, fill


def test_profiles_of_a_store_go_by_titles(store, material):
    (found,) = de2ls.profiles(store).values()
    assert list(found.series) == NAMES
    np.testing.assert_array_equal(found.share, material.views.profile.share)


def test_profiles_by_group_and_problem(store):
    groups = de2ls.profiles(store, by="group")
    assert groups["no feasible point"].problems == ("C17",)
    problems = de2ls.profiles(store, by="problem", selection={"labels": ["rdex"]})
    assert list(problems) == ["C01", "C04", "C17"]
    assert problems["C04"].series == ("RDEx",)


def test_several_groups_are_named(tmp_path):
    with Store.open(tmp_path / "a.db") as store:
        for dim in (5, 10):
            fill(store, SERIES, numbers=(1,), runs=2, dim=dim, samples=11)
        records = list(store.records(dims=5))
    found = de2ls.profiles(tmp_path / "a.db")
    assert [name.split(":")[0].split(", ")[1] for name in found] == ["D = 5", "D = 10"]
    (alone,) = de2ls.profiles(records).values()
    np.testing.assert_array_equal(alone.share, next(iter(found.values())).share)


def test_an_unknown_way_is_refused(store):
    with pytest.raises(ValueError, match="by"):
        de2ls.profiles(store, by="suit")

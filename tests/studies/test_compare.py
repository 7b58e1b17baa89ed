import numpy as np
import pytest
from scipy.stats import ttest_ind

from de2ls.scores import Collection, Column, Estimate, Table, bootstrap, summary
from de2ls.studies.compare import (
    beside,
    by_problem_table,
    gains_table,
    means_table,
    totals_table,
)
from de2ls.studies.gather import each_problem
from de2ls.studies.published import PublishedMean, PublishedScore


@pytest.fixture(scope="module")
def collection():
    rng = np.random.default_rng(3)
    E = np.minimum.accumulate(rng.exponential(1, (3, 2, 6, 9)), axis=-1)
    curves = np.stack([E, np.zeros_like(E)], axis=-1)
    names = {"DE-2LS": curves[:, 0], "RDEx": curves[:, 1]}
    return Collection.from_curves(names, ["C01", "C02", "C03"])


def test_totals_stand_beside_the_published_ones(collection):
    found = bootstrap(collection)
    sums = found.score.sums()
    past = {part: {"DE-2LS": 100.0, "RDEx": 90.0} for part in sums}
    table = totals_table("t", found, past, relative_to="RDEx")
    assert table.header == (
        *("algorithm", "quantity", "here", "published", "difference", "beyond chance"),
        *("relative to RDEx, %", "published, %"),
    )
    first = dict(zip(table.header, table.rows[2], strict=True))
    assert first["here"].value == sums["accuracy"][0]
    assert first["difference"].value == sums["accuracy"][0] - 100
    u_score = dict(zip(table.header, table.rows[0], strict=True))
    assert u_score["relative to RDEx, %"].value == pytest.approx(found.score.gain("DE-2LS", "RDEx"))
    assert u_score["published, %"] == pytest.approx(100 / 9)


def test_without_published_figures_their_columns_are_left_out(collection):
    found = bootstrap(collection)
    assert totals_table("t", found, None).header == ("algorithm", "quantity", "here")
    gains = gains_table(found, "DE-2LS", "RDEx", None)
    assert gains.header == ("quantity", "DE-2LS", "RDEx", "relative to RDEx, %")
    problems = each_problem(collection, 1000, 0)
    assert by_problem_table("t", "rank", problems, None).header == ("problem", "DE-2LS", "RDEx")


def test_an_interval_marks_what_chance_hardly_makes():
    here = Estimate(10.0, 8.0, 12.0)
    assert beside(here, 12.5)[3] == ""  # 2.5 < 2 sqrt(2)
    _, _, difference, mark = beside(here, 13.0)
    assert mark == "*"
    assert difference == pytest.approx((-3.0, -3 - 2 * np.sqrt(2), -3 + 2 * np.sqrt(2)))


def test_problems_have_intervals_of_their_own_and_sum_up(collection):
    problems = each_problem(collection, 1000, 0)
    arrays = {"total": np.full((3, 2), 60.0)}
    past = PublishedScore(("DE-2LS", "RDEx"), ("C01", "C02", "C03"), arrays,
                          {"total": {"DE-2LS": 180.0, "RDEx": 180.0}})  # fmt: skip
    table = by_problem_table("t", "total", problems, past)
    whole = bootstrap(collection).score
    assert [row[1].value for row in table.rows[:-1]] == whole.total[:, 0].tolist()
    assert table.rows[-1][1] == whole.total[:, 0].sum()
    assert table.rows[-1][3] == whole.total[:, 0].sum() - 180
    assert all(row[1].low <= row[1].value <= row[1].high for row in table.rows[:-1])


def test_means_are_compared_as_welch_does(collection):
    found = summary(collection)
    rng = np.random.default_rng(5)
    other = rng.exponential(1, 6)
    past = {("C01", "DE-2LS"): PublishedMean(other.mean(), other.std(ddof=1), 1.0, None)}
    table = means_table("t", found, past, 6)
    row = dict(zip(table.header, table.rows[0], strict=True))
    ends = collection.cells[0][0][:, -1, 0]
    interval = ttest_ind(ends, other, equal_var=False).confidence_interval(0.95)
    rounding = 0.5 * 10.0 ** (np.floor(np.log10(other.mean())) - 3)
    assert row["difference"].low == pytest.approx(interval.low - rounding)
    assert row["difference"].high == pytest.approx(interval.high + rounding)
    assert table.rows[1][table.header.index("difference")] is None


def test_a_rounded_mean_without_spread_is_no_difference():
    curves = np.zeros((1, 4, 2, 2))
    curves[..., 0] = -2.8398e-4
    found = summary(Collection.from_curves({"a": curves}, ["C08"]))
    past = {("C08", "a"): PublishedMean(-2.840e-4, 0.0, 1.0, None)}
    assert means_table("t", found, past, 4).rows[0][-1] == ""
    wrong = {("C08", "a"): PublishedMean(-2.841e-4, 0.0, 1.0, None)}
    assert means_table("t", found, wrong, 4).rows[0][-1] == "*"


def test_columns_in_which_nothing_stands_are_dropped():
    columns = (Column("a"), Column("b"), Column("c"))
    table = Table("t", columns, ((1, None, None), (2, None, "x")))
    assert table.without_empty_columns().header == ("a", "c")

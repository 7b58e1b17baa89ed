import numpy as np
import pytest

from de2ls.scores import MixtureError, collect, score

from .records import field


def test_everything_about_three_algorithms():
    records = field(("x", "y", "z"), (1, 2, 3), range(1, 13), np.random.default_rng(4))
    result = score(records, seed=3)
    assert list(result.tables()) == [
        *("totals", "pairs", "by_problem", "rank_sum", "friedman", "summary")
    ]
    assert result.bootstrap.score is result.score
    assert result.bootstrap.seed == 3
    assert result.warnings == ()
    same = score(collect(records), seed=3)
    assert same.to_markdown() == result.to_markdown()
    for table in result.tables().values():
        assert table.to_latex().count(r"\begin{tabular}") == 1
        assert table.to_csv()


def test_two_algorithms_have_no_friedman_test_and_intervals_can_be_left_out():
    records = field(("x", "y"), (1,), range(1, 13))
    result = score(records, "cec2024", bootstrap=0)
    assert list(result.tables()) == ["totals", "by_problem", "rank_sum", "summary"]
    assert result.bootstrap is None
    assert result.friedman is None
    assert result.table().title == result.score.table().title


def test_one_algorithm_alone():
    assert list(score(field(("x",), (1, 2)), bootstrap=0).tables()) == [
        *("totals", "by_problem", "summary")
    ]


def test_unequal_trials_carry_their_warning_into_every_output():
    records = field(("x", "y"), (1, 2), range(1, 13))[:-1]
    with pytest.raises(MixtureError):
        score(records)
    result = score(records, allow_unequal=True)
    assert "11 trials instead of 12" in result.warnings[0]
    assert "11 trials instead of 12" in result.to_markdown()
    assert "11 trials instead of 12" in result.to_latex()

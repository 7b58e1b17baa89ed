"""CHORUS and the field of CEC 2026 at a small size, with real trials."""

import numpy as np
import pytest

from de2ls.campaigns.plan import Plan
from de2ls.scores import Collection
from de2ls.studies.cec2026 import FIELD
from de2ls.studies.chorus_field import duels, medians_table, reproduce_chorus_field
from de2ls.studies.scale import Runner, Scale
from tests.studies.support import Counting, rows

SIZE = Scale(dim=2, runs=3, numbers=(1,), instance=1, seed=2028)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Trials of the field as `de2ls run` makes them, then the comparison into the same store."""
    folder = tmp_path_factory.mktemp("chorus-field")
    store = folder / "trials.db"
    settings = {"problems": "1", "dim": 2, "instance": 1, "runs": 3, "seed": 2028}
    plan = Plan.from_settings({"algorithms": ["de2ls", "rdex"], **settings})
    Runner(store, 1).run(plan)
    counting = Counting()
    output = reproduce_chorus_field(SIZE, Runner(store, 1, counting), folder / "out", "a command")
    return folder / "out", output, counting.labels


def test_trials_that_the_store_holds_are_not_run_again(made):
    _, _, labels = made
    assert labels == {name: 3 for name in ("chorus", *FIELD) if name not in ("de2ls", "rdex")}


def test_all_eight_are_scored_and_chorus_against_each(made):
    folder, output, _ = made
    assert len(output.tables["totals"].rows) == 8
    table = output.tables["duels"]
    assert [row[0] for row in table.rows] == [*FIELD.values(), "mean"]
    shares = [row[1] for row in table.rows]
    for share in shares:
        assert 0.0 <= share.low <= share.value <= share.high <= 1.0
    assert shares[-1].value == pytest.approx(np.mean([s.value for s in shares[:-1]]))
    assert [row[2] for row in table.rows] == [0.82] * 7 + [0.87]
    assert len(rows(folder / "trials.csv")) == 8 * 3
    assert {"totals.png", "profile.png", "README.md"} <= {path.name for path in folder.iterdir()}
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "a command" in text
    assert "the bars are set for D = 30" in text


def test_a_duel_counts_the_points_between_two_series():
    def series(values):
        ends = np.array(values, dtype=float)[None, :, None]
        return np.stack([ends, np.zeros_like(ends)], axis=-1)

    names = {"a": series([1, 1, 1]), "b": series([2, 2, 2]), "c": series([1, 1, 3])}
    found = duels(Collection.from_curves(names, ["C01"]), "a")
    assert found.rivals == ("b", "c")
    # Against c six of nine pairs tie and three are won: accuracy 6 / 9. One sample: who is
    # better is earlier, equal ones share, so that speed gives the same.
    accuracy = (6 * 0.5 + 3) / 9
    assert found.share[0, 0] >= 0.75
    assert found.share[0, 1] == pytest.approx(accuracy, abs=0.2)
    assert found.share[0, 0] > found.share[0, 1] > 0.5
    both = {name: np.concatenate([curves, names["c"]]) for name, curves in names.items()}
    pooled = duels(Collection.from_curves(both, ["C01", "C02"]), "a")
    assert pooled.estimates()[0].value == pytest.approx((found.share[0, 0] + 0.5) / 2)
    own = duels(Collection.from_curves({"a": names["a"], "d": names["a"]}, ["C01"]), "a")
    assert own.share[0, 0] == pytest.approx(0.5)
    assert own.mean() == pytest.approx((0.5, 0.5, 0.5))


def test_medians_go_by_feasibility_first():
    def curves(*ends):
        return np.array([[[end] for end in ends]], dtype=float)

    nan = float("nan")
    table = medians_table(
        Collection.from_curves(
            {
                "a": curves((5, 0), (7, 0), (nan, 2)),
                "b": curves((1, 0), (nan, 3), (nan, 4)),
            },
            ["C01"],
        )
    )
    assert table.rows == (("C01", "7", "3 (v)"),)
    assert table.bold == {(0, 1)}

"""A result in other forms: HTML, JSON, tables, pictures, pickles."""

import io
import json
import pickle
from html.parser import HTMLParser

import numpy as np
import pytest

import de2ls


@pytest.fixture(scope="module")
def result():
    return de2ls.minimize(
        lambda x: (x[0] - 1) ** 2 + x[1] ** 2,
        [(-3, 3), (-3, 3)],
        constraints={"type": "ineq", "fun": lambda x: x[1] - 1},
        algorithm="de2ls",
        max_evals=400,
        seed=1,
    )


class _Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.texts, self.open = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_html_shows_the_verdict_and_the_design(result):
    page = _Cells()
    page.feed(result._repr_html_())
    assert page.open == []
    assert "feasible" in page.texts
    cells = dict(zip(page.texts, page.texts[1:], strict=False))
    assert float(cells["objective"]) == pytest.approx(result.fun)
    assert float(cells["x[1]"]) == pytest.approx(result.x[1])
    assert cells["evaluations"] == "400"


def test_html_shows_what_holds_the_design_back():
    """x[1] >= 1 costs 2 per unit, the upper limit 2 of (x[0] - 3)^2 too; x[2] is fixed."""
    res = de2ls.minimize(
        lambda x: (x[0] - 3) ** 2 + x[1] ** 2 + x[2], [(-2, 2), (-3, 3), (5, 5)],
        constraints={"type": "ineq", "fun": lambda x: x[1] - 1}, seed=1,
    )  # fmt: skip
    page = _Cells()
    page.feed(res._repr_html_())
    cells = dict(zip(page.texts, page.texts[1:], strict=False))
    assert cells["x[0]"] == "2, at its upper limit; f falls by 2 per unit of relaxation"
    assert cells["x[2]"] == "5, fixed"
    assert cells["constraint 0"] == "active; f falls by 2 per unit of relaxation"
    assert cells["trust"].endswith(str(res.trust))


def test_html_of_an_equality_says_in_which_way_it_costs():
    sum_is_one = {"type": "eq", "fun": lambda x: x[0] + x[1] - 1}
    res = de2ls.minimize(lambda x: x @ x, [(-2, 2)] * 2, constraints=sum_is_one, seed=1)
    assert "f rises by 1 per unit by which its right-hand side grows" in res._repr_html_()


def test_figure_of_choices_integers_and_fixed_coordinates():
    box = [de2ls.choices([0.5, 1.0, 2.5]), (-2, 2), (3, 3), (0, 4)]
    res = de2ls.minimize(
        lambda x: (x[0] - 2) ** 2 + (x[1] - 1) ** 2 + (x[3] - 1.0) ** 2, box,
        integrality=[False, True, False, False], max_evals=200, seed=1,
    )  # fmt: skip
    assert res.bounds == [(0.5, 2.5), (-2, 2), (3, 3), (0, 4)]
    (x,) = [line for line in res.plot().axes[-1].lines if line.get_label() == "x"]
    np.testing.assert_allclose(x.get_ydata(), [1.0, 0.75, 0.0, 0.25], atol=1e-3)


def test_html_of_an_infeasible_result_says_so():
    impossible = {"type": "ineq", "fun": lambda x: -1 - x[0] ** 2}
    res = de2ls.minimize(
        lambda x: x[0], [(-1, 1)] * 30, constraints=impossible, algorithm="de2ls",
        max_evals=700, seed=1,
    )  # fmt: skip
    page = _Cells()
    page.feed(res._repr_html_())
    assert "not feasible" in page.texts
    assert "10 more coordinates" in page.texts


def test_json_is_strict_and_complete(result):
    def refuse(text):
        raise AssertionError(text)

    fields = json.loads(result.to_json(indent=1), parse_constant=refuse)
    assert set(fields) == set(result)
    assert fields["x"] == result.x.tolist()
    assert fields["history"]["nfev"] == result.history.nfev.tolist()
    assert fields["feasible"] is True


def test_json_has_null_for_what_is_not_finite():
    res = de2ls.minimize(lambda x: np.nan, [(0, 1)] * 2, algorithm="de2ls", max_evals=100, seed=1)
    assert json.loads(res.to_json())["history"]["fun"][-1] is None


@pytest.mark.parametrize("algorithm", ["de2ls", "chorus"])
def test_an_infinite_objective_is_no_success(algorithm):
    res = de2ls.minimize(
        lambda x: np.inf, [(-1, 1)] * 2, constraints={"type": "ineq", "fun": lambda x: x[0]},
        algorithm=algorithm, max_evals=100, seed=1,
    )  # fmt: skip
    assert (res.success, res.feasible, res.fun) == (False, True, np.inf)
    assert "no feasible point had a finite objective" in res.message


def test_the_message_says_that_nothing_had_a_value():
    res = de2ls.minimize(lambda x: np.nan, [(-5, 5)] * 5, seed=1)
    assert (res.status, res.success) == (9, False)
    assert 3000 < res.nfev < 4000
    assert res.message.startswith(f"Done: no point had a value; {10_000 - res.nfev} of 10000")


def test_frames(result):
    history = result.to_frame()
    assert list(history["nfev"]) == result.history.nfev.tolist()
    assert history["fun"].iloc[-1] == result.fun
    population = result.to_frame("population")
    assert list(population.columns) == ["fun", "x[0]", "x[1]"]
    assert population["x[1]"].tolist() == result.population[:, 1].tolist()
    with pytest.raises(ValueError, match="what"):
        result.to_frame("solution")


def test_figure_is_a_picture_in_a_notebook(result):
    from PIL import Image

    picture = Image.open(io.BytesIO(result.plot()._repr_png_()))
    assert picture.size == (800, 640)
    assert len(picture.convert("RGB").getcolors(1_000_000)) > 50  # it is not blank


def test_result_and_figure_pickle(result):
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result)
    assert again.to_json() == result.to_json()
    assert again.history.fun[-1] == result.fun
    assert len(pickle.loads(pickle.dumps(result.plot())).axes) == 3

"""The engineering suite as a suite: keys, groups, facts, documentation, and a search on it."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import de2ls
from de2ls.campaigns import Plan, Store, run_campaign
from de2ls.suites.engineering import DESIGNS
from de2ls.suites.registry import get_suite, suite_names

DOCS = Path(__file__).parents[3] / "docs" / "suites" / "engineering.md"


def test_it_is_registered_with_its_problems():
    assert "engineering" in suite_names()
    keys = get_suite("engineering").problems()
    assert [key.label for key in keys] == list(DESIGNS)
    assert len(keys) == 20
    assert min(key.dim for key in keys) == 2
    assert max(key.dim for key in keys) == 40


@pytest.mark.parametrize("name", DESIGNS)
def test_a_problem_is_what_its_key_and_facts_say(name):
    suite = get_suite("engineering")
    key = next(key for key in suite.problems() if key.name == name)
    p, facts = suite.load(key), suite.facts(key)
    assert (p.key, p.dim) == (key, key.dim)
    assert (p.n_ineq, p.n_eq) == facts[1:]
    assert p.best_known == suite.best_known(key)
    assert p.feasible_tol == 1e-8
    middle = p.evaluate((p.lower + p.upper) / 2)
    assert np.isfinite([middle.f, *middle.g, *middle.h]).all()


@pytest.mark.parametrize("name", DESIGNS)
def test_the_whole_box_has_values(name):
    p = DESIGNS[name].problem()
    X = np.random.default_rng(5).uniform(p.lower, p.upper, (200, p.dim))
    f, g, h = p.evaluate_many(np.vstack([X, p.lower, p.upper]))
    assert np.isfinite(f).all()
    assert np.isfinite(g).all()
    assert np.isfinite(h).all()


def test_groups():
    suite = get_suite("engineering")
    groups = {name: {k.name for k in keys} for name, keys in suite.groups(suite.problems()).items()}
    assert groups["equalities"] == {"dispatch-valve-points", "dispatch-ramp-limits", "portfolio"}
    assert groups["discrete"] == {
        "gear-train",
        "ten-bar-truss-discrete",
        "twenty-five-bar-sections",
    }
    assert {"pressure-vessel-discrete", "speed-reducer", "portfolio"} <= groups["mixed"]
    assert len(groups["trusses"]) == 5
    kinds = [groups["continuous"], groups["discrete"], groups["mixed"]]
    assert sum(map(len, kinds)) == 20


def test_every_problem_names_its_source_and_its_published_optimum():
    for design in DESIGNS.values():
        text = design.fun.__doc__
        assert re.search(r"\((19|20)\d\d\)|(19|20)\d\d", text)
        assert "Published" in text or design.name == "portfolio"


def test_the_documentation_lists_the_problems_as_they_are():
    rows = [line.split("|")[1:-1] for line in DOCS.read_text().splitlines() if "| `" in line[:4]]
    listed = {row[0].strip(" `"): [cell.strip() for cell in row[1:6]] for row in rows}
    assert list(listed) == list(DESIGNS)
    for name, (title, dim, n_ineq, n_eq, _) in listed.items():
        design = DESIGNS[name]
        assert (title, dim, n_ineq, n_eq) == (
            design.title,
            str(design.dim),
            str(design.n_ineq),
            str(design.n_eq),
        )
        value = rows[list(listed).index(name)][6].strip()
        assert float(value.replace(",", "")) == pytest.approx(design.problem().best_known, rel=5e-7)


def test_a_search_with_plates_from_a_list():
    suite = get_suite("engineering")
    key = next(key for key in suite.problems() if key.name == "pressure-vessel-discrete")
    record = de2ls.run_trial("de2ls", suite.load(key), seed=1, max_evals=8000)
    assert record.feasible
    assert (record.x[:2] / 0.0625) % 1 == pytest.approx(0.0)
    assert record.f >= suite.best_known(key) * (1 - 1e-9)
    assert record.f <= 6500.0  # the neighbouring plates' costs are below this


def test_a_campaign_stores_designs(tmp_path):
    plan = Plan.from_settings(
        {
            "suite": "engineering",
            "problems": "gear-train,ten-bar-truss-discrete",
            "algorithms": "de2ls",
            "runs": 1,
            "max_evals": 500,
        }
    )
    run_campaign(plan, tmp_path / "trials.db")
    with Store.open(tmp_path / "trials.db", readonly=True) as store:
        records = {record.problem.name: record for record in store.records()}
    assert set(records) == {"gear-train", "ten-bar-truss-discrete"}
    sections = DESIGNS["ten-bar-truss-discrete"].bounds[0].values
    assert set(records["ten-bar-truss-discrete"].x) <= set(sections)
    assert set(records["gear-train"].x) <= set(range(12, 61))
    for name, record in records.items():
        assert record.f == DESIGNS[name].fun(record.x)[0]


def test_problems_can_be_pickled():
    for design in DESIGNS.values():
        p = design.problem()
        again = pickle.loads(pickle.dumps(p))
        assert again.evaluate(p.encode(design.best)).f == p.best_known

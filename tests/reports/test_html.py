import base64
import hashlib
import html
import json
import re

import numpy as np
import pytest

from de2ls.reports.html import facts, headline, script_json
from de2ls.reports.material import load
from de2ls.scores import Collection, score
from tests.reports.support import HOSTILE, NAMES, make_store, page_of


@pytest.fixture(scope="module")
def text(material):
    return page_of([material], f"Report {HOSTILE}")


def test_users_text_is_escaped_wherever_it_stands(text):
    # The page's own script is the only one that runs; the others are data.
    assert text.count("<script>") == 1
    assert (
        re.findall(r"<script ([^>]*?)>", text)[0]
        == 'type="application/json" class="data" data-group="1"'
    )
    assert HOSTILE not in text
    assert html.escape(HOSTILE, quote=False)[:14] in text
    assert "<tests>" not in text  # in the store's name


def test_data_in_a_script_element_cannot_end_it(text):
    data = re.search(r'class="data"[^>]*>(.*?)</script>', text, re.S)[1]
    assert not re.search(r"[<>&]", data)
    assert [series["label"] for series in json.loads(data)["algorithms"]] == NAMES


@pytest.mark.parametrize("hostile", ["</script>", "<!--", "]]>", "\u2028", "a&b", '"'])
def test_script_json_returns_every_text(hostile):
    text = script_json({hostile: [hostile]})
    assert json.loads(text) == {hostile: [hostile]}
    assert not re.search(r"[<>&\u2028]", text)


def test_only_the_pages_own_script_and_style_may_run(text):
    policy = html.unescape(re.search(r'Content-Security-Policy" content="(.*?)"', text)[1])
    assert policy.startswith("default-src 'none';")
    for element in ("script", "style"):
        inner = re.search(rf"<{element}>(.*?)</{element}>", text, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy


def test_nothing_is_loaded_from_elsewhere(text):
    addresses = re.findall(r'(?:src|href|url|action)\s*[=(]\s*"?([^">)\s]+)', text)
    outside = [a for a in addresses if not a.startswith(("#", "data:,"))]
    assert [a for a in outside if ":" in a] == []
    assert set(re.findall(r"https?://[^\s\"'`]+", text)) == {"http://www.w3.org/2000/svg"}


def test_the_headline_claims_only_what_the_resamples_bear(material):
    sentence = headline(material.assessment)
    totals = material.assessment.score.total.sum(axis=0)
    best, second = np.argsort(-totals)[:2]
    share = material.assessment.bootstrap.superiority()[best, second]
    assert sentence.startswith(f"{NAMES[best]} has the largest total: {totals[best]:g} points")
    assert ("exceeds chance" in sentence) == (share >= 0.975)
    assert f"{100 * share:.1f} % of the resamples" in sentence


def test_the_headline_of_a_tie_names_both():
    curve = np.array([[2.0, 0.0], [1.0, 0.0]])
    curves = {name: np.tile(curve, (2, 3, 1, 1)) for name in ("x", "y")}
    sentence = headline(score(Collection.from_curves(curves)))
    # Of each problem's 15 pairs of trials each series has half, for accuracy and for speed.
    assert sentence == "x and y share the largest total: 30 points."


def test_facts_name_what_was_compared(material):
    assert facts(material) == [
        "cec2017, D = 5, definition report, instance 1",
        "3 series",
        "3 problems",
        "4 trials each",
        "2,000 evaluations",
        "protocol cec2026",
    ]


def test_a_page_without_resamples_or_rivals_still_stands(store):
    alone = page_of(load(store, {"labels": ["rdex"]}, bootstrap=0), "alone")
    assert "RDEx is the only series" in alone
    assert 'data-chart="superiority"' not in alone
    two = page_of(load(store, {"labels": ["de2ls", "rdex"]}, protocol="cec2024"), "two")
    assert 'data-figure="accuracy-speed"' not in two
    assert "needs at least three series" in two


def test_figures_are_attributes_only_and_follow_the_theme(text):
    drawn = re.findall(r"<svg.*?</svg>", text, re.S)
    assert re.findall(r'data-figure="([^"]+)"', text) == [
        *("totals", "leads", "profiles", "profiles-by-group", "profiles-by-problem"),
        *("accuracy-speed", "critical-difference", "variants", "effects", "parameters"),
    ]
    assert len(drawn) == 10
    for svg in drawn:
        assert "style=" not in svg
        assert "<script" not in svg
        assert "var(--text)" in svg
        of_parameters = 'aria-label="Effects of the parameters' in svg  # series have no part in it
        assert ("var(--series-" in svg) != of_parameters
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


@pytest.mark.slow
def test_a_report_of_the_papers_size_stays_below_15_megabytes(tmp_path):
    numbers = range(1, 29)
    path = make_store(tmp_path / "a.db", numbers=numbers, runs=25, samples=2001, dim=30)
    # Curves that change at every sample: no record is larger. Three series stand for four.
    assert len(page_of(load(path), "large")) < 15e6 * 3 / 4

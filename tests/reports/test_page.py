"""The page in a real browser."""

import csv
import io
import json
import re

import pytest

from de2ls.campaigns import Store
from de2ls.reports import load
from tests.reports.support import HOSTILE, NAMES, SERIES, fill, make_store, page_of

pytestmark = pytest.mark.xdist_group("chromium")

PATIENCE = 180_000  # milliseconds before the browser counts as hung; a busy machine is slow
# Chromium drops, without a word, what a page saves beyond ten files within a second. This pause
# (milliseconds) after each one keeps any eleven more than a second apart.
BETWEEN_DOWNLOADS = 110

# What each chart draws of three series on three problems, two of them variants.
MARKS = {
    "heat": ("tbody td", 3 * 3),
    "convergence": ("path.median", 2 * 3),  # Min_EV and LCV
    "superiority": ("tbody td", 3 * 3),
}
FIGURES = (
    *("totals", "accuracy-speed", "critical-difference", "variants", "leads", "profiles"),
    *("profiles-by-group", "profiles-by-problem", "effects", "parameters"),
)


class Watched:
    """An open page with all that it said and asked for."""

    def __init__(self, browser, file, **context):
        self.context = browser.new_context(accept_downloads=True, **context)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.problems, self.requests = [], []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: self.problems.append(dialog.message))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector(".plot svg .median")


@pytest.fixture(scope="module")
def file(material, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(page_of([material], f"Test {HOSTILE}"), encoding="utf-8")
    return path


@pytest.fixture(params=[1440, 390], ids=["laptop", "phone"])
def opened(browser, file, request):
    watched = Watched(browser, file, viewport={"width": request.param, "height": 900})
    yield watched
    watched.context.close()
    assert watched.problems == []
    assert watched.requests[0] == file.as_uri()
    assert [url for url in watched.requests[1:] if not url.startswith(("blob:", "data:"))] == []


@pytest.fixture
def laptop(browser, file):
    watched = Watched(browser, file, viewport={"width": 1440, "height": 900})
    yield watched.page
    watched.context.close()
    assert watched.problems == []


def test_every_chart_is_drawn_and_nothing_is_wider_than_the_window(opened):
    page = opened.page
    for name, (mark, count) in MARKS.items():
        chart = page.locator(f'.chart[data-chart="{name}"]')
        assert chart.bounding_box()["height"] > 60, name
        drawn = chart.locator(mark)
        assert drawn.count() == count, name
        assert all(drawn.nth(i).bounding_box()["width"] > 0 for i in range(count)), name
    for name in FIGURES:
        drawn = page.locator(f'.drawn[data-figure="{name}"] svg')
        assert drawn.count() == 1, name
        assert drawn.bounding_box()["height"] > 60, name
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def box(element):
    found = element.bounding_box()
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def test_no_text_of_a_chart_is_cut_off(opened):
    for svg in opened.page.locator('svg[role="img"]').all():
        left, top, right, bottom = box(svg)
        texts = svg.locator("text").all()
        assert texts
        for text in texts:
            x, y, end, low = box(text)
            inside = x >= left - 1 and y >= top - 1 and end <= right + 1 and low <= bottom + 1
            assert inside, (svg.get_attribute("aria-label"), text.text_content())


def test_a_long_word_does_not_widen_the_page(browser, tmp_path):
    word = "a_label_without_any_blank_" * 5
    with Store.open(tmp_path / "a.db") as store:
        fill(store, {word: SERIES["de2ls"], "rdex": SERIES["rdex"]}, numbers=(1,), runs=2)
    file = tmp_path / "index.html"
    file.write_text(page_of(load(tmp_path / "a.db"), word), encoding="utf-8")
    watched = Watched(browser, file, viewport={"width": 390, "height": 900})
    assert word in watched.page.locator(".lead").inner_text()
    assert watched.page.evaluate("document.documentElement.scrollWidth") == 390
    heading = watched.page.locator(f'#table-totals tbody th[title="{word}"]')
    assert heading.count() == 1  # what the ellipsis hides
    watched.context.close()
    assert watched.problems == []


def test_a_hostile_label_is_text(opened):
    page = opened.page
    assert page.title() == f"Test {HOSTILE}"
    assert page.locator("h1").inner_text() == f"Test {HOSTILE}"
    assert sorted(page.locator("#table-totals tbody th").all_inner_texts()) == sorted(NAMES)
    chips = page.locator('.chart[data-chart="convergence"] .chips button')
    assert chips.all_inner_texts() == NAMES
    assert page.locator("script:not([type])").count() == 1


def test_the_problem_picker_changes_the_curves(laptop):
    median = laptop.locator(".plot").first.locator(".median").first
    before = median.get_attribute("d")
    laptop.select_option("#problem", label="C04")
    laptop.wait_for_function("old => document.querySelector('.median').getAttribute('d') !== old",
                             arg=before)  # fmt: skip
    laptop.select_option("#problem", label="C17")
    laptop.wait_for_selector("text=no feasible point")
    laptop.get_by_role("button", name="Next problem").click()
    laptop.wait_for_function("document.querySelector('#problem').value === '0'")
    laptop.wait_for_function("old => document.querySelector('.median').getAttribute('d') === old",
                             arg=before)  # fmt: skip


def test_series_bands_and_single_trials_are_switched(laptop):
    plot = laptop.locator(".plot").first
    assert plot.locator(".median").count() == 3
    laptop.locator(".chips button").nth(1).click()
    assert plot.locator(".median").count() == 2
    assert laptop.locator(".chips button").nth(1).get_attribute("aria-pressed") == "false"
    with_band = plot.locator("path").count()
    laptop.get_by_label("quartiles").uncheck()
    assert plot.locator("path").count() == with_band - 2
    laptop.get_by_label("single trials").check()
    assert plot.locator("path").count() == 2 + 2 * 4
    laptop.get_by_label("log evaluations").check()
    laptop.select_option("#scale", "linear")
    assert plot.locator(".median").count() == 2


def test_values_at_a_time_are_those_of_the_trials(laptop, material):
    cell = material.collection.cells[0][0]  # C01, the first series
    ends = sorted(cell[:, -1, 0])
    row = laptop.locator('[aria-label="Values at this time"] tbody tr').first
    feasible, low, median, high, *lcv = row.locator("td").all_inner_texts()
    assert feasible == "4 of 4"
    assert [float(text) for text in (low, median, high)] == pytest.approx(
        [ends[1], ends[2], ends[2]], rel=1e-3
    )
    assert lcv == ["0", "0", "0"]
    laptop.locator("#time").fill("0")  # the first sample: nobody is feasible
    assert row.locator("td").all_inner_texts()[:4] == ["0 of 4", "–", "–", "–"]


def test_the_heat_map_shows_every_part(laptop, material):
    score = material.assessment.score
    cells = laptop.locator('.chart[data-chart="heat"] tbody tr').first.locator("td")
    for part, values in (("accuracy", score.accuracy), ("rank", score.ranks)):
        laptop.select_option("#part", part)
        shown = [float(text.split("(")[0]) for text in cells.all_inner_texts()]
        assert shown == values[0].tolist()


def test_the_theme_switch_works_and_is_remembered(browser, file):
    watched = Watched(browser, file, color_scheme="dark")
    page = watched.page
    background = "getComputedStyle(document.body).backgroundColor"
    line = "getComputedStyle(document.querySelector('.median')).stroke"
    figure = "getComputedStyle(document.querySelector('.drawn text')).fill"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    dark = page.evaluate(background), page.evaluate(line), page.evaluate(figure)
    page.get_by_role("button", name="Switch to the light theme").click()
    light = page.evaluate(background), page.evaluate(line), page.evaluate(figure)
    assert sum(map(int, re.findall(r"\d+", light[0])[:3])) > 600
    assert sum(map(int, re.findall(r"\d+", dark[0])[:3])) < 150
    assert light[1] != dark[1]
    assert light[2] != dark[2]
    theme = ""
    for _ in range(20):  # Chromium stores it in its own time
        page.reload()
        theme = page.evaluate("document.documentElement.dataset.theme")
        if theme == "light":
            break
    assert theme == "light"
    watched.context.close()
    assert watched.problems == []


def test_the_page_is_used_without_a_mouse(laptop):
    laptop.keyboard.press("Tab")
    assert laptop.evaluate("document.activeElement.className") == "skip"
    laptop.locator("#theme").focus()
    laptop.keyboard.press("Enter")
    assert laptop.locator("#theme").get_attribute("aria-pressed") == "true"
    laptop.locator("#problem").focus()
    laptop.keyboard.press("ArrowDown")
    laptop.wait_for_function("document.querySelector('#problem').value === '1'")
    laptop.locator("#time").focus()
    before = laptop.locator("output").inner_text()
    laptop.keyboard.press("PageDown")
    assert laptop.locator("output").inner_text() != before
    heading = laptop.locator("#table-totals thead th").nth(1)
    heading.focus()
    laptop.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    shown = laptop.locator("#table-totals tbody td:nth-child(2)").all_inner_texts()
    values = [float(text.split()[0]) for text in shown]
    assert values == sorted(values)


def test_every_number_can_be_downloaded(laptop, material):
    data = json.loads(laptop.locator("script.data").text_content())
    names = set(re.findall(r'data-download="(\w+)"', laptop.content()))
    assert names <= set(data["csv"])
    assert {"totals", "uscores", "summary", "pairs", "superiority", "trials"} <= names
    assert {"leads", "profiles", "profiles_by_problem", "running_times", "fixed_budget"} <= names
    for folded in laptop.locator("details:not([open]):has([data-download]) > summary").all()[::-1]:
        folded.click()  # the last first: those before keep their places
    for button in laptop.locator("[data-download]").all():
        name = button.get_attribute("data-download")
        with laptop.expect_download() as download:
            button.click()
        assert download.value.suggested_filename == f"{name}.csv"
        assert download.value.path().read_text(encoding="utf-8") == data["csv"][name]
        laptop.wait_for_timeout(BETWEEN_DOWNLOADS)
    score = material.assessment.score
    rows = list(csv.DictReader(io.StringIO(data["csv"]["totals"])))
    assert [float(row["U-score"]) for row in rows] == sorted(
        score.total.sum(axis=0).tolist(), reverse=True
    )


def test_the_curves_shown_can_be_downloaded_and_copied(browser, file, material):
    permissions = ["clipboard-read", "clipboard-write"]
    watched = Watched(browser, file, permissions=permissions)
    page = watched.page
    tools = page.locator('.chart[data-chart="convergence"] .tools button')
    with page.expect_download() as download:
        tools.nth(1).click()
    text = download.value.path().read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 3 * 41
    assert {row["series"] for row in rows} == set(NAMES)
    last = rows[40]
    ends = sorted(material.collection.cells[0][0][:, -1, 0])
    assert float(last["Min_EV median"]) == pytest.approx(ends[2], rel=1e-3)
    page.get_by_label("single trials").check()
    with page.expect_download() as download:
        tools.nth(1).click()
    whole = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    single = [float(whole[40][f"Min_EV run {run}"]) for run in (1, 2, 3, 4)]
    assert single == pytest.approx(material.collection.cells[0][0][:, -1, 0].tolist(), rel=1e-3)
    assert [whole[40][f"LCV run {run}"] for run in (1, 2, 3, 4)] == ["0"] * 4
    page.get_by_label("single trials").uncheck()
    tools.nth(0).click()
    page.wait_for_selector("text=Copied")
    assert page.evaluate("navigator.clipboard.readText()") == text
    watched.context.close()
    assert watched.problems == []


def test_groups_are_chosen_and_the_score_is_first_on_a_phone(browser, tmp_path):
    path = make_store(tmp_path / "a.db", numbers=(1, 4))
    with Store.open(path) as store:
        fill(store, SERIES, numbers=(1,), dim=10)
    file = tmp_path / "index.html"
    file.write_text(page_of(load(path), "groups"), encoding="utf-8")
    watched = Watched(browser, file, viewport={"width": 390, "height": 900})
    page = watched.page
    assert page.locator("#overview").is_visible()
    assert page.locator("#overview-2").is_hidden()
    score = page.locator("#table-totals thead th").nth(1)
    assert score.inner_text() == "U-score"
    assert box(score)[2] <= 390
    page.select_option("#group", label="cec2017, D = 10, definition report, instance 1")
    assert page.locator("#overview").is_hidden()
    assert page.locator("#overview-2 h2").inner_text().startswith("cec2017, D = 10")
    page.wait_for_selector("#convergence-2 .plot svg .median")
    assert page.locator("#problem-2 option").all_inner_texts() == ["C01"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    watched.context.close()
    assert watched.problems == []


def test_many_series_have_no_bands_at_first_and_dimensions_a_page(browser, tmp_path):
    labels = {f"series {i}": ("rdex", {"h": i}) for i in range(3)}
    labels |= {f"variant {i}": ("de2ls", {"ls_mc": i}) for i in range(2)}
    with Store.open(tmp_path / "a.db") as store:
        for dim in (5, 10):
            fill(store, labels, numbers=(1, 4), runs=2, dim=dim, samples=21)
    file = tmp_path / "index.html"
    file.write_text(page_of(load(tmp_path / "a.db"), "many"), encoding="utf-8")
    watched = Watched(browser, file, viewport={"width": 1440, "height": 900})
    opacity = "getComputedStyle(document.querySelector('[data-figure=leads] .band')).opacity"
    assert watched.page.evaluate(opacity) == "0"
    for name in ("effects", "parameters", "effects-2", "parameters-2"):  # of both algorithms
        assert watched.page.locator(f'[data-figure="{name}"] svg').count() == 2, name
    bands = watched.page.locator("#convergence .plot .band")
    assert {band.evaluate("e => getComputedStyle(e).opacity") for band in bands.all()} == {"0"}
    watched.page.locator("#convergence .chips button").nth(2).focus()
    pointed = watched.page.locator('#convergence .plot [data-series="2"] .band').first
    watched.page.wait_for_function(
        "e => getComputedStyle(e).opacity === '1'", arg=pointed.element_handle()
    )
    for summary in watched.page.locator('main > [data-group="1"] summary').all():
        summary.click()
    watched.page.select_option("#group", "3")  # the dimensions
    for name in ("scaling", "points-by-dimension"):
        assert watched.page.locator(f'[data-figure="{name}"] svg').bounding_box()["height"] > 60
    assert watched.page.locator("#table-scaling-3 tbody tr").count() == 2 * 5
    watched.context.close()
    assert watched.problems == []

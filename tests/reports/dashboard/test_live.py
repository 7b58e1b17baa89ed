"""A real campaign beside the dashboard, in a real browser: followed, killed and resumed."""

import contextlib
import os
import subprocess
from pathlib import Path

import pytest

from tests.campaigns.support import command
from tests.reports.dashboard.support import dashboard

pytestmark = pytest.mark.xdist_group("chromium")

PATIENCE = 180_000  # milliseconds before the page counts as hung; a busy machine is slow
SIZES = {"laptop": (1440, 1000), "phone": (390, 844)}

# A problem in plain Python that takes its time, so that a campaign lasts; some runs on one fail.
SLOW = """
import time
from pathlib import Path
bounds = [(0, 1), (0, 1)]

def fun(x):
    time.sleep(float(Path({pause!r}).read_text()))
    if {sign} * x[0] < -0.995:
        raise ArithmeticError("<b>too far</b>")
    return {sign} * x[0] + x[1] ** 2
"""


class Page:
    """An open page with all that it said; it notices when it is loaded again."""

    def __init__(self, browser, address, width, height, theme="light"):
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme
        )
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.problems = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.goto(address)
        self.page.wait_for_selector("#series .line")
        self.page.evaluate("window.first = true")

    def close(self):
        assert self.page.evaluate("window.first")  # never reloaded
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        self.context.close()
        assert self.problems == []

    def await_state(self, word):
        self.page.wait_for_function(
            "word => document.getElementById('state').textContent === word", arg=word
        )

    def done(self):
        return int(self.page.locator(".tile b").first.inner_text().replace(",", ""))

    def await_more_than(self, done):
        self.page.wait_for_function(
            "n => Number(document.querySelector('.tile b').textContent.replace(',', '')) > n",
            arg=done,
        )
        return self.done()


def begin(path, problems, runs):
    """Start a campaign in a process of its own."""
    return subprocess.Popen(
        command(
            *("run", "--problems", ",".join(map(str, problems)), "--runs", str(runs)),
            *("--algorithms", "A=de-rand-1-bin,B=de-rand-1-bin:f=0.9", "--max-evals", "100"),
            *("--store", str(path), "--workers", "1", "--executor", "threads", "--quiet"),
        )
    )


def use_every_control(page):
    """Click and choose everything that can be; look at what it does."""
    view = page.page
    cells = view.locator("#problems tbody td")
    before = cells.first.inner_text()
    for part in ("feasible", "best"):
        view.select_option("#part", part)
        assert cells.first.inner_text() != before
    view.select_option("#part", "done")
    view.locator("#unfinished").check()
    unfinished = view.locator("#problems tbody tr").count()
    view.locator("#unfinished").uncheck()
    assert view.locator("#problems tbody tr").count() >= unfinished
    theme = view.evaluate("document.documentElement.dataset.theme")
    view.locator("#theme").click()
    assert view.evaluate("document.documentElement.dataset.theme") != theme
    view.locator("#theme").click()
    for link in view.locator("nav a").all():
        link.click()
        assert view.evaluate("location.hash") == link.get_attribute("href")
    for picker in ("#group", "#score-group"):
        assert view.locator(picker).is_hidden()  # there is one group only
    view.keyboard.press("Home")
    view.evaluate("scrollTo(0, 0)")


def take_pictures(pages, folder, name):
    """Take the page at both widths in both themes."""
    for size, page in pages.items():
        for _ in range(2):
            theme = page.page.evaluate("document.documentElement.dataset.theme")
            page.page.screenshot(path=folder / f"{name}-{size}-{theme}.png", full_page=True)
            page.page.locator("#theme").click()


def follow(browser, tmp_path, pauses, runs):
    """Watch a campaign with `pauses` per evaluation before and after it is killed."""
    folder = Path(os.environ.get("DE2LS_SCREENSHOTS", tmp_path))
    problems, pause = [tmp_path / "up.py", tmp_path / "down.py"], tmp_path / "pause"
    for file, sign in zip(problems, (1, -1), strict=True):
        file.write_text(SLOW.format(pause=str(pause), sign=sign))
    pause.write_text(str(pauses[0]))
    path = tmp_path / "results.db"
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(begin(path, problems, runs))
        stack.callback(first.kill)
        while not path.exists() or path.stat().st_size == 0:
            assert first.poll() is None
            with contextlib.suppress(subprocess.TimeoutExpired):
                first.wait(0.2)
        served = stack.enter_context(dashboard(path))
        page = Page(browser, served.address, *SIZES["laptop"])
        phone = Page(browser, served.address, *SIZES["phone"], theme="dark")
        pages = {"laptop": page, "phone": phone}
        for one in (page, phone):
            one.await_state("Running")
            one.await_more_than(2)
            one.page.wait_for_selector("#totals .warning")
            assert "Provisional." in one.page.locator("#totals").inner_text()
            one.page.wait_for_function(
                "() => document.querySelectorAll('.tile b')[2].textContent.startsWith('about')"
            )
            use_every_control(one)
        assert page.page.locator("#summary").inner_text().startswith("The campaign is running")
        take_pictures(pages, folder, "running")

        first.kill()
        first.wait()
        page.await_state("Nobody writes")
        assert "continues it" in page.page.locator("#summary").inner_text()
        take_pictures(pages, folder, "killed")
        seen = page.done()
        assert 2 < seen < 4 * runs

        pause.write_text(str(pauses[1]))
        second = stack.enter_context(begin(path, problems, runs))
        stack.callback(second.kill)
        page.await_more_than(seen)
        assert second.wait() == 1  # some trials failed
        for one in (page, phone):
            one.await_state("Ended")
            note = one.page.locator("#totals [role=note]").inner_text()
            assert note.startswith("The campaign has ended.")
            assert "Provisional" not in note
        reasons = page.page.locator("#failures td.reason").all_inner_texts()
        assert len(reasons) == 4 * runs - page.done() > 0
        assert set(reasons) == {"ArithmeticError: <b>too far</b>"}
        take_pictures(pages, folder, "ended")
        page.close()
        phone.close()


@pytest.mark.timeout(900)
def test_the_page_follows_a_campaign_that_is_killed_and_resumed(browser, tmp_path):
    follow(browser, tmp_path, (0.02, 0.0005), runs=10)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_page_follows_a_campaign_of_two_minutes(browser, tmp_path):
    follow(browser, tmp_path, (0.012, 0.012), runs=26)


def test_the_page_comes_back_by_itself(browser, store):
    with dashboard(store) as served:
        page = Page(browser, served.address, *SIZES["laptop"])
        page.await_state("Complete")
        note = page.page.wait_for_selector("#totals [role=note]").inner_text()
        assert note.startswith("The campaign is complete.")
        port = str(served.port)
    page.await_state("Connection lost")
    with dashboard(store, "--port", port):
        page.await_state("Complete")
    assert page.page.evaluate("window.first")
    page.context.close()
    assert all("ERR_" in text for text in page.problems)  # the browser's own, of the lost server

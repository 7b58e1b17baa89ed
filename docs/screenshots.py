"""Take the pictures of the report's page for the documentation.

    python docs/screenshots.py report/index.html

They show the page as it is on a laptop and on a phone, in both themes, and are looked at by eye:
no test compares them.
"""

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
# Name: width, height, theme, section at the top, problem of the convergence browser.
PICTURES = {
    "report-1440": (1440, 1000, "light", "overview", 0),
    "report-1440-leads": (1440, 1000, "light", "leads", 0),
    "report-1440-problems": (1440, 1000, "light", "problems", 0),
    "report-1440-profiles": (1440, 1000, "light", "profiles", 0),
    "report-1440-convergence": (1440, 1000, "dark", "convergence", 17),
    "report-1440-tests": (1440, 1000, "light", "tests", 0),
    "report-390": (390, 1400, "light", "overview", 0),
    "report-390-convergence": (390, 1400, "dark", "convergence", 17),
}


def main() -> None:
    """Open the page once per picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="index.html of a report")
    page = parser.parse_args().page.resolve()
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        parser.error("no chromium on the PATH")
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        for name, (width, height, theme, section, problem) in PICTURES.items():
            view = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            view.set_default_timeout(180_000)
            view.goto(page.as_uri())
            shoot(view, section, problem, IMAGES / f"{name}.png")
            view.close()
        browser.close()


def shoot(view: Page, section: str, problem: int, path: Path) -> None:
    """Show one section and take its picture."""
    view.wait_for_selector(".plot svg .median")
    view.select_option("#problem", str(problem))
    view.evaluate(
        """id => {
            const top = document.getElementById(id).getBoundingClientRect().top;
            scrollBy(0, top - document.querySelector("header").offsetHeight - 12);
        }""",
        section,
    )
    view.wait_for_timeout(400)
    view.screenshot(path=path)


if __name__ == "__main__":
    main()

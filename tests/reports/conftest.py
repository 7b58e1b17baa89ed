import pytest

from de2ls.reports import load
from tests.reports.support import CHROMIUM_ARGUMENTS, chromium, make_store


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("store") / "trials & <tests>.db")


@pytest.fixture(scope="session")
def material(store):
    return load(store)[0]


@pytest.fixture(scope="session")
def browser():
    program = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=program, args=CHROMIUM_ARGUMENTS, timeout=180_000
        )
        yield opened
        opened.close()

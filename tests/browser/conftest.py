"""Pages in Debian's Chromium, as phones, laptops and screens see them."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which(os.environ.get("CHROMIUM", "chromium"))


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        message = "Chromium is not installed here: apt-get install chromium, or name another one in CHROMIUM."
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, which Django takes for asynchronous code around the database.
        kept = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        chromium = playwright.chromium.launch(executable_path=CHROMIUM)
        yield chromium
        chromium.close()
    if kept is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
    else:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = kept


@pytest.fixture
def browser_page(browser, live_server):
    """browser_page(390) is a new page of that width; paths such as "/desk/" are asked of the live server.

    Other options go to Playwright's new_context: browser_page(1024, has_touch=True). A fault in the page's scripts,
    anything its security policy stops and any file it asks for in vain fail the test.
    """
    contexts = []
    faults = []

    def note_missing(answer):
        if answer.status == 404 and not answer.request.is_navigation_request():
            faults.append(f"Not found: {answer.url}")

    def open_page(width, height=None, **options):
        options = {"base_url": live_server.url, "locale": "en-GB", "timezone_id": "Europe/London", **options}
        context = browser.new_context(viewport={"width": width, "height": height or round(width * 0.75)}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda line: "Content Security Policy" in line.text and faults.append(line.text))
        page.on("response", note_missing)
        return page

    yield open_page

    for context in contexts:
        context.close()
    assert not faults, faults

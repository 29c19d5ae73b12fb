"""A real Chromium for the tests that need one."""

import os
import shutil
from contextlib import contextmanager

import pytest
from playwright.sync_api import sync_playwright

PATIENCE = 120_000  # milliseconds, for a busy machine; nothing waits longer than it must


def open_tab(browser, **settings):
    """Open a tab with settings of its own that waits long enough; closing it ends all of them."""
    tab = browser.new_page(**settings)
    tab.set_default_timeout(PATIENCE)
    return tab


@contextmanager
def chromium():
    """Yield a browser; without one skip, unless REQUIRE_BROWSER says that this is a failure."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        message = "no Chromium on this machine: the pages were NOT looked at"
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            timeout=PATIENCE,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()

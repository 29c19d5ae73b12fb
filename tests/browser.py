"""A real Chromium, and a real JupyterLab for it to open, for the tests that need one."""

import shutil
import subprocess
import time
import urllib.request
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import sync_playwright

from tests.engines import free_port, require

IDLE = ".jp-Notebook-ExecutionIndicator[data-status=idle]"
PATIENCE = 120_000  # milliseconds, for a busy machine; nothing waits longer than it must


def open_tab(browser, **settings):
    tab = browser.new_page(**settings)
    tab.set_default_timeout(PATIENCE)
    return tab


def contrast(*colours):
    rgb = np.array(colours)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    low, high = sorted(linear @ (0.2126, 0.7152, 0.0722))
    return (high + 0.05) / (low + 0.05)


class Visited:
    """A tab that is listened to: what it asks for, what it complains of."""

    def __init__(self, tab):
        self.tab, self.requests, self.complaints = tab, [], []
        self.listeners = {
            "request": lambda request: self.requests.append(request.url),
            "console": self._hear,
            "pageerror": lambda error: self.complaints.append(str(error)),
            "requestfailed": lambda request: self.complaints.append(request.url),
        }
        for event, listener in self.listeners.items():
            tab.on(event, listener)

    def leave(self):
        for event, listener in self.listeners.items():
            self.tab.remove_listener(event, listener)

    def _hear(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@contextmanager
def chromium():
    """Yield a browser; without one skip, unless REQUIRE_BROWSER says that this is a failure."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    require(program, "Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            timeout=PATIENCE,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


@contextmanager
def jupyterlab(command, **settings):
    """Yield the address of a JupyterLab; `settings` are those of `subprocess.Popen`."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    options = f"--no-browser --allow-root --ServerApp.ip=127.0.0.1 --ServerApp.port={port}"
    server = subprocess.Popen(
        f"exec {command} {options} --IdentityProvider.token=", shell=True, **settings
    )
    try:
        deadline = time.monotonic() + 5 * PATIENCE / 1000
        while True:
            assert server.poll() is None, "JupyterLab has stopped"
            assert time.monotonic() < deadline, "JupyterLab does not answer"
            with suppress(OSError):
                urllib.request.urlopen(f"{address}/api").close()
                break
            time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait()


def run_all_cells(tab):
    """Choose it from the menu, until cells run: a choice while the menu is redrawn is lost.

    This waits for a kernel, because JupyterLab also says idle without one, and runs nothing.
    """
    tab.wait_for_function(
        """async () => {
            const sessions = await (await fetch('/api/sessions')).json();
            const path = decodeURIComponent(location.pathname);
            return sessions.some(({path: its, kernel}) => path.endsWith(`/${its}`)
                && kernel.connections > 0 && kernel.execution_state === 'idle');
        }"""
    )
    tab.locator(IDLE).wait_for()
    prompts = "[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(p => p.innerText)"
    before = tab.evaluate(f"{prompts}.join()")
    for patience in (10_000, 30_000, PATIENCE):
        tab.get_by_role("menuitem", name="Run", exact=True).click()
        tab.get_by_text("Run All Cells", exact=True).first.click()
        with suppress(TooLate):
            tab.wait_for_function(
                f"before => {prompts}.join() !== before", arg=before, timeout=patience
            )
            return
    pytest.fail("JupyterLab runs no cell")

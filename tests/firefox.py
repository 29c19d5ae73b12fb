"""A real Firefox, driven by the browsers' own protocol (WebDriver BiDi), for a second opinion."""

import itertools
import json
import re
import shutil
import subprocess
from contextlib import contextmanager

import pytest
import websocket

PATIENCE = 120  # seconds, for a busy machine; nothing waits longer than it must
QUIET = """
user_pref("app.normandy.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("layout.css.prefers-color-scheme.content-override", 1);
user_pref("ui.prefersReducedMotion", 1);
"""
RIGHT = "\ue014"


class Firefox:
    """One tab."""

    def __init__(self, address):
        self.socket = websocket.create_connection(
            f"{address}/session", timeout=PATIENCE, suppress_origin=True
        )
        self.numbers = itertools.count(1)
        self.say("session.new", capabilities={})
        self.tab = self.say("browsingContext.getTree")["contexts"][0]["context"]

    def say(self, method, **parameters):
        """Send a command; return the answer, without the news that come before it."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv())).get("id") != number:
            pass
        assert answer["type"] == "success", answer
        return answer["result"]

    def open(self, url, width=1280, height=900):
        size = {"width": width, "height": height}
        self.say("browsingContext.setViewport", context=self.tab, viewport=size)
        self.say("browsingContext.navigate", context=self.tab, url=url, wait="complete")

    def ask(self, expression):
        """Return the value of an expression, once it is there."""
        code = f"(async () => JSON.stringify(await ({expression}) ?? null))()"
        target = {"context": self.tab}
        answer = self.say("script.evaluate", expression=code, target=target, awaitPromise=True)
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def wait(self, expression):
        """Wait until an expression is true."""
        self.ask(
            f"""new Promise((done, fail) => {{
                const start = performance.now(), look = () => {expression} ? done()
                    : performance.now() - start > {1000 * PATIENCE / 2} ? fail({expression!r})
                    : setTimeout(look, 50);
                look();
            }})"""
        )

    def press(self, key):
        """Press a key, by its code in WebDriver. Without a window, a summary ignores it."""
        strokes = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keys", "actions": strokes}]
        self.say("input.performActions", context=self.tab, actions=actions)

    def drag(self, element, right=0, down=0):
        """Take hold of the middle of an element and let go elsewhere; nowhere else is a click."""
        self.ask(f"{element}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        box = self.ask(f"{element}.getBoundingClientRect()")
        x, y = int(box["x"] + box["width"] / 2), int(box["y"] + box["height"] / 2)
        strokes = [
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": x + right, "y": y + down},
            {"type": "pointerUp", "button": 0},
        ]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
        self.say("input.performActions", context=self.tab, actions=[mouse | {"actions": strokes}])


@contextmanager
def firefox(folder):
    """Yield Firefox with a new profile in a folder; without one, skip with a word about it."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.skip("no Firefox on this machine: the pages were looked at in Chromium only")
    (folder / "user.js").write_text(QUIET)
    command = [program, "--headless", "--remote-debugging-port", "0", "--profile", folder]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            lines = (re.search("BiDi listening on (.*)", line) for line in process.stderr)
            browser = Firefox(next(filter(None, lines))[1])
            yield browser
            browser.socket.close()
        finally:
            process.terminate()
            process.stderr.close()

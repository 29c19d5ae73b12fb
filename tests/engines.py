"""Firefox and WebKit, driven by the browsers' own protocols, for a second and a third opinion.

Firefox speaks WebDriver BiDi. WebKit, which is Safari's engine, comes here as WebKitGTK. It speaks
classic WebDriver and needs a display, so we give it a virtual one.
"""

import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager, suppress

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
GTK = {  # without motion, and with a window that can be as narrow as a phone
    "settings.ini": "[Settings]\ngtk-enable-animations = 0\n",
    "gtk.css": "* { min-width: 0; padding: 0; margin: 0; }",
}
LEFT, RIGHT = "\ue012", "\ue014"  # keys, by their codes in WebDriver


class Tab:
    """One tab of an engine, which can `go`, `reload`, `resize`, `evaluate` and `perform`."""

    def open(self, url, width=1280, height=900):
        self.resize(width, height)
        self.go(url)

    def ask(self, expression):
        value = f"(async () => JSON.stringify(await ({expression}) ?? null))()"
        return json.loads(self.evaluate(value))

    def wait(self, expression):
        self.ask(
            f"""new Promise((done, fail) => {{
                const start = performance.now(), look = () => {expression} ? done()
                    : performance.now() - start > {1000 * PATIENCE / 2} ? fail({expression!r})
                    : setTimeout(look, 50);
                look();
            }})"""
        )

    def press(self, key):
        """Press a key. In Firefox without a window, a summary ignores it."""
        strokes = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self.perform({"type": "key", "id": "keys", "actions": strokes})

    def bring(self, element):
        """Scroll an element to the middle; return where it is once what is near is laid out."""
        return self.ask(
            f"""new Promise(done => {{
                const box = () => {{
                    {element}.scrollIntoView({{block: 'center', behavior: 'instant'}});
                    return JSON.stringify({element}.getBoundingClientRect());
                }};
                const look = (before, same) => same > 4 ? done(JSON.parse(before))
                    : requestAnimationFrame(() => look(box(), box() === before ? same + 1 : 0));
                look(box(), 0);
            }})"""
        )

    def drag(self, element, right=0, down=0, pointer="mouse"):
        """Take hold of the middle of an element and let go elsewhere; nowhere else is a click."""
        box = self.bring(element)
        x, y = int(box["x"] + box["width"] / 2), int(box["y"] + box["height"] / 2)
        strokes = [
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": x + right, "y": y + down},
            {"type": "pointerUp", "button": 0},
        ]
        source = {"type": "pointer", "id": pointer, "parameters": {"pointerType": pointer}}
        self.perform(source | {"actions": strokes})


class Firefox(Tab):
    def __init__(self, address):
        alone = {"timeout": PATIENCE, "suppress_origin": True}
        self.socket = websocket.create_connection(f"{address}/session", **alone)
        self.numbers = itertools.count(1)
        self.say("session.new", capabilities={})
        self.tab = self.say("browsingContext.getTree")["contexts"][0]["context"]

    def say(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv())).get("id") != number:
            pass
        assert answer["type"] == "success", answer
        return answer["result"]

    def go(self, url):
        """Go to an address; go again if Firefox does not answer, which happens in rare runs."""
        where = {"context": self.tab, "url": url, "wait": "complete"}
        try:
            self.socket.settimeout(PATIENCE / 4)
            self.say("browsingContext.navigate", **where)
        except websocket.WebSocketTimeoutException:
            self.socket.settimeout(PATIENCE)
            self.say("browsingContext.navigate", **where)
        finally:
            self.socket.settimeout(PATIENCE)

    def reload(self):
        self.say("browsingContext.reload", context=self.tab, wait="complete")

    def resize(self, width, height):
        size = {"width": width, "height": height}
        self.say("browsingContext.setViewport", context=self.tab, viewport=size)

    def evaluate(self, expression):
        given = {"expression": expression, "target": {"context": self.tab}}
        answer = self.say("script.evaluate", **given, awaitPromise=True)
        assert answer["type"] == "success", answer
        return answer["result"]["value"]

    def perform(self, *actions):
        self.say("input.performActions", context=self.tab, actions=actions)


class WebKit(Tab):
    def __init__(self, address):
        self.address = f"{address}/session"
        session = self.say(capabilities={})["sessionId"]
        self.address += f"/{session}"
        self.say("timeouts", script=1000 * PATIENCE)

    def say(self, command="", **parameters):
        request = urllib.request.Request(
            f"{self.address}/{command}".rstrip("/"), json.dumps(parameters).encode()
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    def go(self, url):
        self.say("url", url=url)

    def reload(self):
        self.say("refresh")

    def resize(self, width, height):
        """Resize the window, whose bars take some of its height."""
        self.say("window/rect", x=0, y=0, width=width, height=height)
        self.wait(f"innerWidth === {width}")

    def evaluate(self, expression):
        script = f"""const done = arguments[0];
            {expression}.then(value => done([value]), error => done([null, String(error)]))"""
        value, *errors = self.say("execute/async", script=script, args=[])
        assert not errors, errors
        return value

    def perform(self, *actions):
        self.say("actions", actions=actions)


@contextmanager
def firefox(folder):
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    require(program, "Firefox")
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


@contextmanager
def webkit(folder):
    """Yield WebKit, with its settings in a folder, on a virtual display."""
    driver, screen = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    require(driver and screen, "WebKit (webkit2gtk-driver and xvfb)")
    (folder / "gtk-3.0").mkdir()
    for name, text in GTK.items():
        (folder / "gtk-3.0" / name).write_text(text)
    command = [screen, "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as display:
        number = display.stdout.readline().strip()
        settings = {"DISPLAY": f":{number}", "XDG_CONFIG_HOME": str(folder)}
        port = free_port()
        process = subprocess.Popen([driver, f"--port={port}"], env=os.environ | settings)
        try:
            browser = patiently(lambda: WebKit(f"http://127.0.0.1:{port}"))
            yield browser
        finally:
            process.terminate()
            process.wait()
            display.terminate()


ENGINES = {"firefox": firefox, "webkit": webkit}


def require(there, name):
    """Skip the tests of a missing engine, with a message, unless REQUIRE_BROWSER is set."""
    if not there:
        message = f"no {name} on this machine: the pages were NOT looked at in it"
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") else pytest.skip)(message)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def patiently(connect):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(ConnectionError, urllib.error.URLError):
            return connect()
        time.sleep(0.1)
    pytest.fail("the engine does not answer")

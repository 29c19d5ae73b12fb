"""Make `_static/book.png`, the picture in the README and on the card of a shared link.

It shows the built pages: run `make book` first, then `python -m tests.book.portrait`.
"""

from tests.book import ROOT
from tests.browser import chromium, open_tab

SIZE = {"width": 1200, "height": 900}


def portrait():
    with chromium() as browser:
        tab = open_tab(browser, viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        tab.goto((ROOT / "_build/html/chapters/01_geometry.html").as_uri())
        figure = tab.locator("figure:has(.explorable[data-alive])").first
        figure.get_by_role("button", name="Show the best").click()
        figure.evaluate("f => f.scrollIntoView({block: 'end', behavior: 'instant'})")
        tab.wait_for_timeout(2000)  # what it says in words comes when the hand rests
        return tab.screenshot()


if __name__ == "__main__":
    (ROOT / "_static" / "book.png").write_bytes(portrait())

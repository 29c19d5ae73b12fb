"""Take built pages apart and put them together: elements, and formulas that are set aside."""

import re

from bs4 import BeautifulSoup


def make(tag, *contents, **attributes):
    """Make an element; `class_` stands for class, `data_page` for data-page."""
    attributes = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    element = BeautifulSoup("", "html.parser").new_tag(tag, attrs=attributes)
    element.extend(contents)
    return element


# Formulas are most of a page, and nothing in them changes: they are put aside while it is parsed.

FORMULA = re.compile('<span class="[^"]*" data-tex=')
SPAN = re.compile("<(/?)span")


def set_aside(page, formulas):
    """Put a short element in the place of each formula."""
    kept, end = [], 0
    while start := FORMULA.search(page, end):
        kept.append(page[end : start.start()])
        depth = 0
        for span in SPAN.finditer(page, start.start()):
            depth += -1 if span[1] else 1
            if depth == 0:
                break
        end = span.end() + 1
        kept.append(f"<i-tex>{len(formulas)}</i-tex>")
        formulas.append(page[start.start() : end])
    return "".join([*kept, page[end:]])


def put_back(book, formulas):
    return re.sub(r"<i-tex>(\d+)</i-tex>", lambda place: formulas[int(place[1])], book)

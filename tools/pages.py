"""Parse built pages and put them together again: elements, and formulas that are set aside."""

import html
import re
from pathlib import Path

import yaml
from bs4 import BeautifulSoup


def make(tag, *contents, **attributes):
    """Make an element; `class_` stands for class, `data_page` for data-page."""
    attributes = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    element = BeautifulSoup("", "html.parser").new_tag(tag, attrs=attributes)
    element.extend(contents)
    return element


def settings(name):
    """Return the settings in a file, `_config.yml` or `_toc.yml`."""
    return yaml.safe_load(Path(f"_{name}.yml").read_text(encoding="utf-8"))


# Formulas are most of a page and do not change, so they are set aside while the page is parsed.

FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)


def parse(file, formulas):
    """Read a page with a short element in the place of each formula."""

    def keep(formula):
        formulas.append(formula[0])
        return f"<i-tex>{len(formulas) - 1}</i-tex>"

    return BeautifulSoup(FORMULA.sub(keep, file.read_text(encoding="utf-8")), "html.parser")


def put_back(book, formulas):
    return re.sub(r"<i-tex>(\d+)</i-tex>", lambda place: formulas[int(place[1])], book)


def tex_of(formula):
    """Return the TeX of a formula; the first of several parts has all of it."""
    return html.unescape(re.search('data-tex="([^"]*)"', formula)[1])

"""The lecturer's page says what the chapters say: minutes, stars, and sections that exist."""

import re

import pytest

from tests.book import lecture_plan

PAGE = lecture_plan.PAGE.read_text(encoding="utf-8")


def test_minutes_stars_and_what_is_alive_are_those_of_the_chapters():
    assert lecture_plan.counted(PAGE) == PAGE, "run python -m tests.book.lecture_plan"


def test_a_week_takes_what_its_units_take():
    units = [int(time) for time in re.findall(r"\*\*Read\*\*, (\d+) minutes", PAGE)]
    assert all(units)
    for numbers, total in re.findall(r"((?:\{ref\}`\d+ <unit-\d+>`(?:, )?)+): (\d+)", PAGE):
        assert int(total) == sum(units[int(k) - 1] for k in re.findall(r"-(\d+)>", numbers))


def test_a_plan_keeps_the_order_and_names_each_unit_by_its_number():
    assert all(shown == unit for shown, unit in re.findall(r"`(\d+) <unit-(\d+)>`", PAGE))
    headings = re.findall(r"^\(unit-(\d+)\)=\n### Unit (\d+)\.", PAGE, flags=re.MULTILINE)
    assert [(int(a), int(b)) for a, b in headings] == [(k, k) for k in range(1, 19)]
    rows = [row.split("|")[2:5] for row in re.findall(r"^\| \d+ \|.+\|$", PAGE, flags=re.MULTILINE)]
    for plan in zip(*rows, strict=True):
        order = [int(unit) for week in plan for unit in re.findall(r"<unit-(\d+)>", week)]
        assert order == sorted(set(order))


@pytest.mark.parametrize("link", ["01_geometry.ipynb#hyperplanes-", "99_none.ipynb#hyperplanes"])
def test_a_section_that_is_not_there_is_an_error(link):
    with pytest.raises(KeyError):
        lecture_plan.counted(f"- **Read**, 1 minutes: [x](../chapters/{link})")

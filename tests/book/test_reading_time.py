"""The hours that the book states are those that its rule counts."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.book import notebooks, reading_time

CHAPTERS = notebooks.chapters()


def near(time):
    """What may be said of a number of minutes: ten per cent more or less, said in quarters."""
    return {reading_time.in_words(time * share / 100) for share in range(90, 111)}


def main_line(path):
    return reading_time.minutes(reading_time.parts(notebooks.read(path))[""])


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_says_how_long_it_takes(path):
    chapter = notebooks.read(path)
    parts = reading_time.parts(chapter)
    said = reading_time.stated(chapter)
    assert said, "write `**Time:** about an hour for a first reading` into its opening"
    assert said[2] in near(reading_time.minutes(parts[""])), "run `make notebooks`"
    if "Second reading" in parts:
        assert said[4] in near(reading_time.minutes(parts["Second reading"]))


def test_the_front_page_says_how_long_chapters_take():
    front = reading_time.FRONT.read_text(encoding="utf-8")
    said = reading_time.RANGE.search(front)
    times = [main_line(path) for path in CHAPTERS]
    assert said[2] in near(min(times)), "run `python -m tests.book.reading_time`"
    assert said[4] in near(max(times))


def test_each_thing_counts_once_and_where_it_stands():
    figure = {"figure": {"caption": "Two words", "name": "fig"}}
    chapter = new_notebook(
        cells=[
            new_markdown_cell("(ch)=\n# A title\n\n**Time:** about x for a first reading."),
            new_code_cell("a = 1\n\nb = 2"),
            new_code_cell("explorable.street()", metadata={"mystnb": figure}),
            new_code_cell("hidden()", metadata={"tags": ["hide-input"]}),
            new_markdown_cell(
                ":::{prf:proof}\n:label: no\nSo $x=1$ and $$y=2$$ (eq-y).\n:::\n\n"
                "```{exercise} Try\n:label: no\n[Go](there.html), {ref}`no`.\n```\n\n"
                "## Second reading\n\nMore $z$."
            ),
            new_markdown_cell("## Quiz\n\nNot counted."),
            new_markdown_cell("## And then\n\nOne."),
        ]
    )
    parts = reading_time.parts(chapter)
    assert reading_time.counted(parts[""]) == {
        "word": 2 + 7 + 2 + 4 + 2 + 3,
        "formula": 1,
        "display": 1,
        "proof": 1,
        "exercise": 1,
        "line of code": 3,
        "figure": 1,
        "explorable": 1,
    }
    assert reading_time.counted(parts["Second reading"])["word"] == 4
    expected = 20 / 200 + 5 / 60 + 45 / 60 + 4 + 12 + 3 * 4 / 60 + 1 + 6
    assert reading_time.minutes(parts[""]) == pytest.approx(expected)
    reading_time.state(chapter)
    said = "half an hour for a first reading; a quarter of an hour" + reading_time.SECOND + "."
    assert chapter.cells[0].source.endswith(said)
    reading_time.state(chapter)
    assert chapter.cells[0].source.endswith(f"about {said}")


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (2, "a quarter of an hour"),
        (44, "three quarters of an hour"),
        (60, "an hour"),
        (82, "an hour and a quarter"),
        (106, "an hour and three quarters"),
        (152, "two hours and a half"),
        (240, "four hours"),
    ],
)
def test_minutes_are_said_to_the_quarter_of_an_hour(time, words):
    assert reading_time.in_words(time) == words

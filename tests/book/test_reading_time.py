"""The hours that the book states are those that its rule counts."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.book import notebooks, reading_time


def near(time):
    """What may be said of a number of minutes: ten per cent more or less, said in quarters."""
    return {reading_time.in_words(time * share / 100) for share in range(90, 111)}


def test_chapters_and_the_front_page_say_how_long_they_take():
    times = []
    for path in notebooks.chapters():
        chapter = notebooks.read(path)
        minutes = {k: reading_time.minutes(v) for k, v in reading_time.parts(chapter).items()}
        said = reading_time.stated(chapter)
        assert said[2] in near(minutes[""]), f"{path.stem}: run `make notebooks`"
        if "Second reading" in minutes:
            assert said[4] in near(minutes["Second reading"]), path.stem
        if alone := reading_time.FIRST.search("".join(c.source for c in chapter.cells[:15])):
            assert alone[2] in near(reading_time.first(chapter)), path.stem
        times.append(minutes[""])
    said = reading_time.RANGE.search(reading_time.FRONT.read_text(encoding="utf-8"))
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
    main = dict.fromkeys(("formula", "display", "proof", "exercise", "figure", "explorable"), 1)
    main |= {"word": 2 + 7 + 2 + 4 + 2 + 3, "line of code": 3}
    assert reading_time.counted(parts[""]) == main
    assert reading_time.counted(parts["Second reading"])["word"] == 4
    expected = 20 / 200 + 5 / 60 + 45 / 60 + 4 + 12 + 3 * 4 / 60 + 1 + 6
    assert reading_time.minutes(parts[""]) == pytest.approx(expected)
    for _ in range(2):  # to say it again changes nothing
        reading_time.state(chapter)
        said = "half an hour for a first reading; a quarter of an hour" + reading_time.SECOND
        assert chapter.cells[0].source.endswith(f"about {said}.")


def test_minutes_are_said_to_the_quarter_of_an_hour():
    said = {
        2: "a quarter of an hour",
        44: "three quarters of an hour",
        60: "an hour",
        82: "an hour and a quarter",
        106: "an hour and three quarters",
        152: "two hours and a half",
        240: "four hours",
    }
    assert {time: reading_time.in_words(time) for time in said} == said

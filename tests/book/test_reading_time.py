"""The hours that the book states are those that its rule counts, and a chapter is an evening."""

import pytest
import reading_time
import sources


def test_chapters_and_the_front_page_say_how_long_they_take():
    quick, careful = [], []
    for path in sources.chapters():
        chapter = sources.read(path)
        parts = reading_time.parts(chapter)
        said = reading_time.stated(chapter)
        assert said[2] == reading_time.in_words(parts[""]), f"{path.stem}: run `make notebooks`"
        if "Second reading" in parts:
            assert said[4] == reading_time.in_words(parts["Second reading"]), path.stem
        if alone := reading_time.FIRST.search("".join(c.source for c in chapter.cells[:15])):
            assert alone[2] == reading_time.in_words(reading_time.first(chapter)), path.stem
        quick.append(reading_time.minutes(parts[""]))
        careful.append(reading_time.minutes(parts[""], reading_time.CAREFUL))
    said = reading_time.RANGE.search(reading_time.FRONT.read_text(encoding="utf-8"))
    ends = (reading_time.hours(min(quick)), reading_time.hours(max(careful)))
    assert (said[2], said[4]) == ends, "run `python tools/reading_time.py`"


@pytest.mark.parametrize("path", sources.chapters(), ids=lambda path: path.stem)
def test_a_chapter_is_an_evening(path):
    main = reading_time.parts(sources.read(path))[""]
    assert reading_time.words(main) <= reading_time.LONGEST
    assert reading_time.minutes(main, reading_time.CAREFUL) <= reading_time.EVENING

"""The hours that the book states are those that its rule counts."""

import reading_time
import sources


def near(time):
    """What may be said of a number of minutes: ten per cent more or less, said in quarters."""
    return {reading_time.in_words(time * share / 100) for share in range(90, 111)}


def test_chapters_and_the_front_page_say_how_long_they_take():
    times = []
    for path in sources.chapters():
        chapter = sources.read(path)
        minutes = {k: reading_time.minutes(v) for k, v in reading_time.parts(chapter).items()}
        said = reading_time.stated(chapter)
        assert said[2] in near(minutes[""]), f"{path.stem}: run `make notebooks`"
        if "Second reading" in minutes:
            assert said[4] in near(minutes["Second reading"]), path.stem
        if alone := reading_time.FIRST.search("".join(c.source for c in chapter.cells[:15])):
            assert alone[2] in near(reading_time.first(chapter)), path.stem
        times.append(minutes[""])
    said = reading_time.RANGE.search(reading_time.FRONT.read_text(encoding="utf-8"))
    assert said[2] in near(min(times)), "run `python tools/reading_time.py`"
    assert said[4] in near(max(times))

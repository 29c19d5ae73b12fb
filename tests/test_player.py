"""The frame player shows every frame, each described, without a script or a request."""

import base64
import re

import pytest

from svmlib.book.player import FramePlayer


def draw(figure, k):
    figure.subplots().plot([0, 1], [0, k])


@pytest.fixture
def player():
    return FramePlayer("test", draw, ["start", "a < b & c"], ["a level line", 'it "rises"'])


def test_every_frame_is_a_different_described_picture(player):
    bundle = player._repr_mimebundle_(include=None, exclude=None)
    pictures = re.findall(r'alt="([^"]*)" src="data:image/png;base64,([^"]+)"', bundle["text/html"])
    descriptions, contents = zip(*pictures, strict=True)
    assert descriptions == ("a level line", "it &quot;rises&quot;")
    assert len(set(contents)) == 2
    assert all(base64.b64decode(content).startswith(b"\x89PNG") for content in contents)


def test_without_alternative_texts_the_captions_serve():
    page = FramePlayer("test", draw, ["start", "end"])._repr_mimebundle_()["text/html"]
    assert re.findall('alt="([^"]*)"', page) == ["start", "end"]


def test_captions_can_be_compared_and_are_shown_with_their_frame(player):
    bundle = player._repr_mimebundle_()
    titles, *transcripts = bundle["text/plain"].split("\n[")
    assert titles == "FramePlayer test\n1/2. start\n2/2. a < b & c"
    assert [words[-6:] for words in transcripts] == ["(1, 0)", "(1, 1)"]
    figures = bundle["text/html"].split("<figure>")[1:]
    assert "1/2. start" in figures[0]
    assert "2/2. a &lt; b &amp; c" in figures[1]


def test_one_frame_is_chosen_at_the_start(player):
    page = player._repr_mimebundle_()["text/html"]
    assert page.count(" checked") == 1
    assert page.index(" checked") < page.index("<figure>")


def test_nothing_runs_and_nothing_is_fetched(player):
    page = player._repr_mimebundle_()["text/html"]
    assert "<script" not in page
    assert "http" not in page


def test_the_still_is_the_last_frame(player):
    assert player._repr_mimebundle_()["image/png"] == player.frames[-1]


def test_frames_are_the_same_in_every_run(player):
    assert FramePlayer("test", draw, ["start", "end"]).frames == player.frames


@pytest.mark.parametrize(
    ("name", "captions", "alts", "named"),
    [
        ("a b", ["x"], None, "name"),
        ("ok", [], None, "captions"),
        ("ok", ["x", "y"], ["z"], "alts must hold one text for each of the 2"),
    ],
)
def test_bad_input_is_named(name, captions, alts, named):
    with pytest.raises(ValueError, match=named):
        FramePlayer(name, draw, captions, alts)

"""The frame player shows every frame, each described, without a script or a request."""

import base64
import re

import pytest

from svmlib.book.player import FramePlayer


def draw(figure, k):
    figure.subplots().plot([0, 1], [0, k])


def player():
    return FramePlayer("test", draw, ["start", "a < b & c"], ["a level line", 'it "rises"'])


def test_every_frame_is_a_different_described_picture_with_its_caption():
    bundle, frames = player()._repr_mimebundle_(include=None, exclude=None), player().frames
    page = bundle["text/html"]
    assert len(set(frames)) == 2
    for figure, words, content, caption in zip(
        page.split("<figure>")[1:],
        ("a level line", "it &quot;rises&quot;"),
        frames,  # the same in every run
        ("1/2. start", "2/2. a &lt; b &amp; c"),
        strict=True,
    ):
        assert base64.b64decode(content).startswith(b"\x89PNG")
        assert f'alt="{words}" src="data:image/png;base64,{content}"' in figure
        assert caption in figure
    assert page.count(" checked") == 1
    assert page.index(" checked") < page.index("<figure>"), "one is chosen at the start"
    assert not re.search("<script|http", page), "nothing runs and nothing is fetched"
    # What is compared is the captions and the transcripts; the still is the last frame.
    titles, *transcripts = bundle["text/plain"].split("\n[")
    assert titles == "FramePlayer test\n1/2. start\n2/2. a < b & c"
    assert [words[-6:] for words in transcripts] == ["(1, 0)", "(1, 1)"]
    assert bundle["image/png"] == frames[-1]


@pytest.mark.parametrize(
    ("name", "captions", "named"),
    [("a b", ["x", "y"], "name"), ("ok", ["x"], "alts must hold one text for each of the 1")],
)
def test_bad_input_is_named(name, captions, named):
    with pytest.raises(ValueError, match=named):
        FramePlayer(name, draw, captions, ["y", "z"])

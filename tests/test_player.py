"""The frame player shows every frame, each described, without a script or a request."""

import base64
import re

import pytest

from svmlib.book.player import FramePlayer


def draw(figure, k):
    figure.subplots().plot([0, 1], [0, k])


@pytest.fixture
def player():
    return FramePlayer("test", draw, ["start", "a < b & c"])


def test_every_frame_is_a_different_described_picture(player):
    bundle = player._repr_mimebundle_(include=None, exclude=None)
    pictures = re.findall(r'alt="([^"]*)" src="data:image/png;base64,([^"]+)"', bundle["text/html"])
    descriptions, contents = zip(*pictures, strict=True)
    assert descriptions == ("start", "a &lt; b &amp; c")
    assert len(set(contents)) == 2
    assert all(base64.b64decode(content).startswith(b"\x89PNG") for content in contents)


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
    ("name", "captions", "named"), [("a b", ["x"], "name"), ("ok", [], "captions")]
)
def test_bad_input_is_named(name, captions, named):
    with pytest.raises(ValueError, match=named):
        FramePlayer(name, draw, captions)

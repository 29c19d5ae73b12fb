"""A transcript changes with every word and stroke of a figure, and with nothing else."""

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

from svmlib.book import plotting
from svmlib.book.transcript import transcript
from svmlib.datasets import load_penguins
from svmlib.geometry import Hyperplane


def draw(change="", spread=0.0, asked=None):
    """Draw one figure with everything that the book draws; or with one thing otherwise.

    What can be otherwise is asked for by its name.
    """
    asked = [] if asked is None else asked

    def pick(name, changed, usual):
        asked.append(name)
        return changed if change == name else usual

    figure, (left, right) = plt.subplots(1, 2)
    data = load_penguins()
    plotting.scatter(left, data)
    shift = pick("an endless line elsewhere", 30, 0)
    plotting.line(left, Hyperplane([-250, 1], -400 + shift + spread), label="wide")
    left.axline((18, 4000), slope=pick("a slope", -100, 100))
    slim = pick("the other line dashed", "-", "--")
    plotting.line(
        left, Hyperplane([100, 1], -6000), linestyle=slim, label=pick("a label", "a", "b")
    )
    left.set(xlabel=pick("a unit", "bill depth (cm)", "bill depth (mm)"))
    left.set_title(pick("a title", "Before", "After"), loc="left")
    left.set_title(pick("a title at the right", "C = 2", "C = 1"), loc="right")
    left.set(xscale=pick("a scale", "log", "linear"))
    plotting.legend(left)
    places = pick("notes change places", [(1, 0), (0, 1)], [(0, 1), (1, 0)])
    for name, place in zip("AB", places, strict=True):
        plotting.note(right, np.array(place) + spread, name)
    styles = pick("curves change dashes", ["--", "-"], ["-", "--"])
    for style, height in zip(styles, pick("curves change places", (3, 2), (2, 3)), strict=True):
        right.plot([0, 1], [0, height + spread], style, color="black", linewidth=1)
    right.plot([0.5], [1], pick("a marker", "s", "o"), color=pick("a colour", "red", "blue"))
    dots = pick("dots solid", "-", pick("dots dashed", "--", pick("dots and dashes", "-.", ":")))
    plotting.segments(right, [[0, 0]], [[1, 1]], linestyles=dots)
    plotting.hull(right, [[0, 0], [1, 0], [0, 1]], linestyle=pick("a dashed hull", "--", "-"))
    plotting.arrow(right, (0, 0), pick("an arrow turned", (1, 0), (0, 1)), "w")
    right.set_xticks([0, 1], pick("ticks", ["no", "yes"], ["yes", "no"]))
    factor = pick("a formatter", 100, 200)
    left.yaxis.set_major_formatter(lambda y, _: f"{factor * y:.0f}")
    right.text(0.5, 0.5, pick("a text", "three", "four"), transform=right.transAxes)
    entries = ["one", pick("an entry", "too", "two")]
    right.legend(pick("no legend", [], entries), title=pick("its title", "C", "μ"))
    figure.suptitle(pick("a title of all", "Two", "Both"))
    words = transcript(figure)
    plt.close(figure)
    return words


def test_every_word_and_stroke_counts_and_no_two_look_the_same():
    changes = []
    words = [draw(asked=changes), *map(draw, changes)]
    assert len(set(words)) == len(words) > 20


def test_nothing_that_a_machine_decides_counts():
    """Neither the fonts and what they do to the layout, nor the last digits of a number."""
    usual = draw()
    with mpl.rc_context({"font.size": 17, "figure.dpi": 70, "text.hinting": "none"}):
        assert draw() == usual
    for noise in (-1e-13, 1e-13):
        assert draw(spread=noise) == usual


def of_a_curve(x, y, **look):
    figure, ax = plt.subplots()
    ax.plot([0, x], [0, y], **look)
    plt.close(figure)
    return transcript(figure)


def test_a_tie_is_rounded_one_way():
    tie, *near = (of_a_curve(0.0625 + noise, 1) for noise in (0, 1e-15, -1e-15))
    assert near == [tie, tie]
    assert of_a_curve(1, -1e-17) == of_a_curve(1, 0.0)


def test_a_line_that_varies_keeps_its_look_and_its_label():
    words = of_a_curve(1, 1, gid="varies", label="a way")
    assert words == of_a_curve(1, 2, gid="varies", label="a way")
    assert "line #1f77b4 - varies: 'a way'" in words

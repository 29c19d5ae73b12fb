"""A transcript says nothing that a machine decides; that it says all else, its notebooks show.

Those of all figures are stored, and compared to the letter.
"""

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

from svmlib.book import plotting
from svmlib.book.transcript import transcript
from svmlib.datasets import load_penguins
from svmlib.geometry import Hyperplane


def draw(spread=0.0):
    """Draw what the book draws, with coordinates moved a little; return its transcript."""
    figure, (left, right) = plt.subplots(1, 2)
    plotting.scatter(left, load_penguins())
    plotting.line(left, Hyperplane([-250, 1], -400 + spread), label="wide")
    left.axline((18, 4000), slope=100)
    left.set_title("Before", loc="left")
    plotting.legend(left)
    plotting.note(right, np.array((0.0625, 1)) + spread, "A")  # a tie, to three digits
    right.plot([0, 1], [spread, 2], "--", label="a curve")
    plotting.segments(right, [[0, 0]], [[1, 1]])
    plotting.arrow(right, (0, 0), (0, 1), "w")
    right.legend(title="C")
    figure.suptitle("Both")
    words = transcript(figure)
    plt.close(figure)
    return words


def test_neither_fonts_nor_the_last_digit_of_a_number_count():
    usual = draw()
    assert usual != draw(spread=100)
    with mpl.rc_context({"font.size": 17, "figure.dpi": 70, "text.hinting": "none"}):
        assert draw() == usual
    for noise in (-1e-15, -1e-17, 1e-15):
        assert draw(spread=noise) == usual


def of_a_curve(y, **look):
    figure, ax = plt.subplots()
    ax.plot([0, 1], [0, y], **look)
    plt.close(figure)
    return transcript(figure)


def test_a_line_that_varies_keeps_its_look_and_its_label():
    words = of_a_curve(1, gid="varies", label="a way")
    assert words == of_a_curve(2, gid="varies", label="a way")
    assert "line #1f77b4 - varies: 'a way'" in words

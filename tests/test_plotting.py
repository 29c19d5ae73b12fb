"""Drawings show the data they are given, leave the axes alone and never warn."""

import matplotlib as mpl
import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter

mpl.use("Agg")
import matplotlib.pyplot as plt

from svmlib.book import plotting
from svmlib.book.transcript import transcript
from svmlib.geometry import Hyperplane


@pytest.fixture
def ax():
    with mpl.rc_context():
        plotting.use_style()
        figure, ax = plt.subplots()
        yield ax
        figure.canvas.draw()  # what was drawn can be rendered without a warning
        plt.close(figure)


def test_in_a_notebook_pictures_are_sharp_and_their_words_can_be_compared(monkeypatch, ax):
    import matplotlib_inline.backend_inline as inline

    class Shell:
        display_formatter = DisplayFormatter()

    asked = []
    monkeypatch.setattr("IPython.get_ipython", Shell)
    monkeypatch.setattr(inline, "set_matplotlib_formats", asked.append)
    with mpl.rc_context():
        plotting.use_style()
    assert asked == ["retina"]
    ax.set(xlabel="depth")
    printed, _ = Shell.display_formatter.format(ax.figure, include=["text/plain"])
    assert printed == {"text/plain": transcript(ax.figure)}


PLANES = [([1, 2], -1), ([1, 0], -0.5), ([0, -3], 1), ([-250, 1], -400)]


@pytest.mark.parametrize(("w", "b"), PLANES)
def test_a_line_lies_on_its_level_and_crosses_the_view(ax, w, b):
    plane = Hyperplane(w, b)
    ax.scatter(*plane.project([[10, 10], [13, 11], [30, 4000]]).T)
    before = ax.get_xlim(), ax.get_ylim()
    for level in (-1.0, 0.0, 2.5):
        drawn = plotting.line(ax, plane, level=level)
        assert (ax.get_xlim(), ax.get_ylim()) == before
        ends = np.array([drawn.get_xy1(), drawn.get_xy2()])
        scale = np.abs(ends) @ np.abs(plane.w) + 1
        assert (np.abs(plane.decision_function(ends) - level) <= 1e-12 * scale).all()
        assert np.linalg.norm(np.diff(ends, axis=0) / ax.viewLim.size) > 100
        assert drawn in ax.get_children()


def test_regions_of_a_constant_do_not_warn(ax):
    for constant in (-3, 0, 1):  # also where it is a level itself
        plotting.regions(ax, lambda X, c=constant: np.full(len(X), c), resolution=5)

"""Drawings show the data they are given, leave the axes alone and never warn."""

import itertools

import matplotlib as mpl
import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter

mpl.use("Agg")
import matplotlib.pyplot as plt

from svmlib.book import plotting
from svmlib.book.transcript import transcript
from svmlib.datasets import Dataset, load_penguins, load_two_clouds
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


STYLES = {"Adelie": ("#D55E00", "o"), "Gentoo": ("#0072B2", "^"), "Chinstrap": ("#009E73", "s")}


@pytest.mark.parametrize("species", [*itertools.permutations(STYLES, 2), tuple(STYLES)])
def test_scatter_draws_every_sample_a_species_the_same_in_any_company_and_names_all(ax, species):
    data = load_penguins(species)
    assert plotting.class_styles(data) == [STYLES[name] for name in data.class_names]
    drawn = plotting.scatter(ax, data, alpha=1)
    for label, name, points in zip(data.labels, data.class_names, drawn, strict=True):
        np.testing.assert_array_equal(points.get_offsets(), data.X[data.y == label])
        assert points.get_label() == name
        assert mpl.colors.to_hex(points.get_facecolor()[0]).upper() == STYLES[name][0]
    assert len({str(points.get_paths()[0]) for points in drawn}) == len(drawn), "markers differ"
    plotting.scatter(ax, data, columns=(1, 0))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("body mass (g)", "bill depth (mm)")


def test_classes_without_a_style_of_their_own_take_what_is_left():
    data = Dataset([[0.0], [1.0]], [-1, 1], ("x",), ("",), ("the rest", "Adelie"))
    assert plotting.class_styles(data) == [STYLES["Gentoo"], STYLES["Adelie"]]


PLANES = {
    "slanting": Hyperplane([1, 2], -1),
    "upright": Hyperplane([1, 0], -0.5),
    "level": Hyperplane([0, -3], 1),
    "far from the origin": Hyperplane([-250, 1], -400),
}


@pytest.mark.parametrize("name", PLANES)
def test_a_line_lies_on_its_level_and_crosses_the_view(ax, name):
    plane = PLANES[name]
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


def test_the_legend_hides_no_sample(ax):
    plotting.scatter(ax, load_two_clouds())
    legend = plotting.legend(ax)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in legend.get_texts()] == ["−1", "+1"]
    assert legend.get_window_extent().y0 >= ax.get_window_extent().y1
    assert legend.get_window_extent().y1 <= ax.figure.bbox.y1  # and is not cut off


def test_regions_of_a_constant_do_not_warn(ax):
    for constant in (-3, 0, 1):  # also where it is a level itself
        plotting.regions(ax, lambda X, c=constant: np.full(len(X), c), resolution=5)

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
from svmlib.datasets import Dataset, load_penguins, load_six_points, load_two_clouds
from svmlib.geometry import Hyperplane, directional_margin


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
        color, marker = STYLES[name]
        assert mpl.colors.to_hex(points.get_facecolor()[0]).upper() == color
        outline = mpl.markers.MarkerStyle(marker)
        expected = outline.get_transform().transform_path(outline.get_path()).vertices
        np.testing.assert_array_equal(points.get_paths()[0].vertices, expected)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("bill depth (mm)", "body mass (g)")
    plotting.scatter(ax, data, columns=(1, 0))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("body mass (g)", "bill depth (mm)")


@pytest.mark.parametrize(
    ("names", "looks"),
    [
        (("no", "yes"), ("Adelie", "Gentoo")),
        (("Gentoo", "the rest"), ("Gentoo", "Adelie")),
        (("the rest", "Adelie"), ("Gentoo", "Adelie")),
    ],
)
def test_classes_without_a_style_of_their_own_take_what_is_left(names, looks):
    data = Dataset([[0.0], [1.0]], [-1, 1], ("x",), ("",), names)
    assert plotting.class_styles(data) == [STYLES[look] for look in looks]


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
        drawn = plotting.line(ax, plane, level=level, color="red", label=f"f = {level}")
        assert (ax.get_xlim(), ax.get_ylim()) == before
        ends = np.array([drawn.get_xy1(), drawn.get_xy2()])
        scale = np.abs(ends) @ np.abs(plane.w) + 1
        assert (np.abs(plane.decision_function(ends) - level) <= 1e-12 * scale).all()
        assert np.linalg.norm(np.diff(ends, axis=0) / ax.viewLim.size) > 100
        assert drawn in ax.get_children()
        assert ax.legend().get_texts()[-1].get_text() == f"f = {level}"


def test_margin_lines_touch_the_nearest_samples(ax):
    six = load_six_points()
    plotting.scatter(ax, six)
    margin = directional_margin(six.X, six.y, (0, 1))
    scale = margin.midline.functional_margin(six.X, six.y)
    canonical = Hyperplane(margin.midline.w / scale, margin.midline.b / scale)
    drawn = plotting.margin(ax, canonical, label="optimal")
    heights = [line.get_xy1()[1] for line in drawn]
    np.testing.assert_allclose(heights, [-1, 0, 1], atol=1e-12)
    assert [text.get_text() for text in ax.legend().get_texts()][2:] == ["optimal"]
    band = next(patch for patch in ax.patches if patch.get_alpha())
    np.testing.assert_allclose(sorted(set(band.get_xy()[:, 1].round(9))), [-1, 1])
    half = (margin.b_plus - margin.b_minus) / 2
    again = plotting.margin(ax, margin.midline, level=half)
    np.testing.assert_allclose([line.get_xy1()[1] for line in again], heights, atol=1e-12)


def test_rings_segments_hulls_arrows_and_notes_sit_where_they_are_told(ax):
    points = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 0.0]])
    rings = plotting.rings(ax, points)
    np.testing.assert_array_equal(rings.get_offsets(), points)
    assert not len(rings.get_facecolor()), "a ring hides nothing"
    drawn = plotting.segments(ax, points, points + 1)
    np.testing.assert_array_equal(drawn.get_segments()[1], [[2, 3], [3, 4]])
    np.testing.assert_array_equal(plotting.hull(ax, points).get_xy()[:-1], points)
    pointer = plotting.arrow(ax, (0, 0), (5, 6), "w", color="red")
    assert tuple(pointer.xy) == (5, 6)
    assert [(t.get_text(), t.xy) for t in ax.texts if t.get_text()] == [("w", (5, 6))]
    assert ax.get_ylim()[1] >= 6  # an arrow is never cut off
    assert plotting.note(ax, (1, 2), "A", color="red").get_text() == "A"


def test_the_legend_hides_no_sample(ax):
    plotting.scatter(ax, load_two_clouds())
    legend = plotting.legend(ax)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in legend.get_texts()] == ["−1", "+1"]
    assert legend.get_window_extent().y0 >= ax.get_window_extent().y1
    assert legend.get_window_extent().y1 <= ax.figure.bbox.y1  # and is not cut off


def test_regions_tint_the_two_sides_and_fix_the_view(ax):
    plotting.scatter(ax, load_two_clouds(), s=1)
    before = ax.get_xlim(), ax.get_ylim()
    plane = Hyperplane([1, 1], 0)
    plotting.regions(ax, plane.decision_function)
    assert (ax.get_xlim(), ax.get_ylim()) == before
    ax.figure.canvas.draw()
    picture = np.array(ax.figure.canvas.buffer_rgba(), dtype=int)
    (x0, y0), (x1, y1) = ax.transAxes.transform([(0.03, 0.03), (0.97, 0.97)]).astype(int)
    red, _, blue, _ = np.transpose([picture[-y0, x0], picture[-y1, x1]])
    assert (np.sign(red - blue) == [1, -1]).all(), "vermilion where f < 0, blue where f > 0"


@pytest.mark.parametrize("level", [None, 1.0])
def test_regions_of_a_constant_do_not_warn(ax, level):
    for constant in (-3, 0, 1):  # also where it is a level itself
        plotting.regions(ax, lambda X, c=constant: np.full(len(X), c), level=level, resolution=5)


FOUR = Dataset(np.eye(4)[:, :2], list("abcd"), ("x", "z"), ("", ""), tuple("abcd"))
LEVEL = Hyperplane([1, 2], 0)
HEIGHT = LEVEL.decision_function


@pytest.mark.parametrize(
    ("draw", "given", "options", "named"),
    [
        (plotting.scatter, (load_penguins(),), {"columns": (0, 3)}, "two of 0 to 1"),
        (plotting.scatter, (load_penguins(features=("body_mass_g",)),), {}, "columns"),
        (plotting.scatter, (FOUR,), {}, "at most 3 classes"),
        (plotting.line, (Hyperplane([1, 2, 3], 0),), {}, "must have 2 features"),
        (plotting.margin, (LEVEL,), {"level": 0.0}, "level must be a positive"),
        (plotting.rings, ([[1, 2, 3]],), {}, "expected 2"),
        (plotting.hull, ([[1, 2, 3]],), {}, "expected 2"),
        (plotting.segments, ([[0, 0]], [[0, 0], [1, 1]]), {}, "starts and ends must match"),
        (plotting.arrow, ((0, 0), (1, 2, 3)), {}, "vector has 3 entries"),
        (plotting.note, ((0, np.nan), "A"), {}, "point must be finite"),
        (plotting.regions, (HEIGHT,), {"resolution": 1}, "resolution must be at least 2"),
        (plotting.regions, (HEIGHT,), {"resolution": 2.5}, "must be a positive integer"),
        (plotting.regions, (HEIGHT,), {"level": -1.0}, "level must be a positive"),
    ],
)
def test_bad_input_is_named(ax, draw, given, options, named):
    with pytest.raises(ValueError, match=named):
        draw(ax, *given, **options)

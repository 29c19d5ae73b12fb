"""The loaders give what the sources describe, on every machine, and nobody can spoil it."""

import sys

import numpy as np
import palmerpenguins
import pytest

from svmlib import datasets
from svmlib.datasets import Dataset, load_penguins
from tests.test_hulls import linearly_separable

PAIRS = {  # and the sum of y_i x_ij over all rows and columns
    "penguins": 64622.5, "iris_pair": -117.1, "six_points": 11.5, "two_clouds": 387.3848896,
    "close_clouds": 2.1021464, "line_example": 0.75, "outlier": 117.4357337, "circles": 1.3193013,
    "xor": 0,
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_is_the_same_every_time_and_separable_where_the_book_says_so(name):
    """By a linear program, which owes nothing to svmlib: is there (w, b) with y f(x) ≥ 1?"""
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    load = getattr(datasets, f"load_{name}")
    data = load()
    np.testing.assert_array_equal(load().X, data.X)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert linearly_separable(data.X, data.y) == (name not in ("circles", "xor"))
    assert set(data.labels) == {-1, 1}
    assert (data.y @ data.X).sum() == pytest.approx(PAIRS[name], abs=1e-6)


def test_a_dataset_keeps_its_own_copy_which_cannot_be_changed():
    X = np.array([[0.0], [1.0]])
    data = Dataset(X, [-1, 1], ("length",), ("mm",), ("short", "long"))
    X[0, 0] = 9
    assert data.X[0, 0] == 0
    assert data.axis_labels == ("length (mm)",)
    for array in (data.X, data.y):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


FEATURES = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")


@pytest.mark.parametrize("species", [("Adelie", "Gentoo"), ("Gentoo", "Adelie")])
@pytest.mark.parametrize("features", [FEATURES[1::2], FEATURES[::-1]])
def test_penguins_are_the_rows_of_the_table_and_the_missing_are_counted(species, features):
    table = palmerpenguins.load_penguins()
    pair = table[table.species.isin(species)]
    complete = pair.dropna(subset=list(features))
    penguins = load_penguins(species, features)
    np.testing.assert_array_equal(penguins.X, complete[list(features)])
    np.testing.assert_array_equal(penguins.y == 1, complete["species"] == species[1])
    assert penguins.n_dropped == len(pair) - len(complete) > 0
    assert penguins.class_names == species
    columns = zip(penguins.feature_names, penguins.units, strict=True)
    assert tuple(f"{name} {unit}".replace(" ", "_") for name, unit in columns) == features


def test_without_the_table_of_penguins_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "palmerpenguins", None)
    with pytest.raises(ImportError, match=r'pip install "svmlib\[book\]"'):
        load_penguins()


def test_labels_have_names():
    pair = load_penguins()
    assert pair.names([1, -1.0, np.int64(1)]) == ["Gentoo", "Adelie", "Gentoo"]
    three = load_penguins(("Adelie", "Chinstrap", "Gentoo"))
    assert three.names(three.y) == three.y.tolist()


def test_two_clouds_repeat_the_published_recipe():
    random, clouds = np.random.RandomState(42), datasets.load_two_clouds()
    np.testing.assert_array_equal(clouds.X[:50], random.randn(50, 2) + np.array([2, 2]))
    np.testing.assert_array_equal(clouds.X[50:], random.randn(50, 2) + np.array([-2, -2]))
    np.testing.assert_array_equal(clouds.y, np.repeat([1, -1], 50))


def test_clouds_are_where_they_are_said_to_be():
    close, outlier = datasets.load_close_clouds(), datasets.load_outlier()
    for data, label, centre, deviation in (
        (close, -1, (3.5, 0), 1),
        (close, 1, (0, 3.5), 1),
        (outlier, -1, (-2, -2), 0.6),
        (outlier, 1, (2, 2), 0.6),
    ):
        own = data.X[data.y == label][:15]  # without the outlier
        assert np.abs(own.mean(axis=0) - centre).max() < 0.7 * deviation
        np.testing.assert_allclose(own.std(axis=0), deviation, rtol=0.35)


def test_circles_are_two_rings_all_around():
    for n, noise in ((100, 0.0), (4000, 0.1)):
        data = datasets.load_circles(n, noise)
        off = np.hypot(*data.X.T) - np.where(data.y == 1, 0.5, 1.0)
        np.testing.assert_allclose([off.mean(), off.std()], [0, noise], atol=noise / 10 + 1e-12)
        assert np.abs(data.X.mean(axis=0)).max() < 1.5 / np.sqrt(n)
        for label in (-1, 1):
            quadrants = np.sign(data.X[data.y == label])
            assert len(quadrants) == n / 2
            assert len(np.unique(quadrants, axis=0)) == 4

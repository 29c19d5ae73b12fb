"""The data of the book: real penguins and irises, and the toy sets of the five sources.

Every loader returns a frozen `Dataset`, so chapters, exercises and tests all start in the same way:

>>> from svmlib.datasets import load_penguins
>>> penguins = load_penguins()
>>> penguins.X.shape, penguins.n_dropped
((274, 2), 2)

Random sets are drawn from NumPy's `RandomState`, whose stream is frozen: the same seed gives the
same points on every machine and in every later version of NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmlib._arrays import Array, ReadOnly
from svmlib._validation import (
    check_class_labels,
    check_count,
    check_labelled,
    check_points,
    check_scalar,
    check_vector,
)

__all__ = [
    "Dataset",
    "load_circles",
    "load_close_clouds",
    "load_iris_pair",
    "load_line_example",
    "load_outlier",
    "load_penguins",
    "load_six_points",
    "load_two_clouds",
    "load_xor",
]

_PENGUIN_UNITS = {
    "bill_length_mm": ("bill length", "mm"),
    "bill_depth_mm": ("bill depth", "mm"),
    "flipper_length_mm": ("flipper length", "mm"),
    "body_mass_g": ("body mass", "g"),
}


@dataclass(frozen=True, eq=False)
class Dataset(ReadOnly):
    """Samples, their classes, and what the numbers mean.

    Parameters
    ----------
    X : array of shape (n, d)
        One row per sample, one column per feature; kept as a read-only float64 copy.
    y : array of shape (n,)
        For two classes −1 or +1 per row; for three or more the class name of each row.
    feature_names, units : tuple of str
        One entry of each per column; the unit is "" if there is none.
    class_names : tuple of str
        For two classes the names of −1 and +1, in that order; for three or more all names.
    n_dropped : int, default 0
        Rows left out because a value was missing.

    Raises
    ------
    ValueError
        If the shapes do not fit together, a value is not finite, or a class has no sample.

    Notes
    -----
    Introduced in chapter 1, *Geometry*.

    Examples
    --------
    >>> classes = "short", "long"
    >>> worms = Dataset([[2.0], [9.0]], [-1, 1], ("length",), ("cm",), classes)
    >>> worms.axis_labels, worms.names([1, -1])
    (('length (cm)',), ['long', 'short'])
    """

    X: Array
    y: NDArray[Any]
    feature_names: tuple[str, ...]
    units: tuple[str, ...]
    class_names: tuple[str, ...]
    n_dropped: int = 0

    def __post_init__(self) -> None:
        X = check_points(self.X).copy()
        for name, at_least in ("feature_names", 0), ("units", 0), ("class_names", 2):
            vars(self)[name] = _check_names(getattr(self, name), name, at_least)
        if not len(self.feature_names) == len(self.units) == X.shape[1]:
            raise ValueError(f"feature_names and units must have {X.shape[1]} entries each")
        if len(self.class_names) == 2:
            y: NDArray[Any] = check_labelled(X, self.y)[1].astype(np.int64)
        else:
            y = check_class_labels(self.y, len(X)).astype(str)
            if set(y.tolist()) != set(self.class_names):
                raise ValueError(f"y must hold the names {self.class_names}, one per row of X")
        vars(self).update(X=X, y=y)
        vars(self)["n_dropped"] = check_count(self.n_dropped, "n_dropped", positive=False)
        super().__post_init__()

    @property
    def labels(self) -> tuple[int | str, ...]:
        """The values that y takes, in the order of `class_names`."""
        return (-1, 1) if len(self.class_names) == 2 else self.class_names

    @property
    def axis_labels(self) -> tuple[str, ...]:
        """The name of each feature with its unit, as an axis of a figure shows it."""
        columns = zip(self.feature_names, self.units, strict=True)
        return tuple(f"{name} ({unit})" if unit else name for name, unit in columns)

    def names(self, labels: Iterable[int | str]) -> list[str]:
        """Return the class name of each label, such as of the predictions of a classifier.

        Raises
        ------
        ValueError
            If they are not a sequence, or a label is not one of the data set's `labels`.
        """
        name_of = dict(zip(self.labels, self.class_names, strict=True))
        try:
            return [name_of[label] for label in labels]
        except (KeyError, TypeError) as error:
            accepted = f"a sequence of labels out of {self.labels}"
            raise ValueError(f"labels must be {accepted}, got {labels!r:.80}") from error

    def in_units(self, sizes: Sequence[float], units: Sequence[str]) -> Dataset:
        """Return the same samples measured in other units, X_ij / sizes_j.

        Parameters
        ----------
        sizes : sequence of d positive numbers
            The size of each new unit, in the old one.
        units : sequence of d str
            Their names.

        Raises
        ------
        ValueError
            If a size is not positive, or there are not d sizes and d names of units.

        Notes
        -----
        Distances, and so margins, depend on this choice: chapter 1, *Geometry*.

        Examples
        --------
        >>> load_penguins().in_units((1, 1000), ("mm", "kg")).X[0]
        array([18.7 ,  3.75])
        """
        factors = check_vector(sizes, "sizes", length=self.X.shape[1])
        if (factors <= 0).any():
            raise ValueError(f"sizes must be positive, got {factors.tolist()}")
        return replace(self, X=self.X / factors, units=_check_names(units, "units"))


def load_penguins(
    species: Sequence[str] = ("Adelie", "Gentoo"),
    features: Sequence[str] = ("bill_depth_mm", "body_mass_g"),
) -> Dataset:
    """Load penguins of the Palmer Archipelago, Antarctica.

    Rows with a missing value in one of the chosen features are dropped and counted.

    Parameters
    ----------
    species : sequence of str, default ("Adelie", "Gentoo")
        Two of "Adelie", "Chinstrap", "Gentoo": the first becomes −1, the second +1. If all
        three are given, y holds their names.
    features : sequence of str, default ("bill_depth_mm", "body_mass_g")
        From "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g". The bill's depth
        is also called the depth of the culmen.

    Raises
    ------
    ValueError
        If a species or a feature is unknown or repeated, or too few are given.
    ImportError
        If the package palmerpenguins is not installed.

    Notes
    -----
    Used from chapter 1, *Geometry*, on.

    References
    ----------
    Gorman, K. B., Williams, T. D. and Fraser, W. R. (2014), "Ecological sexual dimorphism and
    environmental variability within a community of Antarctic penguins (genus Pygoscelis)".

    Horst, A. M., Hill, A. P. and Gorman, K. B. (2020), the R package palmerpenguins.

    Examples
    --------
    >>> bill = "bill_length_mm", "bill_depth_mm"
    >>> load_penguins(("Adelie", "Chinstrap"), bill).X.shape
    (219, 2)
    """
    species = _check_names(species, "species", 2, ("Adelie", "Chinstrap", "Gentoo"))
    features = _check_names(features, "features", 1, tuple(_PENGUIN_UNITS))
    try:
        from palmerpenguins import load_penguins as load_table  # imports pandas
    except ImportError as error:
        message = 'load_penguins needs palmerpenguins: pip install "svmlib[book]"'
        raise ImportError(message) from error
    table = load_table()
    chosen = table[table["species"].isin(species)]
    complete = chosen.dropna(subset=[*features])
    names = complete["species"].to_numpy(dtype=str)
    feature_names, units = zip(*(_PENGUIN_UNITS[feature] for feature in features), strict=True)
    return Dataset(
        complete[[*features]].to_numpy(dtype=np.float64),
        np.where(names == species[1], 1, -1) if len(species) == 2 else names,
        feature_names,
        units,
        species,
        len(chosen) - len(complete),
    )


def _check_names(
    names: Any, argument: str, at_least: int = 0, choices: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return a sequence of names as a tuple; if there is a least number, they must differ."""
    several = isinstance(names, Iterable) and not isinstance(names, str)
    found: tuple[Any, ...] = tuple(names) if several else (None,)
    if not all(isinstance(name, str) for name in found):
        raise ValueError(f"{argument} must be a sequence of names, got {names!r:.80}")
    chosen = set(found) & set(choices or found)
    if at_least and not len(found) == len(chosen) >= at_least:
        among = f" out of {', '.join(choices)}" if choices else ""
        accepted = f"at least {at_least} different names{among}"
        raise ValueError(f"{argument} must be {accepted}, got {names!r:.80}")
    return found


def load_iris_pair() -> Dataset:
    """Load every fourth iris: sepal length and width in cm, setosa (+1) against the other two (−1).

    Notes
    -----
    Used in chapters 1, *Geometry*, and 7, *The hinge loss*.

    References
    ----------
    Fisher, R. A. (1936), "The use of multiple measurements in taxonomic problems".

    Examples
    --------
    >>> load_iris_pair().X.shape
    (38, 2)
    """
    from sklearn.datasets import load_iris  # slow to import: only if needed

    iris = load_iris()
    return Dataset(
        iris.data[::4, :2],
        np.where(iris.target[::4] == 0, 1, -1),
        ("sepal length", "sepal width"),
        ("cm", "cm"),
        ("other irises", "setosa"),
    )


def load_six_points() -> Dataset:
    """Load six points whose optimal width is less than the distance between the closest pair.

    The closest pair, (−1.5, 1) and (0, −1), is 2.5 apart; the optimal width is 2. The point of the
    convex hull of A⁺ nearest to A⁻ is (0, 1), on an edge, and not a sample.

    Notes
    -----
    Used in chapters 1, *Geometry*, 2, *Convex hulls*, and 3, *SMO*.

    Examples
    --------
    >>> load_six_points().X[:3].tolist()
    [[-1.5, 1.0], [2.0, 1.0], [0.5, 3.0]]
    """
    X = [[-1.5, 1.0], [2.0, 1.0], [0.5, 3.0], [0.0, -1.0], [-1.5, -2.5], [1.5, -2.0]]
    return _toy(X, [1, 1, 1, -1, -1, -1])


def load_two_clouds() -> Dataset:
    """Load two well separated normal clouds, 50 points each, around (2, 2) and (−2, −2).

    Notes
    -----
    Used in chapters 4, *Lagrange duality*, and 5, *Kernels*.

    Examples
    --------
    >>> load_two_clouds().X.shape
    (100, 2)
    """
    random = np.random.RandomState(42)
    positive = random.standard_normal((50, 2)) + 2
    negative = random.standard_normal((50, 2)) - 2
    return _toy(np.vstack((positive, negative)), np.repeat((1, -1), 50))


def load_close_clouds() -> Dataset:
    """Load two normal clouds, 25 points each, around (3.5, 0) and (0, 3.5), barely separable.

    The mean (3.5, 0) of the class −1 and the covariance I of the class +1 are the source's, whose
    page lacks the rest. The mean (0, 3.5), the other covariance I, the numbers of points and
    the seed are ours, chosen so that the optimal hyperplane rests on three samples, as the
    source's does, and lies close to the source's w = (−1.25, 2.39), b = −1.31.

    Notes
    -----
    Used in chapter 4, *Lagrange duality*.

    Examples
    --------
    >>> load_close_clouds().X.shape
    (50, 2)
    """
    random = np.random.RandomState(46)
    negative = random.standard_normal((25, 2)) + np.array([3.5, 0.0])
    positive = random.standard_normal((25, 2)) + np.array([0.0, 3.5])
    return _toy(np.vstack((negative, positive)), np.repeat((-1, 1), 25))


def load_line_example() -> Dataset:
    """Load the two samples beside the line x₁ + 2x₂ − 1 = 0: (1, ¼) above it and (½, 0) below.

    Notes
    -----
    Used in chapter 1, *Geometry*.

    Examples
    --------
    >>> load_line_example().X.tolist()
    [[1.0, 0.25], [0.5, 0.0]]
    """
    return _toy([[1.0, 0.25], [0.5, 0.0]], [1, -1])


def load_outlier() -> Dataset:
    """Load two clouds with a wide gap, and one sample of A⁺, the last row, that nearly closes it.

    The classes stay separable with the outlier, but the margin becomes narrow.

    Notes
    -----
    Used in chapters 6, *The soft margin*, and 7, *The hinge loss*.

    Examples
    --------
    >>> load_outlier().X[-1].tolist()
    [-1.6, 0.2]
    """
    random = np.random.RandomState(7)
    positive = 0.6 * random.standard_normal((15, 2)) + 2
    negative = 0.6 * random.standard_normal((15, 2)) - 2
    return _toy(np.vstack((negative, positive, [[-1.6, 0.2]])), np.repeat((-1, 1), (15, 16)))


def load_circles(n: int = 100, noise: float = 0.1) -> Dataset:
    """Load a small ring (+1) inside a large one (−1), which no line separates.

    Parameters
    ----------
    n : int, default 100
        Points in all, half of them in each class; even and at least 2.
    noise : float, default 0.1
        Standard deviation of the radii about 1 (large ring) and ½ (small ring).

    Raises
    ------
    ValueError
        If n is not a positive even number, or the noise is negative or not finite.

    Notes
    -----
    Used in chapter 5, *Kernels*.

    Examples
    --------
    >>> load_circles(6, noise=0).y.tolist()
    [-1, -1, -1, 1, 1, 1]
    """
    if check_count(n, "n") % 2:
        raise ValueError(f"n must be an even number, got {n}")
    if (noise := check_scalar(noise, "noise")) < 0:
        raise ValueError(f"noise must not be negative, got {noise}")
    random = np.random.RandomState(3)
    angle = random.uniform(0, 2 * np.pi, n)
    radius = np.repeat((1.0, 0.5), n // 2) + noise * random.standard_normal(n)
    X = radius[:, np.newaxis] * np.column_stack((np.cos(angle), np.sin(angle)))
    return _toy(X, np.repeat((-1, 1), n // 2))


def load_xor() -> Dataset:
    """Load the corners of a square, each class on a diagonal: y is the sign of x₁x₂.

    Notes
    -----
    Used in chapters 5, *Kernels*, and 6, *The soft margin*.

    Examples
    --------
    >>> load_xor().X.tolist()
    [[1.0, 1.0], [-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]]
    """
    return _toy([[1.0, 1.0], [-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]], [1, 1, -1, -1])


def _toy(X: Any, y: Any) -> Dataset:
    """Return a data set of points of the plane, without units."""
    return Dataset(X, y, ("$x_1$", "$x_2$"), ("", ""), ("−1", "+1"))

"""The figures that one can take hold of, for all tests that look at them.

A new one needs a line in FIGURES, and a function check_NAME in tests/book/test_explorables.py that
compares what it shows with svmlib. What its script computes is tested in tests/test_explorable.py.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from svmlib.book import explorable
from svmlib.datasets import Dataset, load_circles, load_outlier, load_penguins, load_six_points


def own(X, y):
    return Dataset(np.array(X, dtype=float), y, ("a", "b"), ("", ""), ("−1", "+1"))


SIX = load_six_points()
BIRDS = load_penguins()
IN_UNITS = BIRDS.in_units((1, 200), ("mm", "200 g"))
NUMBERED = own([[1, 1], [2, 3], [3, 2], [2, 2], [4, 3], [3, 4]], np.repeat((-1, 1), 3))
THREE = own([[1, 2], [2, 0], [0, 0]], (1, 1, -1))


def rings():
    """The blurred rings of chapter 5: 80 samples to learn from, 1000 hidden."""
    data = load_circles(1080, noise=0.2)
    order = np.random.RandomState(0).permutation(1080)
    return [replace(data, X=data.X[rows], y=data.y[rows]) for rows in (order[:80], order[80:])]


def overlapping(seed=0):
    y = np.repeat((-1, 1), 30)
    return own(np.random.RandomState(seed).standard_normal((60, 2)) + 0.3 * y[:, np.newaxis], y)


def hidden_values():
    """Decision values of a rare and a frequent class, with ties."""
    y = np.repeat((0, 1), (90, 10))
    return np.round(np.random.RandomState(0).standard_normal(100) + 2 * y, 2), y


@cache
def searches(
    Cs=(0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0), gammas=(0.03, 0.3, 1.0, 3.0, 30.0), cuts=4
):
    noisy, grid = load_circles(40, noise=0.3), {"svc__gamma": gammas, "svc__C": Cs}
    return [
        GridSearchCV(
            make_pipeline(StandardScaler(), SVC()),
            grid,
            cv=StratifiedKFold(3, shuffle=True, random_state=cut),
            return_train_score=True,
        ).fit(noisy.X, noisy.y)
        for cut in range(cuts)
    ]


FIGURES = {  # as the chapters have them
    "street": lambda: explorable.street(IN_UNITS, 141.3),
    "villages": lambda: explorable.villages(SIX),
    "outlier": lambda: explorable.outlier(load_outlier(), 0.5),
    "rbf": lambda: explorable.rbf(*rings()),
    "smo": lambda: explorable.smo(SIX),
    "prices": explorable.prices,
    "forces": lambda: explorable.forces(THREE),
    "units": lambda: explorable.units(BIRDS, 200),
    "lift": lambda: explorable.lift(load_circles()),
    "box": lambda: explorable.box(NUMBERED, pair=(3, 2)),
    "threshold": lambda: explorable.threshold(*hidden_values(), miss=10),
    "race": lambda: explorable.race(overlapping(), gamma=0.25),
    "winner": lambda: explorable.winner(searches()),
}


def number(text):
    return float(text.replace("−", "-"))


def held(text):
    """The ends, exactly, of an interval such as "3.75 ± 10⁻⁴" or "3.7 to 3.8"."""
    text = text.translate(str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789"))
    if " to " in text:
        return tuple(map(Fraction, text.split(" to ")))
    value, power = text.split(" ± 10")
    error = Fraction(10) ** int(power)
    return Fraction(value) - error, Fraction(value) + error


def centre(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag_by(tab, grip, dx, dy):
    grip.scroll_into_view_if_needed()
    x, y = centre(grip.locator(".hit"))
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + dx / 2, y + dy / 2)
    tab.mouse.move(x + dx, y + dy)
    tab.mouse.up()
    return x, y

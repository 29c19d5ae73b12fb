"""Whether the sentences of chapter 1 on the perceptron hold with other orders of the samples.

`python benchmarks/repetitions/chapter_01.py` repeats both experiments ten times, each with a
hundred orders, and prints in how many the sentence held. All other sentences of the chapter are
about data and lines that nobody draws.
"""

import numpy as np
from of_chapter import repeat
from sklearn.linear_model import Perceptron

from svmlib import datasets
from svmlib.geometry import Hyperplane


def fitted(data: datasets.Dataset, seed: int) -> list[Hyperplane]:
    """Return the lines of the perceptron for a hundred orders of the samples."""
    models = [Perceptron(random_state=100 * seed + k).fit(data.X, data.y) for k in range(100)]
    return [Hyperplane(model.coef_.ravel(), model.intercept_.item()) for model in models]


def the_species_of_bird_c_depends_on_the_order(seed: int) -> bool:
    """Predict the bird of 17 mm and 4700 g: in at least a tenth of the orders as each species."""
    penguins = datasets.load_penguins().in_units((1, 200), ("mm", "200 g"))
    adelie = sum(plane.predict([[17, 4700 / 200]])[0] < 0 for plane in fitted(penguins, seed))
    return bool(10 <= adelie <= 90)


def the_order_decides_whether_a_line_between_irises_survives_rounding(seed: int) -> bool:
    """Move every iris by 0.05 cm in the worst direction: some lines still separate, some do not."""
    iris = datasets.load_iris_pair()
    lines = fitted(iris, seed)
    moved = (iris.X - 0.05 * np.sign(iris.y[:, None] * plane.w) for plane in lines)
    still = sum(plane.separates(X, iris.y) for plane, X in zip(lines, moved, strict=True))
    return bool(10 <= still <= 90)


if __name__ == "__main__":
    repeat(
        [
            the_species_of_bird_c_depends_on_the_order,
            the_order_decides_whether_a_line_between_irises_survives_rounding,
        ]
    )

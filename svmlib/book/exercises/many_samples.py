"""Exercises of chapter 13, Many samples."""

from typing import Any

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, exercise, samples

__all__ = ["check_one_by_one"]


def _passes(random: Random) -> Inputs:
    for k, (X, y) in enumerate(samples(random)):
        C = (1.0, 0.5, 2.0, 0.1, 1.0, 3.0)[k]
        yield X, y, C * random.randint(0, 5, y.size) / 4, C
    yield (
        np.array([[1.0, 2], [0, 0], [-1, 1]]),
        np.array([1.0, -1, -1]),
        np.array([0, 0.5, 0.0]),
        2.0,
    )


@exercise(13, "One multiplier at a time", "a pair, the arrays α and w", _passes)
def check_one_by_one(X: Array, y: Array, alpha: Array, C: float) -> Key:
    """Keep w = Σ α_i y_i x_i up to date: a change δ of α_i adds δ y_i x_i to it.

    The top of the parabola is at (1 − margin)/‖x_i‖² from where you are; clip the new α_i.
    Start from a copy of α. What does the dual gain if x_i = 0, and where does that stop?
    """

    def sweep(
        fresh: bool = True, clip: bool = True, labels: Array = y, power: float = 2
    ) -> tuple[Array, Array]:
        a, w = alpha.astype(float), (alpha * y) @ X
        start = w
        for i, x in enumerate(X):
            size = float(np.sqrt(x @ x)) ** power
            new = a[i] + (1 - labels[i] * ((w if fresh else start) @ x)) / size if size else C
            new = min(max(new, 0.0), C) if clip else new
            w, a[i] = w + (new - a[i]) * y[i] * x, new
        return a, w

    right = sweep()
    mistakes: dict[str, list[Any]] = {
        "w must follow each change at once.": [sweep(fresh=False)],
        "you do not clip to [0, C].": [sweep(clip=False)],
        "the label is missing: the margin is y w·x.": [sweep(labels=np.ones(y.size))],
        "divide by ‖x‖², not by ‖x‖.": [sweep(power=1)],
        "your w is not that of your α.": [(None, (alpha * y) @ X)],
    }
    return Key(right, mistakes)

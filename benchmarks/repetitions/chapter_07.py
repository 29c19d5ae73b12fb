"""Whether the sentences of chapter 7 hold with other irises, other clouds and other birds.

`python benchmarks/repetitions/chapter_07.py` repeats each experiment ten times, with the functions
of the chapter, and prints in how many the sentence held; with names, only these. Seeds start at
100, so that none is one of the chapter's.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from of_chapter import functions, repeat
from sklearn.datasets import load_iris

from svmlib import datasets

chapter = functions("07_hinge_loss")
fit, ramp_fit = chapter["fit"], chapter["ramp_fit"]


@cache
def ends(seed: int) -> Any:
    """Return the loss at which the lecture's program stops, over the minimum, by step size."""
    iris = load_iris()
    some = np.random.default_rng(seed).permutation(150)[:38]
    y = np.where(iris.target[some] == 0, 1, -1)
    data = datasets.Dataset(iris.data[some, :2], y, ("", ""), ("", ""), ("−1", "+1"))
    rows = -y[:, np.newaxis] * np.column_stack((data.X, np.ones(38)))
    chapter["rows"] = rows  # the functions of the chapter read it
    minimum = 0.1 * fit(data, 1 / (0.1 * 38))[1].certificate.primal
    runs = {s: chapter["lecture"](s, lambda m: m < 1)[0] for s in (1, 0.1, 0.01, 0.001, 0.0001)}
    return {step: (values[-1] / minimum, len(values) - 1) for step, values in runs.items()}


def the_smallest_step_stops_at_once(seed: int) -> bool:
    return bool(ends(seed)[0.0001][1] == 1)


def a_tenth_of_the_lectures_step_ends_far_too_high(seed: int) -> bool:
    return bool(ends(seed)[0.001][0] > 1.5)


def the_lectures_step_ends_best_and_within_a_tenth(seed: int) -> bool:
    found = {step: over for step, (over, _) in ends(seed).items()}
    return bool(min(found, key=lambda step: found[step]) == 0.01 and found[0.01] < 1.1)


def step_one_never_stops_by_itself(seed: int) -> bool:
    return bool(ends(seed)[1][1] == 30_000)


def clouds(seed: int) -> Any:
    random = np.random.default_rng(seed)
    y = np.repeat([1, -1], 15)
    X = random.standard_normal((30, 2)) * 0.7 + 1.5 * y[:, np.newaxis]
    return datasets.Dataset(X, y, ("", ""), ("", ""), ("−1", "+1"))


def started_without_a_far_outlier_the_ramp_ends_lower(seed: int) -> bool:
    data = clouds(seed)
    outlier = np.array([-16.0, 2.0])  # of the positive class, as in the chapter
    more = replace(data, X=np.vstack((data.X, outlier)), y=np.append(data.y, 1))
    values = [ramp_fit(more, 0.05, np.arange(31) < n)[1] for n in (31, 30)]
    return bool(values[1] < values[0] - 1e-6)


def the_ramp_forgets_a_wrong_label_in_the_middle(seed: int) -> bool:
    """Of any of the ten most typical Adelies, at three C."""
    gentoos = datasets.load_penguins().in_units((1, 200), ("mm", "200 g"))
    away = np.linalg.norm(gentoos.X - gentoos.X[gentoos.y < 0].mean(axis=0), axis=1)
    typical = np.where(gentoos.y < 0, away, np.inf).argsort()[seed - 100]
    wrong = replace(gentoos, y=np.where(np.arange(len(away)) == typical, 1, gentoos.y))
    same = []
    for C in (0.1, 1, 10):
        line, _, kept = ramp_fit(wrong, C, away >= 0)
        true, hinge = fit(gentoos, C)[0], fit(wrong, C)[0]
        same += [np.isclose(line.norm, true.norm, rtol=1e-3) and np.sum(~kept) == 1]
        same += [hinge.norm < true.norm]  # a wider band
    return bool(all(same))


if __name__ == "__main__":
    repeat(
        [
            the_smallest_step_stops_at_once,
            a_tenth_of_the_lectures_step_ends_far_too_high,
            the_lectures_step_ends_best_and_within_a_tenth,
            step_one_never_stops_by_itself,
            started_without_a_far_outlier_the_ramp_ends_lower,
            the_ramp_forgets_a_wrong_label_in_the_middle,
        ]
    )

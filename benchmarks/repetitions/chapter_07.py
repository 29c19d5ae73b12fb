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


def bind_irises(seed: int) -> Any:
    """Let the functions of the chapter read this seed's irises; return these."""
    iris = load_iris()
    some = np.random.default_rng(seed).permutation(150)[:38]
    y = np.where(iris.target[some] == 0, 1, -1)
    data = datasets.Dataset(iris.data[some, :2], y, ("", ""), ("", ""), ("−1", "+1"))
    chapter["rows"] = -y[:, np.newaxis] * np.column_stack((data.X, np.ones(38)))
    return data


@cache
def ends(seed: int) -> Any:
    """Return the loss at which the lecture's program stops, over the minimum, by step size."""
    data = bind_irises(seed)
    minimum = 0.1 * fit(data, 1 / (0.1 * 38))[1].certificate.primal
    runs = {s: chapter["lecture"](s, lambda m: m < 1)[0] for s in (1, 0.1, 0.01, 0.001, 0.0001)}
    return {step: (values[-1] / minimum, len(values) - 1) for step, values in runs.items()}


def the_smallest_step_stops_at_once(seed: int) -> bool:
    return bool(ends(seed)[0.0001][1] == 1)


def a_tenth_of_the_lectures_step_ends_far_too_high(seed: int) -> bool:
    return bool(ends(seed)[0.001][0] > 1.5)


def step_one_never_stops_by_itself(seed: int) -> bool:
    return bool(ends(seed)[1][1] == 30_000)


def the_wrong_sign_runs_away(seed: int) -> bool:
    bind_irises(seed)
    values, _ = chapter["lecture"](0.01, lambda m: m > 1)
    return bool(len(values) == 30_001 and values[-1] > 10 * values[0])


def only_shrinking_steps_still_gain_after_ten_thousand(seed: int) -> bool:
    best, _ = fit(bind_irises(seed), 1 / (0.1 * 38))
    chapter["theta_star"] = -np.append(best.w, best.b)
    fixed, _ = chapter["plain_steps"](lambda t: 0.1)
    shrinking, _ = chapter["plain_steps"](lambda t: 1 / np.sqrt(t + 1))
    gained = [above[9_999] - above[-1] for above in (fixed, shrinking)]
    return bool(gained[0] < 1e-6 < gained[1])


def plain_descent_needs_scaled_bills(seed: int) -> bool:
    """Compare the best of 1000 points with the minimum, for four fifths of the birds."""
    bills = datasets.load_penguins(("Adelie", "Chinstrap"), ("bill_length_mm", "bill_depth_mm"))
    some = np.random.default_rng(seed).permutation(len(bills.y))[:175]
    X, y, ratios = bills.X[some], bills.y[some], []
    for features in (X, (X - X.mean(axis=0)) / X.std(axis=0)):
        rows = y[:, np.newaxis] * np.column_stack((features, np.ones(175)))
        minimum = fit(replace(bills, X=features, y=y), 1.0)[1].certificate.primal
        ratios.append(chapter["descend"](rows, 1.0, 1000)[0] / minimum)
    return bool(ratios[0] > 10 and ratios[1] < 1.02)


def clouds(seed: int) -> Any:
    random = np.random.default_rng(seed)
    y = np.repeat([1, -1], 15)
    X = random.standard_normal((30, 2)) * 0.7 + 1.5 * y[:, np.newaxis]
    return datasets.Dataset(X, y, ("", ""), ("", ""), ("−1", "+1"))


OUTLIER = np.array([-1.6, 0.2])  # of the positive class, as in the chapter


def with_outlier(data: Any, times: float) -> Any:
    return replace(data, X=np.vstack((data.X, times * OUTLIER)), y=np.append(data.y, 1))


def the_line_turns_further_the_farther_the_outlier_is(seed: int) -> bool:
    data, turns = clouds(seed), [0.0]
    before = fit(data, 0.05)[0]
    for times in (1, 3, 10):
        line = fit(with_outlier(data, times), 0.05)[0]
        cosine = before.w @ line.w / (before.norm * line.norm)
        turns.append(np.arccos(np.clip(cosine, -1, 1)))
    return bool((np.diff(turns) > 0).all())


def started_without_a_far_outlier_the_ramp_ends_lower(seed: int) -> bool:
    more = with_outlier(clouds(seed), 10)
    values = [ramp_fit(more, 0.05, np.arange(31) < n)[1] for n in (31, 30)]
    return bool(values[1] < values[0] - 1e-6)


def it_then_ends_with_the_line_of_the_other_samples(seed: int) -> bool:
    data = clouds(seed)
    line, _, kept = ramp_fit(with_outlier(data, 10), 0.05, np.arange(31) < 30)
    same = np.allclose(line.w, fit(data, 0.05)[0].w, rtol=1e-3)
    return bool(same and not kept[-1])


def penguins() -> Any:
    return datasets.load_penguins().in_units((1, 200), ("mm", "200 g"))


def relabel(gentoos: Any, bird: int) -> Any:
    return replace(gentoos, y=np.where(np.arange(len(gentoos.y)) == bird, 1, gentoos.y))


def the_ramp_forgets_a_wrong_label_in_the_middle(seed: int) -> bool:
    """Of any of the ten most typical Adelies, at three C."""
    gentoos, same = penguins(), []
    away = np.linalg.norm(gentoos.X - gentoos.X[gentoos.y < 0].mean(axis=0), axis=1)
    wrong = relabel(gentoos, np.where(gentoos.y < 0, away, np.inf).argsort()[seed - 100])
    for C in (0.1, 1, 10):
        line, _, kept = ramp_fit(wrong, C, away >= 0)
        true, hinge = fit(gentoos, C)[0], fit(wrong, C)[0]
        same += [np.isclose(line.norm, true.norm, rtol=1e-3) and np.sum(~kept) == 1]
        same += [hinge.norm < true.norm]  # a wider band
    return bool(all(same))


def the_ramp_forgets_at_least_nine_of_ten_wrong_labels(seed: int) -> bool:
    """Of ten Adelies drawn at random, one at a time."""
    gentoos = penguins()
    norm, forgotten = fit(gentoos, 1)[0].norm, 0
    adelies = np.random.default_rng(seed).permutation(np.flatnonzero(gentoos.y < 0))
    for bird in adelies[:10]:
        line, _, kept = ramp_fit(relabel(gentoos, bird), 1, gentoos.y != 0)
        forgotten += np.isclose(line.norm, norm, rtol=1e-3) and np.sum(~kept) == 1
    return bool(forgotten >= 9)


if __name__ == "__main__":
    repeat(
        [
            the_smallest_step_stops_at_once,
            a_tenth_of_the_lectures_step_ends_far_too_high,
            step_one_never_stops_by_itself,
            the_wrong_sign_runs_away,
            only_shrinking_steps_still_gain_after_ten_thousand,
            plain_descent_needs_scaled_bills,
            the_line_turns_further_the_farther_the_outlier_is,
            started_without_a_far_outlier_the_ramp_ends_lower,
            it_then_ends_with_the_line_of_the_other_samples,
            the_ramp_forgets_a_wrong_label_in_the_middle,
            the_ramp_forgets_at_least_nine_of_ten_wrong_labels,
        ]
    )

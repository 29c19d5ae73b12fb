"""Whether the sentences of chapter 15 hold with other seeds.

`python benchmarks/repetitions/chapter_15.py` repeats each experiment ten times and prints in how
many the sentence held; with names, only these. Seeds start at 100, so that none is one of the
chapter's.
"""

import warnings
from typing import Any

import numpy as np
from of_chapter import repeat
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from svmlib.book import elsewhere
from svmlib.exchange import certify_machine

A, labels = elsewhere.load("penguins")
grams = A * [1, 200]


def coordinate_descent_does_not_get_there_in_a_million_iterations(seed: int) -> bool:
    machine = LinearSVC(C=1000, dual=True, max_iter=10**6, random_state=seed)
    with warnings.catch_warnings(record=True, category=ConvergenceWarning) as caught:
        warnings.simplefilter("always")
        machine.fit(grams, labels)
    return certify_machine(machine, grams, labels).excess > 100 and len(caught) == 1


def weighting_the_rows_of_every_class_condemns_a_right_machine(seed: int) -> bool:
    random = np.random.default_rng(seed)
    kinds = random.integers(3, size=300)
    X = random.normal(size=(300, 2)) + np.eye(3, 2)[kinds]
    weight = np.array([9.0, 5.0, 1.0])
    vectors = LinearSVC(class_weight=dict(enumerate(weight)), tol=1e-8).fit(X, kinds)
    pair, own = (vectors.coef_[1], vectors.intercept_[1]), kinds == 1
    problem: dict[str, Any] = {"C": 1.0, "loss": "squared_hinge", "bias": "penalised"}
    right, wrong = (
        certify_machine(pair, X, own, sample_weight=factors, **problem).excess
        for factors in (np.where(own, weight[1], 1), weight[kinds])
    )
    return right < 1e-6 and wrong > 0.1


if __name__ == "__main__":
    repeat(
        [
            coordinate_descent_does_not_get_there_in_a_million_iterations,
            weighting_the_rows_of_every_class_condemns_a_right_machine,
        ]
    )

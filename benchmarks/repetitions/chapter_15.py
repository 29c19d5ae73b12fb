"""Whether the sentences of chapter 15 hold with other seeds.

`python benchmarks/repetitions/chapter_15.py` repeats each experiment ten times and prints in how
many the sentence held; with names, only these. Seeds start at 100, so that none is one of the
chapter's. One of them needs Vowpal Wabbit (`pip install vowpalwabbit`) and is left out without it.
"""

import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from of_chapter import repeat
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

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


def only_the_steps_that_single_precision_holds_keep_to_the_tolerance(seed: int) -> bool:
    tumours = load_breast_cancer()
    measured = StandardScaler().fit_transform(tumours.data)
    kept = []
    for step in 64.0, np.random.default_rng(seed).uniform(55, 75):
        table = np.round(step * measured) / step
        machine = SVC(kernel="linear", C=1000.0, tol=1e-4).fit(table, tumours.target)
        violation = certify_machine(machine, table, tumours.target).kkt_violation
        kept.append(violation is not None and violation < 1e-4)
    return kept == [True, False]


def ten_times_the_passes_make_the_best_c_of_vowpal_wabbit_at_least_five_times_smaller(
    seed: int,
) -> bool:
    random = np.random.default_rng(seed)
    y = np.where(np.arange(200) % 2, 1, -1)
    X = random.normal(size=(200, 2)) + 0.7 * y[:, None] + 0.3
    few, many = (best_c(of_wabbit(X, y, passes), X, y) for passes in (20, 200))
    return bool(few >= 5 * many)


def best_c(line: tuple[Any, float], X: Any, y: Any) -> Any:
    constants = np.geomspace(1e-5, 1, 61)
    given: dict[str, Any] = {"bias": "free", "tol": 1e-5}
    return min(constants, key=lambda C: certify_machine(line, X, y, C=C, **given).excess)


def of_wabbit(X: Any, y: Any, passes: int) -> tuple[Any, float]:
    """Return w and b as `findings/answers/python_programs.py` asks for them."""
    wabbit = import_module("vowpalwabbit")
    machine = wabbit.Workspace(f"--loss_function hinge --l2 {1 / len(y)} --quiet")
    text = [
        f"{label} | " + " ".join(f"x{j}:{v!r}" for j, v in enumerate(x))
        for x, label in zip(X.tolist(), y, strict=True)
    ]
    for _ in range(passes):
        for row in text:
            machine.learn(row)
    b, step = machine.predict("| "), 0.01  # small: scores are cut to [-1, 1]
    w = [(machine.predict(f"| x{j}:{step}") - b) / step for j in range(X.shape[1])]
    return np.array(w), b


if __name__ == "__main__":
    sentences = [
        coordinate_descent_does_not_get_there_in_a_million_iterations,
        weighting_the_rows_of_every_class_condemns_a_right_machine,
        only_the_steps_that_single_precision_holds_keep_to_the_tolerance,
    ]
    if find_spec("vowpalwabbit"):
        sentences.append(
            ten_times_the_passes_make_the_best_c_of_vowpal_wabbit_at_least_five_times_smaller
        )
    repeat(sentences)

"""Whether the sentences of chapter 8 hold with other birds and other biopsies.

`python benchmarks/repetitions/chapter_08.py` repeats each experiment ten times and prints in how
many the sentence held; with names, only these. Seeds start at 100, so that none is one of the
chapter's.
"""

from functools import cache
from typing import Any

import numpy as np
from of_chapter import repeat
from sklearn import svm
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from svmlib import datasets
from svmlib.duality import DualProblem
from svmlib.kernels import RBF
from svmlib.smo import smo


@cache
def traces(seed: int) -> Any:
    """Return the steps of three rules on four fifths of the birds, with C = 100."""
    bills = datasets.load_penguins(("Adelie", "Chinstrap"), ("bill_length_mm", "bill_depth_mm"))
    some = np.random.default_rng(seed).permutation(len(bills.y))[:175]
    X = (bills.X - bills.X.mean(axis=0)) / bills.X.std(axis=0)
    problem = DualProblem(X[some], bills.y[some], C=100, kernel=RBF(0.5))
    rules: tuple[Any, ...] = ("second", "first", "cyclic")
    return [smo(problem, selection=rule, tol=1e-3, trace=True).trace for rule in rules]


def second_order_takes_less_than_half_the_steps_of_first_order(seed: int) -> bool:
    second, first, _ = map(len, traces(seed))
    return second < first / 2


def first_order_takes_fewer_steps_than_the_cyclic_rule(seed: int) -> bool:
    _, first, cyclic = map(len, traces(seed))
    return first < cyclic


def every_step_gains_and_the_violation_often_rises(seed: int) -> bool:
    gains = [min(step.gain for step in trace) for trace in traces(seed)]
    rises = [np.mean(np.diff([step.violation for step in t]) > 0) for t in traces(seed)]
    return bool(min(gains) > 0 and min(rises) > 1 / 3)


@cache
def tolerances(seed: int) -> Any:
    """Return the steps of LIBSVM, its error in f and its other answers, from loose to tight."""
    data = load_breast_cancer()
    A, B, a, _ = train_test_split(data.data, data.target, random_state=seed, stratify=data.target)
    mean, deviation = A.mean(axis=0), A.std(axis=0)
    A, B = (A - mean) / deviation, (B - mean) / deviation
    runs = [svm.SVC(C=1000, gamma=0.001, tol=tol).fit(A, a) for tol in 10.0 ** -np.arange(5)]
    exact = svm.SVC(C=1000, gamma=0.001, tol=1e-8).fit(A, a).decision_function(B)
    f = [run.decision_function(B) for run in runs]
    change = [np.abs(each - exact).max() for each in f]
    answers = [np.sum((each >= 0) != (exact >= 0)) for each in f]
    return np.array([[run.n_iter_[0] for run in runs], change, answers])


def a_tenth_of_the_tolerance_takes_less_than_fourfold_steps(seed: int) -> bool:
    steps = tolerances(seed)[0]
    return bool((steps[1:] < 4 * steps[:-1]).all())


def a_tenth_of_the_tolerance_makes_f_better(seed: int) -> bool:
    change = tolerances(seed)[1]
    return bool((change[1:] < change[:-1] / 2).all())


def at_a_hundredth_all_answers_are_those_of_the_exact_machine(seed: int) -> bool:
    return bool(tolerances(seed)[2][2:].max() == 0)


if __name__ == "__main__":
    repeat(
        [
            second_order_takes_less_than_half_the_steps_of_first_order,
            first_order_takes_fewer_steps_than_the_cyclic_rule,
            every_step_gains_and_the_violation_often_rises,
            a_tenth_of_the_tolerance_takes_less_than_fourfold_steps,
            a_tenth_of_the_tolerance_makes_f_better,
            at_a_hundredth_all_answers_are_those_of_the_exact_machine,
        ]
    )

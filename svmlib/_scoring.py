"""How well f(x) predicts the labels of a fold's test samples: accuracy, or another `scoring`.

Derived in chapter 9, *Practice*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from svmlib._arrays import Array, Indices
from svmlib._binary_classifier import BinaryClassifier
from svmlib.svc import SVC

FoldScorer = Callable[[Array, Indices], float]  # of the f(x) of test samples, and their numbers


class _KnownDecisionFunction(BinaryClassifier):
    """A classifier whose decision values f(x) are known, for scorers that use them."""

    kernel = None

    def __init__(self, classes: Any, decision_values: Any) -> None:
        self.classes = self.classes_ = classes
        self.decision_values = decision_values

    def decision_function(self, X: Any) -> Array:
        """Return f(x) of the samples."""
        return np.asarray(self.decision_values)


def make_fold_scorer(scoring: Any, classes: Any, labels: Any, weights: Array | None) -> FoldScorer:
    """Return a function that measures how well f(x) predicts the labels of test samples."""
    positive = labels == classes[1]
    if not (scoring is None or isinstance(scoring, str) or callable(scoring)):
        raise ValueError(f"scoring must be one name or one function, got {scoring!r:.80}")
    if scoring in (None, "accuracy"):
        factors = np.ones(len(labels)) if weights is None else weights
        return lambda f, test: np.average((f >= 0) == positive[test], weights=factors[test])
    scorer = check_scoring(SVC(), scoring=scoring)

    def measure(f: Array, test: Indices) -> float:
        keywords = {}
        if weights is not None and hasattr(scorer, "set_score_request"):
            keywords["sample_weight"] = weights[test]
        classifier = _KnownDecisionFunction(classes, f)
        try:
            return float(scorer(classifier, test[:, None], labels[test], **keywords))
        except Exception as error:
            required = "work with decision_function, predict and classes_"
            message = f"scoring must {required}, but {scoring!r:.80} fails: {error}"
            raise ValueError(message) from error

    return measure

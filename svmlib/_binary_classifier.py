"""What `svmlib.svc.SVC` and `svmlib.search.SVCCV` share: the base of estimators for two classes.

Derived in chapter 8, *The full SMO*.
"""

from __future__ import annotations

from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from svmlib._arrays import Array
from svmlib._kernel_names import is_precomputed
from svmlib._validation import check_array, check_class_labels, require_unmasked


class BinaryClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # without types
    """Base of the estimators for two classes: tags, checks, and predictions by the sign of f."""

    classes_: NDArray[np.generic]
    _fitted: tuple[str, ...] = ()  # the names of a subclass's own fitted attributes

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that there are two classes, and whether X is a Gram matrix."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        tags.classifier_tags.multi_class = False
        return tags

    def _forget_fit(self) -> None:
        """Remove the fitted attributes, so that a fit that fails leaves none of the one before."""
        # Other names that end in _ stay: a subclass may have set some before it calls `fit`.
        for name in ("n_features_in_", "feature_names_in_", "classes_", *self._fitted):
            self.__dict__.pop(name, None)

    @np.errstate(invalid="ignore")  # scikit-learn adds numbers up to see whether they are finite
    def _check_samples(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, NDArray[np.generic]]:
        """Return finite float64 points in C order, and labels; and keep the number of features."""
        require_unmasked(X, "X")
        labels = check_class_labels(y)
        whole = labels.dtype.kind in "biu" or (labels.dtype.kind == "f" and not (labels % 1).any())
        if is_finite_matrix(X) and labels.shape == (len(X),) and whole:
            self.n_features_in_ = X.shape[1]
            points: Array = X
        else:
            validated, labels = validate_data(self, X, y, dtype="numeric", order="C")
            check_classification_targets(labels)
            points = check_array(validated, "X")
        if is_precomputed(self.kernel) and points.shape[0] != points.shape[1]:
            raise ValueError(f"X must be a square Gram matrix, got shape {points.shape}")
        return np.ascontiguousarray(points), labels

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """Return the label of every row of X: ``classes_[1]`` if f(x) ≥ 0, else ``classes_[0]``."""
        second: NDArray[np.bool_] = self.decision_function(X) >= 0
        return self.classes_.take(second)


def is_finite_matrix(X: object) -> TypeGuard[Array]:
    """Return whether X is a finite float64 matrix, which needs none of scikit-learn's checks."""
    if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size:
        return bool(np.isfinite(X).all())
    return False


def two_classes(labels: NDArray[np.generic], weights: Array) -> tuple[NDArray[np.generic], Array]:
    """Return the classes of samples of positive weight, and −1 for the first, +1 for the second."""
    classes = np.unique(labels[weights > 0])
    if classes.size > 2:
        only = "Only binary classification is supported. The type of the target is multiclass"
        advice = "OneVsOneClassifier(SVC()) takes any number"
        raise ValueError(f"{only}: y has {classes.size} classes; {advice}")
    if classes.size < 2:
        only = f"all samples of positive weight are of one class, {classes.tolist()[0]!r}"
        raise ValueError(f"y must contain two classes, but {only}")
    return classes, np.where(labels == classes[1], 1.0, -1.0)

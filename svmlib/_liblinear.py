"""Model files of LIBLINEAR: see `svmlib.model_files`.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmlib._arrays import Array
from svmlib._machine import Loss, Machine, pad_columns
from svmlib._model_parser import ModelParser, ZeroBased
from svmlib._validation import check_points

_LOSSES: dict[str, Loss | None] = {
    "L2R_L2LOSS_SVC_DUAL": "squared_hinge",
    "L2R_L2LOSS_SVC": "squared_hinge",
    "L2R_L1LOSS_SVC_DUAL": "hinge",
    "L2R_LR": None,  # a linear machine, but not an SVM: judged only by a loss that you give
    "L2R_LR_DUAL": None,
}
_CLASSIFIERS = *_LOSSES, "L1R_LR", "L1R_L2LOSS_SVC", "MCSVM_CS"


@dataclass(frozen=True, eq=False)
class LiblinearModel:
    """The contents of a model file of LIBLINEAR: one w per class, or a single w for two classes.

    Attributes
    ----------
    solver : str
        The line ``solver_type``.
    labels : tuple of int
        The labels in the order of the file.
    W : ndarray of shape (n_vectors, d)
        The weights.
    b : ndarray of shape (n_vectors,)
        The biases: the weight of the constant feature times its value.
    intercept_scaling : float
        The value of the constant feature; negative if there is none.

    Examples
    --------
    >>> W, b = np.array([[1.0]]), np.array([-1.0])
    >>> solver = "L2R_L1LOSS_SVC_DUAL"
    >>> model = LiblinearModel(solver, (1, -1), W, b, intercept_scaling=1.0)
    >>> X = [[3.0], [0.0]]
    >>> model.decision_function(X).ravel(), model.predict(X)
    (array([ 2., -1.]), array([ 1, -1]))
    """

    solver: str
    labels: tuple[int, ...]
    W: Array
    b: Array
    intercept_scaling: float

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the scores, of shape (n, n_vectors), the first for the file's first label."""
        X = check_points(X)
        return X @ pad_columns(self.W, X).T + self.b

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """Return LIBLINEAR's labels; of two, the second if the first score is at most 0."""
        scores = self.decision_function(X)
        two = len(self.labels) == 2  # with one w, but MCSVM_CS has two
        chosen = (scores[:, 0] <= 0).astype(int) if two else scores.argmax(axis=1)
        return np.asarray(self.labels).take(chosen)

    def as_machine(self) -> Machine:
        """Return the machine for two classes; a positive score means the larger label.

        Logistic regression is not an SVM and has no loss here, but can be written into other files.
        A bias in the file counts as penalised. If the model was trained with -B 1 -R, which the
        file does not show, pass ``bias="free"`` to `svmlib.machines.certify_machine`.
        """
        s = self.intercept_scaling
        bias: dict[str, Any] = {"bias": "none"}
        if s > 0:
            bias = {"bias": "penalised", "intercept_scaling": s}
        if self.solver not in _LOSSES:
            message = f"solver must be one of {[*_LOSSES]} for a machine, got {self.solver}"
            if self.solver == "MCSVM_CS" and len(self.labels) == 2:
                j, i = np.argsort(self.labels)
                one = f"Machine.linear(W[{i}] - W[{j}], b[{i}] - b[{j}], "
                one += f"classes={(self.labels[j], self.labels[i])}"
                one += f", intercept_scaling={s:g})" if s > 0 else ")"
                message += f'; give {one} with twice the C, loss="hinge" and bias="{bias["bias"]}"'
            raise ValueError(message)
        loss = _LOSSES[self.solver]
        if len(self.labels) != 2:
            one = "(W[k], b[k])"
            if s > 0 and s != 1:  # which a pair cannot express
                one = "Machine.linear(W[k], b[k], classes=(False, True), "
                one += f"intercept_scaling={s:g})"
            message = "model has one w for each of several classes"
            if loss:
                message += f': give {one} and y == labels[k], with C, loss="{loss}", '
                message += f'bias="{bias["bias"]}", '
                message += "and with -wi sample_weight=np.where(y == labels[k], weight[k], 1)"
            raise ValueError(message)
        sign = 1.0 if self.labels[0] > self.labels[1] else -1.0
        smaller, larger = sorted(self.labels)
        b = sign * float(self.b[0])
        return Machine.linear(sign * self.W[0], b, classes=(smaller, larger), loss=loss, **bias)


def read_liblinear(path: str | PathLike[str], *, zero_based: ZeroBased = "auto") -> LiblinearModel:
    """Read a model file of LIBLINEAR, for classification.

    The file does not contain C, so pass it to `svmlib.machines.certify_machine`. The file does not
    say whether the bias was penalised, either. It was, unless -R was given with -B 1; then also
    pass ``bias="free"``, because otherwise the verdict is about another problem.

    Parameters
    ----------
    path : path
        The file.
    zero_based : bool or "auto", default "auto"
        Whether the first column had the index 0 in the training file, as in data that
        `sklearn.datasets.dump_svmlight_file` wrote with its defaults. LIBLINEAR takes such data
        only if the first column is zero, which the model does not show; then pass True. "auto"
        means False.

    Raises
    ------
    ValueError
        If the file is not as LIBLINEAR writes it; the message names the line, which is the last
        line if the number of lines is wrong.

    Examples
    --------
    >>> from svmlib.book import elsewhere
    >>> model = read_liblinear(elsewhere.FOLDER / "liblinear-3-noisy.model")
    >>> model.solver, model.labels, model.W.shape, model.intercept_scaling
    ('L2R_L1LOSS_SVC_DUAL', (1, -1), (1, 2), 1.0)
    """
    file = ModelParser(path, "w", {"solver_type", "nr_class", "label", "nr_feature", "bias", "rho"})
    solver = file.header_choice("solver_type", _CLASSIFIERS)
    (n_classes,) = file.header_integers("nr_class", least=2)
    labels = file.header_labels(n_classes)
    (d,) = file.header_integers("nr_feature", least=1)
    (s,) = file.header_numbers("bias").tolist()
    n_vectors = 1 if n_classes == 2 and solver != "MCSVM_CS" else n_classes
    rows = [file.numbers(line, n_vectors) for line in file.rows]
    if len(rows) != d + (s >= 0):
        raise file.error(f"expected {d + (s >= 0)} rows of weights, got {len(rows)}")
    W = np.array(rows).T
    b = W[:, d] * s if s >= 0 else np.zeros(n_vectors)
    W = np.pad(W[:, :d], ((0, 0), (1 - file.first_index(zero_based), 0)))
    return LiblinearModel(solver, tuple(labels), W, b, s)

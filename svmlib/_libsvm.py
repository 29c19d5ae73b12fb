"""Model files of LIBSVM: see `svmlib.model_files`.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmlib._arrays import Array
from svmlib._class_pairs import chosen_pair, class_pairs, coefficients_of_pairs, pair_coefficients
from svmlib._estimators import machine_without_rows, prediction_terms
from svmlib._kernel_names import is_precomputed, not_libsvm_error
from svmlib._machine import Machine, evaluate_expansion
from svmlib._model_parser import LABELS, ModelParser, ZeroBased
from svmlib._validation import check_count, check_path, check_points
from svmlib._wrappers import not_fitted_error
from svmlib.kernels import RBF, Kernel, KernelOrPrecomputed, Linear, Polynomial, Sigmoid

_CLASSIFIERS = "c_svc", "nu_svc"
_TYPES = *_CLASSIFIERS, "one_class", "epsilon_svr", "nu_svr"
_KERNELS: dict[str, Any] = {
    "linear": Linear, "polynomial": Polynomial, "rbf": RBF, "sigmoid": Sigmoid
}  # fmt: skip
_MAX_ENTRIES = 2**27  # numbers of a dense matrix of support vectors: a gigabyte


@dataclass(frozen=True, eq=False)
class LibsvmModel:
    """The contents of a model file of LIBSVM.

    Attributes
    ----------
    svm_type : {"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"}
        The kind of machine.
    kernel : callable or "precomputed"
        The kernel; for ``"precomputed"`` the ``points`` are row numbers from 0.
    labels : tuple of int
        The labels in the order of the file; empty for regression and one class.
    rho : ndarray of shape (n_pairs,)
        The −b of each pair of classes.
    coefficients : ndarray of shape (n_classes − 1, m)
        The coefficients of the support vectors.
    points : ndarray of shape (m, d)
        The support vectors, class by class.
    n_support : tuple of int
        The number of support vectors of each class; empty for regression and one class.
    extra : dict
        Lines that only LIBSVM's probabilities need, as numbers.

    Examples
    --------
    >>> from svmlib.kernels import Linear
    >>> vectors, beta = np.array([[2.0], [0.0]]), np.array([[0.5, -0.5]])
    >>> rho = np.array([1.0])
    >>> model = LibsvmModel(
    ...     "c_svc", Linear(), (1, -1), rho, beta, vectors, n_support=(1, 1)
    ... )
    >>> model.decision_function([[3.0], [0.0]]), model.predict([[3.0], [0.0]])
    (array([ 2., -1.]), array([ 1, -1]))
    """

    svm_type: str
    kernel: KernelOrPrecomputed
    labels: tuple[int, ...]
    rho: Array
    coefficients: Array
    points: Array
    n_support: tuple[int, ...] = ()
    extra: dict[str, Array] = field(default_factory=dict)

    def decision_function(self, X: ArrayLike) -> Array:
        """Return LIBSVM's score of each pair of classes, of shape (n, n_pairs).

        For two classes, for regression and for one class it has the shape (n,). A positive
        score means the class that is named first in the file.
        """
        X = check_points(X)
        coefficients = self.coefficients
        if self.labels:
            coefficients = coefficients_of_pairs(coefficients, self.n_support)
        sums = [evaluate_expansion(self.kernel, self.points, row, X) for row in coefficients]
        scores = np.column_stack(sums) - self.rho
        return scores if len(self.labels) > 2 else scores[:, 0]

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """Return LIBSVM's answers: labels by the votes of all pairs, values, or ±1 for one class.

        A score of 0 counts for the second class of the pair, as in LIBSVM.
        """
        scores = self.decision_function(X)
        if self.svm_type == "one_class":
            return np.where(scores > 0, 1, -1)
        if not self.labels:
            return scores
        votes = np.zeros((len(scores), len(self.labels)), dtype=int)
        for p, (i, j) in enumerate(class_pairs(len(self.labels))):
            first = scores.reshape(len(scores), -1)[:, p] > 0
            votes[:, i] += first
            votes[:, j] += ~first
        winners: NDArray[np.intp] = votes.argmax(axis=1)
        return np.asarray(self.labels).take(winners)

    def as_machine(self) -> Machine:
        """Return a classifier of two classes; a positive score means the larger label.

        Raises
        ------
        ValueError
            If the model is not a classifier, or not for two classes.
        """
        if len(self.labels) != 2:
            advice = "for more classes, pair gives the machine for two"
            raise ValueError(f"model must be for two classes, got {self.labels}; {advice}")
        return self.pair(self.labels)

    def pair(self, labels: ArrayLike) -> Machine:
        """Return the machine for the two classes that are in `labels`, as for `as_machine`."""
        if not self.labels:
            advice = "regression and one-class models have no certificate, only a LIBSVM file"
            raise ValueError(f"machine must be a classifier, got {self.svm_type}; {advice}")
        i, j = chosen_pair(self.labels, labels)
        pair = self.labels[i], self.labels[j]
        sign = 1.0 if pair[0] > pair[1] else -1.0
        b = -sign * float(self.rho[class_pairs(len(self.labels)).index((i, j))])
        c = sign * pair_coefficients(self.coefficients, self.n_support, i, j)
        points = self.points[c != 0]
        c = c[c != 0]
        C = float(np.abs(c).max()) if self.svm_type == "nu_svc" and c.size else None
        machine = Machine(points, c, b, self.kernel, (min(pair), max(pair)), C=C)
        # One multiplier alone is not balanced, so a single point is the w of a linear machine.
        return replace(machine, support=None) if c.size == 1 else machine


def read_libsvm(
    path: str | PathLike[str], *, n_features: int | None = None, zero_based: ZeroBased = "auto"
) -> LibsvmModel:
    """Read a model file of LIBSVM.

    Parameters
    ----------
    path : path
        The file.
    n_features : int, optional
        The number of features; by default the largest index in the file, because a file does not
        say whether the last columns were zero.
    zero_based : bool or "auto", default "auto"
        Whether the first column has the index 0, as in data that
        `sklearn.datasets.dump_svmlight_file` wrote with its defaults. "auto" means only if there is
        an index 0. That is wrong if the first column is zero in every support vector of such a
        file; then pass True. For a precomputed kernel this is ignored.

    Raises
    ------
    ValueError
        If `n_features` is not a positive integer, or the file is not as LIBSVM writes it; then the
        message names the line, which is the last line if the number of lines or of features is
        wrong.

    Examples
    --------
    >>> from svmlib.book import elsewhere
    >>> model = read_libsvm(elsewhere.FOLDER / "libsvm-noisy-rbf.model")
    >>> model.kernel, model.labels, model.n_support, model.points.shape
    (RBF(gamma=0.5), (1, -1), (42, 40), (82, 2))
    """
    n_features = None if n_features is None else check_count(n_features, "n_features")
    keys = {"svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho"}
    optional = {"probA", "probB", "prob_density_marks"}
    file = ModelParser(path, "SV", keys | optional | {"label", "nr_sv"})
    svm_type = file.header_choice("svm_type", _TYPES)
    kernel = _kernel(file)
    (n_classes,) = file.header_integers("nr_class", least=2)
    (m,) = file.header_integers("total_sv")
    labelled = svm_type in _CLASSIFIERS
    rho = file.header_numbers("rho", n_classes * (n_classes - 1) // 2 if labelled else 1)
    labels = n_support = tuple[int, ...]()
    if labelled:  # R's write.svm writes zeros for the others
        labels = tuple(file.header_labels(n_classes))
        n_support = tuple(file.header_integers("nr_sv", n_classes))
        if sum(n_support) != m:
            raise file.error(f"nr_sv must add up to total_sv, {m}, got {[*n_support]}")
    precomputed = is_precomputed(kernel)
    rows = n_classes - 1 if labelled else 1
    coefficients, entries = _support_vectors(file, rows, m, precomputed)
    points = _points(file, entries, precomputed, n_features, zero_based)
    others = {name: file.header_numbers(name, None) for name in sorted(optional & {*file.header})}
    return LibsvmModel(svm_type, kernel, labels, rho, coefficients, points, n_support, others)


def _support_vectors(
    file: ModelParser, rows: int, m: int, precomputed: bool
) -> tuple[Array, list[tuple[list[int], Array]]]:
    """Return the coefficients of m support vectors, and their indices and values."""
    coefficients = list[Array]()
    entries = list[tuple[list[int], Array]]()
    for line in file.rows:
        coefficients.append(file.numbers(line[:rows], rows))
        index, values = _sparse(file, line[rows:])
        if precomputed and (index != [0] or values[0] < 1 or values[0] % 1):
            raise file.error("expected 0:row for each support vector of a precomputed kernel")
        entries.append((index, values))
    if len(entries) != m:
        raise file.error(f"expected {m} support vectors, got {len(entries)}")
    return np.array(coefficients).reshape(m, rows).T, entries


def _sparse(file: ModelParser, pairs: list[str]) -> tuple[list[int], Array]:
    """Return indices and values of ``index:value`` pairs."""
    halves = [pair.split(":") for pair in pairs]
    if any(len(half) != 2 for half in halves):
        raise file.error("expected pairs index:value")
    index = file.integers([half[0] for half in halves])
    if any(a >= b for a, b in pairwise(index)):
        raise file.error("indices must ascend")
    return index, file.numbers([half[1] for half in halves])


def _points(
    file: ModelParser,
    entries: list[tuple[list[int], Array]],
    precomputed: bool,
    n_features: int | None,
    zero_based: ZeroBased,
) -> Array:
    """Return the support vectors, or the row numbers from 0 of a precomputed kernel."""
    if precomputed:
        return np.array([value - 1 for _, value in entries]).reshape(-1, 1)
    first = file.first_index(zero_based, any(index[:1] == [0] for index, _ in entries))
    largest = max((index[-1] + 1 - first for index, _ in entries if index), default=1)
    d = largest if n_features is None else n_features
    if largest > d:
        raise file.error(f"n_features must be at least {largest}, got {d}")
    if d * len(entries) > _MAX_ENTRIES:
        size = f"{len(entries)} support vectors with {d} features"
        raise file.error(f"a machine must have at most {_MAX_ENTRIES} numbers, got {size}")
    points = np.zeros((len(entries), d))
    for row, (index, values) in zip(points, entries, strict=True):
        row[np.array(index, dtype=int) - first] = values
    return points


def _kernel(file: ModelParser) -> KernelOrPrecomputed:
    """Return the kernel that the header names."""
    name = file.header_choice("kernel_type", (*_KERNELS, "precomputed"))
    if is_precomputed(name):
        return name
    parameters = dict[str, Any]()
    for key in [parameter.name for parameter in fields(_KERNELS[name])]:
        if key == "degree":
            (parameters[key],) = file.header_integers(key, least=1)
        else:
            (parameters[key],) = file.header_numbers(key).tolist()
        if key == "gamma" and parameters[key] <= 0:
            raise file.error(f"gamma must be positive, got {parameters[key]:g}")
    kernel: Kernel = _KERNELS[name](**parameters)
    return kernel


def write_libsvm(machine: Any, path: str | PathLike[str]) -> None:
    """Write a machine as a model file of LIBSVM, with every digit.

    Of two classes, the larger label is written first, so that a positive score of LIBSVM means what
    it means here. A score of exactly 0 means the second label in LIBSVM, so the smaller label.

    A file has no place for the loss, the penalty on the bias or the constant: if you certify a
    machine from a file, pass them again. The probabilities of ``SVC(probability=True)`` are not
    written either.

    Parameters
    ----------
    machine : LibsvmModel, Machine, LiblinearModel or estimator
        A model; a machine for two classes; or a fitted `SVC`, `NuSVC`, `SVR`, `NuSVR` or
        `OneClassSVM` of scikit-learn, or `svmlib.SVC`; or, for two classes, an estimator with
        ``coef_``, such as `LinearSVC`, whose w becomes the only support vector. Labels must be
        integers of 32 bits, with a sign.
    path : path
        The file.

    Raises
    ------
    ValueError
        If LIBSVM's format cannot hold the machine: labels that are not integers of 32 bits, another
        kernel, or a pipeline, whose scaler would be lost.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_libsvm(Machine.linear([1.0], -1.0), f"{folder}/svm.model")
    ...     read_libsvm(f"{folder}/svm.model").predict([[3.0], [0.0]])
    array([ 1, -1])
    """
    model = machine if isinstance(machine, LibsvmModel) else _model(machine)
    lines = [f"svm_type {model.svm_type}", *_kernel_lines(model.kernel)]
    lines += [f"nr_class {max(2, len(model.labels))}", f"total_sv {len(model.points)}"]
    lines.append(_line("rho", model.rho))
    if model.labels:
        lines.append(_line("label", _integers(model.labels)))
    lines += [_line(key, values) for key, values in model.extra.items()]
    if model.labels:
        lines.append(_line("nr_sv", model.n_support))
    lines.append("SV")
    for coefficients, point in zip(model.coefficients.T, model.points, strict=True):
        pairs = [f"{i}:{value!r}" for i, value in enumerate(point.tolist(), 1) if value]
        if is_precomputed(model.kernel):
            pairs = [f"0:{int(point[0]) + 1}"]
        lines.append(" ".join([*map(repr, coefficients.tolist()), *pairs]))
    check_path(path).write_text("\n".join(lines) + "\n", encoding="ascii")


def _kernel_lines(kernel: KernelOrPrecomputed) -> list[str]:
    """Return the lines of the header that name the kernel and its parameters."""
    if is_precomputed(kernel):
        return [f"kernel_type {kernel}"]
    names = {kind: name for name, kind in _KERNELS.items()}
    if type(kernel) not in names:
        raise not_libsvm_error(kernel)
    parameters = [f"{key} {value!r}" for key, value in vars(kernel).items()]
    return [f"kernel_type {names[type(kernel)]}", *parameters]


def _line(key: str, values: Any) -> str:
    return " ".join([key, *map(repr, np.asarray(values).tolist())])


def _model(machine: Any) -> LibsvmModel:
    """Return a fitted estimator as LIBSVM's model."""
    if not hasattr(machine, "dual_coef_"):
        return _binary_model(machine_without_rows(machine))
    if not hasattr(machine, "support_vectors_"):
        raise not_fitted_error(machine, "SVC, NuSVC, SVR, ...")
    svm_type = getattr(machine, "_impl", "c_svc")
    if svm_type in _CLASSIFIERS and len(machine.classes_) == 2:
        return _binary_model(machine_without_rows(machine), svm_type)
    kernel, coefficients, points, _ = prediction_terms(machine, None)
    rho = -np.ravel(machine.intercept_)
    if svm_type not in _CLASSIFIERS:
        return LibsvmModel(svm_type, kernel, (), rho, coefficients, points)
    labels = _integers(machine.classes_)
    counts = tuple(np.asarray(machine.n_support_).tolist())
    return LibsvmModel(svm_type, kernel, labels, rho, coefficients, points, counts)


def _binary_model(machine: Machine, svm_type: str = "c_svc") -> LibsvmModel:
    """Return a machine as LIBSVM's model, with the class of positive scores as the first."""
    order = np.argsort(machine.coefficients < 0, kind="stable")
    coefficients = machine.coefficients[None, order]
    labels = _integers(machine.classes)[::-1]
    positive = int(np.sum(machine.coefficients >= 0))
    counts = positive, order.size - positive
    rho = np.array([-machine.b])
    return LibsvmModel(
        svm_type, machine.kernel, labels, rho, coefficients, machine.points[order], counts
    )


def _integers(classes: Any) -> tuple[int, ...]:
    numbers = np.asarray(classes)
    if numbers.dtype.kind not in "iuf" or (numbers != np.rint(numbers)).any():
        advice = "fit with sklearn.preprocessing.LabelEncoder's numbers"
        raise ValueError(f"labels must be integers in LIBSVM's files, got {numbers}; {advice}")
    labels = tuple(int(label) for label in numbers)
    if not all(label in LABELS for label in labels):
        raise ValueError(f"labels must be integers of 32 bits in LIBSVM's files, got {labels}")
    return labels

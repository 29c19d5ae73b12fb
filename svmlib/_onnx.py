"""A machine as an ONNX graph: see `svmlib.model_files`.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from svmlib._arrays import Array
from svmlib._estimators import machine_without_rows
from svmlib._kernel_names import not_libsvm_error
from svmlib._validation import check_path, require_choice
from svmlib.kernels import RBF, KernelOrPrecomputed, Linear, Polynomial, Sigmoid, is_classic


def write_onnx(machine: Any, path: str | PathLike[str], *, dtype: str = "float64") -> None:
    """Write a machine for two classes as an ONNX graph from X to a label and a score.

    The graph uses arithmetic that every runtime has, not ONNX's own operator for support vector
    machines, which computes in single precision and leaves the naming of its scores to the
    converter. In float64 the scores are ours up to the rounding of a sum. In float32 they have
    six or seven digits of the largest term, and rows close to the boundary may change sides.

    Parameters
    ----------
    machine : Machine, model read from a file, or estimator
        A `Machine` of `svmlib.machines`, what `read_libsvm` or `read_liblinear` has read, or a
        fitted `SVC`, `NuSVC`, `LinearSVC` or another linear classifier with ``coef_`` of
        scikit-learn, or `SVC` of this library; or a `Pipeline` of `StandardScaler` and one of
        these, whose graph takes raw columns. The kernel must not be precomputed.
    path : path
        The file. Its input is called X; its outputs are label and score. A score of 0 counts as
        the second class, as in scikit-learn's SVC.
    dtype : {"float64", "float32"}, default "float64"
        The precision of input and arithmetic.

    Raises
    ------
    ImportError
        If onnx is not installed.
    ValueError
        If the kernel is not one of LIBSVM's, the labels are not integers, Booleans or text, the
        machine is not for two classes, or a pipeline has a step other than a scaler before it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from onnxruntime import InferenceSession
    >>> from svmlib.machines import Machine
    >>> with TemporaryDirectory() as folder:
    ...     write_onnx(Machine.linear([1.0], -1.0), f"{folder}/svm.onnx")
    ...     session = InferenceSession(f"{folder}/svm.onnx")
    >>> X = np.array([[3.0], [0.0]])
    >>> label, score = session.run(["label", "score"], {"X": X})
    >>> label.tolist(), score.tolist()
    ([1, -1], [[2.0], [-1.0]])
    """
    require_choice(dtype, "dtype", ("float64", "float32"))
    try:
        onnx = import_module("onnx")
    except ImportError as error:
        raise ImportError('write_onnx needs onnx: pip install "svmlib[onnx]"') from error
    scaler, machine = _scaler(machine)
    machine = machine_without_rows(machine)
    classes = np.asarray(machine.classes)
    if classes.dtype.kind == "f" and (classes == np.rint(classes)).all():
        classes = classes.astype(np.int64)
    if classes.dtype.kind not in "biuU":
        raise ValueError(f"labels must be integers, Booleans or text, got {machine.classes}")
    points, coefficients = machine.points, machine.coefficients
    if isinstance(machine.kernel, Linear):
        points = (coefficients @ points)[None]
        coefficients = np.ones(1)
    steps, constants = _graph(machine.kernel, points, "scaled" if scaler else "X")
    if scaler:
        steps = ["Sub X mean shifted", "Div shifted scale scaled", *steps]
    constants |= scaler
    steps += ["MatMul k c sum", "Add sum b score", "GreaterOrEqual score zero second"]
    constants |= {"c": coefficients[:, None], "b": np.array(machine.b), "zero": np.zeros(())}
    constants = {name: value.astype(dtype) for name, value in constants.items()}
    onnx.save(_model(onnx, steps, constants, classes, points.shape[1]), str(check_path(path)))


def _scaler(machine: Any) -> tuple[dict[str, Array], Any]:
    """Return mean and scale of a pipeline's scaler, if any, and the machine after it."""
    if not hasattr(machine, "steps"):
        return {}, machine
    *before, last = (step for _, step in machine.steps if step not in (None, "passthrough"))
    match before:
        case []:
            return {}, last
        case [StandardScaler(n_features_in_=d) as scaler] if type(scaler) is StandardScaler:
            mean = scaler.mean_ if scaler.with_mean else np.zeros(d)
            return {"mean": mean, "scale": scaler.scale_ if scaler.with_std else np.ones(d)}, last
    raise ValueError(f"pipeline must have one fitted StandardScaler and a machine, got {before}")


def _model(
    onnx: Any, steps: list[str], constants: dict[str, Array], classes: NDArray[np.generic], d: int
) -> Any:
    """Return a model that takes these steps, from X to a score, and then looks up the label."""
    helper, kinds, tensor = onnx.helper, onnx.TensorProto, onnx.numpy_helper.from_array
    number = kinds.DOUBLE if constants["b"].dtype == "float64" else kinds.FLOAT
    special: dict[str, Any] = {"U": (kinds.STRING, object), "b": (kinds.BOOL, bool)}
    label, stored = special.get(classes.dtype.kind, (kinds.INT64, np.int64))
    tensors = [tensor(value, name) for name, value in constants.items()]
    tensors.append(tensor(classes.astype(stored), "classes"))
    tensors.append(tensor(np.array([1]), "axis"))
    nodes = [
        helper.make_node(name, wires[:-1], wires[-1:])
        for name, *wires in (step.split() for step in steps)
    ]
    nodes.append(helper.make_node("Cast", ["second"], ["index"], to=kinds.INT64))
    nodes.append(helper.make_node("Gather", ["classes", "index"], ["labels"]))
    nodes.append(helper.make_node("Squeeze", ["labels", "axis"], ["label"]))
    graph = helper.make_graph(
        nodes,
        "svm",
        [helper.make_tensor_value_info("X", number, ["n", d])],
        [
            helper.make_tensor_value_info("label", label, ["n"]),
            helper.make_tensor_value_info("score", number, ["n", 1]),
        ],
        tensors,
    )
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8)


def _graph(
    kernel: KernelOrPrecomputed, points: Array, rows: str
) -> tuple[list[str], dict[str, Array]]:
    """Return the steps from the rows to the matrix k of kernel values, and their constants."""
    match kernel if is_classic(kernel) else None:  # a subclass may have another formula
        case Linear():
            return [f"MatMul {rows} zt k"], {"zt": points.T}
        case Polynomial(degree, gamma, coef0):
            steps = [f"MatMul {rows} zt t", "Add t coef0 u", "Pow u degree k"]
            constants = {"zt": gamma * points.T, "coef0": np.array(coef0)}
            return steps, constants | {"degree": np.array(float(degree))}
        case Sigmoid(gamma, coef0):
            steps = [f"MatMul {rows} zt t", "Add t coef0 u", "Tanh u k"]
            return steps, {"zt": gamma * points.T, "coef0": np.array(coef0)}
        case RBF(gamma):
            # As `RBF.evaluator` does; but the factor −γ comes last.
            centre = points.mean(axis=0)
            z = points - centre
            steps = [f"Sub {rows} centre x", "Mul x x xx", "ReduceSum xx axis sizes"]
            steps += ["MatMul x zt t", "Sub sizes t u", "Add u zz v", "Mul v factor e", "Exp e k"]
            constants = {"centre": centre, "zt": 2 * z.T, "zz": (z**2).sum(axis=1)}
            return steps, constants | {"factor": np.array(-gamma)}
    raise not_libsvm_error(kernel)

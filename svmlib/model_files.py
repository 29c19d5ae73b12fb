r"""Read and write machines as model files of LIBSVM, LIBLINEAR and ONNX.

A file of LIBSVM holds support vectors, their coefficients y_i α_i and ρ = −b, as text. Its tools
write seventeen digits of coefficients and eight of support vectors; we write as many as are needed
to restore every float. With this module you can

- read what ``svm-train`` has written, for any of its five kinds of machine: `read_libsvm`,
- write a machine of scikit-learn or of this library for ``svm-predict``: `write_libsvm`,
- read what LIBLINEAR's ``train`` has written: `read_liblinear`,
- write a machine for two classes, from a file or from scikit-learn, as an ONNX graph:
  `write_onnx`.

*Whose scores are positive.* In a file of LIBSVM it is the first label of the line ``label``, which
is the first label of the training file (but 1 if the labels are 1 and −1). In scikit-learn and here
it is the larger label. Readers and writers flip the signs if these differ.

Reading never runs code, and unexpected content raises an error that names the line.

Derived in chapter 15, *Other programs*.

References
----------
Chang, C.-C. and Lin, C.-J. (2011), "LIBSVM: a library for support vector machines".
"""

from svmlib._liblinear import LiblinearModel, read_liblinear
from svmlib._libsvm import LibsvmModel, read_libsvm, write_libsvm
from svmlib._onnx import write_onnx

__all__ = [
    "LiblinearModel",
    "LibsvmModel",
    "read_liblinear",
    "read_libsvm",
    "write_libsvm",
    "write_onnx",
]

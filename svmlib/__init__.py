"""Support vector machines, exact and certified: the library of the book.

Each module belongs to the chapter that derives it, and imports only from modules named before it
(``tests/test_layers.py`` checks this), so they can be read in this order:

- first layer: `svmlib._arrays` (types, sizes and locks of arrays), `svmlib._validation` (checks of
  arguments), `svmlib._rounding` (bounds on rounding), `svmlib._warnings` (of a solver that has not
  converged)
- second layer: `svmlib.datasets`, `svmlib.geometry`, `svmlib.kernels`, `svmlib._kernel_names`
  (kernels given by name)
- third layer: `svmlib._wolfe` (Wolfe's algorithm), `svmlib.hulls`, `svmlib.hull_smo`;
  `svmlib.gram_matrix`
- fourth layer: `svmlib.certificate`, `svmlib.problem`, `svmlib._solvers` (what all solvers share)
- fifth layer: `svmlib.hinge`, `svmlib.interior_point`, `svmlib.smo`, `svmlib._newton_forms` (what
  Newton's method needs of K), `svmlib.newton`, `svmlib.nystrom`
- sixth layer: `svmlib._auto` (the choice of the solver), `svmlib._binary_classifier` (what the two
  estimators share), `svmlib.svc`, the first of them, `svmlib._regularisation_path` (one solution
  after another as C grows), `svmlib._scoring` (what a search measures) and `svmlib.search`, the
  search for C and γ
- and for machines of other programs: `svmlib._machine` (a machine), `svmlib._wrappers`
  (pipelines around one), `svmlib._class_pairs` (two of several classes), `svmlib._estimators`
  (estimators as such machines), `svmlib._machine_rows` (which rows it uses),
  `svmlib._machine_problem` (the problem that it was to solve), `svmlib._rescaling` (its w with the
  best length and bias), `svmlib._squared_hinge` (Newton's method for that loss),
  `svmlib._machine_solution` (our own solution), `svmlib._explanation` (the verdict in words),
  `svmlib._verdict` (in numbers) and `svmlib.machines`, which judges it; `svmlib._model_parser`,
  `svmlib._libsvm`, `svmlib._liblinear` and `svmlib._onnx` (file formats), in one import
  `svmlib.model_files`
- beside them `svmlib._chunk_sums` (what a pass does to some rows) and `svmlib.distributed`, which
  needs Dask and its own import

`svmlib.book` serves the pages and contains no mathematics: plots, frame players, exercise checks.
"""

from svmlib.hulls import NotSeparableError
from svmlib.search import SVCCV
from svmlib.svc import SVC

__all__ = ["SVC", "SVCCV", "NotSeparableError"]
__version__ = "1.0.0"

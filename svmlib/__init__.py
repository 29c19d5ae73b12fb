"""Support vector machines, exact and certified: the library of the book.

Each module belongs to the chapter that derives it, and imports only from modules named before it,
so they can be read in this order (`svmlib._validation` only when a check is unclear):

- ground floor: `svmlib._validation` (checks of arguments), `svmlib.datasets`, `svmlib.geometry`,
  `svmlib.certificate`, `svmlib.kernels`
- first floor: `svmlib.hulls`, `svmlib.rows`
- second floor: `svmlib.problem`, `svmlib.hull_smo`
- third floor: `svmlib.hinge`, `svmlib.interior_point`, `svmlib.smo`, `svmlib._gram` (what Newton's
  method asks of K), `svmlib.newton`; `svmlib.duality` is chapter 4 in one import
- roof: `svmlib._auto` (which solver when); `svmlib.svc`, the scikit-learn estimator;
  `svmlib.distributed`, which needs Dask and its own import

`svmlib.book` serves the pages and is no mathematics: plots, frame players, exercise checks.
"""

from svmlib.hulls import NotSeparableError
from svmlib.svc import SVC

__all__ = ["SVC", "NotSeparableError"]
__version__ = "1.0.0"

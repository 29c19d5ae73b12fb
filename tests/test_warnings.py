"""Who stops early says so, with the gap, to the line that called."""

from functools import partial

import dask
import numpy as np
import pytest
from dask import array as da
from sklearn.exceptions import ConvergenceWarning

from svmlib import SVC
from svmlib.distributed import solve_linear
from svmlib.hinge import pegasos, subgradient_descent
from svmlib.hull_smo import hull_smo
from svmlib.interior_point import interior_point
from svmlib.newton import newton
from svmlib.problem import DualProblem
from svmlib.smo import smo

random = np.random.default_rng(0)
y = np.where(np.arange(60) % 2, 1, -1)
X = random.normal(size=(60, 2)) + 3 * y[:, None]
mixed = random.normal(size=(60, 2)) + 0.5 * y[:, None]
problem = DualProblem(mixed, y, 10.0)


def few_passes():
    with dask.config.set(scheduler="synchronous"):
        return solve_linear(da.from_array(mixed, chunks=(30, 2)), y, tol=1e-9, max_iter=1)


CALLS = {
    "SVC": partial(SVC(C=10.0, max_iter=1).fit, mixed, y),
    "smo": partial(smo, problem, max_iter=1),
    "newton": partial(newton, problem, max_iter=1),
    "interior_point": partial(interior_point, problem, max_iter=1),
    "hull_smo": partial(hull_smo, X, y, tol=1e-12, max_iter=1),
    "subgradient_descent": partial(subgradient_descent, mixed, y, 10.0, max_iter=1),
    "pegasos": partial(pegasos, mixed, y, 0.001, tol=1e-9, max_iter=1),
    "solve_linear": few_passes,
}


@pytest.mark.parametrize("name", CALLS)
def test_stopping_early_is_told_once_with_the_gap_to_the_line_that_called(name):
    with pytest.warns(ConvergenceWarning, match=r"stopped after \d+ iterations") as told:
        found = CALLS[name]()
    assert [warning.filename for warning in told] == [__file__]
    if name != "SVC":
        assert (found.converged, found.n_iter) == (False, len(y) if name == "pegasos" else 1)
        of = getattr(found, "closest", None)
        gap = of.gap / of.distance if of else found.certificate.relative_gap
        start = f"{name} stopped after {found.n_iter} iterations with a relative "
        assert str(told[0].message).startswith(start)
        assert f"gap of {gap:.3g}, " in str(told[0].message)

"""Chapter 4 in one import: the dual problem and its interior point solver.

They are in `svmlib.problem` and `svmlib.interior_point`; the certificate in `svmlib.certificate`.

Derived in chapter 4, *Lagrange duality*.
"""

from svmlib.interior_point import interior_point
from svmlib.problem import DualProblem, Solution

__all__ = ["DualProblem", "Solution", "interior_point"]

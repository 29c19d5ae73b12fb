#!/usr/bin/env bash
# One would guess: a solver of quadratic programs that ends with the status "optimal" for the dual of the hard
#   margin solves it to its tolerance of 1e-7, in whichever unit the columns are.
# True: HiGHS adds 1e-7 to the diagonal of the matrix before it starts, and never takes it away again (its issue
#   2383). Beside inner products of columns in millimetres that is nothing. Of the same columns in metres, whose
#   classes are 0.2 mm apart, it makes another machine. The status is "optimal", but the smallest y f is 0.58
#   in place of 1, and 13 rows are support vectors in place of 3. CVXPY with solver="HIGHS" has the same
#   numbers. Clarabel is right in both units. Scale the columns first.
# Seen with: highspy 1.16.0, clarabel 0.11.1, qpsolvers 4.13.0, cvxpy 1.9.3, Python 3.11, Linux x86-64,
#   1 December 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 highspy==1.16.0 clarabel==0.11.1 qpsolvers==4.13.0 \
  cvxpy==1.9.3 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import cvxpy
import numpy as np
from qpsolvers import Problem, solve_problem
from scipy.sparse import csc_matrix

print("highspy", version("highspy"))
random = np.random.RandomState(0)
y = np.repeat([-1.0, 1.0], 20)
millimetres = random.uniform(0, 0.3, (40, 2))
millimetres[:, 0] += np.where(y > 0, 0.5, 0)
millimetres += [4, 2]


def judge(X, multipliers):
    w = X.T @ (y * multipliers)
    low, high = (X[y > 0] @ w).min(), (X[y < 0] @ w).max()
    return (low - high) / 2, int(np.sum(multipliers > 1e-3 * multipliers.max()))


seen = {}
for unit, X in ("mm", millimetres), ("m", millimetres / 1000):
    G = y[:, None] * X
    dual = Problem(csc_matrix(G @ G.T), -np.ones(40), A=csc_matrix(y), b=np.zeros(1), lb=np.zeros(40))
    for solver in "clarabel", "highs":
        solution = solve_problem(dual, solver=solver)
        smallest, support = judge(X, solution.x)
        seen[unit, solver] = solution.found, smallest
        print(f"{unit}, {solver}: optimal {solution.found}, ", end="")
        print(f"smallest y f {smallest:.3f}, {support} support vectors")
    a = cvxpy.Variable(40, nonneg=True)
    problem = cvxpy.Problem(cvxpy.Maximize(cvxpy.sum(a) - cvxpy.sum_squares(G.T @ a) / 2), [y @ a == 0])
    problem.solve(solver="HIGHS")
    smallest, support = judge(X, a.value)
    print(f"{unit}, CVXPY: {problem.status}, smallest y f {smallest:.3f}, {support} support vectors")
    seen[unit, "CVXPY"] = problem.status == "optimal", smallest
wrong = [seen.pop(("m", "highs")), seen.pop(("m", "CVXPY"))]
fine = all(found and abs(smallest - 1) < 0.01 for found, smallest in seen.values())
raise SystemExit(not (fine and all(found and smallest < 0.8 for found, smallest in wrong)))
PY
# Output seen (beside the greeting of HiGHS):
#   highspy 1.16.0
#   mm, clarabel: optimal True, smallest y f 1.000, 3 support vectors
#   mm, highs: optimal True, smallest y f 1.000, 3 support vectors
#   mm, CVXPY: optimal, smallest y f 1.000, 3 support vectors
#   m, clarabel: optimal True, smallest y f 1.000, 3 support vectors
#   m, highs: optimal True, smallest y f 0.582, 13 support vectors
#   m, CVXPY: optimal, smallest y f 0.582, 13 support vectors

#!/usr/bin/env bash
# One would guess: minimize of SciPy returns the same multipliers for the same problem by each of its two methods
#   that return them, so the intercept of a support vector machine can be read off the multiplier of y'a = 0.
# True: SLSQP returns the number for which the gradient is the multiplier times the constraint's gradient, and
#   trust-constr the one for which both add up to zero. They have opposite signs, so the intercept is
#   res.v[0][0] with trust-constr and -res.multipliers[0] with SLSQP, if a'Qa/2 minus the
#   sum of a is minimised. (For the meaning of multipliers the documentation names two books, and it calls v a
#   list of Lagrange multipliers.) CVXPY and qpsolvers have the sign of trust-constr.
# Seen with: SciPy 1.17.1, clarabel 0.11.1, qpsolvers 4.13.0, cvxpy 1.9.3, NumPy 2.4.6, Python 3.11, Linux x86-64,
#   1 December 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 clarabel==0.11.1 qpsolvers==4.13.0 cvxpy==1.9.3 \
  scikit-learn==1.9.1 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import cvxpy
import numpy as np
from qpsolvers import Problem, solve_problem
from scipy.optimize import Bounds, LinearConstraint, minimize
from scipy.sparse import csc_matrix
from sklearn.svm import SVC

print("SciPy", version("scipy"))
random = np.random.RandomState(0)
y = np.repeat([-1.0, 1.0], 20)
X = random.standard_normal((40, 2)) + y[:, None] + 1
G = y[:, None] * X
Q = G @ G.T
b = {"scikit-learn's intercept": SVC(kernel="linear", tol=1e-8).fit(X, y).intercept_[0]}
problem = {
    "fun": lambda a: a @ Q @ a / 2 - a.sum(),
    "x0": np.full(40, 0.5),
    "jac": lambda a: Q @ a - 1,
    "bounds": Bounds(0, 1),
    "constraints": LinearConstraint(y[None], 0, 0),
}
b["SLSQP"] = minimize(method="SLSQP", **problem).multipliers[0]
b["trust-constr"] = minimize(method="trust-constr", hess=lambda _: Q, **problem).v[0][0]
dual = Problem(csc_matrix(Q), -np.ones(40), A=csc_matrix(y), b=np.zeros(1), lb=np.zeros(40), ub=np.ones(40))
b["Clarabel by qpsolvers"] = solve_problem(dual, solver="clarabel").y[0]
a = cvxpy.Variable(40)
balance = y @ a == 0
cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(G.T @ a) / 2 - cvxpy.sum(a)), [balance, a >= 0, a <= 1]).solve()
b["CVXPY"] = float(balance.dual_value)
for name, value in b.items():
    print(f"  {name}: {value:+.3f}")
intercept, slsqp, *others = b.values()
opposite = abs(slsqp + intercept) < 0.01
raise SystemExit(not (opposite and all(abs(value - intercept) < 0.01 for value in others)))
PY
# Output seen:
#   SciPy 1.17.1
#     scikit-learn's intercept: -1.546
#     SLSQP: +1.546
#     trust-constr: -1.546
#     Clarabel by qpsolvers: -1.546
#     CVXPY: -1.546

"""Bad input is a ValueError that names the argument, what is wrong, and what is accepted."""

import sys
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from svmlib.certificate import (
    Certificate,
    Scores,
    certify,
    dual_lower_bound,
    linear_scores,
    primal_upper_bound,
)
from svmlib.datasets import Dataset, load_circles, load_penguins
from svmlib.geometry import Hyperplane, directional_margin
from svmlib.gram_matrix import GramMatrix
from svmlib.hinge import (
    absolute_loss,
    hinge_loss,
    logistic_loss,
    pegasos,
    primal_objective,
    squared_loss,
)
from svmlib.hinge import subgradient_descent as descent
from svmlib.hull_smo import hull_smo
from svmlib.hulls import closest_points, convex_hull, separating_caps, separation
from svmlib.interior_point import interior_point
from svmlib.kernels import (
    RBF,
    ErrorBound,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    check_kernel,
    kernel_expansion,
)
from svmlib.machines import Machine, certify_machine
from svmlib.model_files import read_liblinear, read_libsvm, write_libsvm, write_onnx
from svmlib.newton import newton
from svmlib.nystrom import PivotSpan, low_rank, nystrom
from svmlib.problem import DualProblem
from svmlib.search import SVCCV, one_standard_error
from svmlib.smo import smo, steps
from svmlib.svc import SVC
from tests.hostile import Cubed

X, Y, ONES = np.arange(20.0).reshape(10, 2), np.tile([-1, 1], 5), np.ones(10)
POINT, FAR, HUGE = [[1.0, 2.0]], np.full((2, 1), 1e60), [[1e200], [0.0]]
TWO = DualProblem([[0.0], [2.0]], [-1, 1], 1.5)
PLANE, TABLE, PENGUINS = Hyperplane([1, 2], -1), Precomputed(np.eye(3)), load_penguins()
INDEFINITE = DualProblem(X, Y, 1.0, lambda A, B: -A @ B.T)
SOLVERS = [partial(solve, TWO) for solve in (smo, newton, interior_point)]
ITERATIVE = [*SOLVERS, partial(hull_smo, X, Y)]
ITERATIVE += [partial(f, X, Y, 1.0) for f in (descent, pegasos)]
ROW, NO_ROWS = np.zeros((1, 1)), ([[0.0], [0.5]], [[-1.0]], [[3.0]], [[0.0, 1.0]])  # of TABLE
HARD, NO_LINE = SVC(kernel="linear", C=np.inf), ([[0.0], [1.0], [2.0]], [1, -1, 1])
MASKED = np.ma.masked_equal(np.diag([2, 1, 1, 1]), 2)  # one entry
GIVEN, SKEW = SVC(kernel="precomputed"), np.eye(130) + np.pad([[1.0]], ((64, 65), (129, 0)))
PATH, LABELS = "^path must be text or a pathlib.Path, got 3", (None, [3], [[1]], 1)
RAGGED = [1, [1, 2], *[1] * 8]
BELOW_ONE = 1 - Fraction(1, 2**60)  # its nearest float is 1
NAMES, UNUSABLE = (("a", "b"), ("", ""), ("no", "yes")), (1e-320, 1e-110, 1e308)


SPAN = PivotSpan.of_sample(RBF(1.0), X, 0.5)
SEARCH = SVCCV(Cs=[1.0, 2.0], kernel="linear", refit=False).fit(X, Y)


def problem(**changes):
    return DualProblem(**{"X": X, "y": Y} | changes)


def fit(weights=None, y=Y, **parameters):
    return SVC(**parameters).fit(X, y, weights)


def search(**parameters):
    return SVCCV(**parameters).fit(X, Y)


def gram(K):
    return problem(kernel=K).gram_matrix.to_array()


CALLS = [
    # points
    (lambda: problem(X=np.zeros(10)), r"X must hold .*\(10,\); write X.reshape\(-1, 1\)"),
    (lambda: problem(X=np.zeros((10, 2, 2))), r"got shape .*; write X.reshape\(len\(X\), -1\)"),
    (lambda: problem(X=np.where(X == 3, np.nan, X)), "X must be finite, but it contains NaN"),
    (lambda: problem(X=-(2**53) - X.astype(int)), r"X must hold integers.* up to 2\*\*53"),
    *[(partial(problem, X=[[k]] * 10), "X must hold integers") for k in (2**60, 2**70, -(2**53))],
    (lambda: problem(X=X.astype("datetime64[ns]")), "X must be a dense array of real"),
    (lambda: problem(X=[[10**400]] * 10), "X must be a dense array of real"),
    (lambda: problem(X=X.astype(str)), "X must be a dense array of real"),
    (lambda: problem(X=np.where(X == 3, b"3", X.astype(object))), "X must be a dense array of"),
    (lambda: problem(X=np.ma.masked_invalid([[np.nan]] * 10)), "X must have no masked entries"),
    (lambda: SVC().fit(list(MASKED), Y[:4]), "X must have no masked entries"),
    (lambda: SVC().fit(np.eye(4), np.ma.masked_equal(Y[:4], 1)), "y must have no masked entries"),
    (lambda: fit(np.ma.masked_equal(ONES, 1)), "sample_weight must have no masked entries"),
    (lambda: SVCCV(refit=False).fit(MASKED, Y[:4]), "X must have no masked entries"),
    (lambda: SVC().fit(np.eye(4), Y[:4]).predict(MASKED), "X must have no masked entries"),
    (lambda: SVC().fit(np.eye(4), Y[:4]).score(MASKED, Y[:4]), "X must have no masked entries"),
    (lambda: GIVEN.fit(np.eye(4), Y[:4]).decision_function(MASKED), "no masked entries"),
    (lambda: gram(lambda A, B: np.ma.masked_greater(A @ B.T, 5)), "no masked entries"),
    # labels
    (lambda: problem(y=ONES), r"y must contain both classes -1 and \+1, got only \+1"),
    (lambda: problem(y=np.arange(10)), r"y must contain only -1 and \+1, got 0, 1, 2"),
    (lambda: problem(y=Y.astype(object)), r"y must contain only -1 and .* \(object\)"),
    *[(partial(call, y=RAGGED), "y must have one label for each row") for call in (problem, fit)],
    # problem
    (lambda: problem(C=0), "C must be a positive number"),
    (lambda: problem(C=True), "C must be a positive number, got True"),
    (lambda: problem(C=10**400), "C must be a positive number, got 1000"),
    (lambda: problem(C=Fraction(1, 2)), r"C must be a positive int or float, got Fraction\(1, 2\)"),
    (lambda: problem(C=1j), "C must be a positive int or float, got 1j"),
    (
        lambda: problem(C=2**53 + 1),
        "C must be an integer that floats can hold, got 9007199254740993",
    ),
    (lambda: Hyperplane([1.0, 2.0], np.int64(-(2**60) - 1)), "b must be an integer that floats"),
    (lambda: problem(C=[1.0, 2.0]), "C must be one number, or one for each of the 10 samples, got"),
    (lambda: problem(C=[*ONES[1:], 0]), "C, times any weights, must be positive"),
    (
        lambda: problem(C=[*ONES[1:], np.inf]),
        "C, .* at most 1e.100, or infinite for all samples, got 1 to inf",
    ),
    (lambda: problem(C=[*ONES[1:], np.nan]), "C, .* must be positive .* got nan"),
    (lambda: problem(C=RAGGED), "C, .* must be a dense array of real numbers"),
    (lambda: problem(cache_mb=0), "cache_mb must be a positive"),
    (lambda: problem(equations_mb=0), "equations_mb must be a positive"),
    (lambda: problem(cache_mb=1e-5), "^two rows .* more than cache_mb=1e-05$"),
    (lambda: problem().objective([0.0]), "alpha must have 10 entries, got 1"),
    (lambda: problem().gradient(np.nan * ONES), "alpha must be finite"),
    (lambda: problem().bias([0.0]), "alpha must have 10 entries, got 1"),
    (lambda: problem().bias_interval([0.0]), "alpha must have 10 entries, got 1"),
    (lambda: problem().certificate(ONES, np.nan), "b must be a finite number"),
    (lambda: problem().decision_function(ONES, 0.5, [[1.0]]), "Z must have 2 features, got 1"),
    # solvers
    *[(partial(f, tol=0), "tol must be a positive finite number") for f in ITERATIVE],
    *[(partial(f, max_iter=0), "max_iter must be a positive integer") for f in ITERATIVE],
    *[  # negative, or above C, only two
        (partial(smo, problem(), start=0.5 + s * (abs(X[:, 0] - 9) < 2)), "start must be feasible")
        for s in (-1, 1)
    ],
    *[  # unbalanced, negative, above C, and by little
        (partial(solve, start=start), "start must be feasible")
        for solve in SOLVERS[:2]
        for start in ([1, 0], [-1, -1], [2, 2], [1, 1 + 1e-8], [-1e-12] * 2, [1.5 + 3e-16] * 2)
    ],
    (lambda: newton(INDEFINITE), "semidefinite for .* be proved for the Gram matrix; svmlib.smo"),
    (lambda: interior_point(INDEFINITE), "semidefinite for .* be proved for the Gram matrix"),
    (lambda: newton(problem(kernel=np.inner, cache_mb=2e-4)), "too large.*cache_mb"),
    *[(partial(smo, TWO, selection=s), "selection must be one of") for s in ("bogus", X)],
    (lambda: hull_smo(HUGE, [1, -1]), "rescale X"),
    (lambda: descent(X, Y, np.inf), "C must be a positive finite"),
    (lambda: descent(HUGE, [1, -1], 1e101), "C, .* at most 1e.100"),
    (lambda: descent(X, ONES, 1.0), "both classes"),
    (lambda: pegasos(X, Y, 0), "lam must be a positive"),
    *[(partial(pegasos, X, Y, lam), r"lam must be such that 1/\(lam n\)") for lam in UNUSABLE],
    # estimator
    (lambda: fit(C="linear"), "C must be a positive number, got 'linear'"),
    (lambda: fit(kernel=X), "kernel must be one of"),
    *[(partial(fit, kernel=k), f"kernel must be one of .* got {k!r};") for k in (3, "laplace")],
    (lambda: fit(kernel="poly", coef0=np.inf), "coef0 must be"),
    *[(partial(fit, gamma=g), "gamma, if not .* must be a pos") for g in (0.0, "wide", [0.5, 1.0])],
    (lambda: SVC().fit(1e160 * X, Y), 'gamma="scale", 1 / .* must be .* got 0.0'),
    (lambda: fit(tol=0), "tol must be"),
    *[(partial(fit, solver=s), "solver must be one of") for s in ("newtonian", X)],
    (lambda: fit(class_weight={2: 1.0}), r"labels of y, \[-1, 1\], got \[2\]; leave others out$"),
    (lambda: fit(class_weight={"1": 1.0}), r"labels of y, .*, got \['1'\]; leave others out$"),
    (lambda: fit(y=Y.clip(0), class_weight={2: 1}), r"\[0, 1\], .* OneVsRest.* give sample_weight"),
    (lambda: fit(class_weight={1: 0}), "class_weight must be a positive finite number, got 0"),
    *[(partial(fit, class_weight=w), "class_weight must be a dict") for w in ("fair", [1, 2])],
    (lambda: fit(-ONES), "sample_weight must not be negative"),
    (lambda: fit(0 * ONES), "or all zero"),
    (lambda: fit(ONES[1:]), "sample_weight must have 10 entries, got 9"),
    (lambda: fit(np.where(Y > 0, 0, 1)), "of one class, -1"),
    (lambda: fit(np.nan * ONES), "sample_weight must be finite"),
    (lambda: SVC().fit(X, Y.clip(-0.5)), "Unknown label type: continuous"),
    (lambda: SVC().fit(X, Y[1:]), "inconsistent numbers of samples"),
    (lambda: SVC().fit(np.where(X == 3, np.nan, X), Y), "contains NaN"),
    (lambda: SVC().fit(X, np.arange(10) % 3), "Only binary.*3 classes.*OneVsOneClassifier"),
    (lambda: fit(kernel="precomputed"), "X must be a square Gram matrix"),
    (lambda: fit(np.arange(10.0), kernel="precomputed"), "X must be a square Gram matrix"),
    (lambda: GIVEN.fit(SKEW, np.tile(Y, 13)), "X must be symmetric, but it differs .* by 1"),
    (lambda: GIVEN.fit(X @ X.T, Y).predict(X), "features"),
    # machines of others, and searches
    (lambda: certify_machine(([1.0, 2.0], 0.0), X, Y[:-1], C=1.0), "one label for each of the 10"),
    (lambda: certify_machine(([1.0, 2.0], 0.0), X, RAGGED, C=1.0), "y must have one label for"),
    (lambda: certify_machine(([1.0, 2.0], 0.0), X, Y, C=1.0, loss=X), "loss must be one of"),
    (lambda: certify_machine(([1.0, 2.0], 0.0), X, Y[:, None], C=1.0), r"\(np.ravel\(y\) of"),
    (lambda: certify_machine(([1.0, 2.0], 0.0), X, np.arange(10) % 3, C=1.0), "y must have two cl"),
    (lambda: write_onnx(SVC().fit(X, Y), "x", dtype="float16"), "dtype must be"),
    *[(partial(search, Cs=(1.0, C)), "Cs must be positive and at most") for C in (0.0, 1e101)],
    *[(partial(search, scoring=s), "scoring must be one name") for s in (X, {"a": "accuracy"})],
    *[
        (partial(one_standard_error, results), "results must be the cv_results_ of a search")
        for results in ({}, None, {"mean_test_score": ONES})
    ],
    (lambda: search(Cs=(np.inf,)), "Cs must be finite"),
    (lambda: search(Cs=()), "Cs must be a non-empty vector"),
    (lambda: search(gammas=()), "gammas must have at least one value"),
    *[(partial(search, gammas=g), "gammas, .* must be a positive") for g in ((0.0,), object())],
    (lambda: search(gammas=(1.0,), kernel="linear"), "gammas must be None for kernel='linear'"),
    (lambda: search(kernel="rbh"), "kernel must be one of"),
    (lambda: search(tol=0), "tol must be a positive"),
    (lambda: search(memory_mb=-1), "memory_mb must be a positive"),
    (lambda: nystrom(problem(kernel=RBF(1.0)), memory_mb=-1), "memory_mb must be a positive"),
    (lambda: search(cv=[]), "cv must give at least one fold"),
    (lambda: search(cv=[1, 2]), r"^cv must be .* pairs \(train, test\).* got cv=\[1, 2\]"),
    (
        lambda: SVCCV(cv=GroupKFold(2)).fit(X, Y, groups=3),
        "^cv must be .* groups one per row, got .* groups=3",
    ),
    (lambda: search(n_jobs="a"), "^n_jobs must be an integer or None, got 'a'"),
    (lambda: search(Cs=(1.0,), refit=lambda _: -1), "refit must return the index .* got -1"),
    *[(partial(fit, max_iter=k), "max_iter, if not -1, must be a positive") for k in (0, -2, X)],
    (lambda: search(cv=[([0, 2], range(9))]), "cv must give each fold samples of both"),
    (lambda: SVCCV(cv=[(range(8), [8, 9])]).fit(X, Y, X[:, 0] < 16), "to test, of positive weight"),
    # losses
    *[
        (partial(loss, margin), "margin must be")
        for loss in (hinge_loss, squared_loss, absolute_loss, logistic_loss)
        for margin in (np.nan, 1j)
    ],
    (lambda: primal_objective([1.0], 0.0, X, Y, 1.0), "w must have 2 entries, got 1"),
    (lambda: primal_objective([1.0, 2.0], 0.0, X, Y, np.inf), "C must be a positive finite"),
    *[
        (partial(primal_objective, [1e200, w], 0.0, points, Y, 1.0), "w and X must be small enough")
        for w, points in ((0, X), (1e200, 1e200 * X * [1, -1]))
    ],
    # hulls
    *[
        (partial(f, X, ONES), "both classes")
        for f in (separation, closest_points, separating_caps, hull_smo)
    ],
    *[(partial(closest_points, X, Y, cap), "cap must be") for cap in (0.1, 1.5, 0, np.inf)],
    (lambda: convex_hull(np.zeros((0, 2))), "points must hold at least one point"),
    (lambda: closest_points(HUGE, [1, -1]), "X must have coordinates below .*: rescale X"),
    (lambda: convex_hull(1e-200 * X), "points must have .* a spread above .*: rescale points"),
    # geometry
    (lambda: Hyperplane([0, 0], 1), "w must not be zero"),
    *[
        (partial(Hyperplane, w, 1), "w must have a norm, and b/‖w‖ a size, that floats can hold")
        for w in ([1.7e308, 1.7e308], [1e-320])
    ],
    (lambda: Hyperplane([1e200], 1).signed_distance([[1e200]]), "X and w must be small enough"),
    (lambda: directional_margin(HUGE, [1, -1], [1e200]), "X and w must be small enough"),
    (
        lambda: directional_margin([[-1.7e308], [1.7e308]], [-1, 1], [1]),
        "small enough for the width",
    ),
    (
        lambda: Hyperplane([0.5, 0.5], 0).signed_distance([[1.7e308] * 2]),
        "small enough for the dist",
    ),
    (lambda: Hyperplane([0.6, 0.8], 0).project([[1.7e308, -1.7e308]]), "small enough for the proj"),
    (lambda: directional_margin(X, Y, [0, 0]), "w must not be zero"),
    (lambda: directional_margin(X, ONES, [1, 2]), "both classes"),
    (lambda: PLANE.functional_margins(X, ONES[1:]), "one label for each"),
    (lambda: PLANE.separates(X, ONES), "both classes"),
    (lambda: PLANE.project([[1, 2, 3]]), "X must have 2 features, got 3"),
    # kernels
    (lambda: RBF(0.0), "gamma must be a positive"),
    (lambda: RBF.from_width(0), "sigma must be a positive"),
    *[(partial(RBF.from_width, s), r"1/\(2 sigma²\) must be") for s in (1e200, 1e-200)],
    *[(partial(Polynomial, p), "degree must be a positive integer") for p in (1.5, 0, np.inf)],
    (lambda: Polynomial(2, 1.0, -1.0).feature_map(X), "coef0 must be at least"),
    (lambda: Linear()(X, X[:, :1]), "Z must have 2 features, got 1"),
    (lambda: RBF(1.0).diagonal([[np.nan]]), "X must be finite, but it contains NaN"),
    (lambda: Linear()([[1e200]], [[1e200]]), "X must be small enough for Linear"),
    (lambda: Precomputed(np.ones((2, 3))), "must be a square Gram matrix"),
    (lambda: Precomputed(np.eye(3), float_type=[]), "float_type must be float16, float32 or"),
    (lambda: Precomputed(np.eye(3), float_type=np.int64), "float_type must be float16, float32 or"),
    (lambda: Precomputed([[1e-12, 5e-13], [5.00001e-13, 1e-12]]), "symmetric"),
    *[
        (partial(Precomputed, np.array([[9, 0.5], [0, 9]], t)), f"by 0.5, .* {t.__name__}")
        for t in (np.float16, np.float32, np.float64)
    ],
    (lambda: TABLE([0, 1], ROW), "X must hold one row per point"),
    *[(partial(TABLE, np.array(rows), ROW), "X must be .* from 0 to 2") for rows in NO_ROWS],
    *[(partial(TABLE, ROW, np.array(rows)), "Z must be one column") for rows in NO_ROWS],
    *[(partial(check_kernel, k), "kernel such as") for k in ("rbf", RBF)],
    (lambda: low_rank(Polynomial(6), np.tile(FAR, (9, 1))), "X must be small enough .* Pol"),
    (lambda: problem(X=1e200 * X, kernel=Polynomial(3)), "Polynomial.*to be finite"),
    (lambda: kernel_expansion(Polynomial(3), FAR, np.ones(2), -FAR), "small enough for Polynomial"),
    # functions as kernels
    (lambda: gram(lambda A, B: np.ones((3, 3))), r"kernel must return one row for each"),
    (lambda: gram(lambda A, B: A @ POINT[0]), r"column .*\(10, 10\), got shape \(10,\)"),
    (lambda: gram(lambda A, B: 1.0), r"got shape \(\)"),
    (lambda: gram(lambda A, B: "K"), "array of real numbers"),
    (lambda: gram(lambda A, B: np.full((len(A), len(B)), np.nan)), "NaN or infinity"),
    # bounds of a problem that shares its matrix
    *[(partial(problem().with_bounds, C), "C") for C in (-1.0, -ONES, ONES[:1], ONES[:, None])],
    # steps, machines of other programs
    (lambda: smo(X), r"(?s)problem must be a DualProblem, got .*; write DualProblem\(X, y, C\)$"),
    (lambda: next(steps(problem(), tol=-1)), "tol must be a positive"),
    (lambda: Machine(X[:2], ONES[:1], 0.0), r"be \(m, d\) and \(m,\), got \(2, 2\) and \(1,\)"),
    (lambda: Machine(ONES, ONES, 0.0), r"got \(10,\) and \(10,\)"),
    (lambda: Machine(np.nan * X, ONES, 0.0), "points must be finite"),
    (lambda: Machine(X, ONES, 0.0, class_weight=2), "class_weight must be two factors, got 2"),
    (lambda: Machine(X, ONES, 0.0, class_weight=(1, -1)), "class_weight must be a positive .*-1"),
    (lambda: Machine(X, ONES, 0.0, C=np.inf, loss="squared_hinge"), "C must be a positive finite"),
    (lambda: Machine(X, ONES, 0.0, intercept_scaling=1e200), "at most 1e.150"),
    (lambda: Machine(X, ONES, 0.0, intercept_scaling=0), "intercept_scaling must be a positive"),
    (lambda: Machine(X, ONES, 0.0, loss="foo"), "loss must be one of .*'foo'"),
    *[(partial(Machine, X, ONES, 0.0, rows=r), "rows must be one row number") for r in (3, ONES)],
    *[(partial(Machine, X, ONES, 0.0, support=s), "support must") for s in (3, "rows", (X, Y, Y))],
    *[(partial(f, 3), PATH) for f in (read_libsvm, read_liblinear)],
    *[(partial(f, Machine(X, ONES, 0.0), 3), PATH) for f in (write_libsvm, write_onnx)],
    (lambda: TWO.certificate([0.5, 0.5], 0.0).is_optimal("a"), "tol must be a number, got 'a'"),
    *[(partial(PENGUINS.names, bad), "^labels must be a seq.* of labels out of") for bad in LABELS],
    (lambda: Machine(X, ONES, "0"), "b must be a finite number"),
    *[
        (partial(Machine, X, ONES, 0.0, classes=labels), "classes must be two different labels")
        for labels in ((1, 1), (1, 2, 3), None, "ab", ([1], [1, 2]))
    ],
    (lambda: Machine(X, ONES, 0.0, "rbf"), 'kernel must be callable, or "precomputed"'),
    (lambda: read_libsvm("none", n_features=0), "n_features must be a positive integer"),
    (lambda: pegasos(X, Y, 1.0, seed=-1), "seed must be a non-negative integer, got -1"),
    (lambda: low_rank(Sigmoid(1.0), X, max_rank=0), "max_rank must be a positive number"),
    (lambda: SPAN.features(X[:, :1]), "X must have 2 features, got 1"),
    *[
        (partial(PivotSpan.of_sample, kernel, X, 0.1), "kernel must be a kernel of svmlib.*semid")
        for kernel in (np.inner, Cubed())
    ],
    (lambda: PivotSpan(Sigmoid(1.0), X[:1], [[1.0]]), "kernel must be a kernel of svmlib.kernels"),
    (lambda: TWO.decision_function([0.5, 0.5], np.nan, ROW), "b must be a finite number, got nan"),
    (lambda: primal_upper_bound(0.0, ONES, -1.0), "C must not be negative, got -1"),
    *[
        (
            partial(primal_upper_bound, 1.0, [1.0, margin], 1.0),
            "margins must hold float64 numbers",
        )
        for margin in (BELOW_ONE, np.longdouble(1) - np.longdouble(2) ** -60, Decimal("0.1"))
    ],
    (lambda: primal_upper_bound(BELOW_ONE, [1.0], 1.0), "squared_norm must hold float64 numbers"),
    (
        lambda: certify([BELOW_ONE] * 10, 0.5, SUMS, Y, ONES),
        "alpha must .* outwards if it is a bound",
    ),
    (lambda: dual_lower_bound(BELOW_ONE, 1.0), "total must hold float64 numbers"),
    (lambda: replace(SUMS, values=[BELOW_ONE] * 10), "values must hold float64 numbers"),
    (lambda: replace(SUMS, error=-ONES), "error must not be negative, got -1"),
    (lambda: replace(SUMS, norms=-ONES), "norms must not be negative, got -1"),
    (lambda: Certificate(BELOW_ONE, 0.5, 0, 0, 1), "primal must hold float64 numbers"),
    (lambda: certify(ONES[1:], 0.0, SUMS, Y, ONES), r"alpha must be an array of shape \(10,\)"),
    (lambda: certify(ONES, 0.0, SUMS, Y, -ONES), "upper must not be negative, got -1"),
    (lambda: dual_lower_bound(1.0, 1.0, -0.5), "displacement must not be negative, got -0.5"),
    (lambda: certify(ONES, 0.0, linear_scores(X, ONES), Y > 0, ONES), "y must contain only -1 and"),
    (lambda: Machine(np.zeros((2, 0)), ONES[:2], 0.0, "precomputed").predict(X), "one column"),
    (lambda: SEARCH.compare(-1, 0), "first must be the index of a .* 0 to 1, got -1"),
    (lambda: SEARCH.compare(0, 2), "second must be the index of a .* 0 to 1, got 2"),
    # what is wrong is told before the work begins, which would end with another error
    (lambda: HARD.set_params(max_iter=0, memory_mb=1).fit(*NO_LINE), "max_iter"),
    (lambda: HARD.set_params(max_iter=9, memory_mb=0).fit(*NO_LINE), "memory_mb"),
    # datasets
    *[
        (partial(load_penguins, species), "species must be at least 2 different names out of")
        for species in (("Adelie",), ("Adelie",) * 2, ("Emperor", "Gentoo"))
    ],
    *[
        (partial(load_penguins, species), "species must be a sequence of names")
        for species in ("Adelie", None, [["Adelie"], ["Gentoo"]])
    ],
    (lambda: load_penguins(features=()), "features must be at least 1 different names"),
    *[(partial(PENGUINS.in_units, sizes, ("mm", "g")), "sizes") for sizes in ((1, 0), (1,))],
    (lambda: PENGUINS.in_units((1, 1), ("mm",)), "units must have 2 entries"),
    (lambda: PENGUINS.in_units((1, 1), "mm"), "units must be a sequence of names, got 'mm'"),
    *[(partial(load_circles, n), "n must be a positive integer") for n in (0, -2, 2.0)],
    (lambda: load_circles(3), "n must be an even number, got 3"),
    (lambda: load_circles(noise=np.nan), "noise must be a finite number"),
    (lambda: load_circles(noise=-0.1), "noise must not be negative"),
    (lambda: Dataset(X, ONES, *NAMES), "y must contain both classes"),
    (lambda: Dataset(X, Y, ("a",), *NAMES[1:]), "units must have 2 entries"),
    (lambda: Dataset(X, Y, NAMES[0], (), NAMES[2]), "units must have 2 entries"),
    *[
        (partial(replace, PENGUINS, **{name: value}), f"{name} must be")
        for name in ("feature_names", "units", "class_names")
        for value in ("ab", None, (1, 2))
    ],
    (lambda: replace(PENGUINS, class_names=("a", "a")), "class_names must be at least 2 different"),
    (lambda: replace(PENGUINS, n_dropped=-1), "n_dropped must be a non-negative integer"),
    (lambda: Dataset(X, ["u", "v"] * 5, *NAMES[:2], ("u", "v", "w")), "y must hold"),
]

# Every argument that is a number, an array, a kernel or a problem, of the functions and classes in
# `__all__` of the modules of the core. Arrays hold numbers that single precision has.
SUMS, NORM = linear_scores(X, ONES), {"norm_w": 0.5}
LABELLED = {"X": X, "y": Y}
GOOD = [
    (
        primal_upper_bound,
        {"squared_norm": 1.0, "margins": 0.25 * ONES, "C": 1.5 * ONES, "divisor": 2.0},
    ),
    (primal_upper_bound, {"squared_norm": 1.0, "margins": np.array([0.0, 1.0]), "C": 1.5}),
    (dual_lower_bound, {"total": 3.0, "squared_norm": 1.0, "displacement": 0.25}),
    (linear_scores, {"X": X, "beta": 0.5 * Y, "origin": [0.5, 1.0]}),
    (certify, {"alpha": ONES, "b": 0.5, "scores": SUMS, "y": Y, "upper": 2 * ONES}),
    (Scores, {"values": ONES, "error": ONES, "squared_norm": 1.0, "norms": ONES}),
    (
        Certificate,
        {"primal": 1.0, "dual": 0.5, "kkt_violation": 0.5, "infeasibility": 0, "norm_w": 1},
    ),
    (Hyperplane, {"w": [1.0, 2.0], "b": 0.5}),
    (directional_margin, LABELLED | {"w": [1.0, 2.0]}),
    *[(f, LABELLED) for f in (separation, closest_points, separating_caps, DualProblem)],
    (hull_smo, {"X": np.tile([[0.0], [3.0]], (5, 1)), "y": Y}),
    (convex_hull, {"points": X}),
    *[(loss, {"margin": X}) for loss in (hinge_loss, squared_loss, absolute_loss, logistic_loss)],
    (primal_objective, LABELLED | {"w": [1.0, 2.0], "b": 0.5, "C": 2.0}),
    (descent, {"X": 0.125 * X, "y": Y, "C": 1.0}),
    (pegasos, LABELLED | {"lam": 1.0}),
    (RBF, {"gamma": 1.0}),
    (Sigmoid, {"gamma": 1.0, "coef0": 0.5}),
    (Polynomial, {"degree": 2, "gamma": 1.0, "coef0": 0.5}),
    *[(kernel.__call__, {"X": X, "Z": X}) for kernel in (Linear(), RBF(1.0))],
    (Precomputed, {"K": np.eye(3)}),
    (ErrorBound, {"theta": 0.5, "norms": ONES}),
    (GramMatrix, {"kernel": RBF(1.0), "X": X, "cache_mb": 1.0}),
    *[(f, {"problem": TWO}) for f in (smo, newton, interior_point, nystrom)],
    (lambda problem: next(steps(problem)), {"problem": TWO}),
    (PivotSpan, {"kernel": RBF(1.0), "pivots": X[:2], "factor": np.eye(2)}),
    (PivotSpan.of_sample, {"kernel": RBF(1.0), "X": X, "residual": 0.5}),
    (SPAN.features, {"X": X}),
    (low_rank, {"kernel": RBF(1.0), "X": X}),
]
FUNCTIONS = pytest.mark.parametrize(("function", "given"), GOOD)
OPTIONAL = {"origin"}
AS_LONG_AS_ANOTHER = {"margins", "C", "beta", "origin", "alpha", "y", "upper"}
AS_LONG_AS_ANOTHER |= {"values", "error", "pivots", "factor"}
RESULTS = {"ClosestPoints", "ConvexHull", "DirectionalMargin", "HullSolution", "HullStep"}
RESULTS |= {"NewtonStep", "CacheTooSmallError", "NotSeparableError", "SeparatingCaps", "Separation"}
RESULTS |= {"Solution", "Step"}


def test_every_public_name_of_the_core_is_called_with_wrong_arguments_or_is_a_result():
    called = {getattr(function, "__qualname__", "").split(".")[0] for function, _ in GOOD}
    core = "certificate geometry gram_matrix hinge hull_smo hulls interior_point kernels newton"
    for module in *core.split(), "nystrom", "problem", "smo":
        names = {*sys.modules[f"svmlib.{module}"].__all__} - RESULTS
        assert names - {"steps", "Linear"} <= called, module


@FUNCTIONS
def test_a_wrong_type_is_named(function, given):
    function(**given)
    for name in given:
        for wrong in ("text", object(), *([None] if name not in OPTIONAL else [])):
            with pytest.raises(ValueError, match=rf"\b{name}\b.* (must|has)"):
                function(**given | {name: wrong})


@FUNCTIONS
def test_a_wrong_shape_is_named(function, given):
    for name in {*given} - {"margin"}:  # of any shape
        array = np.asarray(given[name])
        wrong = [array[None]] if array.ndim else [ONES] if array.dtype == float else []
        if name in AS_LONG_AS_ANOTHER and array.ndim and sum(map(np.ndim, given.values())) > 1:
            wrong += [array[1:], array[:0]]
        for value in wrong:
            with pytest.raises(ValueError, match=r"^\w+(, .*,| and factor)? (must|has) "):
                function(**given | {name: value})


def numbers(result):
    """Return all numbers of a result, also those of its attributes."""
    if hasattr(result, "__dict__"):
        result = [value for name, value in vars(result).items() if name != "_float_type"]
    if isinstance(result, tuple | list):
        return [number for part in result for number in numbers(part)]
    return [np.asarray(result)] if np.asarray(result).dtype.kind in "fiu" else []


@FUNCTIONS
def test_numbers_of_any_type_give_the_same_results(function, given):
    """They are converted; a bound that is rounded to single precision may be false."""
    expected = numbers(function(**given))
    numeric = {name: v for name, v in given.items() if isinstance(v, float | list | np.ndarray)}
    for dtype in np.float32, np.int64:
        typed = {name: np.asarray(v, dtype)[()] for name, v in numeric.items()}
        exact = {name: v for name, v in typed.items() if (v == np.asarray(numeric[name])).all()}
        found = numbers(function(**given | exact))
        assert [number.dtype for number in found] == [number.dtype for number in expected]
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()

"""The search over C and γ: every certificate in 60 digits, and the answers of GridSearchCV."""

import re
from itertools import islice
from time import perf_counter

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from svmlib import SVC, SVCCV, _regularisation_path
from svmlib._auto import Start
from svmlib._regularisation_path import Fold, _gram_matrices, _warm_start, fit_candidates
from svmlib.kernels import RBF, Polynomial
from svmlib.newton import newton
from svmlib.problem import DualProblem
from svmlib.search import one_standard_error
from tests import hostile
from tests.judge import Judge, assert_within
from tests.optimum import data

seeds = st.integers(0, 2**32 - 1)
CS = np.array([100.0, 0.1, 1.0, 1e4])


@given(seed=seeds, width=st.floats(-4, 3), far=st.booleans())
@settings(max_examples=12)
def test_squares_of_kernel_values_are_as_close_as_their_bound_says(seed, width, far):
    """Up to γ times 256 in one chain, by squares of squares, and by the formula in between."""
    X, _ = hostile.problem(seed, most_points=6, shifts=6 if far else 1)
    gamma = 10.0**width / max(np.square(X - X.mean(axis=0)).sum(axis=1).max(), 1e-200)
    kernels = [RBF(factor * gamma) for factor in (1, 2, 16, 128, 256, 300, 300, 600)]
    for kernel, (K, bound) in zip(kernels, _gram_matrices(kernels, X, 1.0), strict=True):
        assert_within(bound, kernel, X, K)


def test_the_bound_of_squares_is_not_slack():
    """Where θ grows it must: after eight squarings an error of one value has grown 256 times."""
    kernels = [RBF(2.0 ** (k - 7)) for k in range(9)]
    first, *_, last = (
        bound.theta for _, bound in _gram_matrices(kernels, np.array([[0.0], [1.0]]), 1.0)
    )
    assert 256 * first < last < 600 * first


@given(seed=seeds, polynomial=st.booleans(), memory_mb=st.sampled_from([1e-2, 10.0]))
@settings(max_examples=6)
def test_every_certificate_of_a_search_is_right_in_60_digits(seed, polynomial, memory_mb):
    """Four widths up to 256 times the first, in folds with weights, with K and without."""
    rng = np.random.default_rng(seed)
    X, y = hostile.problem(seed, most_points=14, scales=(-2, 2), shifts=3)
    X, y = np.concatenate([X, X + rng.normal(size=X.shape)]), np.tile(y, 2)
    gamma = 10.0 ** rng.uniform(-3, 0) / np.square(X - X.mean(axis=0)).sum(axis=1).max()
    kernels = [RBF(gamma * 2.0**k) for k in (0, 1, 4, 8)]
    if polynomial:
        kernels = [Polynomial(3, gamma, 1.0)]
    rows, half = np.arange(len(y)), len(y) // 2
    weights = 10.0 ** rng.uniform(-1, 1, half)
    folds = [Fold(rows[:half], rows[half:], weights), Fold(rows[half:], rows[:half], weights)]
    judges, n_met = {}, 0
    for machine in fit_candidates(list(enumerate(kernels)), X, y, folds, CS, 1e-3, memory_mb):
        train, test, _ = folds[machine.fold_index]
        kernel, solution, n_met = kernels[machine.gamma_index], machine.solution, n_met + 1
        problem = DualProblem(X[train], y[train], CS[machine.C_index] * weights, kernel)
        judge = judges.setdefault((machine.gamma_index, machine.fold_index), Judge(problem))
        judge.upper = [mp.mpf(C) for C in problem.upper.tolist()]
        judge.accept(solution.certificate, solution.alpha, solution.b)
        f = problem.decision_function(solution.alpha, solution.b, X[test])
        size = solution.alpha.sum() * kernel.error_bound(X).norms.max() ** 2
        assert_allclose(machine.decision_values, f, atol=1e-9 * (size + abs(solution.b)))
    assert n_met == CS.size * len(kernels) * 2


@given(seed=st.integers(0, 10**6), n=st.integers(30, 60), d=st.integers(1, 4))
@settings(max_examples=4)
def test_scores_and_choice_are_those_of_grid_search_cv(seed, n, d):
    """But for test samples whose sign the proofs leave open.

    ‖w − w*‖² is at most twice the gap, 2e-9 C n, and C n at most 6000: both f are known to 0.01.
    """
    X, y = data(seed, n=n, d=d)
    y, folds = y > 0, list(StratifiedKFold(3).split(X, y))
    grid = {"C": [0.1, 1.0, 100.0], "gamma": [0.05, 0.1, 0.7]}
    search = SVCCV(grid["C"], grid["gamma"], cv=folds, tol=1e-9).fit(X, y)
    peer = GridSearchCV(svm.SVC(tol=1e-9), grid, cv=folds).fit(X, y)
    assert search.cv_results_["params"] == peer.cv_results_["params"]
    assert set(peer.cv_results_) <= set(search.cv_results_)
    room = np.array([(np.abs(f) < 0.02).mean(axis=1) for f in search.test_decision_values_])
    for k in range(3):
        ours, theirs = (s.cv_results_[f"split{k}_test_score"] for s in (search, peer))
        assert (np.abs(ours - theirs) <= room[k] + 1e-12).all()
    theirs, room = peer.cv_results_["mean_test_score"], room.mean(axis=0)
    chosen, best = search.best_index_, peer.best_index_
    assert theirs[chosen] >= theirs[best] - room[chosen] - room[best] - 1e-12
    assert search.worst_relative_gap_ <= 1e-9
    results = search.cv_results_
    splits = [results[f"split{k}_relative_gap"] for k in range(search.n_splits_)]
    assert_array_equal(results["worst_relative_gap"], np.max(splits, axis=0))
    assert search.worst_relative_gap_ == np.max(splits)
    if not room.any():
        assert search.best_params_ == peer.best_params_
        assert_array_equal(search.predict(X), peer.predict(X))


def check_folds(search, model, X, y, folds, atol):
    for k, (train, test) in enumerate(folds):
        columns = train if model.kernel == "precomputed" else np.arange(X.shape[1])
        for c, params in enumerate(search.cv_results_["params"]):
            model.set_params(**params).fit(X[np.ix_(train, columns)], y[train])
            f = model.decision_function(X[np.ix_(test, columns)])
            assert_allclose(search.test_decision_values_[k][c], f, atol=atol)
        assert_array_equal(search.test_indices_[k], test)


def test_any_splitter_groups_weights_and_classes():
    X, y = data(3, n=60)
    groups, y, weights = np.repeat(np.arange(12), 5), y > 0, {True: 3.0}
    search = SVCCV((0.3, 3.0), (0.2, 0.4), class_weight=weights, cv=GroupKFold(4), tol=1e-7)
    search.fit(X, y, groups=groups)
    folds = [*GroupKFold(4).split(X, y, groups)]
    check_folds(search, SVC(class_weight=weights, tol=1e-7), X, y, folds, atol=5e-3)
    balanced = SVCCV((0.3,), (0.2,), class_weight="balanced", tol=1e-7).fit(X, y)
    assert_allclose(balanced.best_estimator_.class_weight_, 30 / np.bincount(y), rtol=1e-12)


def test_a_weight_of_three_is_three_copies_and_none_is_no_sample():
    X, y = data(5, n=40)
    weights = np.random.default_rng(5).integers(0, 4, 40)
    copies, half = np.repeat(np.arange(40), weights), np.arange(40) % 2 == 0
    folds = [(np.flatnonzero(half), np.flatnonzero(~half)), (~half, half)]  # numbers or masks
    again = [(np.flatnonzero(half[copies] == k), np.flatnonzero(half[copies] != k)) for k in (1, 0)]
    grid = (0.3, 3.0), (0.2, 0.4)
    weighted = SVCCV(*grid, cv=folds, tol=1e-7).fit(X, y, weights)
    repeated = SVCCV(*grid, cv=again, tol=1e-7).fit(X[copies], y[copies])
    for name in ("mean_test_score", "rank_test_score"):
        assert_allclose(weighted.cv_results_[name], repeated.cv_results_[name], rtol=1e-12)
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=5e-3)


def test_scores_are_those_of_scikit_learn_with_weights_or_of_ones_own():
    (X, y), weights = data(5, n=40), np.random.default_rng(5).integers(1, 4, 40)
    area = SVCCV((0.3, 3.0), (0.2, 0.4), cv=2, scoring="roc_auc").fit(X, y, weights)
    for k, test in enumerate(area.test_indices_):
        values, given = area.test_decision_values_[k], {"sample_weight": weights[test]}
        true = [roc_auc_score(y[test], f, **given) for f in values]
        assert_allclose(area.cv_results_[f"split{k}_test_score"], true, rtol=1e-12)
    search = SVCCV((1.0,), (0.5,), scoring=lambda model, X, y: (model.predict(X) != y).mean())
    plain = SVCCV((1.0,), (0.5,)).fit(X, y, np.ones(40))
    assert_allclose(search.fit(X, y, np.ones(40)).best_score_, 1 - plain.best_score_)


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid", "precomputed", RBF(0.2)])
def test_other_kernels(kernel):
    X, y = data(4, n=45)  # for which the best b is one number, not an interval
    given = RBF(0.5)(X, X) if kernel == "precomputed" else X
    gammas = (0.01, 0.02) if kernel in ("poly", "sigmoid") else None
    search = SVCCV((0.3, 3.0), gammas, kernel=kernel, coef0=-1e-3, tol=1e-6)
    search.set_params(coef0=1.0 if kernel == "poly" else -1e-3).fit(given, y)
    model, folds = SVC(kernel=kernel, coef0=search.coef0, tol=1e-6), StratifiedKFold(5)
    check_folds(search, model, given, y, [*folds.split(given, y)], atol=1e-3)
    assert search.predict(given).shape == y.shape
    assert np.isinf(search.worst_relative_gap_) == (kernel == "sigmoid")  # where nothing is proved
    assert ("param_gamma" in search.cv_results_) == (kernel in ("poly", "sigmoid"))


def test_all_machines_share_one_matrix():
    (X, y), shapes = data(4, n=45), []
    kernel = lambda A, B: shapes.append((len(A), len(B))) or RBF(0.5)(A, B)  # noqa: E731
    SVCCV((0.3, 3.0), kernel=kernel, refit=False).fit(X, y)
    assert [shape for shape in shapes if shape[0] > 32] == [(45, 45)]  # diagonals ask for less


def test_a_search_where_all_kernel_values_are_0_has_no_features():
    search = SVCCV((1.0,), (1.0,), kernel="poly", cv=2).fit(np.zeros((40, 1)), [-1, 1] * 20)
    assert search.best_score_ == 0.5


def test_the_origin_of_a_linear_search_moves():
    """Far out every gap would be larger by the rounding of b and of w·x."""
    X, y = data(4, n=45)
    X = np.round(2**8 * X) / 2**8  # so that the shift is exact
    here, there = (
        SVCCV((1.0,), kernel="linear", refit=False).fit(X + far, y).cv_results_["mean_relative_gap"]
        for far in (0, 2.0**36)
    )
    assert_allclose(there, here, rtol=1e-6)


def test_a_start_moves_those_at_their_bound():
    """The others only make up for what Σ α_i y_i = 0 takes, or are what they were."""
    problem = DualProblem(*data(12, n=60), C=2.0, kernel=RBF(2.0))
    alpha = newton(problem, tol=1e-9).alpha
    free, larger = (alpha > 0) & (alpha < 2), problem.with_bounds(np.full(60, 2.01))
    assert free.sum() > 5
    start = _warm_start(alpha, problem.upper, larger)
    assert {*start[alpha == 2]} == {2.01}
    assert {*start[alpha == 0]} == {0}
    assert abs(start @ problem.y) <= 1e-12
    assert ((start >= 0) & (start <= 2.01)).all()
    assert np.abs(start - alpha)[free].max() < 0.1
    kept = np.where(free, alpha, 0)
    assert _warm_start(kept, problem.upper, larger) is kept


def test_a_start_whose_certificate_does_not_reach_the_tolerance_is_no_end(monkeypatch):
    """The steps of SMO that make a start neglect rounding, the certificate does not."""
    claims = Start(np.zeros(40), reaches_tol=True)
    monkeypatch.setattr(_regularisation_path, "easy_start", lambda *_: claims)
    search = SVCCV((0.01,), (0.1,), cv=2, refit=False).fit(*data(8, n=80))
    assert search.worst_relative_gap_ <= 1e-3


def test_neighbours_spare_steps():
    X, y = data(7, n=100)
    Cs = 10.0 ** np.arange(0.5, 1.51, 0.1)  # not so small that SMO begins
    began = perf_counter()
    results = SVCCV(Cs, (0.5,), refit=False).fit(X, y).cv_results_
    for name in "mean_fit_time", "mean_score_time":
        assert 0 < 5 * results[name].sum() <= perf_counter() - began
    together = results["mean_n_iter"]
    alone = [SVCCV((C,), (0.5,), refit=False).fit(X, y).cv_results_["mean_n_iter"] for C in Cs]
    assert together[1:].sum() < 0.75 * np.sum(alone[1:])


def test_without_room_for_k_it_says_so_and_finds_the_same():
    X, y = data(4, n=80)
    grid = {"Cs": (0.1, 1.0, 100.0), "gammas": (0.1, 0.2), "tol": 1e-6}
    said = "does not fit into memory_mb=0.02.* its own rows .*memory_mb=1 is enough"
    with pytest.warns(UserWarning, match=said) as told:
        small = SVCCV(**grid, memory_mb=0.02).fit(X, y)
    assert told[0].filename == __file__
    shared = SVCCV((0.1,), (0.1, 0.2), cv=2, memory_mb=7, refit=False, n_jobs=2)
    with pytest.warns(match="memory_mb=8 is enough"), parallel_config(backend="threading"):
        shared.fit(*data(4, n=400))  # 2 · 3 · 8 · 400² / 2²⁰ is 7.3
    large = SVCCV(**grid, memory_mb=3 * 8 * 80**2 / 2**20).fit(X, y)  # just enough
    assert small.worst_relative_gap_ <= 1e-6
    for f, g in zip(small.test_decision_values_, large.test_decision_values_, strict=True):
        assert_allclose(f, g, atol=0.02)


def test_several_processes_find_the_same_and_each_machine_once(caplog):
    X, y = data(6)
    caplog.set_level("INFO", logger="svmlib.search")
    with parallel_config(backend="threading"):
        shared = SVCCV((0.1, 10.0), (0.1, 0.2, 1.0), n_jobs=3).fit(X, y)
    assert sum(record.name == "svmlib.search" for record in caplog.records) == 2 * 3 * 5
    alone = SVCCV((0.1, 10.0), (0.1, 0.2, 1.0)).fit(X, y)
    assert_allclose(shared.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
    SVCCV((1.0,), kernel="linear", cv=3, memory_mb=0.01).fit(X, y)
    assert any(text.startswith("Linear(), fold 1 of 3, C=1: relative") for text in caplog.messages)


def test_an_interrupted_search_keeps_what_it_has(monkeypatch, caplog):
    X, y = data(8)
    search = SVCCV((1.0, 2.0), (0.1, 0.2), cv=3)
    whole = SVCCV((1.0, 2.0), (0.1, 0.2), cv=3).fit(X, y).cv_results_

    def interrupted(*arguments):
        yield from islice(fit_candidates(*arguments), 8)
        raise KeyboardInterrupt

    monkeypatch.setattr("svmlib.search.fit_candidates", interrupted)
    caplog.set_level("INFO", "svmlib.search")
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    with pytest.raises(ValueError, match="candidate 1 must have been fitted in every fold"):
        search.compare(0, 1)
    kept, places = search.cv_results_, (("mean_test_score", 0), ("split0_test_score", 1))
    assert all(kept[name][k] == whole[name][k] for name, k in places)
    assert np.isnan(kept["mean_test_score"][1])
    assert_array_equal(kept["rank_test_score"][[1, 3]], 3)
    last = "RBF(gamma=0.2), fold 1 of 3, C=2: relative duality gap "
    assert any(text.startswith(last) for text in caplog.messages)


def test_one_standard_error_takes_the_simplest_of_the_good():
    params = [{"C": C, "gamma": g} for C in (1.0, 10.0) for g in (0.1, 1.0)]
    scores = np.array([[0.8, 0.9], [0.9, 0.9], [0.82, 0.94], [0.86, 0.98]])  # best: 0.92 ± 0.06
    results = {f"split{k}_test_score": scores[:, k] for k in range(2)}
    results |= {"params": params, "mean_test_score": scores.mean(axis=1), "split0_n_iter": [9] * 4}
    assert one_standard_error(results) == 2  # 0.88 ≥ 0.86, with the small γ; 0.85 is too little
    alone = {"params": params, "split0_test_score": scores[:, 1], "mean_test_score": scores[:, 1]}
    assert one_standard_error(alone) == 3, "one fold has no standard error"
    alone |= {"params": [{"C": 1.0, "gamma": 1.0, "tol": k} for k in range(4)]}
    alone |= {"split0_test_score": np.ones(4), "split1_test_score": np.array([0, 0, 0.5, 0])}
    assert one_standard_error(alone | {"mean_test_score": [np.nan, 0.5, 0.75, 0.5]}) == 2, "best"
    search, scale = SVCCV(refit=one_standard_error), SVC().fit(*data(9, n=60)).kernel_.gamma
    widths = search.fit(*data(9, n=60)).cv_results_["param_gamma"] / scale
    assert_allclose(widths, 7 * [1 / 16, 1 / 4, 1, 4, 16])  # for each of the seven C
    assert (
        search.best_params_ == search.cv_results_["params"][one_standard_error(search.cv_results_)]
    )
    assert search.best_params_ == {k: getattr(search.best_estimator_, k) for k in ("C", "gamma")}


def test_one_standard_error_reads_parameters_of_a_step_and_says_what_it_cannot_order():
    X, y = data(9, n=60)
    grid = {"C": (0.1, 10.0), "gamma": (0.1, 1.0)}
    alone = GridSearchCV(SVC(), grid, refit=one_standard_error).fit(X, y)
    steps = make_pipeline(FunctionTransformer(), SVC())
    inside = GridSearchCV(steps, {f"svc__{k}": v for k, v in grid.items()}).fit(X, y)
    assert one_standard_error(inside.cv_results_) == alone.best_index_ != 3
    results = {"split0_test_score": np.ones(2), "mean_test_score": np.ones(2)}
    for params, message in (
        ([{"C": 1.0, "gamma": "scale"}, {"C": 1.0, "gamma": 1.0}], "gamma must be .* 'scale'"),
        ([{"C": 1.0}, {"C": None}], "C must be a finite number"),
    ):
        with pytest.raises(ValueError, match=message):
            one_standard_error(results | {"params": params})
    names = [{"svc__C": C, "svc__gamma": "scale"} for C in (2.0, 1.0)]
    assert one_standard_error(results | {"params": names}) == 1
    with pytest.raises(ValueError, match="a mean_test_score that is not NaN"):
        one_standard_error(results | {"params": names, "mean_test_score": np.full(2, np.nan)})


@pytest.mark.parametrize(
    ("key", "name"),
    [("scoring", "acurracy"), ("scoring", ["accuracy", "f1"]), ("refit", "accuracy")],
)
def test_what_is_wrong_is_told_before_the_search(key, name, monkeypatch):
    monkeypatch.setattr(SVCCV, "_search", lambda *_: pytest.fail("the search has begun"))
    X, y = data(8)
    with pytest.raises(ValueError, match=f"{key}.*{re.escape(repr(name))}"):
        SVCCV(**{key: name}).fit(X, y)
    for points in X.astype(str), (X * 1e17).astype(int):
        for model in SVC(), SVCCV():
            with pytest.raises(ValueError, match=r"strings|X must hold integers"):
                model.fit(points, y)


def test_a_scorer_that_fails_is_named_at_the_first_machine():
    search = SVCCV((1.0, 2.0), (0.1, 0.2), cv=3, scoring="neg_log_loss")
    with pytest.raises(ValueError, match=r"scoring must work .*'neg_log_loss' fails"):
        search.fit(*data(8))
    assert np.isfinite(search.cv_results_["split0_relative_gap"]).sum() == 1


def test_a_gamma_may_be_given_alone():
    X, y = data(8)
    for gamma in "scale", 0.5, np.float64(0.5):
        one, many = (SVCCV((1.0,), each).fit(X, y) for each in (gamma, (gamma,)))
        assert one.best_params_ == many.best_params_
        assert_array_equal(one.test_decision_values_, many.test_decision_values_)
    assert SVCCV((1.0,), np.array(0.5)).fit(X, y).best_params_ == {"C": 1.0, "gamma": 0.5}


def test_comparison_of_two_candidates():
    X, y = data(10, n=60)
    search = SVCCV((0.01, 10.0), (0.01, 1.0), cv=4, refit=False).fit(X, y)
    first = search.test_indices_[0]
    search.test_decision_values_[0][0, y[first].argmax()] = 0  # is an answer for the second class
    found, results = search.compare(0, 3), search.cv_results_
    right = np.zeros((2, 60), dtype=bool)
    for k, test in enumerate(search.test_indices_):
        right[:, test] = (search.test_decision_values_[k][[0, 3]] >= 0) == (y[test] > 0)
    assert found.only_first == (right[0] & ~right[1]).sum()
    assert found.only_second == (right[1] & ~right[0]).sum() > 0
    differences = [results[f"split{k}_test_score"] @ [1, 0, 0, -1] for k in range(4)]
    one = SVCCV((0.1, 1.0), (0.5,), cv=[(np.arange(40), np.arange(40, 60))], refit=False)
    assert np.isnan(one.fit(X, y).compare(0, 1).standard_error)
    assert_allclose(found.difference, np.mean(differences))
    assert_allclose(found.standard_error, np.std(differences, ddof=1) / 2)


def test_what_is_not_proved_or_not_kept_is_said(monkeypatch):
    X, y = data(11)
    said = r"5 of 5 machines .* largest relative duality gap is .*e-1\d. Scale the columns of X, or"
    with pytest.warns(ConvergenceWarning, match=said) as told:
        search = SVCCV((1.0,), (0.5,), tol=1e-17, refit=False).fit(X, y)
    assert told[0].filename == __file__
    with pytest.raises(NotFittedError, match="refit=False, which keeps no machine"):
        search.predict(X)
    monkeypatch.setattr(SVC, "fit", lambda *_: pytest.fail("no memory"))
    search = SVCCV((1.0,), (0.1,), cv=2)
    with pytest.raises(pytest.fail.Exception, match="no memory"):
        search.fit(X, y)
    assert search.best_index_ == 0
    with pytest.raises(NotFittedError):
        search.decision_function(X)

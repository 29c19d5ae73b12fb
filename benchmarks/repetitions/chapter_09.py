"""Whether the sentences of chapter 9 hold with other seeds, other cuts and other forms.

`python benchmarks/repetitions/chapter_09.py` repeats each experiment ten times and prints in how
many the sentence held; with names, only these. A sentence that holds in fewer than nine of ten is
changed. Seeds start at 100, so that none is one of the chapter's. `chapter_09.py triples` instead
prints what the one-standard-error rule loses after training on any three of the fourteen forms, and
`chapter_09.py tables` how much a difference of two machines varies over whole new tables.
"""

from __future__ import annotations

import sys
from itertools import combinations, product
from typing import Any

import numpy as np
from of_chapter import functions, repeat
from palmerpenguins import load_penguins
from scipy.spatial.distance import cdist
from scipy.stats import norm
from sklearn import svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from svmlib.book import practice
from svmlib.book.practice.search import fit

birds = load_penguins().dropna(subset="sex")
sizes = birds[[name for name in birds if name.endswith(("_mm", "_g"))]].to_numpy()
sex = (birds.sex == "male").to_numpy().astype(int)
couple = birds.index.to_numpy() // 2
digits = load_digits()
pixels, odd = digits.data / 16, digits.target % 2
form = practice.digit_forms(digits.target)
line = svm.SVC(kernel="linear")


def right(model: Any, X: Any, y: Any, seed: int) -> Any:
    return practice.hidden_answers(model, X, y, practice.cut(y, seed=seed)) == y


def bird_right(model: Any, X: Any, seed: int) -> Any:
    folds = practice.cut(sex, groups=couple, seed=seed)
    return practice.hidden_answers(model, X, sex, folds) == sex


def scaling_is_the_great_step(seed: int) -> bool:
    raw, scaled = (
        bird_right(model, sizes, seed).mean()
        for model in (svm.SVC(), make_pipeline(StandardScaler(), svm.SVC()))
    )
    return bool(scaled - raw > 0.2)


def neighbours_fill_better_than_the_median_where_there_are_holes(seed: int) -> bool:
    gains = []
    for k in range(3):  # the chapter has ten
        holes = np.random.default_rng(10 * seed + k).uniform(size=sizes.shape) < 0.15
        punched, some = np.where(holes, np.nan, sizes), holes.any(axis=1)
        fillers = KNNImputer(), SimpleImputer(strategy="median")
        a, b = (
            bird_right(make_pipeline(StandardScaler(), f, line), punched, k)[some].mean()
            for f in fillers
        )
        gains.append(a - b)
    return bool(np.mean(gains) > 0)


def three_forms(seed: int) -> Any:
    """Three forms to learn from, and the others."""
    chosen = np.random.default_rng(seed).choice(np.arange(1, 15), 3, replace=False)
    return np.isin(form, chosen)


def a_large_gamma_loses_the_threshold_and_not_the_order(seed: int) -> bool:
    some = three_forms(seed)
    X, y, groups = pixels[some], odd[some], form[some]
    f = practice.hidden_answers(
        svm.SVC(gamma=10), X, y, GroupKFold(3), groups, method="decision_function"
    )
    areas = [roc_auc_score(y[groups == k], f[groups == k]) for k in np.unique(groups)]
    return bool(np.mean((f > 0) == y) < 0.7 and np.mean(areas) > 0.9)


def folds_by_form_make_more_mistakes_whichever_two_forms_are_one(seed: int) -> bool:
    some, digit, model = form <= 7, digits.target, svm.SVC(C=10, gamma=0.1)
    cut = StratifiedKFold(5, shuffle=True, random_state=seed)
    at_random = np.sum(
        practice.hidden_answers(model, pixels[some], digit[some], cut) != digit[some]
    )
    by_form = GroupKFold(5, shuffle=True, random_state=seed)
    mistakes = []
    for a, b in combinations(range(1, 8), 2):
        writer = np.where(form == a, b, form)[some]
        said = practice.hidden_answers(model, pixels[some], digit[some], by_form, writer)
        mistakes.append(np.sum(said != digit[some]))
    return bool(min(mistakes) > 4 * at_random)


def random_folds_promise_more_than_the_lock_keeps_and_forms_do_not(seed: int) -> bool:
    some = three_forms(seed)
    model = svm.SVC(C=10, gamma=0.1)
    random_folds = right(model, pixels[some], odd[some], seed).mean()
    by_form = (
        practice.hidden_answers(model, pixels[some], odd[some], GroupKFold(3), form[some])
        == odd[some]
    )
    held_out = model.fit(pixels[some], odd[some]).score(pixels[~some], odd[~some])
    return bool(random_folds > held_out + 0.02 and by_form.mean() < held_out + 0.02)


def the_hint_alone_beats_the_majority_on_later_rows_of_engines_and_all_columns_do_not(
    seed: int,
) -> bool:
    """In random folds all columns do: no later rows keep what these promise."""
    engine, model = functions("09_practice")["engine"], make_pipeline(StandardScaler(), svm.SVC())
    shares = []
    for k in range(20):
        X, ill = engine(20 * seed + k)
        later = practice.cut(ill, time=np.arange(1500), n_folds=3, gap=100)
        cuts = practice.cut(ill, seed=seed), later, later, later
        tries = zip(
            (model, model, model, DummyClassifier()), (X, X, X[:, 4:], X), cuts, strict=True
        )
        answers = (practice.hidden_answers(m, Z, ill, folds) for m, Z, folds in tries)
        shares.append([np.ma.mean(said == ill) for said in answers])
    at_random, in_time, hint, same = np.transpose(shares)
    return bool(
        at_random.mean() > in_time.mean() + 0.2
        and np.mean(hint - same) > 2 * practice.standard_error(hint - same)
        and np.mean(in_time - same) < 2 * practice.standard_error(in_time - same)
    )


def two_standard_errors_lose_a_weak_signal_and_spare_nothing_on_noise(seed: int) -> bool:
    more: dict[float, list[float]] = {0.0: [], 0.9: []}
    for shift, k in product(more, range(12)):
        random = np.random.default_rng(100 * seed + k)
        (X, y), (Z, true) = ((random.standard_normal((n, 5)), np.arange(n) % 2) for n in (60, 2000))
        X[:, 0] += shift * y
        Z[:, 0] += shift * true
        table, costs = practice.frame(X), practice.Costs(y)
        steps = practice.prepared(practice.look(table))
        found = practice.search(steps, table, y, practice.cut(y), costs)
        same = [found.more(j, found.best) for j, c in enumerate(found.candidates) if c.kind == 0]
        beaten = all(extra > 2 * error for extra, error in same)
        X, Z = steps.fit_transform(table, y), steps.transform(practice.frame(Z))
        machine = fit(found.candidates[found.chosen], X, y, None, costs)
        wrong = np.mean(machine.predict(Z) != true)
        more[shift].append(0.0 if beaten else 2 * (0.5 - wrong))  # the same answer for all costs 1
    return bool(np.mean(more[0.9]) > 0.05 and abs(np.mean(more[0.0])) < 0.03)


def a_column_that_says_missing_helps_where_there_is_a_reason(seed: int) -> bool:
    broken = np.where(sizes > 4500, np.nan, sizes)
    fillers = (SimpleImputer(strategy="median", add_indicator=told) for told in (True, False))
    a, b = (bird_right(make_pipeline(StandardScaler(), f, line), broken, seed) for f in fillers)
    return bool(a.mean() > b.mean())


def twins_at_random_choose_a_larger_gamma_and_promise_more(seed: int) -> bool:
    twins = np.repeat(np.arange(len(sex)), 2)
    model = make_pipeline(StandardScaler(), svm.SVC(C=10))
    grid = {"svc__gamma": 10.0 ** np.arange(-3, 4)}
    cuts = (
        practice.cut(sex[twins], seed=seed),
        practice.cut(sex[twins], groups=couple[twins], seed=seed),
    )
    a, b = (GridSearchCV(model, grid, cv=cv).fit(sizes[twins], sex[twins]) for cv in cuts)
    wider = a.best_params_["svc__gamma"] > b.best_params_["svc__gamma"]
    return bool(wider and a.best_score_ > b.best_score_ + 0.03)


def the_kernel_is_better_on_digits_and_level_on_tumours(seed: int) -> bool:
    some = np.isin(form, np.random.default_rng(seed).choice(np.arange(1, 15), 7, replace=False))
    cut = GroupKFold(3, shuffle=True, random_state=seed)
    a, b = (
        practice.hidden_answers(model, pixels[some], odd[some], cut, form[some]) == odd[some]
        for model in (svm.SVC(C=10, gamma=0.1), svm.SVC(kernel="linear", C=0.1))
    )
    tumours = load_breast_cancer()
    c, d = (
        right(make_pipeline(StandardScaler(), model), *(tumours.data, tumours.target), seed)
        for model in (svm.SVC(C=10, gamma=0.01), svm.SVC(kernel="linear", C=0.1))
    )
    spares, level = 1 * a - b, 1 * c - d
    return bool(
        spares.mean() > 2 * practice.standard_error(spares, form[some])
        and abs(level.mean()) <= 2 * practice.standard_error(level)
    )


def a_column_from_the_future_promises_what_use_does_not_keep(seed: int) -> bool:
    egg = (sex == 0) & (np.random.default_rng(seed).uniform(size=len(sex)) < 0.8)
    model, kept = make_pipeline(StandardScaler(), line), []
    for seen, hidden in practice.cut(sex, groups=couple, seed=seed):
        model.fit(np.column_stack((sizes, egg))[seen], sex[seen])
        blind = np.column_stack((sizes, 0 * egg))[hidden]
        kept.append(model.score(blind, sex[hidden]))
    promised = bird_right(model, np.column_stack((sizes, egg)), seed).mean()
    return bool(promised > bird_right(model, sizes, seed).mean() > np.mean(kept))


def the_best_of_sixteen_claims_more_than_a_half_on_noise(seed: int) -> bool:
    random = np.random.default_rng(seed)
    blank, best = random.standard_normal((60, 5)), []
    trials = 10.0 ** random.uniform((-2, -3), (4, 1), size=(16, 2))
    for _ in range(5):
        y = random.permutation(60) % 2
        cut = practice.cut(y, n_folds=3, seed=0)
        machines = [svm.SVC(C=C, gamma=gamma) for C, gamma in trials]
        best.append(max(np.mean(practice.hidden_answers(m, blank, y, cut) == y) for m in machines))
    return bool(np.mean(best) > 0.53)


diabetes = load_diabetes()
severe = (diabetes.target > np.quantile(diabetes.target, 0.9)).astype(int)


def hidden_f(weights: Any, seed: int) -> Any:
    model = make_pipeline(StandardScaler(), svm.SVC(kernel="linear", C=0.01, class_weight=weights))
    folds = practice.cut(severe, seed=seed)
    return practice.hidden_answers(model, diabetes.data, severe, folds, method="decision_function")


def costs_with_tuned_machines(seed: int, miss: int) -> dict[str, Any]:
    """Costs of each patient, by weights in the ratio of the prices and by a moved threshold."""
    chapter = functions("09_practice")
    chapter.update(diabetes=diabetes, severe=severe)
    moved = chapter["best_threshold"]
    rules = {miss: lambda f, y, c: 0, "balanced": moved, None: moved}
    rules["logistic"] = lambda f, y, c: -np.log(c)
    return {
        "weights" if kind == miss else str(kind): np.mean(
            [chapter["paid"](kind, rule, miss, 2 * seed + k) for k in range(2)], axis=0
        )
        for kind, rule in rules.items()
    }


def weights_in_the_ratio_of_costs_beat_calling_all_and_nobody(seed: int) -> bool:
    return all(
        costs_with_tuned_machines(seed, miss)["weights"].sum()
        < min(miss * severe.sum(), np.sum(severe == 0))
        for miss in (3, 10, 30)
    )


def a_balanced_threshold_is_level_with_weights_and_one_without_weights_costs_more(
    seed: int,
) -> bool:
    level = norm.ppf(1 - 0.05 / 2 / 9)  # nine comparisons
    for miss in (3, 10, 30):
        costs = costs_with_tuned_machines(seed, miss)
        dearer = costs["None"].sum() > costs["weights"].sum()
        others = (costs[name] - costs["weights"] for name in ("balanced", "logistic"))
        clear = any(abs(m.mean()) > level * practice.standard_error(m) for m in others)
        if clear or (miss < 30 and not dearer):
            return False
    return True


def undoing_balanced_weights_mends_the_probabilities(seed: int) -> bool:
    f, undo = hidden_f("balanced", seed), np.log(severe.sum() / np.sum(severe == 0))
    scores = [np.mean((1 / (1 + np.exp(-f - shift)) - severe) ** 2) for shift in (0, undo)]
    return bool(scores[1] < 0.7 * scores[0])


def a_platt_curve_is_nearer_to_the_diagonal_and_no_better_by_brier_score(seed: int) -> bool:
    """Compare it with balanced weights that are undone, and with logistic regression."""
    undo, curves, losses = np.log(severe.sum() / np.sum(severe == 0)), [], []
    balanced = make_pipeline(
        StandardScaler(), svm.SVC(kernel="linear", C=0.01, class_weight="balanced")
    )
    others = (
        CalibratedClassifierCV(balanced, ensemble=False),
        make_pipeline(StandardScaler(), LogisticRegression(C=0.1)),
    )
    for cut in range(5 * seed, 5 * seed + 5):
        folds = StratifiedKFold(5, shuffle=True, random_state=cut)
        said = [1 / (1 + np.exp(-hidden_f("balanced", cut) - undo))]
        for model in others:
            p = cross_val_predict(model, diabetes.data, severe, cv=folds, method="predict_proba")
            said.append(p[:, 1])
        fifths = [np.array_split(np.argsort(p, kind="stable"), 5) for p in said]
        curves.append(
            [
                [abs(p[k].mean() - severe[k].mean()) for k in parts]
                for p, parts in zip(said, fifths, strict=True)
            ]
        )
        losses.append([(p - severe) ** 2 for p in said])
    undone, platt, _ = np.mean(curves, axis=0).max(axis=1)
    first, second, third = np.mean(losses, axis=0)
    level = all(
        abs(more.mean()) < 2 * practice.standard_error(more)
        for more in (first - second, third - second)
    )
    return bool(platt < 0.5 * undone and level)


def the_lower_right_of_the_map_falls_by_less_than_two_standard_errors(seed: int) -> bool:
    some, means = three_forms(seed), []
    X, y, groups = pixels[some], odd[some], form[some]
    for C in (100, 10_000):
        model = svm.SVC(C=C, gamma=1e-4)
        means.append(1 * (practice.hidden_answers(model, X, y, GroupKFold(3), groups) == y))
    fall = means[0] - means[1]
    return bool(fall.mean() < 2 * practice.standard_error(fall, groups))


def the_kernel_wins_on_the_shell_and_trees_on_the_rule_unless_it_sees_two_columns(
    seed: int,
) -> bool:
    kernel = make_pipeline(StandardScaler(), svm.SVC())
    trees = HistGradientBoostingClassifier(
        learning_rate=0.2, max_leaf_nodes=6, max_iter=30, random_state=0
    )
    shares = [
        [
            right(model, X, y, seed).mean()
            for X, y in functions("09_practice")["shell_and_rule"](seed)
        ]
        for model in (kernel, trees)
    ]
    (a, c, e), (b, d, _) = shares
    return bool(a > b and d > c and e > c + 0.1)


SENTENCES = [
    scaling_is_the_great_step,
    neighbours_fill_better_than_the_median_where_there_are_holes,
    a_large_gamma_loses_the_threshold_and_not_the_order,
    folds_by_form_make_more_mistakes_whichever_two_forms_are_one,
    random_folds_promise_more_than_the_lock_keeps_and_forms_do_not,
    the_hint_alone_beats_the_majority_on_later_rows_of_engines_and_all_columns_do_not,
    two_standard_errors_lose_a_weak_signal_and_spare_nothing_on_noise,
    a_column_that_says_missing_helps_where_there_is_a_reason,
    twins_at_random_choose_a_larger_gamma_and_promise_more,
    the_kernel_is_better_on_digits_and_level_on_tumours,
    a_column_from_the_future_promises_what_use_does_not_keep,
    the_best_of_sixteen_claims_more_than_a_half_on_noise,
    weights_in_the_ratio_of_costs_beat_calling_all_and_nobody,
    a_balanced_threshold_is_level_with_weights_and_one_without_weights_costs_more,
    undoing_balanced_weights_mends_the_probabilities,
    a_platt_curve_is_nearer_to_the_diagonal_and_no_better_by_brier_score,
    the_lower_right_of_the_map_falls_by_less_than_two_standard_errors,
    the_kernel_wins_on_the_shell_and_trees_on_the_rule_unless_it_sees_two_columns,
]


def share_right(kernel: Any, C: float, seen: Any, hidden: Any) -> float:
    """Train on some digits, and return the share of the hidden ones whose parity is right."""
    model = svm.SVC(C=C, kernel="precomputed").fit(kernel[np.ix_(seen, seen)], odd[seen])
    return float(model.score(kernel[np.ix_(hidden, seen)], odd[hidden]))


def triples() -> None:
    """Print how many more errors others than the winner make, after training on any three forms."""
    powers, squares = 10.0 ** np.arange(-4, 5), cdist(pixels, pixels, "sqeuclidean")
    kernels = [np.exp(-gamma * squares) for gamma in powers[:6]] + [pixels @ pixels.T]
    machines = list(product(kernels, powers[2:]))  # the simplest first, and the lines at the end
    n_bent, covered = len(machines) - len(powers[2:]), []
    losses: dict[str, list[float]] = {"line": [], "simplest": [], "rule": []}
    for three in combinations(range(1, 15), 3):
        some = np.isin(form, three)
        scores = np.array(
            [[share_right(K, C, some & (form != k), form == k) for K, C in machines] for k in three]
        )
        best = scores[:, :n_bent].mean(axis=0).argmax()
        more = (scores[:, [best]] - scores)[:, :n_bent]
        means, errors = more.mean(axis=0), more.std(axis=0, ddof=1) / 3**0.5
        simplest = np.argmax(means <= scores[:, best].std(ddof=1) / 3**0.5)
        taken = {
            "line": n_bent + scores[:, n_bent:].mean(axis=0).argmax(),
            "simplest": simplest,
            "rule": np.argmax(means <= errors),
        }
        K, C = machines[best]
        right = share_right(K, C, some, ~some)
        for name, k in taken.items():
            K, C = machines[k]
            losses[name].append(right - share_right(K, C, some, ~some))
        limits = means[simplest] + np.array([2, 4.3]) * errors[simplest]
        covered.append(losses["simplest"][-1] <= limits)
    print(f"after training on three of 14 forms, {len(covered)} triples, judged by the others")
    for name, loss in losses.items():
        shares = (f"{np.mean(np.array(loss) >= x):.1%} lose {x}" for x in (0.02, 0.05, 0.08))
        nothing = f"{np.mean(np.array(loss) <= 0):.0%} lose nothing"
        ends = f"mean {np.mean(loss):.3f}, most {max(loss):.3f}"
        print(f"{name:8}: {ends}; {nothing}; {'; '.join(shares)}")
    two, more_than_four = np.mean(covered, axis=0)
    print(f"simplest: {two:.1%} lose at most what was seen + 2 standard errors", end="; ")
    print(f"{more_than_four:.1%} with 4.3")


def made_up(n_rows: int, seed: int) -> tuple[Any, Any]:
    """Return eight normal columns, the first four shifted for one class, and the classes."""
    y = np.arange(n_rows) % 2
    X = np.random.default_rng(seed).standard_normal((n_rows, 8))
    X[:, :4] += 0.6 * (y[:, np.newaxis] - 0.5)
    return X, y


def tables() -> None:
    """Print how a difference varies over 200 new tables, beside its standard error in one table."""
    pairs = {
        "RBF, line": (svm.SVC(), line),
        "C = 1, C = 10": (svm.SVC(), svm.SVC(C=10)),
        "RBF, tree": (svm.SVC(), DecisionTreeClassifier(max_depth=4, random_state=0)),
        "line, neighbours": (line, KNeighborsClassifier(5)),
    }
    for n_rows, (name, pair) in product((100, 300), pairs.items()):
        found = []
        for seed in range(100, 300):
            a, b = (1 * right(model, *made_up(n_rows, seed), seed) for model in pair)
            found.append(((a - b).mean(), practice.standard_error(a - b)))
        means, errors = np.transpose(found)
        ratio = means.std(ddof=1) / np.sqrt(np.mean(errors**2))
        beyond = np.mean(np.abs(means - means.mean()) > 2 * errors)
        print(f"{n_rows} rows, {name:16}: the means vary by {ratio:.2f} standard errors", end="; ")
        print(f"{beyond:.1%} are beyond two", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["triples"]:
        triples()
    elif sys.argv[1:] == ["tables"]:
        tables()
    else:
        repeat(SENTENCES)

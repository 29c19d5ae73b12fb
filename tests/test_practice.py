"""The recipe of chapter 9 as a module: right on tables of every kind, and a sentence where not."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, GroupKFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from svmlib.book import practice
from svmlib.book.practice.columns import OutlierClipper, frame
from svmlib.book.practice.folds import a_part


def two_hills(n=120, seed=0, far=3.0):
    random = np.random.default_rng(seed)
    y = random.integers(2, size=n)
    X = random.standard_normal((n, 2)) + far * y[:, None]
    return pd.DataFrame(X, columns=["a", "b"], index=random.permutation(n) + 7), y


def test_the_digits_of_a_form_have_the_order_of_every_form_except_for_missing_ones():
    target = load_digits().target
    forms = [target[practice.digit_forms(target) == k] for k in range(1, 15)]
    assert sum(map(len, forms)) == len(target)
    longest = max(forms, key=len)
    for form in forms:
        assert len(form) > 0.9 * len(longest)
        rest = iter(longest)
        assert all(digit in rest for digit in form[:-1])  # the last 8 of one form is called a 3


def test_answers_are_found_by_position_whatever_the_index_is_and_masked_where_there_is_none():
    table, y = two_hills()
    folds = practice.cut(y)
    plain = practice.hidden_answers(SVC(), table.to_numpy(), y, folds)
    column = pd.Series(y, index=table.index)
    np.testing.assert_array_equal(practice.hidden_answers(SVC(), table, column, folds), plain)
    assert np.mean(plain == y) > 0.95
    said = practice.hidden_answers(SVC(), table, y, TimeSeriesSplit(5))
    never = next(TimeSeriesSplit(5).split(y))[0]
    assert np.flatnonzero(said.mask).tolist() == never.tolist()
    right = said == y  # rows that are never hidden do not count
    known = right.data[~right.mask].astype(float)
    assert practice.standard_error(right) == pytest.approx(practice.standard_error(known))
    assert np.array_equal(practice.hidden_answers(SVC(), sparse.csr_array(table), y, folds), plain)
    three, every = y + (table.a > 4).to_numpy(), {"method": "decision_function"}
    assert practice.hidden_answers(SVC(), table, three, folds, **every).shape == (len(y), 3)


def test_the_search_inside_gets_the_groups_and_the_machine_the_weights():
    table, y = two_hills()
    groups = np.arange(len(y)) // 4
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1]}, cv=GroupKFold(3))
    folds = practice.cut(y, groups)
    practice.hidden_answers(search, table, y, folds, groups=groups)
    ignored = np.where(y == 0, 0.0, 1.0)
    with pytest.raises(ValueError, match="weight"):  # of one class nothing is left
        practice.hidden_answers(search.estimator, table, y, folds, weights=ignored)


@pytest.mark.parametrize("amount", [False, True])
def test_a_group_is_on_one_side(amount):
    random = np.random.default_rng(0)
    groups = random.integers(20, size=200)
    y = random.standard_normal(200) if amount else random.integers(2, size=200)
    folds = practice.cut(y, groups)
    assert not any(set(groups[seen]) & set(groups[hidden]) for seen, hidden in folds)
    assert sorted(np.concatenate([hidden for _, hidden in folds])) == [*range(200)]


def test_the_past_comes_before_the_future_with_a_gap_and_without_known_groups():
    random = np.random.default_rng(0)
    days, groups = random.permutation(100) // 2, random.integers(30, size=100)
    time = np.datetime64("2026-01-01") + days * np.timedelta64(1, "D")
    folds = practice.cut(np.arange(100) % 2, time=time, gap=np.timedelta64(3, "D"))
    assert len(folds) == 5
    for seen, hidden in folds:
        assert time[seen].max() < time[hidden].min() - np.timedelta64(3, "D")
    for seen, hidden in practice.cut(np.arange(100) % 2, groups, time):
        assert time[seen].max() < time[hidden].min()  # equal days are not torn apart
        assert not set(groups[seen]) & set(groups[hidden])
    with pytest.raises(ValueError, match=r"met again \(0, 1, 2, \.\.\.\)"):
        practice.cut(np.arange(100) % 2, np.arange(100) % 5, np.arange(100))


def test_the_lock_takes_the_latest_and_is_left_open_where_it_would_say_nothing():
    y, time = np.arange(400) % 2, np.arange(400.0)[::-1]
    learn, locked = practice.hold_out(y, time=time)
    assert time[locked].min() > time[learn].max()
    assert len(locked) == pytest.approx(80, abs=10)
    assert len(practice.hold_out(y, groups=np.arange(400) % 20)[1]) == 0  # four groups
    assert len(practice.hold_out(np.arange(400) % 10 == 0)[1]) == 0  # eight rare rows


def test_a_standard_error_counts_groups_and_weights():
    values = np.random.default_rng(1).standard_normal(30)
    means = values.reshape(10, 3).mean(axis=1)
    found = practice.standard_error(values, np.arange(30) // 3)
    assert found == pytest.approx(means.std(ddof=1) / 10**0.5)
    doubled = practice.standard_error(np.repeat(values, 2), np.repeat(np.arange(30), 2))
    assert doubled == pytest.approx(practice.standard_error(values, weights=np.full(30, 2.0)))
    # a mean is printed as Python rounds it, and never as minus zero
    assert practice.mean_with_error(np.repeat([0, 1], [549, 1251])) == "0.69 ± 0.01"  # 0.69499…
    assert practice.mean_with_error(np.array([-1e-4, 1e-5])) == "0.00 ± 0.00"


def odd_table():
    n = np.arange(60)
    return pd.DataFrame(
        {
            "id": n + 100,
            "mass": np.where(n == 5, np.nan, 3000 + (7 * n) % 50),
            "wild": np.where(n == 7, 1e6, 10 + (n % 13)),
            "income": np.exp(n % 17 / 2.0),
            "hour": n % 24,
            "asked": [f"{k}" if k % 20 else "n/a" for k in n],
            "colour": np.where(n % 3, "red", None),
            "clinic": [f"clinic {k % 40}" for k in n],
            "name": [f"patient{k}" for k in n],
            "day": pd.date_range("2026-01-01", periods=60).astype(str),
            "note": [f"the patient came back on day {k} and felt well" for k in n],
            "same": 1,
            "sent": pd.date_range("2026-01-01", periods=60, freq="h"),
            "code": np.where(n % 4 == 0, np.inf, n % 4),
        }
    )


ROLES = (
    "id left_out, mass number, wild number, income log, hour around_24, asked number, colour word,"
)
ROLES += "clinic many_words, name left_out, day date, note text, same left_out, sent date"


def test_each_kind_of_column_is_recognised():
    seen = {column.name: column for column in practice.look(odd_table())}
    for name, role in map(str.split, ROLES.split(",")):
        assert seen[name].role == role.replace("_", " ")
    assert seen["mass"].holes == 1
    assert "make it a hole (NaN)" in str(seen["wild"])
    assert "become holes" in str(seen["asked"])
    assert practice.look(odd_table(), {"mass": "left out"})[1].role == "left out"


def test_prepared_columns_are_finite_in_training_and_in_use():
    table = odd_table()
    steps = practice.prepared(practice.look(table)).fit(table, np.arange(60) % 2)
    in_use = table.iloc[:3].astype(object)
    in_use["mass"] = [None, "heavy", 1]
    in_use["colour"], in_use["day"], in_use["hour"] = "green", "soon", 23.5
    for rows in (table, in_use):
        assert np.isfinite(sparse.csr_array(steps.transform(rows)).data).all()


def test_a_wild_value_moves_no_other_row_far():
    x = np.random.default_rng(0).standard_normal((200, 1))
    spoilt = x.copy()
    spoilt[0] = 1e9
    steps = make_pipeline(OutlierClipper(), StandardScaler())
    one, other = (steps.fit(v).transform(x[1:]) for v in (x, spoilt))
    assert np.abs(one - other).max() < 1.5
    assert np.isnan(OutlierClipper(log=True).fit([[1.0], [2.0]]).transform([[-3.0]])).all()


def test_costs_by_class_by_mistake_by_function_and_by_share():
    y = np.array(["ill"] * 2 + ["well"] * 18)
    true, called = np.array(["ill", "well", "well"]), np.array(["well", "ill", "well"])
    for cost, prices in (
        ("equal", [1, 1, 0]),
        ("balanced", [9, 1, 0]),
        (None, [9, 1, 0]),  # because one class is rare
        ({"ill": 5}, [5, 1, 0]),
        ({("ill", "well"): 7}, [7, 1, 0]),
        (lambda t, c: 2.0 * (t != c), [2, 2, 0]),
    ):
        np.testing.assert_allclose(practice.Costs(y, cost).per_sample(true, called), prices)
    assert practice.Costs(y, {"ill": 5}).weights() == {"ill": 5.0, "well": 1.0}
    assert practice.Costs(y[1:4]).cost == "equal"
    amounts = np.linspace(0, 1, 40)
    assert practice.Costs(amounts).per_sample([1.0], [3.0]) == 2
    low = practice.Costs(amounts, lambda t, said: 3 * np.maximum(t - said, 0))
    np.testing.assert_allclose(low.per_sample(np.array([2.0, 1.0]), np.array([1.0, 2.0])), [3, 0])


NONE, LINE, BENT = (practice.Candidate(*given) for given in ((0,), (1, 0, 1), (2, 1, 1)))


def test_the_plainest_within_one_standard_error_is_chosen_and_with_few_groups_the_winner():
    losses = np.zeros((100, 3))
    losses[:50, 0] = 1
    losses[:3, 1] = 1  # two standard errors behind: 3 of 100 rows
    assert practice.simplest([NONE, LINE, BENT], losses) == (2, 2)
    losses[60, 2] = losses[61, 2] = 1
    assert practice.simplest([NONE, LINE, BENT], losses)[1] == 1
    losses = np.zeros((100, 2))
    losses[:3, 0], losses[3:5, 1] = 1, 1  # 3 : 2 is no reason for a machine
    assert practice.simplest([NONE, LINE], losses) == (1, 0)
    losses[5:7, 0] = 1  # 5 : 2 is more than one standard error
    assert practice.simplest([NONE, LINE], losses) == (1, 1)
    losses = np.zeros((100, 2))
    losses[:12, 0], losses[12:22, 1] = 1, 1  # 12 : 10, which is little: with few groups the winner
    for k, chosen in ((20, 0), (5, 1)):
        for plain in NONE, LINE:
            assert practice.simplest([plain, BENT], losses, np.arange(100) % k) == (1, chosen)
    assert practice.simplest([NONE, BENT], losses, np.zeros(100)) == (1, 1)  # a single group


def test_a_kernel_is_found_where_it_is_needed():
    random = np.random.default_rng(0)
    X = random.standard_normal((80, 2))
    ring = (np.linalg.norm(X, axis=1) > 1.2).astype(int)
    assert practice.recipe(X, ring, n_folds=2).candidate.kind == 2


def test_the_grid_grows_at_its_rim():
    table, y = two_hills(200, far=0.9)
    steps = practice.prepared(practice.look(1000 * table))
    found = practice.search(steps, 1000 * table, y, practice.cut(y), practice.Costs(y))
    best = found.candidates[found.best]
    prices = sorted({c.C for c in found.candidates if c.kind == best.kind})
    assert found.notes or prices[0] < best.C < prices[-1]


def test_three_lines_for_a_table_of_your_own(tmp_path):
    table, y = two_hills(330)
    table["word"] = [f"word {k % 25}" for k in range(330)]
    table["kind"], table["who"] = np.where(np.arange(330) % 2, "even", "odd"), np.arange(330) // 3
    table["sex"] = np.where(y, "male", "female")
    study = practice.recipe(table, "sex", by=["kind"], groups="who", n_folds=2)
    assert study.candidate.kind == 1, "a line is enough"
    text = study.report(tmp_path / "report.txt")
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == text + "\n"
    for words in ("hidden cost", "±", "kind even", "kind odd", "relative duality gap", "locked"):
        assert words in text
    assert len(study.rows) == 66
    assert "who" not in [column.name for column in study.task.columns]
    assert pickle.loads(pickle.dumps(study)).report() == text  # to keep for use
    assert np.mean(study.answers == study.task.y[study.rows]) > 0.9


def test_new_rows_are_answered_or_left_to_a_person():
    table, y = two_hills(120)
    table["kind"] = "x"
    table.iloc[::2, 2] = "y"
    coded = table.assign(b=np.where(np.arange(120) < 3, -999, table.b))  # an error widens no range
    study = practice.recipe(coded, np.where(y, "b", "a"), n_folds=2)
    new = table.iloc[:50].copy()
    new.iloc[0, 0], new.iloc[1, 2], new.iloc[2:4, 1] = 99.0, "z", [np.nan, -500.0]
    said = study.answered(new, leave=0.2)
    assert said.index.equals(new.index)
    assert said.outside.tolist()[:5] == ["a", "kind", "b", "b", ""]
    assert said.person.iloc[:4].all()
    assert 0.08 <= said.person.mean() <= 0.5
    assert not study.answered(table).person.any()
    with pytest.raises(ValueError, match="lacks the column 'b'"):
        study.predict(table.drop(columns="b"))
    p = study.probability(table)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert np.mean(p.argmax(axis=1) == y) > 0.9


def test_booleans_are_classes_and_a_wrong_label_is_among_the_first_suspects():
    table, y = two_hills(100, far=6)
    y[[3, 77]] = 1 - y[[3, 77]]
    target = pd.Series(y.astype(bool), index=table.index, dtype="boolean")
    target.iloc[[0, 40]] = pd.NA  # places are those of the table that was given
    study = practice.recipe(table, target, n_folds=2)
    assert set(study.suspects(2).tolist()) == {3, 77}
    assert len(study.task.y) == 98
    assert study.predict(table).dtype == bool


def test_an_amount_with_wild_targets_is_predicted_and_its_suspects_named():
    random = np.random.default_rng(0)
    X = random.standard_normal((120, 2))
    t = 50 + 10 * X[:, 0] + random.standard_normal(120)
    t[11] = 5000
    table = frame(X).assign(word=[f"word {k % 25}" for k in range(120)])  # sparse when coded
    study = practice.recipe(table, t, n_folds=2)
    others = np.delete(np.arange(120), 11)
    assert np.median(np.abs(study.predict(table) - t)[others]) < 3
    assert study.suspects(1)[0] == 11
    assert "always the median of these rows" in study.report()
    assert abs(float(study._proof().split()[-1])) < 1e-2
    assert "long tail" in study.report()


def test_rows_of_one_stretch_of_time_count_as_one_in_a_standard_error():
    drift = np.cumsum(np.random.default_rng(0).standard_normal((400, 2)), axis=0)
    state = np.arange(400) // 40 % 2
    errors = []
    for gap in (0, 20):
        study = practice.recipe(drift, state, time=np.arange(400), gap=gap, n_folds=3)
        line = next(text for text in study.report().splitlines() if text.startswith("mean cost"))
        errors.append(float(line.split()[4]))
    assert errors[1] > 2 * errors[0]


def test_whole_numbers_and_rounded_ones_are_amounts_and_what_is_odd_about_targets_is_noted():
    random = np.random.default_rng(0)
    X = random.standard_normal((90, 2))
    claims = np.where(random.uniform(size=90) < 0.6, 0.0, np.exp(2 * X[:, 0] + 5).round())
    claims[:5] = np.nan
    study = practice.recipe(X, claims, time=np.arange(90), n_folds=2)
    words = "of the targets are 0|median, not at the mean|5 rows have no|gap=|read as an amount"
    assert not [part for part in words.split("|") if part not in study.report()]
    with pytest.raises(ValueError, match="leave is for classes"):
        study.answered(X, leave=0.1)
    fever = (37 + 0.5 * random.standard_normal(4000)).round(1)  # few values for so many rows
    assert practice.Costs(fever).amount
    assert not practice.Costs(np.arange(40) % 10).amount
    y = np.arange(44) % 11
    text = practice.recipe(y[:, None], y, weights=1.0 + y % 2, n_folds=2).report()
    for words in "read as classes", "pairs of classes":
        assert words in text


def test_the_unit_of_weights_and_of_prices_does_not_matter():
    table, y = two_hills(60, far=1.0)
    weights = 1.0 + np.arange(60) % 3
    reports = [
        practice.recipe(table, y, weights=u * weights, cost={0: u, 1: 2 * u}, n_folds=2)
        for u in (1.0, 1e4)
    ]
    assert reports[0].candidate == reports[1].candidate
    np.testing.assert_array_equal(reports[0].answers, reports[1].answers)
    assert "a share of" not in reports[0].report()  # Wilson's interval knows no weights


def test_a_rare_class_may_have_a_number_as_its_name_in_words():
    table, y = two_hills(240, far=1.0)
    some = (y == 0) | (np.arange(240) % 8 == 0)
    answers = []
    for names in ("0", "1"), ("no", "yes"):
        study = practice.recipe(table[some], np.array(names)[y[some]], n_folds=2)
        answers.append(study.answers == names[1])
    np.testing.assert_array_equal(*answers)
    assert 0 < answers[0].mean() < 1


def test_a_rare_class_of_a_large_table_is_in_the_search():
    random = np.random.default_rng(0)
    y = (np.arange(6000) % 200 == 0).astype(int)  # 30 of 6000; 5 of 1000 drawn at random
    X = random.standard_normal((6000, 1)) + 4 * y[:, None]
    study = practice.recipe(X, y, n_folds=2)
    found, rows = study.result, study.searched
    assert np.sum(y[rows]) == 30
    assert len(rows) <= 1000
    assert [found.weights @ y[rows], found.weights.sum()] == pytest.approx([30, 6000])
    always = [np.average(found.losses[:, k], weights=found.weights) for k in (0, 1)]
    np.testing.assert_allclose(always, [30 * 199 / 6000, 5970 / 6000])
    assert study.candidate.kind
    assert "of the rare class more than its share" in " ".join(study.notes)
    p = study.probability(practice.frame(X))
    assert p[:, 1].mean() == pytest.approx(1 / 200, rel=0.5)
    later = np.argsort(random.permutation(6000))
    some, stands_for = a_part(np.arange(6000), y, None, later, 1000)
    assert later[some].min() >= 6000 - np.ceil(stands_for.sum())  # the latest that have enough
    assert np.sum(y[some]) == 30


def test_a_report_of_many_columns_is_short_and_it_says_how_far_it_is(capsys):
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((40, 62)))
    table.iloc[3, 7] = np.nan
    text = practice.recipe(table, np.arange(40) % 2, n_folds=2, progress=True).report()
    assert "fold 1 of 2" in capsys.readouterr().out
    assert "7: number" in text
    assert "and 61 others: 61 number" in text
    assert len(text.splitlines()) < 40


SERIES = pd.Series(two_hills(60)[1], two_hills(60)[0].index)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"target": "sex"}, "no such column"),
        ({"groups": "who"}, "groups is 'who', but the table has no such column"),
        ({"time": np.arange(3)}, "time has 3 values, the table 60 rows"),
        ({"cost": {"ill": 3}}, "cost names {'ill'}"),
        ({"cost": "dear"}, "cost must be"),
        ({"roles": {"c": "word"}}, "roles names 'c'"),
        ({"roles": {"a": "wort"}}, "the role of 'a' must be"),
        ({"roles": {"a": "left out", "b": "left out"}}, "every column is left out"),
        ({"by": ["c"]}, "by names 'c'"),
        ({"target": np.zeros(60)}, "nothing to learn"),
        ({"target": np.arange(60) > 57}, "class True has 2 rows"),
        ({"groups": np.arange(60) % 3}, "has 3 groups"),
        ({"time": np.arange(60) % 3}, "time has 3 values"),
        ({"target": np.arange(60) > 58}, "or leave it out$"),
        ({"target": np.linspace(0, 1, 60), "cost": {1: 3}}, "is an amount"),
        ({"weights": np.full(60, -1.0)}, "weights"),
        ({"weights": np.zeros(60)}, "weights must not all be 0"),
        ({"table": np.zeros(3)}, "rows and columns"),
        ({"groups": [None, *"ab" * 29, "c"]}, "groups has holes"),
        ({"cost": {0: -1.0, 1: 1.0}}, "cost must not be negative"),
        ({"by": "c"}, "by names 'c'"),
        ({"target": SERIES[::-1]}, r"target\.loc\[table\.index\]"),
        ({"groups": SERIES[::-1]}, r"groups\.to_numpy\(\)"),
        ({"table": pd.DataFrame(np.eye(60)[:, :2], columns=[*"aa"])}, "two columns are called 'a'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(change, sentence):
    table, y = two_hills(60)
    arguments = {"table": table, "target": y} | change
    with pytest.raises(ValueError, match=sentence):
        practice.recipe(arguments.pop("table"), arguments.pop("target"), **arguments)


def test_folds_that_cannot_be_are_named():
    late, clock = np.repeat(["well", "ill"], 50), np.arange(100)
    for gap, sentence in (
        (0, "before 16, there are 16 rows to train on, and all have the target well: take fewer"),
        (10, "before 16, and at least 10 earlier, there are 6 rows to train on, and all have"),
        (20, "before 16, and at least 20 earlier, there are 0 rows to train on: take fewer folds"),
    ):
        with pytest.raises(ValueError, match=sentence):
            practice.cut(late, time=clock, gap=gap)
    assert len(practice.cut(np.repeat([0, 1], [30, 70]), time=clock, n_folds=2)) == 2  # as advised
    with pytest.raises(ValueError, match="the table has 3 rows, and y has 2 values"):
        practice.hidden_answers(SVC(), np.zeros((3, 1)), [0, 1], [])

"""Every check accepts right answers, names every mistake it knows, and lets no other one pass."""

import ast
import functools
import inspect
import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.isotonic import IsotonicRegression

from svmlib.book import exercises
from svmlib.book.exercises import _engine
from tests.book import notebooks


def said(capsys, name, function):
    """Return what the check of an exercise prints about a function."""
    getattr(exercises, f"check_{name}")(function)
    return capsys.readouterr().out


# Right answers: those that the book prints.


def printed():
    """Return the solutions of the chapters, and the names that they need, by their names."""
    found, needed = {}, {}
    for cell in (cell for path in notebooks.chapters() for cell in notebooks.read(path).cells):
        for node in ast.parse(cell.source).body if cell.cell_type == "code" else ():
            if isinstance(node, ast.FunctionDef) and node.name in _engine._EXERCISES:
                found[node.name] = Bounded().visit(node)  # the last one: before it is the frame
            elif not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            exec(ast.unparse(node), needed)
    return found, needed


class Bounded(ast.NodeTransformer):
    """Let no loop go on for ever."""

    def visit_While(self, node):
        node.test = ast.BoolOp(ast.And(), [node.test, ast.parse("next(turns)").body[0].value])
        return node


SOLUTIONS, NEEDED = printed()


def made(tree):
    names = {**NEEDED, "turns": itertools.repeat(True, 10_000)}
    exec(ast.unparse(tree), names)
    return names[tree.name]


RIGHT = {name: made(SOLUTIONS[name]) for name in _engine._EXERCISES}
book = SimpleNamespace(**RIGHT)

# Wrong ones, by an option.


def reduce_weights(points, weights, *, pick=np.argmin, missing=np.inf, once=False):
    weights = np.array(weights, dtype=float)
    while np.count_nonzero(weights) > points.shape[1] + 1:
        used = np.flatnonzero(weights)
        a = np.linalg.svd(np.vstack([points[used].T, np.ones(len(used))]))[2][-1]
        ratios = np.where(a > 0, weights[used] / np.where(a > 0, a, 1), missing)
        weights[used] -= ratios[pick(ratios)] * a
        weights[used[pick(ratios)]] = 0
        if once:
            break
    return weights


def radon(X, *, ones=True):
    rows = np.vstack([X.T, np.ones(len(X))]) if ones else X.T
    a = np.linalg.svd(rows)[2][-1]
    return np.where(a > 0, 1, -1), np.abs(a) / a[a > 0].sum()


def reduced_newton_step(Q, y, alpha, b, s, mu, *, sign=1, with_s=True):
    rs = mu / alpha - s
    right = np.column_stack([1 - Q @ alpha - y * b + s + with_s * rs, y])
    u, H_inv_y = np.linalg.solve(Q + np.diag(s / alpha), right).T
    d_b = y @ (u + alpha) / (y @ H_inv_y)
    d_alpha = u - H_inv_y * d_b
    return d_alpha, d_b, rs - sign * s / alpha * d_alpha


def quadratic_features(X, linear=2**0.5, cross=2**0.5, square=1, columns=slice(None)):
    X = np.column_stack((np.ones(len(X)), X))
    i, j = np.triu_indices(X.shape[1])
    weight = np.where(i == 0, linear, np.where(i == j, square, cross))
    weight[0] = 1
    return (weight * X[:, i] * X[:, j])[:, columns]


def hinge_subgradient(w, b, X, y, C, pushes=lambda m: m < 1):
    chosen = np.where(pushes(y * (X @ w + b)), y, 0)
    return w - C * chosen @ X, -C * chosen.sum()


def state(K, y, alpha, C):
    below, above = alpha < C, alpha > 0
    return y - K @ (y * alpha), np.where(y > 0, below, above), np.where(y > 0, above, below)


def second_order_pair(K, y, alpha, C, *, score):
    g, up, down = state(K, y, alpha, C)
    i = np.where(up, g, -np.inf).argmax()
    j = np.flatnonzero(down & (g < g[i]))
    return i, j[score(g[i] - g[j], K[i, i] + K[j, j] - 2 * K[i, j]).argmax()]


def listed(function):
    """Make lists of tuples and arrays, as some would write them."""

    def answer(*inputs):
        found = function(*inputs)
        return list(found) if isinstance(found, tuple) or np.ndim(found) else found

    return answer


@pytest.mark.parametrize("name", RIGHT)
def test_right_answers_pass_in_any_style_and_unwritten_ones_are_known(capsys, name):
    for function in (RIGHT[name], listed(RIGHT[name])):
        assert "every check passed. Well done" in said(capsys, name, function)
    assert "not written yet" in said(capsys, name, lambda *_: None)
    assert "stopped with ZeroDivisionError" in said(capsys, name, lambda *_: 1 / 0)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("bias", lambda a, X, y: -(a * y) @ X @ (a @ X) / a.sum()),
        ("hinge_subgradient", lambda *case: hinge_subgradient(*case, pushes=lambda m: m <= 1)),
    ],
)
def test_other_right_answers_pass(capsys, name, function):
    assert "every check passed" in said(capsys, name, function)


def test_our_isotonic_regression_is_that_of_scikit_learn():
    random, key = np.random.default_rng(0), _engine._EXERCISES["isotonic"].key
    for n in range(1, 30):
        y = (random.uniform(size=n) < 0.5).astype(float)
        theirs = IsotonicRegression().fit_transform(np.arange(n), y)
        np.testing.assert_allclose(key(y).right, theirs)


# Mistakes that a check knows: those that its key declares, with what they give, ...


def declared(name):
    """Return the mistakes that a key knows, each with the number of answers that it gives."""
    task = _engine._EXERCISES[name]
    keys = (task.key(*drawn) for drawn in task.inputs(np.random.RandomState(0)))
    return {words: len(found) for key in keys for words, found in key.mistakes.items()}


def pretender(task, words, k):
    """Return a function that makes a declared mistake: it answers what the key says it gives."""

    def pretend(*inputs):
        key = task.key(*inputs)
        right = _engine._tuple(key.right)
        wrong = _engine._tuple(key.mistakes[words][k]) if words in key.mistakes else right
        parts = tuple(r if w is None else w for r, w in zip(right, wrong, strict=True))
        return parts if isinstance(key.right, tuple) else parts[0]

    return pretend


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("name", RIGHT)
def test_every_declared_mistake_is_named(capsys, name):
    for words, k in [(words, k) for words, n in declared(name).items() for k in range(n)]:
        assert words in said(capsys, name, pretender(_engine._EXERCISES[name], words, k))


# ... those that it tests for, ...


def changed(function, change):
    """Return a function whose answer is changed: change(answer, *inputs)."""
    return lambda *inputs: change(function(*inputs), *inputs)


def bias_above(threshold):
    def bias(alpha, X, y):
        support = alpha > threshold
        return np.divide((y - X @ ((alpha * y) @ X))[support].sum(), support.sum())

    return bias


def platt_step_dividing(*case):
    with np.errstate(divide="ignore"):
        return book.platt_step(*case) if case[6] else (case[0], case[1] + np.float64(1) / case[6])


def platt_step_unclipped(alpha_1, alpha_2, y_1, y_2, E_1, E_2, eta, C):
    new = alpha_2 + y_2 * (E_1 - E_2) / (eta or 1)
    return alpha_1 + y_1 * y_2 * (alpha_2 - new), new


def soft_bias_of_support_vectors(X, y, alpha, C):
    """Forget that samples with α = 0 bound b too."""
    g, above = y - X @ (X.T @ (alpha * y)), alpha > C * 1e-8
    if (above & (alpha < C * (1 - 1e-8))).any():
        return book.soft_bias(X, y, alpha, C)
    return (g[above & (y < 0)].max() + g[above & (y > 0)].min()) / 2


def highest(g, can):
    return np.where(can, g, -np.inf).argmax()


def lowest(g, can):
    return np.where(can, g, np.inf).argmin()


def pair_of(choose_i, choose_j):
    def pair(*case):
        g, up, down = state(*case)
        return choose_i(g, up), choose_j(g, down)

    return pair


def expanded(X, Z, g):
    """Squared distances without a common origin, of which some are negative."""
    return np.exp(-g * ((X**2).sum(1)[:, None] + (Z**2).sum(1) - 2 * X @ Z.T))


def eigenvalues_above(least, symmetric=True):
    def found(K):
        return (not symmetric or (K == K.T).all()) and np.linalg.eigvalsh(K)[0] >= least(K)

    return found


def quadratic(**changes):
    return lambda X: quadratic_features(X, **changes)


def batch_perceptron(K, y):
    """Count mistakes in passes that see old counts."""
    c = np.zeros(len(y))
    while (wrong := y * (K @ (c * y)) <= 0).any():
        c[wrong] += 1
    return c


TOLD = {
    "pair_step": [
        (lambda *z: -book.pair_step(*z), "your answer is minus the right one"),
        (lambda *z: 2 * book.pair_step(*z), "your answer is twice the right one"),
        (lambda *z: book.pair_step(*z) / 2, "your answer is half of the right one"),
    ],
    "reduce_weights": [
        (lambda p, w: w * np.nan, "not a number"),
        (
            lambda p, w: reduce_weights(p, w, pick=np.argmax, missing=-np.inf, once=True),
            "became negative",
        ),
        (lambda p, w: w / 2, "a row of ones"),
        (lambda p, w: w[::-1].copy(), "another point"),
        (lambda p, w: reduce_weights(p, w, once=True), "repeat the step"),
    ],
    "radon": [
        (lambda X: (0 * radon(X)[0], radon(X)[1]), "neither −1 nor +1"),
        (lambda X: (radon(X)[0], radon(X)[0] * radon(X)[1]), "a weight is negative"),
        (lambda X: (np.ones(len(X)), radon(X)[1]), "one class is empty"),
        (lambda X: (radon(X)[0], radon(X)[1] / 2), "both classes together"),
        (lambda X: (radon(X)[0], radon(X)[1] * 3), "instead of 1"),
        (lambda X: radon(X, ones=False), "a row of ones"),
        (lambda X: radon(X[:, ::-1] ** 2), "different points"),
    ],
    "steepest_pair": [
        (lambda P, N, w: (np.argmax(P @ w), np.argmin(N @ w)), "mind the signs"),
        (lambda P, N, w: (np.argmax(N @ w), np.argmin(P @ w)), "changed places"),
        (lambda P, N, w: (np.argmin(P @ w), np.argmin(N @ w)), "wrong end"),
        (lambda P, N, w: (99, 98), "is no pair"),
        (lambda P, N, w: (np.argsort(P @ w)[1], np.argmax(N @ w)), "for your pair"),
    ],
    "bias": [
        (lambda *a: book.bias(*a) + 1, "not the bias"),
        (bias_above(0), "dust"),
        (lambda a, X, y: (y - X @ ((a * y) @ X))[a.argmax()], "that of one support vector"),
        (bias_above(1e-5), "fixed threshold"),
    ],
    "reduced_newton_step": [
        (lambda *a: reduced_newton_step(*a, sign=-1), "mind the sign"),
        (lambda *a: reduced_newton_step(*a, with_s=False), "first row"),
        (lambda Q, y, a, *rest: reduced_newton_step(Q, y, a + y, *rest), "middle row"),
    ],
    "rbf_gram": [
        (expanded, "far from the origin"),
        (lambda X, Z, g: np.exp(-g * cdist(X, Z) ** 2) * (1 + 1e-15), "exceed 1"),
    ],
    "quadratic_features": [
        (quadratic(linear=1), "features x_i need the weight"),
        (quadratic(cross=1), "i < j need the weight"),
        (quadratic(linear=1, cross=1), "and the products x_i x_j with i < j need"),
        (quadratic(linear=0), "features x_i are missing"),
        (quadratic(cross=0), "different coordinates are missing"),
        (quadratic(square=0), "squares x_i² are missing"),
        (quadratic(linear=2, cross=2), "not 2"),
        (quadratic(linear=3), "is off by"),
        (quadratic(columns=slice(1, None)), "constant feature"),
        (lambda X: np.column_stack([quadratic_features(X)] * 2) / 2**0.5, "will do"),
    ],
    "is_gram_matrix": [
        (lambda K: False, "rejects the identity"),
        (lambda K: np.linalg.det(K) > 0, "determinant is 1"),
        (lambda K: (K >= 0).all(), "may be negative"),
        (lambda K: (np.diag(K) >= 0).all(), "positive entries are not enough"),
        (
            lambda K: (np.diag(K) >= 0).all() and (np.outer(*2 * [np.diag(K)]) >= K**2).all(),
            "not all three",
        ),
        (eigenvalues_above(lambda K: -1e-9, symmetric=False), "not symmetric"),
        (eigenvalues_above(lambda K: -0.01 * np.linalg.norm(K)), "far smaller"),
        (lambda K: book.is_gram_matrix(K) and K.any(), "rejects zero"),
        (eigenvalues_above(lambda K: 0), "tiny negative one"),
        (eigenvalues_above(lambda K: -1e-13), "tolerance must, t"),
        (eigenvalues_above(lambda K: -0.1), "must shrink"),
    ],
    "kernel_perceptron": [
        (lambda K, y: np.zeros(len(y)), "never starts"),
        (lambda K, y: book.kernel_perceptron(K, y) * y, "counts themselves"),
        (lambda K, y: np.eye(len(y))[0], "are still wrong"),
        (lambda K, y: np.linalg.solve(K, y) * y, "whole numbers"),
        (batch_perceptron, "in order"),
    ],
    "reduced_support": [
        (lambda p, u, cap: p.mean(axis=0), "but at your point it is"),
        (
            lambda p, u, cap: book.reduced_support(p, u, cap) @ u / (u @ u) * u,
            "not in the reduced hull",
        ),
    ],
    "hinge_subgradient": [
        (
            lambda w, b, X, y, C: tuple(
                g if (y * (X @ w + b) != 1).all() else np.nan * g
                for g in hinge_subgradient(w, b, X, y, C)
            ),
            "no subgradient",
        ),
    ],
    "soft_bias": [(soft_bias_of_support_vectors, "no support vector is free")],
    "platt_step": [
        (platt_step_unclipped, "outside the box"),
        (lambda *case: (case[0], book.platt_step(*case)[1]), "Σ α_i y_i has changed"),
        (platt_step_dividing, "divide by η = 0"),
    ],
    "second_order_pair": [
        (pair_of(highest, lowest), "first-order choice"),
        (lambda *case: second_order_pair(*case, score=lambda s, a: s / a), "longest step"),
        (lambda *c: second_order_pair(*c, score=lambda s, a: -(s**2) / a), "another one has"),
        (pair_of(lambda g, up: (~up).argmax(), lowest), "cannot be the i"),
        (pair_of(lowest, lowest), "i must have the largest g"),
        (
            pair_of(highest, lambda g, down: lowest(g, down if down.all() else ~down)),
            "cannot be the j",
        ),
        (lambda *case: (book.second_order_pair(*case)[0],) * 2, "no positive slope"),
        (lambda *case: (77, 78), "no pair of samples"),
    ],
    "cheapest_threshold": [
        (
            changed(book.cheapest_threshold, lambda a, *_: (a[0], a[1] + 1)),
            "not what your threshold",
        ),
        (
            changed(book.cheapest_threshold, lambda a, *_: (a[0] - 1e-3, a[1])),
            "one of the values of f",
        ),
        (lambda f, y, a, b: (np.inf, a * np.sum(y > 0)), "another threshold costs only"),
    ],
    "isotonic": [
        (lambda y: book.isotonic(y)[::-1], "falls somewhere"),
        (lambda y: np.minimum.accumulate(y[::-1])[::-1], "is possible"),
    ],
}


@pytest.mark.parametrize(
    ("name", "function", "words"), [(name, *case) for name, cases in TOLD.items() for case in cases]
)
def test_every_mistake_that_a_check_tests_for_is_named(capsys, name, function, words):
    assert words in said(capsys, name, function)


# ... and those it does not know: slips of the pen in the book's own solutions.

OTHER = {"min": "max", "argmin": "argmax", "minimum": "maximum"}
OTHER |= {there: here for here, there in OTHER.items()}


def slips(node):
    """Yield what may stand in the place of an expression by mistake."""
    match node:
        case ast.BinOp(left, op, right):
            if isinstance(op, ast.Add | ast.Sub):
                yield ast.BinOp(left, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), right)
            yield from (left, right)
        case ast.UnaryOp():
            yield node.operand
        case ast.Name(name) if name in OTHER:
            yield ast.Name(OTHER[name], ast.Load())
        case ast.Attribute(value, name) if name in OTHER:
            yield ast.Attribute(value, OTHER[name], ast.Load())
        case ast.Constant(1 | 2 as number):
            yield ast.Constant(3 - number)
        case ast.Call(args=[first, second]):
            yield from (first, second)


def mutants(tree):
    """Yield a function with each of its expressions changed in each way."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            for k, old in enumerate(value if isinstance(value, list) else [value]):
                for new in slips(old):
                    setattr(
                        node, field, [*value[:k], new, *value[k + 1 :]] if value is not old else new
                    )
                    yield made(tree)
                    setattr(node, field, value)


@functools.cache
def verdicts(name):
    """Return what is said of every slip."""
    return [_engine._EXERCISES[name].verdict(mutant) for mutant in mutants(SOLUTIONS[name])]


@pytest.mark.parametrize("name", RIGHT)
def test_no_slip_of_the_pen_passes(name):
    """But for two at most, which make no difference."""
    assert len(verdicts(name)) > 5
    assert sum("every check passed" in words for words in verdicts(name)) <= 2
    assert not any("not written" in words or "0x" in words for words in verdicts(name))


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
def test_slips_are_called_by_their_names():
    """More than a third of the declared mistakes are slips: of those the formulas are right.

    One that is called by its name no more has lost its formula. If a solution is written otherwise,
    count again.
    """
    named = [
        words
        for name in RIGHT
        for words in declared(name)
        if any(f": {words}\n" in verdict for verdict in verdicts(name))
    ]
    assert len(named) >= 58


# The engine


@pytest.fixture
def fresh():
    """Give the exercises of chapter 3 the state that they have in a new session."""
    for task in _engine._EXERCISES.values():
        task.state, task.hints_given = "open", 0


def wrong_twice(w, x_plus, x_minus, lam_plus, lam_minus):
    return 2 * book.pair_step(w, x_plus, x_minus, lam_plus, lam_minus)


def test_the_smallest_failing_example_is_shown(capsys):
    assert said(capsys, "pair_step", wrong_twice) == (
        "wrong_twice: your answer is twice the right one.\n"
        "  tried     w = [0], x_plus = [-2.5], x_minus = [-1], lam_plus = 0.6, lam_minus = 0.6\n"
        "  expected  0.4444\n"
        "  yours     0.8889\n"
        '  stuck?    exercises.hint("pair_step")\n'
    )


def test_digits_are_added_until_the_difference_shows(capsys):
    def nearly(*inputs):
        return book.pair_step(*inputs) * (1 + 1e-5)

    lines = said(capsys, "pair_step", nearly).splitlines()
    assert lines[2].split()[1] != lines[3].split()[1]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda *_: [][0], "stopped with IndexError: list index out of range"),
        (lambda w: w, "stopped with TypeError"),
        (lambda *_: print("0.5"), "it prints, but returns None"),
        (
            lambda w, *_: "0.5",
            "it must return one number, δ. Here that is one number, but yours is",
        ),
        (lambda *_: {0.5}, "of type set"),
        (lambda *_: (x for x in "abc"), "of type generator"),
        (lambda *_: [[1], [2, 3]], "of type list"),
        (lambda *_: 1j, "of type complex"),
        (lambda *_: (1.0, 2.0), "(one number, one number)"),
        (lambda *_: np.ones((3, 4)), "an array of shape (3, 4)"),
        (lambda w, *_: w.fill(7), "it changes its argument w: start from copies"),
        (lambda *_: np.nan, "yours     nan"),
        (lambda *_: (_ for _ in ()).throw(KeyError(object())), "0x…"),
        (3.0, "Give the check your function itself: check_pair_step(pair_step)."),
        (
            lambda w, *rest: book.pair_step(w, *rest) if w.size < 2 else None,
            "it returns None.\n  tried",
        ),
    ],
)
def test_whatever_a_function_does_gets_a_sentence(capsys, function, words):
    printed = said(capsys, "pair_step", function)
    assert words in printed
    assert "passed" not in printed


def test_what_a_function_prints_is_kept_back(capsys):
    def loud(*inputs):
        print("here", len(inputs))
        return book.pair_step(*inputs)

    def loud_and_wrong(*inputs):
        return loud(*inputs) + 1

    right = said(capsys, "pair_step", loud)
    assert right.startswith("loud: every check passed. Well done.\nIt also prints")
    assert "here" not in right
    assert "\n  printed   here 5\n" in said(capsys, "pair_step", loud_and_wrong)


def test_one_wrong_answer_is_blamed_on_a_mistake_only_if_most_are(capsys):
    def sometimes(*inputs):
        sometimes.calls += 1
        return book.pair_step(*inputs) * (2 if sometimes.calls == 5 else 1)

    sometimes.calls = 0
    assert "not the right answer" in said(capsys, "pair_step", sometimes)


def test_warnings_of_a_function_are_no_concern_of_the_reader(capsys):
    with np.errstate(all="warn"):
        answer = said(capsys, "pair_step", lambda w, *_: float(np.log(w[0] * 0 - 1)))
    assert "nan" in answer


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("name", RIGHT)
def test_a_declaration_is_complete_and_no_mistake_in_it_is_right_everywhere(name):
    task, wrong = _engine._EXERCISES[name], {}
    assert len(inspect.getsource(task.key).splitlines()) <= 40
    assert len(task.hints) in (2, 3)
    assert all(line.endswith((".", "?")) for line in task.hints)
    first, second = (list(task.inputs(np.random.RandomState(0))) for _ in range(2))
    assert len(first) > 2
    for drawn, again in zip(first, second, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(drawn, again, strict=True))
        key = task.key(*drawn)
        right = [np.asarray(part) for part in _engine._tuple(key.right)]
        assert key.objection(right) == ""  # its own right answer passes
        for words, answers in key.mistakes.items():
            for k, answer in enumerate(answers):
                found = wrong.get((words, k), False)
                wrong[words, k] = found or not _engine._agree(right, answer)
    assert all(wrong.values()), wrong


@pytest.mark.usefixtures("fresh")
def test_hints_come_one_after_the_other(capsys):
    for asked in (book.pair_step, "pair_step", "pair_step", "check_pair_step"):
        exercises.hint(asked)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:20] for line in lines] == [f"Hint {k} of 3 for pair" for k in (1, 2, 3, 1)]
    assert len(set(lines)) == 3
    exercises.hint("no_such_thing")
    assert "There are hints for bracket, " in capsys.readouterr().out


@pytest.mark.usefixtures("fresh")
def test_progress_lists_a_chapter(capsys):
    exercises.check_pair_step(book.pair_step)
    exercises.check_pair_step(wrong_twice)  # once done is done
    exercises.check_best_scale(lambda *_: 1.0)
    exercises.check_step_within(lambda *_: None)
    capsys.readouterr()
    exercises.progress(3)
    assert capsys.readouterr().out == (
        "Chapter 3: 1 of 4 done\n"
        "  done  Code the pair step: check_pair_step\n"
        "  tried Code the bottom of the ray: check_best_scale\n"
        "  open  Code the search for the steepest pair: check_steepest_pair\n"
        "  open  Code a step inside one class: check_step_within\n"
    )
    exercises.progress()
    chapters = {task.chapter for task in _engine._EXERCISES.values()}
    assert capsys.readouterr().out.count("Chapter") == len(chapters)
    exercises.progress(1)
    assert capsys.readouterr().out == "Chapter 1: 0 of 0 done\n"

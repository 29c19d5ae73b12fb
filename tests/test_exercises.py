"""Every check accepts right answers, names every mistake it knows, and lets no other one pass."""

import ast
import contextlib
import copy
import functools
import itertools
import re
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from svmlib.book import exercises
from svmlib.book.exercises import _engine
from tests.book import notebooks


def said(capsys, name, function):
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


def test_other_right_answers_pass(capsys):
    weighted = lambda a, X, y: -(a * y) @ X @ (a @ X) / a.sum()  # noqa: E731
    assert "every check passed" in said(capsys, "bias", weighted)
    pushed = edited("hinge_subgradient", "< 1", "<= 1")
    assert "every check passed" in said(capsys, "hinge_subgradient", pushed)


def test_our_isotonic_regression_is_that_of_scikit_learn():
    random, key = np.random.default_rng(0), _engine._EXERCISES["isotonic"].key
    for n in range(1, 30):
        y = (random.uniform(size=n) < 0.5).astype(float)
        theirs = IsotonicRegression().fit_transform(np.arange(n), y)
        np.testing.assert_allclose(key(y).right, theirs)


# Wrong answers: slips of the pen in the book's own solutions.

CONFUSED = [
    *("min max", "argmin argmax", "minimum maximum", "sum mean", "any all", "up down", "low high"),
    *("below above", "miss alarm", "missed alarms", "C_1 C_2", "alpha_1 alpha_2", "y_1 y_2"),
    *("lam_plus lam_minus", "X_plus X_minus", "x_plus x_minus", "lam_i lam_k", "x_i x_k"),
]
OTHER = dict(pair.split() for pair in CONFUSED) | dict(pair.split()[::-1] for pair in CONFUSED)


def slips(node):
    """Yield what may stand in the place of an expression by mistake."""
    match node:
        case ast.BinOp(left, op, right):
            if isinstance(op, ast.Add | ast.Sub):
                yield ast.BinOp(left, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), right)
            if isinstance(op, ast.Div):
                yield ast.BinOp(left, op, ast.BinOp(right, ast.Pow(), ast.Constant(0.5)))
            yield from (left, right)
        case ast.UnaryOp():
            yield node.operand
        case ast.Name(name, ast.Load()) if name in OTHER:
            yield ast.Name(OTHER[name], ast.Load())
        case ast.Attribute(value, name) if name in OTHER:
            yield ast.Attribute(value, OTHER[name], ast.Load())
        case ast.Constant(1 | 2 as number):
            yield from (ast.Constant(3 - number), ast.Constant(0))
        case ast.Call(args=[_, _, *_]):
            yield from node.args


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
    return [_engine._EXERCISES[name].verdict(mutant) for mutant in mutants(SOLUTIONS[name])]


@pytest.mark.parametrize("name", RIGHT)
def test_no_slip_of_the_pen_passes(name):
    """But for three at most, which make no difference."""
    assert len(verdicts(name)) > 5
    assert sum("every check passed" in words for words in verdicts(name)) <= 3
    assert not any("not written" in words or "0x" in words for words in verdicts(name))


# Those that are made less mechanically: what is said of one | what is replaced | by what.
MADE = """
bracket
  take the square root | 0), upper) | 0), upper**2)
  half of the width | width / upper | width / upper / 2
nearest_on_segment
  it leaves the segment | min(max(t, 0), 1) | t
  a point between may be nearer | min(max(t, 0), 1) | (t > 0.5)
  that is the midpoint | min(max(t, 0), 1) | 0.5
reduce_weights
  a weight became negative | ratios.argmin() | np.where(a > 0, ratios, -1).argmax()
      | np.maximum(rest, 0) | rest | while | if
  mix another point | return weights | return weights[::-1].copy()
radon
  the sign of a_i belongs to the label | np.abs(a) | a
  over both classes together | a[a > 0].sum() | np.abs(a).sum()
  different points | X.T | X.T ** 2
platt_step
  divide by η = 0 | eta > 0 | eta >= 0
second_order_pair
  the first-order choice | (g[i] - g[partners]) ** 2 / a | g[i] - g[partners]
  the longest step | (g[i] - g[partners]) ** 2 / a | (g[i] - g[partners]) / a
  no pair of samples | return (i | return (-1 - i
violation
  difference of the g | y - K @ (y * alpha) | 1 - y * (K @ (y * alpha))
  you return M − m | g[up].max() - g[down].min() | g[down].min() - g[up].max()
  may be negative | g[up].max() - g[down].min() | max(0, g[up].max() - g[down].min())
  the sign of g is turned | y - K @ (y * alpha) | K @ (y * alpha) - y
quadratic_features
  features x_i need the weight | i == j | (i == j) + (i == 0)
  i < j need the weight | i == j | (i == j) + (i > 0)
  features x_i are missing | return weights | return ((i != 0) + (j == 0)) * weights
  different coordinates are missing | return weights | return ((i == 0) + (i == j)) * weights
  squares x_i² are missing | return weights | return ((i != j) + (i == 0)) * weights
  constant feature | return weights | return (j != 0) * weights
  √2, not 2 | np.sqrt(2) | 2
  6 features will do | return weights | return np.repeat(weights | extended[:, j]
      | extended[:, j], 2, axis=1) / 2**0.5
is_gram_matrix
  entries of a Gram matrix | symmetric and | (K >= 0).all() and
  positive entries are not enough | eigenvalues[0] >= -rounding | (np.diag(K) >= 0).all()
  but not all three | eigenvalues[0] >= -rounding | np.linalg.eigvalsh(K[:2, :2])[0] >= -rounding
  not symmetric | symmetric and eigen | eigen
  it rejects zero | >= -rounding | > -rounding
  must shrink | -rounding | -0.1
  far smaller | -rounding | -0.01 * np.abs(eigenvalues).max()
kernel_machine
  the labels are missing | return new @ beta | return new @ alpha
  only support vectors tell b | alpha @ (y - K @ beta) / alpha.sum() | (y - K @ beta).mean()
  return the values | return new @ beta + b | return np.sign(new @ beta + b)
kernel_perceptron
  the counts themselves | return c | return c * y
  whole numbers | c[i] += 1 | c[i] += 0.7
  in order | y[i] * (K[i] | y[-1 - i] * (K[-1 - i] | c[i] | c[-1 - i]
reduced_support
  the outermost sample itself | shares @ points[order] | points[order[0]]
  you forget the rest | np.clip(1 - cap * np.arange(len(points)), 0, cap)
      | cap * (np.arange(len(points)) < max(1, int(1 / cap)))
  in the order of the rows | points[order] | points
  not in the reduced hull | shares @ points[order] | shares @ points[order] @ u / (u @ u) * u
  you take a mean | shares @ points[order] | points[order[: max(1, int(1 / cap))]].mean(axis=0)
hinge_objective
  square the norm | w @ w | np.linalg.norm(w)
  the bias is not regularised | w @ w | (w @ w + b * b)
  C is on the wrong term | w @ w / 2 + C * | C * w @ w / 2 +
hinge_subgradient
  minus a subgradient | w - C * pushes @ X, -C | C * pushes @ X - w, C
  the regulariser is missing | w - C | -C
  you divide by n | w - C | w - C / len(y)
  b is not regularised | -C * pushes.sum() | b - C * pushes.sum()
  at a kink your vector is no subgradient | y, 0) | y, np.where(y * (X @ w + b) == 1, 2, 0))
soft_bias
  halfway between | g[below & above].mean() | -((y - g)[y < 0].max() + (y - g)[y > 0].min()) / 2
  closer to a bound | g[below & above].mean() | g.mean()
line_ends
  you use only the bounds of α_2 | (max(0, total - C_1), min(C_2, total)) | (0, C_2)
      | (max(0, difference), min(C_2, C_1 + difference)) | (0, C_2)
  C_1 and C_2 are swapped | total - C_1), min(C_2 | total - C_2), min(C_1
      | min(C_2, C_1 + | min(C_1, C_2 +
rbf_gram
  far from the origin | X - Z.mean(axis=0), Z - Z.mean(axis=0) | X, Z
  −2 x·z | X - Z.mean(axis=0), Z - Z.mean(axis=0) | X, Z | 2 * X | X | .clip(min=0) |
  you add 2 x·z | X - Z.mean(axis=0), Z - Z.mean(axis=0) | X, Z | - 2 * | + 2 *
  the exponent has its square | .clip(min=0) | .clip(min=0) ** 0.5
  the exponential is missing | np.exp(-gamma * (squares - 2 * X @ Z.T).clip(min=0))
      | squares - 2 * X @ Z.T
  gamma for the width | .clip(min=0) | .clip(min=0) / (2 * gamma**3)
  it ignores gamma | -gamma | -1.0
  values exceed 1 | Z.T).clip(min=0) | Z.T)
  by different vectors | X - Z.mean(axis=0) | X - X.mean(axis=0)
  grows with the distance | -gamma | gamma
dual
  what a minimiser wants | alpha.sum() - 0.5 * v @ v | 0.5 * v @ v - alpha.sum()
  turn its sign | 1 - y * (X @ v) | y * (X @ v) - 1
  the factor ½ left | y * (X @ v) | y * (X @ v) / 2
  those inside v | y * (X @ v) | X @ (alpha @ X)
bias
  the mean over all samples | alpha @ (y - X @ w) / alpha.sum() | (y - X @ w).mean()
  for both classes | y - X @ w | 1 - X @ w
  that of one support vector | alpha @ (y - X @ w) / alpha.sum() | (y - X @ w)[alpha.argmax()]
  makes no support vector | alpha @ (y - X @ w) / alpha.sum() | (y - X @ w)[alpha > 0].mean()
  a fixed threshold | alpha @ (y - X @ w) / alpha.sum() | (y - X @ w)[alpha > 1e-5].mean()
nearest_weights
  all of it on the largest | np.maximum(0, c - nu) | np.eye(len(c))[c.argmax()]
  does not see z ≥ 0 | np.max((sums - 1) / np.arange(1, len(c) + 1)) | (sums[-1] - 1) / len(c)
      | np.maximum(0, c - nu) | c - nu
  you divide those by their new sum | np.max((sums - 1) / np.arange(1, len(c) + 1))
      | (sums[-1] - 1) / len(c) | np.maximum(0, c - nu)
      | np.maximum(0, c - nu) / np.maximum(0, c - nu).sum()
  clip and divide by the sum | np.maximum(0, c - nu)
      | np.maximum(0, c) / (np.maximum(0, c).sum() or 1)
lower_bound
  α_i = y_i q_i has no sign | return (alpha, | return (y * alpha,
one_by_one
  follow each change at once | w = | start = w = | w @ x | start @ x
  you do not clip | best = min(max(best, 0), C) | pass
rounded_hinge
  you multiply by h | (y - s) / h | (y - s) * h
  it is at s = y | (y - s) / h | -s / h
guess
  they keep their q | return (p, b) | return (p * free, b)
  K q of all samples | K @ p | K @ q
cheapest_threshold
  the rule is f ≥ t | f >= | f >
  your rule calls the samples below t | f >= | f <=
  one of the values of f | thresholds[costs.argmin()] | thresholds[costs.argmin()] - 1e-3
  return the smallest | costs.argmin() | len(costs) - 1 - costs[::-1].argmin()
isotonic
  you return the labels | np.repeat(means, sizes) | y
  you sort the labels | np.repeat(means, sizes) | np.sort(y)
  one mean for all | np.repeat(means, sizes) | np.full(len(y), y.mean())
  you merge once | means and means[-1] >= mean
      | sizes and sizes[-1] * size == 1 and means[-1] > mean
  it is turned round | means[-1] >= mean | means[-1] <= mean
multiclass_objective
  charge every rival | lifted.max(axis=1) - F[rows, y]
      | np.maximum(lifted - F[rows, y][:, None], 0).sum(axis=1)
  no rival of itself | lifted[rows, y] -= 1 | pass
  a slack is never negative | lifted[rows, y] -= 1 | lifted[rows, y] = -np.inf
  but not by 1 | F + 1 | F + 0 | -= 1 | -= 0
spectrum_kernel
  you take each once | Counter((u[i:i + length] for i in places))
      | Counter({u[i:i + length] for i in places})
  you take the smaller one | a[piece] * b[piece] | min(a[piece], b[piece])
  str.count skips | b[piece] | t.count(piece)
  place by place | sum((a[piece] * b[piece] for piece in a))
      | sum((s[i:i + length] == t[i:i + length] for i in range(min(len(s), len(t)) - length + 1)))
tube_gap
  misses as well | np.abs(t - K @ beta - b) | t - K @ beta - b
pair_step
  clipped too late | -lam_plus, -lam_minus | -max(lam_plus, lam_minus)
  you look after λ⁺ only | -lam_plus, -lam_minus | -lam_plus
  you look after λ⁻ only | -lam_plus, -lam_minus | -lam_minus
  your δ is never negative | -lam_plus, -lam_minus | 0
  wrong sign | (1 - w @ u) | (w @ u - 1)
  go as far as M | (u @ u), -lam_plus, -lam_minus)
      | (u @ u), -np.inf) * (w @ u - 1 <= min(lam_plus, lam_minus) * u @ u)
  your answer is minus the right one | return max | return -max
  your answer is twice the right one | return max | return 2 * max
  your answer is half of the right one | return max | return 1 / 2 * max
best_scale
  only for weights with sum one | lam_plus.sum() | 1
  that is the best sum | lam_plus.sum() | lam_plus.sum() ** 2
step_within
  ignores the clipping | , -lam_i), lam_k) | , -np.inf), np.inf)
  across the classes | , -lam_i), lam_k) | , -lam_i), np.inf) | -lam_i) | max(-lam_i, -lam_k))
  there is no 1 here | -(w @ u) | (1 - w @ u)
steepest_pair
  mind the signs | argmin(X_plus | argmax(X_plus | argmax(X_minus | argmin(X_minus
  your answers have changed places | np.argmin(X_plus @ w), np.argmax(X_minus @ w)
      | np.argmax(X_minus @ w), np.argmin(X_plus @ w)
  is no pair | np.argmin(X_plus @ w) | len(X_plus)
"""


def edited(name, *changes):
    text = ast.unparse(SOLUTIONS[name])
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in text, f"the solution says this no more: {old}"
        text = text.replace(old, new, 1)
    return made(ast.parse(text).body[0])


@functools.cache
def mistakes(name):
    """Return wrong functions, each with what must be said of it, and with what is said."""
    found, verdict = [], _engine._EXERCISES[name].verdict
    text = re.search(rf"^{name}$((?:\n .*)*)", MADE, re.MULTILINE)
    for line in re.split(r"\n  (?! )", text[1])[1:] if text else ():
        words, *changes = (part.strip() for part in line.split(" |"))
        function = edited(name, *changes)
        found.append((words, function, verdict(function)))
    return found


@pytest.mark.parametrize("name", RIGHT)
def test_a_mistake_is_called_by_its_name(name):
    for words, _, verdict in mistakes(name):
        assert words in verdict, words


def plain(sentence):
    """Leave the numbers out."""
    return re.sub(r"-?\d[\d.e+-]*|nan|-?inf", "#", sentence)


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("name", RIGHT)
def test_every_sentence_of_a_check_is_said_of_a_wrong_function(name):
    """Those that a key declares with what the mistake gives, and those that it tests for."""
    task, known = _engine._EXERCISES[name], set()
    with np.errstate(all="ignore"):
        for inputs in task.inputs(np.random.RandomState(0)):
            key = task.key(*inputs)
            known |= {plain(sentence) for sentence in key.mistakes}
            for function in [RIGHT[name], *(function for _, function, _ in mistakes(name))]:
                with contextlib.suppress(Exception):
                    answer = function(*copy.deepcopy(inputs[: len(task.arguments)]))
                    tested = key.tests(*_engine._parts(answer, key))
                    known |= {plain(sentence) for _, sentence in tested} - {""}
    told = {*verdicts(name), *(verdict for *_, verdict in mistakes(name))}
    assert known <= {plain(verdict.splitlines()[0].partition(": ")[2]) for verdict in told}


# The engine


@pytest.fixture
def fresh():
    """Give the exercises of chapter 3 the state that they have in a new session."""
    for task in _engine._EXERCISES.values():
        task.state, task.hints_given = "open", 0


def wrong_twice(w, x_plus, x_minus, lam_plus, lam_minus):
    return 2 * book.pair_step(w, x_plus, x_minus, lam_plus, lam_minus)


def test_the_smallest_failing_example_is_shown_with_as_many_digits_as_it_needs(capsys):
    assert said(capsys, "pair_step", wrong_twice) == (
        "wrong_twice: your answer is twice the right one.\n"
        "  tried     w = [0], x_plus = [-2.5], x_minus = [-1], lam_plus = 0.6, lam_minus = 0.6\n"
        "  expected  0.4444\n"
        "  yours     0.8889\n"
        '  stuck?    exercises.hint("pair_step")\n'
    )
    nearly = said(capsys, "pair_step", lambda *inputs: book.pair_step(*inputs) * (1 + 1e-5))
    expected, yours = (line.split()[1] for line in nearly.splitlines()[2:4])
    assert expected != yours


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda *_: [][0], "stopped with IndexError: list index out of range"),
        (lambda w: w, "stopped with TypeError"),
        (lambda *_: print("0.5"), "it prints, but returns None"),
        (lambda *_: "0.5", "it must return one number, δ. Here that is one number, but yours is"),
        (lambda *_: [[1], [2, 3]], "of type list"),
        (lambda *_: (1.0, 2.0), "(one number, one number)"),
        (lambda *_: np.ones((3, 4)), "an array of shape (3, 4)"),
        (lambda w, *_: w.fill(7), "it changes its argument w: start from copies"),
        (lambda w, *_: np.log(w[0] * 0 - 1), "yours     nan"),
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

    right = said(capsys, "pair_step", loud)
    assert right.endswith("Well done.\nIt also prints, which the check has kept back.\n")
    assert "\n  printed   here 5\n" in said(capsys, "pair_step", lambda *i: loud(*i) + 1)


def test_one_wrong_answer_is_blamed_on_a_mistake_only_if_most_are(capsys):
    calls = itertools.count(1)

    def sometimes(*inputs):
        return book.pair_step(*inputs) * (2 if next(calls) == 5 else 1)

    assert "not the right answer" in said(capsys, "pair_step", sometimes)


@pytest.mark.parametrize("name", RIGHT)
def test_a_declaration_has_hints_and_draws_the_same_inputs_every_time(name):
    task = _engine._EXERCISES[name]
    assert len(task.hints) in (2, 3)
    first, second = (list(task.inputs(np.random.RandomState(0))) for _ in range(2))
    for drawn, again in zip(first, second, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(drawn, again, strict=True))


@pytest.mark.usefixtures("fresh")
def test_hints_come_one_after_the_other(capsys):
    for asked in (book.pair_step, "pair_step", "pair_step", "check_pair_step", "no_such_thing"):
        exercises.hint(asked)
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line[:20] for line in lines] == [f"Hint {k} of 3 for pair" for k in (1, 2, 3, 1)]
    assert len(set(lines)) == 3
    assert "There are hints for nearest_on_segment, bracket, " in last


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

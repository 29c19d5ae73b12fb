"""Every check accepts right answers, names every mistake it knows, and lets no other one pass."""

import ast
import itertools
import re
from dataclasses import replace
from functools import wraps
from types import SimpleNamespace

import numpy as np
import pytest
import sources

from svmlib.book import exercises
from svmlib.book.exercises import _engine

# Of a key, which says what a mistake gives even where that cannot be computed.
pytestmark = pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")


def said(capsys, name, function):
    getattr(exercises, f"check_{name}")(function)
    return capsys.readouterr().out


# Right answers: those that the book prints.


def printed():
    """Return the solutions of the chapters, and the names that they need, by their names."""
    found, needed = {}, {}
    for cell in (cell for path in sources.chapters() for cell in sources.read(path).cells):
        for node in ast.parse(cell.source).body if cell.cell_type == "code" else ():
            if isinstance(node, ast.FunctionDef) and node.name in _engine._EXERCISES:
                found[node.name] = bounded(node)  # the last one: before it is the frame
            elif not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            exec(ast.unparse(node), needed)
    return found, needed


def bounded(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.While):
            node.test = ast.parse(f"({ast.unparse(node.test)}) and next(turns)").body[0].value
    return tree


SOLUTIONS, NEEDED = printed()


def made(tree):
    names = {**NEEDED, "turns": itertools.repeat(True, 200)}
    exec(compile(ast.fix_missing_locations(ast.Module([tree], [])), "answer", "exec"), names)
    return names[tree.name]


RIGHT = {name: made(SOLUTIONS[name]) for name in _engine._EXERCISES}
book = SimpleNamespace(**RIGHT)


def listed(function):
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
    assert len(_engine._EXERCISES[name].hints) in (2, 3)


def test_other_right_answers_pass(capsys):
    rounded = "g -= length * (K[i] - K[j])", "g = y * (1 + 1e-13) - K @ beta"
    for name, function in (
        ("bias", lambda a, X, y: -(a * y) @ X @ (a @ X) / a.sum()),
        ("hinge_subgradient", edited("hinge_subgradient", "< 1", "<= 1")),
        ("smo_loop", edited("smo_loop", *rounded)),
    ):
        assert "every check passed" in said(capsys, name, function)


# Wrong answers: slips of the pen in the book's own solutions.

CONFUSED = [
    *("min max", "argmin argmax", "minimum maximum", "sum mean", "any all", "up down", "low high"),
    *("below above", "miss alarm", "missed alarms", "C_1 C_2", "alpha_1 alpha_2", "y_1 y_2"),
    *("lam_plus lam_minus", "X_plus X_minus", "x_plus x_minus", "lam_i lam_k", "x_i x_k"),
]
OTHER = dict(pair.split() for pair in CONFUSED) | dict(pair.split()[::-1] for pair in CONFUSED)


def slips(node):
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
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            for k, old in enumerate(value if isinstance(value, list) else [value]):
                for new in slips(old):
                    place = new if value is old else [*value[:k], new, *value[k + 1 :]]
                    setattr(node, field, place)
                    yield made(tree)
                    setattr(node, field, value)


def drawn_once(name):
    """Return an exercise for many answers, with keys that are computed once for each input."""
    task, keys = _engine._EXERCISES[name], {}
    inputs = list(task.inputs(np.random.RandomState(0)))

    @wraps(task.key)
    def key(*drawn):
        which = tuple(map(id, drawn))
        keys[which] = keys.get(which) or task.key(*drawn)
        return keys[which]

    return replace(task, key=key, inputs=lambda _: inputs)


@pytest.mark.parametrize("name", RIGHT)
def test_no_slip_of_the_pen_passes(name):
    """But for three at most, which make no difference."""
    task, verdicts = drawn_once(name), []
    few = replace(task, inputs=lambda _: task.inputs(0)[:4])
    for mutant in mutants(SOLUTIONS[name]):
        words = few.verdict(mutant)
        verdicts.append(task.verdict(mutant) if "every check passed" in words else words)
    assert len(verdicts) > 5
    assert sum("every check passed" in words for words in verdicts) <= 3
    assert not any("not written" in words or "0x" in words for words in verdicts)


# Those that a key finds by a test: what is said of one | what is replaced | by what.
MADE = """
reduce_weights
  a weight became negative | ratios.argmin() | np.where(a > 0, ratios, -1).argmax()
      | np.maximum(moved, 0) | moved | while | if
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
smo_loop
  Σ α_i y_i is not zero | beta[j] - length | beta[j] - 2 * length
  outside [0, C] | low[j] if | low[j] * 2 if | high[i] if | high[i] * 2 if
  set it to the bound exactly | high[i] if | high[i] * (1 - 1e-15) if
  the loop ends too early | <= tol | <= 2 * tol
  b is not between m and M | up[i] + down[j] | up[i] + up[i] + up[i]
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
kernel_perceptron
  the counts themselves | return c | return c * y
  whole numbers | c[i] += 1 | c[i] += 0.7
  in order | y[i] * (K[i] | y[-1 - i] * (K[-1 - i] | c[i] | c[-1 - i]
reduced_support
  not in the reduced hull | shares @ points[order] | shares @ points[order] @ u / (u @ u) * u
hinge_subgradient
  at a kink your vector is not a subgradient | y, 0) | y, np.where(y * (X @ w + b) == 1, 2, 0))
rbf_gram
  far from the origin | X - Z.mean(axis=0), Z - Z.mean(axis=0) | X, Z
  values exceed 1 | Z.T).clip(min=0) | Z.T)
bias
  that of one support vector | alpha @ (y - X @ w) / alpha.sum() | (y - X @ w)[alpha.argmax()]
  makes no support vector | alpha @ (y - X @ w) / alpha.sum() | (y - X @ w)[alpha > 0].mean()
  a fixed threshold | alpha @ (y - X @ w) / alpha.sum() | (y - X @ w)[alpha > 1e-5].mean()
cheapest_threshold
  one of the values of f | thresholds[costs.argmin()] | thresholds[costs.argmin()] - 1e-3
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


def mistaken(keys, sentence, k):
    """Make a function that answers, input for input, as a key says that a mistake does."""
    turns = itertools.cycle(keys)

    def answer(*_):
        key = next(turns)
        right, wrong = map(_engine._tuple, (key.right, key.mistakes[sentence][k]))
        parts = tuple(r if w is None else w for r, w in zip(right, wrong, strict=True))
        return parts if isinstance(key.right, tuple) else parts[0]

    return answer


@pytest.mark.parametrize("name", RIGHT)
def test_a_mistake_is_called_by_its_name(name):
    task = drawn_once(name)
    with np.errstate(all="ignore"):
        keys = [task.key(*inputs) for inputs in task.inputs(0)]
    for sentence, answers in keys[0].mistakes.items():
        for k in range(len(answers)):
            assert sentence in task.verdict(mistaken(keys, sentence, k)), sentence
    text = re.search(rf"^{name}$((?:\n .*)*)", MADE, re.MULTILINE)
    for line in re.split(r"\n  (?! )", text[1])[1:] if text else ():
        words, *changes = (part.strip() for part in line.split(" |"))
        assert words in task.verdict(edited(name, *changes)), words


# The engine


@pytest.fixture
def fresh():
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
        (lambda w, *rest: book.pair_step(w, *rest) if w.size < 2 else None, "None.\n  tried"),
    ],
)
def test_whatever_a_function_does_gets_a_sentence(capsys, function, words):
    assert words in (printed := said(capsys, "pair_step", function))
    assert "passed" not in printed


def test_what_a_function_prints_is_kept_back(capsys):
    def loud(*inputs):
        print("here", len(inputs))
        return book.pair_step(*inputs)

    right = said(capsys, "pair_step", loud)
    assert right.endswith("Well done.\nIt also prints, which the check has kept back.\n")
    assert "\n  printed   here 5\n" in said(capsys, "pair_step", lambda *i: loud(*i) + 1)


def test_one_wrong_answer_is_blamed_on_a_mistake_only_if_most_are(capsys):
    factors = itertools.chain([1, 1, 1, 1, 2], itertools.repeat(1))
    sometimes = lambda *inputs: book.pair_step(*inputs) * next(factors)  # noqa: E731
    assert "not the right answer" in said(capsys, "pair_step", sometimes)


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

"""The bank of questions: what Moodle reads is what the quiz says and what svmlib computes."""

import re
from itertools import chain
from xml.etree import ElementTree as Xml

import nbformat
import numpy as np
import pytest
import questions
from nbformat.v4 import new_markdown_cell, new_notebook
from number_questions import KINDS
from scipy.optimize import brentq, linprog, minimize_scalar
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from svmlib.book.exercises import _engine
from svmlib.hinge import primal_objective
from svmlib.hulls import closest_points
from svmlib.kernels import RBF
from svmlib.problem import DualProblem

CHOICE = "<details>\n<summary>{}</summary>\n\n{}\n\n</details>"
QUIZ = [
    '<a id="quiz"></a>',
    "## 5.3. Quiz",
    "**1. Is $k_1 - k_2 < 1$ a **kernel**: yes or no?**",
    CHOICE.format(r"a) $\{x\}$: never", "Not quite: 1 = 1."),
    CHOICE.format("b) perhaps", "**Right.** It is #1 of them,\nsee [Lemma 5.2](#lem-x)."),
    "**2. And $x$?**",
    CHOICE.format("a) no", r"**Right**, $x \ne 0$."),
    '<a id="further-reading"></a>',
    "## Further reading",
    "**3. Not a question**",
]


@pytest.fixture
def asked(tmp_path):
    cells = [new_markdown_cell("# 5. Kernels: elsewhere"), new_markdown_cell("\n\n".join(QUIZ))]
    nbformat.write(new_notebook(cells=cells), tmp_path / "05_kernels.ipynb")
    nbformat.write(new_notebook(cells=cells), tmp_path / "errata.ipynb")
    return list(questions.quizzes(tmp_path))


def test_a_quiz_is_read_as_it_stands(asked):
    first = "Is $k_1 - k_2 < 1$ a **kernel**: yes or no?"
    assert [question.text for question in asked] == [first, "And $x$?"]
    assert {question.topic for question in asked} == {"05. Kernels: elsewhere"}
    assert [[c.right for c in question.choices] for question in asked] == [[False, True], [True]]


# What Moodle reads. It publishes no schema; these are the rules of its importers, which are its
# question/format/xml/format.php and question/format/gift/format.php, for what is used here.


def expected(asked, html=questions.html):
    for q in asked:
        choices = [(html(c.text), c.right, html(c.reason)) for c in q.choices]
        yield q.topic, html(q.text), choices or (q.number, q.tolerance)


POINTS = {"100": True, "0": False}


def read_xml(file):
    assert file.startswith("<?xml version='1.0' encoding='utf-8'?>\n<quiz>"), "on the first line"
    for question in Xml.fromstring(file.encode()):
        kind, answers = question.get("type"), question.findall("answer")
        if kind == "category":
            topic = question.findtext("category/text").split("/")[2]
            continue
        assert question.find("questiontext").get("format") == "html"
        texts, points = [a.findtext("text") for a in answers], [a.get("fraction") for a in answers]
        if kind == "numerical":
            assert points == ["100"]
            found = float(texts[0]), float(answers[0].findtext("tolerance"))
        else:
            assert (kind, question.findtext("single")) == ("multichoice", "true")
            assert {part.get("format") for a in answers for part in (a, a[1])} == {"html"}
            reasons = [a.findtext("feedback/text") for a in answers]
            found = [*zip(texts, map(POINTS.get, points), reasons, strict=True)]
        yield topic, question.findtext("questiontext/text"), found


def hidden(text):
    """Take what is escaped out of the way, as Moodle does first."""
    return re.sub(r"\\([\\~=#{}:n])", lambda sign: chr(0xE000 + ord(sign[1])), text)


def shown(text):
    back = re.sub("[\ue000-\ue0ff]", lambda sign: chr(ord(sign[0]) - 0xE000), text)
    return back.replace("\ue06e", "\n").strip()


def read_gift(file):
    for entry in hidden(file).split("\n\n"):  # a blank line ends a question
        if category := re.fullmatch(r"\$CATEGORY: (.*)\n?", entry):
            topic = category[1].split("/")[2]
            continue
        text, answers = re.fullmatch(r"::.+?::\[html\](.*?)\{(.*?)\}\n?", entry, re.DOTALL).groups()
        if answers.strip().startswith("#"):
            found = tuple(map(float, answers.strip()[1:].split(":")))
        else:
            parts = [each.partition("#") for each in answers.replace("=", "~=").split("~")[1:]]
            found = [(shown(a.lstrip("=")), a.startswith("="), shown(why)) for a, _, why in parts]
        yield topic, shown(text), found


def test_moodle_reads_what_was_written(asked):
    """From its XML as from GIFT, in which a text is one line."""
    asked = [*asked, *questions.numbers(1)]
    assert [*read_xml(questions.moodle(asked))] == [*expected(asked)]
    lines = expected(asked, lambda text: questions.html(text).replace("\n", " "))
    assert [*read_gift(questions.gift(asked))] == [*lines]


def test_what_moodle_shows_is_well_formed_and_a_sheet_has_the_answers_or_not(asked):
    """A bare "<" in a formula would begin a tag, and the rest be cut off."""
    _, text, _ = next(expected(asked))
    assert r"\(k_1 - k_2 &lt; 1\) a <strong>kernel</strong>" in text
    asked = [*asked, *questions.numbers(1, each=1)]
    for _, text, answers in expected(asked):
        for words in [text, *(part for a in answers if isinstance(a, tuple) for part in a[::2])]:
            Xml.fromstring(f"<p>{words}</p>")
    without, sheet = (questions.sheet(asked, answers=answers) for answers in (False, True))
    assert sheet.count("**Right") == 2
    assert "\n\n1.9612\n\n" in sheet
    assert not re.search(r"\*\*Right|Not quite|1\.9612", without)


# The numbers

ASKED = list(chain.from_iterable(KINDS.values()))


def test_numbers_hang_on_the_seed_and_on_nothing_else():
    one, same, other = (list(questions.numbers(seed)) for seed in (3, 3, 4))
    assert one == same
    assert sum(a != b for a, b in zip(one, other, strict=True)) > 0.95 * 3 * len(ASKED)


def value(told):
    if "texttt" in told:
        return re.sub(r"\\texttt|[{}]", "", told)
    found = eval(told)
    return np.array(found) if isinstance(found, tuple) else found


VALUE = r"(-?[\d.]+|\([-\d., ]+\)|\\texttt\{\w+\})"
NAME = r"\\?([A-Za-z]+(?:[_^](?:[\w+-]|\{\w+\}))?'?)"


class Told(dict):
    """What a question says, by its letters: nothing else may be used to answer it."""

    def __init__(self, text):
        super().__init__({name: value(v) for name, v in re.findall(rf"\${NAME}={VALUE}\$", text)})
        points = re.findall(r"(negative ones )?\$(\([-\d, ]+\))\$", text)
        self.X = np.array([eval(x) for _, x in points])
        self.first_negative = [bool(mark) for mark, _ in points]
        if any(self.first_negative):
            self.y = np.where(np.cumsum(self.first_negative), -1, 1)

    __getattr__ = dict.__getitem__

    def margins(self, b=None):
        return self.y * (self.X @ self.w + (self.b if b is None else b))

    def dual(self):
        return DualProblem(self.X, self.y).objective(self.alpha)

    def loss(self, b):
        return primal_objective(self.w, b, self.X, self.y, self.C)

    def inner(self, x, z):
        return RBF(self.kappa)(x[np.newaxis], z[np.newaxis])[0, 0]

    def bridge(self):
        return closest_points(self.X, self.y).distance


def least(function, low, high):
    options = {"bounds": (low, high), "method": "bounded", "options": {"xatol": 1e-9}}
    found = minimize_scalar(function, **options)
    return found.x, found.fun


def pair(g):
    across = g["x^+"] - g["x^-"]
    objective = lambda delta: np.sum((g.w + delta * across) ** 2) - 2 * delta  # noqa: E731
    step, lowest = least(objective, -min(g["lambda^+"], g["lambda^-"]), 5)
    return step, objective(0) - lowest


def box_step(g):
    ends = [(0, g.C) if label > 0 else (-g.C, 0) for label in (g.y_i, g.y_j)]  # of α y
    room = min(ends[0][1] - g.y_i * g.alpha_i, g.y_j * g.alpha_j - ends[1][0])
    step, lowest = least(lambda t: g.a * t**2 / 2 - g.s * t, 0, room)
    return step, -lowest


def pegasos_step(g):
    """By the slope of the loss of the sample, from a small difference."""
    off = np.add(g.w, [[0.01, 0], [-0.01, 0]])
    after, before = g["lambda"] / 2 * (off**2).sum(1) + np.maximum(0, 1 - g.y * (off @ g.x))
    return g.w[0] - (after - before) / 0.02 / (g["lambda"] * g.t)


def can(g, up):
    after = g.alpha + (1 if up else -1) * 1e-3 * g.y
    return (after >= 0) & (after <= g.C)


def quadratic_map(x, c):
    r = 2**0.5
    return np.array([c, x[0] ** 2, x[1] ** 2, r * x[0] * x[1], *((2 * c) ** 0.5 * x)])


def optimal_biases(g):
    b = np.linspace(-3, 3, 6001)
    excess = g.y * (b[:, None] - g.g)  # y f − 1
    good = b[(np.where(g.alpha == 0, excess, -excess) > -1e-9).all(axis=1)]
    return (good[0] + good[-1]) / 2


def cover(n, d):
    return 2 * (d > 0) if n == 1 or d == 0 else cover(n - 1, d) + cover(n - 1, d - 1)


def ramp(g):
    q, low = least(lambda q: g.h / 2 * (q - g.c) ** 2 - q * (g.y - g.s), *sorted([0, g.y * g.C]))
    return q, -low


def scaled(g):
    S = min(g["S^+"], -g["S^-"])
    w = S * (g["M^+"] / g["S^+"] - g["M^-"] / g["S^-"])
    return S + S - np.sum(w**2) / 2


KERNEL_PERCEPTRON = _engine._EXERCISES["kernel_perceptron"]
SECOND = {
    "distance": lambda g: (g.w @ g.x + g.b) / np.hypot(*g.w),
    "functional": lambda g: g.margins().min(),
    "geometric": lambda g: g.margins().min() / np.hypot(*g.w),
    "width": lambda g: ((g.X[g.y > 0] @ g.w).min() - (g.X[g.y < 0] @ g.w).max()) / np.hypot(*g.w),
    "bridge": Told.bridge,
    "optimal": lambda g: g.bridge() / 2,
    "to_hull": lambda g: closest_points([*g.X, g.z], [1, 1, 1, 1, -1]).distance,
    "pair_step": lambda g: pair(g)[0],
    "fall": lambda g: pair(g)[1],
    "size": lambda g: least(lambda s: s**2 * np.sum((g.p - g.q) ** 2) - 2 * s, 0, 2)[0],
    "dual_value": Told.dual,
    "gap": lambda g: g.w @ g.w / 2 - g.dual() if g.margins().min() >= 1 else None,
    "multiplier": lambda g: least(lambda a: a**2 * np.sum((g.x - g.z) ** 2) / 2 - 2 * a, 0, 3)[0],
    "midline": lambda g: least(lambda b: -g.margins(b).min(), -200, 200)[0],
    "gaussian": lambda g: g.inner(g.x, g.z),
    "polynomial": lambda g: sum([*(g.x * g.z), g.c]) ** g.p,
    "feature_distance": lambda g: np.linalg.norm(quadratic_map(g.x, g.c) - quadratic_map(g.z, g.c)),
    "machine": lambda g: g.a * g.inner(g.u, g.x) - g.a * g.inner(g.v, g.x) + g.b,
    "eigenvalue": lambda g: np.trace(g.X) / 2 - np.hypot((g.X[0, 0] - g.X[1, 1]) / 2, g.X[0, 1]),
    "slack": lambda g: np.maximum(0, 1 - g.margins()).sum(),
    "objective": lambda g: g.loss(g.b),
    "slope": lambda g: (g.loss(g.b + 0.1) - g.loss(g.b - 0.1)) / 0.2,
    "pegasos_step": pegasos_step,
    "reduced_end": lambda g: -linprog(-g.x, A_eq=np.ones((1, 4)), b_eq=1, bounds=(0, g.mu)).fun,
    "violation": lambda g: g.g[can(g, up=True)].max() - g.g[can(g, up=False)].min(),
    "bias": optimal_biases,
    "full_step": lambda g: box_step(g)[0],
    "gain": lambda g: box_step(g)[1],
    "standard_error": lambda g: 100 * np.std(np.arange(g.n) < g.r) / np.sqrt(g.n),
    "chance": lambda g: binomtest(g.a, g.a + g.b).pvalue,
    "cheapest": lambda g: brentq(lambda p: p * g["c_+"] - (1 - p) * g["c_-"], 0, 1),
    "roc_area": lambda g: roc_auc_score([1, 1, 1, 0, 0, 0, 0], [*g.p, *g.q]),
    "prior_shift": lambda g: (
        1 / (1 + (1 - g["pi'"]) * (1 - g.p) / (1 - g.pi) / (g["pi'"] * g.p / g.pi))
    ),
    "trained": lambda g: len([0 for _ in np.ndindex(g.a, g.b, g.k)]) + 1,
    "machines": lambda g: np.tri(g.K, k=-1).sum() - g.K,
    "votes": lambda g: sum(
        g[f"f_{{{min(k, g.k)}{max(k, g.k)}}}"] * (-1) ** (k < g.k) > 0 for k in {1, 2, 3, 4} - {g.k}
    ),
    "tube": lambda g: sum(max(0, abs(t - f) - g.varepsilon) for t, f in zip(g.t, g.f, strict=True)),
    "spectrum": lambda g: sum(
        g.s[i : i + 2] == g.t[j : j + 2] for i in range(len(g.s) - 1) for j in range(len(g.t) - 1)
    ),
    "nu_bound": lambda g: next(m for m in range(200) if 10 * m >= round(10 * g.nu) * g.n),
    "left_out": lambda g: (g.n - g.k) / g.n,
    "shattered": lambda g: max(n for n in range(400) if n * g.gamma**2 <= g.R**2),
    "labellings": lambda g: cover(g.n, g.d + 1),
    "corrections": lambda g: KERNEL_PERCEPTRON.key(g.X @ g.X.T, g.y).right.sum(),
    "novikoff": lambda g: (g.X**2).sum(1).max() * (g.w @ g.w) / (g.y * (g.X @ g.w)).min() ** 2,
    "ramp": lambda g: ramp(g)[0],
    "rounded_loss": lambda g: ramp(g)[1],
    "on_the_ramp": lambda g: sum(
        g.h * (c - g.C) < s - 1 < g.h * c for s, c in zip(g.s, g.c, strict=True)
    ),
    "newton_step": lambda g: (
        (2 + g.h * (g["c_1"] - g["c_2"])) / (g["K_{11}"] + g["K_{22}"] - 2 * g["K_{12}"] + 2 * g.h)
    ),
    "lower_bound": scaled,
    "coordinate": lambda g: least(
        lambda a: np.sum((g.w + (a - g.alpha) * g.y * g.x) ** 2) / 2 - a, 0, g.C
    )[0],
    "amdahl": lambda g: g.W / (g.W * g.p + 1 - g.p),
    "effort": lambda g: (g.r * g.n * g.d + g.t * 2 * g.n) / 10**6,
}


@pytest.mark.parametrize("kind", ASKED, ids=lambda kind: kind.__name__)
def test_an_answer_is_that_of_the_text(kind):
    """And it is told from minus, twice and half of it by more than what is tolerated."""
    tolerance = questions.Question("", "").tolerance
    for seed in range(8):
        text, answer = kind(np.random.RandomState(seed))
        assert SECOND[kind.__name__](Told(text)) == pytest.approx(answer, abs=tolerance / 4), text
        assert answer == 0 or abs(answer) > 4 * tolerance, text
        assert text.endswith(("?", ".)", "sign."))

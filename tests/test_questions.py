"""The bank of questions: what Moodle reads is what the quiz says and what svmlib computes."""

import re
from xml.etree import ElementTree as Xml

import nbformat
import numpy as np
import pytest
import questions
from nbformat.v4 import new_markdown_cell, new_notebook

QUIZ = r"""<a id="quiz"></a>

## 5.3. Quiz

**1. Is $k_1 - k_2 < 1$ a **kernel**: yes or no?**

<details>
<summary>a) $\{x\}$: never</summary>

Not quite: 1 = 1.

</details>

<details>
<summary>b) perhaps</summary>

**Right.** It is #1 of them, see [Lemma 5.2](#lem-x).

</details>

**2. And $x$?**

<details>
<summary>a) no</summary>

**Right**, $x \ne 0$.

</details>

<a id="read-more"></a>

## Read more

**3. Not a question**
"""


@pytest.fixture
def asked(tmp_path):
    cells = [new_markdown_cell("# 5. Kernels: elsewhere"), new_markdown_cell(QUIZ)]
    nbformat.write(new_notebook(cells=cells), tmp_path / "05_kernels.ipynb")
    nbformat.write(new_notebook(cells=cells), tmp_path / "errata.ipynb")
    return list(questions.quizzes(tmp_path))


def test_a_quiz_is_read_as_it_stands(asked):
    assert [question.text for question in asked] == [
        "Is $k_1 - k_2 < 1$ a **kernel**: yes or no?",
        "And $x$?",
    ]
    assert {question.topic for question in asked} == {"05. Kernels: elsewhere"}
    assert [[c.right for c in question.choices] for question in asked] == [[False, True], [True]]


def test_moodle_gets_formulas_and_one_right_answer(asked):
    quiz = Xml.fromstring(questions.moodle([*asked, *questions.numbers(1, each=1)]))
    kinds = [question.get("type") for question in quiz]
    assert kinds.count("multichoice") == 2
    assert kinds.count("numerical") == sum(map(len, questions.KINDS.values()))
    assert kinds.count("category") == 1 + len(questions.KINDS)
    for question in quiz:
        if question.get("type") != "category":
            assert [a.get("fraction") for a in question.findall("answer")].count("100") == 1
    first = quiz[1]
    assert r"\(k_1 - k_2 < 1\)" in first.find("questiontext/text").text
    assert "<strong>kernel</strong>" in first.find("questiontext/text").text
    assert "see Lemma 5.2." in first.findall("answer")[1].find("feedback/text").text


def test_gift_escapes_its_own_signs(asked):
    text = questions.gift(asked)
    bare = re.sub(r"\\[\\~=#{}:]", "", text)
    assert bare.count("{") == bare.count("}") == 2
    assert len(re.findall(r"^=", bare, flags=re.MULTILINE)) == 2
    assert len(re.findall(r"^~", bare, flags=re.MULTILINE)) == 1
    assert bare.count("#") == 3, "one before each reason"
    assert r"\\(\\\{x\\\}\\)\: never" in text


def test_numbers_hang_on_the_seed_and_on_nothing_else():
    assert list(questions.numbers(3)) == list(questions.numbers(3))
    one, other = (list(questions.numbers(seed)) for seed in (3, 4))
    assert len(one) == 100
    assert sum(a != b for a, b in zip(one, other, strict=True)) > 90


def read(pattern, text):
    return [np.array(eval(found)) for found in re.findall(pattern, text)]


def worked(text):
    """Compute an answer in plain NumPy, from nothing but what a student is told."""
    b = read(r"\$b=(-?\d+)\$", text)
    w = read(r"w=(\([^)]*\))", text)
    if "How far is" in text:
        x = read(r"How far is \$x=(\([^)]*\))", text)[0]
        right = (w[0] @ x + b[0]) / np.hypot(*w[0])
    elif "x=" in text:
        x, z = read(r"[xz]=(\([^)]*\))", text)
        if "lVert" in text:
            right = np.exp(-read(r"e\^\{-([\d.]+)", text)[0] * sum((x - z) ** 2))
        else:
            c, degree = map(int, re.search(r"z\+(\d)\)\^(\d)", text).groups())
            right = (x @ z + c) ** degree
    else:
        plus, minus = (np.array(read(r"\$(\([^)]*\))\$", part)) for part in text.split("negative"))
        minus = minus[:3]
        if "hulls" in text or "largest" in text:
            turn = np.linspace(0, 2 * np.pi, 20001)
            normals = np.column_stack([np.cos(turn), np.sin(turn)])
            gap = ((plus @ normals.T).min(0) - (minus @ normals.T).max(0)).max()
            right = gap if "hulls" in text else gap / 2
        elif "along" in text:
            right = ((plus @ w[0]).min() - (minus @ w[0]).max()) / np.hypot(*w[0])
        else:
            margins = np.concatenate([plus @ w[0] + b[0], -(minus @ w[0] + b[0])])
            slack = np.maximum(0, 1 - margins).sum()
            right = {
                "functional": margins.min(),
                "geometric": margins.min() / np.hypot(*w[0]),
                "How much": slack,
                "frac12": w[0] @ w[0] / 2 + (read(r"C=(\d+)", text) or [0])[0] * slack,
            }[re.search("functional|geometric|How much|frac12", text)[0]]
    return right


def test_an_answer_is_that_of_the_text():
    for question in questions.numbers(1):
        text, number = question.text, question.number
        assert worked(text) == pytest.approx(number, abs=question.tolerance / 2), text

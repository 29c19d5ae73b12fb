"""Questions to hand out, for Moodle and on paper: `make questions`.

    python _ext/questions.py _build/html --seed 1

Two kinds: the quizzes, read from the notebooks that readers take home, where every reference is
text; and questions whose numbers hang on the seed and whose answers svmlib computes. They are
written as Moodle's XML, as GIFT, and as two sheets in Markdown, without and with the answers.
"""

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree as Xml

import nbformat
import numpy as np
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from svmlib.geometry import Hyperplane, directional_margin
from svmlib.hinge import hinge, primal_objective
from svmlib.hulls import closest_points
from svmlib.kernels import RBF, Polynomial

COURSE = "Support vector machines"
QUESTION = re.compile(r"^\*\*\d+\. (.+?)\*\*$(.*?)(?=^\*\*\d+\. |\Z)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\[\]]+)\]\((?!https?:)[^()]*\)")  # within the book
CHOICE = re.compile(r"<summary>\w\) (.*?)</summary>\n\n(.*?)\n\n</details>", re.DOTALL)


@dataclass(frozen=True)
class Choice:
    text: str
    reason: str

    @property
    def right(self):
        return self.reason.startswith("**Right")


@dataclass(frozen=True)
class Question:
    """A question in Markdown, with choices or with a number for an answer."""

    topic: str
    text: str
    choices: tuple[Choice, ...] = ()
    number: float = 0.0
    tolerance: float = 0.01


def quizzes(folder):
    """Yield the questions of the chapters' quizzes."""
    for file in sorted(folder.glob("[0-9]*.ipynb")):
        texts = [c.source for c in nbformat.read(file, 4).cells if c.cell_type == "markdown"]
        title = re.search("^# (.+)$", "\n".join(texts), re.MULTILINE)[1]
        (quiz,) = (text for text in texts if re.search(r"^## .*Quiz$", text, re.MULTILINE))
        quiz = re.split(r"^## .*Quiz$", quiz, flags=re.MULTILINE)[1]
        quiz = re.split(r"^(?:<a id|#)", quiz, flags=re.MULTILINE)[0]
        for text, answers in QUESTION.findall(LINK.sub(r"\1", quiz)):
            choices = tuple(Choice(*choice) for choice in CHOICE.findall(answers))
            yield Question(f"{int(file.name[:2]):02}. {title.partition('. ')[2]}", text, choices)


# Questions with numbers: each returns its text and its answer


def vector(x):
    return f"({', '.join(f'{value:g}' for value in x)})"


def points(X):
    return ", ".join(f"${vector(x)}$" for x in X)


def line(random):
    """Return a normal that is not zero, and a bias."""
    return random.choice([-1, 1], 2) * random.randint(1, 6, 2), int(random.randint(-5, 6))


def classes(random, apart=False):
    """Return three samples of each class, all different; beside a gap if they are to be apart."""
    X = np.column_stack(np.divmod(random.permutation(25)[:6], 5))
    y = np.repeat([1, -1], 3)
    return X + 6 * apart * (y > 0)[:, None], y


def street(random):
    """Return a line near (5, 5), between two classes, which it may miss."""
    (w, b), (X, y) = line(random), classes(random, apart=True)
    return abs(w), b - 5 * abs(w).sum(), X, y


def told(X, y):
    return f"The positive samples are {points(X[y > 0])}, the negative ones {points(X[y < 0])}."


def distance(random):
    (w, b), x = line(random), random.randint(-9, 10, 2)
    asked = (
        f"How far is $x={vector(x)}$ from the line $w\\cdot x+b=0$ with $w={vector(w)}$, $b={b}$?"
    )
    return f"{asked} Give the distance with its sign.", Hyperplane(w, b).signed_distance([x])[0]


def functional(random):
    w, b, X, y = street(random)
    asked = f"What is the functional margin of $w={vector(w)}$, $b={b}$ on all of them?"
    return f"{told(X, y)} {asked}", Hyperplane(w, b).functional_margin(X, y)


def geometric(random):
    w, b, X, y = street(random)
    asked = f"What is the geometric margin of the line $w={vector(w)}$, $b={b}$ on all of them?"
    return f"{told(X, y)} {asked}", Hyperplane(w, b).geometric_margin(X, y)


def width(random):
    (w, _), (X, y) = line(random), classes(random, apart=True)
    w *= np.sign(w[0])
    asked = f"How wide is the gap along $w={vector(w)}$, with the positive class in front?"
    asked += " (Below zero there is none.)"
    return f"{told(X, y)} {asked}", directional_margin(X, y, w).width


def bridge(random):
    X, y = classes(random, apart=True)
    return f"{told(X, y)} How far are their convex hulls apart?", closest_points(X, y).distance


def optimal(random):
    X, y = classes(random, apart=True)
    asked = "What is the largest geometric margin that a line can have?"
    return f"{told(X, y)} {asked}", closest_points(X, y).distance / 2


def gaussian(random):
    (x, z), gamma = random.randint(0, 3, (2, 3)), random.randint(1, 6) / 10
    asked = (
        f"What is $e^{{-{gamma:g}\\lVert x-z\\rVert^2}}$ for $x={vector(x)}$ and $z={vector(z)}$?"
    )
    return asked, RBF(gamma)(x[None] * 1.0, z[None] * 1.0)[0, 0]


def polynomial(random):
    (x, z), degree, c = random.randint(-3, 4, (2, 3)), random.randint(2, 4), random.randint(0, 3)
    asked = f"What is $(x\\cdot z+{c})^{degree}$ for $x={vector(x)}$ and $z={vector(z)}$?"
    kernel = Polynomial(int(degree), 1.0, float(c))
    return asked, kernel(x[None] * 1.0, z[None] * 1.0)[0, 0]


def slack(random):
    (w, b), (X, y) = line(random), classes(random)
    asked = f"How much slack does $w={vector(w)}$, $b={b}$ need, all samples together?"
    return f"{told(X, y)} {asked}", hinge(Hyperplane(w, b).functional_margins(X, y)).sum()


def objective(random):
    (w, b), (X, y), C = line(random), classes(random), int(random.randint(1, 10))
    asked = (
        f"What is $\\frac12\\lVert w\\rVert^2+C\\sum_i\\xi_i$ at $w={vector(w)}$, $b={b}$, $C={C}$,"
    )
    asked += " with as little slack as the constraints allow?"
    return f"{told(X, y)} {asked}", primal_objective(w, b, X, y, C)


KINDS: dict[str, list[Callable]] = {
    "01. Numbers: a line": [distance, functional, geometric, width],
    "02. Numbers: hulls": [bridge, optimal],
    "05. Numbers: kernels": [gaussian, polynomial],
    "06. Numbers: slack": [slack, objective],
}


def numbers(seed, each=10):
    """Yield questions whose numbers hang on the seed."""
    random = np.random.RandomState(seed)  # the same numbers in every version of NumPy
    for topic, kinds in KINDS.items():
        for kind in kinds:
            for _ in range(each):
                text, answer = kind(random)
                yield Question(topic, f"{text} (To two decimals.)", number=round(float(answer), 4))


# What is written


READER = MarkdownIt().use(dollarmath_plugin)
READER.add_render_rule("math_inline", lambda self, tokens, k, *_: rf"\({tokens[k].content}\)")
READER.add_render_rule("math_block", lambda self, tokens, k, *_: rf"\[{tokens[k].content}\]")


def html(text):
    """Translate Markdown; formulas stay TeX, in the signs that Moodle typesets."""
    return READER.render(text).strip()


def fraction(choice):
    return "100" if choice.right else "0"


def moodle(questions):
    """Return the questions as Moodle's XML."""
    quiz = Xml.Element("quiz")

    def add(parent, tag, text, **attributes):
        Xml.SubElement(Xml.SubElement(parent, tag, attributes), "text").text = text

    for topic, group in groupby(questions, lambda question: question.topic):
        add(
            Xml.SubElement(quiz, "question", type="category"),
            "category",
            f"$course$/{COURSE}/{topic}",
        )
        for number, question in enumerate(group, 1):
            kind = "multichoice" if question.choices else "numerical"
            entry = Xml.SubElement(quiz, "question", type=kind)
            add(entry, "name", f"{topic} {number:03}")
            add(entry, "questiontext", html(question.text), format="html")
            for choice in question.choices:
                answer = Xml.SubElement(entry, "answer", fraction=fraction(choice), format="html")
                Xml.SubElement(answer, "text").text = html(choice.text)
                add(answer, "feedback", html(choice.reason), format="html")
            if question.choices:
                Xml.SubElement(entry, "single").text = "true"
            else:
                answer = Xml.SubElement(entry, "answer", fraction="100", format="plain_text")
                Xml.SubElement(answer, "text").text = f"{question.number:.4f}"
                Xml.SubElement(answer, "tolerance").text = f"{question.tolerance:g}"
    Xml.indent(quiz)
    return Xml.tostring(quiz, encoding="unicode", xml_declaration=True)


def escaped(text):
    return re.sub(r"([\\~=#{}:])", r"\\\1", text).replace("\n", " ")


def line_of(choice):
    sign = "=" if choice.right else "~"
    return f"{sign}{escaped(html(choice.text))}#{escaped(html(choice.reason))}"


def gift(questions):
    """Return the questions in GIFT, a line to each answer."""
    entries = []
    for topic, group in groupby(questions, lambda question: question.topic):
        entries.append(f"$CATEGORY: $course$/{COURSE}/{topic}")
        for number, question in enumerate(group, 1):
            answers = [f"#{question.number:.4f}:{question.tolerance:g}"]
            if question.choices:
                answers = map(line_of, question.choices)
            lines = "\n".join(["{", *answers, "}"])
            name = escaped(f"{topic} {number:03}")
            entries.append(f"::{name}::[html]{escaped(html(question.text))} {lines}")
    return "\n\n".join(entries) + "\n"


def sheet(questions, answers):
    """Return the questions as a sheet in Markdown, with the answers or without."""
    parts = [f"# {COURSE}: {'answers' if answers else 'questions'}"]
    for topic, group in groupby(questions, lambda question: question.topic):
        parts.append(f"## {topic}")
        for number, question in enumerate(group, 1):
            parts.append(f"**{number}.** {question.text}")
            for letter, choice in zip("abcdefgh", question.choices, strict=False):
                if not answers:
                    parts.append(f"{letter}) {choice.text}")
                elif choice.right:
                    parts.append(f"{letter}) {choice.text} {choice.reason}")
            if answers and not question.choices:
                parts.append(f"{question.number:.2f}")
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=10, help="questions of each kind with numbers")
    options = parser.parse_args()
    asked = [*quizzes(options.pages / "notebooks"), *numbers(options.seed, options.each)]
    folder = Path("_build", "questions")
    folder.mkdir(parents=True, exist_ok=True)
    files = {"moodle.xml": moodle(asked), "questions.gift": gift(asked)}
    files |= {"questions.md": sheet(asked, answers=False), "answers.md": sheet(asked, answers=True)}
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    print(f"{len(asked)} questions in {folder.resolve()}")


if __name__ == "__main__":
    main()

"""Questions to hand out, for Moodle and on paper: `make questions`.

    python tools/questions.py _build/html --seed 1

Two kinds: the quizzes, read from the notebooks that readers take home, where every reference is
text; and questions of `number_questions.py`, whose numbers depend on the seed. They are written as
Moodle's XML, as GIFT, and as two sheets in Markdown, without and with the answers.
"""

import argparse
import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree as Xml

import nbformat
import numpy as np
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from mdit_py_plugins.dollarmath import dollarmath_plugin
from number_questions import KINDS

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
    """A question in Markdown, with choices or a number as the answer."""

    topic: str
    text: str
    choices: tuple[Choice, ...] = ()
    number: float = 0.0
    tolerance: float = 0.002


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


def numbers(seed, each=3):
    """Yield questions whose numbers depend on the seed."""
    random = np.random.RandomState(seed)  # the same numbers in every version of NumPy
    for topic, kinds in KINDS.items():
        for kind in kinds:
            for _ in range(each):
                text, answer = kind(random)
                if isinstance(answer, int):
                    yield Question(topic, text, number=answer, tolerance=0)
                else:
                    answer = round(float(answer), 4) + 0.0  # no minus before a zero
                    yield Question(topic, f"{text} (To three decimals.)", number=answer)


# What is written


READER = MarkdownIt().use(dollarmath_plugin)
READER.add_render_rule(
    "math_inline", lambda self, tokens, k, *_: rf"\({escapeHtml(tokens[k].content)}\)"
)
READER.add_render_rule(
    "math_block", lambda self, tokens, k, *_: rf"\[{escapeHtml(tokens[k].content)}\]"
)


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
                Xml.SubElement(entry, "shuffleanswers").text = "true"
            else:
                answer = Xml.SubElement(entry, "answer", fraction="100", format="plain_text")
                Xml.SubElement(answer, "text").text = str(question.number)
                Xml.SubElement(answer, "tolerance").text = f"{question.tolerance:g}"
    Xml.indent(quiz)
    return Xml.tostring(quiz, encoding="unicode", xml_declaration=True)


def escaped(text):
    return re.sub(r"([\\~=#{}:])", r"\\\1", text).replace("\n", " ")


def line_of(choice):
    sign = "=" if choice.right else "~"
    return f"{sign}{escaped(html(choice.text))}#{escaped(html(choice.reason))}"


def gift(questions):
    """Return the questions in GIFT, one line per answer."""
    entries = []
    for topic, group in groupby(questions, lambda question: question.topic):
        entries.append(f"$CATEGORY: $course$/{COURSE}/{topic}")
        for number, question in enumerate(group, 1):
            answers = [f"#{question.number}:{question.tolerance:g}"]
            if question.choices:
                answers = map(line_of, question.choices)
            lines = "\n".join(["{", *answers, "}"])
            name = escaped(f"{topic} {number:03}")
            entries.append(f"::{name}::[html]{escaped(html(question.text))} {lines}")
    return "\n\n".join(entries) + "\n"


def sheet(questions, answers):
    """Return the questions as a sheet in Markdown, with or without the answers."""
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
                parts.append(str(question.number))
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=3, help="of each kind with numbers")
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

"""Answers of other programs on the book's data, for chapter 15, *Other programs*.

Every answer is a small file: JSON, or a model file as the program writes it. It says which version
gave it, where that came from, and which script asked (`findings/answers/` of the sources).
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from svmlib._arrays import Array
from svmlib.kernels import RBF, Kernel, Linear
from svmlib.machines import Machine
from svmlib.model_files import read_liblinear, read_libsvm

__all__ = ["FOLDER", "Answer", "answers", "load"]

FOLDER = Path(__file__).parent


class Answer(NamedTuple):
    """What a program has found, and all that is known about where it comes from.

    Attributes
    ----------
    program, version, source, script, made : str
        Which program, where it is from, and who asked, when.
    C_is : str
        What the program's own parameter means: C = 1/(αn), say.
    positive : str
        Whose score is positive in the program.
    data : {"noisy", "penguins"}
        The data.
    machine : Machine
        The machine, with a score that is positive for +1.
    warned : str or None
        The warning that came with it, "" for none, None where messages were not kept.
    """

    program: str
    version: str
    source: str
    script: str
    made: str
    C_is: str
    positive: str
    data: str
    machine: Machine
    warned: str | None


def load(data: str) -> tuple[Array, Array]:
    """Return X and y of the data that were put to the programs.

    ``"noisy"``: 200 points of two clouds that overlap, not centred. ``"penguins"``: bill depth in
    mm and body mass in units of 200 g, −1 for Adelies and +1 for Gentoos; a line separates them.

    Examples
    --------
    >>> X, y = load("noisy")
    >>> X.shape, y[:3]
    ((200, 2), array([1., 1., 1.]))
    """
    table = np.loadtxt(FOLDER / f"{data}.csv", delimiter=",", skiprows=1)
    return table[:, :-1].copy(), table[:, -1].copy()


def answers() -> list[Answer]:
    """Return all stored answers, by program.

    Examples
    --------
    >>> len({answer.program for answer in answers()}) >= 8
    True
    """
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        about = {name: record[name] for name in Answer._fields[:7]}
        for each in record["answers"]:
            told = each.get("warned")
            found.append(Answer(**about, data=each["data"], machine=_machine(each), warned=told))
    return found


def _machine(stored: dict[str, Any]) -> Machine:
    """Return the machine of one answer."""
    kernel: Kernel = RBF(stored["gamma"]) if "gamma" in stored else Linear()
    if "file" in stored:
        read = read_libsvm if stored["file"].startswith("libsvm") else read_liblinear
        return replace(read(FOLDER / stored["file"]).as_machine(), C=stored["C"])
    problem = {name: stored[name] for name in ("C", "loss", "bias") if name in stored}
    if "w" in stored:
        return Machine.linear(stored["w"], stored["b"], **problem)
    beta, X = np.array(stored["beta"]), load(stored["data"])[0]
    return Machine(X[beta != 0], beta[beta != 0], stored["b"], kernel, **problem)

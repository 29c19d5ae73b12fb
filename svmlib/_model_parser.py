"""Text of model files of LIBSVM and LIBLINEAR, for their readers: see `svmlib.model_files`.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from typing import Literal

import numpy as np

from svmlib._arrays import Array
from svmlib._validation import check_path

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")

LABELS = range(-(2**31), 2**31)  # LIBSVM and LIBLINEAR keep labels in C's int

ZeroBased = bool | Literal["auto"]


class ModelParser:
    """The header of a model file, the words of its other lines, and errors that name lines.

    Errors name the line that was read last, or the line of the header that was last asked for.
    """

    def __init__(self, path: str | PathLike[str], last: str, allowed: set[str]) -> None:
        file = check_path(path)
        self.name = file.name
        self.line_number = 1
        try:
            text = file.read_bytes().decode("ascii")
        except UnicodeDecodeError:
            raise ValueError(f"{self.name} must be a text file of ASCII characters") from None
        self.lines = text.rstrip().splitlines()
        self.rows = iter(self)
        self.header = self._read_header(last, allowed)
        self.end_of_header = self.line_number
        if not text.endswith("\n"):  # so that a number that was cut is not taken for another
            self.line_number = len(self.lines)
            advice = "the file may be cut; if it is complete, append a newline"
            raise self.error(f"expected a newline at the end of the file: {advice}")

    def error(self, message: str) -> ValueError:
        return ValueError(f"{self.name}, line {self.line_number}: {message}")

    def __iter__(self) -> Iterator[list[str]]:
        for k, line in enumerate(self.lines, 1):
            self.line_number = k
            yield line.split()

    def _read_header(self, last: str, allowed: set[str]) -> dict[str, tuple[int, list[str]]]:
        """Return number and words of each line before the line `last`, by its first word."""
        found: dict[str, tuple[int, list[str]]] = {}
        for line in self.rows:
            if line == [last]:
                return found
            self._require_kind(line, allowed)
            if line == ["nr_class", "1"]:  # and no rho
                raise self.error("expected at least 2 classes: all training rows had one label")
            if not line or line[0] not in allowed or line[0] in found or len(line) < 2:
                raise self.error(f"expected one of {sorted(allowed - {*found})} and its value")
            found[line[0]] = self.line_number, line[1:]
        raise self.error(f"the file ends before its line {last!r}")

    def _require_kind(self, line: list[str], allowed: set[str]) -> None:
        """Raise an error if a line belongs to another kind of file."""
        for name, reader in ("svm_type", "read_libsvm"), ("solver_type", "read_liblinear"):
            if line[:1] == [name] and name not in allowed:
                raise self.error(f"{name} is a line of another kind of file: use {reader}")
        if ":" in " ".join(line):
            raise self.error("this looks like training data, not a model")

    def header_words(self, name: str) -> list[str]:
        """Return the words of a line of the header."""
        if name not in self.header:
            self.line_number = self.end_of_header
            raise self.error(f"expected a line {name!r} before this one")
        self.line_number, words = self.header[name]
        return words

    def header_choice(self, name: str, choices: tuple[str, ...]) -> str:
        """Return the value of a line of the header, which must be one of `choices`."""
        value = " ".join(self.header_words(name))
        if value not in choices:
            raise self.error(f"{name} must be one of {choices}, got {value[:40]!r}")
        return value

    def header_numbers(self, name: str, count: int | None = 1) -> Array:
        """Return the numbers of a line of the header."""
        return self.numbers(self.header_words(name), count)

    def header_integers(self, name: str, count: int = 1, least: float = 0) -> list[int]:
        """Return the integers of a line of the header."""
        return self.integers(self.header_words(name), count, least)

    def header_labels(self, count: int) -> list[int]:
        """Return the labels of `count` classes."""
        labels = self.header_integers("label", count, -np.inf)
        if not all(label in LABELS for label in labels):
            raise self.error(f"labels must be integers of 32 bits, got {labels}")
        if len({*labels}) != count:
            raise self.error(f"label must name different classes, got {labels}")
        return labels

    def numbers(self, words: list[str], count: int | None = None) -> Array:
        for word in words:
            if not _NUMBER.fullmatch(word) or not np.isfinite(float(word)):
                raise self.error(f"expected a finite number, got {word[:40]!r}")
        if count is not None and len(words) != count:
            raise self.error(f"expected {count} numbers, got {len(words)}")
        return np.array([float(word) for word in words])

    def integers(self, words: list[str], count: int | None = None, least: float = 0) -> list[int]:
        values = self.numbers(words, count)
        if (values != np.round(values)).any() or (np.abs(values) >= 2**53).any():
            raise self.error(f"expected integers, got {' '.join(words)[:60]}")
        if values.min(initial=least) < least:
            raise self.error(f"expected numbers of at least {least}, got {values.min():g}")
        return [int(value) for value in values]

    def first_index(self, zero_based: ZeroBased, has_zero: bool = False) -> int:
        """Return the index of the first column, 0 or 1."""
        if not (isinstance(zero_based, bool | str) and zero_based in (True, False, "auto")):
            raise ValueError(f'zero_based must be True, False or "auto", got {zero_based!r:.40}')
        if has_zero and not zero_based:
            raise self.error("expected indices of at least 1, because zero_based is False")
        return 0 if has_zero or (zero_based and zero_based != "auto") else 1

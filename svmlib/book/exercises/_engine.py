"""The engine of the exercise checks: a declaration goes in, what a reader is told comes out."""

import contextlib
import copy
import inspect
import io
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Array",
    "Inputs",
    "Key",
    "Random",
    "Tests",
    "exercise",
    "hint",
    "passes",
    "progress",
    "samples",
]

Array = NDArray[Any]
Inputs = Iterator[tuple[Any, ...]]
Random = np.random.RandomState  # the same numbers in every version of numpy
Tests = Iterator[tuple[Any, str]]
_EXERCISES: dict[str, "_Exercise"] = {}


@dataclass(frozen=True, eq=False)
class Key:
    """The answer key of an exercise for one input.

    ``right`` is a right answer, a tuple if it has parts. ``mistakes`` maps what to tell a reader to
    a list of answers that the mistake gives, with None for a part that it leaves alone.
    ``tests(*parts)`` yields pairs (is it wrong?, what to tell). Where ``several`` answers are right
    only the tests decide.
    """

    right: Any
    mistakes: dict[str, list[Any]] = field(default_factory=dict)
    tests: Callable[..., Tests] = lambda *_: iter(())
    several: bool = False

    def objection(self, parts: list[Array]) -> str:
        """Return what is wrong with an answer, or nothing."""
        wrong = not self.several and not _agree(parts, self.right)
        told = (said for found, said in self.tests(*parts) if found)
        return next(told, "that is not the right answer." if wrong else "")

    def explanations(self) -> dict[tuple[str, int], Any]:
        """Return the answers that mistakes give: those declared, then some that are universal."""
        right = tuple(np.array(part, dtype=float) for part in _tuple(self.right))
        answers = {(said, k): a for said, each in self.mistakes.items() for k, a in enumerate(each)}
        answers |= {("your answers have changed places.", 0): right[::-1]} if right[1:] else {}
        factors = {"minus": -1, "twice": 2, "half of": 0.5}.items()
        said = "your answer is {} the right one."
        return answers | {(said.format(k), 0): tuple(f * r for r in right) for k, f in factors}


def samples(random: Random) -> Iterator[tuple[Array, Array]]:
    """Yield samples X with labels y of both classes, from few to many, in short numbers."""
    for n, d in ((2, 1), (3, 1), (4, 2), (5, 5), (9, 2), (20, 5)):
        yield random.randint(-30, 31, (n, d)) / 10, np.where(random.permutation(n) % 3, -1.0, 1.0)


@dataclass(eq=False)
class _Attempt:
    """What the reader's function makes of one input; without parts there is nothing to compare."""

    inputs: dict[str, Any]
    key: Key
    printed: str = ""
    said: str = ""
    parts: list[Array] | None = None

    def call(self, function: Callable[..., Any], gives: str) -> None:
        """Give the function a copy of the input, and judge what it does."""
        given, out = copy.deepcopy(self.inputs), io.StringIO()
        try:
            # nbgrader gives no marks if a test cell writes anything to stderr.
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                answer = function(*given.values())
        except Exception as error:
            words = re.sub("0x[0-9a-fA-F]+", "0x…", str(error))
            self.said = f" stopped with {type(error).__name__}: {words}"
            return
        finally:
            self.printed = out.getvalue()
        changed = [n for n, value in self.inputs.items() if not np.array_equal(value, given[n])]
        if changed:
            self.said = f": it changes its argument {changed[0]}: start from copies."
        elif answer is None:
            self.said = f": it {'prints, but ' * bool(self.printed)}returns None."
        elif (parts := _parts(answer, self.key)) is None:
            forms = f"Here that is {_form(self.key.right)}, but yours is {_form(answer)}."
            self.said = f": it must return {gives}. {forms}"
        else:
            self.parts, told = parts, self.key.objection(parts)
            self.said = f": {told}" * bool(told)

    def diagnosis(self, attempts: list["_Attempt"]) -> str:
        """Return the mistake that explains this wrong answer and most others, if there is one."""
        others = [(a.parts, a.key.explanations()) for a in attempts if a.parts]
        best, most, right = self.said, 0.5, _tuple(self.key.right)
        for name, answer in self.key.explanations().items():
            if _agree(self.parts, answer) and not _agree(right, answer):
                share = np.mean([_agree(parts, e[name]) for parts, e in others if name in e])
                best, most = (f": {name[0]}", float(share)) if share > most else (best, most)
        return best

    def details(self) -> Iterator[str]:
        """Yield lines with the input, the right answer, the reader's, and what was printed."""
        lines = {"tried": ", ".join(f"{name} = {_show(v)}" for name, v in self.inputs.items())}
        if self.parts:
            right = [np.asarray(part) for part in _tuple(self.key.right)]
            digits = next((d for d in (4, 8) if _show(right, d) != _show(self.parts, d)), 4)
            lines["expected"] = _show(right, digits) + ", for one" * self.key.several
            lines["yours"] = _show(self.parts, digits)
        lines |= {"printed": textwrap.shorten(self.printed, 160)} if self.printed else {}
        for label, text in lines.items():
            yield textwrap.fill(
                text, 96, initial_indent=f"  {label:10}", subsequent_indent=" " * 12
            )


@dataclass(eq=False)
class _Exercise:
    """An exercise as declared, and how far the reader has come with it in this session."""

    name: str
    chapter: int
    title: str
    gives: str
    inputs: Callable[[Random], Inputs]
    key: Callable[..., Key]
    state: str = "open"
    hints_given: int = 0

    def __post_init__(self) -> None:
        parameters = inspect.signature(self.key).parameters.values()
        self.arguments = [p.name for p in parameters if p.default is p.empty]
        self.hints = [line.strip() for line in str(self.key.__doc__).splitlines() if line.strip()]

    def verdict(self, function: Any) -> str:
        """Try a function on inputs from small to large, and return what to tell its author."""
        if not callable(function):
            return f"Give the check your function itself: check_{self.name}({self.name})."
        name, attempts = getattr(function, "__name__", self.name), []
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for drawn in self.inputs(Random(0)):
                inputs = dict(zip(self.arguments, drawn, strict=False))
                attempts.append(_Attempt(inputs, self.key(*drawn)))
                attempts[-1].call(function, self.gives)
                if not attempts[-1].parts:
                    break
            shown = next((attempt for attempt in attempts if attempt.said), None)
            if shown is None:
                self.state, kept = "done", "\nIt also prints, which the check has kept back."
                printed = any(attempt.printed for attempt in attempts)
                return f"{name}: every check passed. Well done.{kept * printed}"
            if shown is attempts[0] and shown.said == ": it returns None.":
                return f"{name} is not written yet: it returns None."
            self.state = "done" if self.state == "done" else "tried"
            said = shown.diagnosis(attempts) if shown.parts else shown.said
            return "\n".join(
                [name + said, *shown.details(), f'  stuck?    exercises.hint("{self.name}")']
            )


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _parts(answer: Any, key: Key) -> list[Array] | None:
    """Return the parts of an answer as arrays, if they are of the same form as the right ones."""
    axes = 1 if key.several else None  # another right answer may have another number of columns
    answer = answer if isinstance(key.right, tuple) else (answer,)
    if isinstance(answer, tuple | list) or np.ndim(answer) > 0:
        with contextlib.suppress(ValueError):
            pairs = list(zip(map(np.array, answer), map(np.array, _tuple(key.right)), strict=True))
            same = all(a.ndim == b.ndim and a.shape[:axes] == b.shape[:axes] for a, b in pairs)
            if same and all(a.dtype.kind in "biuf" for a, _ in pairs):
                return [a for a, _ in pairs]
    return None


def _agree(parts: Any, others: Any) -> bool:
    """Return whether parts equal others, up to rounding and but for those that are None."""
    pairs = [pair for pair in zip(parts, _tuple(others), strict=True) if pair[1] is not None]
    return all(
        np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
        for a, b in pairs
    )


def _form(value: Any) -> str:
    """Return what kind of thing an answer is, without its numbers or its address."""
    if isinstance(value, tuple) and len(value) < 5:
        return f"({', '.join(map(_form, value))})"
    with contextlib.suppress(ValueError):
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            return f"an array of shape {array.shape}" if array.ndim else "one number"
    return f"of type {type(value).__name__}"


def _show(value: Any, digits: int = 4) -> str:
    """Return a value in few characters; of a long array, its shape."""
    if isinstance(value, tuple | list):
        return ", ".join(_show(part, digits) for part in value)
    if np.size(value) > 16:
        return f"an array of shape {np.shape(value)}"
    number: Any = {"float": lambda x: f"{0 if abs(x) < 1e-14 else x:.{digits}g}"}
    return " ".join(np.array2string(np.array(value), separator=", ", formatter=number).split())


def exercise(
    chapter: int, title: str, gives: str, inputs: Callable[[Random], Inputs]
) -> Callable[[Callable[..., Key]], Callable[[Any], None]]:
    """Declare an exercise: make its check from the function that returns its key.

    Parameters
    ----------
    chapter, title, gives
        The exercise, and in words what the reader's function must return.
    inputs : callable
        Takes a random generator and yields what to try, from small to large.

    Examples
    --------
    >>> @exercise(0, "Double", "one number", lambda random: iter([(0.0,), (1.5,)]))
    ... def check_double(x):
    ...     \"\"\"Ask yourself what x + x is.\"\"\"
    ...     return Key(2 * x, {"x² is not 2x.": [x**2]})
    >>> check_double(lambda x: x * x)
    <lambda>: x² is not 2x.
      tried     x = 1.5
      expected  3
      yours     2.25
      stuck?    exercises.hint("double")
    >>> del _EXERCISES["double"]
    """

    def declare(key: Callable[..., Key]) -> Callable[[Any], None]:
        name = key.__name__.removeprefix("check_")
        declared = _EXERCISES[name] = _Exercise(name, chapter, title, gives, inputs, key)

        def check(function: Any) -> None:
            print(declared.verdict(function))

        check.__name__ = check.__qualname__ = key.__name__
        check.__module__ = key.__module__
        check.__doc__ = f"""Check ``{name}({", ".join(declared.arguments)})``: {title}.

        Parameters
        ----------
        function : callable
            Yours, of chapter {chapter}. It must return {gives}.

        Examples
        --------
        >>> check_{name}(lambda *inputs: None)
        <lambda> is not written yet: it returns None.
        """
        return check

    return declare


def passes(name: str, function: Any) -> bool:
    """Say whether a function passes the check of an exercise; prints nothing and never raises.

    What the function prints or raises cannot change the answer. Code that runs in the same
    process can, because it can replace this function: `svmlib.book.exercises.grade` judges outside.

    Parameters
    ----------
    name : str
        The exercise, such as ``"best_scale"`` for ``check_best_scale``.
    function : callable
        What is to be checked.

    Returns
    -------
    bool
        True if every check passes.

    Raises
    ------
    ValueError
        If no exercise has this name.

    Examples
    --------
    >>> passes("best_scale", lambda *inputs: print("every check passed"))
    False
    """
    if name not in _EXERCISES:
        raise ValueError(f"name must be one of {sorted(_EXERCISES)}, got {name!r}")
    declared = replace(_EXERCISES[name], state="open")
    with contextlib.suppress(SystemExit):
        declared.verdict(function)
    return declared.state == "done"


def hint(exercise: Any) -> None:
    """Print the next hint for an exercise, and after the last one the first.

    Parameters
    ----------
    exercise : callable or str
        Your function, its check, or the name of either.

    Examples
    --------
    >>> hint("bracket")  # doctest: +ELLIPSIS
    Hint ... for bracket: ...
    """
    name = str(getattr(exercise, "__name__", exercise)).removeprefix("check_")
    if (asked := _EXERCISES.get(name)) is None:
        names = sorted(_EXERCISES, key=lambda each: _EXERCISES[each].chapter)
        print(f"There are hints for {', '.join(names)}.")
        return
    number, asked.hints_given = asked.hints_given % len(asked.hints), asked.hints_given + 1
    print(f"Hint {number + 1} of {len(asked.hints)} for {name}: {asked.hints[number]}")


def progress(chapter: int | None = None) -> None:
    """Print the exercises that have a check, of one chapter or of all, and which ones are done.

    A check that passes makes its exercise "done" in this session, one that fails "tried".

    Parameters
    ----------
    chapter : int, optional
        The number of a chapter.

    Examples
    --------
    >>> progress(2)  # doctest: +ELLIPSIS
    Chapter 2: ... of 4 done
      ...
    """
    chapters = sorted({e.chapter for e in _EXERCISES.values()})
    for number in chapters if chapter is None else [chapter]:
        here = [e for e in _EXERCISES.values() if e.chapter == number]
        print(f"Chapter {number}: {sum(e.state == 'done' for e in here)} of {len(here)} done")
        for e in here:
            print(f"  {e.state:6}{e.title}: check_{e.name}")

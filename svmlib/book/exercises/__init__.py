"""Checks, hints and progress for the exercises that ask the reader for code.

A check tries the reader's function on inputs from small to large. It prints in words what is wrong
and the first input that shows it. It never raises: the checks teach. `hint` gives one hint after
the other, `progress` lists what is done in this session.

To add a check, write a function ``check_name`` that takes what the reader's function takes and
returns a ``Key``, the right answer and what the usual mistakes give instead; its docstring holds
the hints, a line each. Put ``@exercise(chapter, title, what to return, inputs)`` above it, where
``inputs`` yields what to try, from small to large and with the nasty cases.

`passes` answers the same question with True or False, for tests of other tools.
`svmlib.book.exercises.grade` runs the checks over a folder of students' notebooks.
"""

from svmlib.book.exercises import (
    beyond_memory,
    convex_hulls,
    elsewhere,
    full_smo,
    hinge_loss,
    kernels,
    lagrange_duality,
    many_samples,
    newton,
    practice,
    relatives,
    smo,
    soft_margin,
)
from svmlib.book.exercises._engine import hint, passes, progress
from svmlib.book.exercises.beyond_memory import *  # noqa: F403
from svmlib.book.exercises.convex_hulls import *  # noqa: F403
from svmlib.book.exercises.elsewhere import *  # noqa: F403
from svmlib.book.exercises.full_smo import *  # noqa: F403
from svmlib.book.exercises.hinge_loss import *  # noqa: F403
from svmlib.book.exercises.kernels import *  # noqa: F403
from svmlib.book.exercises.lagrange_duality import *  # noqa: F403
from svmlib.book.exercises.many_samples import *  # noqa: F403
from svmlib.book.exercises.newton import *  # noqa: F403
from svmlib.book.exercises.practice import *  # noqa: F403
from svmlib.book.exercises.relatives import *  # noqa: F403
from svmlib.book.exercises.smo import *  # noqa: F403
from svmlib.book.exercises.soft_margin import *  # noqa: F403

__all__ = ["hint", "passes", "progress"]
__all__ += convex_hulls.__all__ + smo.__all__ + lagrange_duality.__all__
__all__ += kernels.__all__ + soft_margin.__all__ + hinge_loss.__all__ + full_smo.__all__
__all__ += practice.__all__ + relatives.__all__ + newton.__all__ + many_samples.__all__
__all__ += beyond_memory.__all__ + elsewhere.__all__

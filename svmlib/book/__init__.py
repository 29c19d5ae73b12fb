"""What serves the pages of the book and is no mathematics: apart from the rest of the library.

- `svmlib.book.plotting`: the house style, and the few pictures that the chapters repeat,
- `svmlib.book.player`: frames to step through,
- `svmlib.book.explorable`: figures to take hold of,
- `svmlib.book.exercises`: checks of the reader's own code,
- `svmlib.book.practice`: the recipe of chapter 9,
- `svmlib.book.elsewhere`: the answers of other programs, for chapter 15,
- `svmlib.book.transcript`: what is written in a figure, as text.

It needs Matplotlib: ``pip install "svmlib[book]"``.
"""

from importlib.util import find_spec

if find_spec("matplotlib") is None:
    raise ImportError('svmlib.book needs Matplotlib: pip install "svmlib[book]"')

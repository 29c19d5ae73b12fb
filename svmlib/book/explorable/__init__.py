"""Figures to take hold of: drag a sample, slide a price, and see what follows.

A function of this module returns an `Explorable`, which a cell displays. On the pages of the book
a script brings it to life; in a running notebook it brings the script along, so that it is alive on
whatever samples it is given. On paper, without scripts, and in viewers that strip them, it is a
still of the same data, drawn by `svmlib` and described in words.

>>> from svmlib.book import explorable
>>> from svmlib.datasets import load_six_points
>>> figure = explorable.villages(load_six_points())
>>> sorted(figure._repr_mimebundle_())
['image/png', 'text/html', 'text/plain']
>>> print(figure.alt[:44])
3 samples of class −1 and 3 samples of class
"""

from svmlib.book.explorable.figure import Explorable, scripts
from svmlib.book.explorable.hard import forces, prices, smo, street, units, villages
from svmlib.book.explorable.practice import threshold, winner
from svmlib.book.explorable.soft import box, lift, outlier, race, rbf

__all__ = ["Explorable", "box", "forces", "lift", "outlier", "prices", "race", "rbf"]
__all__ += ["scripts", "smo", "street", "threshold", "units", "villages", "winner"]

"""The measure between two pictures forgives a font and sees a point, and a pale area."""

import base64
import io

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.book.executed import difference

CHANGES = (
    "a point elsewhere",
    "a point less",
    "a steeper line",
    "classes swapped",
    "a paler side",
    "a wider picture",
)


def picture(change=""):
    """Return a scatter plot with a line and lettering, as a notebook stores it."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.permutation(80) < 40
    X[7] = [2.5, -2.2 if change == "a point elsewhere" else -2.5]
    if change == "a point less":
        X, y = np.delete(X, 7, axis=0), np.delete(y, 7)
    fig, ax = plt.subplots(figsize=(5 if change == "a wider picture" else 4.6, 3.5))
    for label, colour in ((True, "tab:blue"), (False, "tab:orange")):
        ax.scatter(*X[y == (label != (change == "classes swapped"))].T, s=25, c=colour)
    steeper = 1.3 if change == "a steeper line" else 1.0
    ax.plot([-2, 2], [-2 * steeper, 2 * steeper], "k")
    ax.axhspan(-3, 0, color="tab:blue", alpha=0.05 if change == "a paler side" else 0.13)
    ax.set(xlim=(-3, 3), ylim=(-3, 3), xlabel="body mass (g)", title="The penguins, $w^* = 2$")
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=200)
    plt.close(fig)
    return base64.b64encode(buffer.getvalue()).decode()


@pytest.fixture(scope="module")
def original():
    return picture()


def test_what_shows_the_same_is_the_same_picture_and_nothing_else_is(original):
    assert difference(original, original) == 0
    for change in CHANGES:
        assert difference(original, picture(change)) > 1, change
    for hinting in ("none", "force_autohint"):
        with plt.rc_context({"text.hinting": hinting}):
            assert 0 < difference(original, picture()) < 1, hinting

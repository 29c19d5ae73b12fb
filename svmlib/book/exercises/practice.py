"""Exercises of chapter 8, Practice."""

from collections import Counter

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, Tests, exercise

__all__ = ["check_cheapest_threshold", "check_isotonic", "check_multiclass_objective"]
__all__ += ["check_spectrum_kernel", "check_tube_gap"]


def _scores(random: Random) -> Inputs:
    yield np.array([-0.5, 1.0]), np.array([-1, 1]), 3.0, 1.0
    yield np.array([1.0, 0.5]), np.array([-1, 1]), 1.0, 3.0  # never is best
    yield np.array([0.5, 1.0]), np.array([1, -1]), 1.0, 1.0  # all or nobody: the same cost
    yield np.array([0.2, 0.2, 0.2, -1]), np.array([1, -1, -1, -1]), 5.0, 1.0  # ties in f
    for n in (5, 8, 12, 20, 20, 40):
        y = np.where(random.permutation(n) % 3, -1, 1)
        f = (random.randint(-30, 31, n) + 15 * y) / 10
        yield f, y, float(random.randint(1, 11)), float(random.randint(1, 4))


def _costs(called: Array, y: Array, miss: float, alarm: float) -> Array:
    """Return what each row of answers costs."""
    missed, alarms = ~called & (y > 0), called & (y < 0)
    return np.asarray(miss * missed.sum(axis=1) + alarm * alarms.sum(axis=1))


@exercise(8, "The cheapest threshold", "two numbers, the threshold and its cost", _scores)
def check_cheapest_threshold(f: Array, y: Array, miss: float, alarm: float) -> Key:
    """Ask at which thresholds the answers change: only those need trying.

    For one threshold t, count the positive samples with f < t and the negative ones with f ≥ t.
    t = ∞ calls nobody: it misses all, and raises no alarm. argmin finds the first of several.
    """
    tried = np.append(np.unique(f), np.inf)
    column = tried[:, np.newaxis]
    right = _costs(f >= column, y, miss, alarm)

    def answer(costs: Array, thresholds: Array = tried) -> tuple[float, float]:
        return float(thresholds[costs.argmin()]), float(costs.min())

    best, least = answer(right)
    swapped, counted = (_costs(f >= column, y, *prices) for prices in ((alarm, miss), (1, 1)))
    above, below = (_costs(called, y, miss, alarm) for called in (f > column, f <= column))
    mistakes = {
        "the prices are swapped: a miss is a positive sample below t.": [answer(swapped)],
        "you count mistakes: each kind has its price.": [answer(counted)],
        "the sample at t itself is called: the rule is f ≥ t.": [answer(above)],
        "your rule calls the samples below t.": [answer(below)],
        "t = ∞ must be tried too.": [answer(right[:-1], tried[:-1])],
        "of several best thresholds return the smallest.": [answer(right[::-1], tried[::-1])],
        "your cost is a mean: return the sum.": [(best, least / y.size)],
    }

    def tests(t: Array, cost: Array) -> Tests:
        (at_t,) = _costs((f >= t)[np.newaxis], y, miss, alarm)
        wrong = "that is not what your threshold costs: misses and alarms, each at its price."
        yield not np.isclose(at_t, cost), wrong
        yield at_t > least, f"another threshold costs only {least:g}."
        yield not np.isin(t, tried), "return one of the values of f, or ∞."

    return Key((best, least), mistakes, tests)


def _steps(y: Array) -> Array:
    """Return isotonic regression by its formula, max over j ≤ i of min over k ≥ i of mean(j…k)."""
    n = y.size
    sums = np.append(0, np.cumsum(y))
    means = [[(sums[k] - sums[j]) / (k - j) for k in range(j + 1, n + 1)] for j in range(n)]
    return np.array([max(min(means[j][i - j :]) for j in range(i + 1)) for i in range(n)])


def _orders(random: Random) -> Inputs:
    for y in ([0, 1], [1, 0], [0, 1, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1, 0, 0, 1]):
        yield (np.array(y, dtype=float),)
    for n in (6, 9, 12, 16, 20):
        yield ((random.uniform(size=n) < np.linspace(0.1, 0.9, n)).astype(float),)


@exercise(8, "Steps that never fall", "an array with one p a sample", _orders)
def check_isotonic(y: Array) -> Key:
    """Keep a list of blocks, each with its sum and its size; a new sample is a block of one.

    While the last block but one has a mean at least that of the last, replace the two by one.
    Merging may go on backwards: a merged block can be too low for the one before it.
    """
    right, n = _steps(y), y.size
    single, k = y.copy(), 0
    while k < n - 1:  # one sweep over pairs, without going back
        if single[k] > single[k + 1]:
            single[k : k + 2] = single[k : k + 2].mean()
            k += 1
        k += 1
    mistakes = {
        "you return the labels: p must never fall.": [y],
        "you sort the labels: p_i belongs to sample i.": [np.sort(y)],
        "you take running maxima: a block takes its mean.": [np.maximum.accumulate(y)],
        "you take one mean for all: only blocks that fall are merged.": [np.full(n, y.mean())],
        "you merge once: a merged block may be too low for the one before.": [single],
        "your p falls: it is turned round.": [-_steps(-y)],
    }

    def tests(p: Array) -> Tests:
        yield bool(np.any(np.diff(p) < -1e-9)), "your p falls somewhere."
        loss, best = np.sum((p - y) ** 2), np.sum((right - y) ** 2)
        yield loss > best + 1e-9, f"the sum of squares is {loss:.4g}, and {best:.4g} is possible."

    return Key(right, mistakes, tests)


def _classes(random: Random) -> Inputs:
    for n, d, classes in ((1, 1, 2), (2, 1, 3), (4, 2, 3), (9, 3, 5), (30, 4, 4)):
        W, X = random.randint(-20, 21, (classes, d)) / 10, random.randint(-20, 21, (n, d)) / 10
        yield W, X, random.randint(classes, size=n), 2.5


@exercise(8, "The objective for all classes", "one number", _classes)
def check_multiclass_objective(W: Array, X: Array, y: Array, C: float) -> Key:
    """F = X @ W.T has a row a sample and a column a class: one of them is the right one.

    The slack of a sample is what its worst rival lacks to be 1 below the right class, or 0.
    Add 1 to all columns but the right one, and take the largest.
    """
    F, e = X @ W.T, np.eye(len(W))[y]
    right_scores, regular = np.sum(F * e, axis=1), np.sum(W**2) / 2
    misses = F + 1 - e - right_scores[:, None]
    slack = misses.max(axis=1)
    rivals = np.where(e == 1, -np.inf, F).max(axis=1)
    mistakes = {
        "½ Σ‖w_k‖² is missing.": [C * slack.sum()],
        "the squares want the factor ½.": [2 * regular + C * slack.sum()],
        "you charge every rival: only the worst one counts.": [
            regular + C * np.maximum(misses, 0).sum()
        ],
        "the right class is no rival of itself: its 1 makes every slack at least 1.": [
            regular + C * (misses + e).max(axis=1).sum()
        ],
        "a slack is never negative.": [regular + C * np.sum(1 + rivals - right_scores)],
        "you ask that rivals be below, but not by 1.": [
            regular + C * np.maximum(0, rivals - right_scores).sum()
        ],
        "you take the mean of the slacks: C multiplies their sum.": [regular + C * slack.mean()],
    }
    return Key(regular + C * slack.sum(), mistakes)


def _strings(random: Random) -> Inputs:
    for s, t, length in (("a", "a", 1), ("ab", "ba", 1), ("aa", "aaa", 1), ("aaaa", "aaa", 2)):
        yield s, t, length
    yield "ab", "ab", 3
    yield "Anna", "anna", 2
    for n, length in ((8, 2), (12, 2), (30, 3)):
        yield *("".join(random.choice(list("ACGT"), size=n)) for _ in range(2)), length


def _pieces(s: str, length: int) -> list[str]:
    return [s[i : i + length] for i in range(len(s) - length + 1)]


@exercise(8, "The spectrum kernel", "one count", _strings)
def check_spectrum_kernel(s: str, t: str, length: int) -> Key:
    """Cut both strings: n letters have n − length + 1 pieces, and they overlap.

    Count the pieces of each string (collections.Counter), then multiply count by count.
    A string that is shorter than the piece has none.
    """
    a, b = (Counter(_pieces(string, length)) for string in (s, t))
    right = sum(a[piece] * b[piece] for piece in a)
    mistakes = {
        "a piece that occurs twice counts twice: you take each once.": [len(a.keys() & b.keys())],
        "multiply the counts: you take the smaller one.": [sum((a & b).values())],
        "pieces overlap: str.count skips those that do.": [sum(a[p] * t.count(p) for p in a)],
        "you add the counts in one string only.": [
            sum(a[p] for p in a if p in b),
            sum(b[p] for p in b if p in a),
        ],
        "you compare the pieces place by place: they may stand anywhere.": [
            sum(p == q for p, q in zip(_pieces(s, length), _pieces(t, length), strict=False))
        ],
        "you miss the last piece.": [
            sum(
                Counter(_pieces(s, length)[:-1])[p] * c
                for p, c in Counter(_pieces(t, length)[:-1]).items()
            )
        ],
    }
    return Key(right, mistakes)


def _tubes(random: Random) -> Inputs:
    for n, C, eps in ((2, 1.0, 0.5), (2, 2.0, 0.0), (4, 0.5, 0.3), (9, 3.0, 0.1), (25, 1.0, 0.7)):
        X, t = random.randint(-20, 21, (n, 2)) / 10, random.randint(-40, 41, n) / 10
        beta = random.randint(-10, 11, n) / 10
        beta -= beta.mean()
        yield X @ X.T, t, C * beta / max(1, np.abs(beta).max()), 0.7, C, eps


@exercise(8, "The gap of a regression", "one number", _tubes)
def check_tube_gap(K: Array, t: Array, beta: Array, b: float, C: float, eps: float) -> Key:
    """f(x_i) is row i of K times β, plus b, and the squared norm of w is β·Kβ.

    A miss costs what it exceeds ε by, and nothing below.
    In P − D the two halves of ‖w‖² add up.
    """
    f, norm = K @ beta + b, beta @ K @ beta
    misses, size = np.maximum(0, np.abs(t - f) - eps), np.abs(beta).sum()
    primal, dual = norm / 2 + C * misses.sum(), beta @ t - eps * size - norm / 2
    inside = np.maximum(0, np.abs(t - f + b) - eps)
    mistakes = {
        "that is P alone: subtract D.": [primal],
        "that is D alone.": [dual],
        "f(x_i) has the bias b in it.": [norm / 2 + C * inside.sum() - dual],
        "in D the width ε is charged: − ε Σ|β_i|.": [
            primal - (beta @ t - norm / 2),
            primal - (beta @ t + eps * size - norm / 2),
        ],
        "the square of ‖w‖ comes with ½ in P and in D.": [C * misses.sum() - beta @ t + eps * size],
        "up to ε a miss is free.": [norm / 2 + C * np.abs(t - f).sum() - dual],
        "a sample too high misses as well as one too low: take |t_i − f(x_i)|.": [
            norm / 2 + C * np.maximum(0, t - f - eps).sum() - dual
        ],
        "C is missing.": [norm / 2 + misses.sum() - dual],
    }
    return Key(primal - dual, mistakes)

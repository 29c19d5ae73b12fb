"""Exercises of chapter 9, Practice."""

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, Tests, exercise

__all__ = ["check_cheapest_threshold", "check_isotonic"]


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


@exercise(9, "The cheapest threshold", "two numbers, the threshold and its cost", _scores)
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


@exercise(9, "Isotonic regression", "an array with one p a sample", _orders)
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

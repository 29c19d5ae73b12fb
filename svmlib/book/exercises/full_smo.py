"""Exercises of chapter 8, The full SMO."""

from itertools import count
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, Tests, exercise, samples

__all__ = [
    "check_line_ends",
    "check_platt_step",
    "check_second_order_pair",
    "check_smo_loop",
    "check_violation",
]


def _ends(a_1: float, a_2: float, same: bool, C_1: float, C_2: float) -> tuple[float, float]:
    stays = a_1 + a_2 if same else a_2 - a_1
    return max(0.0, stays - C_1 * same), min(C_2, stays + C_1 * (not same))


def _boxes(random: Random) -> Inputs:
    for C_1, C_2 in random.randint(1, 11, (60, 2)) / 5:
        a_1, a_2 = random.randint(0, 5, 2) / 4 * (C_1, C_2)
        yield float(a_1), float(a_2), *map(int, random.choice([-1, 1], 2)), float(C_1), float(C_2)


@exercise(8, "A box with two caps", "two numbers, L and H", _boxes)
def check_line_ends(a_1: float, a_2: float, y_1: int, y_2: int, C_1: float, C_2: float) -> Key:
    """Ask what stays when both move: with equal labels the sum, with different ones the difference.

    Write α_1 in terms of α_2, and 0 ≤ α_1 ≤ C_1 becomes two limits for α_2.
    α_2 has two limits of its own, 0 and C_2. Of the two on either side, the tighter counts.
    """
    same = y_1 == y_2
    mistakes: dict[str, list[Any]] = {
        "equal labels keep the sum: the two cases are swapped.": [
            _ends(a_1, a_2, not same, C_1, C_2)
        ],
        "you use only the bounds of α_2: α_1 may hit its own before.": [(0, C_2)],
        "C_1 and C_2 are swapped: α_2 is capped by C_2.": [_ends(a_1, a_2, same, C_2, C_1)],
        "you use one cap for both.": [_ends(a_1, a_2, same, C, C) for C in (C_1, C_2)],
    }
    return Key(_ends(a_1, a_2, same, C_1, C_2), mistakes)


def _platt(random: Random) -> Inputs:
    for eta in np.repeat([0.5, 2.0, 0.0, -0.5], 25):
        C, tie = random.randint(1, 11) / 5, random.rand() < 0.1
        alpha, E = random.randint(0, 5, 2) / 4 * C, random.randint(-9, 10, 2) / 5
        y = random.choice([-1, 1], 2)
        yield *map(float, alpha), *map(int, y), E[0], E[0] if tie else E[1], float(eta), C


@exercise(8, "Platt's step, whatever the curvature", "two numbers, the new α_1 and α_2", _platt)
def check_platt_step(
    a_1: float, a_2: float, y_1: int, y_2: int, E_1: float, E_2: float, eta: float, C: float
) -> Key:
    """Find L and H as in the last exercise, with the same cap C for both.

    If α_2 changes by t, D changes by t y_2 (E_1 − E_2) − ½ t² η. Where in [L, H] is that largest?
    For η ≤ 0 compare the two ends, and stay if they tie. α_1 moves so that Σ α_i y_i stays.
    """
    ends, errors = np.array(_ends(a_1, a_2, y_1 == y_2, C, C)), E_1 - E_2
    gains = (ends - a_2) * y_2 * errors - (ends - a_2) ** 2 * eta / 2
    tie, best, worst = np.isclose(*gains), ends[gains.argmax()], ends[gains.argmin()]

    def step(new: float) -> tuple[float, float]:
        return a_1 + y_1 * y_2 * (a_2 - new), new

    def top(slope: float, otherwise: float) -> tuple[float, float]:
        return step(np.clip(a_2 + slope / eta, *ends) if eta > 0 else a_2 if tie else otherwise)

    bottom = np.clip(a_2 + y_2 * errors / eta, *ends) if eta else best
    mistakes = {
        "y_2 is missing: α_2 changes by +y_2 (E_1 − E_2)/η.": [top(errors, best)],
        "you go downhill: α_2 changes by +y_2 (E_1 − E_2)/η.": [top(-y_2 * errors, worst)],
        "for η < 0 the derivative vanishes at the bottom.": [
            step(a_2 if tie and not eta else bottom)
        ],
        "for η ≤ 0 you take the worse end: compare D at both.": [top(y_2 * errors, worst)],
        "for η ≤ 0 you do not move, though an end is better.": [top(y_2 * errors, a_2)],
    }

    def tests(*new: Any) -> Tests:
        changed = not np.isclose(np.dot(new, (y_1, y_2)), a_1 * y_1 + a_2 * y_2)
        outside = min(new) < -1e-9 or max(new) > C + 1e-9
        yield not np.isfinite(new).all(), "you divide by η = 0: D is a straight line there."
        yield changed, "Σ α_i y_i has changed: α_1 moves by y_1 y_2 times what α_2 gave up."
        yield outside, "your step leads outside the box: clip α_2 to [L, H]."
        yield tie and eta <= 0 and not np.isclose(new[1], a_2), "where the ends tie, stay."

    return Key(top(y_2 * errors, best), mistakes, tests)


def _states(random: Random) -> Inputs:
    yield np.array([[2.0, 1], [1, 1]]), np.array([1.0, -1]), np.full(2, 0.2), 1.0
    for X, _ in list(samples(random))[2:]:
        y = (-1.0) ** np.arange(len(X))
        K = np.exp(-cdist(X, X, "sqeuclidean") / 2) + X @ X.T
        for C in (0.1, 0.5, 1.0, 5.0):
            values = np.clip(random.randint(-1, 6, len(X) // 2) / 4, 0, 1) * C
            alpha = np.zeros(len(X))
            alpha[: 2 * values.size : 2], alpha[1::2] = values, random.permutation(values)
            yield K, y, alpha, C
    yield K, y, np.zeros(y.size), C


def _any_states(random: Random) -> Inputs:
    yield from _states(random)
    yield np.eye(4), np.array([1.0, -1, 1, -1]), np.full(4, 1e-3), 1e-3  # optimal, with m < M


def _up_and_down(y: Array, alpha: Array, C: float) -> tuple[Array, Array]:
    return np.where(y > 0, alpha < C, alpha > 0), np.where(y > 0, alpha > 0, alpha < C)


@exercise(8, "The violation", "one number, m − M", _any_states)
def check_violation(K: Array, y: Array, alpha: Array, C: float) -> Key:
    """Compute g = y − K(α∘y) first: the slope of a pair is the difference of two of its entries.

    m is the largest g of those whose β can go up, M the smallest of those that can go down.
    β_i = y_i α_i: for y_i = −1, β_i goes up when α_i goes down, so it needs α_i > 0.
    """
    g, (up, down) = y - K @ (y * alpha), _up_and_down(y, alpha, C)
    right, can_grow, can_fall = g[up].max() - g[down].min(), g[alpha < C], g[alpha > 0]
    same_for_all = can_grow.max(initial=-np.inf) - can_fall.min(initial=np.inf)
    mistakes = {
        "you return M − m: a violation is positive.": [-right],
        "you take all samples: those at a bound can only go one way.": [np.ptp(g)],
        "for y = −1 up and down change places: β = −α.": [same_for_all],
        "up and down are swapped, or the sign of g is turned.": [g[down].max() - g[up].min()],
        "m − M may be negative: then the optimal b fill an interval.": [max(0, right), abs(right)],
        "a pair's slope is a difference of the g.": [(y * g)[up].max() - (y * g)[down].min()],
    }
    return Key(right, mistakes)


@exercise(8, "The second-order pair", "two indices, i and j", _states)
def check_second_order_pair(K: Array, y: Array, alpha: Array, C: float) -> Key:
    """Choose i as for the violation: the largest g of those that can go up.

    The partners j can go down and have g_j < g_i. Mask the others before you divide.
    Take the partner with the largest (g_i − g_j)²/a_ij, where a_ij = K_ii + K_jj − 2 K_ij.
    """
    g, (up, down) = y - K @ (y * alpha), _up_and_down(y, alpha, C)
    top = np.where(up, g, -np.inf).argmax()
    slopes = np.where(down & (g < g[top]), g[top] - g, 0)
    steps = slopes / np.maximum(K.diagonal() + K[top, top] - 2 * K[top], 1e-9)
    gains = slopes * steps

    def tests(*pair: Any) -> Tests:
        yield not set(map(float, pair)) <= set(range(y.size)), "that is no pair of samples."
        i, j = map(int, pair)
        yield not up[i], f"β_{i} is at its upper end and cannot go up: it cannot be the i."
        yield g[i] < g[top] - 1e-9, "i must have the largest g of those that can go up."
        yield not down[j], f"β_{j} is at its lower end and cannot go down: it cannot be the j."
        yield slopes[j] <= 0, "your pair has no positive slope: j must have g_j < g_i."
        less = not np.isclose(gains[j], gains.max())
        yield less and np.isclose(slopes[j], slopes.max()), "that is the first-order choice of j."
        yield less and j == steps.argmax(), "that j has the longest step, not the largest gain."
        yield less, f"j = {j} has s²/a = {gains[j]:.4g}, but another one has {gains.max():.4g}."

    return Key((top, gains.argmax()), tests=tests, several=True)


_TO_THE_END = 500  # steps: more than any of these runs takes


def _problems(random: Random) -> Inputs:
    twins, bent = np.array([[1.0, 1, 0], [1, 1, 0], [0, 0, 1]]), np.array([[1.0, 3], [3, 1]])
    yield np.array([[2.0, 1], [1, 1]]), np.array([1.0, -1]), 3.0, 1e-3, 0  # not a single step
    yield np.array([[2.0, 1], [1, 1]]), np.array([1.0, -1]), 0.5, 1e-3, 1  # clipped
    yield bent, np.array([-1.0, 1]), 0.5, 1e-3, 1  # a < 0
    yield twins, np.array([-1.0, 1, -1]), 2.0, 1e-3, 5  # a = 0
    for X, _ in list(samples(random))[2:]:
        y = (-1.0) ** np.arange(len(X))
        K = np.exp(-cdist(X, X, "sqeuclidean") / 2) + X @ X.T / 4
        for C, n_steps in ((5.0, 1), (0.2, 2), (0.2, 3), (1.0, _TO_THE_END)):
            yield K, y, C, 1e-2, n_steps


def _loop(
    K: Array,
    y: Array,
    C: float,
    tol: float,
    n_steps: int,
    rooms: tuple[bool, bool] = (True, True),
    rows: tuple[float, float] = (1, 1),
    twice: float = 2,
    uphill: bool = True,
) -> tuple[Array, Array, Array, float]:
    """Return β, g, which β are free, and the mean of m and M; by default without a mistake."""
    low, high = np.minimum(0, C * y), np.maximum(0, C * y)
    beta, g = np.zeros(y.size), y.astype(float)
    for step in count():
        up, down = np.where(beta < high, g, -np.inf), np.where(beta > low, g, np.inf)
        i, j = up.argmax(), down.argmin()
        if step == n_steps or not up[i] - down[j] > tol:
            break
        a, s = K[i, i] + K[j, j] - twice * K[i, j], g[i] - g[j]
        ends = np.where(rooms, (high[i] - beta[i], beta[j] - low[j]), np.inf)
        length = min(s / a if a > 0 or (a and not uphill) else np.inf, *ends)
        beta[i] = high[i] if length == ends[0] else beta[i] + length
        beta[j] = low[j] if length == ends[1] else beta[j] - length
        g -= length * (rows[0] * K[i] - rows[1] * K[j])
    return beta, g, (low < beta) & (beta < high), (up[i] + down[j]) / 2


@exercise(8, "SMO, from the box to the bias", "a pair, the array α and the number b", _problems)
def check_smo_loop(K: Array, y: Array, C: float, tol: float, n_steps: int) -> Key:
    """Follow the six lines of the box: β and g are arrays, and so are the ends ℓ and u.

    A step changes two entries of β and all entries of g. Look for the pair again after each step.
    The loop ends when m − M ≤ tol or after n_steps steps. Then take b from the g where you are.
    """

    def answer(**mistake: Any) -> tuple[Array, float]:
        beta, g, free, middle = _loop(K, y, C, tol, n_steps, **mistake)
        return y * beta, g[free].mean() if free.any() else middle

    beta, g, _, middle = _loop(K, y, C, tol, n_steps)
    one, other = (True, False), (False, True)
    mistakes: dict[str, list[Any]] = {
        "λ is at most the room of i and the room of j.": [
            answer(rooms=rooms) for rooms in ((False, False), one, other)
        ],
        "both rows change g: subtract λ (K_ki − K_kj).": [
            answer(rows=rows) for rows in ((1, 0), (0, 1), (0, 0))
        ],
        "g changes in the wrong direction.": [answer(rows=(-1, -1))],
        "a is K_ii + K_jj − 2 K_ij.": [answer(twice=1)],
        "for a < 0 the best step uses all of the room: s/a is negative.": [answer(uphill=False)],
        "you return β: α_i is y_i β_i.": [(beta, None)],
        "b is the mean of the g over the free samples, if there are any.": [
            (None, value) for value in (g.mean(), middle)
        ],
    }

    def tests(alpha: Any, b: Any) -> Tests:
        up, down = _up_and_down(y, alpha, C)
        slopes = y - K @ (y * alpha)
        m, M = slopes[up].max(initial=-np.inf), slopes[down].min(initial=np.inf)
        yield abs(alpha @ y) > 1e-9, "Σ α_i y_i is not zero: β_j goes down by what β_i goes up."
        beyond, from_end = np.maximum(-alpha, alpha - C), np.minimum(abs(alpha), abs(alpha - C))
        yield (beyond > 1e-12).any(), "an α is outside [0, C]."
        almost = (from_end > 0) & (from_end < 1e-12)
        yield almost.any(), "an α is nearly at its bound: set it to the bound exactly."
        yield n_steps == _TO_THE_END and m - M > tol, "the loop ends too early: m − M > tol."
        yield not min(m, M) - 1e-9 <= b <= max(m, M) + 1e-9, "b is not between m and M."

    # After many steps, rounding decides which of two equal g is the largest.
    return Key(answer(), mistakes, tests, several=n_steps == _TO_THE_END)

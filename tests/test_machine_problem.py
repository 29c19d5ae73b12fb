"""Every bound on a machine of another program is true, judged in 60 digits and in fractions."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import lstsq
from sklearn.datasets import load_digits, make_classification
from sklearn.svm import SVC

from svmlib import _squared_hinge
from svmlib.book import elsewhere
from svmlib.certificate import Scores
from svmlib.kernels import RBF, Linear, Polynomial
from svmlib.machines import Machine, certify_machine
from svmlib.model_files import write_libsvm
from tests.exact import exact as fractions
from tests.judge import exact, value
from tests.machines import BELL, BETA, BIASES, GRAM, LOSSES, OF_BELL, B, X, Y, line

EDGE = 2**53 + 4


@pytest.mark.parametrize(
    ("C", "loss", "bias", "weights", "best"),
    [  # of all b, with w = 0 and slack of 1 + b once and of 1 − b with the other weights
        # b²/2 + 10 (1 + b)² + 30 (1 − b)²
        (10.0, "squared_hinge", "penalised", [1, 1, 2], 40 / 81),
        (10.0, "squared_hinge", "free", [1, 1, 2], 1 / 2),
        (0.3, "hinge", "penalised", [1, 1, 2], 0.6),  # b²/2 + 0.3 ((1 + b) + 3 (1 − b))
        (1.0, "hinge", "free", [1, 0.5, 0.5], 0),  # the middle, as all b from −1 to 1 cost 2
        (1.0, "hinge", "none", [1, 1, 1], 0),  # our own score of the first row is 0, too
    ],
)
def test_the_best_bias_is_that_of_the_problem(C, loss, bias, weights, best):
    A, given = [[0.0], [2.0], [2.0]], {"C": C, "loss": loss, "bias": bias, "sample_weight": weights}
    verdict = certify_machine(([0.0], 9.0 * (bias != "none")), A, [-1, 1, 1], **given)
    assert_allclose(verdict.best_bias.b, best, atol=1e-6)
    assert verdict.n_changed == np.sum(verdict.ours.predict(A) < 0), "0 is for the second class"


def products(m, A):
    """Return w·x for the points of a machine and for rows, by the formulas."""
    points, beta = [exact(z) for z in m.points], exact(m.coefficients)
    return [
        [mp.fdot([value(m.kernel, exact(x), z) for z in points], beta) for x in rows]
        for rows in (m.points, A)
    ]


def in_digits(m, own_and_rows, y, C, t=1):
    """Return primal value (of t w and b), dual value and KKT violation, by the formulas."""
    b, power, t = mp.mpf(m.b), 1 + (m.loss != "hinge"), mp.mpf(t)
    beta, C, (own, sums) = [t * c for c in exact(m.coefficients)], exact(C), own_and_rows
    margins = [int(s) * (t * f + b) for s, f in zip(y, sums, strict=True)]
    s = mp.mpf(m.intercept_scaling if m.bias == "penalised" else 0)
    half = t * mp.fdot(beta, own) / 2
    losses = [c * max(0, 1 - margin) ** power for c, margin in zip(C, margins, strict=True)]
    primal = half + mp.fsum(losses) + ((b / s) ** 2 / 2 if s else 0)
    alpha = [abs(c) for c in beta]
    dual = mp.fsum(alpha) - half - s**2 * mp.fsum(beta) ** 2 / 2
    missed = []
    for a, c, margin in zip(alpha, C, margins, strict=False):  # the points are the rows, or few
        target = 1 - (power - 1) * a / (2 * c)
        dual -= (power - 1) * a**2 / (4 * c)
        missed.append(target - margin if a < c or power == 2 else 0)
        missed.append(margin - target if a > 0 else 0)
    return primal, dual, max(missed)


def accept(verdict, m, A, y, C):
    """Check in 60 digits what a verdict says of a machine: also of its other lengths and signs."""
    above, (t, b, scaled) = 1 + mp.mpf(2) ** -195, verdict.best_scale
    scores = products(m, A)
    primal, dual, violation = in_digits(m, scores, y, C)
    assert verdict.best_bias.t == 1
    assert verdict.lower <= min(primal, verdict.upper)
    assert max(primal, verdict.upper) <= verdict.primal * above
    assert verdict.lower <= 0 or verdict.excess >= mp.mpf(verdict.primal) / verdict.lower - 1
    assert in_digits(replace(m, b=b), scores, y, C, t)[0] <= scaled * above
    assert in_digits(replace(m, b=-m.b), scores, y, C, -1)[0] <= verdict.negated.primal * above
    if len(m.points) == len(A):
        assert violation <= verdict.kkt_violation
        imbalance = abs(sum(fractions(m.coefficients))) * (m.bias == "free")
        assert imbalance <= verdict.balance_violation
        if imbalance == 0 and (m.loss != "hinge" or (np.abs(m.coefficients) <= C).all()):
            assert verdict.dual <= dual
    return primal, dual, violation


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5), Polynomial(2, 0.1, 1.0)], ids=repr)
def test_bounds_are_true_in_sixty_digits(kernel, loss, bias):
    """Of any multipliers and any bias, feasible or not, for all nine problems."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        n, C, s = int(rng.integers(4, 9)), 10.0 ** rng.integers(-1, 3), rng.choice([0.5, 1, 3])
        A = rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-2, 3) + rng.integers(0, 3)
        y = np.where(np.arange(n) % 2, 1.0, -1.0)
        weights = rng.choice([0.5, 1.0, 2.0], n)
        alpha = rng.uniform(0, C, n) * rng.choice([0, 1], n)
        b = 0.0 if bias == "none" else float(rng.normal())
        m = Machine(A, y * alpha, b, kernel, C=C, loss=loss, bias=bias, intercept_scaling=float(s))
        verdict = certify_machine(m, A, y, sample_weight=weights)
        primal, dual, violation = map(float, accept(verdict, m, A, y, C * weights))
        assert_allclose(verdict.primal, primal, rtol=1e-9)
        assert_allclose(verdict.kkt_violation, violation, rtol=1e-9)
        if bias != "free" and (loss != "hinge" or (alpha <= C * weights).all()):
            assert_allclose(verdict.dual, dual, rtol=1e-6, atol=1e-9 * primal)
        assert (verdict.balance_violation == 0) or bias == "free"
        assert verdict.upper - verdict.lower <= 1e-4 * verdict.upper
        assert verdict.best_scale.primal <= verdict.best_bias.primal


def traps():
    """Yield machines, and their rows and labels, for which each term of a bound is needed."""
    two, four, many = (np.tile([-1.0, 1.0], k) for k in (1, 2, 32))
    lost = 1 - 0.99 * 2.0**-26.5  # C (1 − m)² is a little less than half of the smallest float
    kept = next(k for k in range(2**44, 2**45) if 0.4 < k**2 % 2**55 / 2**55 < 0.5)  # as α²/(4C)
    for bias in BIASES:  # α = 2C, and α² would be no float
        yield line([0.0], 0.0, C=1e-165, bias=bias), [[0], [1], [2], [3]], np.sort(four)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        long, across = 1e8 * rng.normal(size=40), rng.normal(size=40)
        across[-1] = -(long[:-1] @ across[:-1]) / long[-1]
        for w, x, b in (long, across, 0.0), (np.ones(1), [-1e-17], 1.0):  # as 1 + 1e-17 is 1
            for s in 1, -1:
                yield line(w, b, C=1e20, loss="hinge"), [x, -5 * s * w], s * -two
        far = 1e8 * rng.integers(1, 4, size=(4, 1)) + rng.uniform(0, 1, size=(4, 2))
        for loss, bias in ("hinge", "free"), ("squared_hinge", "penalised"):
            yield line([1.1, -1.1], 0.3, C=1.0, loss=loss, bias=bias), far, -four
        a, b = rng.uniform(1, 2, 2)
        for loss, bias in product(LOSSES, BIASES):  # of multipliers alone, and of a bias alone
            for scale in [1] if loss == "hinge" else [1, 1e10]:
                beta = scale * np.array([-a, a, -b, b])
                given = {"C": 3.0, "loss": loss, "bias": bias}
                yield Machine(np.zeros((4, 1)), beta, 0.0, **given), np.zeros((4, 1)), four
            if bias == "penalised":
                yield line([0.0], a, C=1e-300, loss=loss, bias=bias), [[0.0], [2.0]], two
    for alpha, b in (1e-17, 1.0), (np.nextafter(1e-17, 0), 0.0):  # at the bound, and below it
        A = np.array([[0.0], [1.0]])
        yield Machine(A, alpha * two, b, C=1e-17), A, two
    for more in 2, 100, -100, -EDGE:  # y f = −(2⁵³ + 4), and α/2C larger by so much
        alpha = np.array([2.0 * (EDGE + more), 0.0])
        yield Machine(A, alpha, -float(EDGE), C=1.0, loss="squared_hinge"), A, -two
    for alpha in 1.25 + 63 * 2.0**-52, 1.25 - 61 * 2.0**-52, 1.1e20, 1.3e20:
        for b in 0.0, 1e-16:
            m = Machine(np.zeros((2, 1)), -alpha * two, b, C=0.625, loss="squared_hinge")
            yield m, np.zeros((2, 1)), -two
    m = Machine.linear([1e-120], 0.0, C=1e99, loss="squared_hinge")  # equations beyond floats
    yield m, [[-1e120], [1e120], [1e120]], [-1, 1, 1]
    yield line([lost * 2.0**-511], 0.0, C=2.0**-1022, bias="none"), 2.0**511 * many[:, None], many
    given = {"C": 2.0**-1021, "loss": "squared_hinge", "bias": "none"}
    yield (
        Machine(np.zeros((64, 1)), kept * 2.0**-1074 * many, 0.0, **given),
        np.zeros((64, 1)),
        many,
    )


def test_no_rounding_is_forgotten():
    for m, A, y in traps():
        accept(certify_machine(m, A, y), m, np.array(A), y, np.full(len(y), m.C))


def test_scores_of_a_longer_or_shorter_or_negated_w_are_bounded():
    """A third of a float is rounded, and of the smallest ones nothing may remain."""
    values = np.array([1.0, -3.7, 1e-5, 1e290, 5e-324])
    for t in 1 / 3, 1.1, 1000.3, 1e-9, 7e8, -1.0, -1 / 3, -7e8:
        for size in 0.3, 5e-324:
            scores = Scores(values, 1e-9 * np.abs(values), size, np.ones(5)).scaled(t)
            for s, v, error in zip(values, scores.values, scores.error, strict=True):
                reach = Fraction(t) * Fraction(s) * Fraction(1 + 1e-9)
                assert abs(reach - Fraction(v)) <= Fraction(error) * (1 + Fraction(1, 2**40))
            assert Fraction(t) ** 2 * Fraction(size) <= Fraction(scores.squared_norm)


@pytest.mark.parametrize("factor", [1 + 4e-10, 1 - 4e-10])
def test_points_in_eight_digits_are_recognised_but_judged_as_they_are(factor):
    A, y = np.array([[1.0, 2.0], [3.0, 1.0], [2.0, 5.0]]), np.array([-1.0, 1.0, 1.0])
    m = Machine(A * [factor, 1.0], 0.2 * y, 0.5, Linear(), C=1.0)
    verdict = certify_machine(m, A, y)
    assert verdict.dual is not None
    primal, *_ = in_digits(m, products(m, A), y, np.ones(3))
    assert primal <= verdict.primal <= primal * (1 + mp.mpf(1e-12))


def squared_hinges():
    """Yield rows, labels, C and bias of hard problems, and how wide the bounds may be."""
    for n, d in (2000, 8), (40, 500):
        rng = np.random.default_rng(n)
        A = rng.normal(size=(n, d))
        y = np.where(A[:, 0] + rng.normal(size=n) > 0, 1, -1)
        A[0] = 0  # without a bias the score is 0, and so is its rounding
        yield from ((A, y, 1.0, bias, 1e-9) for bias in ("penalised", "none"))
    for seed in 0, 1:  # Newton's steps are halved where they are too long
        A = np.random.default_rng(seed).normal(size=(40, 20))
        yield A, np.tile([-1, 1], 20), 1e3, "free", 1e-9
    pixels, digits = load_digits(return_X_y=True)
    rows = np.isin(digits, [3, 8])  # 287 steps for the first C; in the last, digits are lost
    for C, bias in (1e4, "none"), (1e5, "penalised"), (1e6, "free"):
        yield pixels[rows], digits[rows], C, bias, 1e-3
    A, y = make_classification(700, 20, flip_y=0.1, random_state=1)
    for bias in BIASES:  # rounding makes α another w, and a second try takes fewer rows
        yield A * np.logspace(0, 4, 20), y, 1e6, bias, 1e-5


def test_the_optimum_of_the_squared_hinge_is_found():
    for A, y, C, bias, width in squared_hinges():
        given = {"C": C, "bias": bias, "loss": "squared_hinge"}
        verdict = certify_machine((np.zeros(A.shape[1]), 0.0), A, y, **given)
        assert verdict.upper - verdict.lower <= width * verdict.upper
        if width == 1e-5:
            assert certify_machine(verdict.ours, A, y).excess <= width


def test_the_optimum_is_found_far_from_the_origin():
    verdict = certify_machine(([1.0, 1.0], 0.0), X + 1e6, Y, C=1.0)
    assert verdict.upper - verdict.lower <= 1e-7 * verdict.upper


def test_a_step_that_gains_next_to_nothing_is_halved(monkeypatch):
    """Nearly twice as far as to the minimum of a parabola its value is nearly the same."""
    monkeypatch.setattr(_squared_hinge, "lstsq", lambda H, g: (1.9999 * lstsq(H, g)[0],))
    A, y = X[:30], Y[:30]
    alpha, w = _squared_hinge.minimise_squared_hinge(A, y, np.ones(30), free_bias=False)
    assert_allclose((alpha * y) @ A, w, rtol=1e-4)


def test_many_squared_losses_that_underflow_are_counted():
    y, w = np.tile([-1, 1], 100), (1 - 1.02e-8) / 1e154  # C times each squared loss is 2.4e-324
    given = {"C": 2.3e-308, "loss": "squared_hinge"}
    proof = certify_machine(([w], 0.0), y[:, None] * 1e154, y, **given)
    loss = 1 - Fraction(w) * Fraction(1e154)
    assert Fraction(w) ** 2 / 2 + 200 * Fraction(2.3e-308) * loss**2 <= proof.primal


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("t", [0.1, 1.0, 1e4])
def test_the_best_scale_brings_a_machine_of_another_length_back(loss, bias, t):
    ours = certify_machine(([1.0, 1.0], 0.0), X, Y, C=1.0, loss=loss, bias=bias).ours
    long = replace(ours, coefficients=t * ours.coefficients, b=t * ours.b)
    long = replace(long, b=0.0 if bias == "none" else long.b + t)
    verdict = certify_machine(long, X, Y)
    assert_allclose(verdict.best_scale.t, 1 / t, rtol=1e-4)
    assert_allclose(verdict.best_scale.b, ours.b, atol=1e-3)
    assert verdict.excess_best_scale < 1e-7
    assert ("the best length" in str(verdict)) == (t != 1)


@pytest.mark.parametrize(
    ("machine", "given"),
    [
        (([0.0, 0.0], 3.0), {"C": 1.0}),
        (([1e154, 0.0], 0.0), {"C": 1.0, "loss": "squared_hinge", "bias": "none"}),
        (([1.0, 0.5], 7.0), {"C": np.inf, "X": [[0.0, 0.0], [2.0, 0.0]], "y": [-1, 1]}),
        (SVC(kernel="sigmoid", gamma=1.0).fit(X, Y), {}),
    ],
)
def test_a_scale_that_cannot_help_is_one(machine, given):
    """Of no w, beyond floats, and of the hard margin, which takes any."""
    verdict = certify_machine(machine, **{"X": X, "y": Y} | given)
    assert verdict.best_scale.primal <= verdict.best_bias.primal
    assert verdict.primal == np.inf or "loss" not in given, "beyond floats nothing is bounded"
    assert (verdict.best_scale.t == 1) == (verdict.best_scale.primal == verdict.best_bias.primal)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kernel", ["precomputed", RBF(0.5), Linear()], ids=repr)
def test_a_verdict_hands_over_the_optimal_machine(loss, bias, kernel, tmp_path):
    labels = np.where(Y[:100] > 0, "b", "a")
    weights = {"sample_weight": np.linspace(1, 2, 100)}
    gram = GRAM[:100, :100], np.arange(100.0)[:, None]
    A, points = gram if kernel == "precomputed" else (X[:100], X[:100])
    problem = {"C": 0.7, "loss": loss, "bias": bias, "class_weight": (2.0, 1.0)}
    bad = Machine(points, Y[:100], 0.0, kernel, ("a", "b"), **problem)
    verdict = certify_machine(bad, A, labels, **weights)
    assert verdict.excess > 0.1
    again = certify_machine(verdict.ours, A, labels, **weights)
    assert again.excess < 1e-6
    assert (again.box_violation, again.machine.C) == (0, 0.7)
    assert np.sum(verdict.ours.predict(A) != bad.predict(A)) == verdict.n_changed
    write_libsvm(replace(verdict.ours, classes=(0, 1)), tmp_path / "ours.model")
    assert len(verdict.ours.points) < 100 or loss == "squared_hinge"


def test_multipliers_outside_their_box_are_named_and_prove_nothing_false():
    assert certify_machine(BELL, X, Y).box_violation == 0
    assert 0.25 < certify_machine(BELL, X, Y, C=0.75).box_violation < 0.25 + 1e-14, "rounded up"
    for change, box, balance in ((0.0, 0, 0), (3.0, 2.0, 3.0), (-3.0, 2.0, 3.0)):
        alone = np.arange(len(Y)) == BELL.support_[0]
        verdict = certify_machine((BETA + change * Y * alone, B), X, Y, **OF_BELL)
        assert verdict.box_violation >= box - 1e-9
        assert_allclose(verdict.balance_violation, balance, atol=1e-12)
        assert verdict.dual <= verdict.upper
    verdict = certify_machine(BELL, X, Y, tol=0.5)
    assert verdict.lower >= verdict.dual, "the better of theirs and ours"
    assert verdict.excess < 1e-6


def test_a_hard_margin_given_by_w():
    A, y = elsewhere.load("penguins")
    verdict = certify_machine(([-7 / 6, 3 / 5], 163 / 30), A, y, C=np.inf)
    assert verdict.excess < 1e-9
    assert "C = inf" in str(verdict)
    off = certify_machine(([-7 / 6, 3 / 5], 5.5), A, y, C=np.inf)
    assert off.excess > 1e-3
    assert_allclose(off.best_bias.b, 163 / 30, atol=1e-6)


def test_a_machine_out_of_every_feature_space_proves_nothing():
    """Its ‖w‖² is negative, though the kernel is x·z at all rows: its value bounds nothing."""

    def kernel(A, B):
        return A @ B.T - 1e3 * np.outer(A == 9, B == 9)

    m = Machine([[9.0]], [1 / 9], 0.0, kernel, C=1.0)
    verdict = certify_machine(m, [[-1.0], [1.0]], [-1, 1])
    assert verdict.primal < 0.1
    assert verdict.upper >= 0.5
    assert "proves nothing" in str(verdict)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("b", "scale"), [(1e200, 1.0), (0.5, 1e-200)])
def test_a_bias_whose_cost_is_beyond_floats_costs_infinity(loss, b, scale):
    m = Machine.linear([1.0], b, C=1.0, loss=loss, bias="penalised", intercept_scaling=scale)
    verdict = certify_machine(m, [[0.0], [2.0], [3.0]], [-1, 1, 1])
    assert verdict.primal == np.inf
    assert verdict.best_scale.primal <= 3  # without a bias, w = 0 costs 3
    assert verdict.upper - verdict.lower <= 1e-4 * verdict.upper


def test_the_best_scale_of_a_small_w_is_found():
    verdict = certify_machine(([1e-155], 1.0), [[0.0], [2.0]], [-1, 1], C=100.0)
    assert_allclose(verdict.best_scale.t, 1e155, rtol=1e-4)
    A, y = [[0.0], *[[1.0]] * 9], [-1] + [1] * 9  # w²/2 + 0.9 (1 − w) is least at w = 0.9
    verdict = certify_machine(([0.3], 0.0), A, y, C=0.1, bias="none")
    assert_allclose(verdict.best_scale.t, 3, rtol=1e-4)


def test_a_hard_squared_hinge_of_a_kernel_is_solved_with_a_feature_for_each_sample():
    A, t = 10 * np.random.default_rng(0).normal(size=(36, 3)), np.tile([-1, 1], 18)
    given = {"C": 1e11, "loss": "squared_hinge", "bias": "free", "kernel": RBF(1.0)}
    ours = certify_machine((np.zeros(36), 0.0), A, t, **given).ours
    assert certify_machine(ours, A, t, **given).excess <= 1e-6

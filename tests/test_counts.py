"""What makes the library fast, counted: kernel values, steps and equations, never seconds."""

from itertools import islice

import numpy as np
import pytest

from svmlib import SVC
from svmlib.interior_point import interior_point
from svmlib.kernels import RBF, Polynomial
from svmlib.newton import newton
from svmlib.problem import DualProblem
from svmlib.smo import smo, steps
from tests.optimum import data, first_steps


class Counting(RBF):
    def __init__(self, gamma):
        super().__init__(gamma)
        object.__setattr__(self, "values", 0)

    def _transform(self, t):
        object.__setattr__(self, "values", self.values + t.size)
        return super()._transform(t)


def problem(n, gamma=0.1, C=1.0, mb=200.0, shift=0.5):
    return DualProblem(*data(0, n, 10, shift), C, Counting(gamma), cache_mb=mb)


def test_where_there_is_room_half_of_k_is_evaluated_once():
    """The other half is its mirror image; whoever comes second evaluates nothing."""
    some = problem(300)
    solution = smo(some)
    assert 300**2 / 2 < (values := some.kernel.values) < 0.61 * 300**2
    newton(some)
    interior_point(some)
    some.certificate(solution.alpha, solution.b)
    assert some.kernel.values == values


def test_of_many_samples_only_the_rows_that_smo_touches_if_they_are_few():
    """After a third of the rows half of K, because large products cost less per value."""
    few, many = problem(1500, C=10.0, shift=2.0), problem(1500, C=1.0, shift=0.1)
    touched = {i for step in smo(few, trace=True).trace for i in step[:2]}
    assert few.kernel.values == 1500 * len(touched) < 1500**2 / 3
    assert few.gram_matrix.full is None
    smo(many)
    assert 0.84 * 1500**2 < many.kernel.values < 0.88 * 1500**2


def test_without_room_for_k_newton_asks_for_what_has_changed_only():
    """Rows of those who have a multiplier; Kβ from that of the last β, or it were twice as many."""
    for room, most, gamma, C in (900, 0.6, 0.1, 1.0), (133, 4, 0.05, 0.1):
        some = problem(1000, gamma, C, mb=1000 * room / 2**17)
        assert newton(some, start=first_steps(some, 125)).converged
        assert some.kernel.values < most * 1000**2


def test_a_wide_bell_is_solved_in_few_coordinates():
    X, y = data(0, n=2000)
    kernel = Counting(0.01)
    assert SVC(kernel=kernel).fit(X, y).certificate_.is_optimal(1e-3)
    assert kernel.values < 2000**2


def test_the_partner_that_gains_the_most_saves_steps():
    some = problem(300, C=100.0)
    assert smo(some).n_iter < 0.8 * smo(some, selection="first").n_iter


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_each_iteration_brings_a_digit_however_many_samples(C):
    """About 18: the products fall by ten each time."""
    problems = [DualProblem(*data(seed, n=60), C, RBF(0.5)) for seed in range(10)]
    assert np.mean([interior_point(some).n_iter for some in problems]) < 21
    assert interior_point(problem(400, C=C)).n_iter < 25


def test_a_stage_ends_when_the_next_one_brings_more():
    """So few steps are enough; with each stage solved to its end it would be a fifth more."""
    some = [data(seed, n=250, d=3, shift=0.5) for seed in range(3)]
    problems = [DualProblem(X, y, C, RBF(1.0)) for X, y in some for C in (1.0, 100.0)]
    assert sum(newton(each).n_iter for each in problems) < 165


@pytest.mark.parametrize("rows", [2, 3, 7])
def test_steps_are_the_same_however_few_rows_there_is_room_for(rows):
    """Of whole numbers, so that every value is exact whoever computes it."""
    X, y = np.random.default_rng(rows).integers(-3, 4, (40, 3)), np.tile([-1, 1], 20)
    room, kernel = 40 * 2 * rows / 2**17, Polynomial(2, 1.0, 1.0)
    few, many = (DualProblem(X, y, 0.5, kernel, cache_mb=mb) for mb in (room, 200))
    for some in few, many:  # rows that are there in another order than all of them
        some.certificate(np.where(np.arange(40) > 30, 0.5, 0.0), 0.0)
    assert list(islice(steps(few), 200)) == list(islice(steps(many), 200))
    assert len(few.gram_matrix._cached) == rows

"""The script's mathematics gives the certificates of svmlib, in every position of the handles."""

from fractions import Fraction

import numpy as np
import pytest
from matplotlib.figure import Figure

from svmlib import hulls
from svmlib.book import explorable, plotting
from svmlib.book.explorable.plane import round_number
from svmlib.datasets import load_circles
from svmlib.interior_point import interior_point
from svmlib.kernels import RBF
from svmlib.problem import DualProblem
from svmlib.smo import steps
from tests.book import ROOT
from tests.engine import Engine
from tests.figures import FIGURES, IN_UNITS, held, overlapping, own, searches


@pytest.fixture(autouse=True)
def without_pixels(monkeypatch):
    """Stills are drawn but not rendered, which would take longer than all else here."""
    monkeypatch.setattr(Figure, "savefig", lambda *_, **__: None)


SCRIPTS = dict.fromkeys(file for kind in FIGURES for file in explorable.scripts(kind))


@pytest.fixture(scope="module")
def engine():
    engine = Engine(ROOT / "_static" / "explorables" / file for file in SCRIPTS)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def mathematics(engine):
    """Call a function of the script on many arguments: (name, cases) -> pairs of both."""

    def call(name, cases):
        found = engine.call(f"(cases) => cases.map((c) => svmExplorable.math.{name}(...c))", cases)
        return list(zip(cases, found, strict=True))

    return call


@pytest.fixture(scope="module")
def one(mathematics):
    return lambda name, *case: mathematics(name, [case])[0][1]


def points(n, seed):
    """Random and nasty: normal clouds, small lattices with ties, equal and collinear points."""
    random = np.random.RandomState(seed)
    positive = random.randint(1, n)
    y = np.repeat((1, -1), (positive, n - positive))
    shape = seed % 6
    if shape == 0:
        X = random.standard_normal((n, 2)) + np.outer(y, (1.2, 0.4))
    elif shape == 1:
        X = random.randint(0, 4, (n, 2)).astype(float)
    elif shape == 2:  # lattice, one class beside the other, often touching
        X = random.randint(0, 4, (n, 2)) + np.outer(y > 0, (random.randint(2, 5), 0.0))
    elif shape == 3:  # all on a line
        X = np.outer(random.randint(0, 12, n), (0.25, -0.5)) + np.array([3.0, 1.0])
    elif shape == 4:  # penguins: far from the origin, on their lattice
        X = np.column_stack(
            (17 + 0.05 * random.randint(-40, 40, n), 22 + 0.1 * random.randint(-60, 60, n) + 4 * y)
        )
    else:  # few places, so that many are equal
        X = random.randint(0, 2, (n, 2)) * 0.5 + np.outer(y, (0.25, 0.0))
    return X, y


CASES = [points(2 + seed % 13, seed) for seed in range(78)]


def size(X):
    return max(float(np.ptp(X, axis=0).max()), 1e-300)


def caps(y, seed):
    smallest = 1 / min(np.sum(y > 0), np.sum(y < 0))
    between = smallest + np.random.RandomState(seed).uniform() * (1 - smallest)
    return list(dict.fromkeys([1.0, smallest, between, 0.5 if smallest <= 0.5 else 1.0]))


def test_hulls_are_those_of_svmlib(mathematics):
    for (X,), corners in mathematics("hull", [(X,) for X, _ in CASES]):
        expected = hulls.convex_hull(X)
        assert sorted(map(tuple, corners)) == sorted(map(tuple, X[expected.vertices]))


def test_closest_points_have_the_certificate_of_svmlib(mathematics):
    cases = [(X, y, cap) for k, (X, y) in enumerate(CASES) for cap in caps(y, k)]
    for (X, y, cap), js in mathematics("closest", cases):
        python, scale = hulls.closest_points(X, y, cap), size(X)
        # Both are bounds, so each lower one is below each upper one; and they are close.
        assert js["lower"] <= python.distance
        assert python.lower_bound <= js["upper"] <= js["lower"] + 1e-11 * scale
        weights = np.array(js["weights"])
        assert ((weights >= 0) & (weights <= cap * (1 + 1e-12))).all()
        for sign, end in ((1, "p"), (-1, "q")):
            assert weights[y == sign].sum() == pytest.approx(1, abs=1e-12)
            assert weights[y == sign] @ X[y == sign] == pytest.approx(js[end], abs=1e-11 * scale)
        if cap == 1:
            assert js["meet"] == (not hulls.separation(X, y).separable)
        if js["meet"]:
            assert js["upper"] <= 1e-11 * scale
        else:
            assert js["w"] == pytest.approx(python.w / np.linalg.norm(python.w), abs=1e-6)


def test_reduced_hulls_reach_as_far_as_their_supports(mathematics):
    """Exactly as far in every direction as the greedy weights of chapter 6."""
    cases = [(X[y > 0], cap) for k, (X, y) in enumerate(CASES[::2]) for cap in caps(y, k)]
    angles = np.linspace(0, 2 * np.pi, 49)
    directions = np.array([np.cos(angles), np.sin(angles)])
    for (X, cap), corners in mathematics("reducedHull", cases):
        weights = np.clip(1 - cap * np.arange(len(X)), 0, cap)
        expected, close = weights @ -np.sort(-(X @ directions), axis=0), 1e-9 * size(X) + 1e-12
        assert (corners @ directions).max(axis=0) == pytest.approx(expected, abs=close)


SOFT = [  # 9 sizes, 6 shapes, 8 prices: each way in which two of them can meet
    (X, y, 10.0 ** (-3 + 7 * (k % 8) / 7))
    for k, (X, y) in enumerate(points(2 + 3 * (seed % 9), seed) for seed in range(72))
]


def test_soft_margins_have_the_certificate_of_svmlib(one):
    for X, y, C in SOFT:
        Z = X - (X.min(axis=0) + X.max(axis=0)) / 2
        js = one("softMargin", Z @ Z.T, y, C)
        certificate = interior_point(DualProblem(Z, y, C)).certificate
        assert js["dual"] <= certificate.primal
        assert certificate.dual <= js["primal"]
        assert js["primal"] - js["dual"] <= 1e-6 * js["primal"]
        alpha = np.array(js["alpha"])
        assert ((alpha >= 0) & (alpha <= C * (1 + 1e-12))).all()
        assert alpha @ y == pytest.approx(0, abs=1e-12 * (1 + alpha.sum()))
        margins = y * (Z @ (Z.T @ (alpha * y)) + js["b"])
        largest = 1 + alpha.sum() * np.abs(X).max() ** 2
        assert js["margins"] == pytest.approx(margins, abs=1e-9 * largest)
        line = one("line", X, y, js)
        assert y * (X @ line["w"] + line["b"]) == pytest.approx(margins, abs=1e-8 * largest)


def test_the_picture_of_a_field_is_that_of_the_machine(one):
    random = np.random.RandomState(5)
    for sigma, n in ((0.3, 80), (1.0, 60)):
        X, beta, b = random.standard_normal((12, 2)), random.standard_normal(12), -0.2
        limits = [[-2.0, 1.5], [-1.0, 2.5]]
        values = one("field", X, beta, b, sigma, *limits, n)
        across, upwards = (np.linspace(*ends, n + 1) for ends in limits)
        grid = np.stack(np.meshgrid(across, upwards), axis=-1).reshape(-1, 2)
        f = RBF.from_width(sigma)(grid, X) @ beta + b
        assert values == pytest.approx(f, abs=1e-10)
        for level in (0.0, 0.5):
            curve, areas = (one("contour", f, n, level, fill) for fill in (False, True))
            low, side = np.array(limits)[:, 0], np.ptp(limits, axis=1) / n
            ends = low + np.array(curve).reshape(-1, 2) * side
            assert len(ends) > 20
            assert abs(RBF.from_width(sigma)(ends, X) @ beta + b - level).max() < 0.05
            turned = ((np.array(p), np.roll(p, -1, axis=0)) for p in areas)
            area = sum(abs(np.sum(p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])) / 2 for p, q in turned)
            assert area / n**2 == pytest.approx(np.mean(f >= level), abs=0.01)


def test_the_best_cut_is_that_of_the_lifted_samples(mathematics):
    """The hard margin of (x, ‖x‖²), for rings and what is not around the origin."""
    rings, random = load_circles(60, noise=0.06), np.random.RandomState(4)
    cases = [(rings.X, rings.y)]
    for _ in range(20):
        X = random.standard_normal((30, 2))
        off = np.hypot(*(X - random.uniform(-0.4, 0.4, 2)).T) - 1
        cases.append((X[abs(off) > 0.15], -np.sign(off[abs(off) > 0.15])))
    for (X, y), cut in mathematics("bestCut", cases):
        lifted = DualProblem(np.column_stack((X, (X**2).sum(axis=1))), y, np.inf)
        solution = interior_point(lifted)
        *w, v = (solution.alpha * lifted.y) @ lifted.X
        c = -np.array(w) / (2 * v)
        assert [cut["c1"], cut["c2"]] == pytest.approx(c, abs=1e-5)
        assert cut["height"] == pytest.approx(c @ c - solution.b / v, abs=1e-5)
        inside = np.hypot(*(X - c).T) < np.sqrt(cut["height"])
        assert len(set(y[inside])) == len(set(y[~inside])) == 1


def test_two_bounds_are_printed_as_one_number_that_holds_both(engine):
    """Where they share digits; as two numbers, rounded outwards, while they are apart."""
    random = np.random.RandomState(2)
    middles = [2.0, 3.75, 0.6, 1e-7, 6e5, *random.standard_normal(300) * 10.0]
    pairs = [(v - e * abs(v), v + e * abs(v)) for v in middles for e in (0, 1e-14, 1e-9, 1e-5)]
    enclose = "(pairs) => pairs.map((c) => svmExplorable.enclose(...c))"
    for (low, high), text in zip(pairs, engine.call(enclose, pairs), strict=True):
        least, most = held(text)
        assert least <= low <= high <= most
        spread = Fraction(high) - Fraction(low)
        assert most - least <= 22 * (spread + Fraction(1e-13 + 1e-15 * abs(high)))
    apart = [(0, 6 + 1e-14), (0, 0), (1.8487, 3.514)]
    assert engine.call(enclose, apart) == ["0.00 to 6.00", "0", "1.84 to 3.52"]


def test_prices_stop_at_the_same_round_numbers_in_both_languages(engine):
    logs = [tenth / 10 for tenth in range(-30, 41)]
    found = engine.call("(logs) => logs.map(svmExplorable.round)", logs)
    assert found == [round_number(10**log, "C", 1e-4, 1e5) for log in logs]
    assert found == pytest.approx([10**log for log in logs], rel=0.02)


def test_many_samples_have_few_handles_and_all_that_decide_have_one():
    movable = explorable.street(IN_UNITS, 150.0).data["movable"]
    assert len(movable) == 13
    holding = hulls.closest_points(IN_UNITS.X, IN_UNITS.y).weights
    assert set(np.flatnonzero(holding)) <= set(movable)


def test_samples_without_a_line_are_described_as_such():
    meeting = own([[0, 0], [2, 0], [1, 0]], [1, 1, -1])
    alt = explorable.villages(meeting).alt
    assert "The hulls meet: a star marks the common point (1.00, 0.00)" in alt
    assert "no street opens" in explorable.street(meeting, 0.0).alt
    cross = own([[1, 0], [-1, 0], [0, 1], [0, -1]], [1, 1, -1, -1])  # equal centroids
    assert "no line, because w is zero" in explorable.outlier(cross, 0.1).alt
    for make in (lambda: explorable.units(cross, 1.0), lambda: explorable.forces(cross)):
        with pytest.raises(ValueError, match="separable"):
            make()


def test_reliability_is_that_of_chapter_8(mathematics):
    random = np.random.RandomState(0)
    some = [np.round(random.uniform(size=n), 1 + n % 3) for n in range(2, 100, 3)]
    cases = [(p, (random.uniform(size=p.size) < p).astype(int)) for p in some]
    for (p, y), found in mathematics("fifths", cases):
        groups = [k for k in np.array_split(np.argsort(p, kind="stable"), 5) if k.size]
        expected = [[p[k].mean(), y[k].mean(), k.size] for k in groups]
        assert np.array(found) == pytest.approx(np.array(expected), abs=1e-12)


def clouds(seed):
    data, C = overlapping(seed), (1, 10, 100, 1000)[seed % 4]
    problem = DualProblem(data.X, data.y, C, RBF(0.25))
    return problem, (problem.gram_matrix.to_array(), data.y, C, 1e-6, 2)


def test_the_first_steps_of_smo_are_those_of_svmlib(one):
    for problem, case in map(clouds, range(8)):
        run, alpha, asked = one("smoRun", *case, 40), np.zeros(problem.n), set()
        for k, (js, step) in enumerate(zip(run[1:], steps(problem), strict=False), 1):
            assert (js["i"], js["j"]) == (step.i, step.j)
            asked |= {step.i, step.j}
            assert js["work"] == 120 * len(asked) + 120 * k
            alpha[[step.i, step.j]] = step.alpha_i, step.alpha_j
            g, up = problem.y * problem.gradient(alpha), (alpha > 0) == (problem.y < 0)
            free = (alpha > 0) & (alpha < problem.upper)
            proof = problem.certificate(alpha, (g[free | up].max() + g[free | ~up].min()) / 2)
            assert js["gap"] == pytest.approx(proof.relative_gap, rel=1e-6)


def test_the_image_of_the_race_shows_the_newton_steps_of_the_script(one, monkeypatch):
    """The first twenty, before rounding can change a free set; and both end at a millionth."""
    drawn = []
    monkeypatch.setattr(plotting, "legend", drawn.append)
    problem, case = clouds(1)
    explorable.race(overlapping(1), problem.upper[0], gamma=0.25)
    newton = {line.get_label(): line for line in drawn[-1].lines}["Newton"]
    run = one("newtonRun", *case)[1:21]
    assert newton.get_xdata()[: len(run)] == pytest.approx([step["work"] for step in run])
    assert newton.get_ydata()[-1] <= 1e-6


def test_newton_solves_every_stage_and_in_the_end_the_problem(one):
    """At the end of a stage q is the ramp at the scores of q; the last has the proof of svmlib."""
    for problem, case in map(clouds, range(16)):
        run = one("newtonRun", *case)
        K, y, C = problem.gram_matrix.to_array(), problem.y, problem.upper[0]
        spent = np.diff([step["work"] for step in run])
        changed = (spent - [s["free"] ** 3 / 6 for s in run[1:]]) / 60
        assert changed == pytest.approx(changed.round(), abs=1e-6)
        assert changed[0] == pytest.approx(60)  # all are on the ramp
        assert changed.min() > -1e-6
        assert changed.max() < 60 + 1e-6
        assert run[-1]["gap"] <= 1e-6
        assert len(run) < 60
        for step in (step for step in run if step.get("done")):
            c, q, s, h = (np.array(step[key]) for key in "cqsh")
            ramp = np.clip(c + (y - s) / h, np.minimum(0, C * y), np.maximum(0, C * y))
            assert q == pytest.approx(ramp, abs=1e-9 * C)
            assert q.sum() == pytest.approx(0, abs=1e-5 * C)
            assert np.ptp(s - K @ q) < 1e-4
        # The page judges multipliers made feasible by scaling the heavier class down.
        weight = {s: abs(q[y == s]).sum() for s in (-1, 1)}
        alpha = abs(q) * min(weight.values()) / np.where(y > 0, weight[1], weight[-1])
        proof = problem.certificate(alpha, run[-1]["b"])
        # A score is off by at most (θ + γ_n) Σα in either program, and the library adds its bound.
        score = (problem.gram_matrix.error_bound.theta + 2 * 68 * 2.0**-53) * alpha.sum()
        moved = 3 * score * (60 * C + alpha.sum()) / proof.primal
        assert proof.relative_gap == pytest.approx(run[-1]["gap"], rel=0, abs=moved)
        assert moved < 1e-7


def test_winners_and_who_is_within_one_standard_error_are_those_of_the_search():
    made = searches(Cs=(0.1, 1.0, 10.0), gammas=(0.3, 3.0), cuts=2)
    data = explorable.winner(made).data
    cells = [{"svc__C": C, "svc__gamma": gamma} for gamma in data["gamma"] for C in data["C"]]
    for search, cut in zip(made, data["cuts"], strict=True):
        rows = search.cv_results_
        places = [rows["params"].index(cell) for cell in cells]
        assert cells[cut["best"]] == search.best_params_
        for key, name in (("hidden", "mean_test_score"), ("seen", "mean_train_score")):
            assert cut[key] == pytest.approx(1000 * rows[name][places], abs=0.51)
        scores = [rows[f"split{k}_test_score"][search.best_index_] for k in range(search.n_splits_)]
        error = np.std(scores, ddof=1) / len(scores) ** 0.5
        assert cut["error"] == pytest.approx(1000 * error, abs=0.51)
        good = np.flatnonzero(rows["mean_test_score"][places] >= np.mean(scores) - error)
        assert cut["good"] == good.tolist()
        assert cut["plain"] == min(good, key=lambda k: tuple(cells[k].values())[::-1])

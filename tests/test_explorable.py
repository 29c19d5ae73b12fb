"""The script's mathematics gives the certificates of svmlib, in every position of the handles."""

import base64
import html
import json
import re
import warnings
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
from explorables import load_what_is_needed
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_curve

from svmlib import hulls
from svmlib.book import explorable
from svmlib.book.explorable.plane import round_number
from svmlib.datasets import load_circles
from svmlib.duality import DualProblem, solve_interior_point
from svmlib.hull_smo import hull_smo
from svmlib.kernels import RBF
from svmlib.problem import balance
from svmlib.smo import steps
from tests import figures
from tests.book import ROOT
from tests.browser import open_tab
from tests.figures import BIRDS, FIGURES, IN_UNITS, SIX, held, overlapping, own, searches

STATIC = ROOT / "_static" / "explorables"
FILES = dict.fromkeys(file for kind in FIGURES for file in explorable.scripts(kind))
SCRIPTS = [STATIC / file for file in FILES]

pytestmark = pytest.mark.xdist_group("explorable")  # so that one browser is enough


@pytest.fixture(scope="module")
def mathematics_tab(browser):
    tab = open_tab(browser)
    for script in SCRIPTS:
        tab.add_script_tag(path=script)
    return tab


@pytest.fixture(scope="module")
def mathematics(mathematics_tab):
    """Call a function of the script: (name, arguments) -> pairs of arguments and result."""
    return partial(figures.mathematics, mathematics_tab)


@pytest.fixture(scope="module")
def one(mathematics):
    """Call it once: (name, *arguments) -> result."""
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


CASES = [points(2 + seed % 13, seed) for seed in range(360)]


def size(X):
    return max(float(np.ptp(X, axis=0).max()), 1e-300)


def test_hulls_are_those_of_svmlib(mathematics):
    for (X,), corners in mathematics("hull", [(X,) for X, _ in CASES]):
        expected = hulls.convex_hull(X)
        assert sorted(map(tuple, corners)) == sorted(map(tuple, X[expected.vertices]))


def caps(y, seed):
    smallest = 1 / min(np.sum(y > 0), np.sum(y < 0))
    between = smallest + np.random.RandomState(seed).uniform() * (1 - smallest)
    return list(dict.fromkeys([1.0, smallest, between, 0.5 if smallest <= 0.5 else 1.0]))


def test_closest_points_have_the_certificate_of_svmlib(mathematics):
    cases = [(X, y, cap) for k, (X, y) in enumerate(CASES) for cap in caps(y, k)]
    meeting = 0
    for (X, y, cap), js in mathematics("closest", cases):
        python = hulls.closest_points(X, y, cap)
        scale = size(X)
        # Both are bounds, so each lower one is below each upper one; and they are close.
        assert js["lower"] <= python.distance
        assert python.lower_bound <= js["upper"]
        assert reached(X, y, js["weights"]) <= Fraction(js["upper"]) ** 2
        assert js["upper"] - js["lower"] <= 1e-11 * scale
        assert js["upper"] == pytest.approx(python.distance, rel=1e-6, abs=1e-11 * scale)
        weights = np.array(js["weights"])
        assert weights.min() >= 0
        assert weights.max() <= cap * (1 + 1e-12)
        for sign, end in ((1, "p"), (-1, "q")):
            assert weights[y == sign].sum() == pytest.approx(1, abs=1e-12)
            assert weights[y == sign] @ X[y == sign] == pytest.approx(js[end], abs=1e-11 * scale)
        if cap == 1:
            assert js["meet"] == (not hulls.separation(X, y).separable)
        if js["meet"]:
            meeting += 1
            assert js["upper"] <= 1e-11 * scale
        else:
            assert js["w"] == pytest.approx(python.w / np.linalg.norm(python.w), abs=1e-6)
    assert 100 < meeting < len(cases) - 100


def test_a_bridge_of_ones_own_and_its_gap_bound_the_distance(mathematics):
    """From anywhere; and from both ends of the shortest they leave only rounding."""
    for X, y in CASES[::3]:
        python = hulls.closest_points(X, y)
        places = [(python.p, python.q), (X[0] + 1, X[-1] - 1)]
        for k, (_, js) in enumerate(mathematics("ownBridge", [(X, y, ends) for ends in places])):
            assert js["lower"] <= python.distance
            assert python.lower_bound <= js["upper"]
            assert k or js["upper"] - js["lower"] <= 1e-6 * size(X)


def test_reduced_hulls_reach_as_far_as_their_supports(mathematics):
    """Exactly as far in every direction as the greedy weights of chapter 6."""
    cases = [(X[y > 0], cap) for k, (X, y) in enumerate(CASES[::3]) for cap in caps(y, k)]
    angles = np.linspace(0, 2 * np.pi, 97)
    directions = np.column_stack((np.cos(angles), np.sin(angles)))
    for (X, cap), corners in mathematics("reducedHull", cases):
        weights = np.clip(1 - cap * np.arange(len(X)), 0, cap)
        for u in directions:
            expected = weights @ -np.sort(-(X @ u))
            assert (np.array(corners) @ u).max() == pytest.approx(
                expected, abs=1e-9 * (size(X) + 1e-9) + 1e-12
            )


SOFT = [  # 9 sizes, 6 shapes, 8 prices: twice each way in which they can meet
    (X, y, 10.0 ** (-3 + 7 * (k % 8) / 7))
    for k, (X, y) in enumerate(points(2 + 3 * (seed % 9), seed) for seed in range(144))
]


def agree(js, python, K, y, C):
    """Both certificates hold for the same optimum, and are as narrow as promised."""
    certificate = python.certificate
    assert js["dual"] <= certificate.primal
    assert certificate.dual <= js["primal"]
    assert js["primal"] - js["dual"] <= 1e-6 * js["primal"]
    assert js["primal"] == pytest.approx(certificate.primal, rel=1e-6)
    alpha = np.array(js["alpha"])
    assert alpha.min() >= 0
    assert alpha.max() <= C * (1 + 1e-12)
    assert alpha @ y == pytest.approx(0, abs=1e-12 * (1 + alpha.sum()))
    # Recomputed from what was returned, by other code: the values and the margins.
    beta = alpha * y
    assert js["margins"] == pytest.approx(
        y * (K @ beta + js["b"]), abs=1e-9 * (1 + alpha.sum() * K.max())
    )
    slack = np.maximum(0, 1 - y * (K @ beta + js["b"]))
    assert js["primal"] >= (beta @ K @ beta / 2 + C * slack.sum()) * (1 - 1e-12)
    assert js["dual"] <= alpha.sum() - beta @ K @ beta / 2 + 1e-12 * alpha.sum()


def test_soft_margins_have_the_certificate_of_svmlib(one):
    for X, y, C in SOFT:
        Z = X - (X.min(axis=0) + X.max(axis=0)) / 2
        js = one("softMargin", Z @ Z.T, y, C)
        agree(js, solve_interior_point(DualProblem(Z, y, C)), Z @ Z.T, y, C)
        line = one("line", X, y, js)
        assert y * (X @ line["w"] + line["b"]) == pytest.approx(
            np.array(js["margins"]), abs=1e-8 * (1 + sum(js["alpha"]) * np.abs(X).max() ** 2)
        )


def test_values_of_soft_margins_are_bounds_in_exact_arithmetic(mathematics):
    """Of the multipliers and the bias returned, for the matrix given."""
    cases = [(X @ X.T, y, C) for X, y, C in SOFT[::3] if len(y) < 15]
    exact = np.vectorize(Fraction, otypes=[object])
    for (K, y, C), js in mathematics("softMargin", cases):
        beta, b = exact(js["alpha"]) * y, Fraction(js["b"])
        scores = exact(K) @ beta
        square, price = beta @ scores / 2, Fraction(C)
        slack = sum(max(Fraction(0), 1 - s * (f + b)) for s, f in zip(y, scores, strict=True))
        assert square + price * slack <= Fraction(js["primal"])


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
            off = RBF.from_width(sigma)(ends, X) @ beta + b - level
            assert len(ends) > 20
            assert abs(off).max() < 0.05
            area = sum(
                abs(np.sum(p[:, 0] * np.roll(p[:, 1], -1) - p[:, 1] * np.roll(p[:, 0], -1))) / 2
                for p in map(np.array, areas)
            )
            assert area / n**2 == pytest.approx(np.mean(f >= level), abs=0.01)


def test_the_best_cut_is_that_of_the_lifted_samples(mathematics):
    """The hard margin of (x, ‖x‖²), for rings and what is not around the origin."""
    rings, random = load_circles(60, noise=0.06), np.random.RandomState(4)
    cases = [(rings.X, rings.y)]
    for _ in range(20):
        X = random.standard_normal((30, 2))
        off = np.hypot(*(X - random.uniform(-0.4, 0.4, 2)).T) - 1
        apart = abs(off) > 0.15
        cases.append((X[apart], np.where(off < 0, 1, -1)[apart]))
    for (X, y), cut in mathematics("bestCut", cases):
        lifted = DualProblem(np.column_stack((X, (X**2).sum(axis=1))), y, np.inf)
        solution = solve_interior_point(lifted)
        *w, v = (solution.alpha * lifted.y) @ lifted.X
        c = -np.array(w) / (2 * v)
        assert [cut["c1"], cut["c2"]] == pytest.approx(c, abs=1e-5)
        assert cut["height"] == pytest.approx(c @ c - solution.b / v, abs=1e-5)
        inside = np.hypot(*(X - c).T) < np.sqrt(cut["height"])
        assert len(set(y[inside])) == len(set(y[~inside])) == 1


def test_gaussian_machines_have_the_certificate_of_svmlib(one):
    for k, (X, y, C) in enumerate(SOFT[:72]):
        kernel = RBF.from_width(sigma := 0.3 * 4.0 ** (k % 4))
        K = np.array(one("gaussian", X, sigma))
        assert pytest.approx(kernel(X, X), abs=1e-12) == K
        if any((X[y > 0] == x).all(axis=1).any() for x in X[y < 0]) and C > 100:
            continue  # a contradiction at a high price: svmlib's own limits are tested elsewhere
        problem = DualProblem(X, y, C, kernel)
        agree(one("softMargin", K, y, C), solve_interior_point(problem), K, y, C)


def test_a_cap_and_its_price_give_one_line(mathematics):
    """softMarginOfCap: the weights of the reduced hulls solve the soft margin for its C."""
    cases = [(X, y, cap) for k, (X, y) in enumerate(CASES) for cap in caps(y, k)[1:3]]
    solved = 0
    for (X, y, cap), js in mathematics("softMarginOfCap", cases):
        if hulls.closest_points(X, y, cap).lower_bound == 0:
            assert js["solution"] is None
            continue
        solved += 1
        solution, C = js["solution"], js["C"]
        assert solution["primal"] - solution["dual"] <= 1e-8 * solution["primal"]
        if 1e-4 < C < 1e5:
            python = solve_interior_point(DualProblem(X - X.mean(axis=0), y, C)).certificate
            assert solution["primal"] == pytest.approx(python.primal, rel=1e-6)
            assert solution["dual"] == pytest.approx(python.dual, rel=1e-6)
        assert 2 * C / sum(solution["alpha"]) == pytest.approx(cap, rel=1e-9)
    assert solved > 200


def test_printed_bounds_go_outwards(mathematics):
    random = np.random.RandomState(1)
    values = [*(random.standard_normal(400) * 10.0 ** random.randint(-6, 7, 400)), 0, 1.001, 2.675]
    for name, sign in (("floor", 1), ("ceil", -1)):
        exact = mathematics(name, [(v, 3) for v in (0, 0.125, -2.5, 7)])  # which needs no rounding
        assert [text for _, text in exact] == ["0.000", "0.125", "-2.500", "7.000"]
        for (v, digits), text in mathematics(name, list(product(values, (0, 3, 6)))):
            assert 0 <= sign * (Fraction(v) - Fraction(text)) <= Fraction(1, 10**digits)


def test_two_bounds_are_printed_as_one_number_that_holds_both(mathematics_tab):
    """Where they share digits; as two numbers while they are apart."""
    random = np.random.RandomState(2)
    middles = [2.0, 3.75, 0.6, 1e-7, 6e5, *random.standard_normal(300) * 10.0]
    pairs = [(v - e * abs(v), v + e * abs(v)) for v in middles for e in (0, 1e-14, 1e-9, 1e-5)]
    texts = mathematics_tab.evaluate(
        "pairs => JSON.parse(pairs).map((c) => svmExplorable.enclose(...c))", json.dumps(pairs)
    )
    for (low, high), text in zip(pairs, texts, strict=True):
        least, most = held(text)
        assert least <= low <= high <= most
        spread = Fraction(high) - Fraction(low)
        assert most - least <= 22 * (spread + Fraction(1e-13 + 1e-15 * abs(high)))
    assert mathematics_tab.evaluate(
        "[[0, 6 + 1e-14], [0, 0], [3, 3.75]].map((c) => svmExplorable.enclose(...c))"
    ) == ["0.00 to 6.00", "0", "3.000 to 3.750"]
    assert mathematics_tab.evaluate("svmExplorable.enclose(1.8487, 3.514)") == "1.84 to 3.52"


def test_prices_stop_at_the_same_round_numbers_in_both_languages(mathematics_tab):
    logs = [tenth / 10 for tenth in range(-30, 41)]
    found = mathematics_tab.evaluate("logs => logs.map(svmExplorable.round)", logs)
    assert found == [round_number(10**log, "C", 1e-4, 1e5) for log in logs]
    assert found == pytest.approx(10 ** np.array(logs), rel=0.02)


def test_every_part_of_the_script_is_loaded_by_a_figure():
    assert set(SCRIPTS) == set(STATIC.glob("*.js"))


# The Python object


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_says_what_its_still_shows_and_hands_on_its_data(name):
    make, words = FIGURES[name]
    figure = make()
    assert words in figure.alt
    assert figure.data["kind"] == figure.name == name
    assert make().still == figure.still  # the same in every run
    bundle = figure._repr_mimebundle_(include=None, exclude=None)
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert bundle["image/png"] in bundle["text/html"]
    assert f'alt="{html.escape(figure.alt)}"' in bundle["text/html"]
    assert figure.alt in bundle["text/plain"]
    assert content(bundle["text/html"]) == json.loads(json.dumps(figure.data))


def content(page):
    """The data for the script, of a page with one figure and no script."""
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', page)
    assert page.count("</script>") == 1
    return json.loads(data)


def test_many_samples_have_few_handles_and_all_that_decide_have_one():
    movable = explorable.street(IN_UNITS, 150.0).data["movable"]
    assert len(movable) == 13
    holding = hulls.closest_points(IN_UNITS.X, IN_UNITS.y).weights
    assert set(np.flatnonzero(holding)) <= set(movable)


def test_names_of_classes_cannot_end_the_data():
    hostile = replace(own([[0, 0], [1, 1]], [-1, 1]), class_names=("</script><b>", '"&<'))
    assert content(explorable.villages(hostile).html())["classes"][0] == "</script><b>"


def test_samples_without_a_line_are_described_as_such():
    meeting = own([[0, 0], [2, 0], [1, 0]], [1, 1, -1])
    words = "The hulls meet: a star marks the common point (1.00, 0.00)"
    alt = explorable.villages(meeting).alt
    assert alt.startswith("1 sample of class −1 and 2 samples of class +1 with")
    assert words in alt
    assert "no street opens" in explorable.street(meeting, 0.0).alt
    cross = own([[1, 0], [-1, 0], [0, 1], [0, -1]], [1, 1, -1, -1])  # equal centroids
    assert "no line, for w is zero" in explorable.outlier(cross, 0.1).alt
    for make in (lambda: explorable.units(cross, 1.0), lambda: explorable.forces(cross)):
        with pytest.raises(ValueError, match="separable"):
            make()


def test_a_figure_brings_its_script_where_it_is_asked_to_and_nowhere_else():
    """A running notebook asks for it: that is seen in tests/book/test_explorables_lab.py."""
    figure = explorable.villages(SIX)
    page = figure.html(alive=True)
    for file in ("core.js", "hulls.js", "villages.js", "style.css"):
        assert (STATIC / file).read_text(encoding="utf-8") in page
    assert "pieces.street" not in page
    assert "<script>" not in figure.html()


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: explorable.villages(SIX, name="a b"), "name"),
        (lambda: explorable.villages(SIX, movable=[6]), "movable"),
        (lambda: explorable.street(SIX, np.nan), "angle"),
        (lambda: explorable.outlier(SIX, 1e5), "C"),
        (lambda: explorable.rbf(SIX, SIX, sigma=0.01), "sigma"),
        (lambda: explorable.rbf(load_circles(102), SIX), "data"),
        (lambda: explorable.smo(BIRDS), "data"),
        (lambda: explorable.box(SIX, pair=(1, 1)), "pair"),
        (lambda: explorable.units(BIRDS, 1e6), "worth"),
        (lambda: explorable.units(own([[0, 0], [0, 1]], (-1, 1)), 1.0), "both features"),
        (lambda: explorable.threshold([0.0, 1.0], [1, 1]), "both classes"),
        (lambda: explorable.threshold([0.0, 1.0], [0, 1], miss=0.5), "miss"),
        (lambda: explorable.race(SIX, 1e4), "C"),
        (lambda: explorable.winner([*searches(), *searches(gammas=(1.0, 2.0))]), "same candidates"),
    ],
)
def test_bad_input_is_named(make, named):
    with pytest.raises(ValueError, match=named):
        make()


def test_steps_on_two_hulls_are_those_of_hull_smo(one):
    taken = 0
    for X, y in CASES[::6]:
        if not hulls.separation(X, y).separable:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # eight steps need not be enough
            run = hull_smo(X, y, max_iter=8, tol=1e-3, trace=True)
        pairs = []
        for before, after in pairwise(run.trace):
            if np.allclose(before.weights, after.weights, rtol=0, atol=1e-12):
                break  # a weight that only rounding has left; the script has none of these
            state, bounds = one("hullRun", X, y, pairs), hulls.certify_weights(X, y, before.weights)
            assert state["upper"] == pytest.approx(bounds.distance, rel=1e-9)
            assert state["lower"] == pytest.approx(bounds.lower_bound, rel=1e-6, abs=1e-9)
            assert reached(X, y, state["lambda"]) <= Fraction(state["upper"]) ** 2
            pair, ours = one("steepest", y, state), list(after.pair)
            gains = [abs(1 - sum(state["height"][k] for k in ends)) for ends in (pair, ours)]
            assert gains[0] == pytest.approx(gains[1], rel=1e-9)  # ties may go either way
            pairs.append(ours)
            taken += 1
    assert taken > 100


def reached(X, y, weights):
    """Return the exact square of ‖p − q‖, where p and q are what these weights mix."""
    exact = np.vectorize(Fraction, otypes=[object])
    weights, points = exact(weights), exact(X)
    p, q = (weights[y == s] @ points[y == s] / weights[y == s].sum() for s in (1, -1))
    return (p - q) @ (p - q)


@pytest.mark.parametrize(
    ("shown", "parts"),
    [
        ((), ()),
        (("prices",), ("core", "prices")),
        (("villages", "outlier"), ("core", "hulls", "villages", "soft", "outlier")),
    ],
)
def test_a_page_loads_the_parts_that_its_figures_need_in_their_order(shown, parts):
    scripts = ["x.js", *(f"explorables/{part.name}" for part in reversed(SCRIPTS)), None]
    files = {"script_files": scripts, "css_files": ["explorables/style.css", "theme.css"]}
    context = {key: [SimpleNamespace(filename=n) for n in names] for key, names in files.items()}
    context["body"] = "".join(FIGURES[name][0]().html() for name in shown)
    load_what_is_needed(None, "", "", context, None)
    assert {key: [file.filename for file in context[key]] for key in files} == {
        "script_files": ["x.js", None, *(f"explorables/{part}.js" for part in parts)],
        "css_files": ["theme.css"] + ["explorables/style.css"] * bool(shown),
    }


def ranked(seed):
    random = np.random.RandomState(seed)
    y = np.r_[0, 1, random.randint(0, 2, 2 + 3 * seed)]
    return np.round(random.standard_normal(y.size) + y, seed % 3), y


def test_thresholds_are_counted_as_by_scikit_learn_and_the_cheapest_is_that_of_chapter_8(
    one,
):
    for f, y in map(ranked, range(40)):
        levels = one("thresholds", f, y)
        fpr, tpr, at = roc_curve(y, f, drop_intermediate=False)
        assert [s["missed"] for s in levels] == np.round((1 - tpr) * y.sum()).tolist()[::-1]
        assert [s["alarms"] for s in levels] == np.round(fpr * np.sum(y == 0)).tolist()[::-1]
        assert [s["t"] for s in levels[:-1]] == at[:0:-1].tolist()
        for miss in (1, 2.5, 10, 100):
            thresholds = np.append(np.sort(f), np.inf)
            called = f >= thresholds[:, np.newaxis]
            costs = miss * np.sum(y > called, axis=1) + np.sum(called > y, axis=1)
            best = one("cheapest", levels, miss)
            assert best["t"] == (t if np.isfinite(t := thresholds[costs.argmin()]) else None)
            assert miss * best["missed"] + best["alarms"] == costs.min()


def test_reliability_is_that_of_chapter_8(mathematics):
    cases = [(1 / (1 + np.exp(-f)), y) for f, y in map(ranked, range(1, 40))]
    for (p, y), found in mathematics("fifths", cases):
        groups = [k for k in np.array_split(np.argsort(p, kind="stable"), 5) if k.size]
        expected = [[p[k].mean(), y[k].mean(), k.size] for k in groups]
        assert np.array(found) == pytest.approx(np.array(expected), abs=1e-12)


def clouds(seed):
    """A problem of 60 samples whose classes overlap, and what the script needs of it."""
    data, C = overlapping(seed), (1, 10, 100, 1000)[seed % 4]
    problem = DualProblem(data.X, data.y, C, RBF(0.25))
    return problem, (problem.gram(), data.y, C, 1e-6, 2)


def test_the_first_steps_of_smo_are_those_of_svmlib(one):
    for problem, case in map(clouds, range(8)):
        run = one("smoRun", *case, 40)
        alpha = np.zeros(problem.n)
        asked = set()
        for k, (js, step) in enumerate(zip(run[1:], steps(problem), strict=False), 1):
            assert (js["i"], js["j"]) == (step.i, step.j)
            asked |= {step.i, step.j}
            assert js["work"] == 120 * len(asked) + 120 * k
            alpha[[step.i, step.j]] = step.alpha_i, step.alpha_j
            g, up = problem.y * problem.gradient(alpha), (alpha > 0) == (problem.y < 0)
            free = (alpha > 0) & (alpha < problem.upper)
            b = (g[free | up].max() + g[free | ~up].min()) / 2
            proof = problem.certificate(alpha, b)
            assert js["gap"] == pytest.approx(proof.relative_gap, rel=1e-6)


def test_newton_solves_every_stage_and_in_the_end_the_problem(one):
    """At the end of a stage q is the ramp at the scores of q; the last has the proof of svmlib."""
    for problem, case in map(clouds, range(16)):
        run = one("newtonRun", *case)
        K, y, C = problem.gram(), problem.y, problem.upper[0]
        spent = np.diff([step["work"] for step in run])
        assert spent == pytest.approx([s["free"] ** 3 / 6 + 60 * s["free"] for s in run[1:]])
        assert run[0]["work"] == 2 * 60**2
        assert run[-1]["gap"] <= 1e-6
        assert len(run) < 60
        for step in run[1:]:
            c, q, s, h = (np.array(step[key]) for key in "cqsh")
            ramp = np.clip(c + (y - s) / h, np.minimum(0, C * y), np.maximum(0, C * y))
            assert q == pytest.approx(ramp, abs=1e-9 * C)
            if step["done"]:
                assert q.sum() == pytest.approx(0, abs=1e-5 * C)
                assert np.ptp(s - K @ q) < 1e-4
        proof = problem.certificate(balance(abs(q), y, np.full(60, C)), run[-1]["b"])
        assert proof.relative_gap == pytest.approx(run[-1]["gap"], abs=1e-7)


def test_winners_and_who_is_within_one_standard_error_are_those_of_the_search():
    data = explorable.winner(searches()).data
    for search, cut in zip(searches(), data["cuts"], strict=True):
        rows = search.cv_results_

        def params(cell):
            row, column = divmod(cell, len(data["C"]))
            return {"svc__C": data["C"][column], "svc__gamma": data["gamma"][row]}

        places = [rows["params"].index(params(k)) for k in range(len(cut["hidden"]))]
        assert params(cut["best"]) == search.best_params_
        for key, name in (("hidden", "mean_test_score"), ("seen", "mean_train_score")):
            assert cut[key] == pytest.approx(1000 * rows[name][places], abs=0.51)
        scores = [rows[f"split{k}_test_score"][search.best_index_] for k in range(search.n_splits_)]
        error = np.std(scores, ddof=1) / len(scores) ** 0.5
        assert cut["error"] == pytest.approx(1000 * error, abs=0.51)
        means = rows["mean_test_score"][places]
        good = np.flatnonzero(means >= np.mean(scores) - error).tolist()
        assert cut["good"] == good
        plainest = min(good, key=lambda k: (params(k)["svc__gamma"], params(k)["svc__C"]))
        assert cut["plain"] == plainest
    assert len({cut["best"] for cut in data["cuts"]}) > 1

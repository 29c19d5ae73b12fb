"""The figures in a real browser, from disk: mouse, touch, keys, a phone, the dark, no scripts.

They need no built book: a page is made of what a cell displays, with the script beside it as the
built pages have it. All tests share two tabs, at a desk and on a phone, because a new one costs
more than a test: each begins by loading its page anew.
"""

import re
import shutil
import warnings
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import confusion_matrix

from svmlib import hulls
from svmlib.book import explorable
from svmlib.geometry import Hyperplane, directional_margin
from svmlib.hull_smo import hull_smo
from svmlib.interior_point import interior_point
from svmlib.kernels import RBF
from svmlib.problem import DualProblem
from svmlib.smo import smo
from tests.book import ROOT
from tests.browser import Visited, contrast, open_tab
from tests.figures import FIGURES, IN_UNITS, NUMBERED, centre, drag_by, held, number, own, searches

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1000, "height": 900}
NAMED = "e => e.ariaLabel + e.ariaValueText"
PAGE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name}</title>
<link rel="stylesheet" href="style.css">{scripts}
<style>
body {{ margin: 1rem; font: 16px sans-serif; background: var(--pst-color-background);
  color: var(--pst-color-text-base); }}
html {{ --pst-color-background: #fff; --pst-color-text-base: #222832;
  --pst-color-text-muted: #48566b; }}
html[data-theme="dark"] {{ --pst-color-background: #14181e; --pst-color-text-base: #ced6dd;
  --pst-color-text-muted: #9ca4af; }}
</style></head><body><main><h1>A page</h1><p>Text before.</p>{figure}
<p style="height: 1500px">Text after.</p></main></body></html>"""


def written(folder, figures):
    scripts = dict.fromkeys(file for f in figures for file in explorable.scripts(f.data["kind"]))
    for file in ("style.css", *scripts):
        shutil.copy(ROOT / "_static" / "explorables" / file, folder)
    tags = "".join(f'<script defer src="{file}"></script>' for file in scripts)
    body = "".join(figure.html() for figure in figures)
    page = folder / "page.html"
    page.write_text(PAGE.format(name=figures[0].name, scripts=tags, figure=body), "utf-8")
    return figures[0].name, page.as_uri()


class Visit(Visited):
    def __init__(self, tab, page):
        super().__init__(tab)
        self.name, self.url = page
        self.root = tab.locator(f"#{self.name}")
        self.load()

    def load(self, state=""):
        """Load the page anew, as somebody does who is sent a situation."""
        self.tab.goto("about:blank")
        self.tab.goto(self.url + (f"#{self.name}?{state}" if state else ""))
        self.settle()

    def leave(self):
        super().leave()
        self.tab.emulate_media(media="screen", reduced_motion="no-preference")
        assert not self.complaints
        assert all(url.startswith(("file:", "data:", "about:")) for url in self.requests)

    def settle(self):
        self.tab.wait_for_selector(f"#{self.name}[data-settled=true]")

    def press(self, *names, settle=True):
        """Press buttons one after the other, and wait until all is said, unless told not to."""
        for name in names:
            self.root.get_by_role("button", name=name).click()
        if settle:
            self.settle()

    def figure(self, expression):
        return self.tab.evaluate(f"svmExplorable.figures['{self.name}'].{expression}")

    def seen(self, state=None):
        """What the figure is, shows and says now, or in another state."""
        seen = self.tab.evaluate(
            """([name, state]) => {
                const f = svmExplorable.figures[name], text = (e) => e.textContent;
                if (state !== null) { f.decode(state); f.draw(); f.settle(false); }
                const rows = [...f.table.children].map((row) => [...row.children].map(text));
                return {X: f.points, y: f.data.y, state: f.state, code: f.encode(),
                        says: text(f.status), numbers: Object.fromEntries(rows),
                        sliders: [...f.root.querySelectorAll("input")].map(e => e.ariaValueText)};
            }""",
            [self.name, state],
        )
        return SimpleNamespace(**seen | {key: np.array(seen[key]) for key in "Xy"})


def pages_of(names):
    return [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in names]


@pytest.fixture(scope="module", params=pages_of(FIGURES))
def page(request, tmp_path_factory):
    return written(tmp_path_factory.mktemp(request.param), [FIGURES[request.param]()])


@pytest.fixture(scope="module")
def tabs(browser):
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    settings = {"visit": {"viewport": DESKTOP}, "phone": phone}
    tabs = {name: open_tab(browser, **looks, offline=True) for name, looks in settings.items()}
    yield tabs
    for tab in tabs.values():
        tab.close()


def visited(request, tabs, page):
    """At a desk, or on a phone, as a test asks for it."""
    visit = Visit(tabs[request.fixturename], page)
    yield visit
    visit.leave()


visit, phone = (pytest.fixture(visited, name=name) for name in ("visit", "phone"))


def only(*names):
    return pytest.mark.parametrize("page", pages_of(names), indirect=True)


def frames(visit, count=2):
    """Wait until the browser has drawn so often: longer on a busy machine, as all that moves."""
    visit.tab.evaluate(
        "async n => { while (n--) await new Promise(drawn => requestAnimationFrame(drawn)); }",
        count,
    )


def drag(visit, grip, dx, dy, settle=True):
    """Drag a handle, until all is drawn, and said unless told not to; return where it was."""
    start = drag_by(visit.tab, grip, dx, dy)
    frames(visit)
    if settle:
        visit.settle()
    return start


EVERYWHERE = """(name) => {
    const f = svmExplorable.figures[name], {xlim, ylim} = f.planes[0];
    const buttons = [...f.root.querySelectorAll("button")].slice(0, -1);
    let seed = 12345;
    const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
    const inside = ([low, high], u = random()) =>
        u < 0.3 ? low : u < 0.5 ? high : low + (high - low) * random();
    for (let k = 0; k < (f.data.kind === "rbf" ? 4 : 12); k++) {
        f.decode("");
        for (const [key, {min, max}] of Object.entries(f.params)) f.slide(key, inside([min, max]));
        for (const i of f.data.movable) {
            const old = f.data.X[Math.floor(random() * f.data.X.length)];
            f.place(i, random() < 0.4 ? old : [inside(xlim), inside(ylim)]);
        }
        for (const press of [() => {}, ...buttons.map((button) => () => button.click())]) {
            press();
            f.draw();
            const drawn = [...f.root.querySelectorAll("svg *")].flatMap((e) => [...e.attributes]);
            const seen = [f.says, f.table.textContent, ...drawn.map(({value}) => value)];
            const bad = seen.filter((text) => /NaN|undefined|Infinity|∞/.test(text));
            if (bad.length) return [f.encode(), ...bad];
        }
    }
    return [];
}"""


def test_comes_alive_and_wherever_its_controls_stand_there_is_a_number(visit):
    assert not visit.root.locator(".still").is_visible()
    assert visit.seen().says
    assert "#" not in visit.tab.url
    assert visit.tab.evaluate(EVERYWHERE, visit.name) == []
    data = visit.figure("data")
    for i in data["movable"]:  # as a hand draws it out of the picture
        x, y = visit.seen(f"p{i}=1e9,-1e9").X[i]
        assert data["xlim"][0] <= x <= data["xlim"][1]
        assert data["ylim"][0] <= y <= data["ylim"][1]


def test_the_mouse_moves_every_handle_the_address_keeps_it_and_start_again_undoes_it(visit):
    first, grips = visit.seen(), visit.root.locator(".grip")
    for k in range(grips.count()):
        before, label = visit.seen().code, grips.nth(k).evaluate(NAMED)
        x, y = drag(visit, grips.nth(k), 31, -22, settle=False)
        assert visit.seen().code != before
        assert grips.nth(k).evaluate(NAMED) != label
        if not k and grips.nth(k).get_attribute("role") == "button":  # levers move on a line
            place = centre(grips.nth(k).locator(".hit"))
            assert place == pytest.approx((x + 31, y - 22), abs=4)
    visit.settle()
    moved = visit.seen()
    assert visit.tab.url.endswith(f"#{visit.name}?{moved.code}")
    visit.load(moved.code)
    again = visit.seen()
    assert (again.says, again.numbers, again.code) == (moved.says, moved.numbers, moved.code)
    visit.press("Start again")
    again = visit.seen()
    assert (again.says, again.numbers, again.code) == (first.says, first.numbers, "")


def test_keys_alone_reach_and_move_everything(visit):
    stops = visit.root.locator(".grip, input, select, button")
    # A screen reader's browse mode keeps the arrows of a button, and hands on an application's.
    assert not visit.root.locator(".grip:not([role=application][aria-label] > *)").count()
    visit.tab.locator("h1").click()
    for k in range(stops.count()):
        visit.tab.keyboard.press("Tab")
        assert stops.nth(k).evaluate("e => e === document.activeElement")
        if stops.nth(k).evaluate("e => e.matches('.grip, input')"):
            labels = [stops.nth(k).evaluate(NAMED)]
            for key in ("ArrowRight", "ArrowLeft"):
                visit.tab.keyboard.press(key)
                frames(visit)
                labels.append(stops.nth(k).evaluate(NAMED))
            assert labels[0] == labels[2] != labels[1]


# What each figure shows is what svmlib computes there


def drawn(visit, path, plane=0):
    """The points of a path of a plane, the first unless told, in its units."""
    shape, plane = visit.tab.evaluate(
        f"""() => {{
            const p = svmExplorable.figures['{visit.name}'].planes[{plane}];
            return [p.clipped.querySelector('{path}').getAttribute('d'),
                    [p.left, p.top, p.w, p.h, ...p.xlim, ...p.ylim]];
        }}"""
    )
    left, top, width, height, x0, x1, y0, y1 = plane
    across, upwards = np.array(re.findall(r"[-\d.]+", shape), dtype=float).reshape(-1, 2).T
    return np.column_stack(
        (x0 + (across - left) / width * (x1 - x0), y1 - (upwards - top) / height * (y1 - y0))
    )


def assert_drawn(visit, seen, plane, *ends):
    """The line of a hyperplane, and the ends of the bridge that belongs to it."""
    size = np.ptp(seen.X, axis=0)
    off = plane.decision_function(drawn(visit, ".line:not(.thin)")) / np.linalg.norm(plane.w * size)
    assert abs(off).max() < 2e-3  # a hundredth of a pixel, seen from far away
    if ends:
        assert abs((drawn(visit, ".bridge") - ends) / size).max() < 1e-3


def check_street(visit, seen):
    w = np.radians(seen.state["angle"])
    mine = directional_margin(seen.X, seen.y, [np.cos(w), np.sin(w)])
    assert number(seen.numbers["width of your street"]) == pytest.approx(mine.width, abs=6e-4)
    assert_drawn(visit, seen, mine.hyperplane)
    bridge = hulls.closest_points(seen.X, seen.y)
    if bridge.lower_bound > 0:
        low, high = held(seen.numbers["widest possible"])
        assert low <= bridge.distance
        assert bridge.lower_bound <= high <= low + 0.0011
    else:
        assert seen.numbers["widest possible"] == "there is none"
        assert "share the point" in seen.says


def check_villages(visit, seen):
    bridge, shown = hulls.closest_points(seen.X, seen.y), seen.numbers
    if seen.state["own"]:  # and the distance is in what the grey leaves free
        wide, long = (number(shown[row]) for row in ("gap across it", "your bridge"))
        assert wide <= bridge.distance
        assert bridge.lower_bound <= long
        grey = drawn(visit, ".closed", plane=1)[:, 0]
        assert grey[[1, 4]] == pytest.approx([wide, long], abs=0.002)
    elif not hulls.separation(seen.X, seen.y).separable:
        assert "proves that no line separates" in seen.says
        assert "common point" in shown
    else:
        assert "The hulls are apart" in seen.says
        assert_drawn(visit, seen, Hyperplane(bridge.w, bridge.b), bridge.p, bridge.q)
        low, high = held(shown["bridge from p to q = gap across it"])
        assert high - low < 1e-9
        assert low <= bridge.distance
        assert bridge.lower_bound <= high


def check_outlier(visit, seen):
    X, y, cap = seen.X, seen.y, seen.state["cap"]
    if "reduced hulls" in seen.numbers:
        assert hulls.closest_points(X, y, seen.state["mu"]).lower_bound == 0
        return
    C = 10 ** seen.state["logC"] if cap else float(seen.sliders[0])
    if cap and not -3 < seen.state["logC"] < 4:
        return  # the price lies outside the slider, which shows its end
    found = interior_point(DualProblem(X, y, C))
    dual, primal = held(seen.numbers["dual and primal value"])
    assert dual <= found.certificate.primal
    assert found.certificate.dual <= primal * (1 + 1e-5 * cap)
    assert primal == pytest.approx(dual, rel=2e-5)
    if cap:
        assert seen.state["mu"] == pytest.approx(2 * C / found.alpha.sum(), rel=1e-4)
    elif abs(found.alpha / C - 0.5).min() < 0.4999:  # else b is one of many
        assert_drawn(visit, seen, Hyperplane((found.alpha * y) @ X, found.b))


def check_rbf(visit, seen):
    sigma, C = map(float, seen.sliders)
    problem = DualProblem(seen.X, seen.y, C, RBF.from_width(sigma))
    solution = interior_point(problem)
    dual, primal = held(seen.numbers["dual and primal value"])
    assert dual <= solution.certificate.primal
    assert solution.certificate.dual <= primal
    assert primal == pytest.approx(dual, rel=2e-5)
    hidden = visit.figure("data.hidden")
    for row, Z, labels in (
        ("training errors", seen.X, seen.y),
        ("errors on hidden samples", hidden["X"], hidden["y"]),
    ):
        f = problem.decision_function(solution.alpha, solution.b, Z)
        if abs(f).min() < 1e-5 * C:
            continue  # too near the boundary for two programs to agree
        wrong, shown = np.sum(np.where(f >= 0, 1, -1) != labels), seen.numbers[row]
        told = f"{wrong / 10:.1f} % of 1000" if "%" in shown else f"{wrong} of {len(labels)}"
        assert shown == told


def some_steps(solve, *args, **options):
    """The trace of ten steps, which need not be enough."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solve(*args, **options, max_iter=10, trace=True).trace


def check_smo(visit, seen):
    """Bounds after ten steepest steps from wherever the samples are: those of hull_smo."""
    X, y = seen.X, seen.y
    if not hulls.separation(X, y).separable:
        return
    first, *steps = some_steps(hull_smo, X, y, tol=1e-3)
    bounds = [hulls.certify_weights(X, y, step.weights) for step in (first, *steps)]
    visit.figure(f"steps.push(...{[6 * i + j for i, j in (step.pair for step in steps)]})")
    visit.figure("draw()")
    low, high = held(visit.seen().numbers["distance between the hulls"])
    best, distance = max(bound.lower_bound for bound in bounds), bounds[-1].distance
    assert low <= best * (1 + 1e-9)
    assert distance <= high * (1 + 1e-12)
    assert high - low <= 21 * (distance - best) + 1e-9 * distance


def check_prices(visit, seen):
    two, x, price = seen.state["which"] == 1, seen.state["z"], seen.state["alpha"]
    z = np.linspace(-3, 3, 600_001)

    def objective(z):
        return (z**2 - 1) ** 2 + z / 2 if two else z**2 / 2

    def g(z):
        return -z if two else 1 - z

    shown = {row: number(text) for row, text in seen.numbers.items() if text[-1].isdigit()}
    theta, optimum = (objective(z) + price * g(z)).min(), objective(z[g(z) <= 0]).min()
    assert shown["θ(α), a lower bound"] == pytest.approx(theta, abs=1.1e-3)
    assert shown["θ(α), a lower bound"] <= theta
    assert shown["p*"] == pytest.approx(optimum, abs=6e-4)
    if g(x) <= 0:
        assert shown["F(z), an upper bound"] == pytest.approx(objective(x), abs=1.1e-3)
        assert shown["between them"] >= optimum - theta - 1e-3
        ends = shown["F(z), an upper bound"] - shown["θ(α), a lower bound"]
        assert shown["between them"] == pytest.approx(ends, abs=1e-9)  # to the last digit
    else:
        assert "not allowed" in seen.numbers["F(z), an upper bound"]


def check_box(visit, seen):
    """Ten steps along the pairs that smo chooses, with its multipliers and its m − M."""
    X, y, C = seen.X, seen.y, float(seen.sliders[0])
    assert len(set(y)) == 2
    Z, alpha = X - (X.min(axis=0) + X.max(axis=0)) / 2, np.zeros(6)  # as the script does
    for step in some_steps(smo, DualProblem(Z, y, C), selection="first", tol=1e-6):
        i, j = step.i, step.j
        if np.linalg.norm(Z[i] - Z[j]) < 1e-9:
            return  # equal samples: their order among ties is rounding
        found, same = visit.figure(f"piece.look({i}, {j})"), y[i] == y[j]
        low = alpha[i] + alpha[j] - C if same else alpha[j] - alpha[i]
        high = alpha[i] + alpha[j] if same else C + alpha[j] - alpha[i]
        assert found["L"] == pytest.approx(max(0, low), abs=1e-9)
        assert found["H"] == pytest.approx(min(C, high), abs=1e-9)
        assert found["best"] == pytest.approx(step.length, rel=1e-6, abs=1e-12)
        assert found["gain"] == pytest.approx(step.gain, rel=1e-6, abs=1e-12)
        assert found["m"] - found["M"] == pytest.approx(step.violation, rel=1e-6, abs=1e-9)
        alpha[[i, j]] = step.alpha_i, step.alpha_j
        visit.figure(f"steps.push(({i} * 6 + {j}) * 102)")
        visit.figure("draw()")
    shown = [number(v) for v in visit.seen().numbers["α"].split(", ")]
    assert shown == pytest.approx(alpha, rel=6e-3, abs=1e-9)


def check_units(visit, seen):
    """Also drawn to scale, where one chooses that."""
    unit = 1, 10 ** seen.state["log"]
    bridge = hulls.closest_points(seen.X / unit, seen.y)
    slope = -bridge.w[0] / bridge.w[1] * unit[1]
    assert float(seen.numbers["slope"].split()[0]) == pytest.approx(slope, abs=0.06)
    assert seen.numbers["rests on"] == f"{np.sum(bridge.weights > 1e-9)} samples"
    plane = Hyperplane(bridge.w / unit, bridge.b)
    assert_drawn(visit, seen, plane, bridge.p * unit, bridge.q * unit)
    width, height, *limits = visit.figure("planes.map(p => [p.w, p.h, p.xlim, p.ylim])[0]")
    low, high = np.transpose(limits)
    assert (low < seen.X.min(axis=0)).all()
    assert (seen.X.max(axis=0) < high).all()
    across, upwards = np.array([width, height]) / (high - low) * unit
    assert not seen.state["true"] or across == pytest.approx(upwards, rel=0.02)


def check_lift(visit, seen):
    *centre, radius = map(number, re.findall(r"[−\d.]+", seen.numbers["circle"]))
    c, height = np.array([seen.state["c1"], seen.state["c2"]]), seen.state["height"]
    assert centre == pytest.approx(c, abs=0.0051)
    assert radius == pytest.approx(height**0.5, abs=0.0051)
    below = (seen.X**2).sum(axis=1) - (2 * seen.X @ c + height - c @ c)
    wrong = np.sum((below <= 0) != (seen.y > 0))
    assert seen.numbers["samples on the wrong side"] == f"{wrong} of {len(seen.y)}"
    assert ("It has the inner class" in seen.says) == (wrong == 0)


def check_forces(visit, seen):
    """Both laws of the lever, and the way in which the plank can grow."""
    X, y, shown = seen.X, seen.y, seen.numbers
    bridge = hulls.closest_points(X, y)
    if not bridge.lower_bound > 0:
        assert shown == {"width of the plank": "none fits"}
        return

    def along(turn):
        angle = np.radians(seen.state["angle"]) + turn
        return directional_margin(X, y, [np.cos(angle), np.sin(angle)]).width

    width = along(0)
    assert number(shown["width of the plank"]) == pytest.approx(width, abs=6e-4)
    if width <= 0:
        assert "No plank fits along this direction" in seen.says
        return
    alpha = np.array([float(shown.get(f"force of {name}", 0)) for name in "ABC"])
    assert shown["sum of the forces"] == "(0, 0)"
    assert alpha @ y == pytest.approx(0, abs=1.6e-3)
    rest, torque = "At rest" in seen.says, number(shown["sum of the torques"])
    assert rest == (width >= bridge.distance * (1 - 1e-10))
    assert rest or not seen.state["best"]
    if rest:
        assert torque == 0
        w = 2 * bridge.w / (bridge.w @ bridge.w)
        assert (alpha * y) @ X == pytest.approx(w, abs=6e-4 * np.abs(X).sum())
        return
    assert alpha.sum() == pytest.approx(4 / width**2, abs=1.1e-3)
    growth = np.array([(along(turn) - width) / turn for turn in (-1e-8, 1e-8)])
    assert min(abs(2 * growth / width**2 - torque)) <= 0.006 * abs(torque) + 1e-6
    assert ((growth > 0) == (torque > 0)).all()
    assert ("counter-clockwise" in seen.says) == (torque > 0)


def check_threshold(visit, seen):
    f, y = (np.array(visit.figure(f"data.{key}")) for key in ("f", "labels"))
    miss, shown = float(seen.sliders[0].split()[0]), seen.numbers
    (passed, alarms), (missed, found) = confusion_matrix(y, f >= seen.state["t"])
    assert shown["rare: found, missed"] == f"{found}, {missed}"
    assert shown["other: called, let go"] == f"{alarms}, {passed}"
    assert number(shown["cost"].split(" = ")[1]) == pytest.approx(miss * missed + alarms, abs=0.01)
    called = f >= np.append(np.sort(f), np.inf)[:, np.newaxis]
    cheapest = (miss * np.sum(y > called, axis=1) + np.sum(called > y, axis=1)).min()
    assert number(shown["cheapest"].split()[0]) == pytest.approx(cheapest, abs=0.01)
    p = 1 / (1 + np.exp(-seen.state["t"]))
    told = [number(v) for v in re.findall(r"[\d.]+", shown["threshold as a probability"])]
    assert told == pytest.approx([p, 1 / (1 + miss)], abs=0.0051)


def check_race(visit, seen):
    """The smoothing of Newton's stage, and the gap of SMO in one digit."""
    C = float(seen.sliders[0].split()[0])
    assert ("largest" in seen.sliders[0]) == (C == 1000), "where no key makes C larger"
    h = max(2 / C / 10 ** (int(seen.numbers["stage"]) - 1), 1e-6)
    assert float(seen.numbers["h"]) == pytest.approx(h, rel=0.5)
    told = visit.seen(f"logC={seen.state['logC']}&smo=30").numbers["SMO"]
    assert re.fullmatch(r"30 steps, gap \d · 10.+", told)


def check_winner(visit, seen):
    search = searches()[seen.state["cut"]]
    best = "C = {svc__C:g}, gamma = {svc__gamma:g}".format(**search.best_params_)
    told = seen.numbers["winner"].replace("\u00a0", " ")
    assert told.startswith(f"{best}, {100 * search.best_score_:.1f} % ±")
    earlier = searches()[: seen.state["cut"] + 1]
    different = len({tuple(s.best_params_.values()) for s in earlier})
    assert seen.state["cut"] == 0 or f"cuts {different} " in seen.says


def test_what_is_shown_is_what_svmlib_computes_there(visit):
    """Samples and sliders put anywhere, also on top of each other and on one line."""
    check, random = globals()[f"check_{visit.name}"], np.random.RandomState(3)
    data, params = visit.figure("data"), visit.figure("params")
    places = [data["X"][k] for k in (0, -1, 1, 1)] if data["X"] else []
    check(visit, visit.seen())
    for trial in range(12 if visit.name == "rbf" else 20):
        parts = []
        for i in data["movable"]:
            x = random.uniform(data["xlim"][0], data["xlim"][1])
            p = (x, random.uniform(*data["ylim"])) if trial % 4 else places[random.randint(4)]
            if trial % 4 == 3:
                p = (x, (data["ylim"][0] + data["ylim"][1]) / 2)
            parts.append(f"p{i}={p[0]},{p[1]}")
        if visit.name == "rbf":
            for k in range(trial % 6):
                u, v = random.uniform(-1.2, 1.2, 2) if k % 2 else data["X"][k]
                parts.append(f"p{80 + k}={u},{v},{random.choice((-1, 1))}")
        for key, limits in params.items():
            if key != "cap" or trial % 2:
                parts.append(f"{key}={random.uniform(limits['min'], limits['max'])}")
        check(visit, visit.seen("&".join(parts)))


# On a phone, in the dark, on paper, without scripts


def finger(visit, start, end):
    session = visit.tab.context.new_cdp_session(visit.tab)
    points = [np.array(start) + (np.array(end) - start) * t for t in (0, 0.3, 0.6, 1)]
    for k, (x, y) in enumerate(points):
        kind = "touchMove" if k else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        frames(visit)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_fits_a_phone_where_a_finger_moves_a_handle_or_the_page(phone):
    for box in phone.tab.eval_on_selector_all(
        ".hit, input, button, select",
        "all => all.map(e => { const b = e.getBoundingClientRect(); return [b.width, b.height]; })",
    ):
        assert min(box) >= 24
    sizes = phone.tab.eval_on_selector_all(
        "svg text",
        """all => all.map(e => parseFloat(getComputedStyle(e).fontSize)
            * e.ownerSVGElement.getBoundingClientRect().width
            / e.ownerSVGElement.viewBox.baseVal.width)""",
    )
    assert min(sizes) >= 11
    box, scrolled = phone.root.locator("svg").first.bounding_box(), phone.tab.evaluate("scrollY")
    finger(phone, (box["x"] + 5, box["y"] + 200), (box["x"] + 5, box["y"] + 60))
    phone.tab.wait_for_function(f"scrollY > {scrolled + 50}")
    assert not phone.seen().code
    grip = phone.root.locator(".grip").first
    grip.scroll_into_view_if_needed()
    (x, y), scrolled = centre(grip.locator(".hit")), phone.tab.evaluate("scrollY")
    finger(phone, (x, y), (x - 30, y - 40))
    phone.settle()
    assert phone.seen().code
    assert phone.tab.evaluate("scrollY") == scrolled


@only("street")
def test_what_carries_meaning_stands_out_and_on_paper_the_still_stands_for_it(browser, visit):
    for theme in ("light", "dark"):
        visit.tab.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        paper, *colours = visit.root.evaluate(
            """e => ['--paper', '--look0', '--look1', '--look2', '--rule', '--ink'].map(
                name => getComputedStyle(e).getPropertyValue(name).trim())"""
        )
        assert min(contrast(to_rgb(c), to_rgb(paper)) for c in colours) >= 3  # WCAG 1.4.11
    visit.tab.emulate_media(media="print")
    assert visit.root.locator(".still").is_visible()
    assert not visit.root.locator(".live").is_visible()
    tab = open_tab(browser, java_script_enabled=False)
    tab.goto(visit.url)
    assert tab.locator(".still").is_visible()
    tab.close()


# Samples of one's own

NASTY = {
    "one a class": own([[0, 0], [1, 1]], (-1, 1)),
    "equal points of both classes": own([[1, 1], [1, 1]], (-1, 1)),
    "all on a level": own([[0, 0], [1, 0], [2, 0], [3, 0]], (-1, -1, 1, 1)),
    "threefold": own([[0, 0]] * 3 + [[1, 2]] * 3, np.repeat((-1, 1), 3)),
    "far away": own(
        np.random.RandomState(0).standard_normal((8, 2)) * 1e-3 + 1e5, np.repeat((-1, 1), 4)
    ),
    "small": own([[0, 0], [1e-9, 1e-9], [1e-9, 0]], (-1, 1, 1)),
}
OF_DATA = [  # how a figure is made of them
    lambda data: explorable.street(data, 10.0),
    lambda data: explorable.rbf(data, data),
    lambda data: explorable.box(data, pair=(0, 1)),
    lambda data: explorable.units(data, 1.0),
    lambda data: explorable.threshold(data.X[:, 0], data.y),
    *(getattr(explorable, k) for k in ("villages", "outlier", "smo", "forces", "lift", "race")),
]


@pytest.mark.parametrize("name", NASTY)
def test_nothing_breaks_on_any_data_in_any_position(tabs, tmp_path, name):
    figures = []
    for make in OF_DATA:
        with suppress(ValueError):  # "data must …", and most can be drawn
            figures.append(make(NASTY[name]))
    assert len(figures) >= 6
    visit = Visit(tabs["visit"], written(tmp_path, figures))
    for figure in figures:
        visit.tab.evaluate("name => document.getElementById(name).scrollIntoView()", figure.name)
        visit.tab.wait_for_selector(f"#{figure.name}[data-settled=true]")  # it starts when near
        assert visit.tab.evaluate(EVERYWHERE, figure.name) == []
    visit.leave()


def test_each_of_them_is_in_a_chapter():
    chapters = "".join(path.read_text("utf-8") for path in (ROOT / "chapters").glob("*.ipynb"))
    assert set(re.findall(r'\\"kind\\": \\"(\w+)\\"', chapters)) == set(FIGURES)


# What one figure alone can do


def taken(visit):
    return len(visit.figure("steps"))


BY_STEPS = {  # buttons, how many times one presses them, and what is shown in the end
    "smo": (
        ("Choose the steepest", "Take the step"),
        23,
        ": done. Always the steepest pair takes 23. The bounds agree to",
        {"distance between the hulls": "2.00000 ± ", "change of Q": "0"},
    ),
    "box": (
        ("Choose the pair", "Take the best step"),
        6,
        "No pair can gain: this is the optimum. After 6 steps",
        {"dual and primal value": "3.7500000", "m − M": "0"},
    ),
}


@only(*BY_STEPS)
def test_steps_lead_to_the_optimum_by_hand_and_by_themselves(browser, page):
    visit = Visit(open_tab(browser, viewport=DESKTOP), page)
    buttons, steps, words, numbers = BY_STEPS[visit.name]
    for k in range(steps):
        assert taken(visit) == k
        visit.press(*buttons, settle=False)
    visit.settle()
    done = visit.seen()
    assert words in done.says
    for row, value in numbers.items():
        assert done.numbers[row].startswith(value)
    last = visit.root.get_by_role("button", name=buttons[-1])
    assert last.get_attribute("aria-disabled") == "true"
    last.click(force=True)  # nothing is counted any more
    assert taken(visit) == steps
    visit.press("Start again")
    visit.tab.clock.install(time=0)
    visit.tab.clock.pause_at(1000)
    run = visit.root.get_by_role("button", name="Let it run")
    for end, left in (("Stop", 2), ("Start again", 0)):
        run.click()
        visit.tab.clock.run_for(1000)
        visit.root.get_by_role("button", name=end).click()
        visit.tab.clock.run_for(5000)
        assert taken(visit) == left
    run.click()
    visit.tab.clock.run_for(30_000)
    assert visit.seen().numbers == done.numbers
    assert run.inner_text() == "Let it run"
    visit.tab.emulate_media(reduced_motion="reduce")  # who wants less motion is not offered it
    visit.load()
    assert not run.count()
    visit.leave()
    visit.tab.close()


@only("rbf")
def test_samples_are_added_by_click_and_enter_twenty_at_most_and_taken_back(visit):
    first = visit.seen()
    visit.root.locator("svg").first.click(position={"x": 100, "y": 100})
    visit.root.locator("select").first.select_option("1")
    diamond = visit.root.locator(".grip")
    diamond.press("Shift+ArrowLeft")
    diamond.press("Enter")
    visit.settle()
    seen = visit.seen()
    assert seen.y[80:].tolist() == [-1, 1]
    assert "of 82 training samples" in seen.says
    visit.load(seen.code)
    assert visit.seen().says == seen.says
    for _ in range(19):
        diamond.press("Enter")
    visit.settle()
    assert len(visit.seen().X) == 100
    assert "No more samples can be added" in visit.seen().says
    visit.press(*["Take the last one back"] * 20)
    assert visit.seen().says == first.says


@only("street")
def test_the_best_street_names_what_holds_it_and_the_best_so_far_is_the_readers(visit):
    lever = visit.root.locator(".grip[role=slider]")
    best, scores, widths = visit.seen().numbers["widest possible"], [], []
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "Shift+ArrowRight"):
        lever.press(key)
        visit.settle()
        shown = visit.seen().numbers
        widths.append(number(shown["width of your street"]))
        scores.append(number(shown["your best so far"][:-2]))
        assert scores[-1] == pytest.approx(100 * max(widths) / held(best)[1], abs=0.2)
    assert scores[2] < scores[3]
    visit.press("Show the best")
    seen = visit.seen()
    assert "This is the best street" in seen.says
    assert number(seen.numbers["your best so far"][:-2]) == scores[3]
    holding = np.flatnonzero(hulls.closest_points(IN_UNITS.X, IN_UNITS.y).weights > 1e-9)
    assert visit.root.locator("svg .ring").first.get_attribute("d").count("M") == len(holding)
    places = [
        f"at {depth:g}\u00a0mm, {mass:g}\u00a0g" for depth, mass in IN_UNITS.X[holding] * (1, 200)
    ]
    assert all(place in seen.says for place in places)
    drag(visit, visit.root.locator(f".grip[aria-label*='{places[0]}']").first, 12, 3)
    assert "This is the best street" in visit.seen().says  # it follows, until it is turned
    lever.press("ArrowUp")
    visit.settle()
    assert "% of the widest possible" in visit.seen().says


@only("box")
def test_the_pair_is_dragged_along_its_line(visit):
    """Its multipliers, and nothing else, go where the hand goes; then the best step leads on."""
    pair = visit.root.locator(".grip[role=slider]")
    for dx, dy, end in ((0, -60, None), (5, 400, 0), (0, -400, 1), (0, 30, None)):
        drag(visit, pair, dx, dy)
        alpha = visit.figure("piece.look(3, 2).alpha")
        assert alpha[3] == alpha[2]  # labels differ: the line rises
        assert alpha[3] == end or (end is None and 0 < alpha[3] < 1)  # exactly, at the ends
        assert sum(alpha) == alpha[3] + alpha[2]
        assert taken(visit) == 1  # one drag after the other is one way
    visit.press("Take the best step")
    assert visit.figure("piece.look(3, 2).alpha")[3] == 1  # clipped by the box
    seen = visit.seen()
    visit.load(seen.code)
    assert visit.seen().numbers == seen.numbers


@only("box")
def test_level_curves_in_the_box_are_those_of_the_dual(visit):
    visit.figure("steps.push((3 * 6 + 2) * 102 + 41)")  # to 0.4 of the way, then another pair
    visit.figure("set('i', 4)")
    visit.figure("draw()")
    ends = drawn(visit, ".axis.faint", plane=1).reshape(-1, 2, 2)
    alpha = np.tile([0, 0, 0.4, 0.4, 0, 0], (*ends.shape[:2], 1))
    alpha[..., [4, 2]] = ends
    values = alpha.sum(axis=-1) - (((alpha * NUMBERED.y) @ NUMBERED.X) ** 2).sum(axis=-1) / 2
    depth = np.ptp(values)
    assert abs(values[:, 0] - values[:, 1]).max() < 0.01 * depth
    assert len(set(np.round(values.mean(axis=1) / depth, 2))) >= 8


@only("outlier")
def test_the_path_in_the_price_is_that_of_svmlib(visit):
    for move in (0, 60):
        drag(visit, visit.root.locator(".grip[role=button]"), move, move)
        path, seen = drawn(visit, ".curve", plane=2), visit.seen()
        assert len(path) == 71
        for log, share in path[::10]:
            C = 10 ** round(log)
            problem = DualProblem(seen.X - seen.X.mean(axis=0), seen.y, C)
            assert share == pytest.approx(interior_point(problem).alpha[-1] / C, abs=2e-3)


@only("villages")
def test_a_bridge_of_ones_own_is_dragged_within_the_hulls(visit):
    visit.root.locator("select").select_option("1")
    visit.settle()
    p, q = (visit.root.locator(f".grip[aria-label*='end {end}']") for end in "pq")
    x, y = drag(visit, p, 14, -12)
    assert centre(p.locator(".hit")) == pytest.approx((x + 14, y - 12), abs=2)
    drag(visit, q, 0, -300)  # up, as far as it can
    visit.load(visit.seen().code + "&px=0&py=-9")  # and p down
    seen = visit.seen()
    assert "They agree: no bridge is shorter" in seen.says
    assert number(seen.numbers["your bridge"]) <= 2.001

// Chapter 6: an outlier, the price C of slack and the cap μ on the weights.
(() => {
"use strict";
const {math, pieces, round, priced, show, pair, enclose, several, LOOK} = svmExplorable;
const {range, clip, plus, dot, length, sum, hull, closest, centred, lowest, linear, certified} = math;

/** Corners of a reduced hull, exactly: the order of the samples, and with it the corner, changes
only where the direction passes the normal of a pair. */
function reducedHull(points, cap) {
  const turns = [];
  points.forEach((a, i) => points.slice(0, i).forEach((b) => {
    const angle = Math.atan2(a[0] - b[0], b[1] - a[1]);
    turns.push(angle, angle > 0 ? angle - Math.PI : angle + Math.PI);
  }));
  turns.push(-Math.PI, Math.PI);
  turns.sort((a, b) => a - b);
  const y = points.map(() => 1), corners = [];
  for (let k = 1; k < turns.length; k++) {
    const angle = (turns[k] + turns[k - 1]) / 2;
    if (turns[k] - turns[k - 1] > 1e-9) corners.push(lowest(points, y, cap, [Math.cos(angle), Math.sin(angle)]).z);
  }
  return hull(corners);
}

/** The soft margin that the reduced hulls with this cap solve: C = 2μ / (D (r⁺ − r⁻)), where r⁺
and r⁻ are the heights along the bridge at which the weights run out. Null if the hulls meet. */
function softMarginOfCap(X, y, cap) {
  const bridge = closest(X, y, cap);
  if (bridge.meet) return {bridge, solution: null};
  const {Z} = centred(X), heights = Z.map((z) => dot(bridge.w, z));
  const level = (sign) => {
    const mine = range(y.length).filter((i) => y[i] === sign), slack = 1e-9;
    const free = mine.filter((i) => bridge.weights[i] > slack && bridge.weights[i] < cap - slack);
    if (free.length) return sum(free.map((i) => heights[i])) / free.length;
    const inner = Math.min(...mine.filter((i) => bridge.weights[i] <= slack).map((i) => sign * heights[i]));
    const outer = Math.max(...mine.filter((i) => bridge.weights[i] > slack).map((i) => sign * heights[i]));
    return sign * (Number.isFinite(inner) ? (inner + outer) / 2 : outer);
  };
  const scale = 2 / (bridge.upper * (level(1) - level(-1))), C = cap * scale;
  const alpha = bridge.weights.map((weight) => Math.min(weight * scale, C));
  const b = -scale * bridge.upper * (level(1) + level(-1)) / 2;
  return {bridge, C, solution: certified(linear(X), y, C, alpha, b,
    bridge.weights.map((weight) => weight <= 1e-9 ? 0 : weight >= cap - 1e-9 ? 1 : 0.5))};
}
Object.assign(math, {reducedHull, softMarginOfCap});
const significant = (v) => String(+v.toPrecision(3));

pieces.outlier = (figure) => {
  const {data, points, state} = figure, {y} = data, n = y.length, special = data.movable[0];
  const smallest = 1 / Math.min(...[-1, 1].map((sign) => figure.of(sign).length)), span = [-1.5, 3.5];
  const plane = figure.plane({label: "Samples, the soft margin and its slacks"});
  const paths = figure.plane({width: 340, height: 210, xlim: span, ylim: [-0.06, 1.06], axes: ["margin y f(x)", "multiplier α / C"],
    yticks: [[0, "0"], [0.5, "½"], [1, "1"]], label: "The multiplier of every sample against its margin"});
  const grid = range(71).map((k) => (k - 30) / 10), trail = figure.plane({width: 340, height: 130, xlim: [-3, 4], ylim: [-0.06, 1.06],
    axes: ["price C", "α / C of the outlier (thick) and of the others"], xticks: [-3, -1, 1, 3].map((k) => [k, String(10 ** k)]), yticks: [[0, "0"], [1, "1"]],
    label: "The multiplier of every sample against the price"});
  figure.table.style.minHeight = "6.8em";  // room for the longest words, so that nothing jumps
  figure.status.style.minHeight = "6.2em";
  let C, cap, solution, bridge, walk = [], walked;
  priced(figure, "logC", "price C", data.C, -3, 4, () => solution ? significant(C) : "none");
  figure.slider("mu", {label: "cap μ", min: smallest, max: 1, step: 0.001, value: 1, text: () => cap < 1 ? significant(cap) : "1 or more"});
  figure.param("cap", 0, 0, 1, 1);  // which of the two the reader has moved
  figure.choice("hulls", "Show", ["band and slacks", "reduced hulls"]);
  figure.movable(7, (i) => `${i === special ? "The outlier" : `Sample ${i + 1}`}, class ${figure.name(i)},`);
  return {
    follows: (key) => key === (state.cap ? "logC" : "mu"),
    slid(key) {
      if (key !== "hulls") state.cap = key === "mu" ? 1 : 0;
      if (key === "mu") state.hulls = 1;
    },
    solve() {
      if (walked !== points.join()) { walked = points.join(); walk = []; }
      if (state.cap) {
        cap = Math.max(smallest, state.mu);
        ({bridge, C, solution} = softMarginOfCap(points, y, cap));
        if (solution) state.logC = clip(Math.log10(C), -3, 4);
      } else {
        C = round(state.logC);
        solution = math.softMargin(linear(points), y, C);
        cap = state.mu = clip(2 * C / sum(solution.alpha), smallest, 1);
        bridge = state.hulls ? closest(points, y, cap) : null;
      }
    },
    /** What can wait until the hand is at rest: the path in C, a price at a time. */
    work() {
      const waits = walk.length < grid.length, price = round(grid[walk.length] ?? 0);
      if (waits) walk.push(math.softMargin(linear(points), y, price).alpha.map((a) => a / price));
      if (waits && walk.length === grid.length) figure.draw();
      return waits;
    },
    draw() {
      if (walk.length === grid.length) {
        const path = (i) => walk.map((alpha, k) => [grid[k], alpha[i]]);
        trail.curves("axis faint", range(n).filter((i) => i !== special).map(path));
        trail.curve("curve", path(special));
      }
      if (state.hulls) {
        plane.hulls([-1, 1].map((sign) => reducedHull(figure.of(sign), cap)));
        const {p, q, w} = bridge;
        if (!bridge.meet) plane.curve("line thin", plane.ends(w, (dot(w, p) + dot(w, q)) / 2));
        plane.bridge(bridge);
      }
      plane.samples(4.5, "faint");
      paths.curve("allowed", [[span[0] - 1, 1], [1, 1], [1, 0], [span[1] + 1, 0]]);
      if (!solution) {
        figure.numbers([["reduced hulls", "they meet"], ["common point", pair(bridge.p, 3)]]);
        return `With the cap ${show(cap, 3)} the reduced hulls still share a point, so they give no line. Lower the cap.`;
      }
      const {at, slack, margins, alpha} = solution, needy = range(n).filter((i) => slack[i] > 1e-7);
      const {w, b} = math.line(points, y, solution), flat = length(w) < 1e-7;
      if (!flat) plane.street(w, -1 - b, 1 - b, state.hulls ? "" : "street");
      if (!flat && !state.hulls) plane.curves("slack", needy.map((i) => [points[i], plus(points[i], w, slack[i] * y[i] / dot(w, w))]));
      plane.rings(points.filter((_, i) => at[i] === 0.5));
      const inside = (i) => margins[i] >= span[0] && margins[i] <= span[1], spots = range(n).map((i) => [margins[i], alpha[i] / C]);
      trail.marks("ends", [[state.logC, alpha[special] / C]], 5);
      paths.samples(4.5, "", spots);
      for (const i of range(n).filter((i) => !inside(i))) {
        paths.path("faint ends", `M${paths.at([clip(margins[i], ...span), spots[i][1]])}m0,-4l${margins[i] > 0 ? 6 : -6},4l${margins[i] > 0 ? -6 : 6},4z`, paths.over);
      }
      if (inside(special)) {
        const kind = figure.kinds[y[special] > 0 ? 1 : 0];
        paths.marks(`mark ${LOOK[kind]}`, [spots[special]], 7, kind);
      }
      const count = (kind) => at.filter((a) => a === kind).length, own = slack[special];
      figure.numbers([
        ["dual and primal value", enclose(solution.dual, solution.primal)],
        ["bias", solution.interval ? `any from ${solution.interval.map((v) => show(v + b - solution.b)).join(" to ")}` : show(b)],
        ["slacks, together", show(sum(slack), 3)],
        ["multipliers", `${count(1)} at C, ${count(0.5)} between, ${count(0)} at 0`],
        ["the outlier (large mark)", `slack ${show(own, 3)}, α = ${show(alpha[special] / C, 3)}\u00a0C`],
      ]);
      const where = own <= 1e-7 ? "needs no slack" : own < 1 ? "is inside the band, on its own side" : own > 1 ? "is on the wrong side of the line" : "is on the line";
      const words = flat ? "w is 0: there is no line, every point gets the same answer."
        : `C = ${significant(C)}: the band is ${show(2 / length(w))} wide, and ${several(needy.length, "sample needs", "samples need")} slack.`;
      const same = state.hulls && !bridge.meet && !flat
        ? " The bridge of the reduced hulls is at right angles to the line; the thin line is halfway along it." : "";
      return `${words}${flat ? "" : ` The outlier ${where}.`}${same}`;
    },
  };
};
})();

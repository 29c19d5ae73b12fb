// Chapter 3: choose a pair of weights, see its parabola, take the step.
(() => {
"use strict";
const {math, pieces, small, enclose, several, listed, letter} = svmExplorable;
const {range, clip, plus, minus, dot, sum, mixture, centred, UNIT} = math;

/** Chapter 3, SMO on two hulls: the weights after these pairs [i, j], in the way of hull_smo. */
function hullRun(X, y, pairs) {
  const {middle, Z, R} = centred(X), n = y.length, size = (sign) => y.filter((label) => label === sign).length;
  const lambda = y.map((sign) => 1 / size(sign)), history = [], stopped = [];
  let state;
  for (let k = 0; k <= pairs.length; k++) {
    const total = (sign) => sum(lambda.filter((_, i) => y[i] === sign));
    const end = (sign) => mixture(lambda.map((value, i) => y[i] === sign ? value / total(sign) : 0), Z);
    const p = end(1), q = end(-1), bridge = minus(p, q), square = dot(bridge, bridge), meet = !(Math.sqrt(square) > 1e-9 * R);
    const sums = [total(-1), total(1)], w = meet ? [0, 0] : plus([0, 0], bridge, 1 / square);
    if (!meet) lambda.forEach((value, i) => { lambda[i] = value / square / sums[y[i] > 0 ? 1 : 0]; });
    const rounding = (4 * n + 40) * UNIT * R, upper = Math.sqrt(square) + rounding, height = Z.map((z, i) => y[i] * dot(w, z));
    const least = (sign) => Math.min(...height.filter((_, i) => y[i] === sign));
    const lower = meet ? 0 : Math.max(0, (least(1) + least(-1)) * Math.sqrt(square) - rounding);
    history.push([upper, lower]);
    state = {p: plus(p, middle), q: plus(q, middle), w, meet, lambda, height, upper, lower, history, stopped};
    if (k === pairs.length || meet) continue;
    const next = hullStep(X, state, ...pairs[k]);
    stopped.push(next.step === next.least);
    for (const i of pairs[k]) { lambda[i] += next.step; if (lambda[i] < 1e-13 / square) lambda[i] = 0; }  // no weight out of rounding
  }
  return state;
}
/** The pair step: the bottom δ_ij of the parabola, the bound M, and the step, the larger of both. */
function hullStep(X, {lambda, height}, i, j) {
  const u = minus(X[i], X[j]), square = dot(u, u), least = Math.max(-lambda[i], -lambda[j]);
  const bottom = square ? (1 - height[i] - height[j]) / square : 0;  // equal samples only meet
  return {square, bottom, least, step: Math.max(bottom, least)};
}
/** The pair along which Q falls fastest, up or down. */
function steepest(y, {lambda, height}) {
  const best = (sign, all) => range(y.length).filter((i) => y[i] === sign && (all || lambda[i] > 0)).reduce((a, i) => (height[i] < height[a]) === all ? i : a);
  const [i, j, k, m] = [best(1, true), best(-1, true), best(1, false), best(-1, false)];
  return 1 - height[i] - height[j] >= height[k] + height[m] - 1 ? [i, j] : [k, m];
}
const agreed = ({upper, history}) => upper - Math.max(...history.map((pair) => pair[1])) <= 1e-6 * upper;
/** Always along the steepest pair, until the bounds agree to six digits. */
function steepestRun(X, y, most) {
  for (const pairs = [];;) {
    const state = hullRun(X, y, pairs);
    if (state.meet || agreed(state) || pairs.length === most) return state;
    pairs.push(steepest(y, state));
  }
}
Object.assign(math, {hullRun, hullStep, steepest, steepestRun});

pieces.smo = (figure) => {
  const {data, points, state} = figure, {y} = data, n = y.length, most = 40, name = (i) => letter(i, n);
  const rows = [1, -1].map((sign) => range(n).filter((i) => y[i] === sign));
  const plane = figure.plane({width: 330, label: "Samples, their hulls and the present bridge"});
  const parabola = figure.plane({width: 350, height: 190, xlim: [-1.3, 1.3], ylim: [-1.25, 0.8], axes: ["step δ", "change of Q"],
    xticks: [[0, "0"]], yticks: [[0, "0"]], label: "The change of Q along the chosen pair"});
  const bounds = figure.plane({width: 350, height: 170, xlim: [0, most], ylim: [0, 105], axes: ["steps", "both bounds, in %; grey: steepest pairs"],
    label: "Both bounds on the distance after every step, and those of the steepest pairs"});
  figure.choice("i", "Pair", rows[0].map(name));
  figure.choice("j", "and", rows[1].map(name));
  figure.movable(6, (i) => `Sample ${name(i)} of class ${figure.name(i)}`);
  const pairOf = (v) => [Math.floor(v / n), v % n], chosen = () => [rows[0][state.i], rows[1][state.j]];
  let now, info, race, raced;
  const best = () => Math.max(...now.history.map((pair) => pair[1])), done = () => agreed(now);
  const change = (delta) => (info.square || 1) * ((delta - info.bottom) ** 2 - info.bottom ** 2), size = () => 1 / now.upper ** 2;  // of Q
  const idle = () => Math.abs(change(info.step)) < 1e-12 * size(), full = () => figure.steps.length >= most;
  const take = () => { const [i, j] = chosen(); figure.steps.push(i * n + j); }, over = () => now.meet || done() || full();
  const choose = () => {
    const [i, j] = steepest(y, now);
    figure.set("i", rows[0].indexOf(i)); figure.set("j", rows[1].indexOf(j));
  };
  figure.button("Take the step", take, () => over() || idle());
  figure.button("Choose the steepest pair", choose);
  figure.play("Let it run", () => { choose(); take(); }, over);
  figure.button("Undo", () => { figure.steps.pop(); });
  return {
    pair: (v) => Number.isInteger(v) && v >= 0 && v < n * n && y[pairOf(v)[0]] > 0 && y[pairOf(v)[1]] < 0,
    solve() {
      now = hullRun(points, y, figure.steps.map(pairOf)); info = hullStep(points, now, ...chosen());
      if (raced !== points.join()) { raced = points.join(); race = steepestRun(points, y, most).history; }
    },
    draw() {
      const [i, j] = chosen(), {lambda, upper, lower, history, meet, p, q, w} = now;
      plane.hulls(figure.hulls());
      if (!meet) plane.curve("line", plane.ends(w, (dot(w, p) + dot(w, q)) / 2));
      plane.bridge(now);
      plane.curve("slack", [points[i], points[j]]);
      plane.samples(4.5, "faint");
      points.forEach((x, k) => plane.text(x, name(k), -20, -9));
      const totals = y.map((sign) => sum(lambda.filter((_, k) => y[k] === sign))), mixed = range(n).filter((k) => lambda[k] > 0);
      plane.rings(mixed.map((k) => points[k]), (k) => 6 + 8 * Math.sqrt(lambda[mixed[k]] / totals[mixed[k]]));
      const share = (v) => 100 * v / (history[0][0] || 1), track = (all, k) => all.map((pair, step) => [step, share(pair[k])]);
      bounds.curves("allowed", [0, 1].map((k) => track(race, k)));
      ["curve", "curve edge"].forEach((look, k) => bounds.curve(look, track(history, k)));
      bounds.marks("ends", [upper, lower].map((v) => [history.length - 1, share(v)]), 4);
      // The parabola in units of its own: δ over the larger of δ_ij and M, Q over its depth.
      const {bottom, least, step} = info, unit = Math.max(Math.abs(bottom), Math.abs(least)) || 1;
      const spot = (delta) => [delta / unit, change(delta) / ((info.square || 1) * unit * unit)];
      const wall = clip(least / unit, -1.3, 1.3);
      parabola.area("closed", [[-1.3, -2], [wall, -2], [wall, 1], [-1.3, 1]]);
      parabola.curve("axis", [[-9, 0], [9, 0]]);
      parabola.curve("curve", range(81).map((k) => spot((k / 40 - 1) * 1.3 * unit)));
      parabola.marks("ends", [spot(step)], 5);
      parabola.rings([spot(bottom)], 8);
      parabola.text([wall, 0.8], "M", 4, 12);
      parabola.text(spot(bottom), "δ_ij", -9, -14);
      const taken = now.stopped.map((at, k) => `${pairOf(figure.steps[k]).map(name).join("")}${at ? "*" : ""}`);
      figure.numbers([["distance between the hulls", enclose(best(), upper)], ["δ_ij", small(bottom, sum(lambda))], ["M", small(least)], ["change of Q", small(change(step), size())],
        ["pairs taken (* stopped at M)", taken.join(", ") || "none"]]);
      if (meet) return "p and q have met: the hulls share a point, and there is no line to find.";
      const out = [i, j].filter((k) => lambda[k] === -least), gone = listed(out.map(name));
      const outlook = done() ? "The bounds agree to six digits, so no step is left to take." : full() ? `More than ${most} steps are not kept.` : idle() ? `The pair ${name(i)}, ${name(j)} has nothing to gain.`
        : `The pair ${name(i)}, ${name(j)} would ${step > 0 ? "gain" : "lose"} weight${bottom < least ? `; the step is clipped at M, and ${gone} leave${out.length > 1 ? "" : "s"} the mixture` : ""}.`;
      const steps = `After ${several(figure.steps.length, "step")} the distance between the hulls is ${enclose(best(), upper)}`;
      return `${steps}${done() ? `: done. Always the steepest pair takes ${race.length - 1}` : ""}. ${outlook}`;
    },
  };
};
})();

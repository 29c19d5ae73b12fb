// Chapter 8: two multipliers on their line in the box, the clipped step, and when to stop.
(() => {
"use strict";
const {math, pieces, round, priced, small, enclose, several} = svmExplorable;
const {range, clip, dot, length, sum, linear, certified} = math;

/** At a bound of the box means exactly at it. */
const snap = (a, C) => [0, C].find((end) => Math.abs(a - end) < 1e-12 * C) ?? a;
/** The multipliers after steps [i up, j down, share]: the best ones, or to that share of the way
from L to H; then g, m and M. */
function boxRun(K, y, C, steps) {
  const beta = y.map(() => 0), all = range(y.length), can = (sign) => all.filter((k) => sign * beta[k] < (y[k] === sign ? C : 0));
  const look = () => {
    const g = K.map((row, i) => y[i] - sum(row.map((k, j) => k * beta[j]))), up = can(1), down = can(-1);
    const i = up.reduce((a, k) => g[k] > g[a] ? k : a), j = down.reduce((a, k) => g[k] < g[a] ? k : a);
    return {alpha: beta.map((b, k) => b * y[k]), g, i, j, m: g[i], M: g[j], up, down};
  };
  for (const [i, j, share] of steps) {
    const now = look(), {best, L, H} = boxStep(K, y, C, now, i, j);
    const move = share === undefined ? best : -y[j] * (L + share * (H - L) - now.alpha[j]);
    beta[i] += move; beta[j] -= move;
    for (const k of [i, j]) beta[k] = y[k] * snap(y[k] * beta[k], C);
  }
  return look();
}
/** Slope, curvature, room and the best length of the step that lifts β_i and lowers β_j. */
function boxStep(K, y, C, {alpha, g}, i, j) {
  const slope = g[i] - g[j], curvature = K[i][i] + K[j][j] - 2 * K[i][j];
  const room = Math.min((y[i] > 0 ? C : 0) - y[i] * alpha[i], y[j] * alpha[j] - (y[j] > 0 ? 0 : -C));
  const top = curvature > 0 ? slope / curvature : slope > 0 ? Infinity : slope < 0 ? -Infinity : 0;
  const best = clip(top, 0, Math.max(0, room)), same = y[i] === y[j], total = alpha[i] + alpha[j], difference = alpha[j] - alpha[i];
  const L = same ? Math.max(0, total - C) : Math.max(0, difference), H = same ? Math.min(C, total) : Math.min(C, C + difference);
  return {slope, curvature, room, top, best, gain: best * slope - best * best * curvature / 2, L: snap(L, C), H: snap(H, C)};
}
/** D above the plane of two multipliers, all others fixed, by what it is higher than now. */
function boxHill(X, y, alpha, w, i, j) {
  const slope = (k) => 1 - y[k] * dot(w, X[k]), bend = (k, q) => y[k] * y[q] * dot(X[k], X[q]);
  return ([a, b]) => {
    const [s, t] = [a - alpha[i], b - alpha[j]];
    return slope(i) * s + slope(j) * t - (bend(i, i) * s * s + 2 * bend(i, j) * s * t + bend(j, j) * t * t) / 2;
  };
}
Object.assign(math, {boxRun, boxStep, boxHill});

pieces.box = (figure) => {
  const {data, points, state} = figure, {y} = data, first = [...y], n = y.length, all = range(n);
  const plane = figure.plane({width: 330, label: "Samples and the present line"}), ends = [[0, "0"], [1, "C"]];
  const square = figure.plane({width: 290, equal: true, xlim: [-0.1, 1.2], ylim: [-0.1, 1.1], axes: ["α of the first", "α of the second"], xticks: ends, yticks: ends, label: "The two multipliers in their box"});
  const wishes = figure.plane({width: 350, height: 190, xlim: [0.4, n + 0.6], ylim: [-1.1, 1.1], axes: ["sample", "g, in units of the largest"], xticks: all.map((i) => [i + 1, String(i + 1)]), yticks: [[0, "0"]],
    label: "The bias that every sample would like, and which way its multiplier can move"});
  priced(figure, "logC", "C", data.C, -1, 1);
  figure.choice("i", "Up goes", all.map((i) => String(i + 1)), data.pair[0]);
  figure.choice("j", "down goes", all.map((i) => String(i + 1)), data.pair[1]);
  figure.param("share", 0, 0, 1, 0.01);  // of the way from L to H: where the pair is
  figure.param("flips", 0, 0, 2 ** n - 1, 1);
  // Labels can be flipped, so a sample's marks lie over its handle.
  figure.movable(6, (i) => `Sample ${i + 1}, label ${y[i] > 0 ? "+1" : "−1"},`, "bare");
  const most = 40;
  let now, step, C, K, solution;
  const optimal = () => now.m - now.M <= 1e-12 * Math.max(1, ...now.g.map(Math.abs));
  // A step is the pair and, after a drag, the share in hundredths: in one number, for the address.
  const stepOf = (v) => {
    const code = Math.floor(v / 102), share = v % 102;
    return [Math.floor(code / n), code % n, ...share ? [(share - 1) / 100] : []];
  };
  const coded = (share = 0) => (state.i * n + state.j) * 102 + share;
  square.lever("share", {keys: 0.01, at: () => [now.alpha[state.i] / C, now.alpha[state.j] / C],
    read: ([, a]) => step.H > step.L ? (a * C - step.L) / (step.H - step.L) : 0, label: () => "The pair on its line",
    text: () => `${Math.round(100 * state.share)} % of the way from L to H, dual value ${small(solution.dual)}`});
  figure.button("Take the best step", () => { figure.steps.push(coded()); }, () => !(step.best > 0) || optimal() || figure.steps.length >= most);
  figure.button("Choose the pair m, M", () => { figure.set("i", now.i); figure.set("j", now.j); }, optimal);
  figure.play("Let it run", () => { figure.set("i", now.i); figure.set("j", now.j); figure.steps.push(coded()); }, () => optimal() || figure.steps.length >= most);
  const last = () => figure.of(y[state.i]).length === 1;
  figure.button("Flip the label of the first", () => { if (!last()) { figure.set("flips", state.flips ^ (1 << state.i)); figure.steps = []; } });
  /** Level curves of D, as far apart as those of a cone would be. */
  const hill = (i, j, w, {xlim, ylim}) => {
    const cells = 40, height = math.boxHill(points, y, now.alpha, w, i, j), along = ([low, high], k) => low + (high - low) * k / cells;
    const values = range(cells + 1).flatMap((r) => range(cells + 1).map((c) => height([along(xlim, c) * C, along(ylim, r) * C])));
    const top = Math.max(...values), depth = top - Math.min(...values);
    return range(9).flatMap((k) => math.contour(values, cells, top - depth * ((k + 0.5) / 9) ** 2))
      .map((segment) => segment.map(([c, r]) => [along(xlim, c), along(ylim, r)]));
  };
  return {
    pair: (v) => Number.isInteger(v) && v >= 0 && v < 102 * n * n && stepOf(v)[0] !== stepOf(v)[1],
    follows: (key) => key === "share",
    look: (i, j) => ({...now, ...boxStep(K, y, C, now, i, j)}),
    slid(key) {
      if (key !== "share" || state.i === state.j || !(step.H > step.L)) return;
      const dragged = figure.steps.at(-1) % 102 && Math.floor(figure.steps.at(-1) / 102) === coded() / 102;
      if (dragged) figure.steps.pop();
      if (figure.steps.length < most) figure.steps.push(coded(1 + Math.round(100 * state.share)));
    },
    solve() {
      const flipped = first.map((label, i) => state.flips >> i & 1 ? -label : label);
      if (flipped.every((label) => label === flipped[0])) state.flips = 0;  // there must be two classes
      first.forEach((label, i) => { y[i] = state.flips ? flipped[i] : label; });
      C = round(state.logC); K = linear(points);
      now = boxRun(K, y, C, figure.steps.map(stepOf));
      step = boxStep(K, y, C, now, state.i, state.j);
      state.share = step.H > step.L ? (now.alpha[state.j] - step.L) / (step.H - step.L) : 0;
      solution = certified(K, y, C, now.alpha, (now.m + now.M) / 2);
    },
    draw() {
      const {i, j} = state, {alpha, g, m, M, up, down} = now, {L, H} = step, {w, b} = math.line(points, y, {...solution, b: (m + M) / 2});
      if (length(w) >= 1e-9) plane.street(w, -1 - b, 1 - b, "");
      plane.curve("slack", [points[i], points[j]]);
      plane.samples(6, "", points, plane.over);
      points.forEach((p, q) => plane.text(p, String(q + 1), 9, -8));
      square.area("curve thin", [[0, 0], [1, 0], [1, 1], [0, 1]]);
      if (i !== j) {
        const slope = y[i] === y[j] ? -1 : 1, place = (a) => [(alpha[i] + slope * (a - alpha[j])) / C, a / C];
        square.curves("axis faint", hill(i, j, w, square));
        square.curve("edge", [place(alpha[j] - 3 * C), place(alpha[j] + 3 * C)]);
        square.curve("line", [place(L), place(H)]);
        square.rings([place(alpha[j] - y[j] * step.best)], 13);
        square.text([1.02, L / C], "L", 2, 4);
        square.text([1.02, H / C], "H", H - L < 0.1 * C ? 14 : 2, 4);
      }
      const largest = Math.max(...g.map(Math.abs)) || 1;
      wishes.curve("axis", [[0, 0], [n + 1, 0]]);
      wishes.curves("edge", [m, M].map((v) => [[0, v / largest], [n + 1, v / largest]]));
      wishes.marks("mark look1", up.map((q) => [q + 0.88, g[q] / largest]), 6, 1);
      wishes.path("mark look0", down.map((q) => `M${wishes.at([q + 1.12, g[q] / largest])}m0,7l6,-11h-12z`).join(""), wishes.over);
      const clipped = step.best === step.room && step.best < step.top, length_ = small(step.best);
      figure.numbers([["steps", String(figure.steps.length)], ["L, H", `${small(L)}, ${small(H)}`], ["best length", `${length_}${clipped ? ", clipped" : ""}`],
        ["its gain", small(step.gain)], ["m − M", small(m - M, 1)], ["dual and primal value", enclose(solution.dual, solution.primal)],
        ["α", alpha.map(small).join(", ")]]);
      const what = optimal() ? "No pair can gain: this is the optimum." : i === j ? "Choose two different samples." : step.room <= 0 ? `Sample ${i + 1} cannot go up while ${j + 1} goes down: there is no room.`
        : step.slope <= 0 ? `The pair ${i + 1} up, ${j + 1} down has nothing to gain.`
        : `The best step along the pair ${i + 1}, ${j + 1} is ${length_} long${clipped ? ", clipped by the box," : ""} and raises D by ${small(step.gain)}.`;
      return `${what} After ${several(figure.steps.length, "step")} m − M = ${small(m - M, 1)}.${m - M <= 1e-3 && !optimal() ? " m is not above M by more than 0.001: this is the end." : ""}${figure.steps.length >= most ? ` More than ${most} steps are not kept.` : ""}${last() ? ` Sample ${i + 1} is the last of its class and keeps its label.` : ""}`;
    },
  };
};
})();

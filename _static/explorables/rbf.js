// Chapter 5: the RBF machine; its width σ, its price C, and samples to add.
(() => {
"use strict";
const {math, pieces, round, priced, enclose, several, LOOK} = svmExplorable;
const {range, clip, sum} = math;

const gaussian = (X, sigma, Z = X) => X.map((a) => Z.map((b) =>
  Math.exp(-((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) / (2 * sigma * sigma))));
/** f = Σ β_i exp(−‖x − x_i‖²/2σ²) + b on a grid: a product of two factors, so few exponentials. */
function field(X, beta, b, sigma, [x0, x1], [y0, y1], n) {
  const values = new Float64Array((n + 1) * (n + 1)).fill(b);
  const bell = (low, high, centre) => range(n + 1).map((k) => Math.exp(-(((low + (high - low) * k / n) - centre) ** 2) / (2 * sigma * sigma)));
  X.forEach((x, i) => {
    if (!beta[i]) return;
    const across = bell(x0, x1, x[0]), upwards = bell(y0, y1, x[1]);
    for (let r = 0; r <= n; r++) {
      const share = beta[i] * upwards[r];
      if (Math.abs(share) > 1e-14) for (let c = 0, k = r * (n + 1); c <= n; c++, k++) values[k] += share * across[c];
    }
  });
  return values;
}
Object.assign(math, {gaussian, field});
const errors = (scores, y) => scores.filter((f, i) => (f >= 0 ? 1 : -1) !== y[i]).length;

pieces.rbf = (figure) => {
  const {data, points, state} = figure, {y, hidden} = data, given = y.length, most = given + 20;
  const plane = figure.plane({label: "Samples and the boundary of the RBF machine"}), {xlim, ylim} = plane;
  const curves = figure.plane({width: 350, height: 230, xlim: [-1.5, 1], ylim: [0, 60], axes: ["width σ", "errors in %"],
    xticks: [0.03, 0.1, 0.3, 1, 3, 10].map((v) => [Math.log10(v), String(v)]), label: "Training error and hidden error against σ"});
  priced(figure, "logS", "width σ", data.sigma, -1.5, 1);
  priced(figure, "logC", "price C", data.C, -1, 3);
  figure.choice("adds", "A click, or Enter at the diamond, adds", data.classes);
  figure.choice("shown", "Hidden samples", ["not shown", "shown faintly"]);
  figure.button("Take the last one back", () => { points.pop(); y.pop(); }, () => y.length === given);
  [xlim, ylim].forEach(([low, high], k) => figure.param("uv"[k], +((low + high) / 2).toFixed(2), low, high));
  const cross = () => [state.u, state.v];
  const take = (i, [x1, x2, label]) => {
    if (i !== points.length || i >= most || Math.abs(label) !== 1) return;
    y.push(label); points.push([x1, x2]); figure.place(i, [x1, x2]);
  };
  const add = (p) => { take(points.length, [...p, state.adds ? 1 : -1]); figure.change(); };
  plane.handle({kind: 3, r: 5, step: data.step, at: cross, move: (p) => p.forEach((v, k) => figure.set("uv"[k], +v.toFixed(3))),
    label: () => `Place for a new sample of class ${data.classes[state.adds]}, ${figure.said(cross())}. ${y.length < most ? "Enter adds it" : "No more can be added"}`})
    .addEventListener("keydown", (event) => { if (event.key === "Enter") add(cross()); });
  plane.svg.addEventListener("click", (event) => { const p = plane.from(event); if (!event.target.closest(".grip") && plane.holds(p)) add(p); });
  const machine = (sigma) => {
    const C = round(state.logC), solution = math.softMargin(gaussian(points, sigma), y, C);
    const beta = solution.alpha.map((a, i) => a < 1e-9 * C ? 0 : a * y[i]);
    const f = gaussian(hidden.X, sigma, points).map((row) => sum(row.map((k, i) => k * beta[i])) + solution.b);
    return {...solution, C, beta, seen: errors(solution.score.map((v) => v + solution.b), y) / y.length, unseen: errors(f, hidden.y) / hidden.y.length};
  };
  const grid = range(26).map((k) => +(-1.5 + k / 10).toFixed(1));
  let now, key, curve = [], drawn;
  /** The picture is computed on a grid, a coarser one while something moves. */
  const cells = () => clip(Math.ceil(2 * (xlim[1] - xlim[0]) / round(state.logS)), 60, figure.moving ? 90 : 240);
  return {
    take,
    clear() { points.length = y.length = given; },
    solve() {
      now = machine(round(state.logS));
      const situation = [state.logC, ...points.slice(given), ...y.slice(given)].join();
      if (situation !== key) { key = situation; curve = []; }
    },
    /** What can wait until the hand is at rest: the fine grid, and the curves, a machine at a time. */
    work() {
      const waits = curve.length < grid.length;
      if (waits) {
        const {seen, unseen} = machine(round(grid[curve.length]));
        curve.push([seen, unseen]);
      }
      if (drawn !== cells() || waits && curve.length === grid.length) figure.draw();
      return waits;
    },
    draw() {
      const n = drawn = cells(), values = math.field(points, now.beta, now.b, round(state.logS), xlim, ylim, n);
      const spot = ([c, r]) => [xlim[0] + (xlim[1] - xlim[0]) * c / n, ylim[0] + (ylim[1] - ylim[0]) * r / n];
      const level = (v, fill) => math.contour(values, n, v, fill).map((shape) => shape.map(spot));
      const positive = level(0, true), frame = [[0, 0], [n, 0], [n, n], [0, n]].map(spot);
      plane.areas(`tint ${LOOK[figure.kinds[1]]}`, positive);
      plane.areas(`tint ${LOOK[figure.kinds[0]]}`, [frame, ...positive]);  // the rest: even-odd
      plane.curves("edge thin", [...level(1), ...level(-1)]);
      plane.curves("line", level(0));
      if (state.shown) plane.samples(1.5, "faint", hidden.X, plane.clipped, hidden.y);
      plane.samples(3.5, "", points);
      const carry = range(y.length).filter((i) => now.beta[i]);
      plane.rings(carry.map((i) => points[i]), (k) => 3 + 5 * Math.sqrt(now.alpha[carry[k]] / now.C));
      if (curve.length === grid.length) {
        ["training", "hidden"].forEach((name, k) => {
          curves.curve(k ? "curve edge" : "curve", curve.map((pair, j) => [grid[j], 100 * pair[k]]));
          curves.text([grid[4 - k], 100 * curve[4 - k][k]], name, 4, -8);
        });
      }
      curves.marks("ends", [now.seen, now.unseen].map((e) => [state.logS, 100 * e]), 5);
      const wrong = Math.round(now.seen * y.length), share = (100 * now.unseen).toFixed(1);
      figure.numbers([["dual and primal value", enclose(now.dual, now.primal)],
        ["support vectors", `${carry.length} of ${y.length}`], ["training errors", `${wrong} of ${y.length}`],
        ["errors on hidden samples", `${share} % of ${hidden.y.length}`]]);
      return `With σ = ${round(state.logS)} and C = ${now.C} the machine is wrong on ${wrong} of ${y.length} training samples and on ${share} % of the hidden ones; ${several(carry.length, "sample carries", "samples carry")} weight.${y.length < most ? "" : " No more samples can be added: take one back."}`;
    },
  };
};
})();

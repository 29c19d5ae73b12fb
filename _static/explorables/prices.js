// Chapter 4: a price α in the place of a wall; the dual function, and a gap that may stay.
(() => {
"use strict";
const {math, pieces, show, small, below, above} = svmExplorable, {range, clip} = math;

/** A problem min F(z) subject to g(z) ≤ 0, its best z and those in sight, and the lowest point of F + αg. */
const problems = [
  {F: (z) => z * z / 2, g: (z) => 1 - z, lowest: (alpha) => alpha, best: 1, edge: 1, last: 2.3},
  {F: (z) => (z * z - 1) ** 2 + z / 2, g: (z) => -z, best: 0.9304029265558274, edge: 0, last: 1.6, lowest(alpha) {
    // 4z³ − 4z = slope: the root on the side of its sign is the lowest point; Newton from outside
    const slope = alpha - 0.5;
    let z = slope > 0 ? 3 : -3;
    for (let k = 0; k < 60; k++) z -= (4 * z ** 3 - 4 * z - slope) / (12 * z * z - 4);
    return z;
  }},
];
function prices(which, alpha) {
  const {F, g, lowest, best} = problems[which], z = lowest(alpha);
  return {z, value: F(z) + alpha * g(z), optimum: F(best)};
}
Object.assign(math, {prices});

pieces.prices = (figure) => {
  const {state, params} = figure;
  const plane = figure.plane({xlim: [-1.7, 2.4], ylim: [-1.7, 3.5], width: 350, axes: ["z", "F and L"], label: "F, where z is allowed, and the Lagrangian"});
  const dual = figure.plane({width: 350, height: 230, xlim: [0, 2.2], ylim: [-1.7, 1.2], axes: ["price α", "lowest value of L: θ(α)"], label: "The dual function"});
  figure.choice("which", "Problem", ["½z², z ≥ 1", "(z² − 1)² + ½z, z ≥ 0"]);
  figure.param("alpha", 0.4, 0, 2.2, 0.01);
  figure.param("z", 1.6, -1.5, 2.3, 0.01);
  let now;
  const seen = new Set();  // the z that the reader has tried
  const F = (z) => problems[state.which].F(z), g = (z) => problems[state.which].g(z);
  plane.lever("z", {r: 6, keys: 0.01, at: () => [state.z, F(state.z)], read: ([z]) => z,
    label: () => "z", text: () => `z = ${show(state.z)}, F = ${show(F(state.z), 3)}`});
  dual.lever("alpha", {kind: 3, r: 5, keys: 0.01, at: () => [state.alpha, now.value], read: ([alpha]) => alpha,
    label: () => "Price α", text: () => `α = ${show(state.alpha)}, θ = ${show(now.value, 3)}`});
  return {
    clear() { seen.clear(); },
    slid(key) { if (key === "which") seen.clear(); },
    solve() {
      params.z.max = problems[state.which].last;  // F stays in sight
      state.z = clip(state.z, params.z.min, params.z.max);
      now = prices(state.which, state.alpha);
      seen.add(state.z);
    },
    draw() {
      const {which, alpha, z} = state, {edge} = problems[which], {value, optimum} = now, twice = which && Math.abs(alpha - 0.5) < 1e-9;
      const zs = range(165).map((k) => -1.7 + k * 0.025), graph = (f, from = -9) => zs.filter((v) => v >= from - 1e-9).map((v) => [v, f(v)]);
      plane.area("closed", [[-9, -9], [edge, -9], [edge, 9], [-9, 9]]);
      plane.curve("axis", [[-9, value], [9, value]]);
      plane.curve("allowed", graph(F));
      plane.curve("curve", graph(F, edge));
      plane.curve("edge", graph((v) => F(v) + alpha * g(v)));
      plane.marks("ends", twice ? [[-1, 0], [1, 0]] : [[now.z, value]], 5);
      plane.text([2.05, F(1.5)], "F", -8, 0);
      plane.text([-1.7, value], "θ(α)", 3, -5);
      const theta = (a) => [a, prices(which, a).value], all = range(111).map((k) => k / 50);
      dual.curve("allowed", all.map(theta));
      dual.curve("curve", [...all.filter((a) => a < alpha), alpha].map(theta));
      // Every z gives a line of prices; θ is the lower envelope of them all.
      const line = (v) => [[0, F(v)], [2.2, F(v) + 2.2 * g(v)]];
      dual.curves("axis faint", [...seen].map(line));
      dual.curve("edge", line(z));
      dual.curve("axis", [[0, optimum], [2.2, optimum]]);
      dual.text([2.2, optimum], "p*", -22, -5);
      const fits = g(z) <= 0, gap = optimum - value, lower = below(value, 3), upper = above(F(z), 3);
      const between = [upper, lower].map((text) => +text.replace("−", "-"));  // of the digits that are shown
      figure.numbers([["θ(α), a lower bound", lower], ["F(z), an upper bound", fits ? upper : "none, z is not allowed"],
        ["between them", fits ? show(between[0] - between[1], 3) : "–"], ["p*", show(optimum, 3)]]);
      const verdict = gap < 1e-9 ? "Price and wall give the same value: no gap." : twice
        ? `This is the best price. L has two lowest points, and the gap of ${show(gap, 3)} stays.` : `That is ${small(gap)} below p*.`;
      return `At the price ${show(alpha)}, L is nowhere below ${lower}, so no allowed z has a smaller F. ${verdict}`;
    },
  };
};
})();

// Chapter 2: two villages, their hulls, the shortest bridge; or a point of both; or a bridge of one's own.
(() => {
"use strict";
const {math, pieces, show, pair, below, above, enclose, power, listed, letter, LOOK} = svmExplorable, {range, dot, minus, length, hull, centred, UNIT} = math;

/** A bridge between the points of the hulls nearest to two places, and the gap across it: no bridge
is shorter than a gap is wide, so both bound the distance between the hulls, roundings included. */
function ownBridge(X, y, places) {
  const near = (place, sign) => {
    const corners = hull(X.filter((_, i) => y[i] === sign));
    return math.closest([place, ...corners], [1, ...corners.map(() => -1)]).q;
  };
  const p = near(places[0], 1), q = near(places[1], -1), w = minus(p, q), {R} = centred([...X, ...places]);
  const rounding = (16 * y.length + 80) * UNIT * R, along = X.map((x) => dot(w, minus(x, q))), size = length(w), meet = !(size > 1e-9 * R);
  const low = Math.max(...along.filter((_, i) => y[i] < 0)), high = Math.min(...along.filter((_, i) => y[i] > 0));
  return {p, q, w, meet, edges: [low, high].map((v) => v + dot(w, q)), upper: size + rounding, lower: meet ? 0 : Math.max(0, (high - low) / size - rounding)};
}
Object.assign(math, {ownBridge});

pieces.villages = (figure) => {
  const {data, points, state} = figure, {y} = data, n = y.length;
  const plane = figure.plane({width: 380, label: "Villages, the hulls of the two classes and a bridge between them"}), {xlim, ylim} = plane;
  const middles = [1, -1].map((sign) => figure.of(sign).reduce((a, x, _, all) => a.map((v, k) => v + x[k] / all.length), [0, 0]));
  const most = 1.5 * length(minus(...middles)) || 1;
  const bars = figure.plane({width: 350, height: 76, xlim: [0, most], ylim: [0, 1], yticks: [], axes: ["", "the distance between the hulls is not in the grey"], label: "What gap and bridge leave for the distance between the hulls"});
  figure.choice("own", "Bridge", ["the shortest", "yours to drag"]);
  figure.movable(6, (i) => `Village ${letter(i, n)} of class ${figure.name(i)}`);
  let found;
  ["p", "q"].forEach((end, k) => {
    const keys = [`${end}x`, `${end}y`], kind = figure.kinds[1 - k];
    [xlim, ylim].forEach((limits, axis) => figure.param(keys[axis], +middles[k][axis].toFixed(6), ...limits, data.step[axis] / 10));
    plane.handle({kind: 3, r: 5, step: data.step, looks: LOOK[kind], hidden: () => !state.own, at: () => found[end],
      label: () => `The end ${end} of the bridge at ${figure.said(found[end])}`, move: (place) => place.forEach((v, axis) => figure.set(keys[axis], v))});
  });
  const mixed = (sign) => range(n).filter((i) => y[i] === sign && found.weights[i] > 1e-9);
  const recipe = (sign) => mixed(sign).map((i) => `${show(found.weights[i], 3)} ${letter(i, n)}`).join(" + ");
  const who = (sign) => { const all = mixed(sign).map((i) => letter(i, n)); return all.length > 1 ? `a mixture of ${listed(all)}` : `village ${all[0]}`; };
  return {
    solve() {
      if (!state.own) { found = math.closest(points, y); return; }
      found = ownBridge(points, y, ["p", "q"].map((end) => [state[`${end}x`], state[`${end}y`]]));
    },
    draw() {
      const {p, q, w, meet, upper, lower} = found, [low, high] = found.edges ?? [dot(w, q), dot(w, p)];
      plane.hulls(figure.hulls());
      if (!meet && low <= high) plane.street(w, low, high);
      plane.bridge(found);
      plane.samples(4.5, "faint");
      if (n <= 26) points.forEach((x, i) => plane.text(x, letter(i, n), -18, -8));
      bars.areas("closed", [[0, lower], [upper, 9 * most]].map(([a, b]) => [[a, 0], [b, 0], [b, 1], [a, 1]]));
      bars.curves("curve", [lower, upper].map((v) => [[v, 0], [v, 1]]));
      if (state.own) {
        const [long, wide] = [above(upper, 3), below(lower, 3)];
        figure.numbers([["your bridge", long], ["gap across it", wide]]);
        return meet ? "p and q are one point of both hulls, so no line separates the classes."
          : `Your bridge is ${long} long, and ${lower > 0 ? `the gap across it ${wide} wide` : "there is no gap across it"}. ${upper - lower <= 0.002 * upper ? "They agree: no bridge is shorter, and no gap wider." : "The shortest bridge is nowhere below the gap and nowhere above your bridge."}`;
      }
      const recipes = [["p", recipe(1)], ["q", recipe(-1)]];
      if (meet) {
        figure.numbers([["common point", `p = q = ${pair(p, 3)}`], ...recipes, ["p and q differ by", power(upper)]]);
        return `The hulls meet. Their common point is ${who(1)} on the one side and ${who(-1)} on the other: that proves that no line separates the classes.`;
      }
      figure.numbers([["bridge from p to q = gap across it", enclose(lower, upper)], ...recipes]);
      return `The hulls are apart. A shortest bridge leads from p, ${who(1)}, to q, ${who(-1)}. It is ${show(upper, 3)} long, and the widest gap is as wide.`;
    },
  };
};
})();

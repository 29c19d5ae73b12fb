// The closest points of two hulls, reduced or not, and the certificate of their distance.
(() => {
"use strict";
const {math} = svmExplorable, {range, sum, clip, dot, minus, plus, cross, length, turned, mixture, centred, UNIT} = math;

/** The lowest point along u of R⁺ − R⁻: in each class the lowest y u·x are filled first. */
function lowest(Z, y, cap, u) {
  const weights = new Array(y.length).fill(0), height = Z.map((z, i) => y[i] * dot(u, z));
  for (const sign of [-1, 1]) {
    const mine = range(y.length).filter((i) => y[i] === sign);
    if (!mine.length) continue;  // one class alone, as reducedHull has it
    if (cap >= 1) weights[mine.reduce((a, i) => height[i] < height[a] ? i : a)] = 1;
    else mine.sort((i, j) => height[i] - height[j]).forEach((i, k) => { weights[i] = clip(1 - cap * k, 0, cap); });
  }
  return {weights, z: mixture(weights.map((weight, i) => weight * y[i]), Z),
    height: sum(weights.map((weight, i) => weight * height[i]))};
}

/** The point nearest to 0 of the hull of at most three corners, and its outward direction u. */
function nearest(corners) {
  let best = {distance: Infinity};
  const offer = (members, shares, v, u) => {
    const distance = length(v);
    if (distance < best.distance) best = {distance, members, shares, v, u};
  };
  for (const a of corners) offer([a], [1], a.z, a.z);
  for (const [i, a] of corners.entries()) {
    for (const b of corners.slice(i + 1)) {
      const edge = minus(b.z, a.z), square = dot(edge, edge), t = -dot(a.z, edge) / square;
      if (!(t > 0 && t < 1)) continue;
      const normal = turned(edge), height = dot(a.z, normal);
      offer([a, b], [1 - t, t], plus([0, 0], normal, height / square), plus([0, 0], normal, Math.sign(height)));
    }
  }
  if (corners.length === 3) {
    const [a, b, c] = corners.map((corner) => corner.z);
    const areas = [cross(b, c), cross(c, a), cross(a, b)], total = sum(areas);
    if (areas.every((area) => area > 0) || areas.every((area) => area < 0)) {
      offer(corners, areas.map((area) => area / total), [0, 0], [0, 0]);
    }
  }
  return best;
}

/** Closest points of the hulls, reduced by a cap on the weights (Wolfe's algorithm in the plane).

upper and lower bound the distance between the hulls, roundings included. Where they do not prove it
positive the hulls meet: p and q agree but for `upper`, and their weights are the proof. */
function closest(X, y, cap = 1) {
  const {middle, Z, R} = centred(X), n = y.length;
  let found = nearest([lowest(Z, y, cap, [0, 0])]), direction = found.u;
  for (;;) {
    if (!found.distance) break;
    direction = found.u;
    const next = lowest(Z, y, cap, direction);
    const better = nearest([...found.members, next]);
    if (!(better.distance < found.distance)) break;
    found = better;
  }
  const weights = range(n).map((i) => sum(found.members.map((corner, k) => found.shares[k] * corner.weights[i])));
  const side = (sign) => mixture(weights.map((weight, i) => y[i] === sign ? weight : 0), Z);
  const p = side(1), q = side(-1), between = minus(p, q), rounding = (8 * n + 40) * UNIT * R;
  const bound = (u) => length(u) ? lowest(Z, y, cap, u).height / length(u) - rounding : -Infinity;
  const bounds = [direction, between].map(bound), w = bounds[0] >= bounds[1] ? direction : between;
  const lower = Math.max(0, ...bounds);
  return {p: plus(p, middle), q: plus(q, middle), weights, R, lower, meet: !(lower > 0),
    upper: length(between) * (1 + 8 * UNIT) + rounding, w: length(w) ? plus([0, 0], w, 1 / length(w)) : w};
}
Object.assign(math, {lowest, closest});
})();

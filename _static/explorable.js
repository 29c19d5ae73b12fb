// Figures to take hold of. Three parts: the mathematics, which knows nothing of the page and can be
// called alone as svmExplorable.math; the core, which draws planes, handles and sliders; and one
// piece a figure. svmlib/book/explorable.py writes the data and draws the stills.
(() => {
"use strict";
if (window.svmExplorable) { window.svmExplorable.scan(); return; }  // in Jupyter every output brings it

// ---- Mathematics -----------------------------------------------------------------------------
const math = (() => {
  const UNIT = 2 ** -53;  // bounds are moved outwards by a multiple of it, as in svmlib
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1];
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];
  const plus = (a, b, t = 1) => [a[0] + t * b[0], a[1] + t * b[1]];
  const cross = (a, b) => a[0] * b[1] - a[1] * b[0];
  const length = (a) => Math.hypot(a[0], a[1]);
  const turned = (a) => [-a[1], a[0]];
  const range = (n) => Array.from({length: n}, (_, i) => i);
  const sum = (v) => v.reduce((a, b) => a + b, 0);
  const clip = (v, low, high) => Math.min(high, Math.max(low, v));
  const mixture = (weights, X) => X.reduce((p, x, i) => plus(p, x, weights[i]), [0, 0]);

  /** Corners of the convex hull, counter-clockwise (Andrew's monotone chain). */
  function hull(points) {
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .filter((p, i, all) => !i || p[0] !== all[i - 1][0] || p[1] !== all[i - 1][1]);
    const chain = (all) => {
      const kept = [];
      for (const p of all) {
        while (kept.length > 1 && cross(minus(kept.at(-1), kept.at(-2)), minus(p, kept.at(-2))) <= 0) kept.pop();
        kept.push(p);
      }
      return kept.slice(0, -1);
    };
    return sorted.length > 1 ? [...chain(sorted), ...chain(sorted.reverse())] : sorted;
  }

  /** B⁻, B⁺ and the width τ_w along w = (cos θ, sin θ), θ in degrees, with the samples that touch. */
  function street(X, y, angle) {
    const w = [Math.cos(angle * Math.PI / 180), Math.sin(angle * Math.PI / 180)];
    let bMinus = -Infinity, bPlus = Infinity, low = -1, high = -1;
    X.forEach((x, i) => {
      const along = dot(w, x);
      if (y[i] < 0 && along > bMinus) { bMinus = along; low = i; }
      if (y[i] > 0 && along < bPlus) { bPlus = along; high = i; }
    });
    return {w, bMinus, bPlus, width: bPlus - bMinus, middle: (bPlus + bMinus) / 2, touching: [low, high]};
  }

  /** Middle of the bounding box, points measured from it, and the largest distance from it. */
  function centred(X) {
    const middle = [0, 1].map((k) => {
      const column = X.map((x) => x[k]);
      return (Math.min(...column) + Math.max(...column)) / 2;
    });
    const Z = X.map((x) => minus(x, middle));
    return {middle, Z, R: Math.max(...Z.map(length))};
  }

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

  upper and lower bound the distance of the hulls, roundings included. Where they do not prove it
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

  const linear = (X) => { const {Z} = centred(X); return Z.map((a) => Z.map((b) => dot(a, b))); };
  const gaussian = (X, sigma, Z = X) => X.map((a) => Z.map((b) =>
    Math.exp(-(dot(minus(a, b), minus(a, b))) / (2 * sigma * sigma))));

  /** Cholesky factor of a positive definite matrix (rows, overwritten), as a solver. */
  function factor(M) {
    const n = M.length;
    for (let j = 0; j < n; j++) {
      for (let i = j; i < n; i++) {
        let value = M[i][j];
        for (let k = 0; k < j; k++) value -= M[i][k] * M[j][k];
        M[i][j] = i === j ? Math.sqrt(Math.max(value, 1e-300)) : value / M[j][j];
      }
    }
    return (right) => {
      const x = [...right];
      for (let i = 0; i < n; i++) { for (let k = 0; k < i; k++) x[i] -= M[i][k] * x[k]; x[i] /= M[i][i]; }
      for (let i = n - 1; i >= 0; i--) { for (let k = i + 1; k < n; k++) x[i] -= M[k][i] * x[k]; x[i] /= M[i][i]; }
      return x;
    };
  }

  /** The soft margin by Mehrotra's interior point method; the same steps as solve_interior_point. */
  function softMargin(K, y, C) {
    const n = y.length, Q = K.map((row, i) => row.map((k, j) => k * y[i] * y[j]));
    const curvature = sum(K.map((row, i) => row[i])) / n || 1;
    let alpha = y.map(() => Math.min(C / 2, 1 / curvature)), b = 0;
    let t = alpha.map((a) => C - a), s = y.map(() => 1), xi = y.map(() => 1);
    for (let step = 0; step < 100; step++) {
      const gap = sum(alpha.map((a, i) => a * s[i] + t[i] * xi[i])), total = sum(alpha);
      const residual = Q.map((row, i) => 1 - sum(row.map((q, j) => q * alpha[j])) - y[i] * b + s[i] - xi[i]);
      const largest = Math.max(...residual.map(Math.abs));
      if (gap <= 1e-13 * total && largest <= Math.max(1e-13, 8 * UNIT * curvature * total)) break;
      const ridge = 4 * n * UNIT * curvature;  // what rounding may have taken from K
      const solve = factor(Q.map((row, i) => row.map((q, j) => i === j ? q + ridge + s[i] / alpha[i] + xi[i] / t[i] : q)));
      const v = solve(y), yv = sum(y.map((sign, i) => sign * v[i]));
      let target = 0, bendS = y.map(() => 0), bendXi = bendS, move, reach;
      for (const phase of ["predictor", "corrector"]) {
        const rs = alpha.map((a, i) => (target - bendS[i]) / a - s[i]);
        const rxi = t.map((room, i) => (target - bendXi[i]) / room - xi[i]);
        const u = solve(residual.map((r, i) => r + rs[i] - rxi[i]));
        const db = sum(y.map((sign, i) => sign * (u[i] + alpha[i]))) / yv;
        const da = u.map((value, i) => value - v[i] * db);
        const ds = rs.map((r, i) => r - s[i] / alpha[i] * da[i]), dxi = rxi.map((r, i) => r + xi[i] / t[i] * da[i]);
        move = {da, ds, dxi, db};
        reach = 1;
        const limit = (value, change) => { if (change < 0) reach = Math.min(reach, -value / change); };
        for (let i = 0; i < n; i++) {
          limit(alpha[i], da[i]); limit(t[i], -da[i]); limit(s[i], ds[i]); limit(xi[i], dxi[i]);
        }
        if (phase === "predictor") {
          const left = sum(alpha.map((a, i) => (a + reach * da[i]) * (s[i] + reach * ds[i])
            + (t[i] - reach * da[i]) * (xi[i] + reach * dxi[i])));
          target = (left / gap) ** 3 * gap / (2 * n);
          bendS = da.map((d, i) => d * ds[i]);
          bendXi = da.map((d, i) => -d * dxi[i]);
        }
      }
      const size = 0.99 * reach, go = (values, change) => values.map((value, i) => value + size * change[i]);
      if (!Number.isFinite(size * move.db)) break;  // floats can hold no better point
      alpha = go(alpha, move.da); t = go(t, move.da.map((d) => -d));
      s = go(s, move.ds); xi = go(xi, move.dxi); b += size * move.db;
    }
    // A multiplier is at a bound where it is nearer to it than its constraint is to being active.
    const scaled = alpha.map((a) => a / C);
    const at = alpha.map((_, i) => scaled[i] < Math.min(1e-6, s[i]) ? 0 : t[i] / C < Math.min(1e-6, xi[i]) ? 1 : 0.5);
    return certified(K, y, C, alpha, b, at);
  }

  /** The multipliers made feasible, the bias that suits them, and the certificate of both. */
  function certified(K, y, C, given, guess, at = given.map((a) => a <= 0 ? 0 : a >= C ? 1 : 0.5)) {
    const n = y.length, part = (sign) => sum(given.filter((_, i) => y[i] === sign));
    const sums = {"-1": part(-1), "1": part(1)}, light = Math.min(sums[-1], sums[1]);
    const alpha = given.map((a, i) => sums[y[i]] > light ? a * (light / sums[y[i]]) : a);
    const score = K.map((row) => sum(row.map((k, j) => k * y[j] * alpha[j])));
    const total = sum(alpha), largest = Math.max(...K.map((row, i) => row[i]));
    const error = (2 * n + 40) * UNIT * largest * total;
    const square = Math.max(0, sum(score.map((f, i) => f * y[i] * alpha[i]))) + error * total;
    const value = (b) => {
      const slack = score.map((f, i) => Math.max(0, 1 - y[i] * (f + b) + error + 8 * UNIT * (Math.abs(f) + Math.abs(b) + 1)));
      return (square / 2 + C * sum(slack)) * (1 + (n + 12) * UNIT);
    };
    // Without a free multiplier every bias of an interval is optimal; we take its middle.
    let low = -Infinity, high = Infinity;
    for (let i = 0; i < n; i++) {
      if (at[i] === 0.5 || (at[i] === 0) === (y[i] > 0)) low = Math.max(low, y[i] - score[i]);
      if (at[i] === 0.5 || (at[i] === 0) === (y[i] < 0)) high = Math.min(high, y[i] - score[i]);
    }
    const candidates = [guess, (low + high) / 2].filter(Number.isFinite);
    const interval = high > low + 1e-9 && !at.includes(0.5);
    const b = interval ? candidates.at(-1) : candidates.reduce((a, c) => value(c) < value(a) ? c : a);
    const primal = value(b), dual = total - square / 2 - (n + 12) * UNIT * (total + square);
    return {alpha, b, score, at, primal, dual, norm: Math.sqrt(square), interval: interval ? [low, high] : null,
      slack: score.map((f, i) => Math.max(0, 1 - y[i] * (f + b))), margins: score.map((f, i) => y[i] * (f + b))};
  }

  /** w of a linear machine, and its bias for the points as given (the kernel is centred). */
  function line(X, y, {alpha, b}) {
    const {middle, Z} = centred(X), w = mixture(alpha.map((a, i) => a * y[i]), Z);
    return {w, b: b - dot(w, middle)};
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

  /** f = Σ β_i exp(−‖x − x_i‖²/2σ²) + b on a grid: a product of two factors, so few exponentials. */
  function field(X, beta, b, sigma, [x0, x1], [y0, y1], n) {
    const values = new Float64Array((n + 1) * (n + 1)).fill(b);
    const factor1 = (low, high, centre) => range(n + 1).map((k) => Math.exp(-(((low + (high - low) * k / n) - centre) ** 2) / (2 * sigma * sigma)));
    X.forEach((x, i) => {
      if (!beta[i]) return;
      const across = factor1(x0, x1, x[0]), upwards = factor1(y0, y1, x[1]);
      for (let r = 0; r <= n; r++) {
        const share = beta[i] * upwards[r];
        if (Math.abs(share) > 1e-14) for (let c = 0, k = r * (n + 1); c <= n; c++, k++) values[k] += share * across[c];
      }
    });
    return values;
  }
  /** Where the field crosses a level (segments), and with `fill` where it is above (polygons); in
  columns and rows of the grid, linear between its points. */
  function contour(values, n, level, fill = false) {
    const found = [];
    for (let r = 0; r < n; r++) {
      let run = -1;
      for (let c = 0; c <= n; c++) {
        const k = r * (n + 1) + c;
        let above = 0;
        if (c < n) above = (values[k] >= level) + (values[k + 1] >= level) + (values[k + n + 1] >= level) + (values[k + n + 2] >= level);
        if (fill && above === 4 && run < 0) run = c;
        if (fill && above < 4 && run >= 0) { found.push([[run, r], [c, r], [c, r + 1], [run, r + 1]]); run = -1; }
        if (above % 4 === 0) continue;
        const corners = [k, k + 1, k + n + 2, k + n + 1].map((j) => values[j] - level);
        const places = [[c, r], [c + 1, r], [c + 1, r + 1], [c, r + 1]], outline = [], crossings = [];
        corners.forEach((v, j) => {
          const next = corners[(j + 1) % 4];
          if (v >= 0) outline.push(places[j]);
          if (v >= 0 !== next >= 0) {
            const crossing = plus(places[j], minus(places[(j + 1) % 4], places[j]), v / (v - next));
            outline.push(crossing); crossings.push(crossing);
          }
        });
        if (fill) found.push(outline);
        else for (let j = 0; j < crossings.length; j += 2) found.push([crossings[j], crossings[j + 1]]);
      }
    }
    return found;
  }
  /** Chapter 3, SMO on two hulls: the weights after these pairs [i, j], in the way of hull_smo. */
  function hullRun(X, y, pairs) {
    const {middle, Z, R} = centred(X), n = y.length, size = (sign) => y.filter((label) => label === sign).length;
    const lambda = y.map((sign) => 1 / size(sign)), history = [];
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
      state = {p: plus(p, middle), q: plus(q, middle), w, meet, lambda, height, upper, lower, history};
      if (k === pairs.length || meet) continue;
      const {step} = hullStep(X, state, ...pairs[k]);
      for (const i of pairs[k]) { lambda[i] += step; if (lambda[i] < 1e-13 / square) lambda[i] = 0; }  // no weight out of rounding
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
  /** Chapter 4: a problem min F(z) subject to g(z) ≤ 0, and the lowest point of F + αg. */
  const problems = [
    {F: (z) => z * z / 2, g: (z) => 1 - z, lowest: (alpha) => alpha, best: 1},
    {F: (z) => (z * z - 1) ** 2 + z / 2, g: (z) => -z, best: 0.9304029265558274, lowest(alpha) {
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
  /** Chapter 7: the multipliers after best steps along these pairs [i up, j down], g, m and M. */
  function boxRun(K, y, C, pairs) {
    const beta = y.map(() => 0), can = (i, sign) => sign * beta[i] < (y[i] === sign ? C : 0);
    const look = () => {
      const g = K.map((row, i) => y[i] - sum(row.map((k, j) => k * beta[j]))), n = range(y.length);
      const i = n.filter((k) => can(k, 1)).reduce((a, k) => g[k] > g[a] ? k : a), j = n.filter((k) => can(k, -1)).reduce((a, k) => g[k] < g[a] ? k : a);
      return {alpha: beta.map((b, k) => b * y[k]), g, i, j, m: g[i], M: g[j], up: n.filter((k) => can(k, 1)), down: n.filter((k) => can(k, -1))};
    };
    for (const [i, j] of pairs) {
      const {best, room} = boxStep(K, y, C, look(), i, j);
      beta[i] += best; beta[j] -= best;
      // At a bound means exactly at it.
      if (best === room && best > 0) for (const [k, sign] of [[i, 1], [j, -1]]) { const end = y[k] === sign ? sign * C : 0; if (Math.abs(beta[k] - end) < 1e-12 * C) beta[k] = end; }
    }
    return look();
  }
  /** Slope, curvature, room and the best length of the step that lifts β_i and lowers β_j. */
  function boxStep(K, y, C, {alpha, g}, i, j) {
    const slope = g[i] - g[j], curvature = K[i][i] + K[j][j] - 2 * K[i][j];
    const room = Math.min((y[i] > 0 ? C : 0) - y[i] * alpha[i], y[j] * alpha[j] - (y[j] > 0 ? 0 : -C));
    const top = curvature > 0 ? slope / curvature : slope > 0 ? Infinity : slope < 0 ? -Infinity : 0;
    const best = clip(top, 0, Math.max(0, room)), gain = (length) => length * slope - length * length * curvature / 2;
    const same = y[i] === y[j], total = alpha[i] + alpha[j], difference = alpha[j] - alpha[i];
    const L = same ? Math.max(0, total - C) : Math.max(0, difference), H = same ? Math.min(C, total) : Math.min(C, C + difference);
    return {slope, curvature, room, top, best, gain: gain(best), gains: [L, H].map((end) => gain(-y[j] * (end - alpha[j]))), L, H};
  }
  /** Chapter 2: the best line if one unit across counts as so many upwards, told in the units given. */
  function units(X, y, worth) {
    const found = closest(X.map(([a, b]) => [a, b / worth]), y), back = ([a, b]) => [a, b * worth];
    const p = back(found.p), q = back(found.q), w = [found.w[0], found.w[1] / worth];
    return {...found, p, q, w, slope: -w[0] / w[1], level: (dot(w, p) + dot(w, q)) / 2};
  }
  const errors = (scores, y) => scores.filter((f, i) => (f >= 0 ? 1 : -1) !== y[i]).length;

  /** A number in decimals that is never above (floor) or below (ceil) it. */
  const floor = (v, digits) => outward(v, digits, -1), ceil = (v, digits) => outward(v, digits, 1);
  function outward(v, digits, sign) {
    if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
    const exact = BigInt(v.toFixed(100).replace(".", "")), unit = 10n ** BigInt(100 - digits);
    const rest = Number(exact % unit);
    return (Number(exact / unit + (rest * sign > 0 ? BigInt(sign) : 0n)) / 10 ** digits).toFixed(digits);
  }

  return {dot, minus, plus, cross, length, turned, range, sum, clip, mixture, hull, street, closest, reducedHull,
    linear, gaussian, softMargin, softMarginOfCap, certified, line, field, contour, hullRun, hullStep, steepest, problems, prices, boxRun, boxStep, units, errors, floor, ceil};
})();

// ---- Core: elements, planes, handles, sliders --------------------------------------------------
const {range, clip, plus, minus, dot, length, turned, floor, ceil} = math;
const DRAWN = new Set(["svg", "g", "path", "circle", "line", "text", "clipPath", "rect", "title"]);
function make(tag, parent, attributes = {}, text = "") {
  const node = DRAWN.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text) node.textContent = text;
  parent?.append(node);
  return node;
}
const signed = (text) => String(text).replace("-", "−");
const show = (v, digits = 2) => signed((+v.toFixed(digits) + 0).toFixed(digits));
const LOOKS = {Adelie: 0, Gentoo: 1, Chinstrap: 2};  // one mark and colour a species, in the whole book
const LOOK = ["look0", "look1", "look2"];  // their classes, in full: lean_styles looks for them
const MARKS = [(r) => `m${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,
  (r) => `m0,${-1.25 * r}l${1.15 * r},${2.1 * r}h${-2.3 * r}z`, (r) => `m${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `m0,${-1.4 * r}l${1.4 * r},${1.4 * r}l${-1.4 * r},${1.4 * r}l${-1.4 * r},${-1.4 * r}z`];
const looks = (names) => {
  const taken = names.map((name) => LOOKS[name]), free = range(3).filter((k) => !taken.includes(k));
  return taken.map((k) => k ?? free.shift());
};
const polygon = (points, closed = true) => points.length ? `M${points.map((p) => p.map((v) => v.toFixed(2)).join()).join("L")}${closed ? "z" : ""}` : "";

/** Round ticks: about `count` multiples of 1, 2 or 5 times a power of ten. */
function ticks([low, high], count = 5) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((k) => k * power >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return range(Math.floor(high / step + 1e-9) - first + 1).map((k) => [(first + k) * step, show((first + k) * step, digits)]);
}

class Plane {
  constructor(figure, {xlim, ylim, axes, label, width = 360, height = 320, equal = false, xticks, yticks}) {
    Object.assign(this, {figure, xlim, ylim, grips: []});
    this.left = 40; this.top = 24;
    this.w = width - this.left - 10;
    this.h = equal ? this.w * (ylim[1] - ylim[0]) / (xlim[1] - xlim[0]) : height - this.top - 36;
    const svg = make("svg", figure.planes.push(this) > 1 ? figure.side : figure.live, {viewBox: `0 0 ${width} ${this.h + this.top + 36}`, role: "group", "aria-label": label});
    svg.style.setProperty("--width", `${width}px`);
    const clipId = `${figure.id}-${figure.planes.length}`;
    make("rect", make("clipPath", svg, {id: clipId}), {x: this.left, y: this.top, width: this.w, height: this.h});
    const frame = make("g", svg, {class: "axes", "aria-hidden": "true"});
    const bottom = this.top + this.h;
    make("path", frame, {d: `M${this.left},${this.top}V${bottom}H${this.left + this.w}`});
    // Where a unit is "200 g", the axis is marked in g.
    const worth = axes === figure.data.axes ? figure.data.worth : [1, 1];
    const marks = (limits, k) => ticks(limits.map((v) => v * worth[k])).map(([v, text]) => [v / worth[k], text]);
    for (const [v, text] of xticks ?? marks(xlim, 0)) {
      const [x] = this.at([v, ylim[0]]);
      make("path", frame, {d: `M${x},${bottom}v4`});
      make("text", frame, {x, y: bottom + 16, "text-anchor": "middle"}, text);
    }
    for (const [v, text] of yticks ?? marks(ylim, 1)) {
      const [, y] = this.at([xlim[0], v]);
      make("path", frame, {d: `M${this.left},${y}h-4`});
      make("text", frame, {x: this.left - 6, y: y + 4, "text-anchor": "end"}, text);
    }
    make("text", frame, {x: this.left + this.w, y: bottom + 31, "text-anchor": "end"}, axes[0]);
    make("text", frame, {x: 2, y: 13}, axes[1]);
    this.svg = svg;
    this.clipped = make("g", svg, {"clip-path": `url(#${clipId})`, "aria-hidden": "true"});
    this.over = make("g", svg, {"aria-hidden": "true"});
    this.handles = make("g", svg);
  }
  at([x, y]) {
    return [this.left + (x - this.xlim[0]) / (this.xlim[1] - this.xlim[0]) * this.w,
      this.top + (this.ylim[1] - y) / (this.ylim[1] - this.ylim[0]) * this.h];
  }
  from(event) {
    const box = this.svg.getBoundingClientRect(), scale = this.svg.viewBox.baseVal.width / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    return [this.xlim[0] + (x - this.left) / this.w * (this.xlim[1] - this.xlim[0]),
      this.ylim[1] - (y - this.top) / this.h * (this.ylim[1] - this.ylim[0])];
  }
  holds([x, y]) { return x >= this.xlim[0] && x <= this.xlim[1] && y >= this.ylim[0] && y <= this.ylim[1]; }
  /** A path whose shape is given anew at every drawing. */
  path(looks, over = false) {
    const node = make("path", over ? this.over : this.clipped, {class: looks});
    return (d) => node.setAttribute("d", d || "M0,0");
  }
  text(looks = "") {
    const node = make("text", this.over, {class: looks});
    return (at, text, dx = 0, dy = 0) => {
      const [x, y] = this.at(at);
      node.setAttribute("x", x + dx); node.setAttribute("y", y + dy);
      node.textContent = text;
    };
  }
  shape(points, closed = true) { return polygon(points.map((p) => this.at(p)), closed); }
  segments(pairs) { return pairs.map((pair) => this.shape(pair, false)).join(""); }
  marks(points, kind, r) { return points.map((p) => `M${this.at(p).map((v) => v.toFixed(2)).join()}${MARKS[kind](r)}`).join(""); }
  /** The two far ends of the line w·x = level. */
  ends(w, level) {
    const square = dot(w, w), centre = [(this.xlim[0] + this.xlim[1]) / 2, (this.ylim[0] + this.ylim[1]) / 2];
    const foot = plus(centre, w, (level - dot(w, centre)) / square);
    const far = 3 * Math.hypot(this.xlim[1] - this.xlim[0], this.ylim[1] - this.ylim[0]) / Math.sqrt(square);
    return [plus(foot, turned(w), far), plus(foot, turned(w), -far)];
  }
  /** Something to take hold of: by mouse and finger, and with the arrow keys. */
  handle({at, move, label, kind = 0, looks = "", r = 7, step, role = "button", values}) {
    const grip = make("g", this.handles, {class: `grip ${looks}`, tabindex: 0, role});
    if (role === "button") grip.setAttribute("aria-roledescription", "movable point");
    make("circle", grip, {r: 15, class: "hit"});
    make("path", grip, {d: `M0,0${MARKS[kind](r)}`, class: "mark"});
    const place = () => {
      const [x, y] = this.at(at());
      grip.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
      grip.setAttribute("aria-label", label());
      for (const [name, value] of Object.entries(values?.() ?? {})) grip.setAttribute(`aria-${name}`, value);
    };
    let offset = null;
    const grab = (event) => {
      grip.setPointerCapture(event.pointerId);
      offset = minus(at(), this.from(event));
      grip.focus({preventScroll: true});
    };
    this.grips.push({at, grab});
    grip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      const here = this.at(this.from(event)), far = (other) => length(minus(this.at(other.at()), here));
      this.grips.reduce((a, b) => far(b) < far(a) ? b : a).grab(event);  // where hit areas overlap, the nearest
    });
    grip.addEventListener("touchstart", (event) => event.preventDefault(), {passive: false});  // where touch-action is not heeded
    grip.addEventListener("pointermove", (event) => {
      if (offset) { move(plus(this.from(event), offset)); this.figure.change(); }
    });
    for (const name of ["pointerup", "pointercancel"]) grip.addEventListener(name, () => { offset = null; });
    grip.addEventListener("keydown", (event) => {
      const way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
      if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const size = event.shiftKey ? 10 : 1;
      move([at()[0] + way[0] * step[0] * size, at()[1] + way[1] * step[1] * size], way[0] + way[1] > 0 ? size : -size);
      this.figure.change();
    });
    this.figure.places.push(place);
    return grip;
  }
}

/** Marks of samples: those that can be moved are handles, the others one path a class. */
function samples(figure, plane, {movable, r = 5, names, bare = "", step = figure.step}) {
  const {points, kinds, data} = figure;
  const still = [0, 1].map((k) => plane.path(`mark ${LOOK[kinds[k]]} faint`));
  const label = names ?? ((i) => `${data.classes[data.y[i] > 0 ? 1 : 0]} ${i + 1}`);
  for (const i of movable) {
    const kind = kinds[data.y[i] > 0 ? 1 : 0];
    plane.handle({
      kind, looks: `${LOOK[kind]} ${bare}`, r, step,
      at: () => points[i],
      move: (p) => { figure.place(i, p, plane); },
      label: () => `${label(i)} at ${figure.said(points[i])}. Arrow keys move it.`,
    });
  }
  return () => [-1, 1].forEach((sign, k) => still[k](plane.marks(
    points.filter((p, i) => data.y[i] === sign && !movable.includes(i)), kinds[k], r * 0.75)));
}

class Figure {
  constructor(root) {
    this.root = root; this.id = root.id;
    this.data = JSON.parse(root.querySelector("script").textContent);
    this.kinds = looks(this.data.classes);
    this.points = this.data.X.map((x) => [...x]);
    this.step = this.data.step;
    this.planes = []; this.steps = []; this.state = {}; this.params = {}; this.places = []; this.sliders = [];
    const live = make("div", root, {class: "live"});
    this.live = live;
    this.side = make("div", null, {class: "side"});
    this.tools = make("div", null, {class: "tools"});
    this.table = make("dl", null, {class: "numbers"});
    this.status = make("p", null, {role: "status"});
    this.piece = pieces[this.data.kind](this);
    this.button("Start again", () => this.decode(""));
    this.side.append(this.tools, this.table, this.status);
    live.append(this.side);
    root.dataset.alive = "";
    this.visit();
    this.draw();
    this.settle(false);
  }
  plane(options) { return new Plane(this, options); }
  /** A number of the state: what sliders move, what the address holds. */
  param(key, value, min, max, step = 0) { this.state[key] = value; this.params[key] = {min, max, value, step}; }
  set(key, value) {
    const {min, max, step, value: start} = this.params[key];
    this.state[key] = clip(step ? +(start + step * Math.round((value - start) / step)).toFixed(9) : value, min, max);
  }
  /** Put sample i near p: whole steps from where it was at first, and in sight. */
  place(i, p, plane) {
    this.points[i] = p.slice(0, 2).map((v, k) => {
      const [low, high] = k ? plane.ylim : plane.xlim, step = this.step[k], start = this.data.X[i]?.[k] ?? 0;
      const steps = clip(Math.round((v - start) / step), Math.ceil((low - start) / step), Math.floor((high - start) / step));
      return +(start + steps * step).toFixed(9);
    });
  }
  /** Coordinates with their units; in units of "200 g" they are told in g. */
  said(p) {
    return p.map((v, k) => {
      const [, factor, unit] = this.data.units[k].match(/^(\d*) ?(.*)$/);
      return `${signed(+(v * (factor || 1)).toPrecision(6))} ${unit}`.trim();
    }).join(", ");
  }
  slider(key, {label, min, max, step, value, text}) {
    this.param(key, value, min, max, step);
    const box = make("label", this.tools, {class: "slider"}), name = make("span", box);
    const input = make("input", box, {type: "range", min, max, step});
    const refresh = () => {
      input.value = this.state[key];
      name.textContent = `${label}: ${text(this.state[key])}`;
      input.setAttribute("aria-valuetext", text(this.state[key]));
      input.setAttribute("aria-label", label);
    };
    input.addEventListener("input", () => { this.set(key, +input.value); this.piece.slid?.(key); this.change(); });
    this.places.push(refresh);
    return box;
  }
  /** A choice between words; the state holds its number. */
  choice(key, label, options, value = 0) {
    this.param(key, value, 0, options.length - 1, 1);
    const box = make("label", this.tools, {class: "choice"}, `${label} `), select = make("select", box);
    options.forEach((text, k) => make("option", select, {value: k}, text));
    select.addEventListener("change", () => { this.set(key, +select.value); this.piece.slid?.(key); this.change(); });
    this.places.push(() => { select.value = this.state[key]; });
  }
  button(text, action) {
    const node = make("button", this.tools, {type: "button"}, text);
    node.addEventListener("click", () => { action(); this.change(); });
    return node;
  }
  numbers(rows) {
    rows = rows.filter(Boolean);
    while (this.table.children.length > rows.length) this.table.lastChild.remove();
    rows.forEach(([name, value], k) => {
      const row = this.table.children[k] ?? make("div", this.table);
      if (!row.children.length) { make("dt", row); make("dd", row); }
      row.children[0].textContent = name; row.children[1].textContent = value;
    });
  }
  change() {
    this.root.dataset.settled = "false";
    this.pending ??= requestAnimationFrame(() => { this.pending = null; this.draw(); });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(true), 350);
  }
  draw() {
    this.piece.solve?.();
    for (const place of this.places) place();
    this.says = this.piece.draw();
  }
  /** Once things are at rest: say it in words, and put the state into the address. */
  settle(moved) {
    if (this.pending || this.piece.work?.()) { this.timer = setTimeout(() => this.settle(moved), 0); return; }
    if (this.status.textContent !== this.says) this.status.textContent = this.says;
    if (moved) {
      const state = this.encode();
      try { history.replaceState(history.state, "", state ? `#${this.id}?${state}` : `#${this.id}`); } catch { /* no address, as in a notebook's frame */ }
    }
    this.root.dataset.settled = "true";
  }
  encode() {
    const changed = ([key, v]) => v !== this.params[key].value && !this.piece.follows?.(key);
    const parts = Object.entries(this.state).filter(changed).map(([key, v]) => `${key}=${+v.toFixed(6)}`);
    this.points.forEach((p, i) => {
      const x = this.data.X[i];
      if (!x || x[0] !== p[0] || x[1] !== p[1]) parts.push(`p${i}=${p.join()}${x ? "" : `,${this.data.y[i]}`}`);
    });
    if (this.steps.length) parts.push(`steps=${this.steps.join()}`);
    return parts.join("&");
  }
  /** Take on a state from the address; whatever is not a number, or out of range, is left out. */
  decode(text) {
    for (const [key, {value}] of Object.entries(this.params)) this.state[key] = value;
    this.piece.clear?.();
    this.steps = [];
    this.data.X.forEach((x, i) => { this.points[i] = [...x]; });
    for (const part of text.split("&")) {
      const [key, value = ""] = part.split("="), numbers = value.split(",").map(Number);
      if (!value || !numbers.every(Number.isFinite)) continue;
      if (Object.hasOwn(this.params, key)) this.set(key, numbers[0]);
      else if (key === "steps") this.steps = numbers.filter((v) => this.piece.pair?.(v)).slice(0, 40);
      else if (/^p\d+$/.test(key) && numbers.length > 1) this.piece.take?.(+key.slice(1), numbers);
    }
  }
  visit() {
    const [id, state] = decodeURIComponent(location.hash.slice(1)).split("?");
    if (id !== this.id || state === undefined) return false;
    this.decode(state);
    this.root.scrollIntoView({block: "center"});
    return true;
  }
}

// ---- Pieces: one a figure ----------------------------------------------------------------------
const power = (v) => v > 0 ? `below 10${String(Math.max(-99, Math.floor(Math.log10(v)) + 1)).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)])}` : "0";
const digitsFor = (v) => clip(5 - Math.floor(Math.log10(Math.abs(v) || 1)), 0, 9);
const atMost = (v) => `≤ ${signed(ceil(v, digitsFor(v)))}`, atLeast = (v) => `≥ ${signed(floor(v, digitsFor(v)))}`;
const between = (low, high, digits) => `${signed(floor(low, digits))} to ${signed(ceil(high, digits))}`;
/** Round numbers, ten a decade (Renard's), so that 10^−0.3 is 0.5. */
const round = (log) => {
  const k = Math.round(10 * log), decade = Math.floor(k / 10);
  return +`${[1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8][k - 10 * decade]}e${decade}`;
};
const letter = (i, n) => n > 26 ? String(i + 1) : String.fromCharCode(65 + i);
const several = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const listed = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

/** Polygons of two (reduced) hulls, their bridge and the line halfway, or the point they share. */
function bridgePaths(plane, kinds) {
  const band = plane.path("street"), hulls = [0, 1].map((k) => plane.path(`hull ${LOOK[kinds[k]]}`));
  const line = plane.path("line"), edges = plane.path("edge"), bridge = plane.path("bridge");
  const ends = plane.path("ends", true), star = plane.path("star", true), names = [plane.text("name"), plane.text("name")];
  return (corners, found, street = true) => {
    corners.forEach((polygon, k) => hulls[k](plane.shape(polygon)));
    const {p, q, w, meet} = found, high = meet || dot(w, p), low = meet || dot(w, q);
    band(meet || !street ? "" : plane.shape([...plane.ends(w, high), ...plane.ends(w, low).reverse()]));
    edges(meet || !street ? "" : plane.segments([plane.ends(w, high), plane.ends(w, low)]));
    line(meet ? "" : plane.shape(plane.ends(w, (high + low) / 2), false));
    bridge(meet ? "" : plane.shape([p, q], false));
    ends(meet ? "" : plane.marks([p, q], 3, 4));
    star(meet ? plane.marks([p], 3, 7) : "");
    names[0](p, meet ? "p = q" : "p", 9, -7);
    names[1](q, meet ? "" : "q", 9, 16);
  };
}

const pieces = {
  /** Chapter 1: turn a line; the street opens as far as it can. */
  street(figure) {
    const {data, points} = figure, {y} = data;
    const optimum = () => math.closest(points, y);
    const angleOf = (w) => Math.atan2(w[1], w[0]) * 180 / Math.PI;
    let best = optimum(), middle;
    const turn = () => { middle = Math.round(angleOf(best.meet ? [0, 1] : best.w) / 30) * 30; };
    turn();
    const near = (angle) => angle - 360 * Math.round((angle - middle) / 360);
    const size = best.meet ? best.R / 8 : best.upper;
    const plane = figure.plane({width: 300, equal: true, xlim: data.xlim, ylim: data.ylim, axes: data.axes,
      label: "Samples, and the street between them"});
    const curve = figure.plane({width: 350, height: 250, xlim: [middle - 90, middle + 90], ylim: [-2 * size, 1.4 * size],
      xticks: range(7).map((k) => [middle - 90 + 30 * k, `${signed(middle - 90 + 30 * k)}°`]),
      axes: ["angle of w", "width τ of the street"], label: "The width of the street, for every direction"});
    figure.param("angle", data.angle, middle - 90, middle + 90);
    const band = plane.path("street"), closed = plane.path("closed"), edges = plane.path("edge"), line = plane.path("line");
    const rings = plane.path("ring", true), hint = plane.text("name");
    const open = curve.path("open"), zero = curve.path("axis"), widths = curve.path("curve"), dot_ = curve.path("ends", true);
    const value = curve.text("name");
    zero(curve.shape([[middle - 90, 0], [middle + 90, 0]], false));
    let s = math.street(points, y, data.angle);
    const centre = [0, 1].map((k) => ((k ? data.ylim : data.xlim)[0] + (k ? data.ylim : data.xlim)[1]) / 2);
    const foot = () => plus(centre, s.w, s.middle - dot(s.w, centre)), reach = 0.4 * (data.xlim[1] - data.xlim[0]);
    plane.handle({
      looks: "turn", r: 9, step: [0, 0], role: "slider",
      at: () => plus(foot(), turned(s.w), -reach),
      label: () => "Direction of the line. Arrow keys turn it.",
      values: () => ({valuemin: middle - 90, valuemax: middle + 90, valuenow: figure.state.angle.toFixed(1),
        valuetext: `${show(figure.state.angle, 1)} degrees, width ${show(s.width, 3)}`}),
      move: (p, keys) => {
        const angle = keys ? figure.state.angle + keys / 2 : near(angleOf(minus(p, foot())) + 90);
        figure.set("angle", Math.round(angle * 10) / 10);
      },
    });
    const drawSamples = samples(figure, plane, {movable: data.movable});
    figure.button("Show the best", () => {
      best = optimum();
      if (!best.meet) figure.set("angle", near(angleOf(best.w)));
    });
    return {
      take: (i, p) => { if (data.movable.includes(i)) figure.place(i, p, plane); },
      solve() { s = math.street(points, y, figure.state.angle); best = optimum(); },
      draw() {
        const {angle} = figure.state, {w, bPlus, bMinus, width} = s, isOpen = width > 0;
        drawSamples();
        const strip = plane.shape([...plane.ends(w, bPlus), ...plane.ends(w, bMinus).reverse()]);
        band(isOpen ? strip : ""); closed(isOpen ? "" : strip);
        edges(plane.segments([plane.ends(w, bPlus), plane.ends(w, bMinus)]));
        line(plane.shape(plane.ends(w, s.middle), false));
        hint(plus(foot(), turned(w), -reach), "turn", 13, 5);
        rings(plane.marks(s.touching.map((i) => points[i]), 0, 10));
        const corners = [], labels = [];
        for (const sign of [-1, 1]) for (const p of math.hull(points.filter((_, i) => y[i] === sign))) { corners.push(p); labels.push(sign); }
        const angles = range(361).map((k) => middle - 90 + k / 2);
        if (!best.meet) angles.push(clip(near(angleOf(best.w)), middle - 90, middle + 90));
        const graph = angles.sort((a, b) => a - b).map((a) => [a, math.street(corners, labels, a).width]);
        widths(curve.shape(graph, false));
        open(curve.shape([[middle - 90, 0], ...graph.map(([a, v]) => [a, Math.max(0, v)]), [middle + 90, 0]]));
        const below = width < curve.ylim[0], mark = [angle, below ? curve.ylim[0] : width];
        dot_(below ? `M${curve.at(mark)}m-6,-12h12l-6,11z` : curve.marks([mark], 0, 5));
        value(mark, show(width, 3), -48, 4);
        const wrong = points.filter((p, i) => { const f = dot(w, p) - s.middle; return y[i] > 0 ? f < 0 : f >= 0; }).length;
        figure.numbers([
          ["angle of w", `${show(angle, 1)}°`],
          ["width of your street", show(width, 3)],
          ["widest possible", best.meet ? "there is none" : between(best.lower, best.upper, 3)],
        ]);
        const name = (i) => `${data.classes[y[i] > 0 ? 1 : 0]} at ${figure.said(points[i])}`;
        const touches = `It touches the ${name(s.touching[0])} and the ${name(s.touching[1])}.`;
        if (best.meet) return `The hulls of the classes share the point ${figure.said(best.p)}: no direction opens a street.`;
        if (!isOpen) return `No street along this direction: τ = ${show(width, 3)}. The line in the middle has ${several(wrong, "sample")} on the wrong side.`;
        const found = width >= best.lower * (1 - 1e-9);
        return found ? `This is the best street, ${show(width, 3)} wide: no direction gives more. ${touches}`
          : `The street is ${show(width, 3)} wide, ${floor(100 * width / best.upper, 1)} % of the widest possible. ${touches}`;
      },
    };
  },

  /** Chapter 2: two villages, their hulls, the shortest bridge; or a point of both. */
  villages(figure) {
    const {data, points, kinds} = figure, {y} = data, n = y.length;
    const plane = figure.plane({width: 380, equal: true, xlim: data.xlim, ylim: data.ylim, axes: data.axes,
      label: "Villages, the hulls of the two classes and the shortest bridge"});
    const draw = bridgePaths(plane, kinds), names = range(n).map(() => plane.text("name"));
    const drawSamples = samples(figure, plane, {movable: data.movable, r: 6,
      names: (i) => `Village ${letter(i, n)} of class ${data.classes[y[i] > 0 ? 1 : 0]}`});
    const mixed = (found, sign) => range(n).filter((i) => y[i] === sign && found.weights[i] > 1e-9);
    const recipe = (found, sign) => mixed(found, sign).map((i) => `${show(found.weights[i], 3)} ${letter(i, n)}`).join(" + ");
    let found;
    return {
      take: (i, p) => { if (data.movable.includes(i)) figure.place(i, p, plane); },
      solve() { found = math.closest(points, y); },
      draw() {
        draw([-1, 1].map((sign) => math.hull(points.filter((_, i) => y[i] === sign))), found);
        drawSamples();
        points.forEach((p, i) => names[i](p, n > 26 ? "" : letter(i, n), -18, -8));
        const who = (sign) => { const all = mixed(found, sign).map((i) => letter(i, n)); return all.length > 1 ? `a mixture of ${listed(all)}` : `village ${all[0]}`; };
        if (found.meet) {
          figure.numbers([["common point", `p = q = (${found.p.map((v) => show(v, 3)).join(", ")})`],
            ["p", recipe(found, 1)], ["q", recipe(found, -1)], ["p and q differ by", power(found.upper)]]);
          return `The hulls meet. Their common point is ${who(1)} on the one side and ${who(-1)} on the other: that proves that no line separates the classes.`;
        }
        figure.numbers([["bridge from p to q", atMost(found.upper)], ["gap across it", atLeast(found.lower)],
          ["difference", power(found.upper - found.lower)],
          ["p", recipe(found, 1)], ["q", recipe(found, -1)]]);
        return `The hulls are apart. A shortest bridge leads from p, ${who(1)}, to q, ${who(-1)}. It is ${show(found.upper, 3)} long, and the widest gap is as wide.`;
      },
    };
  },

  /** Chapter 6: an outlier, the price C of slack and the cap μ on the weights. */
  outlier(figure) {
    const {data, points, kinds} = figure, {y} = data, n = y.length;
    const smallest = 1 / Math.min(...[-1, 1].map((sign) => y.filter((label) => label === sign).length));
    const plane = figure.plane({width: 360, equal: true, xlim: data.xlim, ylim: data.ylim, axes: data.axes,
      label: "Samples, the soft margin and its slacks"});
    const span = [-1.5, 3.5];
    const paths = figure.plane({width: 340, height: 250, xlim: span, ylim: [-0.06, 1.06], axes: ["margin y f(x)", "multiplier α / C"],
      yticks: [[0, "0"], [0.5, "½"], [1, "1"]], label: "The multiplier of every sample against its margin"});
    paths.path("allowed")(paths.shape([[span[0] - 1, 1], [1, 1], [1, 0], [span[1] + 1, 0]], false));
    const significant = (v) => String(+v.toPrecision(3));
    figure.slider("logC", {label: "price C", min: -3, max: 4, step: 0.1, value: Math.round(10 * Math.log10(data.C)) / 10,
      text: () => solution ? significant(C) : "none"});
    figure.slider("mu", {label: "cap μ", min: smallest, max: 1, step: 0.001, value: 1, text: () => cap < 1 ? significant(cap) : "1 or more"});
    figure.param("cap", 0, 0, 1, 1);  // which of the two the reader has moved
    figure.choice("hulls", "Show", ["band and slacks", "reduced hulls"]);
    const band = plane.path("street"), edges = plane.path("edge");
    const drawHulls = bridgePaths(plane, kinds), line = plane.path("line strong"), slacks = plane.path("slack");
    const drawSamples = samples(figure, plane, {movable: data.movable, r: 6});
    const rings = plane.path("ring", true);
    const dots = [0, 1].map((k) => paths.path(`mark ${LOOK[kinds[k]]}`)), beyond = paths.path("faint ends", true), chosen = paths.path("ring", true);
    let C, cap, solution, bridge;
    return {
      take: (i, p) => { if (data.movable.includes(i)) figure.place(i, p, plane); },
      follows: (key) => key === (figure.state.cap ? "logC" : "mu"),
      slid(key) {
        if (key === "logC") figure.set("cap", 0);
        if (key === "mu") { figure.set("cap", 1); figure.set("hulls", 1); }
      },
      solve() {
        if (figure.state.cap) {
          cap = Math.max(smallest, figure.state.mu);
          ({bridge, C, solution} = math.softMarginOfCap(points, y, cap));
          if (solution) figure.state.logC = clip(Math.log10(C), -3, 4);
        } else {
          C = round(figure.state.logC);
          solution = math.softMargin(math.linear(points), y, C);
          cap = clip(2 * C / math.sum(solution.alpha), smallest, 1);
          figure.state.mu = cap;
          bridge = figure.state.hulls ? math.closest(points, y, cap) : null;
        }
      },
      draw() {
        drawSamples();
        const none = {p: [NaN, NaN], q: [NaN, NaN], w: [1, 0], meet: true};
        if (figure.state.hulls) drawHulls([-1, 1].map((sign) => math.reducedHull(points.filter((_, i) => y[i] === sign), cap)), bridge, false);
        const classic = solution && math.line(points, y, solution), flat = !classic || length(classic.w) < 1e-7;
        plane.svg.classList.toggle("no-hulls", !figure.state.hulls);
        const all = flat ? [] : [-1, 1].map((level) => plane.ends(classic.w, level - classic.b));
        band(flat || figure.state.hulls ? "" : plane.shape([...all[0], ...all[1].reverse()]));
        if (!flat) all[1].reverse();
        edges(flat ? "" : plane.segments(all));
        line(flat ? "" : plane.shape(plane.ends(classic.w, -classic.b), false));
        if (!solution) {
          [slacks, rings, beyond, chosen, ...dots].forEach((path) => path(""));
          figure.numbers([["reduced hulls", "they meet"], ["common point", `(${bridge.p.map((v) => show(v, 3)).join(", ")})`]]);
          return `With the cap ${show(cap, 3)} the reduced hulls still share a point, so they give no line. Lower the cap.`;
        }
        const {at, slack, margins, alpha} = solution, needy = range(n).filter((i) => slack[i] > 1e-7);
        slacks(flat || figure.state.hulls ? "" : plane.segments(needy.map((i) => [points[i], plus(points[i], classic.w, slack[i] * y[i] / dot(classic.w, classic.w))])));
        rings(plane.marks(points.filter((_, i) => at[i] === 0.5), 0, 10));
        const spot = (i) => [clip(margins[i], ...span), alpha[i] / C];
        const inside = (i) => margins[i] >= span[0] && margins[i] <= span[1];
        [-1, 1].forEach((sign, k) => dots[k](paths.marks(range(n).filter((i) => y[i] === sign && inside(i)).map(spot), kinds[k], 4.5)));
        beyond(range(n).filter((i) => !inside(i)).map((i) => `M${paths.at(spot(i))}m${margins[i] > 0 ? "0,-4l6,4l-6,4z" : "0,-4l-6,4l6,4z"}`).join(""));
        const special = data.movable[0];
        chosen(inside(special) ? paths.marks([spot(special)], 0, 9) : "");
        const count = (kind) => at.filter((a) => a === kind).length;
        figure.numbers([
          ["primal value", atMost(solution.primal)], ["dual value", atLeast(solution.dual)],
          ["gap", power(solution.primal - solution.dual)],
          ["slacks, together", show(math.sum(slack), 3)],
          ["multipliers", `${count(1)} at C, ${count(0.5)} between, ${count(0)} at 0`],
          ["sample in the circle", `slack ${show(slack[special], 3)}, α = ${show(alpha[special] / C, 3)} C`],
        ]);
        const where = slack[special] <= 1e-7 ? "needs no slack" : slack[special] < 1 ? "is inside the band, on its own side" : slack[special] > 1 ? "is on the wrong side of the line" : "is on the line";
        const words = flat ? "w is 0: there is no line, every point gets the same answer."
          : `C = ${significant(C)}: the band is ${show(2 / length(classic.w), 2)} wide, and ${several(needy.length, "sample needs", "samples need")} slack.`;
        const bias = solution.interval ? ` The bias may be anything from ${show(solution.interval[0], 2)} to ${show(solution.interval[1], 2)}; the middle is drawn.` : "";
        const same = figure.state.hulls && !bridge.meet && !flat
          ? ` The bridge of the reduced hulls with the cap ${cap < 1 ? show(cap, 3) : "1"} is at right angles to the line; the thin line is halfway along it.` : "";
        return `${words} The ${data.classes[y[special] > 0 ? 1 : 0]} sample in the circle ${where}.${bias}${same}`;
      },
    };
  },

  /** Chapter 5: the RBF machine; its width σ, its price C, and samples to add. */
  rbf(figure) {
    const {data, points, kinds} = figure, {y} = data, given = y.length, most = given + 20;
    const plane = figure.plane({width: 360, equal: true, xlim: data.xlim, ylim: data.ylim, axes: data.axes,
      label: "Samples and the boundary of the RBF machine"});
    const curves = figure.plane({width: 350, height: 230, xlim: [-1.5, 1], ylim: [0, 60], axes: ["width σ", "errors in %"],
      xticks: [0.03, 0.1, 0.3, 1, 3, 10].map((v) => [Math.log10(v), String(v)]), label: "Training error and hidden error against σ"});
    figure.slider("logS", {label: "width σ", min: -1.5, max: 1, step: 0.1, value: Math.round(10 * Math.log10(data.sigma)) / 10,
      text: (v) => String(round(v))});
    figure.slider("logC", {label: "price C", min: -1, max: 3, step: 0.1, value: Math.round(10 * Math.log10(data.C)) / 10,
      text: (v) => String(round(v))});
    figure.choice("adds", "A click, or Enter at the diamond, adds", data.classes);
    const tint = [0, 1].map((k) => plane.path(`tint ${LOOK[kinds[k]]}`)), dashed = plane.path("edge thin"), boundary = plane.path("line");
    const marks = [0, 1].map((k) => plane.path(`mark ${LOOK[kinds[k]]}`)), rings = plane.path("ring", true);
    const lines = [curves.path("curve"), curves.path("curve edge")], dots = curves.path("ends", true), names = [curves.text("name"), curves.text("name")];
    [plane.xlim, plane.ylim].forEach(([low, high], k) => figure.param("uv"[k], +((low + high) / 2).toFixed(2), low, high));
    const cross = () => [figure.state.u, figure.state.v];
    const add = (p) => {
      if (points.length >= most) return;
      y.push(figure.state.adds ? 1 : -1); points.push(p);
      figure.place(points.length - 1, p, plane);
      figure.change();
    };
    const grip = plane.handle({kind: 3, looks: "turn", r: 5, step: figure.step, at: cross,
      move: (p) => [0, 1].forEach((k) => figure.set("uv"[k], +p[k].toFixed(3))),
      label: () => `Place for a new sample, ${figure.said(cross())}. Arrow keys move it, Enter adds a sample of class ${data.classes[figure.state.adds]}.`});
    grip.addEventListener("keydown", (event) => { if (event.key === "Enter") add(cross()); });
    plane.svg.addEventListener("click", (event) => { const p = plane.from(event); if (!event.target.closest(".grip") && plane.holds(p)) add(p); });
    const hidden = data.hidden, machine = (sigma) => {
      const solution = math.softMargin(math.gaussian(points, sigma), y, round(figure.state.logC));
      const beta = solution.alpha.map((a, i) => a < 1e-9 * round(figure.state.logC) ? 0 : a * y[i]);
      const f = math.gaussian(hidden.X, sigma, points).map((row) => math.sum(row.map((k, i) => k * beta[i])) + solution.b);
      return {...solution, beta, seen: math.errors(solution.score.map((v) => v + solution.b), y) / y.length, unseen: math.errors(f, hidden.y) / hidden.y.length};
    };
    let now, key, curve = [];
    const grid = range(26).map((k) => +(-1.5 + k / 10).toFixed(1));
    return {
      clear() { points.length = y.length = given; },
      take(i, [x1, x2, label]) {
        if (i !== points.length || i >= most || Math.abs(label) !== 1) return;
        y.push(label); points.push([x1, x2]); figure.place(i, [x1, x2], plane);
      },
      solve() {
        now = machine(round(figure.state.logS));
        const situation = [figure.state.logC, points.length, ...points.slice(given)].join();
        if (situation !== key) { key = situation; curve = []; }
      },
      /** The curves, one machine at a time, once the hand is at rest. */
      work() {
        if (curve.length === grid.length) return false;
        const {seen, unseen} = machine(round(grid[curve.length]));
        curve.push([seen, unseen]);
        if (curve.length === grid.length) figure.draw();
        return true;
      },
      draw() {
        const sigma = round(figure.state.logS), {xlim, ylim} = plane, n = clip(Math.ceil(2 * (xlim[1] - xlim[0]) / sigma), 60, 240);
        const values = math.field(points, now.beta, now.b, sigma, xlim, ylim, n);
        const spot = ([c, r]) => [xlim[0] + (xlim[1] - xlim[0]) * c / n, ylim[0] + (ylim[1] - ylim[0]) * r / n];
        const path = (shapes, closed) => shapes.map((shape) => plane.shape(shape.map(spot), closed)).join("");
        tint[1](path(math.contour(values, n, 0, true), true));
        tint[0](path(math.contour(values.map((v) => -v), n, 0, true), true));
        boundary(path(math.contour(values, n, 0), false));
        dashed(path([...math.contour(values, n, 1), ...math.contour(values, n, -1)], false));
        const C = round(figure.state.logC), carry = range(y.length).filter((i) => now.beta[i]);
        [-1, 1].forEach((sign, k) => marks[k](plane.marks(points.filter((_, i) => y[i] === sign), kinds[k], 3.5)));
        rings(carry.map((i) => plane.marks([points[i]], 0, 3 + 5 * Math.sqrt(now.alpha[i] / C))).join(""));
        const complete = curve.length === grid.length;
        lines.forEach((line, k) => {
          line(complete ? curves.shape(curve.map((pair, j) => [grid[j], 100 * pair[k]]), false) : "");
          names[k](complete ? [grid[k ? 3 : 4], 100 * curve[k ? 3 : 4][k]] : [0, 0], complete ? ["training", "hidden"][k] : "", 4, -8);
        });
        dots(curves.marks([now.seen, now.unseen].map((e) => [figure.state.logS, 100 * e]), 0, 5));
        const wrong = Math.round(now.seen * y.length);
        figure.numbers([["primal value", atMost(now.primal)], ["dual value", atLeast(now.dual)], ["gap", power(now.primal - now.dual)],
          ["support vectors", `${carry.length} of ${y.length}`], ["training errors", `${wrong} of ${y.length}`],
          ["errors on hidden samples", `${(100 * now.unseen).toFixed(1)} % of ${hidden.y.length}`]]);
        return `With σ = ${sigma} and C = ${C} the machine is wrong on ${wrong} of ${y.length} training samples and on ${(100 * now.unseen).toFixed(1)} % of the hidden ones; ${several(carry.length, "sample carries", "samples carry")} weight.`;
      },
    };
  },

  /** Chapter 3: choose a pair of weights, see its parabola, take the step. */
  smo(figure) {
    const {data, points, kinds} = figure, {y} = data, n = y.length, most = 40;
    const rows = [1, -1].map((sign) => range(n).filter((i) => y[i] === sign)), name = (i) => letter(i, n);
    const plane = figure.plane({width: 330, equal: true, xlim: data.xlim, ylim: data.ylim, axes: data.axes, label: "Samples, their hulls and the present bridge"});
    const parabola = figure.plane({width: 350, height: 190, xlim: [-1.3, 1.3], ylim: [-1.25, 0.8], axes: ["step δ", "change of Q"],
      xticks: [[0, "0"]], yticks: [[0, "0"]], label: "The change of Q along the chosen pair"});
    const bounds = figure.plane({width: 350, height: 170, xlim: [0, most], ylim: [0, 105], axes: ["steps", "both bounds, in % of the first bridge"],
      label: "Both bounds on the distance after every step"});
    figure.choice("i", "Pair", rows[0].map(name));
    figure.choice("j", "and", rows[1].map(name));
    const draw = bridgePaths(plane, kinds), tie = plane.path("slack"), names = range(n).map(() => plane.text("name"));
    const drawSamples = samples(figure, plane, {movable: data.movable, r: 6, names: (i) => `Sample ${name(i)} of class ${data.classes[y[i] > 0 ? 1 : 0]}`});
    const weights = plane.path("ring", true);
    const banned = parabola.path("closed"), axis = parabola.path("axis"), graph = parabola.path("curve"), dots = parabola.path("ends", true), hollow = parabola.path("ring", true);
    const notes = [parabola.text("name"), parabola.text("name")];
    const lines = [bounds.path("curve"), bounds.path("curve edge")], last = bounds.path("ends", true);
    axis(parabola.shape([[-9, 0], [9, 0]], false));
    const pairOf = (v) => [Math.floor(v / n), v % n], chosen = () => [rows[0][figure.state.i], rows[1][figure.state.j]];
    let state, info;
    const take = () => { if (!state.meet && figure.steps.length < most && info.step) figure.steps.push(chosen()[0] * n + chosen()[1]); };
    const choose = () => { const [i, j] = math.steepest(y, state); figure.set("i", rows[0].indexOf(i)); figure.set("j", rows[1].indexOf(j)); };
    figure.button("Take the step", take);
    figure.button("Choose the steepest pair", choose);
    figure.button("Undo", () => { figure.steps.pop(); });
    return {
      take: (i, p) => { if (data.movable.includes(i)) figure.place(i, p, plane); },
      pair: (v) => Number.isInteger(v) && v >= 0 && v < n * n && y[pairOf(v)[0]] > 0 && y[pairOf(v)[1]] < 0,
      solve() { state = math.hullRun(points, y, figure.steps.map(pairOf)); info = math.hullStep(points, state, ...chosen()); },
      draw() {
        const [i, j] = chosen(), {lambda, upper, lower, history} = state, best = Math.max(...history.map((pair) => pair[1]));
        draw([-1, 1].map((sign) => math.hull(points.filter((_, k) => y[k] === sign))), {...state, w: state.meet ? [1, 0] : state.w}, false);
        drawSamples();
        points.forEach((p, k) => names[k](p, n > 26 ? "" : name(k), -20, -9));
        tie(plane.segments([[points[i], points[j]]]));
        const totals = y.map((sign) => math.sum(lambda.filter((_, k) => y[k] === sign)));
        weights(range(n).filter((k) => lambda[k] > 0).map((k) => plane.marks([points[k]], 0, 6 + 8 * Math.sqrt(lambda[k] / totals[k]))).join(""));
        lines.forEach((line, k) => line(bounds.shape(history.map((pair, step) => [step, 100 * pair[k] / history[0][0]]), false)));
        last(bounds.marks([upper, lower].map((v) => [history.length - 1, 100 * v / history[0][0]]), 0, 4));
        // The parabola in units of its own: δ over the larger of δ_ij and M, Q over its depth.
        const {bottom, least, step} = info, unit = Math.max(Math.abs(bottom), Math.abs(least)) || 1, square = info.square || 1;
        const change = (delta) => square * ((delta - bottom) ** 2 - bottom ** 2), depth = square * unit * unit;
        graph(parabola.shape(range(81).map((k) => { const delta = (k / 40 - 1) * 1.3 * unit; return [delta / unit, change(delta) / depth]; }), false));
        const wall = clip(least / unit, -1.3, 1.3);
        banned(parabola.shape([[-1.3, -2], [wall, -2], [wall, 1], [-1.3, 1]]));
        dots(parabola.marks([[step / unit, change(step) / depth]], 0, 5));
        hollow(parabola.marks([[bottom / unit, change(bottom) / depth]], 0, 8));
        notes[0]([wall, 0.8], "M", 4, 12);
        notes[1]([bottom / unit, change(bottom) / depth], "δᵢⱼ", -8, 22);
        const small = (v) => signed(+v.toPrecision(3)), clipped = bottom < least;
        figure.numbers([["steps taken", String(figure.steps.length)], ["bridge now", atMost(upper)], ["bound now", atLeast(lower)],
          ["best bound so far", atLeast(best)], ["δᵢⱼ", small(bottom)], ["M", small(least)], ["change of Q", small(change(step))]]);
        if (state.meet) return "p and q have met: the hulls share a point, and there is no line to find.";
        const outlook = Math.abs(change(step)) < 1e-12 * Math.abs(1 / (upper * upper)) ? `The pair ${name(i)}, ${name(j)} has nothing to gain.`
          : `The pair ${name(i)}, ${name(j)} would ${step > 0 ? "gain" : "lose"} weight${clipped ? `; the step is clipped at M, and ${listed([i, j].filter((k) => lambda[k] === -least).map(name))} leaves the mixture` : ""}.`;
        const done = upper - best <= 1e-6 * upper;
        return `After ${several(figure.steps.length, "step")} the distance of the hulls is between ${floor(best, 4)} and ${ceil(upper, 4)}${done ? ": done" : ""}. ${outlook}`;
      },
    };
  },

  /** Chapter 4: a price α in the place of a wall; the dual function, and a gap that may stay. */
  prices(figure) {
    const plane = figure.plane({width: 350, height: 320, xlim: [-1.7, 2.4], ylim: [-1.7, 3.5], axes: ["z", "F and L"], label: "F, where z is allowed, and the Lagrangian"});
    const dual = figure.plane({width: 350, height: 230, xlim: [0, 2.2], ylim: [-1.7, 1.2], axes: ["price α", "lowest value of L: θ(α)"], label: "The dual function"});
    figure.choice("which", "Problem", ["½z², z ≥ 1", "(z² − 1)² + ½z, z ≥ 0"]);
    figure.param("alpha", 0.4, 0, 2.2, 0.01);
    figure.param("z", 1.6, -1.5, 2.3, 0.01);
    const forbidden = plane.path("closed"), level = plane.path("axis"), whole = plane.path("allowed"), allowed = plane.path("curve"), lagrangian = plane.path("edge"), low = plane.path("ends", true);
    const faint = dual.path("allowed"), drawn = dual.path("curve"), line = dual.path("edge"), top = dual.path("axis"), names = [plane.text("name"), plane.text("name"), dual.text("name")];
    const {state} = figure;
    let now;
    const F = (z) => math.problems[state.which].F(z), g = (z) => math.problems[state.which].g(z);
    plane.handle({looks: "turn", r: 6, step: [0.01, 0], role: "slider", at: () => [state.z, F(state.z)], move: ([z]) => figure.set("z", z),
      label: () => "z. Arrow keys move it.", values: () => ({valuemin: -1.5, valuemax: state.which ? 1.6 : 2.3, valuenow: state.z, valuetext: `z = ${show(state.z)}, F = ${show(F(state.z), 3)}`})});
    dual.handle({looks: "turn", kind: 3, r: 5, step: [0.01, 0], role: "slider", at: () => [state.alpha, now.value], move: ([alpha]) => figure.set("alpha", alpha),
      label: () => "Price α. Arrow keys change it.", values: () => ({valuemin: 0, valuemax: 2.2, valuenow: state.alpha, valuetext: `α = ${show(state.alpha)}, θ = ${show(now.value, 3)}`})});
    return {
      solve() {
        state.z = clip(state.z, -1.5, state.which ? 1.6 : 2.3);  // F stays in sight
        now = math.prices(state.which, state.alpha);
      },
      draw() {
        const {which, alpha, z} = state, edge = which ? 0 : 1, zs = range(165).map((k) => -1.7 + k * 0.025), prices = range(111).map((k) => k / 50);
        const graph = (f, from = -9) => plane.shape(zs.filter((v) => v >= from - 1e-9).map((v) => [v, f(v)]), false);
        forbidden(plane.shape([[-9, -9], [edge, -9], [edge, 9], [-9, 9]]));
        whole(graph(F)); allowed(graph(F, edge)); lagrangian(graph((v) => F(v) + alpha * g(v)));
        level(plane.segments([[[-9, now.value], [9, now.value]]]));
        const twice = which && Math.abs(alpha - 0.5) < 1e-9;
        low(plane.marks(twice ? [[-1, 0], [1, 0]] : [[now.z, now.value]], 0, 5));
        names[0]([2.05, F(1.5)], "F", -8, 0); names[1]([-1.7, now.value], "θ(α)", 3, -5);
        const theta = (a) => [a, math.prices(which, a).value];
        faint(dual.shape(prices.map(theta), false));
        drawn(dual.shape([...prices.filter((a) => a < alpha), alpha].map(theta), false));
        line(dual.segments([[[0, F(z)], [2.2, F(z) + 2.2 * g(z)]]]));
        top(dual.segments([[[0, now.optimum], [2.2, now.optimum]]]));
        names[2]([2.2, now.optimum], "p*", -22, -5);
        const fits = g(z) <= 0;
        figure.numbers([["θ(α), a lower bound", signed(floor(now.value, 3))], ["F(z), an upper bound", fits ? signed(ceil(F(z), 3)) : "none, z is not allowed"],
          ["between them", fits ? show(F(z) - now.value, 3) : "–"], ["p*", show(now.optimum, 3)]]);
        const closed = now.optimum - now.value < 5e-4;
        const verdict = closed ? "Price and wall give the same value: no gap." : twice
          ? "This is the best price. L has two lowest points, and the gap of 0.483 stays." : `That is ${show(now.optimum - now.value, 3)} below p*.`;
        return `At the price ${show(alpha)} L is nowhere below ${signed(floor(now.value, 3))}, so no allowed z has a smaller F. ${verdict}`;
      },
    };
  },

  /** Chapter 7: two multipliers on their line in the box, the clipped step, and when to stop. */
  box(figure) {
    const {data, points, kinds, state} = figure, {y} = data, first = [...y], n = y.length, all = range(n);
    const plane = figure.plane({width: 330, equal: true, xlim: data.xlim, ylim: data.ylim, axes: data.axes, label: "Samples and the present line"});
    const ends = [[0, "0"], [1, "C"]];
    const square = figure.plane({width: 290, equal: true, xlim: [-0.1, 1.2], ylim: [-0.1, 1.1], axes: ["α of the first", "α of the second"], xticks: ends, yticks: ends, label: "The two multipliers in their box"});
    const wishes = figure.plane({width: 350, height: 190, xlim: [0.4, n + 0.6], ylim: [-1.1, 1.1], axes: ["sample", "g, in units of the largest"], xticks: all.map((i) => [i + 1, String(i + 1)]), yticks: [[0, "0"]],
      label: "The bias that every sample would like, and which way its multiplier can move"});
    figure.slider("logC", {label: "C", min: -1, max: 1, step: 0.1, value: Math.round(10 * Math.log10(data.C)) / 10, text: (v) => String(round(v))});
    figure.choice("i", "Up goes", all.map((i) => String(i + 1)), data.pair[0]);
    figure.choice("j", "down goes", all.map((i) => String(i + 1)), data.pair[1]);
    figure.param("t", 0.5, 0, 1, 0.01);
    figure.param("flips", 0, 0, 2 ** n - 1, 1);
    const band = plane.path("edge"), line = plane.path("line"), tie = plane.path("slack"), names = all.map(() => plane.text("name"));
    // Labels can be flipped, so a sample's marks lie over its handle.
    const drawSamples = samples(figure, plane, {movable: all, r: 6, bare: "bare", names: (i) => `Sample ${i + 1}, label ${y[i] > 0 ? "+1" : "−1"},`});
    const marks = [0, 1].map((k) => plane.path(`mark ${LOOK[kinds[k]]}`, true));
    const frame = square.path("curve thin"), whole = square.path("edge"), part = square.path("line"), here = square.path("ends", true), there = square.path("ring", true), notes = [square.text("name"), square.text("name")];
    frame(square.shape([[0, 0], [1, 0], [1, 1], [0, 1]]));
    const axis = wishes.path("axis"), ups = wishes.path("mark look1", true), downs = wishes.path("mark look0", true), levels = wishes.path("edge");
    axis(wishes.segments([[[0, 0], [n + 1, 0]]]));
    let now, step, C, K, solution;
    const chosen = () => [state.i, state.j], pairOf = (v) => [Math.floor(v / n), v % n];
    const trial = () => {
      const [i, j] = chosen(), a = step.L + state.t * (step.H - step.L), moved = -y[j] * (a - now.alpha[j]);
      return {moved, spot: [(now.alpha[i] + y[i] * moved) / C, a / C], gain: moved * step.slope - moved * moved * step.curvature / 2};
    };
    square.handle({looks: "turn", r: 7, step: [0, 0], role: "slider", at: () => trial().spot, label: () => "A trial pair on the line. Arrow keys move it.",
      move: ([, a], keys) => figure.set("t", keys ? state.t + keys / 100 : step.H > step.L ? (a * C - step.L) / (step.H - step.L) : 0),
      values: () => ({valuemin: 0, valuemax: 1, valuenow: state.t, valuetext: `${Math.round(100 * state.t)} % of the way from L to H, D changes by ${show(trial().gain, 3)}`})});
    figure.button("Take the best step", () => { if (step.best > 0 && figure.steps.length < 40) figure.steps.push(state.i * n + state.j); });
    figure.button("Choose the pair m, M", () => { figure.set("i", now.i); figure.set("j", now.j); });
    const last = () => y.filter((label) => label === y[state.i]).length === 1;
    figure.button("Flip the label of the first", () => { if (!last()) { figure.set("flips", state.flips ^ (1 << state.i)); figure.steps = []; } });
    return {
      take: (i, p) => { if (i < n) figure.place(i, p, plane); },
      pair: (v) => Number.isInteger(v) && v >= 0 && v < n * n && pairOf(v)[0] !== pairOf(v)[1],
      look: (i, j) => ({...now, ...math.boxStep(K, y, C, now, i, j)}),
      solve() {
        const flipped = first.map((label, i) => state.flips >> i & 1 ? -label : label);
        if (flipped.every((label) => label === flipped[0])) state.flips = 0;  // there must be two classes
        first.forEach((label, i) => { y[i] = state.flips ? flipped[i] : label; });
        C = round(state.logC); K = math.linear(points);
        now = math.boxRun(K, y, C, figure.steps.map(pairOf));
        step = math.boxStep(K, y, C, now, ...chosen());
        const at = now.alpha.map((a) => a <= 0 ? 0 : a >= C ? 1 : 0.5);
        solution = math.certified(K, y, C, now.alpha, (now.m + now.M) / 2, at);
      },
      draw() {
        const [i, j] = chosen(), {alpha, g, m, M} = now, {L, H} = step, w = math.line(points, y, {...solution, b: (m + M) / 2});
        drawSamples();
        [-1, 1].forEach((sign, k) => marks[k](plane.marks(points.filter((_, q) => y[q] === sign), kinds[k], 6)));
        points.forEach((p, q) => names[q](p, String(q + 1), 9, -8));
        const flat = length(w.w) < 1e-9;
        line(flat ? "" : plane.shape(plane.ends(w.w, -w.b), false));
        band(flat ? "" : plane.segments([plane.ends(w.w, 1 - w.b), plane.ends(w.w, -1 - w.b)]));
        tie(plane.segments([[points[i], points[j]]]));
        const slope = y[i] === y[j] ? -1 : 1, place = (a) => [(alpha[i] + slope * (a - alpha[j])) / C, a / C];
        const same = i === j;
        whole(same ? "" : square.segments([[place(alpha[j] - 3 * C), place(alpha[j] + 3 * C)]]));
        part(same ? "" : square.segments([[place(L), place(H)]]));
        here(same ? "" : square.marks([[alpha[i] / C, alpha[j] / C]], 0, 5));
        there(same ? "" : square.marks([place(alpha[j] - y[j] * step.best)], 0, 10));
        [L, H].forEach((v, k) => notes[k]([1.02, v / C], same ? "" : ["L", "H"][k], k && H - L < 0.1 * C ? 14 : 2, 4));
        const largest = Math.max(...g.map(Math.abs)) || 1;
        ups(now.up.map((q) => wishes.marks([[q + 0.88, g[q] / largest]], 1, 6)).join(""));
        downs(now.down.map((q) => `M${wishes.at([q + 1.12, g[q] / largest])}m0,7l6,-11h-12z`).join(""));
        levels(wishes.segments([m, M].map((v) => [[0, v / largest], [n + 1, v / largest]])));
        const small = (v) => signed(+v.toPrecision(3)), clipped = step.best === step.room && step.best < step.top;
        figure.numbers([["steps", String(figure.steps.length)], ["L, H", `${small(L)}, ${small(H)}`], ["best length", `${small(step.best)}${clipped ? ", clipped" : ""}`],
          ["its gain", small(step.gain)], ["gain at the handle", small(trial().gain)], ["m − M", small(m - M)],
          ["primal value", atMost(solution.primal)], ["dual value", atLeast(solution.dual)], ["α", alpha.map((a) => small(a)).join(", ")]]);
        const done = m - M <= 1e-3 ? " m is not above M by more than 0.001: this is the end." : "";
        const what = same ? "Choose two different samples." : step.room <= 0 ? `Sample ${i + 1} cannot go up while ${j + 1} goes down: there is no room.`
          : step.slope <= 0 ? `The pair ${i + 1} up, ${j + 1} down has nothing to gain.`
          : `The best step along the pair ${i + 1}, ${j + 1} is ${small(step.best)} long${clipped ? ", clipped by the box," : ""} and raises D by ${small(step.gain)}.`;
        return `${what} After ${several(figure.steps.length, "step")} m − M = ${small(m - M)}.${done}${last() ? ` Sample ${i + 1} is the last of its class and keeps its label.` : ""}`;
      },
    };
  },

  /** Chapter 2: what one unit across is worth upwards; the line turns. */
  units(figure) {
    const {data, points, kinds, state} = figure, {y} = data, [across, upwards] = data.units;
    const plane = figure.plane({width: 350, height: 380, xlim: data.xlim, ylim: data.ylim, axes: data.axes, label: "Samples, their hulls, the bridge and the line"});
    const corners = [-1, 1].map((sign) => math.hull(points.filter((_, i) => y[i] === sign)));
    const outer = corners.flat(), labels = corners.flatMap((all, k) => all.map(() => 2 * k - 1));
    const at = (log) => math.units(outer, labels, 10 ** log), [low, high] = data.range;
    const logs = range(161).map((k) => low + (high - low) * k / 160), graph = logs.map((log) => [log, at(log).slope]), slopes = graph.map((pair) => pair[1]);
    const span = Math.max(...slopes) - Math.min(...slopes) || 1;
    const curve = figure.plane({width: 350, height: 230, xlim: data.range, ylim: [Math.min(...slopes) - span / 8, Math.max(...slopes) + span / 8],
      xticks: range(9).map((k) => k - 4 + Math.round((low + high) / 2)).filter((k) => k >= low && k <= high).map((k) => [k, String(+(10 ** k).toPrecision(3))]),
      axes: [`1 ${across} counts as … ${upwards}`, `slope of the line (${upwards} per ${across})`], label: "The slope of the best line against the unit"});
    curve.path("curve")(curve.shape(graph, false));
    figure.slider("log", {label: `1 ${across} counts as`, min: low, max: high, step: 0.01, value: data.log, text: (v) => `${+(10 ** v).toPrecision(3)} ${upwards}`});
    const draw = bridgePaths(plane, kinds), marks = [0, 1].map((k) => plane.path(`mark ${LOOK[kinds[k]]} faint`)), rings = plane.path("ring", true);
    let now;
    curve.handle({looks: "turn", r: 6, step: [0.01, 0], role: "slider", at: () => [state.log, now.slope], move: ([log]) => figure.set("log", log),
      label: () => "The unit. Arrow keys change it.", values: () => ({valuemin: low, valuemax: high, valuenow: state.log, valuetext: `1 ${across} counts as ${+(10 ** state.log).toPrecision(3)} ${upwards}, slope ${show(now.slope, 1)}`})});
    return {
      solve() { now = at(state.log); },
      draw() {
        draw(corners, now, false);
        [-1, 1].forEach((sign, k) => marks[k](plane.marks(points.filter((_, i) => y[i] === sign), kinds[k], 3)));
        const carry = outer.filter((_, i) => now.weights[i] > 1e-9);
        rings(plane.marks(now.meet ? [] : carry, 0, 9));
        if (now.meet) return "The hulls meet in every unit: no line separates the classes.";
        const start = now.level / now.w[1], worth = `${+(10 ** state.log).toPrecision(3)} ${upwards}`;
        figure.numbers([["slope", `${show(now.slope, 1)} ${upwards} per ${across}`], ["rests on", several(carry.length, "sample")],
          ["line", `${data.axes[1].replace(/ \(.*/, "")} = ${show(now.slope, 1)} · ${data.axes[0].replace(/ \(.*/, "")} ${start < 0 ? "−" : "+"} ${show(Math.abs(start), 0)}`]]);
        return `If 1 ${across} counts as ${worth}, the best line has slope ${show(now.slope, 1)} and rests on ${several(carry.length, "sample")}. The bridge crosses it at a right angle only in a picture drawn to that scale.`;
      },
    };
  },

  /** Chapter 5: the plane is raised into a bowl, cut, and the cut casts a circle on the floor. */
  lift(figure) {
    const {data, points, kinds, state} = figure, {y} = data, squares = points.map((p) => dot(p, p)), top = Math.max(...squares), R = Math.sqrt(top);
    const plane = figure.plane({width: 380, height: 360, xlim: [-1.5 * R, 1.5 * R], ylim: [-0.9 * R, 2 * R], xticks: [], yticks: [], axes: ["", "seen from the side and a little above"], label: "The samples on the floor and on the bowl"});
    figure.slider("lift", {label: "lifted", min: 0, max: 1, step: 0.01, value: 0.6, text: (v) => `${Math.round(100 * v)} %`});
    figure.slider("turn", {label: "turned by", min: -180, max: 180, step: 5, value: 20, text: (v) => `${signed(v)}°`});
    figure.param("height", +(top / 4).toFixed(2), 0, +top.toFixed(2), 0.01);
    const tall = 1.5 * R / top, tilt = 0.4;
    /** Height z, in units of ‖x‖², over the point x of the floor. */
    const see = ([a, b], z) => {
      const t = state.turn * Math.PI / 180, across = a * Math.cos(t) - b * Math.sin(t), deep = a * Math.sin(t) + b * Math.cos(t);
      return [across, deep * tilt + z * tall * state.lift];
    };
    const round_ = (radius, z) => range(73).map((k) => see([radius * Math.cos(k * Math.PI / 36), radius * Math.sin(k * Math.PI / 36)], z));
    const floor_ = plane.path("closed"), cut = plane.path("tint look1"), bowl = plane.path("axis"), circle = plane.path("line"), rim = plane.path("edge"), down = plane.path("edge thin");
    const marks = [0, 1].map((k) => plane.path(`mark ${LOOK[kinds[k]]}`)), name = plane.text("name");
    const inner = y[squares.indexOf(Math.min(...squares))];
    const knob = () => [1.25 * R, state.height * tall * state.lift];
    plane.handle({looks: "turn", r: 7, step: [0, 0], role: "slider", at: knob, label: () => "Height of the cut. Arrow keys move it.",
      move: ([, up], keys) => figure.set("height", keys ? state.height + keys / 100 : state.lift > 0.05 ? up / (tall * state.lift) : state.height),
      values: () => ({valuemin: 0, valuemax: figure.params.height.max, valuenow: state.height, valuetext: `height ${show(state.height)}`})});
    return {
      draw() {
        const {height, lift} = state, corner = 1.1 * R, frame = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => [a * corner, b * corner]);
        floor_(plane.shape(frame.map((p) => see(p, 0))));
        const raised = lift > 0, radius = Math.sqrt(height);
        cut(raised ? plane.shape(frame.map((p) => see(p, height))) : "");
        bowl(raised ? range(5).map((k) => plane.shape(round_(R * (k + 1) / 5, top * ((k + 1) / 5) ** 2), false)).join("") : "");
        rim(raised ? plane.shape(round_(radius, height), false) : "");
        circle(plane.shape(round_(radius, 0), false));
        down(raised ? plane.segments([0, 18, 36, 54].map((k) => [round_(radius, 0)[k], round_(radius, height)[k]])) : "");
        [-1, 1].forEach((sign, k) => marks[k](plane.marks(points.map((p, i) => see(p, squares[i])).filter((_, i) => y[i] === sign), kinds[k], 4)));
        name(knob(), "cut", 14, 4);
        const wrong = squares.filter((v, i) => (v <= height) !== (y[i] === inner)).length;
        const inside = Math.max(...squares.filter((_, i) => y[i] === inner)), outside = Math.min(...squares.filter((_, i) => y[i] !== inner));
        figure.numbers([["height of the cut", show(height)], ["radius of the circle", show(radius, 3)], ["samples on the wrong side", `${wrong} of ${y.length}`],
          ["highest inner, lowest outer", `${show(inside, 3)}, ${show(outside, 3)}`]]);
        const verdict = wrong ? `${several(wrong, "sample is", "samples are")} on the wrong side of it.` : "It has the inner class below and the outer one above.";
        return `The level cut at height ${show(height)} meets the bowl in a circle, which stands over the circle of radius ${show(radius, 3)} on the floor. ${verdict}`;
      },
    };
  },
};

// ---- The page ----------------------------------------------------------------------------------
const figures = {};
function scan() {
  for (const root of document.querySelectorAll(".explorable:not([data-alive])")) figures[root.id] = new Figure(root);
}
window.svmExplorable = {math, figures, scan};
window.addEventListener("hashchange", () => { for (const figure of Object.values(figures)) if (figure.visit()) figure.change(); });
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", scan); else scan();
})();

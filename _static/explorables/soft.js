// The soft margin and its certificate: for the outlier, the RBF machine and the box.
(() => {
"use strict";
const {math} = svmExplorable, {dot, sum, mixture, centred, UNIT} = math;

const linear = (X) => { const {Z} = centred(X); return Z.map((a) => Z.map((b) => dot(a, b))); };

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

Object.assign(math, {linear, factor, softMargin, certified, line});
})();

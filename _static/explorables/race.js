// Chapter 12: SMO and Newton's method on one problem, by what they cost; and the ramp of the stage.
(() => {
"use strict";
const {math, pieces, round, priced, tenTo, several, LOOK} = svmExplorable, {range, clip, sum, dot, minus} = math;

const times = (K, v) => K.map((row) => sum(row.map((k, j) => k * v[j])));
/** The relative gap of feasible signed multipliers β with g = y − Kβ, and a bias. */
function gapOf(y, C, beta, g, b) {
  let square = 0, slack = 0, total = 0;
  for (let i = 0; i < y.length; i++) {
    square += beta[i] * (y[i] - g[i]); slack += Math.max(0, y[i] * (g[i] - b)); total += beta[i] * y[i];
  }
  return 1 - (total - square / 2) / (square / 2 + C * slack);
}

/** SMO of chapter 8, with the partner that gains most, until the gap is at most tol; `work` counts
multiplications as chapter 12 does, d for a value of K. */
function smoRun(K, y, C, tol, d, most = 30000) {
  const n = y.length, lo = y.map((s) => Math.min(0, C * s)), hi = y.map((s) => Math.max(0, C * s));
  const beta = y.map(() => 0), g = [...y], steps = [{gap: 1, work: 0}], asked = new Set();
  while (steps.at(-1).gap > tol && steps.length <= most) {
    let i = -1, j = -1, best = 0, m = -Infinity, M = Infinity;
    for (let k = 0; k < n; k++) if (beta[k] < hi[k] && (i < 0 || g[k] > g[i])) i = k;
    const u = K[i], curvature = (k) => Math.max(u[i] + K[k][k] - 2 * u[k], 1e-15);
    for (let k = 0; k < n; k++) {
      const slope = g[i] - g[k];
      if (beta[k] > lo[k] && slope > 0 && slope * slope > best * curvature(k)) { best = slope * slope / curvature(k); j = k; }
    }
    if (j < 0) break;  // only rounding is left
    const v = K[j], length = Math.min((g[i] - g[j]) / curvature(j), hi[i] - beta[i], beta[j] - lo[j]);
    beta[i] = length === hi[i] - beta[i] ? hi[i] : beta[i] + length;
    beta[j] = length === beta[j] - lo[j] ? lo[j] : beta[j] - length;
    for (let k = 0; k < n; k++) {
      g[k] -= length * (u[k] - v[k]);
      if (beta[k] < hi[k]) m = Math.max(m, g[k]);
      if (beta[k] > lo[k]) M = Math.min(M, g[k]);
    }
    asked.add(i).add(j);  // rows of K, which are kept
    steps.push({i, j, gap: gapOf(y, C, beta, g, (m + M) / 2), work: n * d * asked.size + 2 * n * steps.length});
  }
  return steps;
}

/** If these were free and the others stayed: p and b with (K_FF + hI) p + b = y + hc − K q of the rest. */
function oneSystem(K, s, q, h, free) {
  const F = range(q.length).filter((i) => free[i]), p = q.map((v, i) => free[i] ? 0 : v), Kp = times(K, p);
  const solve = math.factor(F.map((i) => F.map((j) => K[i][j] + (i === j ? h : 0))));
  const u = solve(F.map((i) => s[i] + h * q[i] - Kp[i])), v = solve(F.map(() => 1)), b = (sum(u) + sum(p)) / sum(v);
  F.forEach((i, k) => { p[i] = u[k] - b * v[k]; });
  return [p, b];
}
/** Newton's method on the rounded hinge, every step of every stage, until the gap is at most tol. */
function newtonRun(K, y, C, tol, d, most = 200) {
  const n = y.length, lo = y.map((s) => Math.min(0, C * s)), hi = y.map((s) => Math.max(0, C * s));
  let c = y.map(() => 0), b = 0, h = 2 / C, stage = 1, work = n * n * d;
  const look = (s) => s.map((v, i) => clip(c[i] + (y[i] - v) / h, lo[i], hi[i]));
  const judged = (q) => {  // made feasible: the heavier class as heavy as the other
    const part = (sign) => Math.abs(sum(q.filter((_, i) => y[i] === sign))), light = Math.min(part(1), part(-1));
    const beta = q.map((v, i) => v * (light / part(y[i]) || 0)), Kb = times(K, beta);
    return gapOf(y, C, beta, y.map((v, i) => v - Kb[i]), b);
  };
  const blank = y.map(() => 0), steps = [{stage, h, c, b, s: blank, q: look(blank), free: n, gap: 1, work}];
  for (let beta = c; steps.length <= most;) {
    const inside = (v, i) => v > lo[i] && v < hi[i];
    let s = times(K, beta).map((v) => v + b), q = look(s);
    if (!q.some(inside)) {  // none is on the ramp: move b alone, to the middle of where the q sum to zero
      const far = Math.max(...s.map((v, i) => Math.abs(y[i] - v))) + h * C;
      const end = (total) => {
        let low = -far, high = far;
        for (let k = 0; k < 60; k++) { const t = (low + high) / 2; if (sum(look(s.map((v) => v + t))) > total) low = t; else high = t; }
        return low;
      };
      const alone = (end(1e-9 * C) + end(-1e-9 * C)) / 2;
      b += alone; s = s.map((v) => v + alone); q = look(s);
    }
    const free = q.map(inside), m = free.filter(Boolean).length;
    const [p, bp] = m ? oneSystem(K, s, q, h, free) : [q, b], move = p.map((v, i) => v - beta[i]);
    const ds = times(K, move).map((v) => v + bp - b), qp = look(s.map((v, i) => v + ds[i]));
    work += m ** 3 / 6 + n * move.filter(Boolean).length;
    const bend = sum(move.map((v, i) => v * (ds[i] - bp + b))), a = sum(move.map((v, i) => v * (s[i] - b)));
    const slope = (t) => a + t * bend - sum(look(s.map((v, i) => v + t * ds[i])).map((v, i) => v * ds[i]));
    const done = Math.max(...qp.map((v, i) => Math.abs(v - p[i]))) <= 1e-6 * C || slope(0) >= 0;
    let t = 1, low = 0;
    while (!done && slope(t) < 0 && t < 1e9) { low = t; t *= 2; }
    for (let high = t, k = 0; !done && k < 60; k++) { t = (low + high) / 2; if (slope(t) < 0) low = t; else high = t; }
    beta = beta.map((v, i) => v + t * move[i]); b += t * (bp - b);
    const there = s.map((v, i) => v + t * ds[i]), now = look(there);
    steps.push({stage, h, c, b, s: there, q: now, free: m, gap: judged(now), work, done});
    if (!done) continue;
    if (steps.at(-1).gap <= tol || stage > 12) break;
    c = beta = now; h = Math.max(h / 10, 1e-6); stage++;  // a smaller h drowns in rounding
  }
  return steps;
}
Object.assign(math, {smoRun, newtonRun});

pieces.race = (figure) => {
  const {data, state} = figure, {X, y} = data, n = y.length, tol = 1e-6, K = X.map((u) => X.map((v) => Math.exp(-data.gamma * dot(minus(u, v), minus(u, v)))));
  const xlim = [2, 7], tens = (all) => all.map((k) => [k, tenTo(k)]);
  const plane = figure.plane({width: 400, height: 350, xlim, ylim: [-6.6, 0.3], axes: ["multiplications", "relative duality gap"],
    xticks: tens([2, 3, 4, 5, 6, 7]), yticks: tens([0, -2, -4, -6]), label: "The relative duality gap of both methods against their cost"});
  const ramp = figure.plane({width: 360, height: 240, xlim: [-1.6, 3.4], ylim: [-0.06, 1.06], axes: ["margin y f(x)", "α / C of every sample, and its ramp"],
    yticks: [[0, "0"], [1, "1"]], label: "The ramps of the stage, and where the samples are on them"});
  priced(figure, "logC", "price C", data.C, 0, 3, (v) => v < 3 ? String(round(v)) : `${round(v)} (the largest here)`);
  let price, runs, best;
  const run = (C) => {
    price = C; runs = {smo: smoRun(K, y, C, tol, 2), newton: newtonRun(K, y, C, tol, 2)}; best = {};  // so far
    for (const which of ["smo", "newton"]) { let least = 1; best[which] = runs[which].map(({gap}) => least = Math.max(Math.min(least, gap), 1e-16)); }
  };
  run(round(state.logC));
  // At first one Newton step, and as many of SMO as cost the same.
  figure.param("smo", runs.smo.findLastIndex((step) => step.work <= runs.newton[1].work), 1, 30000, 1);
  figure.param("newton", 1, 1, 200, 1);
  const names = {smo: "SMO", newton: "Newton"}, kinds = {smo: 0, newton: 1};
  const x = (step) => clip(Math.log10(step.work), ...xlim), spot = (which, k) => [x(runs[which][k]), Math.max(-6.2, Math.log10(best[which][k]))];
  const told = (which, k = state[which]) => { const e = Math.floor(Math.log10(best[which][k])); return `${several(k, which === "smo" ? "step" : "system")}, gap ${Math.floor(best[which][k] / 10 ** e)} · ${tenTo(e)}`; };
  const nearest = (which, at) => runs[which].reduce((a, step, k) => Math.abs(x(step) - at) < Math.abs(x(runs[which][a]) - at) ? k : a, 0);
  for (const which of ["smo", "newton"]) {
    plane.lever(which, {at: () => spot(which, state[which]), read: ([at]) => nearest(which, at), keys: 1, kind: kinds[which], looks: LOOK[kinds[which]],
      label: () => `Steps of ${names[which]}`, text: () => told(which)});
  }
  const full = (which) => state[which] >= runs[which].length - 1, over = () => full("smo") && full("newton");
  figure.button("Step of SMO", () => { figure.set("smo", state.smo + 1); }, () => full("smo"));
  figure.button("Newton step", () => { figure.set("newton", state.newton + 1); }, () => full("newton"));
  figure.play("Let both run", () => {  // to twice of what they have cost
    const spent = Math.max(100, ...["smo", "newton"].map((which) => runs[which][state[which]].work));
    for (const which of ["smo", "newton"]) figure.set(which, Math.max(state[which], runs[which].filter((step) => step.work <= 2 * spent).length - 1));
  }, over);
  return {
    solve() {
      if (price !== round(state.logC)) run(round(state.logC));
      for (const which of ["smo", "newton"]) state[which] = Math.min(state[which], runs[which].length - 1);
    },
    draw() {
      const C = price, now = runs.newton[state.newton], {s, q, c, h, stage} = now;
      plane.curve("axis", [[xlim[0], Math.log10(tol)], [xlim[1], Math.log10(tol)]]);
      for (const which of ["smo", "newton"]) {
        const some = (to) => range(to + 1).filter((k) => k < 50 || k === to || k % Math.floor(k / 50) === 0).map((k) => spot(which, k));
        const whole = some(runs[which].length - 1), look = LOOK[kinds[which]];
        plane.curve(`curve own faint thin ${look}`, whole);
        plane.curve(`curve own ${look}`, some(state[which]));
        const first = whole.at(-1)[0] <= x(runs[which === "smo" ? "newton" : "smo"].at(-1));
        plane.text(whole.at(-1), names[which], first ? -8 : 8, -4, first ? "end" : "start");
      }
      const share = q.map((v) => Math.abs(v) / C), centre = c.map((v) => Math.abs(v) / C), margin = s.map((v, i) => v * y[i]);
      ramp.curve("allowed", [[-9, 1], [1, 1], [1, 0], [9, 0]]);
      const free = range(n).filter((i) => share[i] > 0 && share[i] < 1);
      ramp.curves("axis faint", free.map((i) => [[-9, 1], [1 - (1 - centre[i]) * h * C, 1], [1 + centre[i] * h * C, 0], [9, 0]]));
      ramp.samples(3.5, "", range(n).map((i) => [margin[i], share[i]]));
      ramp.marks("ends", free.map((i) => [1, centre[i]]), 3, 3);
      figure.numbers([["SMO", told("smo")], ["Newton", told("newton")], ["stage", String(stage)], ["h", String(+h.toPrecision(1))], ["on the ramp", `${free.length} of ${n}`]]);
      const [a, b] = ["smo", "newton"].map((which) => runs[which].at(-1).work), ratio = Math.max(a, b) / Math.min(a, b);
      if (["smo", "newton"].some((which) => runs[which].at(-1).gap > tol)) return "For this problem one of the two methods does not reach a relative duality gap of 10⁻⁶ in the steps that are kept.";
      return `C = ${C}: for a relative duality gap of 10⁻⁶ SMO takes ${several(runs.smo.length - 1, "step")}, Newton's method ${several(runs.newton.length - 1, "system")}; ${a > b ? "SMO" : "Newton's method"} costs ${+ratio.toPrecision(2)} times as much. ${over() ? "Both methods are there." : `Newton's method is in stage ${stage}, with ${several(free.length, "sample")} on the ramp.`}`;
    },
  };
};
})();

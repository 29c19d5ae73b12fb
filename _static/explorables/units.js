// Chapter 2: what one unit across is worth upwards; the line turns.
(() => {
"use strict";
const {math, pieces, show, small, several} = svmExplorable, {range, clip, dot} = math;

/** The best line if one unit across counts as so many upwards, told in the units given. */
function units(X, y, worth) {
  const found = math.closest(X.map(([a, b]) => [a, b / worth]), y), back = ([a, b]) => [a, b * worth];
  const p = back(found.p), q = back(found.q), w = [found.w[0], found.w[1] / worth];
  return {...found, p, q, w, slope: -w[0] / w[1], level: (dot(w, p) + dot(w, q)) / 2};
}
Object.assign(math, {units});

pieces.units = (figure) => {
  const {data, state} = figure, [across, upwards] = data.units, [low, high] = data.range;
  const plane = figure.plane({width: 350, height: 380, equal: false, label: "Samples, their hulls, the bridge and the line"});
  const corners = figure.hulls(), outer = corners.flat(), labels = corners.flatMap((all, k) => all.map(() => 2 * k - 1));
  const at = (log) => units(outer, labels, 10 ** log);
  // The slope over the unit. An upright line has none, and cuts the curve in two.
  const runs = [];
  let side;
  for (const log of range(161).map((k) => low + (high - low) * k / 160)) {
    const {slope, w} = at(log);
    if (side !== Math.sign(w[1])) runs.push([]);
    side = Math.sign(w[1]);
    if (Number.isFinite(slope)) runs.at(-1).push([log, slope]);
  }
  const slopes = runs.flat().map((pair) => pair[1]), least = Math.min(...slopes), most = Math.max(...slopes), room = (most - least || 1) / 8;
  const curve = figure.plane({width: 350, height: 230, xlim: data.range, ylim: slopes.length ? [least - room, most + room] : [-1, 1],
    xticks: range(9).map((k) => k - 4 + Math.round((low + high) / 2)).filter((k) => k >= low && k <= high).map((k) => [k, String(+(10 ** k).toPrecision(3))]),
    axes: [`1 ${across} counts as … ${upwards}`, `slope of the line (${upwards} per ${across})`], label: "The slope of the best line against the unit"});
  let now;
  const worth = () => `${+(10 ** state.log).toPrecision(3)} ${upwards}`, upright = () => !Number.isFinite(now.slope);
  const sloped = () => upright() ? "no slope, it is upright," : `slope ${show(now.slope, 1)}`;
  figure.slider("log", {label: `1 ${across} counts as`, min: low, max: high, step: 0.01, value: data.log, text: worth});
  figure.choice("true", "Drawn", ["to fill the picture", "to that scale"]);
  /** Limits of the picture: all of the samples, and with one length for what counts the same. */
  const limits = () => {
    const wide = data.xlim[1] - data.xlim[0], high = data.ylim[1] - data.ylim[0], count = 10 ** state.log;
    const scale = Math.min(plane.w / wide, plane.h * count / high);  // pixels for 1 across
    const around = ([low, high], size) => [(low + high - size) / 2, (low + high + size) / 2];
    return state.true ? [around(data.xlim, plane.w / scale), around(data.ylim, plane.h * count / scale)] : [data.xlim, data.ylim];
  };
  curve.lever("log", {r: 6, keys: 0.01, at: () => [state.log, clip(now.slope || 0, ...curve.ylim)], read: ([log]) => log,
    label: () => "The unit", text: () => `1 ${across} counts as ${worth()}, ${sloped()}`});
  return {
    solve() { now = at(state.log); },
    draw() {
      plane.view(...limits());
      const {w, slope, level, meet} = now, carry = outer.filter((_, i) => now.weights[i] > 1e-9);
      plane.hulls(corners);
      if (!meet) plane.curve("line", plane.ends(w, level));
      plane.bridge(now);
      plane.samples(3, "faint");
      curve.curves("curve", runs);
      if (meet) return "The hulls meet in every unit: no line separates the classes.";
      plane.rings(carry, 9);
      const start = level / w[1], [x, y] = data.axes.map((axis) => axis.replace(/ \(.*/, ""));
      figure.numbers([["slope", upright() ? "none" : `${show(slope, 1)} ${upwards} per ${across}`], ["rests on", several(carry.length, "sample")],
        ["line", upright() ? `${x} = ${small(level / w[0])}` : `${y} = ${show(slope, 1)} · ${x} ${start < 0 ? "−" : "+"} ${show(Math.abs(start), 0)}`]]);
      return `If 1 ${across} counts as ${worth()}, the best line has ${sloped()} and rests on ${several(carry.length, "sample")}. ${state.true ? "In this picture, drawn to that scale, the bridge crosses it at a right angle." : "The bridge crosses it at a right angle only in a picture drawn to that scale."}`;
    },
  };
};
})();

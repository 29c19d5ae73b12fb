// Chapter 9: where to draw the line between two rows of decision values, and what it costs.
(() => {
"use strict";
const {math, pieces, round, priced, several, show, signed, LOOK} = svmExplorable, {range, sum} = math;

/** Every threshold from low to high, the last above all f: whom f ≥ t misses (y > 0) and alarms. */
function thresholds(f, y) {
  const order = range(f.length).sort((i, j) => f[i] - f[j]), all = [];
  let missed = 0, alarms = y.filter((label) => label <= 0).length;
  order.forEach((i, k) => {
    if (!k || f[i] > f[order[k - 1]]) all.push({t: f[i], missed, alarms});
    if (y[i] > 0) missed++; else alarms--;
  });
  return [...all, {t: Infinity, missed, alarms}];
}
const cost = ({missed, alarms}, miss) => miss * missed + alarms;
/** The cheapest of them, the lowest of equals. */
const cheapest = (all, miss) => all.reduce((a, b) => cost(b, miss) < cost(a, miss) ? b : a);
/** What was said and what was true, for five groups in order of what was said. */
function fifths(p, y) {
  const order = range(p.length).sort((i, j) => p[i] - p[j]), size = Math.floor(p.length / 5), rest = p.length % 5;
  const mean = (v, rows) => sum(rows.map((i) => v[i])) / rows.length;
  return range(5).map((k) => order.slice(k * size + Math.min(k, rest), (k + 1) * size + Math.min(k + 1, rest)))
    .filter((rows) => rows.length).map((rows) => [mean(p, rows), mean(y.map((label) => label > 0 ? 1 : 0), rows), rows.length]);
}
Object.assign(math, {thresholds, cheapest, fifths});

pieces.threshold = (figure) => {
  const {data, state} = figure, {f, labels: y, shift} = data, [other, rare] = data.classes;
  const all = thresholds(f, y), ends = [Math.min(...f), Math.max(...f)], pad = 0.06 * (ends[1] - ends[0]) || 1, xlim = [ends[0] - pad, ends[1] + pad];
  const size = {1: y.filter((label) => label > 0).length}; size[0] = y.length - size[1];
  const p = (t) => 1 / (1 + Math.exp(-t - shift));
  const groups = fifths(f.map(p), y), error = ([, fact, n]) => Math.sqrt(fact * (1 - fact) / n);
  const top = Math.min(1, 1.1 * Math.max(...groups.map((g) => Math.max(g[0], g[1] + error(g)))));
  // From below: the cost, and two rows of dots, each on top of those that are as near as it is wide.
  const plane = figure.plane({width: 400, height: 420, xlim, ylim: [0, 3.1], axes: ["decision value f(x)", ""], yticks: [],
    label: "Decision values of both classes, the threshold and the cost"});
  const roc = figure.plane({width: 200, height: 220, xlim: [0, 1], ylim: [0, 1.02], axes: [`${other}: called`, `${rare}: found`], xticks: [[0, "0"], [0.5, "½"], [1, "1"]],
    yticks: [[0, "0"], [0.5, "½"], [1, "1"]], label: "ROC curve, and the line of equal cost through the threshold"});
  const words = figure.plane({width: 200, height: 220, xlim: [0, top], ylim: [0, top], axes: ["probability said", `${rare} in fact`],
    label: "Reliability in fifths, and the threshold as a probability"});
  const stacks = {}, spots = f.map((v, i) => {
    const key = `${y[i] > 0}${Math.round((v - xlim[0]) / (xlim[1] - xlim[0]) * 80)}`, level = stacks[key] = (stacks[key] ?? -1) + 1;
    return [v, (y[i] > 0 ? 2.35 : 1.25) + 0.04 * level];
  });
  figure.param("t", data.t, xlim[0], xlim[1], 1e-4);
  priced(figure, "miss", "a miss costs", data.miss, 0, 2, (v) => several(round(v), "false alarm"));
  const price = () => round(state.miss), at = (t) => all.find((step) => t <= step.t), most = () => Math.max(size[0], price() * size[1]);
  const height = (step) => 0.05 + 0.85 * cost(step, price()) / most();
  plane.lever("t", {at: () => [state.t, height(at(state.t))], read: ([t]) => t, keys: 0.02, label: () => "Threshold",
    text: () => `t = ${show(state.t)}, cost ${show(cost(at(state.t), price()), 0)}`});
  figure.button("Show the cheapest", () => { figure.set("t", Math.min(cheapest(all, price()).t, xlim[1])); });
  return {
    draw() {
      const now = at(state.t), best = cheapest(all, price()), miss = price(), spent = cost(now, miss), {missed, alarms} = now;
      const found = size[1] - missed, passed = size[0] - alarms, money = (v) => signed(+v.toFixed(2));
      plane.area("street", [[state.t, 0], [xlim[1], 0], [xlim[1], 3.1], [state.t, 3.1]]);
      plane.curve("axis", [[xlim[0], 1.15], [xlim[1], 1.15]]);
      plane.curve("axis", [[xlim[0], 2.25], [xlim[1], 2.25]]);
      for (const label of [0, 1]) for (const wrong of [false, true]) {
        const mine = spots.filter((_, i) => y[i] > 0 === (label > 0) && (f[i] >= state.t !== label > 0) === wrong);
        plane.marks(`mark ${LOOK[figure.kinds[label]]} ${wrong ? "wrong" : "faint"}`, mine, wrong ? 3.2 : 2.5, figure.kinds[label]);
      }
      const stairs = all.flatMap((step, k) => [[k ? all[k - 1].t : xlim[0], height(step)], [Math.min(step.t, xlim[1]), height(step)]]);
      plane.curve("curve", stairs);
      plane.curve("line", [[state.t, 0], [state.t, 3.1]]);
      plane.rings([[Math.min(best.t, xlim[1]), height(best)]], 9);
      plane.text([xlim[1], 3.1], `called ${rare} →`, -2, 12, "end");
      for (const [row, words, side] of [[2.35, `${missed} ${rare} missed`, 0], [2.35, `${found} found`, 1], [1.25, `${passed} ${other} let go`, 0], [1.25, `${alarms} false alarms`, 1]]) {
        plane.text([xlim[side], row], words, side ? -2 : 4, -62 + 20 * (row > 2), side ? "end" : "start");
      }
      const along = (state.t - xlim[0]) / (xlim[1] - xlim[0]);
      if (along > 0.25) plane.text([xlim[0], height(all[0])], `call all: ${money(cost(all[0], miss))}`, 4, -6);
      if (along < 0.75) plane.text([xlim[1], height(all.at(-1))], `call nobody: ${money(cost(all.at(-1), miss))}`, -2, -6, "end");
      const side = state.t - best.t > 0.1 * (xlim[1] - xlim[0]) ? -1 : 1;  // where the curve leaves room
      plane.text([state.t, height(now)], `cost ${money(spent)}`, 12 * side, -14, side < 0 ? "end" : "start");
      const spot = ({missed, alarms}) => [alarms / size[0], 1 - missed / size[1]], here = spot(now), slope = size[0] / (miss * size[1]);
      roc.curve("axis", [[0, 0], [1, 1]]);
      roc.curve("curve", all.map(spot));
      roc.curve("edge", [-2, 2].map((d) => [here[0] + d, here[1] + slope * d]));
      roc.rings([spot(best)], 8);
      roc.marks("ends", [here], 5);
      const asked = 1 / (1 + miss), said = p(state.t);
      words.curve("axis", [[0, 0], [1, 1]]);
      words.curves("slack", groups.map((g) => [[g[0], g[1] - error(g)], [g[0], g[1] + error(g)]]));
      words.curve("curve", groups);
      words.marks("ends", groups, 4);
      words.curves("edge", [[[said, 0], [said, 1]], [[0, asked], [1, asked]]]);
      if (said < top) words.text([said, top], "threshold", said < top / 2 ? 4 : -4, 10, said < top / 2 ? "start" : "end");
      if (asked < top) words.text([top, asked], "asked by the price", 0, -5, "end");
      figure.numbers([[`${rare}: found, missed`, `${found}, ${missed}`], [`${other}: called, let go`, `${alarms}, ${passed}`],
        ["cost", `${missed} × ${miss} + ${alarms} = ${money(spent)}`], ["cheapest", `${money(cost(best, miss))} at ${Number.isFinite(best.t) ? show(best.t) : "no call at all"}`],
        ["recall", show(found / size[1])], ["precision", found + alarms ? show(found / (found + alarms)) : "nobody called"],
        ["threshold as a probability", `${show(said)}; the price asks ${show(asked)}`]]);
      const over = spent - cost(best, miss);
      return `At the threshold ${show(state.t)}, ${found} of ${size[1]} ${rare} are found and ${alarms} of ${size[0]} ${other} are called: cost ${money(spent)}. ${over ? `The cheapest threshold costs ${money(cost(best, miss))}.` : "No threshold is cheaper."}`;
    },
  };
};
})();

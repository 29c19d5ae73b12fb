// Chapter 1, street: turn a line, and the street opens as far as it can. Chapter 4, forces: what the
// samples press with on a street, and which way that turns it.
(() => {
"use strict";
const {math, pieces, signed, show, small, below, above, several, letter, listed} = svmExplorable;
const {range, clip, plus, minus, dot, turned, sum} = math;
const angleOf = (w) => Math.atan2(w[1], w[0]) * 180 / Math.PI;

/** A street that a handle turns, by at most `reach` degrees from `middle`; or the best there is. */
function turning(figure, plane, middle, reach, angle, best, what) {
  const {data, points, state} = figure, {y} = data, size = 0.4 * (plane.xlim[1] - plane.xlim[0]);
  const near = (degrees) => degrees - 360 * Math.round((degrees - middle) / 360);
  const centre = [plane.xlim, plane.ylim].map(([low, high]) => (low + high) / 2);
  const now = {near, solve() {
    now.best = math.closest(points, y);
    const direction = state.best && !now.best.meet ? angleOf(now.best.w) : state.angle;
    state.angle = clip(near(direction), middle - reach, middle + reach);
    now.s = math.street(points, y, state.angle);
    now.hint = plus(plus(centre, now.s.w, now.s.middle - dot(now.s.w, centre)), turned(now.s.w), -size);
  }, draw() {
    plane.street(now.s.w, now.s.bMinus, now.s.bPlus, now.s.width > 0 ? "street" : "closed");
    plane.text(now.hint, "turn", 13, 5);
  }};
  figure.param("angle", angle, middle - reach, middle + reach, 0.1);
  figure.param("best", best, 0, 1, 1);  // 1: the direction follows the best street
  plane.lever("angle", {r: 9, keys: 0.5, label: () => `Direction of the ${what}`, at: () => now.hint,
    read: (p) => near(angleOf(minus(p, plus(now.hint, turned(now.s.w), size))) + 90),
    text: () => `${show(state.angle, 1)} degrees, width ${show(now.s.width, 3)}`});
  return now;
}
const following = (figure) => ({
  follows: (key) => key === "angle" && figure.state.best,
  slid(key) { if (key === "angle") figure.state.best = 0; },
});

pieces.street = (figure) => {
  const {data, points, state} = figure, {y} = data;
  const first = math.closest(points, y), size = first.meet ? first.R / 8 || 1 : first.upper;
  const middle = Math.round(angleOf(first.meet ? [0, 1] : first.w) / 30) * 30, sides = [middle - 90, middle + 90];
  const plane = figure.plane({width: 300, label: "Samples, and the street between them"});
  const curve = figure.plane({width: 350, height: 250, xlim: sides, ylim: [-2 * size, 1.4 * size],
    xticks: range(4).map((k) => [sides[0] + 60 * k, `${signed(sides[0] + 60 * k)}°`]),
    axes: ["angle of w", "width τ of the street"], label: "The width of the street, for every direction"});
  const now = turning(figure, plane, middle, 90, data.angle, 0, "line");
  figure.param("record", data.angle, ...sides);  // the reader's best direction so far
  figure.movable(5);
  let record;
  figure.button("Show the best", () => { state.best = 1; });
  return {
    ...following(figure),
    solve() {
      now.solve();
      record = math.street(points, y, state.record);
      if (!state.best && now.s.width > record.width) { state.record = state.angle; record = now.s; }
    },
    draw() {
      const {s: {w, width, touching, middle: level}, best, near} = now, {angle} = state, found = width >= best.lower * (1 - 1e-9);
      const ghost = record.width > 0 && (state.best || record.width > width);
      if (ghost) plane.curve("slack faint", plane.ends(record.w, record.middle));
      now.draw();
      plane.samples(3.75, "faint");
      plane.rings(touching.map((i) => points[i]));
      const corners = figure.hulls().flatMap((hull, k) => hull.map((p) => [p, 2 * k - 1]));
      const widthAt = (a) => math.street(corners.map((c) => c[0]), corners.map((c) => c[1]), a).width;
      const angles = range(361).map((k) => sides[0] + k / 2);
      if (!best.meet) angles.push(clip(near(angleOf(best.w)), ...sides));
      const graph = angles.sort((a, b) => a - b).map((a) => [a, widthAt(a)]), mark = [angle, Math.max(width, curve.ylim[0])];
      curve.area("open", [[sides[0], 0], ...graph.map(([a, v]) => [a, Math.max(0, v)]), [sides[1], 0]]);
      curve.curve("axis", sides.map((a) => [a, 0]));
      curve.curve("curve", graph);
      if (ghost) curve.rings([[near(state.record), record.width]], 6);
      if (mark[1] === width) curve.marks("ends", [mark], 5); else curve.path("ends", `M${curve.at(mark)}m-6,-12h12l-6,11z`, curve.over);
      curve.text(mark, show(width, 3), -48, mark[1] === width ? 4 : -16);
      figure.numbers([
        ["angle of w", `${show(angle, 1)}°`],
        ["width of your street", show(width, 3)],
        ["widest possible", best.meet ? "there is none" : `${below(best.lower, 3)} to ${above(best.upper, 3)}`],
        ...record.width > 0 ? [["your best so far", `${below(100 * record.width / best.upper, 1)} %`]] : [],
      ]);
      if (best.meet) return `The hulls of the classes share the point ${figure.said(best.p.map((v) => +v.toPrecision(4)))}: no direction opens a street.`;
      const wrong = points.filter((p, i) => (dot(w, p) >= level) !== (y[i] > 0)).length;
      if (!(width > 0)) return `No street along this direction: τ = ${show(width, 3)}. The line in the middle has ${several(wrong, "sample")} on the wrong side.`;
      const touches = listed(touching.map((i) => `the ${figure.name(i)} at ${figure.said(points[i])}`));
      return `${found ? `This is the best street, ${show(width, 3)} wide: no direction gives more.`
        : `The street is ${show(width, 3)} wide, ${below(100 * width / best.upper, 1)} % of the widest possible.`} It touches ${touches}.`;
    },
  };
};

pieces.forces = (figure) => {
  const {data, points, state} = figure, {y} = data, n = y.length, first = math.closest(points, y);
  const angle = first.meet ? 0 : angleOf(first.w);
  const plane = figure.plane({label: "A plank as wide as the gap, and the forces on it"});
  const now = turning(figure, plane, angle, 180, angle, 1, "plank");
  figure.movable(6, (i) => `Sample ${letter(i, n)} of class ${figure.name(i)}`);
  figure.button("Let it come to rest", () => { state.best = 1; });
  return {
    ...following(figure),
    solve: now.solve,
    draw() {
      const {s: {w, width, touching}, best} = now, two = [-1, 1].map((sign) => touching.find((i) => y[i] === sign)), fits = !best.meet && (state.best || width > 0);
      const rest = fits && (state.best || width >= best.lower * (1 - 1e-12));
      // At rest the multipliers; else those of a best plank along w: two touching samples the same.
      const alpha = rest ? best.weights.map((v) => 2 * v / (best.upper * best.upper)) : y.map((_, i) => two.includes(i) ? 2 / (width * width) : 0);
      const u = rest ? best.w : w, pressing = range(n).filter((i) => fits && alpha[i] > 1e-9 * Math.max(...alpha));
      const force = (i) => plus([0, 0], u, -alpha[i] * y[i]), turn = (i) => points[i][0] * force(i)[1] - points[i][1] * force(i)[0];
      const reach = 0.2 * (plane.xlim[1] - plane.xlim[0]) / sum(pressing.map((i) => alpha[i] / 2));
      now.draw();
      plane.samples(4, "faint");
      for (const i of pressing) {
        const [x0, y0] = plane.at(plus(points[i], force(i), -reach)), [x1, y1] = plane.at(points[i]), long = Math.hypot(x1 - x0, y1 - y0) || 1;
        const along = [(x1 - x0) / long, (y1 - y0) / long], neck = plus([x1, y1], along, -17), wing = turned(along);
        plane.path("bridge", `M${[x0, y0]}L${neck}`, plane.over);
        plane.path("ends", `M${plus([x1, y1], along, -7)}L${plus(neck, wing, 6)}L${plus(neck, wing, -6)}z`, plane.over);
      }
      points.forEach((p, i) => plane.text(p, letter(i, n), -18, -8));
      if (!fits) {
        figure.numbers([["width of the plank", best.meet ? "none fits" : show(width, 3)]]);
        return best.meet ? "The hulls meet: no plank fits between the classes, in no direction." : "No plank fits along this direction. Turn it.";
      }
      const total = pressing.map(force).reduce((a, f) => plus(a, f), [0, 0]), torque = sum(pressing.map(turn));
      const largest = Math.max(...pressing.map((i) => alpha[i])), arm = Math.max(...points.map((p) => Math.hypot(...p)));
      const zero = (v, scale) => Math.abs(v) < 1e-9 * scale ? "0" : small(v);
      figure.numbers([["width of the plank", show(width, 3)], ...pressing.map((i) => [`force of ${letter(i, n)}`, show(alpha[i], 3)]),
        ["sum of the forces", `(${total.map((v) => zero(v, largest)).join(", ")})`], ["sum of the torques", zero(torque, largest * arm)]]);
      const who = listed(pressing.map((i) => letter(i, n)));
      return rest ? `At rest: ${who} press, the forces cancel and so do their torques. No plank wider than ${above(best.upper, 3)} fits.`
        : `The forces of ${who} cancel, but not their torques: they turn the plank ${torque > 0 ? "counter-clockwise" : "clockwise"}, and that way a wider one fits.`;
    },
  };
};
})();

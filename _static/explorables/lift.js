// Chapter 5: the plane is raised into a bowl and cut; the cut stands over a circle on the floor.
(() => {
"use strict";
const {math, pieces, signed, show, pair, several} = svmExplorable, {range, minus, dot, plus, length, sum} = math;

/** The cut of the hard margin, w·x + v‖x‖² + b = 0, stands over the circle around c = −w/2v. */
function bestCut(X, y) {
  const squares = X.map((x) => dot(x, x)), K = X.map((a, i) => X.map((b, j) => dot(a, b) + squares[i] * squares[j]));
  const {alpha, b} = math.softMargin(K, y, 1e4), beta = alpha.map((a, i) => a * y[i]);  // slack only where there must be some
  const v = sum(beta.map((a, i) => a * squares[i])), c = math.mixture(beta.map((a) => -a / (2 * v)), X);
  return {c1: c[0], c2: c[1], height: dot(c, c) - b / v};
}
Object.assign(math, {bestCut});

pieces.lift = (figure) => {
  const {data, points, state} = figure, {y} = data, squares = points.map((p) => dot(p, p)), top = Math.max(...squares), R = Math.sqrt(top);
  const inner = y[squares.indexOf(Math.min(...squares))], tall = 1.5 * R / top, tilt = 0.4;
  const plane = figure.plane({width: 380, height: 380, xlim: [-1.5 * R, 1.5 * R], ylim: [-0.9 * R, 2.3 * R], xticks: [], yticks: [], axes: ["", "seen from the side and a little above"], label: "The samples on the floor and on the bowl"});
  figure.slider("lift", {label: "lifted", min: 0, max: 1, step: 0.05, value: 0.6, text: (v) => `${Math.round(100 * v)} %`});
  figure.slider("turn", {label: "turned by", min: -180, max: 180, step: 5, value: 20, text: (v) => `${signed(v)}°`});
  // The circle of centre c and radius r is the shadow of the cut by z = 2c·x + r² − ‖c‖².
  figure.param("height", +(top / 4).toFixed(2), 0, +top.toFixed(2), 0.01);  // r²: of the plane over the bowl, at c
  figure.button("The best plane", () => {
    for (const [key, v] of Object.entries(bestCut(points, y))) if (Number.isFinite(v)) figure.set(key, v);
  });
  for (const key of ["c1", "c2"]) figure.param(key, 0, -0.75 * R, 0.75 * R, 0.01);
  const rotated = ([a, b], degrees) => {
    const t = degrees * Math.PI / 180;
    return [a * Math.cos(t) - b * Math.sin(t), a * Math.sin(t) + b * Math.cos(t)];
  };
  /** Where the point at height z over the point x of the floor is seen; heights are those of ‖x‖². */
  const see = (x, z) => {
    const [across, deep] = rotated(x, state.turn);
    return [across, deep * tilt + z * tall * state.lift];
  };
  const centre = () => [state.c1, state.c2], cutAt = (x) => 2 * dot(centre(), x) + state.height - dot(centre(), centre());
  /** A handle beside the cut; while that lies on the floor, on the circle. */
  const knob = () => {
    const [across, up] = see(centre(), cutAt(centre()));
    return state.lift ? [1.25 * R, Math.min(plane.ylim[1], up)] : [Math.min(plane.xlim[1], across + Math.sqrt(state.height)), up];
  };
  plane.lever("height", {keys: 0.01, at: knob, label: () => state.lift ? "Height of the cut" : "Size of the circle",
    text: () => state.lift ? `height ${show(state.height)} over the bowl` : `radius ${show(Math.sqrt(state.height))}`,
    read: ([x, up]) => state.lift ? (up - see(centre(), 0)[1]) / (tall * state.lift) - dot(centre(), centre()) : Math.max(0, x - see(centre(), 0)[0]) ** 2});
  plane.handle({kind: 3, r: 5, at: () => see(centre(), 0), label: () => `Centre of the circle, ${pair(centre())}`,
    move(p, way) {
      const c = way ? plus(centre(), way, 0.01) : rotated([p[0], p[1] / tilt], -state.turn);
      figure.set("c1", c[0]); figure.set("c2", c[1]);
    }});
  return {
    draw() {
      const {height, lift} = state, c = centre(), radius = Math.sqrt(height), around = (r) => range(73).map((k) => plus(c, [Math.cos(k * Math.PI / 36), Math.sin(k * Math.PI / 36)], r));
      const square = (p, side) => [[-1, -1], [1, -1], [1, 1], [-1, 1]].map((corner) => plus(p, corner, side));
      const shadow = around(radius), bowl = (p) => see(p, dot(p, p));
      plane.area("closed", square([0, 0], 1.1 * R).map((x) => see(x, 0)));
      if (lift > 0) {
        plane.area("hull look2", square(c, 1.5 * Math.max(radius, 0.1 * R)).map((x) => see(x, cutAt(x))));
        plane.curves("axis", range(5).map((k) => range(73).map((j) => bowl(rotated([R * (k + 1) / 5, 0], 5 * j)))));
        plane.curve("line", shadow.map(bowl));
        plane.curves("edge thin", [0, 18, 36, 54].map((k) => [see(shadow[k], 0), bowl(shadow[k])]));
      }
      plane.curve("line", shadow.map((x) => see(x, 0)));
      plane.samples(4, "", points.map(bowl));
      plane.text(knob(), lift ? "cut" : "circle", 14, 4);
      const far = points.map((p) => length(minus(p, c))), wrong = far.filter((v, i) => (v <= radius) !== (y[i] === inner)).length;
      const inside = Math.max(...far.filter((_, i) => y[i] === inner)), outside = Math.min(...far.filter((_, i) => y[i] !== inner));
      const term = (v, name) => v ? ` ${v < 0 ? "−" : "+"} ${show(Math.abs(v))}${name}` : "";
      const level = `z = ${show(height - dot(c, c), 3)}${term(2 * c[0], " x₁")}${term(2 * c[1], " x₂")}`;
      figure.numbers([["plane", level], ["circle", `centre ${pair(c)}, radius ${show(radius, 3)}`], ["samples on the wrong side", `${wrong} of ${y.length}`],
        ["from the centre", `inner class up to ${show(inside, 3)}, outer from ${show(outside, 3)}`]]);
      return `${lift ? `The ${c[0] || c[1] ? "slanted" : "level"} cut meets the bowl in a curve that stands over` : "Nothing is lifted: of the cut only its shadow is seen,"} the circle of radius ${show(radius, 3)} around ${pair(c)}. ${wrong
        ? `${several(wrong, "sample is", "samples are")} on the wrong side of it.` : `It has the inner class ${lift ? "below and the outer one above" : "inside and the outer one outside"}.`}`;
    },
  };
};
})();

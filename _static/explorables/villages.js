// Chapter 2: two villages, their hulls, the shortest bridge; or a point of both.
(() => {
"use strict";
const {math, pieces, show, pair, enclose, power, listed, letter} = svmExplorable, {range, dot} = math;

pieces.villages = (figure) => {
  const {data, points} = figure, {y} = data, n = y.length;
  const plane = figure.plane({width: 380, label: "Villages, the hulls of the two classes and the shortest bridge"});
  figure.movable(6, (i) => `Village ${letter(i, n)} of class ${figure.name(i)}`);
  let found;
  const mixed = (sign) => range(n).filter((i) => y[i] === sign && found.weights[i] > 1e-9);
  const recipe = (sign) => mixed(sign).map((i) => `${show(found.weights[i], 3)} ${letter(i, n)}`).join(" + ");
  const who = (sign) => { const all = mixed(sign).map((i) => letter(i, n)); return all.length > 1 ? `a mixture of ${listed(all)}` : `village ${all[0]}`; };
  return {
    solve() { found = math.closest(points, y); },
    draw() {
      const {p, q, w, meet, upper, lower} = found;
      plane.hulls(figure.hulls());
      if (!meet) plane.street(w, dot(w, q), dot(w, p));
      plane.bridge(found);
      plane.samples(4.5, "faint");
      if (n <= 26) points.forEach((x, i) => plane.text(x, letter(i, n), -18, -8));
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

// Level curves on a grid: of the decision function in chapter 5, of the dual function in chapter 8.
(() => {
"use strict";
const {math} = svmExplorable, {plus, minus} = math;

/** Where values on a grid cross a level (segments), and with `fill` where it is above (polygons); in
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
math.contour = contour;
})();

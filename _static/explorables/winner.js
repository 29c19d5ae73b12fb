// Chapter 9: the map of C and gamma, folds cut again, and a winner that hops.
(() => {
"use strict";
const {pieces, math, several} = svmExplorable, {clip} = math;

pieces.winner = (figure) => {
  const {data, state} = figure, {C, gamma, cuts} = data, across = C.length, up = gamma.length;
  const told = (v) => String(+v.toPrecision(2)), percent = (v) => `${(v / 10).toFixed(1)}\u00a0%`;
  const place = (cell) => [cell % across, Math.floor(cell / across)], name = (cell) => `C\u00a0=\u00a0${told(C[cell % across])}, gamma\u00a0=\u00a0${told(gamma[Math.floor(cell / across)])}`;
  const map = figure.plane({width: 400, height: 385, xlim: [-0.5, across - 0.5], ylim: [-0.5, up - 0.5], axes: ["C", "gamma; in the cells: % of the hidden right"],
    xticks: C.map((v, k) => [k, told(v)]), yticks: gamma.map((v, k) => [k, told(v)]), label: "Hidden scores over C and gamma"});
  const pair = figure.plane({width: 360, height: 230, xlim: [0.5, cuts.length + 0.5], ylim: [0, 101], axes: ["cut", "triangle: seen, dot: hidden; ring: the winner"],
    xticks: cuts.map((_, k) => [k + 1, String(k + 1)]), label: "Scores of the machine that is looked at, cut by cut"});
  figure.param("cut", 0, 0, cuts.length - 1, 1);
  figure.param("cell", cuts[0].best, 0, across * up - 1, 1);
  const go = ([c, r]) => figure.slide("cell", clip(Math.round(c), 0, across - 1) + across * clip(Math.round(r), 0, up - 1));
  map.handle({role: "slider", looks: "bare", at: () => place(state.cell), move: (p, way) => go(way ? place(state.cell).map((v, k) => v + way[k]) : p),
    label: () => "Machine to look at", values: () => ({valuemin: 0, valuemax: across * up - 1, valuenow: state.cell,
      valuetext: `${name(state.cell)}: seen ${percent(cuts[state.cut].seen[state.cell])}, hidden ${percent(cuts[state.cut].hidden[state.cell])}`})});
  map.svg.addEventListener("click", (event) => {
    const p = map.from(event);
    if (map.holds(p)) { go(p); figure.change(); }
  });
  const last = () => state.cut === cuts.length - 1;
  figure.button("Cut the folds again", () => { figure.set("cut", state.cut + 1); }, last);
  const square = ([c, r], half) => [[c - half, r - half], [c + half, r - half], [c + half, r + half], [c - half, r + half]];
  return {
    draw() {
      const {best, good, plain, hidden, seen, error} = cuts[state.cut], past = cuts.slice(0, state.cut + 1), {cell} = state;
      hidden.forEach((v, k) => {
        const shade = 1 - (hidden[best] - v) / Math.max(1, 1000 - hidden[best]);  // none at twice the errors of the best
        map.path(`cell step${clip(Math.round(5 * shade), 0, 5)}`, `${map.outline(square(place(k), 0.5))}z`);
      });
      // The outline of those within one standard error: sides with nobody of them beyond.
      const sides = good.flatMap((k) => {
        const [c, r] = place(k), corners = square([c, r], 0.5), inside = (dc, dr) => c + dc >= 0 && c + dc < across && good.includes(k + dc + across * dr);
        return [[0, -1], [1, 0], [0, 1], [-1, 0]].map(([dc, dr], side) => inside(dc, dr) ? null : [corners[side], corners[(side + 1) % 4]]);
      });
      map.curves("line edge", sides.filter(Boolean));
      map.curve("axis faint", past.map((cut) => place(cut.best)));
      map.areas("bridge", [square(place(best), 0.46)]);
      map.areas("slack", [square(place(cell), 0.41)]);
      hidden.forEach((v, k) => map.text(place(k), (v / 10).toFixed(1), 0, 2, "middle"));
      const wins = past.map((cut, k) => past.slice(0, k).filter((other) => other.best === cut.best).length);
      map.marks("ends", past.map((cut, k) => [place(cut.best)[0] - 0.36 + 0.14 * (wins[k] % 6), place(cut.best)[1] - 0.33]), 4, 3);
      pair.view(pair.xlim, [5 * Math.floor(Math.min(...cuts.map((cut) => Math.min(cut.hidden[cell], cut.seen[cell], cut.hidden[cut.best] - cut.error))) / 50), 101]);
      pair.curve("axis", [[-1, 100], [99, 100]]);
      pair.rings(past.map((cut, k) => [k + 1, cut.hidden[cut.best] / 10]), 8);
      pair.marks("mark look1", past.map((cut, k) => [k + 1, cut.seen[cell] / 10]), 4, 1);
      pair.marks("ends", past.map((cut, k) => [k + 1, cut.hidden[cell] / 10]), 4);
      pair.curves("slack", [[[state.cut + 1, (hidden[best] - error) / 10], [state.cut + 1, (hidden[best] + error) / 10]]]);
      figure.numbers([["cut", `${state.cut + 1} of ${cuts.length}`], ["winner", `${name(best)}, ${percent(hidden[best])} ± ${(error / 10).toFixed(1)}`],
        ["within one standard error (outlined)", `${good.length} of ${across * up}`], ["the simplest of them", name(plain)],
        ["looked at (thin frame)", `${name(cell)}: seen ${percent(seen[cell])}, hidden ${percent(hidden[cell])}`]]);
      const different = new Set(past.map((cut) => cut.best)).size;
      return `${past.length === 1 ? `In this cut of the folds ${name(best)} wins.` : `In ${past.length} cuts ${several(different, "machine has", "different machines have")} won; now it is ${name(best)}.`} ${several(good.length, "machine is", "machines are")} within one standard error of it.${last() ? " No more cuts are kept." : ""}`;
    },
  };
};
})();

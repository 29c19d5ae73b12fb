// Figures to take hold of: what all of them share. The mathematics, which knows nothing of the page
// and can be called alone as svmExplorable.math; planes to draw on, with handles; and a figure, with
// its sliders, its status line and its address. The pieces lie beside this file, one or two a
// chapter; a page loads those that it needs. svmlib/book/explorable.py writes the data and draws the
// stills.
(() => {
"use strict";
if (window.svmExplorable) return;  // in Jupyter every output brings it

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

  /** B⁻, B⁺ and the width τ_w along w = (cos θ, sin θ), θ in degrees, with all samples that touch. */
  function street(X, y, angle) {
    const w = [Math.cos(angle * Math.PI / 180), Math.sin(angle * Math.PI / 180)];
    const along = X.map((x) => dot(w, x)), slack = 1e-9 * (Math.max(...along) - Math.min(...along));
    const bMinus = Math.max(...along.filter((_, i) => y[i] < 0)), bPlus = Math.min(...along.filter((_, i) => y[i] > 0));
    const touching = range(y.length).filter((i) => y[i] < 0 ? along[i] >= bMinus - slack : along[i] <= bPlus + slack);
    return {w, bMinus, bPlus, width: bPlus - bMinus, middle: (bPlus + bMinus) / 2, touching};
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

  /** A number in decimals that is never above (floor) or below (ceil) it. */
  const floor = (v, digits) => outward(v, digits, -1), ceil = (v, digits) => outward(v, digits, 1);
  function outward(v, digits, sign) {
    if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
    const exact = BigInt(v.toFixed(100).replace(".", "")), unit = 10n ** BigInt(100 - digits);
    const rest = Number(exact % unit);
    return (Number(exact / unit + (rest * sign > 0 ? BigInt(sign) : 0n)) / 10 ** digits).toFixed(digits);
  }

  return {dot, minus, plus, cross, length, turned, range, sum, clip, mixture, hull, street, centred, floor, ceil, UNIT};
})();
const {range, clip, plus, minus, dot, length, turned, floor, ceil} = math;

// ---- Words -------------------------------------------------------------------------------------
const signed = (text) => String(text).replace("-", "−");
const show = (v, digits = 2) => signed((+v.toFixed(digits) + 0).toFixed(digits));
const small = (v, scale = 0) => signed(Math.abs(v) <= 1e-12 * scale ? 0 : +v.toPrecision(3));  // beside scale, rounding is nothing
const pair = (p, digits = 2) => `(${p.map((v) => show(v, digits)).join(", ")})`;
/** A lower and an upper bound in decimals, outwards; 10⁻¹² of it may be rounding, so 6 + 10⁻¹⁴ is at most 6.000. */
const below = (v, digits) => signed(floor(v + 1e-12 * Math.abs(v), digits)), above = (v, digits) => signed(ceil(v - 1e-12 * Math.abs(v), digits));
const tenTo = (k) => `10${String(k).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)])}`;
const power = (v) => v > 0 ? `below ${tenTo(Math.max(-99, Math.floor(Math.log10(v)) + 1))}` : "0";
/** Two bounds of one number, outwards: both while they are apart, then the digits that they share. */
const enclose = (low, high) => {
  const middle = (low + high) / 2, width = 1.01 * (high - low) + 2 ** -50 * Math.abs(middle);
  if (!width) return "0";
  const digits = Math.min(12, Math.floor(-Math.log10(width)));
  const shown = clip(digits + 3, 0, 12);
  return width > 1e-3 * Math.abs(middle) ? `${below(low, shown)} to ${above(high, shown)}`
    : `${show(middle, Math.max(0, digits))} ± ${tenTo(-digits)}`;
};
const several = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const listed = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
const letter = (i, n) => n > 26 ? String(i + 1) : String.fromCharCode(65 + i);
/** Round numbers, ten a decade (Renard's), so that 10^−0.3 is 0.5: where sliders of a price stop. */
function round(log) {
  const k = Math.round(10 * log), decade = Math.floor(k / 10);
  return +`${[1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8][k - 10 * decade]}e${decade}`;
}
/** A slider for a number that `round` makes of its logarithm. */
const priced = (figure, key, label, value, min, max, text = (v) => String(round(v))) =>
  figure.slider(key, {label, min, max, step: 0.1, value: Math.round(10 * Math.log10(value)) / 10, text});

// ---- Planes ------------------------------------------------------------------------------------
const DRAWN = new Set(["svg", "g", "path", "circle", "text", "tspan", "clipPath", "rect"]);
function make(tag, parent, attributes = {}, text = "") {
  const node = DRAWN.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text) node.textContent = text;
  parent?.append(node);
  return node;
}
/** Words into a node: what follows "_" is an index, below the line. */
function write(node, words) {
  const [name, index] = words.split("_");
  if (node.textContent === name + (index ?? "")) return;
  node.textContent = name;
  if (index) make(node.tagName === "text" ? "tspan" : "sub", node, node.tagName === "text" ? {class: "index", dy: 4} : {}, index);
}
const SPECIES = {Adelie: 0, Gentoo: 1, Chinstrap: 2};  // one mark and colour a species, in the whole book
const LOOK = ["look0", "look1", "look2"];  // their classes
const MARKS = [(r) => `m${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,
  (r) => `m0,${-1.25 * r}l${1.15 * r},${2.1 * r}h${-2.3 * r}z`, (r) => `m${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `m0,${-1.4 * r}l${1.4 * r},${1.4 * r}l${-1.4 * r},${1.4 * r}l${-1.4 * r},${-1.4 * r}z`];

/** Round ticks: about five multiples of 1, 2 or 5 times a power of ten. */
function ticks([low, high]) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((k) => k * power >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return range(Math.floor(high / step + 1e-9) - first + 1).map((k) => [(first + k) * step, show((first + k) * step, digits)]);
}

let clips = 0;  // two figures of one notebook may have one name
/** A picture. A drawing lists its shapes from back to front; their nodes are used again, in order. */
class Plane {
  constructor(figure, {label, axes = figure.data.axes, xlim = figure.data.xlim, ylim = figure.data.ylim,
    width = 360, height = 320, equal = axes === figure.data.axes, xticks, yticks}) {
    Object.assign(this, {figure, xlim, ylim, left: 40, top: 24, grips: []});
    this.w = width - this.left - 10;
    this.h = equal ? this.w * (ylim[1] - ylim[0]) / (xlim[1] - xlim[0]) : height - this.top - 36;
    const bottom = this.top + this.h, clipId = `svm-clip-${++clips}`;
    figure.planes.push(this);
    this.svg = make("svg", figure.planes.length > 1 ? figure.side : figure.live,
      {viewBox: `0 0 ${width} ${bottom + 36}`, role: "group", "aria-label": label});
    this.svg.style.setProperty("--width", `${width}px`);
    make("rect", make("clipPath", this.svg, {id: clipId}), {x: this.left, y: this.top, width: this.w, height: this.h});
    const frame = make("g", this.svg, {class: "axes", "aria-hidden": "true"});
    make("path", frame, {d: `M${this.left},${this.top}V${bottom}H${this.left + this.w}`});
    make("text", frame, {x: this.left + this.w, y: bottom + 31, "text-anchor": "end"}, axes[0]);
    make("text", frame, {x: 2, y: 13}, axes[1]);
    // Where a unit is "200 g", the axis is marked in g.
    const worth = axes === figure.data.axes ? figure.data.worth : [1, 1], scale = make("g", frame);
    const marks = (limits, k) => ticks(limits.map((v) => v * worth[k])).map(([v, text]) => [v / worth[k], text]);
    /** Show these limits from now on. */
    this.view = (xlim, ylim) => {
      Object.assign(this, {xlim, ylim});
      scale.replaceChildren();
      for (const [v, text] of xticks ?? marks(xlim, 0)) {
        const [x] = this.at([v, ylim[0]]);
        make("path", scale, {d: `M${x},${bottom}v4`});
        make("text", scale, {x, y: bottom + 16, "text-anchor": x + 4 * text.length > width ? "end" : "middle"}, text);
      }
      for (const [v, text] of yticks ?? marks(ylim, 1)) {
        const [, y] = this.at([xlim[0], v]);
        make("path", scale, {d: `M${this.left},${y}h-4`});
        make("text", scale, {x: this.left - 6, y: y + 4, "text-anchor": "end"}, text);
      }
    };
    this.view(xlim, ylim);
    this.clipped = make("g", this.svg, {"clip-path": `url(#${clipId})`, "aria-hidden": "true"});
    this.over = make("g", this.svg, {"aria-hidden": "true"});
    this.handles = make("g", this.svg);
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
  begin() { this.clipped.used = this.over.used = 0; }
  end() { for (const layer of [this.clipped, this.over]) while (layer.childNodes.length > layer.used) layer.lastChild.remove(); }
  node(layer, tag, attributes) {
    let node = layer.childNodes[layer.used++];
    if (node?.tagName !== tag) {
      const fresh = make(tag);
      if (node) node.replaceWith(fresh); else layer.append(fresh);
      node = fresh;
    }
    for (const [name, value] of Object.entries(attributes)) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    return node;
  }
  path(look, d, layer = this.clipped) { if (d) this.node(layer, "path", {class: look, d}); }
  outline(points) { return points.map((p, k) => `${k ? "L" : "M"}${this.at(p).map((v) => v.toFixed(2))}`).join(""); }
  curve(look, points) { this.path(look, this.outline(points)); }
  curves(look, all) { this.path(look, all.map((points) => this.outline(points)).join("")); }
  areas(look, all) { this.path(look, all.map((points) => `${this.outline(points)}z`).join("")); }
  area(look, points) { if (points.length) this.areas(look, [points]); }
  marks(look, points, r, kind = 0, layer = this.over) {
    this.path(look, points.map((p, k) => `M${this.at(p).map((v) => v.toFixed(2))}${MARKS[kind](typeof r === "function" ? r(k) : r)}`).join(""), layer);
  }
  rings(points, r = 10) { this.marks("ring", points, r); }
  /** The samples that cannot be moved, a path a class; or all, at other places. */
  samples(r, looks = "", places = null, layer = this.clipped, labels = this.figure.data.y) {
    const {figure: {points, data, kinds}} = this;
    for (const sign of [-1, 1]) {
      const mine = range(labels.length).filter((i) => labels[i] === sign && (places || !data.movable.includes(i)));
      const kind = kinds[sign > 0 ? 1 : 0];
      this.marks(`mark ${LOOK[kind]} ${looks}`, mine.map((i) => (places ?? points)[i]), r, kind, layer);
    }
  }
  text(at, words, dx = 0, dy = 0, anchor = "start") {
    const [x, y] = this.at(at);
    const node = this.node(this.over, "text", {class: "name", x: (x + dx).toFixed(2), y: (y + dy).toFixed(2), "text-anchor": anchor});
    write(node, words);
  }
  /** The two far ends of the line w·x = level. */
  ends(w, level) {
    const square = dot(w, w), centre = [(this.xlim[0] + this.xlim[1]) / 2, (this.ylim[0] + this.ylim[1]) / 2];
    const foot = plus(centre, w, (level - dot(w, centre)) / square);
    const far = 3 * Math.hypot(this.xlim[1] - this.xlim[0], this.ylim[1] - this.ylim[0]) / Math.sqrt(square);
    return [plus(foot, turned(w), far), plus(foot, turned(w), -far)];
  }
  /** The line halfway between two levels of w·x, its street, and the edges of that. */
  street(w, low, high, look = "street") {
    const edges = [low, high].map((level) => this.ends(w, level));
    if (look) this.area(look, [...edges[0], ...edges[1].reverse()]);
    this.curves("edge", edges);
    this.curve("line", this.ends(w, (low + high) / 2));
  }
  hulls(all) { all.forEach((corners, k) => this.area(`hull ${LOOK[this.figure.kinds[k]]}`, corners)); }
  /** The shortest bridge from p to q; or the point that both hulls share. */
  bridge({p, q, meet}) {
    if (meet) this.marks("star", [p], 7, 3);
    else {
      this.curve("bridge", [p, q]);
      this.marks("ends", [p, q], 4, 3);
      this.text(q, "q", 9, 16);
    }
    this.text(p, meet ? "p = q" : "p", 9, -7);
  }
  /** Something to take hold of: by mouse and finger, and with the arrow keys. */
  handle({at, move, label, kind = 0, looks = "turn", r = 7, step = [0, 0], role = "button", values, hidden}) {
    // A screen reader keeps the arrow keys of a button to itself, but not those of an application.
    this.handles.setAttribute("role", "application");
    this.handles.setAttribute("aria-label", `Handles: ${this.svg.ariaLabel}`);
    const grip = make("g", this.handles, {class: `grip ${looks}`, tabindex: 0, role});
    if (role === "button") grip.setAttribute("aria-roledescription", "movable point");
    make("circle", grip, {r: 15, class: "hit"});
    make("path", grip, {d: `M0,0${MARKS[kind](r)}`, class: "mark"});
    this.figure.places.push(() => {
      if (hidden?.()) { grip.remove(); return; }
      if (!grip.isConnected) this.handles.append(grip);
      const [x, y] = this.at(at());
      grip.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
      grip.setAttribute("aria-label", `${label()}. Arrow keys move it.`);
      for (const [name, value] of Object.entries(values?.() ?? {})) grip.setAttribute(`aria-${name}`, value);
    });
    let offset = null;
    const grab = (event) => {
      grip.setPointerCapture(event.pointerId);
      offset = minus(at(), this.from(event));
      grip.focus({preventScroll: true});
    };
    this.grips.push({at, grab, grip});
    grip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      const here = this.at(this.from(event)), far = (other) => length(minus(this.at(other.at()), here));
      // where hit areas overlap, the nearest; of two at one place the upper
      this.grips.filter((other) => other.grip.isConnected).reduce((a, b) => far(b) <= far(a) ? b : a).grab(event);
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
      const [dx, dy] = way.map((v) => event.shiftKey ? 10 * v : v);
      move(plus(at(), [dx * step[0], dy * step[1]]), [dx, dy]);
      this.figure.change();
    });
    return grip;
  }
  /** A handle for one number of the state: a slider that lies in the picture. */
  lever(key, {read, text, keys, ...looks}) {
    const {figure} = this, {state} = figure, limits = figure.params[key];
    return this.handle({role: "slider", ...looks,
      move: (p, way) => figure.slide(key, way ? state[key] + (way[0] + way[1]) * keys : read(p)),
      values: () => ({valuemin: limits.min, valuemax: limits.max, valuenow: +state[key].toFixed(3), valuetext: text()})});
  }
}

// ---- Figures -----------------------------------------------------------------------------------
class Figure {
  constructor(root, data, page) {
    this.root = root;
    this.data = data;
    this.page = page;  // on a page the address holds the situation; in a notebook the cell does
    const taken = data.classes.map((name) => SPECIES[name]), free = range(3).filter((k) => !taken.includes(k));
    this.kinds = taken.map((k) => k ?? free.shift());
    this.points = data.X.map((x) => [...x]);
    this.planes = []; this.steps = []; this.state = {}; this.params = {}; this.places = [];
    this.live = make("div", root, {class: "live"});
    this.side = make("div", null, {class: "side"});
    this.tools = make("div", null, {class: "tools"});
    this.table = make("dl", null, {class: "numbers"});
    this.status = make("p", null, {role: "status"});
    this.piece = pieces[data.kind](this);
    this.button("Start again", () => this.decode(""));
    this.side.append(this.tools, this.table, this.status);
    this.live.append(this.side);
    root.dataset.alive = "";
    if (page) this.visit();
    this.draw();
    this.settle(false);
  }
  plane(options) { return new Plane(this, options); }
  name(i) { return this.data.classes[this.data.y[i] > 0 ? 1 : 0]; }
  /** The samples of a class. */
  of(sign) { return this.points.filter((_, i) => this.data.y[i] === sign); }
  hulls() { return [-1, 1].map((sign) => math.hull(this.of(sign))); }
  /** Handles for the samples that can be moved. */
  movable(r = 6, names = (i) => `${this.name(i)} ${i + 1}`, looks = "") {
    for (const i of this.data.movable) {
      const kind = this.kinds[this.data.y[i] > 0 ? 1 : 0];
      this.planes[0].handle({kind, looks: `${LOOK[kind]} ${looks}`, r, step: this.data.step,
        at: () => this.points[i], move: (p) => this.place(i, p), label: () => `${names(i)} at ${this.said(this.points[i])}`});
    }
  }
  /** Put sample i near p: whole steps from where it was at first, and in sight. */
  place(i, p) {
    const {xlim, ylim} = this.planes[0];
    this.points[i] = p.slice(0, 2).map((v, k) => {
      const [low, high] = k ? ylim : xlim, step = this.data.step[k], start = this.data.X[i]?.[k] ?? 0;
      const steps = clip(Math.round((v - start) / step), Math.ceil((low - start) / step), Math.floor((high - start) / step));
      return +(start + steps * step).toFixed(9);
    });
  }
  /** Coordinates with their units; in units of "200 g" they are told in g. */
  said(p) {
    return p.map((v, k) => {
      const [, factor, unit] = this.data.units[k].match(/^(\d*) ?(.*)$/);
      return `${signed(+(v * (factor || 1)).toPrecision(6))}\u00a0${unit}`.trim();
    }).join(", ");
  }
  /** A number of the state: what sliders and levers move, what the address holds. */
  param(key, value, min, max, step = 0) { this.state[key] = value; this.params[key] = {min, max, value, step}; }
  set(key, value) {
    const {min, max, step, value: start} = this.params[key];
    const end = [min, max].find((v) => Math.abs(value - v) <= 1e-5 * (max - min));  // as the address rounds it
    this.state[key] = end ?? clip(step ? +(start + step * Math.round((value - start) / step)).toFixed(9) : value, min, max);
  }
  /** Set it by hand: the piece may want to know. */
  slide(key, value) { this.set(key, value); this.piece.slid?.(key); }
  slider(key, {label, min, max, step, value, text}) {
    this.param(key, value, min, max, step);
    const box = make("label", this.tools, {class: "slider"}), name = make("span", box);
    const input = make("input", box, {type: "range", min, max, step, "aria-label": label});
    input.addEventListener("input", () => { this.slide(key, +input.value); this.change(); });
    this.places.push(() => {
      const words = text(this.state[key]);
      input.value = this.state[key];
      name.textContent = `${label}: ${words}`;
      input.setAttribute("aria-valuetext", words);
    });
  }
  /** A choice between words; the state holds its number. */
  choice(key, label, options, value = 0) {
    this.param(key, value, 0, options.length - 1, 1);
    const select = make("select", make("label", this.tools, {}, `${label} `));
    options.forEach((text, k) => make("option", select, {value: k}, text));
    select.addEventListener("change", () => { this.slide(key, +select.value); this.change(); });
    this.places.push(() => { select.value = this.state[key]; });
  }
  /** A button; while idle() is true it does nothing, and the piece says why. */
  button(text, action, idle) {
    const button = make("button", this.tools, {type: "button"}, text);
    button.addEventListener("click", () => { if (!idle?.()) { action(); this.change(); } });
    if (idle) this.places.push(() => button.setAttribute("aria-disabled", idle()));
    return button;
  }
  /** A button that goes on acting until it is pressed again, or idle() says that nothing is left. */
  play(text, action, idle) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const go = () => { if (idle()) this.stop(); else action(); this.change(); };
    const button = this.button(text, () => {
      if (this.playing) this.stop(); else { this.playing = setInterval(go, 700); go(); }
    }, idle);
    this.places.push(() => { button.textContent = this.playing ? "Stop" : text; });
  }
  stop() { this.playing = clearInterval(this.playing); }
  numbers(rows) {
    while (this.table.children.length > rows.length) this.table.lastChild.remove();
    rows.forEach(([name, value], k) => {
      const row = this.table.children[k] ?? make("div", this.table);
      if (!row.firstChild) { make("dt", row); make("dd", row); }
      write(row.firstChild, name); row.lastChild.textContent = value;
    });
  }
  change() {
    this.moving = true;
    this.root.dataset.settled = "false";
    this.pending ??= requestAnimationFrame(() => { this.pending = null; this.draw(); });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(true), 350);
  }
  draw() {
    this.piece.solve?.();
    for (const place of this.places) place();
    for (const plane of this.planes) plane.begin();
    this.says = this.piece.draw();
    for (const plane of this.planes) plane.end();
  }
  /** Once things are at rest: say it in words, and put the state into the address. */
  settle(moved) {
    this.moving = false;
    const later = () => { this.timer = setTimeout(() => this.settle(moved), 0); };
    if (this.pending) { later(); return; }
    if (this.status.textContent !== this.says) this.status.textContent = this.says;
    if (this.piece.work?.()) { later(); return; }
    if (moved && this.page) {
      const state = this.encode();
      try { history.replaceState(history.state, "", `#${this.root.id}${state && `?${state}`}`); } catch { /* in a frame without an address */ }
    }
    this.root.dataset.settled = "true";
  }
  encode() {
    const changed = ([key, v]) => v !== this.params[key].value && !this.piece.follows?.(key);
    const parts = Object.entries(this.state).filter(changed).map(([key, v]) => `${key}=${+v.toFixed(6)}`);
    this.points.forEach((p, i) => {
      const x = this.data.X[i];
      if (!x || x[0] !== p[0] || x[1] !== p[1]) parts.push(`p${i}=${p}${x ? "" : `,${this.data.y[i]}`}`);
    });
    if (this.steps.length) parts.push(`steps=${this.steps}`);
    return parts.join("&");
  }
  /** Take on a state from the address; whatever is not a number, or out of range, is left out. */
  decode(text) {
    for (const [key, {value}] of Object.entries(this.params)) this.state[key] = value;
    this.stop();
    this.piece.clear?.();
    this.steps = [];
    this.data.X.forEach((x, i) => { this.points[i] = [...x]; });
    const given = text.split("&").map((part) => part.split("="))
      .map(([key, value]) => [key, value ? value.split(",").map(Number) : [NaN]]).filter(([, numbers]) => numbers.every(Number.isFinite));
    for (const [key, numbers] of given) {
      if (key === "steps") this.steps = numbers.filter((v) => this.piece.pair?.(v)).slice(0, 40);
      else if (/^p\d+$/.test(key) && numbers.length > 1) {
        const i = +key.slice(1);
        if (this.data.movable.includes(i)) this.place(i, numbers); else this.piece.take?.(i, numbers);
      }
    }
    for (const [key, [number]] of given) if (Object.hasOwn(this.params, key)) this.set(key, number);
  }
  visit() {
    const [id, state] = named();
    if (id !== this.root.id || state === undefined) return false;
    this.decode(state);
    this.root.scrollIntoView({block: "center"});
    return true;
  }
}

// ---- The page ----------------------------------------------------------------------------------
const figures = {}, pieces = {};
function begin(root, page) {
  if (!root?.matches(".explorable:not([data-alive])")) return;
  const data = JSON.parse(root.querySelector("script")?.textContent ?? "{}");
  if (data.kind in pieces) figures[root.id] = new Figure(root, data, page);  // in a notebook others are stills
}
/** The figure that the address names, and its situation. */
const named = () => decodeURIComponent(location.hash.slice(1)).split("?");
/** On a page they begin when the address names them or they come near the screen. A live figure is higher than its
    still: where a browser does not keep what one reads in its place all begin at once, as they do in a notebook. */
function scan(page) {
  const roots = document.querySelectorAll(".explorable");
  if (!page || !CSS.supports("overflow-anchor: auto")) for (const root of roots) begin(root, page);
  else {
    const near = new IntersectionObserver((seen) => {
      for (const {target, isIntersecting} of seen) if (isIntersecting) { near.unobserve(target); begin(target, page); }
    }, {rootMargin: "100%"});
    for (const root of roots) near.observe(root);
    begin(document.getElementById(named()[0]), page);
  }
}
window.svmExplorable = {math, figures, pieces, scan, signed, show, small, pair, below, above, tenTo, power, enclose, several, listed, letter, round, priced, LOOK};
// Script moves the focus when a handle is grabbed: it is marked for those who go by keys.
for (const [name, keys] of [["keydown", true], ["pointerdown", false]]) {
  window.addEventListener(name, () => document.documentElement.toggleAttribute("data-keys", keys), true);
}
window.addEventListener("hashchange", () => {
  begin(document.getElementById(named()[0]), true);
  for (const figure of Object.values(figures)) if (figure.page && figure.visit()) figure.change();
});
document.addEventListener("DOMContentLoaded", () => scan(true));  // after the pieces, which are deferred too
})();

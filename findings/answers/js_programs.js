// Ask two programs of npm for their machines on the book's data, and store the answers as JSON.
//
//     node findings/answers/js_programs.js svmlib/book/elsewhere
//
// The packages are found from the folder in which node is started (the pins are in answers.sh).
const fs = require("fs"), path = require("path"), os = require("os");
const from = require("module").createRequire(path.join(process.cwd(), "x.js"));
const folder = path.resolve(process.argv[2]);

function data(name) {
  const lines = fs.readFileSync(path.join(folder, name + ".csv"), "utf8").trim().split("\n").slice(1);
  const rows = lines.map((line) => line.split(",").map(Number));
  return [rows.map((r) => r.slice(0, 2)), rows.map((r) => r[2])];
}

function record(file, program, name, answers) {
  const version = from(name + "/package.json").version;
  const all = {
    program, version, source: "npm, " + name, script: "findings/answers/js_programs.js",
    made: `29 November 2026, ${os.type()} ${os.arch()}`, C_is: "C", positive: "+1", answers,
  };
  fs.writeFileSync(path.join(folder, file), JSON.stringify(all, null, 1) + "\n");
  console.log("wrote", file);
}

function heard(train) { // what it printed that sounds like a warning, or ""
  const lines = [], kept = {};
  for (const name of ["log", "warn", "error", "info"]) {
    kept[name] = console[name];
    console[name] = (...words) => lines.push(words.join(" "));
  }
  try { train(); } finally { Object.assign(console, kept); }
  return lines.find((line) => /warning|converge|max.*iter/i.test(line)) || "";
}

let seed = 1; // both shuffle by Math.random
Math.random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;

const { SVM } = from("svm");
function svmjs(name, C) {
  const [X, y] = data(name), m = new SVM();
  const warned = heard(() => m.train(X, y, { C, kernel: "linear" }));
  return { data: name, C, w: Array.from(m.w), b: m.b, warned };
}
const old = [svmjs("noisy", 1), svmjs("penguins", 1000)];
{
  const [X, y] = data("noisy"), m = new SVM();
  const rbf = { C: 1, kernel: "rbf", rbfsigma: 1 }; // exp(−‖x − z‖²/2σ²), so gamma = ½
  const warned = heard(() => m.train(X, y, rbf));
  const beta = X.map((x) => { // it keeps only its support vectors
    const i = m.data.findIndex((z) => z[0] === x[0] && z[1] === x[1]);
    return i < 0 ? 0 : m.alpha[i] * m.labels[i];
  });
  old.push({ data: "noisy", C: 1, gamma: 0.5, beta, b: m.b, warned });
}

const MlSvm = from("ml-svm");
const Kernel = MlSvm.default || MlSvm;
function mlSvm(name, C) {
  const [X, y] = data(name), m = new Kernel({ C, kernel: "linear", whitening: false });
  const warned = heard(() => m.train(X, y));
  const at = (x) => m.marginOne(x), b = at([0, 0]);
  return { data: name, C, w: [at([1, 0]) - b, at([0, 1]) - b], b, warned };
}
const lines = [mlSvm("noisy", 1), mlSvm("penguins", 1000), mlSvm("noisy", 0.01)];
record("svmjs.json", "npm svm (svmjs)", "svm", [...old, svmjs("noisy", 0.01)]);
record("ml_svm.json", "npm ml-svm", "ml-svm", lines);

// The search page: looks through BOOK_SECTIONS (see _ext/section_search.py) with MiniSearch.
"use strict";
(() => {
  const WEIGHT = { page: 1.2, section: 1.2, term: 1.5, statement: 1, function: 0.7, exercise: 0.5 };
  const ROUTINE = /^[\d.\s]*(Summary|Exercises|Quiz|Further reading)$/;
  const LOOKED_UP = /^reference\/(bibliography|concordance|errata|library)/;  // by who knows what it holds
  const GREEK = { α: "alpha", β: "beta", γ: "gamma", λ: "lambda", μ: "mu", ξ: "xi", σ: "sigma", τ: "tau" };
  // Both spellings, one and many, with and without a hyphen are one word.
  const WORD = /[\p{L}\p{N}]+(?:[-‐‑][\p{L}\p{N}]+)*/gu;
  const IRREGULAR = { vertices: "vertex", matrices: "matrix", indices: "index", analyses: "analysis", grey: "gray",
    hypotheses: "hypothesis", maxima: "maximum", minima: "minimum", optima: "optimum", programme: "program" };
  const ALIKE = [
    [/ies$/, "y"], [/(ss|x|z|ch|sh)es$/, "$1"], [/([^su])s$/, "$1"],
    [/^(.{2,})is(e|ed|er|ing|ation)$/, "$1iz$2"], [/ys(e|ed|er|ing)$/, "yz$1"], [/^(.{3,})our/, "$1or"],
    [/^(.{2,}[bct])re(d?)$/, (all, stem, d) => `${stem}er${d && "ed"}`], [/^(.*[aeiou].*[aeiou])ll(ed|ing|er)$/, "$1l$2"], [/ogue$/, "og"],
  ];
  const processTerm = term => {
    const lower = term.toLowerCase();
    if (GREEK[term] || IRREGULAR[lower]) return GREEK[term] ?? IRREGULAR[lower];
    return lower.length < 4 ? lower : ALIKE.reduce((word, [from, to]) => word.replace(from, to), lower);
  };
  const words = text => text.match(WORD) ?? [];
  const parts = word => word.split(/[-‐‑]/);
  const joined = word => parts(word).join("");
  const allForms = text => words(text).flatMap(word => (parts(word).length > 1 ? [...parts(word), joined(word)] : word));
  const normal = text => ` ${words(text).map(word => processTerm(joined(word))).join(" ")} `;
  const entries = [];
  const index = new MiniSearch({
    fields: ["title", "text", "also"],
    tokenize: allForms,
    storeFields: ["title"],
    processTerm,
    searchOptions: {
      tokenize: text => words(text).map(joined),
      boost: { title: 6, also: 6 },
      combineWith: "AND",
      prefix: term => term.length > 3,
      fuzzy: term => (term.length > 5 ? 0.15 : false),
    },
  });

  // A phone needs seconds to take in the whole book, so it does this in steps, and only if somebody asks.
  function read(time) {
    for (const end = performance.now() + time; entries.length < BOOK_SECTIONS.length && performance.now() < end;) {
      const id = entries.length, entry = BOOK_SECTIONS[id];
      index.add({ id, ...entry });
      entries.push({
        ...entry,
        weight: WEIGHT[entry.kind] * (ROUTINE.test(entry.title) ? 0.4 : 1) * (LOOKED_UP.test(entry.url) ? 0.6 : 1),
        plainTitle: normal(entry.title),
        plainText: normal(entry.text),
        asked: entry.also.split(", ").map(normal),
      });
    }
    return entries.length < BOOK_SECTIONS.length;
  }

  function find(query) {
    read(Infinity);
    const phrase = normal(query);
    const many = phrase.trim().includes(" ");
    const boostDocument = id => {
      const { weight, plainTitle, plainText, asked } = entries[id];
      const exact = plainTitle === phrase ? 3 : asked.includes(phrase) ? 20 : 1;
      const near = plainTitle.includes(phrase) ? (many ? 6 : 2) : plainText.includes(phrase) ? (many ? 4 : 1.5) : 1;
      return weight * exact * near;
    };
    const all = index.search(query, { boostDocument });
    if (all.length) return all;
    const tokenize = text => words(text).flatMap(parts);
    const some = index.search(query, { boostDocument, tokenize });
    return some.length ? some : index.search(query, { boostDocument, tokenize, combineWith: "OR" });
  }
  window.findInBook = find;

  function marked(text, terms) {
    const isFound = word => allForms(word).some(form => terms.includes(processTerm(form)));
    const place = [...text.matchAll(WORD)].find(([word]) => isFound(word))?.index ?? 0;
    const start = place > 80 ? text.lastIndexOf(" ", place - 60) + 1 : 0;
    const piece = text.slice(start, start + 220).replace(/\s\S*$/, "");
    const line = document.createElement("p");
    line.className = "search-snippet";
    if (start) line.append("… ");
    let end = 0;
    for (const { 0: word, index } of piece.matchAll(WORD)) {
      if (!isFound(word)) continue;
      line.append(piece.slice(end, index), Object.assign(document.createElement("mark"), { textContent: word }));
      end = index + word.length;
    }
    line.append(piece.slice(end));
    if (start + piece.length < text.length) line.append(" …");
    return line;
  }

  function show(query) {
    const place = document.querySelector("#search-results");
    const found = find(query);
    const heading = document.createElement("p");
    heading.setAttribute("role", "status");
    heading.textContent = found.length
      ? `${found.length} place${found.length > 1 ? "s" : ""} for “${query}”`
      : `Nothing for “${query}”. The glossary and the list of definitions may know it by another name.`;
    const list = document.createElement("ol");
    list.className = "search-list";
    for (const { id, terms } of found.slice(0, 40)) {
      const { url, title, page, text, kind } = entries[id];
      const link = Object.assign(document.createElement("a"), { href: url, textContent: title });
      const where = Object.assign(document.createElement("span"), {
        className: "search-where",
        textContent: kind === "page" ? "" : ` ${page}`,
      });
      const item = document.createElement("li");
      item.append(link, where, marked(text, terms));
      list.append(item);
    }
    place.replaceChildren(heading, list);
  }

  const query = new URLSearchParams(location.search).get("q")?.trim() ?? "";
  for (const field of document.querySelectorAll("form.bd-search input")) field.value = query;
  const step = () => (read(10) ? setTimeout(step) : show(query));
  if (query) step();
})();

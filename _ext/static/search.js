// The search page: looks through BOOK_SECTIONS (see _ext/section_search.py) with MiniSearch.
"use strict";
(() => {
  const WEIGHT = { page: 1.2, section: 1.2, term: 1.5, statement: 1, function: 0.7, exercise: 0.5 };
  const ROUTINE = /^[\d.\s]*(Summary|Exercises|Quiz|Read more)$/;
  const LOOKED_UP = /^reference\/(bibliography|concordance|errata|library)/;  // by who knows what it holds
  const GREEK = { α: "alpha", β: "beta", γ: "gamma", λ: "lambda", μ: "mu", ξ: "xi", σ: "sigma", τ: "tau" };
  const processTerm = term => GREEK[term] ?? term.toLowerCase().replace(/(?<=\w{3})s$/, "");
  const normal = words => ` ${words.toLowerCase().split(/[^\p{L}\p{N}]+/u).map(processTerm).join(" ").trim()} `;
  const entries = window.BOOK_SECTIONS.map((entry, id) => ({
    id,
    ...entry,
    weight: WEIGHT[entry.kind] * (ROUTINE.test(entry.title) ? 0.4 : 1) * (LOOKED_UP.test(entry.url) ? 0.6 : 1),
    plainTitle: normal(entry.title),
    plainText: normal(entry.text),
    asked: entry.also.split(", ").map(normal),
  }));
  const index = new MiniSearch({
    fields: ["title", "text", "also"],
    storeFields: ["title"],
    processTerm,
    searchOptions: {
      boost: { title: 6, also: 6 },
      combineWith: "AND",
      prefix: term => term.length > 3,
      fuzzy: term => (term.length > 5 ? 0.15 : false),
    },
  });
  index.addAll(entries);

  function find(query) {
    const phrase = normal(query);
    const many = phrase.trim().includes(" ");
    const boostDocument = id => {
      const { weight, plainTitle, plainText, asked } = entries[id];
      const exact = plainTitle === phrase ? 3 : asked.includes(phrase) ? 20 : 1;
      const near = plainTitle.includes(phrase) ? (many ? 6 : 2) : plainText.includes(phrase) ? (many ? 4 : 1.5) : 1;
      return weight * exact * near;
    };
    const all = index.search(query, { boostDocument });
    return all.length ? all : index.search(query, { boostDocument, combineWith: "OR" });
  }
  window.findInBook = find;

  function marked(words, terms) {
    const letters = terms.map(term => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") +
      (term.length < 3 ? "(?![\\p{L}\\p{N}])" : ""));
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${letters.join("|")})`, "giu");
    const place = words.search(pattern);
    const start = place > 80 ? words.lastIndexOf(" ", place - 60) + 1 : 0;
    const piece = words.slice(start, start + 220).replace(/\s\S*$/, "");
    const line = document.createElement("p");
    line.className = "search-snippet";
    if (start) line.append("… ");
    for (const part of piece.split(pattern)) {
      if (pattern.test(part)) line.append(Object.assign(document.createElement("mark"), { textContent: part }));
      else line.append(part);
      pattern.lastIndex = 0;
    }
    if (start + piece.length < words.length) line.append(" …");
    return line;
  }

  function show(query) {
    const place = document.querySelector("#search-results");
    const found = query ? find(query) : [];
    const heading = document.createElement("p");
    heading.setAttribute("role", "status");
    heading.textContent = !query ? "" : found.length
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
  show(query);
})();

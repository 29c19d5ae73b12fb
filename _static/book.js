// What a page does beyond standing there. Everything works without it, only less comfortably:
// quizzes are boxes to open, players are rows of radio buttons.
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const root = document.documentElement;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  // Roles and names that the theme leaves out

  function mendRoles() {
    // docutils gives the entries of its citation list a role that a list may not contain.
    for (const entry of all('[role="list"] > [role="doc-biblioentry"]')) entry.setAttribute("role", "listitem");
    // What one sees on it is its name.
    for (const button of all(".search-button-field")) button.removeAttribute("aria-label");
    const say = () => {
      for (const button of all(".theme-switch-button")) {
        const label = `Theme: ${root.dataset.mode}`;
        button.setAttribute("aria-label", label);
        button.removeAttribute("title");
        button.setAttribute("data-bs-original-title", label);
      }
    };
    new MutationObserver(say).observe(root, { attributeFilter: ["data-mode"] });
    say();
  }

  // The drawer with the contents of the page, on a phone: it closes when one has chosen.

  function closeDrawers() {
    for (const drawer of all("#pst-secondary-sidebar-modal")) {
      drawer.addEventListener("click", event => { if (event.target.closest("a")) drawer.close(); });
    }
  }

  // What is wider than its place can be scrolled by keyboard, and shows that it goes on.

  function markScrolling() {
    const boxes = all(".highlight > pre, .output pre, .display, .bd-article table");
    // First measures all, then changes them: one after the other would lay out the page for each.
    const look = boxes => {
      const hidden = boxes.map(box => box.scrollWidth - box.clientWidth);
      const ahead = boxes.map((box, k) => hidden[k] - box.scrollLeft);
      boxes.forEach((box, k) => {
        box.classList.toggle("scrolls", hidden[k] > 2 && ahead[k] > 8);
        if (hidden[k] > 2) box.tabIndex = 0;
        else box.removeAttribute("tabindex");
      });
    };
    // They are measured when they are laid out or change; all of them, also those far away, before a Tab.
    const watcher = new ResizeObserver(changes => look(changes.map(({ target }) => target)));
    addEventListener("keydown", ({ key }) => { if (key === "Tab") look(boxes); }, true);
    for (const box of boxes) {
      watcher.observe(box);
      box.addEventListener("scroll", () => look([box]), { passive: true });
    }
  }

  // Quizzes: one answer a question at a time, right or wrong by sign, colour and word

  function isRight(answer) {
    return /^Right/.test(answer.querySelector(".sd-summary-content > p > strong:first-child")?.textContent ?? "");
  }

  function enliven(quiz) {
    const memory = `quiz ${location.pathname}`;
    const questions = [];
    for (const answer of all("details.sd-dropdown", quiz)) {
      if (answer.previousElementSibling?.matches("details.sd-dropdown")) questions.at(-1).push(answer);
      else questions.push([answer]);
    }
    let tried = {};
    try { tried = JSON.parse(sessionStorage.getItem(memory)) ?? {}; } catch { /* no memory, no harm */ }
    const status = make("p", { className: "quiz-status" });
    status.setAttribute("role", "status");
    quiz.querySelector("h2").after(status);

    const mark = answer => {
      if (answer.classList.contains("tried")) return;
      const right = isRight(answer);
      answer.classList.add("tried", right ? "right" : "wrong");
      answer.querySelector("summary").append(
        make("span", { className: "visually-hidden", textContent: right ? ", right" : ", not right" }));
    };
    const count = verdict => {
      const first = questions.filter((answers, k) => (tried[k] ?? []).some(i => isRight(answers[i]))).length;
      status.textContent = `${verdict}${first} of ${questions.length} right.`;
    };
    questions.forEach((answers, k) => {
      answers.forEach((answer, i) => {
        answer.name = `question-${k + 1}`;  // the browser keeps at most one of a name open
        if (tried[k]?.includes(i)) mark(answer);
        answer.addEventListener("toggle", () => {
          if (!answer.open || answer.dataset.printing) return;
          mark(answer);
          tried[k] = [...new Set([...(tried[k] ?? []), i])];
          try { sessionStorage.setItem(memory, JSON.stringify(tried)); } catch { /* the same */ }
          count(isRight(answer) ? "Right. " : "Not quite. ");
        });
      });
    });
    count("Choose one answer of each question. ");
  }

  // Frame players: buttons and a slider in place of the row of radio buttons

  function animate(player) {
    const radios = all('input[type="radio"]', player);
    const captions = all("figcaption", player).map(caption => caption.textContent);
    // Whole names of icons: the style sheets keep only what occurs as a word.
    const icon = name => make("span", { className: `fa-solid ${name}`, ariaHidden: "true" });
    const button = (label, name) => make("button", { type: "button", ariaLabel: label, title: label }, icon(name));
    const back = button("Previous frame", "fa-backward-step");
    const play = button("Play", "fa-play");
    const forward = button("Next frame", "fa-forward-step");
    const slider = make("input", { type: "range", min: 1, max: radios.length, value: 1, ariaLabel: "Frame" });
    const status = make("span", { className: "visually-hidden" });
    status.setAttribute("role", "status");
    let timer = 0;

    const now = () => radios.findIndex(radio => radio.checked);
    const show = k => {
      radios[Math.max(0, Math.min(radios.length - 1, k))].checked = true;
      slider.value = now() + 1;
      slider.setAttribute("aria-valuetext", captions[now()]);
      back.disabled = now() === 0;
      forward.disabled = now() === radios.length - 1;
    };
    const stop = () => {
      clearInterval(timer);
      timer = 0;
      play.ariaLabel = play.title = "Play";
      play.firstChild.className = "fa-solid fa-play";
    };
    const step = by => {
      stop();
      show(now() + by);
      status.textContent = captions[now()];
      if (document.activeElement === document.body) slider.focus();  // the button was disabled
    };
    const start = () => {
      if (now() === radios.length - 1) show(0);
      play.ariaLabel = play.title = "Pause";
      play.firstChild.className = "fa-solid fa-pause";
      timer = setInterval(() => {
        show(now() + 1);
        if (now() === radios.length - 1) stop();
      }, 1500);
    };
    back.addEventListener("click", () => step(-1));
    forward.addEventListener("click", () => step(1));
    play.addEventListener("click", () => (timer ? stop() : start()));
    slider.addEventListener("input", () => { stop(); show(slider.value - 1); });
    player.addEventListener("keydown", event => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by && event.target !== slider) { event.preventDefault(); step(by); }
    });
    document.addEventListener("visibilitychange", stop);
    calm.addEventListener("change", () => { stop(); play.hidden = calm.matches; });
    play.hidden = calm.matches;

    const load = () => all("img", player).forEach(image => { image.loading = "eager"; });
    player.addEventListener("pointerenter", load, { once: true });
    player.addEventListener("focusin", load, { once: true });
    player.classList.add("alive");
    player.querySelector("legend").className = "visually-hidden";
    player.append(make("div", { className: "controls" }, back, play, forward, slider, status));
    show(now());
  }

  // Paper: always light, proofs open, quiz answers and solutions shut

  function print() {
    let before = null;
    addEventListener("beforeprint", () => {
      const quiz = document.querySelector("#quiz");
      const shut = all("details.sd-dropdown:not([open])").filter(box => !quiz?.contains(box));
      const answers = all("#quiz details[open], details.solution[open]");
      before = { theme: root.dataset.theme, shut, answers };
      for (const box of [...shut, ...answers]) box.dataset.printing = "yes";
      root.dataset.theme = "light";
      shut.forEach(box => { box.open = true; });
      answers.forEach(box => { box.open = false; });
      all("img").forEach(image => { image.loading = "eager"; });
    });
    addEventListener("afterprint", () => {
      if (!before) return;
      root.dataset.theme = before.theme;
      before.shut.forEach(box => { box.open = false; });
      before.answers.forEach(box => { box.open = true; });
      // A toggle event comes later than the change that it reports.
      setTimeout(() => all("[data-printing]").forEach(box => { delete box.dataset.printing; }));
      before = null;
    });
  }

  // A link into a folded box opens it.

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const box = target?.closest("details:not([open])");
    if (!box) return;
    box.open = true;
    target.scrollIntoView();
  }

  // After a reload or on the way back, the place where one was reading. The browser's own measure is wrong if
  // blocks between have another height than when one left, because not all have been laid out (see book.css).

  function keepPlace() {
    const memory = `place ${location.pathname}`;
    const blocks = all(".bd-article section > *");
    const top = block => block.getBoundingClientRect().top;
    addEventListener("pagehide", () => {
      const k = blocks.findLastIndex(block => top(block) < 1);
      try { sessionStorage.setItem(memory, JSON.stringify([k, k < 0 ? 0 : top(blocks[k])])); } catch { /* as above */ }
    });
    if (performance.getEntriesByType("navigation")[0]?.type === "navigate") return;
    let place = [];
    try { place = JSON.parse(sessionStorage.getItem(memory)) ?? []; } catch { /* as above */ }
    const block = blocks[place[0]];
    const back = frames => {  // several times, because what is near now is laid out
      scrollBy({ top: top(block) - place[1], behavior: "instant" });
      if (frames) requestAnimationFrame(() => back(frames - 1));
    };
    if (block) addEventListener("load", () => setTimeout(back, 0, 5));
  }

  // A copied formula is its TeX, in plain text; a word processor gets the page's own HTML, whose
  // MathML and tables it knows.

  function copyTeX() {
    const formulas = all("math[data-tex]");
    if (!formulas.length) return;
    const at = node => (node.closest ? node : node.parentElement).closest("math[data-tex], .display");
    const part = (formula, by) => {  // a long formula in a line has parts, of which the first has the TeX
      if (formula.matches(".display")) return formula;
      let k = formulas.indexOf(formula);
      while (by < 0 ? !formulas[k].dataset.tex : formulas[k + 1]?.dataset.tex === "") k += by;
      return formulas[k];
    };
    document.addEventListener("copy", event => {
      const selection = getSelection();
      if (selection.isCollapsed || !selection.rangeCount) return;
      const range = selection.getRangeAt(0).cloneRange();
      const [first, last] = [range.startContainer, range.endContainer].map(at);
      if (first) range.setStartBefore(part(first, -1));  // no half formulas
      if (last) range.setEndAfter(part(last, 1));
      const copy = make("div", {}, range.cloneContents());
      for (const unseen of all("script, style, .headerlink, .copybtn, .visually-hidden", copy)) unseen.remove();
      const found = all("math[data-tex]", copy);
      if (!found.length) return;
      const table = range.commonAncestorContainer.closest?.("table");  // of which only rows were selected
      event.clipboardData.setData("text/html", table ? `<table>${copy.innerHTML}</table>` : copy.innerHTML);
      for (const formula of found) {
        const signs = formula.getAttribute("display") ? "$$" : "$";
        formula.replaceWith(formula.dataset.tex && signs + formula.dataset.tex + signs);
      }
      for (const block of all("section > *", copy)) block.style.contentVisibility = "visible";
      document.body.append(copy);  // where innerText knows what is a paragraph
      event.clipboardData.setData("text/plain", copy.innerText.trim());
      copy.remove();
      event.preventDefault();
    });
  }

  mendRoles();
  copyTeX();
  closeDrawers();
  markScrolling();
  all("section#quiz").forEach(enliven);
  all(".frame-player").forEach(animate);
  print();
  keepPlace();
  addEventListener("hashchange", openTarget);
  openTarget();
})();

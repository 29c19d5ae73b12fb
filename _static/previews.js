// What a link inside the book leads to, shown at the link: while the pointer or the focus is on it,
// and at the first tap; the second one goes there. The texts come from _ext/previews.py.
"use strict";
(() => {
  const DELAY = 300;  // ms: time to pass over a link, and from the link to its preview
  const book = new URL("..", document.currentScript.src);
  const article = document.querySelector("article");
  if (!article || !HTMLElement.prototype.showPopover) return;

  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const text = make("div");
  const go = make("a", { className: "go", href: "#", textContent: "Go there" });
  const panel = make("div", { className: "preview", popover: "manual", role: "dialog", ariaLabel: "Preview" }, text, go);
  article.append(panel);
  let shown = null;  // the link whose preview one sees, or will as soon as it is there
  let timer = 0;

  const linkAt = place => (panel.contains(place) ? null : place.closest?.('article a[class="reference internal"]'));

  // The texts

  window.BOOK_PREVIEWS = {};
  const load = (tag, properties) => new Promise((onload, onerror) => {
    document.head.prepend(make(tag, { ...properties, onload, onerror }));
  });
  const scripts = {};
  let formulas = document.querySelector('link[href*="math/math.css"]');  // a page without any has none

  async function find(link) {
    const page = link.href.slice(book.href.length).replace(/[?#].*/, "") || "index.html";
    const src = new URL(`previews/${page.replace(/html$/, "js")}`, book);
    await (scripts[page] ??= load("script", { src }));
    const part = BOOK_PREVIEWS[page][decodeURIComponent(link.hash.slice(1))];
    const href = new URL("_static/math/math.css", book);
    if (part.includes("<math")) await (formulas ??= load("link", { rel: "stylesheet", href }));
    return part;
  }

  function fill(part, page) {
    const template = make("template", { innerHTML: part });  // where nothing is loaded yet
    for (const name of ["href", "src"]) {
      for (const element of template.content.querySelectorAll(`[${name}]`)) {
        element[name] = new URL(element.getAttribute(name), page);
      }
    }
    text.replaceChildren(template.content);
    go.href = page;
  }

  // Showing and hiding

  async function show(link) {
    shown = link;
    const found = await find(link).catch(() => null);
    if (shown !== link) return true;  // the reader is elsewhere by now
    if (!found) {
      hide();
      return false;
    }
    link.removeAttribute("title");  // the browser would show it as well
    fill(found, link.href);
    panel.togglePopover(true);
    panel.scrollTop = 0;
    place(link);
    return true;
  }

  // Below the link, or above it where there is more room
  function place(link) {
    const lines = link.getClientRects(), [above, below] = [lines[0].top, innerHeight - lines[lines.length - 1].bottom];
    const down = below > above || below > panel.scrollHeight;
    panel.style.setProperty("--room", `${Math.max(above, below) - 8}px`);
    const top = down ? innerHeight - below : above - panel.offsetHeight;
    // Inside the window also when that is made narrower
    const left = `max(8px, min(${lines[0].left}px, 100% - ${panel.offsetWidth + 8}px))`;
    Object.assign(panel.style, { left, top: `${top + scrollY}px` });
  }

  function hide() {
    clearTimeout(timer);
    shown = null;
    panel.togglePopover(false);
  }

  const later = act => {
    clearTimeout(timer);
    timer = setTimeout(act, DELAY);
  };

  // The pointer: from the link to its preview and back it may pass over something else.
  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "touch") return;
    const link = linkAt(target);
    if (panel.contains(target) || (link && link === shown)) clearTimeout(timer);
    else if (link) later(() => show(link));
    else if (!shown) clearTimeout(timer);
    else if (!shown.matches(":focus-visible") && !panel.contains(document.activeElement)) later(hide);
  });

  // The focus
  document.addEventListener("focusin", ({ target }) => {
    const link = linkAt(target);
    if (link?.matches(":focus-visible")) later(() => show(link));
    else if (shown && shown !== link && !panel.contains(target)) hide();
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !shown) return;
    const link = shown, inside = panel.contains(document.activeElement);
    hide();
    if (inside) link.focus({ preventScroll: true });
    clearTimeout(timer);  // to come back is not to ask again
  });

  // The finger
  let touch = false;
  document.addEventListener("pointerdown", ({ target, pointerType }) => {
    touch = pointerType === "touch";
    if (shown && shown !== linkAt(target) && !panel.contains(target)) hide();
  });
  document.addEventListener("click", async event => {
    const link = linkAt(event.target);
    if (link && link !== shown && touch && event.detail) {
      event.preventDefault();
      if (await show(link)) go.focus({ preventScroll: true });
      else location.assign(link.href);
    } else if (event.target.closest?.("a")) hide();
  });
})();

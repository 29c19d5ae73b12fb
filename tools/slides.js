// Slides fit whatever fonts there are, and a figure that somebody has taken hold of has the keys.
"use strict";
(async () => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const slides = document.querySelector(".slides");
  window.svmExplorable?.scan(false);  // not as on a page, whose address says what was moved

  // Each begins large, and shrinks step by step until nothing of it is hidden.
  const START = {alive: 1.35, title: 1, still: 1, wide: 1}, STEP = 0.96, SMALLEST = 0.4;
  const start = part => Math.min(...[...part.closest("section").classList].map(it => START[it] ?? 1.25));
  slides.classList.add("measured");
  await document.fonts.ready;
  let left = all(".zoom").map(part => ({part, zoom: start(part)}));
  const hides = ({part}) => {
    const room = part.parentElement;
    return room.scrollHeight > room.clientHeight + 1 || room.scrollWidth > room.clientWidth + 1;
  };
  while (left.length) {
    for (const {part, zoom} of left) {
      part.style.zoom = zoom.toFixed(3);
      part.style.setProperty("--zoom", zoom.toFixed(3));
    }
    left = left.filter(hides).filter(it => (it.zoom *= STEP) > SMALLEST);
  }
  // A picture is scaled as a whole; its letters are not, as far as its axes bear it.
  for (const svg of all(".alive .explorable svg")) {
    svg.style.setProperty("--letters", `${Math.max(12.5, 15 / svg.getScreenCTM().a)}px`);
  }
  slides.classList.remove("measured");

  await Reveal.initialize({
    width: 1280, height: 720, margin: 0, center: false, display: "flex", hash: true,
    navigationMode: "linear", slideNumber: "c/t", transition: "none", backgroundTransition: "none",
    scrollActivationWidth: null, pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1, plugins: [RevealNotes],
    keyboardCondition: () => !held(),
  });

  // Arrow keys, space and so on belong to a figure that has the focus; these do not.
  function held() {
    return document.activeElement?.closest(".explorable, .frame-player");
  }
  const letGo = () => document.activeElement?.blur();
  const keys = {Escape: letGo, PageDown: () => Reveal.next(), PageUp: () => Reveal.prev()};
  addEventListener("keydown", event => {
    if (held() && keys[event.key]) {
      event.preventDefault();
      event.stopPropagation();
      keys[event.key]();
    }
  }, true);
  Reveal.on("slidechanged", letGo);
  document.documentElement.dataset.ready = "";
})();

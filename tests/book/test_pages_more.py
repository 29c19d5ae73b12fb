"""What no rule of style may hide, cut off or crowd, on a phone and with every box opened."""

# ruff: noqa: F401, F811 (the fixtures of one open page)
from tests.book.test_pages import CHAPTERS, PHONE, each, host, tab, visit, visits

UNSEEN = """
    () => {
        const all = selector => [...document.querySelectorAll(selector)], style = getComputedStyle;
        const shut = all('article details:not([open])'), names = shut.map(box => box.name);
        shut.forEach(box => { box.name = ''; box.open = true; });
        const hidden = all('article figcaption, article details > *')
            .filter(e => !e.closest('.frame-player'))
            .filter(e => !e.checkVisibility() || e.getBoundingClientRect().height < 5);
        const cut = all('article :is(pre, table, .katex-display)').filter(e =>
            e.scrollWidth > e.clientWidth + 2 && !/auto|scroll/.test(style(e).overflowX));
        const crowded = all('article p').filter(e => e.textContent.trim().length > 99
            && parseFloat(style(e).lineHeight) < 1.3 * parseFloat(style(e).fontSize));
        const twice = all('.katex-mathml').filter(e => e.getBoundingClientRect().width > 2);
        const small = all('article :is(p, li, td, pre)')
            .filter(e => parseFloat(style(e).fontSize) < 11);
        shut.forEach((box, k) => { box.open = false; box.name = names[k]; });
        return Object.entries({hidden, cut, crowded, twice, small})
            .flatMap(([what, found]) => found.map(e => `${what}: ${e.outerHTML.slice(0, 100)}`));
    }
"""


@each(CHAPTERS)
def test_nothing_is_hidden_cut_off_or_crowded(tab):
    tab.set_viewport_size(PHONE)
    assert not tab.evaluate(UNSEEN)

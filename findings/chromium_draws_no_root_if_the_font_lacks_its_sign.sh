#!/usr/bin/env bash
# One would guess: a character that a web font lacks is taken from another font, so a font that is cut
#   to the characters of a page (1, 4, λ) draws all formulas of that page.
# True: the sign of a root is in no text: <msqrt> draws it. If the font lacks it, Chromium does not try
#   the next font, as it does for a letter: it draws the content alone, so √4 is read as 4. Firefox
#   takes the sign from another font. A subset made of the page's text needs U+221A in addition.
# Seen with: Chromium 156, fonttools 4.60.1, @fontsource/stix-two-math 5.3.0, Debian 12, Linux x86-64,
#   28 November 2026 (not in the manuals of pyftsubset, nor in MDN's page on <msqrt>).
# Source: PyPI (fonttools, brotli, playwright), npm (the font), Debian's chromium.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet fonttools==4.60.1 brotli==1.1.0 playwright==1.55.0
npm pack --silent @fontsource/stix-two-math@5.3.0 | xargs tar xzf
font=$(ls package/files/*-400-normal.woff2)
for sign in "" "√"; do
  venv/bin/pyftsubset "$font" --text="4λ$sign" --flavor=woff2 --output-file="font$sign.woff2"
  cat >"page$sign.html" <<H
<!doctype html><meta charset="utf-8">
<style>@font-face { font-family: F; src: url("font$sign.woff2"); } math { font: 40px F, math; }</style>
<math><msqrt><mn>4</mn></msqrt></math>
H
done
cat >look.py <<'P'
import pathlib, shutil
from playwright.sync_api import sync_playwright

with sync_playwright() as play:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
    print("Chromium", browser.version.partition(".")[0])
    tab, room = browser.new_page(), []
    for sign in ("", "√"):
        tab.goto(pathlib.Path(f"page{sign}.html").absolute().as_uri())
        room.append(tab.evaluate("""document.fonts.ready.then(() => {
            const [root, four] = ['msqrt', 'mn'].map(n => document.querySelector(n).getBoundingClientRect());
            return Math.round(four.left - root.left); })"""))
        print(f"font {'with' if sign else 'without'} U+221A: {room[-1]} px for the sign of the root")
    browser.close()
raise SystemExit(not (room[0] == 0 and room[1] > 15))
P
venv/bin/python look.py
# Output seen:
#   Chromium 156
#   font without U+221A: 0 px for the sign of the root
#   font with U+221A: 32 px for the sign of the root

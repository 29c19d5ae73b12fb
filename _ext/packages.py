"""Take files for the pages from packages: the font of formulas, icons, the search engine.

npm has fetched them as package-lock.json says; icons come from the theme. A font is cut to the
characters that the pages use, from hundreds of kilobytes to a few. Each licence is copied, too,
into `_static/licences`.
"""

import re
import shutil
import unicodedata
from importlib.metadata import distribution
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from formulas import drawn
from sphinx.errors import ExtensionError

FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
ICONS = "icons.css"
NAMES = (  # of the icons that pages use, in Font Awesome
    *("bars", "list", "download", "file-pdf", "file-zipper", "expand", "magnifying-glass"),
    *("sun", "moon", "circle-half-stroke", "angle-left", "angle-right", "arrow-up", "code"),
    *("play", "pause", "backward-step", "forward-step"),
)
ICON = re.compile(rf"\.fa-({'|'.join(NAMES)})(?::before)?")
CHARACTER = re.compile(r'(?:content|--fa):"(\\f[0-9a-f]{3})"')  # as Font Awesome 6 writes it, or 7
RULE = re.compile(r"([^{}@;/]+)\{([^{}]*)\}")
NOTICE = re.compile(r"/\*!(?:(?!\*/).)*Font Awesome.*?\*/", re.DOTALL)
ITALIC = {  # a letter that stands alone is set by another character
    unicodedata.normalize("NFKC", chr(code)): chr(code)
    for code in (*range(0x1D434, 0x1D468), 0x210E, *range(0x1D6E2, 0x1D71C))
    if unicodedata.name(chr(code), "")
}
INSTALLED = (  # by pip, with styles or scripts for the pages
    "pydata-sphinx-theme",
    "sphinx-book-theme",
    "sphinx-copybutton",
    "sphinx-design",
    "sphinx-exercise",
    "sphinx-proof",
    "myst-nb",
    "sphinx",
)
SOLID = "vendor/fontawesome/webfonts/fa-solid-900.woff2"  # of the theme


def package(app, name):
    """Return the folder of a package that npm has fetched."""
    folder = Path(app.srcdir, "node_modules", name)
    if not folder.is_dir():
        raise ExtensionError(f"there is no {folder}: run `python tools/npm.py ci`")
    return folder


def cut(font, characters, file):
    """Write a font with some characters only."""
    wanted = {ord(character) for character in characters}
    options = subset.Options(flavor="woff2", layout_features=["*"], hinting=False)
    loaded = subset.load_font(str(font), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=wanted)
    subsetter.subset(loaded)
    if "MATH" in loaded:  # else the index of a letter with a tail, y or ξ, hangs below all others
        loaded["MATH"].table.MathConstants.SubscriptBaselineDropMin.Value = 0
    file.parent.mkdir(parents=True, exist_ok=True)
    subset.save_font(loaded, str(file), options)


def ship(app, static, name, *files):
    """Copy files of a package, with its licence, into the folder that all pages share."""
    source = package(app, name)
    for file, target in files:
        (static / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / file, static / target)
    licence = next(source.glob("LICENSE*"))
    licences = static / "licences"
    licences.mkdir(exist_ok=True)
    shutil.copyfile(licence, licences / f"{name.rpartition('/')[2]}.txt")


def write_style(app, static):
    """Make the style sheet of formulas from Temml's, for a font that we ship, and ours."""
    style = (package(app, "temml") / "dist" / "Temml-STIX2.css").read_text(encoding="utf-8")
    face = "@font-face { font-family: STIX2; src: url('math.woff2'); font-display: block; }"
    style, count = re.subn(r"@font-face \{.*?\}", face, style, count=1, flags=re.DOTALL)
    assert count == 1, "Temml's style sheet has another form"
    (static / "math").mkdir(exist_ok=True)
    more = Path(__file__).with_name("formulas.css").read_text(encoding="utf-8")
    (static / "math" / "math.css").write_text(style + more, encoding="utf-8")


def licence_of_icons(font):
    """Return the licence notice inside the icon font; the theme has no file for it."""
    names = TTFont(font)["name"]
    return f"{names.getDebugName(3)}, {names.getDebugName(0)}. SIL OFL 1.1, https://openfontlicense.org\n"


def rules_of_icons(theme):
    """Return the characters of our icons out of the theme's style sheet, their notice first."""
    found = [NOTICE.search(theme)[0]]
    for selectors, body in RULE.findall(theme):
        if character := CHARACTER.fullmatch(body):
            icons = filter(None, map(ICON.fullmatch, selectors.split(",")))
            found += [f'.fa-{icon[1]}:before{{content:"{character[1]}"}}' for icon in icons]
    return "\n".join(found)


def take(app, error):
    if error or app.builder.format != "html":
        return
    out = Path(app.outdir)
    static = out / "_static"
    ship(app, static, "temml")
    ship(app, static, "minisearch", ("dist/umd/index.js", "minisearch.js"))
    ship(app, static, "@fontsource/stix-two-math")
    write_style(app, static)
    pages = [path.read_text(encoding="utf-8") for path in out.rglob("*.html")]
    formulas = "".join(formula for page in pages for formula in FORMULA.findall(page))
    (font,) = (package(app, "@fontsource/stix-two-math") / "files").glob("*-400-normal.woff2")
    used = set(drawn(formulas))
    used |= {ITALIC[character] for character in used & ITALIC.keys()}
    cut(font, used, static / "math/math.woff2")
    solid = static / SOLID
    theme = (static / "styles/pydata-sphinx-theme.css").read_text(encoding="utf-8")
    icons = rules_of_icons(theme)
    face = Path(__file__).with_name("static").joinpath(ICONS).read_text(encoding="utf-8")
    (static / ICONS).write_text(f"{face}{icons}\n", encoding="utf-8")
    codes = re.findall(r'content:"\\(f[0-9a-f]{3})"', icons)
    named = {chr(int(code, 16)) for code in codes} | set(re.findall("[\ue000-\uf8ff]", theme))
    if solid.exists():  # the theme's files are copied in every build
        cut(solid, named, static / "icons.woff2")
        (static / "licences/icons.txt").write_text(licence_of_icons(solid), encoding="utf-8")
    for name in INSTALLED:
        for file in distribution(name).files or ():
            if file.name.startswith(("LICENSE", "COPYING")):
                shutil.copyfile(file.locate(), static / f"licences/{name}.txt")
                break


def setup(app):
    app.connect("build-finished", take, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

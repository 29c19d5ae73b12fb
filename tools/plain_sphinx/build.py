"""Build the pages without Jupyter Book, and say what differs from those with it: `make plain`.

    python tools/plain_sphinx/build.py _build/html _build/plain

The first folder has the pages of `make book`; the second gets an environment of its own, from the
lock beside this file, and the pages of plain Sphinx. It needs Python 3.12, as Sphinx does, and
nothing else. If a page, an anchor, a formula or a figure is missing, it fails.
"""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent


def build(folder):
    """Make the environment and the pages; return where the pages are."""
    venv.create(folder, with_pip=True)
    python, wheels = folder / "bin" / "python", map(str, Path("_build/wheel").glob("*.whl"))
    pip = [python, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--requirement", HERE / "requirements.txt"], check=True)
    subprocess.run([*pip, "--no-deps", "--force-reinstall", *wheels], check=True)
    sphinx = [python, "-m", "sphinx", "-c", HERE, "-b", "html", "-q", "-n"]
    subprocess.run(
        [*sphinx, ".", folder / "html", "-d", folder / "doctrees"],
        env=os.environ | {"PYTHONPATH": "_ext"},
        check=True,
    )
    return folder / "html"


def pages(folder):
    """Return title, anchors and number of formulas and figures of each page, by its address."""
    found = {}
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).as_posix()
        if not name.startswith("_"):
            text = path.read_text(encoding="utf-8")
            title = " ".join(re.search(r"<title>(.*?)</title>", text, re.DOTALL)[1].split())
            article = re.search(r"<article.*</article>", text, re.DOTALL)
            anchors = set(re.findall(r' id="([^"]+)"', article[0] if article else ""))
            shown = re.findall(r'<math|<img [^>]*style="width: \d+px; height', text)
            found[name] = title, anchors, len(shown)
    return found


def compare(old, new):
    """Return what is missing from the new pages, and what else is different."""
    missing = [f"{name}: no such page" for name in old.keys() - new.keys()]
    others = [f"{name}: a new page" for name in new.keys() - old.keys()]
    for name in old.keys() & new.keys():
        (title, anchors, shown), (new_title, new_anchors, new_shown) = old[name], new[name]
        missing += [f"{name}#{anchor}: no such anchor" for anchor in anchors - new_anchors]
        others += [f"{name}#{anchor}: a new anchor" for anchor in new_anchors - anchors]
        if title != new_title:
            others.append(f"{name}: the title is {new_title!r} and was {title!r}")
        if shown != new_shown:
            missing.append(f"{name}: {new_shown} formulas and figures, and there were {shown}")
    return sorted(missing), sorted(others)


def main():
    old, folder = (Path(argument).resolve() for argument in sys.argv[1:])
    if sys.version_info < (3, 12):
        sys.exit("Sphinx 9 needs Python 3.12 or newer. Name one: make plain PYTHON=python3.12")
    known = pages(old)
    missing, others = compare(known, pages(build(folder)))
    print(*missing, *others, sep="\n")
    anchors = sum(len(anchors) for _, anchors, _ in known.values())
    print(f"{len(known)} pages, {anchors} anchors; missing: {len(missing)}; other: {len(others)}")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())

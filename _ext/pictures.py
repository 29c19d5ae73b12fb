"""Pictures of the pages: lossless WebP, a third of matplotlib's PNG, in files.

All pictures but the first of a page are loaded when a reader scrolls near them.

A player has its frames in its HTML, so that it works in a notebook without other files; a page
has them in files like any other picture.
"""

import hashlib
import io
import re
from base64 import b64decode
from pathlib import Path

from PIL import Image
from sphinx.util.osutil import relative_uri


def store(folder, content):
    """Write a PNG as WebP, unless that has been done before; return the name of the file."""
    name = hashlib.sha256(content).hexdigest()[:32] + ".webp"
    file = folder / name
    if not file.exists():
        folder.mkdir(exist_ok=True)
        Image.open(io.BytesIO(content)).save(file, lossless=True, method=1)
    return name


def in_style(image):
    """Write the displayed size of a picture as a style, as docutils did before 0.22."""
    size = dict(re.findall(r' (width|height)="(\d+)"', image[0]))
    if len(size) < 2:
        return image[0]
    bare = re.sub(r' (?:width|height)="\d+"', "", image[0]).removesuffix("/>").rstrip()
    return f'{bare} style="width: {size["width"]}px; height: {size["height"]}px;" />'


def rewrite(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    folder = Path(app.outdir) / app.builder.imagedir
    address = relative_uri(app.builder.get_target_uri(pagename), app.builder.imagedir)
    sources = {name: Path(app.srcdir, source) for source, name in app.builder.images.items()}

    def embedded(match):
        return f'src="{address}/{store(folder, b64decode(match[1]))}"'

    def shown(match):
        name = store(folder, sources[match[1]].read_bytes())
        with Image.open(folder / name) as picture:  # its place is kept before it is there
            width, height = picture.size
        return f'width="{width}" height="{height}" src="{address}/{name}"'

    body = re.sub('src="data:image/png;base64,([^"]+)"', embedded, context["body"])
    place = re.escape(address)
    body = re.sub(rf'<a [^>]*href="{place}/[^"]+">\s*(<img [^>]*>)\s*</a>', r"\1", body)
    body = re.sub(rf'<img [^>]*src="{place}/[^"/]+\.png"[^>]*>', in_style, body)
    body = re.sub(rf'src="{place}/([^"/]+\.png)"', shown, body)
    first, *others = re.split("(?=<img )", body)[1:] or [""]  # one often sees the first at once
    start = body[: len(body) - len(first) - sum(map(len, others))]
    later = (part.replace("<img ", '<img loading="lazy" decoding="async" ', 1) for part in others)
    context["body"] = "".join([start, first, *later])
    for source in [source for source, name in app.builder.images.items() if name.endswith(".png")]:
        del app.builder.images[source]  # the PNG is no longer needed


def setup(app):
    app.connect("html-page-context", rewrite)
    return {"parallel_read_safe": True, "parallel_write_safe": False}

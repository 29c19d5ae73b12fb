"""Finish the PDF that Chromium prints: titles of bookmarks, metadata, compressed tags.

Chromium writes each tag as an uncompressed object. The tags of formulas are so many that they would
take two thirds of the file.
"""

from datetime import UTC, datetime
from importlib.metadata import version

from pikepdf import ObjectStreamMode

from _ext.zips import date


def bookmarks(items):
    """Yield some bookmarks and all below them, in the order of the book."""
    for item in items:
        yield item
        yield from bookmarks(item.children)


def set_titles(pdf, titles):
    """Give the bookmarks their titles; Chromium's contain the numbers of pages in headings."""
    with pdf.open_outline(strict=True) as outline:
        for item, title in zip(bookmarks(outline.root), titles, strict=True):
            item.title = title


def set_metadata(pdf, config):
    """Write the author into both kinds of metadata; the names of Chromium's programs stay."""
    day = datetime(*date()[:6], tzinfo=UTC)
    with pdf.open_metadata(set_pikepdf_as_editor=False) as metadata:
        metadata["dc:title"] = config["title"]
        metadata["dc:creator"] = [config["author"]]
        metadata["dc:language"] = ["en"]
        metadata["dc:rights"] = f"© {config['copyright']}"
        metadata["dc:format"] = "application/pdf"
        metadata["pdf:Producer"] = str(pdf.docinfo.Producer)
        metadata["xmp:CreatorTool"] = f"svmlib {version('svmlib')}, Jupyter Book and Chromium"
        for kind in ("Create", "Modify", "Metadata"):
            metadata[f"xmp:{kind}Date"] = day


def finish(pdf, titles, config, file):
    """Write the file that Chromium has printed with titles and metadata, and compressed."""
    set_titles(pdf, titles)
    set_metadata(pdf, config)
    pdf.save(file, object_stream_mode=ObjectStreamMode.generate, deterministic_id=True)

"""Finish the PDF that Chromium prints: titles of bookmarks, metadata, compressed tags.

Chromium writes each tag as an uncompressed object. The tags of formulas are so many that they would
take two thirds of the file. pypdf reads compressed objects but cannot write them; `save` can.
"""

import struct
from datetime import datetime
from importlib.metadata import version
from io import BytesIO
from time import strftime

from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    IndirectObject,
    NameObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)
from pypdf.xmp import XmpInformation

from _ext.zips import date

CREATOR = f"svmlib {version('svmlib')}, Jupyter Book and Chromium"
TOGETHER = 200  # objects in a compressed stream; for one of them, a reader unpacks all


def bookmarks(above):
    """Yield all bookmarks below one, in the order of the book."""
    item = above.get("/First")
    while item is not None:
        item = item.get_object()
        yield item
        yield from bookmarks(item)
        item = item.get("/Next")


def set_titles(root, titles):
    """Give the bookmarks their titles; Chromium's contain the numbers of pages in headings."""
    for item, title in zip(bookmarks(root["/Outlines"]), titles, strict=True):
        item[NameObject("/Title")] = TextStringObject(title)


def information(config, producer):
    """Make the old dictionary of metadata."""
    day = strftime("D:%Y%m%d%H%M%SZ", date())
    said = {
        "/Title": config["title"],
        "/Author": config["author"],
        "/Creator": CREATOR,
        "/Producer": producer,
        "/CreationDate": day,
        "/ModDate": day,
    }
    return DictionaryObject({NameObject(k): TextStringObject(v) for k, v in said.items()})


def metadata(config, producer):
    """Make the metadata in XMP, which say the same and more."""
    xmp = XmpInformation.create()
    xmp.dc_title = {"x-default": config["title"], "en": config["title"]}
    xmp.dc_creator = [config["author"]]
    xmp.dc_language = ["en"]
    xmp.dc_rights = {"x-default": f"© {config['copyright']}"}
    xmp.dc_format = "application/pdf"
    xmp.pdf_producer = producer
    xmp.xmp_creator_tool = CREATOR
    xmp.xmp_create_date = xmp.xmp_modify_date = xmp.xmp_metadata_date = datetime(*date()[:6])
    return stream(xmp.stream.get_data(), Type="/Metadata", Subtype="/XML")


def stream(content, **entries):
    """Make a stream; texts are names."""
    made = StreamObject()
    made.set_data(content)
    for key, value in entries.items():
        kept = NameObject(value) if isinstance(value, str) else value
        made[NameObject(f"/{key}")] = NumberObject(kept) if isinstance(value, int) else kept
    return made


def written(thing):
    buffer = BytesIO()
    thing.write_to_stream(buffer)
    return buffer.getvalue()


def packed(objects):
    """Make one stream of several objects, given by their numbers."""
    bodies = [written(thing) for thing in objects.values()]
    head, place = [], 0
    for number, body in zip(objects, bodies, strict=True):
        head.append(f"{number} {place} ")
        place += len(body) + 1
    first = "".join(head).encode()
    content = first + b"\n".join(bodies)
    return stream(content, Type="/ObjStm", N=len(bodies), First=len(first)).flate_encode()


def save(objects, file, **trailer):
    """Write a PDF of objects, given by their numbers; only streams stay outside streams."""
    streams = {n: thing for n, thing in objects.items() if isinstance(thing, StreamObject)}
    small = sorted(objects.keys() - streams.keys())
    table, number = {0: (0, 0, 65535)}, max(objects)
    for start in range(0, len(small), TOGETHER):
        chosen = small[start : start + TOGETHER]
        number += 1
        streams[number] = packed({n: objects[n] for n in chosen})
        table |= {n: (2, number, place) for place, n in enumerate(chosen)}
    with open(file, "wb") as out:
        out.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        for n, thing in streams.items():
            table[n] = (1, out.tell(), 0)
            out.write(b"%d 0 obj\n%b\nendobj\n" % (n, written(thing)))
        table[number := number + 1] = (1, out.tell(), 0)
        lines = [struct.pack(">BIH", *table.get(n, (0, 0, 65535))) for n in range(number + 1)]
        widths = ArrayObject(map(NumberObject, (1, 4, 2)))
        index = stream(b"".join(lines), Type="/XRef", W=widths, Size=number + 1, **trailer)
        start = out.tell()
        out.write(b"%d 0 obj\n%b\nendobj\n" % (number, written(index.flate_encode())))
        out.write(b"startxref\n%d\n%%%%EOF\n" % start)


def finish(reader, titles, config, file):
    """Write what Chromium has printed, with titles and metadata, and much smaller."""
    root = reader.root_object
    set_titles(root, titles)
    objects = {number: reader.get_object(number) for number in reader.xref[0]}
    producer, number = reader.metadata.producer, max(objects) + 1
    objects[number] = metadata(config, producer)
    root[NameObject("/Metadata")] = IndirectObject(number, 0, reader)
    info = reader.trailer.raw_get("/Info")
    objects[info.idnum] = information(config, producer)
    save(objects, file, Root=reader.trailer.raw_get("/Root"), Info=info)

"""Write zips that are the same for the same files: of pages, notebooks, drawings and the e-book."""

import os
import time
import zipfile


def date():
    """Return the date of the files: SOURCE_DATE_EPOCH, or now."""
    return time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))


def write_zip(path, contents, folder=None):
    """Write files, given by name, into a folder of the zip that has the zip's name."""
    folder = f"{path.stem}/" if folder is None else folder
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(folder + name, date()[:6])
            entry.external_attr = 0o644 << 16
            packed = name != "mimetype"  # which says what an e-book is, and has to be read at once
            file.writestr(entry, content, zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED)

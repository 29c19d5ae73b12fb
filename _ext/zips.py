"""Write zips that are the same for the same files: of the pages, the notebooks and the drawings."""

import os
import time
import zipfile


def write_zip(path, contents):
    """Write files, given by their names, into a zip with a folder of the zip's own name."""
    date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(f"{path.stem}/{name}", date[:6])
            entry.external_attr = 0o644 << 16
            file.writestr(entry, content, zipfile.ZIP_DEFLATED)

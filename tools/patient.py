"""Run a long command for a newcomer: show that it is alive, and say in a sentence why it failed.

    python tools/patient.py LOG "What is being done" COMMAND ...
    python tools/patient.py --set-up VENV

The output of the command goes to LOG. With --set-up it makes the environment of the book or repairs
it. Old versions of Python 3 can run this file, so that it can ask for a newer one.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path

OLDEST = (3, 11)
SPACE = 3  # GB: environment, pip's copies and pages
# Words in the output of a command that failed, and what to do about them.
REMEDIES = {
    "No space left on device": f"the disk is full. Free {SPACE} GB, then repeat the command",
    "NewConnectionError": "the Python package index cannot be reached. Connect to a network, "
    "then repeat the command: what has been downloaded stays",
    "npm error network": "the npm package registry cannot be reached. Connect to a network, "
    "then repeat the command: what has been downloaded stays",
    "No matching distribution found": "a package was not found in the package index. Check your "
    "network and pip's settings, then repeat the command",
    "ensurepip": "this Python cannot make environments. On Debian and Ubuntu install python3-venv, "
    "then repeat the command",
}


def stop(reason):
    sys.exit(f"This did not work: {reason}.")


def run(log, what, command):
    """Run a command with its output in a file; say every ten seconds that it is still running."""
    log = Path(log)
    log.parent.mkdir(parents=True, exist_ok=True)
    started = time.time()
    with log.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        try:
            while process.poll() is None:
                try:
                    process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    print(f"{what}: {time.time() - started:.0f} s", flush=True)
        except KeyboardInterrupt:
            process.wait()
            stop("it was interrupted. Repeat the command, and it goes on")
    if process.returncode:
        output = log.read_text(encoding="utf-8", errors="replace")
        for sign, reason in REMEDIES.items():
            if sign in output:
                stop(reason)
        print(output[-3000:])
        stop(f"{command[0]} failed; the whole output is in {log}")


def set_up(venv):
    """Make the environment; keep what works of an interrupted attempt."""
    if sys.version_info < OLDEST:
        needed, found = (f"{version[0]}.{version[1]}" for version in (OLDEST, sys.version_info))
        stop(
            f"the book needs Python {needed} or newer, and this is {found}. "
            f"If you have another one, name it: make PYTHON=python{needed}"
        )
    if shutil.disk_usage(".").free < SPACE * 1e9:
        stop(f"less than {SPACE} GB of the disk are free")
    print("Setting up the environment in .venv. This takes about three minutes, once.", flush=True)
    venv = Path(venv)
    python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    works = python.exists() and not subprocess.call([str(python), "-c", "import pip"])
    log = venv.parent / "_build" / "set-up.log"
    if not works:
        run(log, "Making the environment", [sys.executable, "-m", "venv", "--clear", str(venv)])
    needs = ["--requirement", "requirements.txt", "--editable", "."]
    run(log, "Installing packages", [str(python), "-m", "pip", "install", *needs])
    fetch = [str(python), "tools/npm.py", "ci", "--omit=dev"]
    run(log, "Fetching what the pages use", fetch)


if __name__ == "__main__":
    if sys.argv[1] == "--set-up":
        set_up(sys.argv[2])
    else:
        run(sys.argv[1], sys.argv[2], sys.argv[3:])

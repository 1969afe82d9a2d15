"""Answers with a number that is none."""

import json
import os
import sys

print(json.dumps({"type": "ready", "name": "cmd_true_id"}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "choose":
        print(json.dumps({"type": "action", "id": True, "action": "liar"}), flush=True)

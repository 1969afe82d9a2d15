"""Answers with very deep JSON."""

import json
import os
import sys

print(json.dumps({"type": "ready", "name": "cmd_deep_json"}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "choose":
        print('{"a":' + "[" * 30000 + "]" * 30000 + "}", flush=True)

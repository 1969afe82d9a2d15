"""Says what went wrong in an odd way."""

import json
import sys

print(json.dumps({"type": "ready", "name": "cmd_odd_fault"}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "game_end":
        break
    if message["type"] == "choose":
        print(json.dumps({"type": "fault", "id": message["id"], "verdict": [], "detail": {}}), flush=True)

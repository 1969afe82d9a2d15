"""Answers with something that is no action."""

import json
import sys

print(json.dumps({"type": "ready", "name": "cmd_answers_nonsense"}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"type": "action", "id": message["id"], "action": "all in"}), flush=True)

"""Says everything twice."""

import json
import sys

print(json.dumps({"type": "ready", "name": "cmd_answers_twice"}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "choose":
        answer = {"type": "action", "id": message["id"], "action": message["view"]["legal_actions"][0]}
        print(json.dumps(answer) + "\n" + json.dumps(answer), flush=True)
    elif message["type"] == "game_end":
        print(json.dumps({"type": "done", "id": message["id"]}), flush=True)

"""Says again and again that something went wrong."""

import json
import os
import sys

print(json.dumps({"type": "ready", "name": "cmd_floods_faults"}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "choose":
        while True:
            os.write(1, b'{"type":"fault"}\n' * 1000)

"""Never reads what it is told."""

import json
import time

print(json.dumps({"type": "ready", "name": "cmd_never_reads"}), flush=True)
time.sleep(60)

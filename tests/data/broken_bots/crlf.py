#!/usr/bin/env python3
"""Connect four: drops on top of the opponent's last disc. Written on Windows."""
import json
import sys

for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        r = {"type": "hello", "protocol": 1, "name": "follower", "games": ["connect4"]}
    elif m["type"] == "new_game":
        r = {"type": "ready", "id": m["id"]}
    elif m["type"] == "move_request":
        last = m["state"]["moves"][-1:]
        r = {"type": "move", "id": m["id"], "move": last[0] if last and last[0] in m["legal_moves"] else m["sample_move"]}
    else:
        continue
    print(json.dumps(r), flush=True)

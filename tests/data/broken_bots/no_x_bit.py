#!/usr/bin/env python3
"""Connect four: as near to the centre as possible."""
import json
import sys


def choose(request):
    centre = len(request["state"]["board"][0]) // 2
    return min(request["legal_moves"], key=lambda column: abs(column - centre))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": "centre", "games": ["connect4"]}
    elif message["type"] == "new_game":
        reply = {"type": "ready", "id": message["id"]}
    elif message["type"] == "move_request":
        reply = {"type": "move", "id": message["id"], "move": choose(message)}
    else:
        continue
    print(json.dumps(reply), flush=True)

#!/usr/bin/env python3
"""Connect four: the lowest column that is free. Writes its moves to a stream of its own."""
import json
import sys

out = open(1, "w", encoding="utf-8", newline="\n")

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1, "name": "left", "games": ["connect4"]}), flush=True)
    elif message["type"] == "new_game":
        print(json.dumps({"type": "ready", "id": message["id"]}), flush=True)
    elif message["type"] == "move_request":
        move = min(message["legal_moves"])
        out.write(json.dumps({"type": "move", "id": message["id"], "move": move}) + "\n")

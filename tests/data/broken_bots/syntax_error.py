#!/usr/bin/env python3
"""Connect four: a random column."""
import json
import random
import sys


def answer(message):
    if message["type"] == "hello":
        return {"type": "hello", "protocol": 1, "name": "dice", "games": ["connect4"]}
    elif message["type"] == "new_game":
        random.seed(message["seed"])
        return {"type": "ready", "id": message["id"]}
    elif message["type"] == "move_request"
        return {"type": "move", "id": message["id"], "move": random.choice(message["legal_moves"])}


for line in sys.stdin:
    reply = answer(json.loads(line))
    if reply:
        print(json.dumps(reply), flush=True)

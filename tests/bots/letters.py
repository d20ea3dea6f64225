#!/usr/bin/env python3
"""Rules for engines and for bots that read plain lines: eight letters, each is taken once, and the game is a draw.

So a line that answers an earlier question is never a legal move.
"""

import json
import sys

left, seat = [], 0


def position(id):
    if not left:
        return {"type": "over", "id": id, "winner": None, "reason": "all_taken"}
    position = {"type": "position", "id": id, "to_move": seat, "legal_moves": left, "view": {"left": left}}
    return position | {"lines": ["".join(left)]}


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "game": "letters", "version": 1, "engines": ["uci", "ugi"], "lines": True}
    elif message["type"] == "start":
        left, seat = list("abcdefgh"), 0
        reply = position(message["id"]) | {"start": "startpos"}
    elif message["type"] == "apply":
        left.remove(message["move"])
        seat = 1 - seat
        reply = position(message["id"])
    else:
        continue
    print(json.dumps(reply), flush=True)

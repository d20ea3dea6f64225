#!/usr/bin/env python3
"""Rules of 21 sticks with moves as words, for engines and for bots that read plain lines.

words.py [WITHOUT]     WITHOUT is `start` or `lines`: a field that hello promises and positions lack
"""

import json
import sys

without = sys.argv[1] if len(sys.argv) > 1 else None
HELLO = {"type": "hello", "protocol": 1, "game": "words", "version": 1, "engines": ["uci", "ugi"], "lines": True}
HELLO |= {"params": [{"name": "start", "default": "usual", "words": ["usual", "few"]}]}
heap, moves = 21, []


def answer(id):
    seat = len(moves) % 2
    if heap == 0:
        return {"type": "over", "id": id, "winner": 1 - seat, "reason": "last_stick"}
    legal = [f"take{number}" for number in range(1, min(3, heap) + 1)]
    # The first line is read once.
    lines = (["21 sticks"] if len(moves) < 2 else []) + [str(heap)]
    position = {"type": "position", "id": id, "to_move": seat, "legal_moves": legal, "view": {"moves": moves}, "lines": lines}
    if without == "lines":
        del position["lines"]
    return position


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = HELLO
    elif message["type"] == "start":
        usual = message["params"]["start"] == "usual"
        heap, moves = 21 if usual else 6, []
        reply = answer(0) | {"start": "startpos" if usual else "fen 6 sticks"}
        if without == "start":
            del reply["start"]
    elif message["type"] == "apply":
        moves.append(message["move"])
        heap -= int(message["move"][-1])
        reply = answer(message["id"])
    else:
        continue
    print(json.dumps(reply), flush=True)

#!/usr/bin/env python3
"""A complete arena bot. It plays every game; make it play well by changing `choose`."""

import json
import random
import sys


def choose(state, legal_moves, sample_move):
    """Your idea goes here: return one of `legal_moves`.

    state        everything that you may see of the position; its fields depend on the game
                 (connect4 and mnk: "board", a list of rows with "." "X" "O", and "moves")
    legal_moves  every legal move, or None when there are more than 1,000
    sample_move  one legal move, always present
    """
    if legal_moves is None:
        return sample_move
    return random.choice(legal_moves)


def answer(message):
    """The reply to one message of the referee, or None if no reply is due."""
    kind = message["type"]
    if kind == "hello":
        return {"type": "hello", "protocol": 1, "name": "python starter"}
    if kind == "new_game":
        # The seed of this game: drawing from it makes your games repeatable.
        random.seed(int(message["seed"]))
        return {"type": "ready", "id": message["id"]}
    if kind == "move_request":
        move = choose(message["state"], message.get("legal_moves"), message["sample_move"])
        return {"type": "move", "id": message["id"], "move": move}
    return None  # "game_over", and types of later protocol versions


# One JSON object per line. Use print(..., file=sys.stderr) to debug: stdout belongs to the protocol.
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "quit":
        break
    reply = answer(message)
    if reply is not None:
        print(json.dumps(reply), flush=True)  # without the flush the reply may wait in a buffer

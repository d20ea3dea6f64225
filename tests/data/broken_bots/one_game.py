#!/usr/bin/env python3
"""Tic-tac-toe: the centre, then corners, then edges."""
import json
import sys

CELLS = [[1, 1], [0, 0], [0, 2], [2, 0], [2, 2], [0, 1], [1, 0], [1, 2], [2, 1]]

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": "corners"}
    elif message["type"] == "new_game":
        reply = {"type": "ready", "id": message["id"]}
    elif message["type"] == "move_request":
        board = message["state"]["board"]
        free = [[row, column] for row, column in CELLS if board[row][column] == "."]
        reply = {"type": "move", "id": message["id"], "move": free[0]}
    else:
        continue
    print(json.dumps(reply), flush=True)

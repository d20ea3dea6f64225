#!/usr/bin/env python3
"""Connect four: the column with the most free cells around the spot where the disc lands."""
import json
import sys


def free_around(board, column):
    row = max(row for row in range(len(board)) if board[row][column] == ".")
    rows = range(max(row - 1, 0), min(row + 2, len(board)))
    return sum(board[r][max(column - 1, 0):column + 2].count(".") for r in rows)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": "roomy", "games": ["connect4"]}
    elif message["type"] == "new_game":
        reply = {"type": "ready", "id": message["id"]}
    elif message["type"] == "move_request":
        board = message["state"]["board"]
        scores = {column: free_around(board, column) for column in message["legal_moves"]}
        print(scores)
        reply = {"type": "move", "id": message["id"], "move": max(scores, key=scores.get)}
    else:
        continue
    print(json.dumps(reply), flush=True)

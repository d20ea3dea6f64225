#!/usr/bin/env python3
"""Connect four: looks eight moves ahead, however long that takes."""
import json
import sys

DEPTH = 8
STEPS = [(0, 1), (1, 0), (1, 1), (1, -1)]


def lines(board, disc):
    """Pairs of neighbours of one colour."""
    cells = {(r, c) for r, row in enumerate(board) for c, cell in enumerate(row) if cell == disc}
    return sum((r + dr, c + dc) in cells for r, c in cells for dr, dc in STEPS)


def search(board, me, you, depth):
    """The value of the position for `me`, and the best column."""
    if depth == 0:
        return lines(board, me) - lines(board, you), None
    best = (-1000, None)
    for column in range(len(board[0])):
        free = [row for row in range(len(board)) if board[row][column] == "."]
        if free:
            child = [row[:] for row in board]
            child[free[-1]][column] = me
            best = max(best, (-search(child, you, me, depth - 1)[0], column))
    return best


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": "deep", "games": ["connect4"]}
    elif message["type"] == "new_game":
        reply = {"type": "ready", "id": message["id"]}
    elif message["type"] == "move_request":
        board = [list(row) for row in message["state"]["board"]]
        me, you = "XO" if message["seat"] == 0 else "OX"
        reply = {"type": "move", "id": message["id"], "move": search(board, me, you, DEPTH)[1]}
    else:
        continue
    print(json.dumps(reply), flush=True)

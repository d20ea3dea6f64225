#!/usr/bin/env python3
"""Connect four: wins where it can, blocks where it must, else plays near the centre."""
import json
import sys


def drop(board, column, disc):
    row = max(row for row in range(6) if board[row][column] == ".")
    after = [list(row) for row in board]
    after[row][column] = disc
    return after


def wins(board, disc):
    def line(r, c, dr, dc):
        cells = [(r + i * dr, c + i * dc) for i in range(4)]
        return all(0 <= r < 6 and 0 <= c < 7 and board[r][c] == disc for r, c in cells)

    return any(line(r, c, *step) for r in range(6) for c in range(7) for step in [(0, 1), (1, 0), (1, 1), (1, -1)])


def choose(board, legal_moves, me, you):
    for disc in (me, you):
        for column in range(7):
            if wins(drop(board, column, disc), disc):
                return column
    return min(legal_moves, key=lambda column: abs(column - 3))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": "blocker", "games": ["connect4"]}
    elif message["type"] == "new_game":
        reply = {"type": "ready", "id": message["id"]}
    elif message["type"] == "move_request":
        me, you = "XO" if message["seat"] == 0 else "OX"
        reply = {"type": "move", "id": message["id"],
                 "move": choose(message["state"]["board"], message["legal_moves"], me, you)}
    else:
        continue
    print(json.dumps(reply), flush=True)

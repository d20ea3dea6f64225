"""Othello as a program of rules: passes, moves as words, pictures for people.

A player without a move is skipped by the rules: a pass is no move of the record, and a bot is never asked to make one.
"""

import json
import sys

EMPTY, MARKS = ".", "XO"  # seat 0 has the black discs, X, and moves first
AROUND = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]

HELLO = {
    "type": "hello",
    "protocol": 1,
    "game": "othello",
    "version": 1,
    "summary": "enclose discs to turn them; more discs at the end win",
    "params": [{"name": "size", "help": "rows and columns of the board, an even number", "default": 8, "min": 4, "max": 16}],
    "opening_plies": 4,
    "shows": True,
    "seats": ["black", "white"],
}


class Othello:
    """One position. Rows and columns count from 0, from the top left; `d3` is column 3 of row 2."""

    def __init__(self, size):
        self.size = size
        self.board = [[EMPTY] * size for _ in range(size)]
        low, high = size // 2 - 1, size // 2
        self.board[low][low] = self.board[high][high] = "O"
        self.board[low][high] = self.board[high][low] = "X"
        self.moves = []
        self.to_move = 0
        self.passed = False  # whether the other seat has just been skipped
        self.legal = self.find_legal(0)

    def turned(self, row, col, seat):
        """The cells of the discs that `seat` turns by a move to this empty cell."""
        own, other, cells = MARKS[seat], MARKS[1 - seat], []
        for down, right in AROUND:
            run, r, c = [], row + down, col + right
            while 0 <= r < self.size and 0 <= c < self.size and self.board[r][c] == other:
                run.append((r, c))
                r, c = r + down, c + right
            if 0 <= r < self.size and 0 <= c < self.size and self.board[r][c] == own:
                cells += run
        return cells

    def find_legal(self, seat):
        """The moves of `seat`, row by row."""
        cells = [(r, c) for r in range(self.size) for c in range(self.size) if self.board[r][c] == EMPTY]
        return [name(r, c) for r, c in cells if self.turned(r, c, seat)]

    def play(self, move):
        """Plays a legal move and finds who is next. Without legal moves on both sides, `legal` is empty."""
        row, col = cell(move)
        for r, c in self.turned(row, col, self.to_move) + [(row, col)]:
            self.board[r][c] = MARKS[self.to_move]
        self.moves.append(move)
        opponent = 1 - self.to_move
        self.legal = self.find_legal(opponent)
        self.passed = not self.legal
        if self.passed:
            self.legal = self.find_legal(self.to_move)
        else:
            self.to_move = opponent

    def discs(self):
        return [sum(row.count(mark) for row in self.board) for mark in MARKS]

    def view(self):
        """What both seats may know: everything."""
        return {"board": ["".join(row) for row in self.board], "moves": self.moves}


def name(row, col):
    return chr(ord("a") + col) + str(row + 1)


def cell(move):
    return int(move[1:]) - 1, ord(move[0]) - ord("a")


def answer(game, id):
    """The position, or how the game ended."""
    if game.legal:
        return {"type": "position", "id": id, "to_move": game.to_move, "legal_moves": game.legal, "view": game.view()}
    black, white = game.discs()
    winner = None if black == white else int(white > black)
    reason = "same_number" if winner is None else "more_discs"
    return {"type": "over", "id": id, "winner": winner, "reason": reason, "scores": [black, white]}


def text(game):
    """The board for a terminal; `*` marks the legal moves."""
    head = "   " + " ".join(chr(ord("a") + c) for c in range(game.size))
    rows = [
        f"{r + 1:2} " + " ".join("*" if name(r, c) in game.legal else mark for c, mark in enumerate(row))
        for r, row in enumerate(game.board)
    ]
    black, white = game.discs()
    lines = [head, *rows, f"X has {black} discs, O has {white}"]
    if not game.legal:
        lines.append("the game is over")
    elif game.passed:
        lines.append(f"{MARKS[1 - game.to_move]} had no move and was skipped")
    return "\n".join(lines)


def svg(game):
    """The board as a picture, 40 units a cell."""
    side = 40 * game.size
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-20 -20 {side + 20} {side + 20}" '
        'font-family="sans-serif" font-size="12" text-anchor="middle">',
        f'<rect x="-20" y="-20" width="{side + 20}" height="{side + 20}" fill="#fff"/>',
        f'<rect width="{side}" height="{side}" fill="#2e7d4f"/>',
    ]
    for i in range(game.size):
        parts.append(f'<text x="{40 * i + 20}" y="-6">{chr(ord("a") + i)}</text>')
        parts.append(f'<text x="-10" y="{40 * i + 24}">{i + 1}</text>')
    for i in range(game.size + 1):
        parts.append(f'<path d="M{40 * i} 0V{side}M0 {40 * i}H{side}" stroke="#1b4d31"/>')
    last = cell(game.moves[-1]) if game.moves else None
    for r, row in enumerate(game.board):
        for c, mark in enumerate(row):
            x, y = 40 * c + 20, 40 * r + 20
            if mark != EMPTY:
                parts.append(f'<circle cx="{x}" cy="{y}" r="16" fill="{"#111" if mark == "X" else "#fafafa"}"/>')
            elif name(r, c) in game.legal:
                parts.append(f'<circle cx="{x}" cy="{y}" r="4" fill="#9fd3b4"/>')
            if (r, c) == last:
                parts.append(f'<circle cx="{x}" cy="{y}" r="4" fill="#d33"/>')
    return "".join(parts) + "</svg>"


def shown(game, message):
    """What people see. Nothing is hidden, so it is the same for both seats and for a spectator."""
    reply = {"type": "shown", "id": message["id"], "text": text(game), "svg": svg(game), "labels": game.legal}
    if message["seat"] is not None:
        reply["view"] = game.view()
    return reply


def main():
    game = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            reply = HELLO
        elif kind == "start":
            size = message["params"]["size"]
            if size % 2:
                why = f"size {size} is odd; the four discs of the start need an even board"
                reply = {"type": "refused", "id": message["id"], "message": why}
            else:
                game = Othello(size)
                reply = answer(game, message["id"])
        elif kind == "apply":
            game.play(message["move"])
            reply = answer(game, message["id"])
        elif kind == "show":
            reply = shown(game, message)
        elif kind == "quit":
            break
        else:
            continue  # a later version may ask something new
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()

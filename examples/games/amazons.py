"""Amazons: one turn is three moves of the same seat, so no list of moves is long.

An amazon moves like a queen of chess and then shoots an arrow the same way, which blocks its square for good. The player
who cannot move loses. A turn has up to 2,176 combinations on the first move; here a seat names the square of its amazon,
then where it goes, then where the arrow lands: three lists of at most 35 squares on a board of ten rows.
"""

import json
import sys

EMPTY, ARROW, MARKS = ".", "*", "XO"
AROUND = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
HELLO = {
    "type": "hello",
    "protocol": 1,
    "game": "amazons",
    "version": 1,
    "summary": "move an amazon, then shoot an arrow that blocks a square; the last player who can move wins",
    "params": [{"name": "size", "help": "rows and columns of the board", "default": 10, "min": 4, "max": 16}],
    "opening_plies": 6,
    "shows": True,
}


class Amazons:
    """One position. `step` is what the seat on move names next: an amazon, its target, or where the arrow lands."""

    def __init__(self, size):
        self.size = size
        self.board = [[EMPTY] * size for _ in range(size)]
        near, far = (size - 1) // 3, size - 1 - (size - 1) // 3
        for row, col in [(near, 0), (0, near), (0, far), (near, size - 1)]:
            self.board[size - 1 - row][col] = "X"
            self.board[row][col] = "O"
        self.moves = []
        self.to_move = 0
        self.step, self.amazon = "amazon", None
        self.legal = self.find_legal()

    def reached(self, row, col):
        """The squares that a queen reaches from here."""
        for down, right in AROUND:
            r, c = row + down, col + right
            while 0 <= r < self.size and 0 <= c < self.size and self.board[r][c] == EMPTY:
                yield r, c
                r, c = r + down, c + right

    def find_legal(self):
        """The squares that the seat on move can name, in order of rows from the top. Only at `amazon` there may be none."""
        if self.step == "amazon":
            mark = MARKS[self.to_move]
            cells = [(r, c) for r, row in enumerate(self.board) for c, own in enumerate(row) if own == mark]
            cells = [cell for cell in cells if next(self.reached(*cell), None)]
        else:
            cells = sorted(self.reached(*self.amazon))
        return [self.name(r, c) for r, c in cells]

    def play(self, move):
        """Makes one of the three moves of a turn. After an arrow the other seat is on move."""
        row, col = self.cell(move)
        self.moves.append(move)
        if self.step == "amazon":
            self.step, self.amazon = "target", (row, col)
        elif self.step == "target":
            r, c = self.amazon
            self.board[r][c], self.board[row][col] = EMPTY, self.board[r][c]
            self.step, self.amazon = "arrow", (row, col)
        else:
            self.board[row][col] = ARROW
            self.step, self.amazon = "amazon", None
            self.to_move = 1 - self.to_move
        self.legal = self.find_legal()

    def name(self, row, col):
        """A square as in chess: `a1` is at the bottom left."""
        return chr(ord("a") + col) + str(self.size - row)

    def cell(self, move):
        return self.size - int(move[1:]), ord(move[0]) - ord("a")

    def view(self):
        amazon = self.name(*self.amazon) if self.amazon else None
        return {"board": ["".join(row) for row in self.board], "step": self.step, "amazon": amazon, "moves": self.moves}


def answer(game, id):
    """The position, or how the game ended."""
    if game.legal:
        return {"type": "position", "id": id, "to_move": game.to_move, "legal_moves": game.legal, "view": game.view()}
    return {"type": "over", "id": id, "winner": 1 - game.to_move, "reason": "no_move"}


def shown(game, message):
    """The board with the names of its rows and columns; nothing is hidden."""
    head = "   " + " ".join(chr(ord("a") + c) for c in range(game.size))
    rows = [f"{game.size - r:2} " + " ".join(row) for r, row in enumerate(game.board)]
    if game.legal:
        what = {"amazon": "names an amazon", "target": "names where it goes", "arrow": "names where the arrow lands"}[game.step]
        rows.append(f"{MARKS[game.to_move]} {what}")
    reply = {"type": "shown", "id": message["id"], "text": "\n".join([head, *rows]), "labels": game.legal}
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
            game = Amazons(message["params"]["size"])
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

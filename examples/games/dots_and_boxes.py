"""Dots and boxes: completing a box earns another turn, so turns do not alternate.

The board is a picture in text: `+` a dot, `-` and `|` a drawn line, `.` a line still to be drawn, and inside each box a
space or the mark of the seat that completed it. A move is the place [row, column] of a `.` in that picture.
"""

import json
import sys

MARKS = "XO"
HELLO = {
    "type": "hello",
    "protocol": 1,
    "game": "dots_and_boxes",
    "version": 1,
    "summary": "draw lines between dots; completing a box earns another turn; more boxes win",
    "params": [
        {"name": "rows", "help": "rows of boxes", "default": 3, "min": 1, "max": 16},
        {"name": "cols", "help": "boxes in a row", "default": 3, "min": 1, "max": 16},
    ],
    "shows": True,
}


class DotsAndBoxes:
    """One position."""

    def __init__(self, rows, cols):
        dots, boxes = "+" + ".+" * cols, "." + " ." * cols
        self.board = [list(boxes if r % 2 else dots) for r in range(2 * rows + 1)]
        self.moves = []
        self.to_move = 0

    def legal(self):
        """The lines still to be drawn, row by row."""
        return [[r, c] for r, row in enumerate(self.board) for c, mark in enumerate(row) if mark == "."]

    def play(self, move):
        """Draws a line. The other seat is on move next, unless a box was completed."""
        row, col = move
        across = row % 2 == 0  # lines of even rows lie across, with boxes above and below
        self.board[row][col] = "-" if across else "|"
        self.moves.append(move)
        boxes = [(row - 1, col), (row + 1, col)] if across else [(row, col - 1), (row, col + 1)]
        completed = [(r, c) for r, c in boxes if self.is_box(r, c) and self.is_closed(r, c)]
        for r, c in completed:
            self.board[r][c] = MARKS[self.to_move]
        if not completed:
            self.to_move = 1 - self.to_move

    def is_box(self, row, col):
        return 0 < row < len(self.board) and 0 < col < len(self.board[0])

    def is_closed(self, row, col):
        around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
        return all(self.board[r][c] != "." for r, c in around)

    def boxes(self):
        """How many boxes each seat has."""
        return [sum(row.count(mark) for row in self.board) for mark in MARKS]

    def view(self):
        return {"board": ["".join(row) for row in self.board], "boxes": self.boxes(), "moves": self.moves}


def answer(game, id):
    """The position, or how the game ended."""
    legal = game.legal()
    if legal:
        return {"type": "position", "id": id, "to_move": game.to_move, "legal_moves": legal, "view": game.view()}
    first, second = game.boxes()
    winner = None if first == second else int(second > first)
    reason = "same_number" if winner is None else "more_boxes"
    return {"type": "over", "id": id, "winner": winner, "reason": reason, "scores": [first, second]}


def shown(game, message):
    """The board with the numbers of its rows and columns."""
    head = "   " + " ".join(f"{c:2}" for c in range(len(game.board[0])))
    rows = [f"{r:2}  " + "  ".join(row) for r, row in enumerate(game.board)]
    first, second = game.boxes()
    count = f"X has {first} boxes, O has {second}"
    reply = {"type": "shown", "id": message["id"], "text": "\n".join([head, *rows, count])}
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
            game = DotsAndBoxes(message["params"]["rows"], message["params"]["cols"])
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

"""Ultimate tic-tac-toe as a program of rules: nine boards of tic-tac-toe that make a big one.

A move is the words `row col`, each from 0 to 8. It must be on the small board that the last move points to, unless that is
decided or full. Bots of CodinGame's contest of this game play it unchanged, with `protocol = "lines"` in their manifests.
"""

import json
import sys

HELLO = {
    "type": "hello",
    "protocol": 1,
    "game": "ultimate_tictactoe",
    "version": 1,
    "summary": "tic-tac-toe on nine boards; a move chooses the board of the next one",
    "shows": True,
    "lines": True,
}
TRIPLES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
OPEN, FULL = ".", "="


def winner(cells):
    """The mark that has three in a row of nine cells."""
    for a, b, c in TRIPLES:
        if cells[a] in "XO" and cells[a] == cells[b] == cells[c]:
            return cells[a]
    return None


class Game:
    """The boards, the state of each small one, and the moves so far."""

    def __init__(self):
        self.boards = [[OPEN] * 9 for _ in range(9)]
        self.big = [OPEN] * 9
        self.moves = []

    def seat(self):
        return len(self.moves) % 2

    def legal(self):
        """All legal moves, ascending, as pairs."""
        if winner(self.big):
            return []
        target = None
        if self.moves:
            row, col = self.moves[-1]
            target = row % 3 * 3 + col % 3
        boards = [target] if target is not None and self.big[target] == OPEN else range(9)
        cells = ((board, cell) for board in boards if self.big[board] == OPEN for cell in range(9))
        free = ((board, cell) for board, cell in cells if self.boards[board][cell] == OPEN)
        return sorted((board // 3 * 3 + cell // 3, board % 3 * 3 + cell % 3) for board, cell in free)

    def play(self, row, col):
        board, cell = row // 3 * 3 + col // 3, row % 3 * 3 + col % 3
        small = self.boards[board]
        small[cell] = "XO"[self.seat()]
        self.big[board] = winner(small) or (OPEN if OPEN in small else FULL)
        self.moves.append((row, col))


def answer(game, id):
    """The position, with the lines of this turn, or how the game ended."""
    legal = [f"{row} {col}" for row, col in game.legal()]
    if legal:
        last = "{} {}".format(*game.moves[-1]) if game.moves else "-1 -1"
        view = {"moves": [f"{row} {col}" for row, col in game.moves]}
        lines = [last, str(len(legal)), *legal]
        return {"type": "position", "id": id, "to_move": game.seat(), "legal_moves": legal, "view": view, "lines": lines}
    won = winner(game.big)
    boards = [game.big.count("X"), game.big.count("O")]
    if won:
        best, reason = "XO".index(won), "line"
    else:
        best = None if boards[0] == boards[1] else int(boards[1] > boards[0])
        reason = "boards"
    return {"type": "over", "id": id, "winner": best, "reason": reason, "scores": boards}


def text(game):
    """The boards for a terminal."""
    rows = []
    for row in range(9):
        cells = [game.boards[row // 3 * 3 + col // 3][row % 3 * 3 + col % 3] for col in range(9)]
        rows.append(f"{row}  " + "  ".join(" ".join(cells[part : part + 3]) for part in (0, 3, 6)))
        if row in (2, 5):
            rows.append("")
    return "\n".join(["   0 1 2  3 4 5  6 7 8", *rows])


def main():
    game = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            reply = HELLO
        elif kind == "start":
            game = Game()
            reply = answer(game, 0)
        elif kind == "apply":
            game.play(*map(int, message["move"].split()))
            reply = answer(game, message["id"])
        elif kind == "show":
            reply = {"type": "shown", "id": message["id"], "text": text(game)}
            if message["seat"] is not None:
                reply["view"] = {"moves": [f"{row} {col}" for row, col in game.moves]}
        elif kind == "quit":
            break
        else:
            continue  # a later version may ask something new
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A complete gomoku brain that speaks the Gomocup protocol. Make it play well by changing `choose`."""

import sys

FREE, OWN, OTHER = 0, 1, 2


def choose(board, size):
    """Your idea goes here: return a free cell. This one extends its own lines and blocks those of the opponent.

    board[x, y] is FREE, OWN or OTHER; x is the column and y the row, from 0, 0 at the top left to below `size`
    """
    def value(cell):
        total = 0
        for dx, dy in (1, 0), (0, 1), (1, 1), (1, -1):
            line = [board.get((cell[0] + step * dx, cell[1] + step * dy)) for step in range(-4, 5)]
            for five in (line[start:start + 5] for start in range(5)):
                if None not in five and not (OWN in five and OTHER in five):  # on the board, and one side can fill it
                    total += 1000 ** (5 - five.count(FREE)) * (20 if OWN in five else 1)
        return total, -max(abs(2 * place + 1 - size) for place in cell)  # of equal cells the most central one
    return max((cell for cell in board if board[cell] == FREE), key=value)


def answer(board, word, text):
    """The reply to one command, or None if no reply is due. May change the board."""
    if word in ("START", "RESTART"):
        size = int(text or len(board) ** 0.5)
        if not 5 <= size <= 32:
            return f"ERROR - unsupported board size ({size})"
        board.clear()
        board.update({(x, y): FREE for y in range(size) for x in range(size)})
        return "OK"
    if word == "ABOUT":
        return 'name="python starter", version="1.0", author="you", country="-"'
    if word not in ("BEGIN", "TURN", "BOARD"):  # INFO, such as `timeout_turn 1000`: at most 1,000 ms for a move
        return None if word in ("INFO", "") else "UNKNOWN command"
    stones = [f"{text},{OTHER}"] if word == "TURN" else []
    if word == "BOARD":  # x,y,side for each stone, then DONE
        stones = list(iter(lambda: next(sys.stdin).strip().upper(), "DONE"))
        board.update(dict.fromkeys(board, FREE))
    for x, y, side in (map(int, stone.split(",")) for stone in stones):
        if board.get((x, y)) != FREE:
            return f"ERROR - {x},{y} is not a free cell"
        board[x, y] = side
    if FREE not in board.values():
        return "ERROR - no free cell; START makes a new board"
    own = choose(board, int(len(board) ** 0.5))
    board[own] = OWN
    return f"{own[0]},{own[1]}"


# One command per line. Use print(..., file=sys.stderr) to debug: stdout belongs to the protocol.
the_board = {}
for command in sys.stdin:
    first_word, _, rest = command.strip().partition(" ")
    if first_word.upper() == "END":
        break
    if reply := answer(the_board, first_word.upper(), rest):
        print(reply, flush=True)  # without the flush the reply may wait in a buffer

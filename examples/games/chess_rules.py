"""Chess as a program of rules. Needs the PyPI package `chess`, which knows the rules of the game.

Moves are words in UCI notation, such as `e2e4` and `e7e8q`, so UCI engines understand this game. Draws need no claim: the
game ends at the third repetition of a position and after fifty moves of both sides without a capture or a pawn move.
"""

import json
import sys

import chess
import chess.svg

PAWNS = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"
STARTS = {"standard": chess.STARTING_FEN, "pawns": PAWNS}
HELLO = {
    "type": "hello",
    "protocol": 1,
    "game": "chess",
    "version": 1,
    "summary": "chess; draws by repetition and by fifty moves need no claim",
    "build": f"chess {chess.__version__}",
    "params": [
        {"name": "start", "help": "all pieces, or kings and pawns only", "default": "standard", "words": list(STARTS)}
    ],
    "opening_plies": 4,
    "shows": True,
    "engines": ["uci"],
}


def ending(board):
    """The winner and the reason of a decided game, or None."""
    if not any(board.generate_legal_moves()):
        return (int(board.turn == chess.WHITE), "checkmate") if board.is_check() else (None, "stalemate")
    if board.is_insufficient_material():
        return None, "insufficient_material"
    if board.is_repetition(3):
        return None, "threefold_repetition"
    if board.halfmove_clock >= 100:
        return None, "fifty_moves"
    return None


def view(board):
    """What both seats may know: everything."""
    return {"fen": board.fen(), "moves": [move.uci() for move in board.move_stack]}


def answer(board, id):
    """The position, or how the game ended."""
    decided = ending(board)
    if decided:
        return {"type": "over", "id": id, "winner": decided[0], "reason": decided[1]}
    legal = [move.uci() for move in board.legal_moves]
    to_move = 0 if board.turn == chess.WHITE else 1
    return {"type": "position", "id": id, "to_move": to_move, "legal_moves": legal, "view": view(board)}


def first_answer(board, id):
    """The position at the start, with the words that describe it to an engine."""
    fen = board.fen()
    return answer(board, id) | {"start": "startpos" if fen == chess.STARTING_FEN else f"fen {fen}"}


def text(board):
    """The board for a terminal, White below."""
    rows = [f"{8 - i} {row}" for i, row in enumerate(str(board).splitlines())]
    side = "White" if board.turn == chess.WHITE else "Black"
    return "\n".join([*rows, "  a b c d e f g h", f"move {board.fullmove_number}, {side} to move"])


def shown(board, message):
    """What people see, the same for both seats and for a spectator."""
    last = board.peek() if board.move_stack else None
    check = board.king(board.turn) if board.is_check() else None
    reply = {"type": "shown", "id": message["id"], "text": text(board), "svg": chess.svg.board(board, lastmove=last, check=check)}
    if not ending(board):
        reply["labels"] = [board.san(move) for move in board.legal_moves]
    return reply if message["seat"] is None else reply | {"view": view(board)}


def main():
    board = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            reply = HELLO
        elif kind == "start":
            board = chess.Board(STARTS[message["params"]["start"]])
            reply = first_answer(board, message["id"])
        elif kind == "apply":
            board.push_uci(message["move"])
            reply = answer(board, message["id"])
        elif kind == "show":
            reply = shown(board, message)
        elif kind == "quit":
            break
        else:
            continue  # a later version may ask something new
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()

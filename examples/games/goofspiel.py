"""Goofspiel: both seats bid for a prize at the same time.

The arena asks one seat after the other, so simultaneous moves are asked for in turn: seat 0 first, then seat 1, whose
view and legal moves are the same whatever seat 0 chose. Both bids are turned over together. The higher one takes the
prize; equal bids leave it to neither. `hidden` is true, since a pending bid is hidden.
"""

import hashlib
import json
import sys

HELLO = {
    "type": "hello",
    "protocol": 1,
    "game": "goofspiel",
    "version": 1,
    "summary": "bid your cards for prizes, both at the same time; more points win",
    "params": [
        {"name": "cards", "help": "cards of each seat, and prizes: 1 to this number", "default": 13, "min": 2, "max": 100},
        {"name": "prizes", "help": "the order of the prizes", "default": "random", "words": ["random", "ascending", "descending"]},
    ],
    "hidden": True,
    "shows": True,
}


def draw(seed, k, below):
    """The k-th random number of a game, from 0 to `below` - 1. Depends on the seed and k, and on nothing else."""
    digest = hashlib.sha256(f"{seed}:{k}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % below


def order_of_prizes(cards, order, seed):
    prizes = list(range(1, cards + 1))
    if order == "descending":
        prizes.reverse()
    if order == "random":
        for k in range(cards - 1, 0, -1):
            other = draw(seed, k, k + 1)
            prizes[k], prizes[other] = prizes[other], prizes[k]
    return prizes


class Goofspiel:
    """One position."""

    def __init__(self, cards, order, seed):
        self.prizes = order_of_prizes(cards, order, seed)
        self.bids = []  # [bid of seat 0, bid of seat 1] of the rounds played
        self.pending = None  # what seat 0 has chosen in this round, while seat 1 is asked
        self.hands = [list(range(1, cards + 1)) for _ in (0, 1)]
        self.points = [0, 0]

    def is_over(self):
        return len(self.bids) == len(self.prizes)

    def to_move(self):
        return 0 if self.pending is None else 1

    def play(self, bid):
        """Keeps the bid of seat 0 until that of seat 1 is there; then both are turned over."""
        if self.pending is None:
            self.pending = bid
            return
        bids, self.pending = [self.pending, bid], None
        prize = self.prizes[len(self.bids)]
        self.bids.append(bids)
        for seat in (0, 1):
            self.hands[seat].remove(bids[seat])
            if bids[seat] > bids[1 - seat]:
                self.points[seat] += prize

    def view(self, seat):
        """All that this seat may know. Nothing of it depends on a pending bid."""
        rounds = [{"prize": p, "own": b[seat], "opponent": b[1 - seat]} for p, b in zip(self.prizes, self.bids)]
        view = {
            "points": self.points[seat],
            "opponent_points": self.points[1 - seat],
            "hand": self.hands[seat],
            "opponent_hand": self.hands[1 - seat],
            "rounds": rounds,
        }
        if not self.is_over():
            played = len(self.bids)
            view |= {"prize": self.prizes[played], "later_prizes": sorted(self.prizes[played + 1 :])}
        return view


def answer(game, id):
    """The position as the seat on move sees it, or how the game ended."""
    if not game.is_over():
        seat = game.to_move()
        return {"type": "position", "id": id, "to_move": seat, "legal_moves": game.hands[seat], "view": game.view(seat)}
    first, second = game.points
    winner = None if first == second else int(second > first)
    reason = "same_points" if winner is None else "more_points"
    return {"type": "over", "id": id, "winner": winner, "reason": reason, "scores": game.points}


def text(view):
    """The view of one seat for people."""
    lines = [f"{r['own']:3} against {r['opponent']:3} for {r['prize']}" for r in view["rounds"]]
    lines.append(f"points: {view['points']} to {view['opponent_points']}")
    if "prize" in view:
        hands = [" ".join(map(str, view[hand])) for hand in ("hand", "opponent_hand")]
        lines.append(f"prize {view['prize']}; you hold {hands[0]}; the other holds {hands[1]}")
    return "\n".join(lines)


def shown(game, message):
    """What a seat may see or, to spectators, the game as seat 0 sees it with what is hidden. It changes nothing."""
    seat, reply = message["seat"], {"type": "shown", "id": message["id"]}
    if seat is not None:
        view = game.view(seat)
        return reply | {"view": view, "text": text(view)}
    lines = [text(game.view(0))]
    if game.pending is not None:
        lines.append(f"the first seat has bid {game.pending}")
    return reply | {"text": "\n".join(lines), "reveal": {"prizes": game.prizes, "bids": game.bids}}


def main():
    game = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            reply = HELLO
        elif kind == "start":
            params = message["params"]
            game = Goofspiel(params["cards"], params["prizes"], message["seed"])
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

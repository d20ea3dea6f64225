"""Kuhn poker, a match of several hands: hidden cards, and chance drawn from the seed.

Three cards, J < Q < K; each seat antes one chip and gets one card. The seat that opens checks or bets one chip. After a
bet the other folds or calls; after a check it checks too (the higher card wins one chip) or bets, and the opener folds
or calls (then the higher card wins two). The seats open in turn. More chips after all hands win.
"""

import hashlib
import json
import sys

CARDS = "JQK"
OPENING, AFTER_BET = ["check", "bet"], ["fold", "call"]
HELLO = {
    "type": "hello",
    "protocol": 1,
    "game": "kuhn",
    "version": 1,
    "summary": "Kuhn poker: three cards, one bet; more chips after all hands win",
    "params": [{"name": "hands", "help": "hands of a game; the seats open in turn", "default": 20, "min": 1, "max": 200}],
    "hidden": True,
    "shows": True,
}


def deal(seed, hand):
    """The cards of the two seats. Depends on the seed and the number of the hand, and on nothing else.

    A hash, since generators of libraries differ between languages and versions.
    """
    digest = hashlib.sha256(f"{seed}:{hand}".encode()).digest()
    number = int.from_bytes(digest[:8], "big") % 6
    first, second = CARDS[number // 2], CARDS.replace(CARDS[number // 2], "")[number % 2]
    return first + second


class Kuhn:
    """One position of a match."""

    def __init__(self, hands, seed):
        self.hands, self.seed = hands, seed
        self.past = []  # (cards, actions, chips won by seat 0)
        self.chips = 0  # what seat 0 has won so far; seat 1 has lost it
        self.next_hand()

    def next_hand(self):
        self.cards = deal(self.seed, len(self.past))
        self.actions = []

    def opener(self, hand):
        return hand % 2

    def higher(self):
        """The seat with the higher card."""
        return int(CARDS.index(self.cards[1]) > CARDS.index(self.cards[0]))

    def is_over(self):
        return len(self.past) == self.hands

    def to_move(self):
        return (self.opener(len(self.past)) + len(self.actions)) % 2

    def legal(self):
        return AFTER_BET if self.actions[-1:] == ["bet"] else OPENING

    def play(self, action):
        """Makes a move, and deals the next hand when this one is decided."""
        mover = self.to_move()
        self.actions.append(action)
        if action == "fold":
            won_by, chips = 1 - mover, 1
        elif action == "call" or self.actions == ["check", "check"]:
            won_by, chips = self.higher(), 2 if action == "call" else 1
        else:
            return
        won = chips if won_by == 0 else -chips
        self.chips += won
        self.past.append((self.cards, self.actions, won))
        self.next_hand()

    def view(self, seat):
        """All that this seat may know, past hands included: it may be asked for the first time in a while.

        The opponent's card of a past hand is known only if the hand ended in a showdown.
        """
        sign = 1 if seat == 0 else -1
        past = [
            {
                "opened": self.opener(hand) == seat,
                "card": cards[seat],
                "opponent_card": None if actions[-1] == "fold" else cards[1 - seat],
                "actions": actions,
                "won": sign * won,
            }
            for hand, (cards, actions, won) in enumerate(self.past)
        ]
        view = {"hands": self.hands, "chips": sign * self.chips, "past": past}
        if not self.is_over():
            hand = len(self.past)
            view |= {"opened": self.opener(hand) == seat, "card": self.cards[seat], "actions": self.actions}
        return view


def answer(game, id):
    """The position as the seat on move sees it, or how the match ended."""
    if not game.is_over():
        seat = game.to_move()
        return {"type": "position", "id": id, "to_move": seat, "legal_moves": game.legal(), "view": game.view(seat)}
    winner = None if game.chips == 0 else int(game.chips < 0)
    reason = "same_chips" if winner is None else "more_chips"
    return {"type": "over", "id": id, "winner": winner, "reason": reason, "scores": [game.chips, -game.chips]}


def text(view):
    """The view of one seat for people."""
    lines = []
    if "card" in view:
        actions = ", ".join(view["actions"]) or "none yet"
        who = "you open" if view["opened"] else "the other opens"
        lines.append(f"hand {len(view['past']) + 1} of {view['hands']}: you hold {view['card']}, {who}; actions: {actions}")
    for number, hand in enumerate(view["past"], 1):
        cards = f"{hand['card']} against {hand['opponent_card'] or '?'}"
        lines.append(f"  hand {number}: {cards}, {' '.join(hand['actions'])}: {hand['won']:+}")
    return "\n".join([*lines, f"chips won: {view['chips']:+}"])


def shown(game, message):
    """What a seat may see or, to spectators, all hands with both cards. It changes nothing."""
    seat, reply = message["seat"], {"type": "shown", "id": message["id"]}
    if seat is not None:
        view = game.view(seat)
        return reply | {"view": view, "text": text(view)}
    hands = [{"cards": list(cards), "actions": actions, "won": won} for cards, actions, won in game.past]
    if not game.is_over():
        hands.append({"cards": list(game.cards), "actions": game.actions})
    lines = [f"hand {n}: {' against '.join(h['cards'])}, {' '.join(h['actions'])}" for n, h in enumerate(hands, 1)]
    lines.append(f"chips won by the first seat: {game.chips:+}")
    return reply | {"text": "\n".join(lines), "reveal": {"hands": hands}}


def main():
    game = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            reply = HELLO
        elif kind == "start":
            game = Kuhn(message["params"]["hands"], message["seed"])
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

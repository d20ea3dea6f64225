"""Any two-player game of OpenSpiel as a program of rules. Needs the PyPI package `open_spiel`.

    command = ["python3", "openspiel_rules.py", "hex(board_size=9)"]

The game is called `os_` and OpenSpiel's name for it, such as `os_hex`: its moves are OpenSpiel's action numbers, so a bot
for `os_chess` is none for another chess. Its integer and boolean parameters are parameters of the game.

- Chance is drawn from the seed and the number of the draw.
- Of simultaneous moves seat 0 is asked first, then seat 1, which sees what it would have seen before.
- A seat sees its information state, or where the game has none all its observations so far; in a game that hides nothing
  the actions so far and the position.
- OpenSpiel has games in which both sides can win or lose. Here the higher return wins, and equal ones draw.
"""

import hashlib
import json
import sys

import pyspiel

Kind = pyspiel.GameType
LISTED_MAX, SAMPLES = 1000, 16
INT_MAX = 2**31 - 1
NAME = set("abcdefghijklmnopqrstuvwxyz0123456789_")


def fraction(seed, k):
    """The k-th random number of a game, at least 0 and below 1."""
    digest = hashlib.sha256(f"{seed}:{k}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def draw(outcomes, number):
    """One of (action, probability) pairs, by a number from 0 to 1."""
    for action, probability in outcomes:
        number -= probability
        if number < 0:
            return action
    return outcomes[-1][0]  # the probabilities add up to a little less than 1


class Game:
    """The rules: an OpenSpiel game by name, with what it says about itself."""

    def __init__(self, text):
        self.text = text
        self.values = pyspiel.game_parameters_from_string(text)
        game = self.load({})
        kind = game.get_type()
        if game.num_players() != 2 and "players" in kind.parameter_specification and "players" not in self.values:
            self.values["players"] = 2
            game = self.load({})
        if game.num_players() != 2:
            sys.exit(f"{text} has {game.num_players()} players; two are needed")
        if kind.dynamics not in (Kind.Dynamics.SEQUENTIAL, Kind.Dynamics.SIMULTANEOUS):
            sys.exit(f"{text} is no game of two players in turn or at the same time")
        self.short_name = kind.short_name
        self.is_open = kind.information == Kind.Information.PERFECT_INFORMATION
        in_turn = kind.dynamics == Kind.Dynamics.SEQUENTIAL
        self.hidden = kind.chance_mode != Kind.ChanceMode.DETERMINISTIC or not self.is_open or not in_turn
        self.has_states = kind.provides_information_state_string
        self.has_observations = kind.provides_observation_string
        self.zero_sum = kind.utility in (Kind.Utility.ZERO_SUM, Kind.Utility.CONSTANT_SUM)
        # Seat 0 is the player that moves first: in OpenSpiel's chess that is player 1.
        self.first = 1 if in_turn and game.new_initial_state().current_player() == 1 else 0
        self.defaults = self.declared(game, kind)

    def declared(self, game, kind):
        """The parameters that the command line may set, with their values in the name that was given."""
        values = kind.parameter_specification | game.get_parameters()
        return {
            name: value
            for name, value in sorted(values.items())
            if type(value) in (int, bool) and abs(value) <= INT_MAX and len(name) <= 32 and set(name) <= NAME and name != "players"
        }

    def hello(self):
        summary = f"{self.text} of OpenSpiel"
        if not self.zero_sum:
            summary += "; both can win or lose: the higher return wins, equal ones draw"
        return {
            "type": "hello",
            "protocol": 1,
            "game": f"os_{self.short_name}"[:32],
            "version": 1,
            "summary": summary,
            "build": f"open_spiel {pyspiel.__version__}, {self.text}",
            "params": [parameter(name, value) for name, value in self.defaults.items()][:32],
            "hidden": self.hidden,
            "shows": True,
        }

    def load(self, params):
        """The game with these parameters."""
        values = dict(self.values)
        for name, value in params.items():
            if value != as_param(self.defaults[name]):
                values[name] = value == "true" if isinstance(self.defaults[name], bool) else value
        return pyspiel.load_game(values.pop("name"), values)


def as_param(value):
    return str(value).lower() if isinstance(value, bool) else value


def parameter(name, value):
    if isinstance(value, bool):
        return {"name": name, "default": as_param(value), "words": ["false", "true"]}
    # OpenSpiel does not say what a parameter may be, and refuses wrong ones itself.
    return {"name": name, "default": value, "min": min(value, -1), "max": max(value, 1_000_000)}


class Position:
    """One position, after chance has moved and with a pending choice of seat 0 where both choose at the same time.

    A seat is 0 for the player that moves first; `player` turns it into OpenSpiel's number.
    """

    def __init__(self, rules, params, seed):
        self.rules, self.seed = rules, seed
        self.state = rules.load(params).new_initial_state()
        self.draws = 0
        self.pending = None
        self.seen = [[], []]  # by seat: its observations, where there are no information states
        self.has_to_remember = not rules.is_open and not rules.has_states and rules.has_observations
        self.settle()

    def settle(self):
        """Lets chance move, and plays for a seat that has nothing to choose from, until someone is to be asked."""
        self.observe()
        while not self.state.is_terminal():
            if self.state.is_chance_node():
                self.state.apply_action(draw(self.state.chance_outcomes(), fraction(self.seed, self.draws)))
                self.draws += 1
                self.observe()
            elif self.state.is_simultaneous_node() and not self.legal():
                self.choose(0)  # what OpenSpiel expects of a player without legal actions
            else:
                break

    def observe(self):
        for seat, seen in enumerate(self.seen) if self.has_to_remember else ():
            text = self.state.observation_string(self.player(seat))
            if seen[-1:] != [text]:
                seen.append(text)

    def player(self, seat):
        return seat ^ self.rules.first

    def to_move(self):
        """The seat to be asked."""
        if self.state.is_simultaneous_node():
            return 0 if self.pending is None else 1
        return self.player(self.state.current_player())

    def legal(self):
        return self.state.legal_actions(self.player(self.to_move()))

    def choose(self, action):
        """An action of the seat on move; of simultaneous ones, both are applied together."""
        if not self.state.is_simultaneous_node():
            self.state.apply_action(action)
        elif self.pending is None:
            self.pending = action
            return
        else:
            self.state.apply_actions([self.pending, action])  # here seats are players
            self.pending = None
        self.observe()

    def play(self, action):
        self.choose(action)
        self.settle()

    def view(self, seat):
        """All that the seat may know."""
        if self.rules.is_open:
            # The same for both seats.
            observation = self.state.observation_string(0) if self.rules.has_observations else str(self.state)
            return {"history": self.state.history(), "observation": observation}
        if self.rules.has_states:
            return {"information_state": self.state.information_state_string(self.player(seat))}
        return {"observations": self.seen[seat]}

    def answer(self, id):
        if self.state.is_terminal():
            returns = self.state.returns()
            first, second = returns[self.player(0)], returns[self.player(1)]
            winner = None if first == second else int(second > first)
            reply = {"type": "over", "id": id, "winner": winner, "reason": "equal_returns" if winner is None else "higher_return"}
            if first == int(first) and second == int(second):
                reply["scores"] = [int(first), int(second)]
            return reply
        seat, legal = self.to_move(), self.legal()
        reply = {"type": "position", "id": id, "to_move": seat, "view": self.view(seat)}
        if len(legal) <= LISTED_MAX:
            return reply | {"legal_moves": legal}
        step = (len(legal) - 1) / (SAMPLES - 1)
        return reply | {"legal_count": len(legal), "sample_moves": [legal[round(step * i)] for i in range(SAMPLES)]}

    def shown(self, id, seat):
        reply = {"type": "shown", "id": id}
        if seat is None:
            reply |= {"text": cut(str(self.state)), "reveal": {"history": self.state.history(), "state": str(self.state)}}
        else:
            view = self.view(seat)
            text = view.get("observation") or view.get("information_state") or "\n\n".join(view.get("observations", []))
            reply |= {"view": view, "text": cut(text)}
        if not self.state.is_terminal() and seat in (None, self.to_move()):
            seat, legal = self.to_move(), self.legal()
            if len(legal) <= LISTED_MAX:
                labels = [self.state.action_to_string(self.player(seat), action) for action in legal]
                reply |= {"labels": labels} if len(set(labels)) == len(labels) else {}
        return reply


def first_line(error):
    """What is wrong, without the list of all games that may follow."""
    return (str(error).splitlines() or [repr(error)])[0]


def cut(text):
    """At most 64 KiB of a text for people, the end of it."""
    return text.encode()[-65536:].decode(errors="ignore")


def answer(rules, position, message):
    """The answer to a request about a game, and its position."""
    kind, id = message["type"], message["id"]
    if kind == "start":
        try:
            position = Position(rules, message["params"], message["seed"])
        except Exception as error:  # OpenSpiel raises what it likes
            return {"type": "refused", "id": id, "message": first_line(error)}, None
        if not position.state.is_terminal() and not position.legal():
            return {"type": "refused", "id": id, "message": "with these parameters no move is possible"}, None
    elif kind == "apply":
        move = message["move"]
        # Only a move that was not listed can be wrong.
        legal = position.legal()
        if len(legal) > LISTED_MAX and (type(move) is not int or move not in legal):
            return {"type": "illegal", "id": id, "message": f"not one of the {len(legal)} legal actions"}, position
        position.play(move)
    else:
        return position.shown(id, message["seat"]), position
    return position.answer(id), position


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: openspiel_rules.py GAME, such as openspiel_rules.py 'hex(board_size=9)'")
    try:
        rules = Game(sys.argv[1])
    except Exception as error:  # OpenSpiel raises what it likes
        sys.exit(f"OpenSpiel does not load {sys.argv[1]}: {first_line(error)}")
    position = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            reply = rules.hello()
        elif message["type"] in ("start", "apply", "show"):
            reply, position = answer(rules, position, message)
        elif message["type"] == "quit":
            break
        else:
            continue  # a later version may ask something new
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()

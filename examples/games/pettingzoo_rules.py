"""A two-player classic game of PettingZoo as a program of rules. Needs the PyPI package `pettingzoo[classic]`.

    command = ["python3", "pettingzoo_rules.py", "go_v5", "board_size=9"]

The game is called `pz_` and PettingZoo's name for it, such as `pz_go_v5`; its moves are PettingZoo's action numbers. In
games that hide nothing a bot sees all actions so far and the observation, if it is small: the arrays of chess and go are
thousands of numbers that a bot makes itself if it wants them. In all others it sees all its observations so far.
"""

import importlib
import json
import sys
from importlib import metadata

import numpy

OPEN = {"chess_v6", "connect_four_v3", "go_v5", "tictactoe_v3"}
RESTS_ON = ["pettingzoo", "rlcard", "shimmy", "open_spiel", "chess", "numpy"]
OBSERVATION_MAX = 1000  # numbers


def versions():
    """What decides the answers: the libraries with their versions."""
    found = []
    for name in RESTS_ON:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            pass  # not needed by this game
    return ", ".join(found)


def numbers(array):
    """An observation as a flat list, of integers where all of them are."""
    flat = numpy.asarray(array).ravel()
    whole = flat.astype("int64")
    return (whole if (whole == flat).all() else flat).tolist()


class Game:
    """One position of a game."""

    def __init__(self, make, seed, is_open):
        self.env = make()  # a new one for every game, so that none remembers another
        self.env.reset(seed=int(seed) % 2**31)
        self.is_open = is_open
        self.agents = list(self.env.possible_agents)
        self.returns = dict.fromkeys(self.agents, 0)
        self.history = []
        self.seen = {agent: [] for agent in self.agents}
        self.look()

    def look(self):
        """Takes in what the agent on move sees."""
        agent = self.env.agent_selection
        self.is_over = self.env.terminations[agent] or self.env.truncations[agent]
        if self.is_over:
            return
        observation = self.env.observe(agent)
        masked = isinstance(observation, dict)
        array = observation["observation"] if masked else observation
        small = numpy.size(array) <= OBSERVATION_MAX
        self.seen[agent].append(numbers(array) if small or not self.is_open else None)
        space = self.env.action_space(agent)
        self.legal = numpy.flatnonzero(observation["action_mask"]).tolist() if masked else list(range(space.n))

    def play(self, action):
        self.env.step(action)
        self.history.append(action)
        for agent, reward in self.env.rewards.items():
            self.returns[agent] += reward
        self.look()

    def view(self):
        """All that the agent on move may know."""
        seen = self.seen[self.env.agent_selection]
        if not self.is_open:
            return {"observations": seen}
        return {"history": self.history} | ({"observation": seen[-1]} if seen[-1] is not None else {})

    def answer(self, id):
        if not self.is_over:
            to_move = self.agents.index(self.env.agent_selection)
            return {"type": "position", "id": id, "to_move": to_move, "legal_moves": self.legal, "view": self.view()}
        first, second = (self.returns[agent] for agent in self.agents)
        winner = None if first == second else int(second > first)
        reply = {"type": "over", "id": id, "winner": winner, "reason": "equal_returns" if winner is None else "higher_return"}
        if first == int(first) and second == int(second):
            reply["scores"] = [int(first), int(second)]
        return reply


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: pettingzoo_rules.py GAME [NAME=JSON ...], such as pettingzoo_rules.py go_v5 board_size=9")
    name, *words = sys.argv[1:]
    options = {key: json.loads(value) for key, value in (word.split("=", 1) for word in words)}
    try:
        module = importlib.import_module(f"pettingzoo.classic.{name}")
    except ImportError as error:
        sys.exit(f"PettingZoo does not load {name}: {error}")

    def make():
        return module.env(**options)

    if len(make().possible_agents) != 2:
        sys.exit(f"{name} has {len(make().possible_agents)} players; two are needed")
    hello = {
        "type": "hello",
        "protocol": 1,
        "game": f"pz_{name}"[:32],
        "version": 1,
        "summary": f"{' '.join(sys.argv[1:])} of PettingZoo; the higher return wins, equal ones draw",
        "build": f"{versions()}, {' '.join(sys.argv[1:])}",
        "hidden": name not in OPEN,
    }
    game = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            reply = hello
        elif kind == "start":
            game = Game(make, message["seed"], name in OPEN)
            reply = game.answer(message["id"])
        elif kind == "apply":
            game.play(message["move"])
            reply = game.answer(message["id"])
        elif kind == "quit":
            break
        else:
            continue  # a later version may ask something new
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()

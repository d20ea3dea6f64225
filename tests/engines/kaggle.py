"""Kaggle agents play in the arena as they do in Kaggle's own runner: PYTHON tests/engines/kaggle.py ARENA

PYTHON is that of a virtual environment with kaggle-environments (.ci/engines makes one).
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

with contextlib.redirect_stdout(io.StringIO()):  # It names the environments that lack a library.
    import kaggle_environments

GAMES = 20
# Each move depends on all that an agent is given, and on how many moves it has made since it was loaded.
AGENT = '''
print("loaded")
calls = 0

def agent(observation, configuration):
    global calls
    calls += 1
    print("move", calls)
    number = sum(place * cell for place, cell in enumerate(observation["board"], 1))
    number += 7 * observation.step + 11 * observation.mark + 13 * calls
    places = 9
    if len(observation.board) > 9:
        places = configuration.columns
        number += 17 * configuration["rows"] + 19 * configuration.inarow
    free = [place for place in range(places) if observation.board[place] == 0]
    return free[number % len(free)]
'''
# The last callable of a file is the agent.
NEGAMAX = "from kaggle_environments.envs.connectx.connectx import negamax_agent\n"
REWARDS = {"1-0": [1, -1], "0-1": [-1, 1], "1/2-1/2": [0, 0]}


def play(arena, folder, name, game, *options):
    """Has a bot play `GAMES` games against `random` in the arena, half of them in each seat, and returns their records."""
    command = [arena, "match", name, "random", "--game", game, "--rounds", str(GAMES // 2), "--opening-plies", "0",
               "--seed", "1", "--name", name, "--quiet", *options]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit("{} ended with {}:\n{}".format(" ".join(command), done.returncode, done.stdout.decode()))
    with open(os.path.join(folder, "results", name, "games.jsonl"), encoding="utf-8") as journal:
        records = [record for record in map(json.loads, journal) if record["type"] == "game"]
    if len(records) != GAMES:
        sys.exit("{} games of {} instead of {}".format(len(records), name, GAMES))
    return records


def replay(environment, moves, seat, agent):
    """Plays a game in Kaggle's runner, where the opponent repeats its moves; returns the moves and rewards."""
    agents = [lambda observation: moves[observation.step]] * 2
    agents[seat] = agent
    steps = environment.run(agents)
    return [step[ply % 2].action for ply, step in enumerate(steps[1:])], [state.reward for state in steps[-1]]


def same_moves(arena, folder, name, game, environment):
    """Whether a deterministic agent makes the same moves in both, in every game and in both seats."""
    same = seconds = 0
    for record in play(arena, folder, name, game):
        # A move of mnk is [row, column], at Kaggle the number of the cell.
        moves = [move if game == "connect4" else 3 * move[0] + move[1] for move in record["moves"]]
        seat = [bot["name"] for bot in record["bots"]].index(name)
        seconds += seat
        here = moves, REWARDS.get(record["result"])
        there = replay(kaggle_environments.make(environment), moves, seat, os.path.join(folder, "bots", name + ".py"))
        if here == there and record["statuses"] == ["ok", "ok"]:
            same += 1
        else:
            print("game {}, statuses {}:\n  in the arena {}\n  at Kaggle    {}".format(
                record["id"], record["statuses"], here, there))
    print("{}: a deterministic agent plays {} of {} games as in Kaggle's runner, {} of all in the second seat".format(
        game, same, GAMES, seconds))
    return same == GAMES and seconds == GAMES // 2


def without_faults(arena, folder):
    """Whether the package's own agent plays every game without a fault."""
    records = play(arena, folder, "negamax", "connect4", "--move-time", "10s")
    sound = [record for record in records if record["statuses"] == ["ok", "ok"]]
    print("connect4: the package's negamax plays {} of {} games without a fault".format(len(sound), GAMES))
    return len(sound) == GAMES


def main():
    arena = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        bots = os.path.join(folder, "bots")
        os.mkdir(bots)
        for name, text, more in (
            ("main", AGENT, ""), ("cells", AGENT, 'games = ["tictactoe"]\n'), ("negamax", NEGAMAX, ""),
        ):
            with open(os.path.join(bots, name + ".py"), "w", encoding="utf-8") as file:
                file.write(text)
            with open(os.path.join(bots, name + ".toml"), "w", encoding="utf-8") as file:
                file.write("command = {}\n".format(json.dumps([sys.executable, name + ".py"])))
                file.write('protocol = "kaggle"\n' + more)
        with open(os.path.join(bots, "random.toml"), "w", encoding="utf-8") as file:
            file.write('builtin = "random"\n')
        passed = [
            same_moves(arena, folder, "main", "connect4", "connectx"),
            same_moves(arena, folder, "cells", "tictactoe", "tictactoe"),
            without_faults(arena, folder),
        ]
    print("{} passed, {} failed".format(passed.count(True), passed.count(False)))
    sys.exit(not all(passed))


main()

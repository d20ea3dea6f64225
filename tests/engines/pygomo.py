"""An independent manager plays the Gomocup starter: each answer has to be a free cell, and nothing else may be said.

Run it with a python that has pygomo-lib 0.1.1:

    PYTHON tests/engines/pygomo.py [--brain FILE] [--moves FILE]

`--moves` writes each position that was asked, and the answer, as a line of JSON: the arena has to get the same answers.
"""

import argparse
import itertools
import json
import os
import pathlib
import random
import sys
import time

# This file has the name of the library, which must not be looked for beside it.
sys.path.remove(str(pathlib.Path(__file__).resolve().parent))
import pygomo  # noqa: E402

STARTER = pathlib.Path(__file__).resolve().parents[2] / "bots/starters/gomocup/brain.py"
ANSWER_S = 5


class Game:
    """A game on the board of the last START. Moves are (x, y), in order of play."""

    def __init__(self, manager, size, asked):
        self.manager, self.size, self.asked, self.moves = manager, size, asked, []

    def free(self):
        cells = itertools.product(range(self.size), repeat=2)
        return [cell for cell in cells if cell not in self.moves]

    def is_over(self):
        """Whether the last move made five in a row, or took the last cell."""
        mine = self.moves[::-2]
        (x, y), directions = mine[0], [(1, 0), (0, 1), (1, 1), (1, -1)]
        for (dx, dy), start in itertools.product(directions, range(-4, 1)):
            if all((x + step * dx, y + step * dy) in mine for step in range(start, start + 5)):
                return True
        return not self.free()

    def begin(self):
        return self.answered("BEGIN", self.manager.begin(timeout=ANSWER_S))

    def turn(self, move):
        self.moves.append(move)
        return self.answered("TURN", self.manager.turn(move, timeout=ANSWER_S))

    def board(self, moves):
        self.moves, position = list(moves), pygomo.BoardPosition()
        for ply, move in enumerate(moves):
            # The brain is to move, so the last stone is the opponent's.
            side = position.SELF if (len(moves) - ply) % 2 == 0 else position.OPPONENT
            position.add_move(pygomo.Move(move), side)
        return self.answered("BOARD", self.manager.board(position, timeout=ANSWER_S))

    def answered(self, command, result):
        assert result is not None, f"no answer to {command} within {ANSWER_S} s"
        answer = result.move.to_tuple()
        self.asked.append({"size": self.size, "moves": self.moves[:], "command": command, "answer": answer})
        assert answer in self.free(), f"the answer to {command} is {answer}, which is not a free cell"
        self.moves.append(answer)
        return answer


def begins_and_takes_turns(start, draw):
    for size, plies in (5, 25), (15, 40), (20, 15), (32, 5):
        game = start(size)
        game.begin()
        while not game.is_over() and len(game.moves) < plies:
            game.turn(draw.choice(game.free()))


def goes_on_from_boards(start, draw):
    for size, plies in (15, 1), (15, 2), (15, 7), (19, 30), (5, 9), (15, 0):
        game = start(size)
        game.board(draw.sample(game.free(), plies))
        game.turn(draw.choice(game.free()))
        # A second BOARD replaces the first one.
        cells = list(itertools.product(range(size), repeat=2))
        game.board(draw.sample(cells, plies))


def restarts(start, draw):
    game = start(15)
    game.begin()
    game.turn(draw.choice(game.free()))
    assert game.manager.restart(timeout=ANSWER_S), "RESTART is not answered with OK"
    fresh = Game(game.manager, 15, game.asked)
    assert fresh.begin() == game.moves[0], "RESTART does not clear the board"


def completes_and_blocks_fives(start, draw):
    row = [(x, 4) for x in range(3, 8)]
    far = [(0, 0), (2, 14), (14, 3), (9, 12)]
    own = [stone for pair in zip(row, far) for stone in pair]
    assert start(15).board(own) in ((2, 4), (7, 4)), "it does not complete its own five"
    other = [stone for pair in zip(far, row[:3] + [(2, 4)]) for stone in pair]
    # Closed on one side by its own first stone: only one cell is left.
    other[0] = (1, 4)
    assert start(15).board(other) == (6, 4), "it does not block the opponent's five"


def refuses_what_it_cannot_play(start, draw):
    manager = start(15).manager
    for command, channel in ("START 4", "error"), ("START 33", "error"), ("RECTSTART 10,12", "output"):
        manager.send_raw(command)
        answer = manager.receive_raw(channel, timeout=ANSWER_S)
        assert answer.startswith("ERROR" if channel == "error" else "UNKNOWN"), f"{command} is answered with `{answer}`"
    game = Game(manager, 15, [])
    game.begin()
    manager.send_raw("TURN 15,0")
    assert manager.receive_raw("error", timeout=ANSWER_S), "a move off the board is not answered with ERROR"


def introduces_itself(start, draw):
    about = start(15).manager.about(timeout=ANSWER_S)
    assert about and about.startswith('name="'), f"ABOUT is answered with `{about}`"


TESTS = [
    introduces_itself,
    begins_and_takes_turns,
    goes_on_from_boards,
    restarts,
    completes_and_blocks_fives,
    refuses_what_it_cannot_play,
]


def run(test, brain, asked):
    """Runs a test with a brain of its own, which has to say nothing else and to leave at END."""
    manager = pygomo.EngineClient(brain)

    def start(size):
        assert manager.start(size, timeout=ANSWER_S), f"START {size} is not answered with OK"
        manager.configure(timeout_turn=1000, timeout_match=0, max_memory=0, game_type=1, rule=0)
        return Game(manager, size, asked)

    try:
        test(start, random.Random(35))
        manager.send_raw("END")
        deadline = time.monotonic() + ANSWER_S
        while manager.is_connected:
            assert time.monotonic() < deadline, f"it still runs {ANSWER_S} s after END"
            time.sleep(0.01)
        surplus = {channel: manager.router.get_all(channel) for channel in manager.router.channels}
        assert not any(surplus.values()), f"it also wrote {surplus}"
    finally:
        manager.disconnect()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brain", default=str(STARTER))
    parser.add_argument("--moves", type=pathlib.Path)
    args = parser.parse_args()
    # A brain that forgets to flush is found only without this.
    os.environ.pop("PYTHONUNBUFFERED", None)
    asked, failed = [], 0
    for test in TESTS:
        try:
            run(test, args.brain, asked)
        except (AssertionError, pygomo.PyGomoError, pygomo.TransportError) as problem:
            failed += 1
            print(f"{test.__name__}: {problem}")
    if args.moves:
        args.moves.write_text("".join(json.dumps(each) + "\n" for each in asked))
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    sys.exit(failed != 0)


main()

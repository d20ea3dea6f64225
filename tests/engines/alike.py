"""The arena gets from the Gomocup starter the moves that an independent manager gets: python3 tests/engines/alike.py ARENA MOVES

MOVES is what `tests/engines/pygomo.py --moves FILE` has written.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

STARTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bots/starters/gomocup/brain.py")


def main():
    arena, moves = map(os.path.abspath, sys.argv[1:])
    compared = over = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        # By this name it is a Gomocup brain.
        brain = os.path.join(folder, "pbrain-starter")
        shutil.copy(STARTER, brain)
        for line in open(moves, encoding="utf-8"):
            asked = json.loads(line)
            cells = json.dumps([[y, x] for x, y in asked["moves"]])
            game = "gomoku:rows={0},cols={0}".format(asked["size"])
            command = [arena, "ask", brain, "--game", game, "--moves", cells, "--move-time", "10s", "--json"]
            ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, cwd=folder)
            if "the game is over" in ended.stderr or "comes after the end of the game" in ended.stderr:
                over += 1  # A board that was drawn at random may have five in a row already.
                continue
            x, y = asked["answer"]
            compared += 1
            if ended.returncode != 0 or json.loads(ended.stdout)["move"] != [y, x]:
                failed += 1
                print("after {}: not {},{}: {}{}".format(asked["moves"], x, y, ended.stdout, ended.stderr))
    print("positions compared: {}, over already: {}".format(compared, over))
    if compared < 30:
        failed += 1
        print("these are too few")
    print("{} passed, {} failed".format(compared - failed, failed))
    sys.exit(failed != 0)


main()

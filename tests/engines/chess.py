"""Chess by rules that are a program, between two engines of one kind with different limits: chess.py ARENA ENGINE

Run by a Python that has the package `chess`. ENGINE speaks UCI, such as that of Debian's `stockfish`. Takes half a minute.
"""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

GAMES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "games"
ROUNDS = 10
LIMITS = {"strong": "nodes = 4000", "weak": '"Skill Level" = 0, depth = 2'}


def check(what, holds):
    """Prints what does not hold; returns whether it does."""
    if not holds:
        print(f"FAILED: {what}")
    return holds


def main(arena, engine):
    arena, engine = os.path.abspath(arena), os.path.abspath(engine)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copy(GAMES / "chess_rules.py", folder)
        (folder / "chess.toml").write_text(f'command = ["{sys.executable}", "chess_rules.py"]\n')
        (folder / "bots").mkdir()
        for bot, limit in LIMITS.items():
            manifest = f'command = ["{engine}"]\nprotocol = "uci"\noptions = {{ Hash = 16, {limit} }}\n'
            (folder / "bots" / f"{bot}.toml").write_text(manifest)

        def run(*words):
            done = subprocess.run([arena, *words], cwd=folder, capture_output=True, text=True, timeout=300)
            print(done.stdout, done.stderr, sep="")
            return done

        # The environment with the library is not in the manifest's folder.
        game = ["--game", "./chess.toml", "--rules-read", sys.prefix]
        played = run("match", "strong", "weak", *game, "--rounds", str(ROUNDS), "--move-time", "1s", "--seed", "36", "-q")
        verified = run("verify", *game)
        results = folder / "results" / "chess-strong-vs-weak"
        with open(results / "games.csv", newline="") as table:
            games = list(csv.DictReader(table))
        records = [json.loads(line) for line in open(results / "games.jsonl")]
        moves = [move for record in records if record["type"] == "game" for move in record["played"]]
        with open(results / "bots.csv", newline="") as table:
            bots = list(csv.DictReader(table))
        won = sum(game["winner"] == "strong" for game in games)
        checks = [
            check("it plays", played.returncode == 0),
            check("the games are proven", f"{2 * ROUNDS} games follow the rules" in verified.stdout),
            check("each game is there", len(games) == 2 * ROUNDS),
            check("no game has a fault", all(game["first_status"] == game["second_status"] == "ok" for game in games)),
            check("each game is another", len({game["moves"] for game in games}) == 2 * ROUNDS),
            check("the engine with more time wins", won >= 2 * ROUNDS - 2),
            check("each move has an opinion", all("eval" in move and "comment" in move for move in moves)),
            check("each line was understood", all(bot["surplus_lines"] == "0" for bot in bots)),
        ]
        print(f"{len(games)} games of chess, {len(moves)} moves, {won} won by the stronger; {sum(checks)} of {len(checks)} checks passed")
        sys.exit(not all(checks))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Every game of OpenSpiel for two players, by its name alone, through `arena tournament`: openspiel.py ARENA

Each plays ten random games. Run by a Python that has the package `open_spiel`; takes three minutes on two processors.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import pyspiel

LEAST = 80
HERE = pathlib.Path(__file__).resolve().parent
RULES = HERE.parents[1] / "examples" / "games" / "openspiel_rules.py"


def names():
    """Games that may be for two players."""
    for kind in pyspiel.registered_games():
        if kind.min_num_players <= 2 <= kind.max_num_players:
            yield kind.short_name


def play(arena, name):
    """Plays ten games; returns what is wrong, if anything is."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # The manifest's folder is all that the rules may read beside the environment with the library.
        (folder / RULES.name).write_text(RULES.read_text())
        (folder / "game.toml").write_text(f'command = ["{sys.executable}", "{RULES.name}", "{name}"]\n')
        (folder / "bots").mkdir()
        for bot in ["a", "b"]:
            (folder / "bots" / f"{bot}.toml").write_text('builtin = "random"\n')
        command = [arena, "tournament", "--game", "./game.toml", "--rules-read", sys.prefix, "--rounds", "5", "-j", "1"]
        command += ["--oversubscribe", "-q"]
        command += ["--move-time", "30s", "--max-plies", "1200", "--no-check", "--seed", "1"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
        if done.returncode == 0:
            return None
        return (done.stderr or done.stdout).strip().splitlines()[-1][:300]


def main(arena):
    arena = os.path.abspath(arena)
    games = sorted(set(names()))
    failed = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, problem in zip(games, pool.map(lambda name: play(arena, name), games)):
            if problem:
                failed[name] = problem
    for name, problem in failed.items():
        print(f"{name}: {problem}")
    played = len(games) - len(failed)
    print(f"{played} of {len(games)} games played ten games each")
    sys.exit(played < LEAST)


if __name__ == "__main__":
    main(sys.argv[1])

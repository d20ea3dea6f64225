#!/usr/bin/env python3
"""An engine for sticks in words: engine.py uci|ugi MODE NOTES

It takes what leaves a multiple of four, if it can. MODE is `good` or a fault; NOTES is a file for all that it reads.
"""

import sys

protocol, mode, notes = sys.argv[1], sys.argv[2], open(sys.argv[3], "a", buffering=1)
moves, heap = [], 21


def say(*lines):
    for line in lines:
        print(line, flush=True)


def best():
    say("info depth 1 seldepth 2 score cp 50 nodes 3 pv take1 take2", "info string almost there")
    if mode == "none":
        say("bestmove (none)")
    elif mode == "illegal":
        say("bestmove take9")
    elif mode == "nothing":
        say("bestmove")
    elif mode == "dies":
        sys.exit(3)
    elif mode == "late":
        pass
    else:
        say(f"bestmove take{max(1, heap % 4)} ponder take1")
        if mode == "twice":
            say("bestmove take1")


say("Tiny 1.0 by its author")
for line in sys.stdin:
    notes.write(line)
    match line.split():
        case [word] if word == protocol:
            if mode == "mute":
                continue
            say("id name Tiny 1.0", "id author its author", "option name Level type spin default 1 min 1 max 9")
            say("option name Own Book type check default false", "option name Clear Hash type button")
            say("option name Style type combo default Very Calm var Very Calm var Wild", f"{protocol}ok")
        case ["isready"] if mode != "unready":
            say("readyok")
        case ["position", "startpos", *rest] | ["position", "fen", "6", "sticks", *rest]:
            moves = rest[1:]
            heap = (6 if "fen" in line else 21) - sum(int(move[-1]) for move in moves)
        case ["go", *_]:
            best()
        case ["quit"]:
            break

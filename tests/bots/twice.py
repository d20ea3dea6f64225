#!/usr/bin/env python3
"""A bot for `letters.py` that takes the first letter left, and answers more often than it is asked: twice.py PROTOCOL MODE

once         it does not
together     the second answer comes in one write with the first
apart        it comes in a write of its own
asleep       it comes after 30 ms
next         it comes when the next line is read
early        a line that was not asked for comes when it starts
wrong        `apart`, and from the second move on it takes a letter that is taken
thread       a thread writes two more 100 ms later; its next move takes it 500 ms
again        it is its only answer to the next question
mute         it does not answer isready before its second move
slow         it takes 40 ms to answer isready before a move
"""

import sys
import threading
import time

protocol, mode = sys.argv[1:]
answer = "{}" if protocol == "lines" else "bestmove {}"
left, moves, before, owed, games = [], 0, "", "", 0


def write(*lines):
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def move():
    global moves, before, owed
    own = answer.format(left[0])
    if moves and mode == "thread":
        time.sleep(0.5)
    if moves and mode in ("wrong", "again"):
        own = before
    moves, before = moves + 1, own
    if mode == "together":
        return write(own, own)
    write(own)
    if mode in ("apart", "wrong"):
        write(own)
    elif mode == "asleep":
        time.sleep(0.03)
        write(own)
    elif mode == "next":
        owed = own
    elif mode == "thread":
        threading.Timer(0.1, write, (own, own)).start()


if mode == "early":
    write(answer.format("h"))
for line in sys.stdin:
    if owed:
        write(owed)
        owed = ""
    match line.split():
        case [word] if word == protocol:
            write("id name twice", f"{protocol}ok")
        case ["isready"]:
            if mode == "mute" and moves > 0:
                continue
            if mode == "slow" and left:
                time.sleep(0.04)
            write("readyok")
        case ["ucinewgame" | "uginewgame"]:
            moves, left = 0, []
        case ["position", "startpos", *made]:
            left = [letter for letter in "abcdefgh" if letter not in made]
        case ["go", *_]:
            move()
        case ["quit"]:
            break
        case [letters] if protocol == "lines":
            left = letters
            move()

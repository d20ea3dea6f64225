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
older        its first answer is its only one to the third question
newline      the second answer comes with the first, and its line end 10 ms later
glued        the second answer comes with the first, and has no line end
mute         it does not answer isready before its second move
slow         it takes 40 ms to answer isready before a move
"""

import sys
import threading
import time

protocol, mode = sys.argv[1:]
answer = "{}" if protocol == "lines" else "bestmove {}"
left, moves, first, before, owed = [], 0, "", "", ""


def put(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def write(*lines):
    put("".join(line + "\n" for line in lines))


def move():
    global moves, first, before, owed
    own = answer.format(left[0])
    if moves and mode == "thread":
        time.sleep(0.5)
    if moves and mode in ("wrong", "again"):
        own = before
    if moves == 2 and mode == "older":
        own = first
    moves, first, before = moves + 1, first if moves else own, own
    if mode == "together":
        return write(own, own)
    if mode in ("newline", "glued"):
        put(own + "\n" + own)
        if mode == "newline":
            threading.Timer(0.01, put, "\n").start()
        return
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

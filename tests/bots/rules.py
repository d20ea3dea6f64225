#!/usr/bin/env python3
"""Rules of a small game that commit one chosen fault, for the tests of programs of rules.

rules.py MODE [KEY=VALUE ...]     rules.py --modes lists the modes, each with what it must lead to

The game is 21 sticks: take 1 to 3, the last one wins. Keys:
  at=ID       the answer with this id and all later ones of the game are faulty (default 3; 0 is that to `start`)
  move=JSON   instead: the answers to this move are
  if=FILE     the fault needs this file
  once=FILE   the fault needs that this file does not exist, and creates it; its folder must be writable
  accept=yes  of `bomb` with `once` or `if`: where the fault is not due, the deadly move is legal and takes one stick
  heap=21  game=sticks  version=1  build=TEXT  ms=NUMBER (of `slow` and `slow_hello`)
"""

import json
import os
import signal
import subprocess
import sys
import time

MIB = 1 << 20
MODES = {}  # name: (kind of the faulty answer, function, what it must lead to, help)
# What the modes that follow must lead to: `plays` without a fault, `bot` (loses the game), `usage` (nothing is played),
# `rules` (their fault; no bot's), `not_deterministic`, or `shown` (plays; people see less).
verdict = "plays"


def mode(on, name, text):
    """Registers a fault. `Program` explains `on`; the function gets the honest answer and the program."""

    def add(function):
        MODES[name] = (on, function, verdict, text)
        return function

    return add


class Sticks:
    """The honest game. `at_start` is the `start` request of this game."""

    def __init__(self, heap, at_start):
        self.heap, self.seat, self.moves, self.start = heap, 0, [], at_start

    def play(self, move):
        self.heap, self.seat = self.heap - move, 1 - self.seat
        self.moves.append(move)

    def answer(self, id):
        if self.heap == 0:
            return {"type": "over", "id": id, "winner": 1 - self.seat, "reason": "last_stick"}
        legal = list(range(1, min(3, self.heap) + 1))
        return {"type": "position", "id": id, "to_move": self.seat, "legal_moves": legal, "view": self.view()}

    def view(self):
        return {"heap": self.heap, "moves": self.moves}

    def shown(self, request):
        reply = {"type": "shown", "id": request["id"], "text": f"{self.heap} sticks"}
        if self.heap:
            reply["labels"] = [f"take {n}" for n in range(1, min(3, self.heap) + 1)]
        return reply if request["seat"] is None else reply | {"view": self.view()}


class Program:
    """Answers requests, and applies the fault to its kind of answer: `hello`, `start`, `answer` (in a game, where the keys
    say), `end` (the last one of a game), `any` (each one in a game), `bomb` (to the deadly move), `show`, `quit`, `none`."""

    def __init__(self, name, keys):
        self.name, self.keys = name, keys
        self.on, self.fault, *_ = MODES[name]
        self.unlisted = name in UNLISTED
        self.games = 0
        self.secret = int.from_bytes(os.urandom(6), "big")  # differs from process to process
        self.game = None

    def is_due(self, request, kind):
        """Whether the fault applies to the answer to `request`, which is of this kind."""
        keys = self.keys
        if self.on == "answer":
            here = kind in ("answer", "end") and self.is_here(request)
        else:
            here = self.on == kind or self.on == "any" and kind in ("answer", "end") or self.on == request["type"]
        if not here or "if" in keys and not os.path.exists(keys["if"]):
            return False
        if "once" in keys:
            if os.path.exists(keys["once"]):
                return False
            open(keys["once"], "w").close()
        return True

    def is_here(self, request):
        if "move" in self.keys:
            return request.get("move") == json.loads(self.keys["move"])
        return request["id"] >= int(self.keys.get("at", 3))

    def hello(self):
        reply = {"type": "hello", "protocol": 1, "game": self.keys.get("game", "sticks"), "shows": True}
        reply["version"] = int(self.keys.get("version", 1))
        return reply | ({"build": self.keys["build"]} if "build" in self.keys else {})

    def reply(self, request):
        """The honest answer, with what kind of answer it is; None if none is due."""
        kind, id = request["type"], request.get("id", 0)
        if kind == "hello":
            return "hello", self.hello()
        if kind == "show":
            reply = self.game.shown(request)
            if self.unlisted:
                reply.pop("labels", None)  # labels are those of a whole list
            return "show", reply
        if kind == "start":
            self.games += 1
            self.game = Sticks(int(self.keys.get("heap", 21)), request)
        elif kind == "apply":
            move = request["move"]
            if self.on == "bomb" and move == DEADLY and self.is_due(request, "bomb"):
                return "bomb", None
            if move == DEADLY and "accept" in self.keys:
                move = 1
            if self.unlisted and (type(move) is not int or not 1 <= move <= min(3, self.game.heap)):
                return "illegal", {"type": "illegal", "id": id, "message": f"take 1 to 3 of {self.game.heap} sticks"}
            self.game.play(move)
        else:
            return None
        reply = self.game.answer(id)
        if self.unlisted and "legal_moves" in reply:
            reply["legal_count"] = len(reply["legal_moves"])
            reply["sample_moves"] = reply.pop("legal_moves")[:2]
        return "end" if reply["type"] == "over" else "answer", reply

    def run(self):
        for line in sys.stdin:
            request = json.loads(line)
            if request["type"] == "quit":
                break
            due = self.reply(request)
            if due is None:
                continue
            kind, reply = due
            if kind == "bomb" or self.is_due(request, kind):
                reply = self.fault(reply, self)
            write(reply)
        if self.on == "quit":
            self.fault(None, self)


def write(reply):
    """Writes a message, or bytes as they are; nothing for None."""
    if reply is None:
        return
    data = reply if isinstance(reply, bytes) else json.dumps(reply).encode() + b"\n"
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def line(reply):
    return json.dumps(reply).encode() + b"\n"


def viewed(value):
    """A fault that puts what `value` returns into the view."""
    return lambda r, p: r | {"view": r["view"] | {"x": value(p)}} if "view" in r else r


def hang(*_):
    while True:
        signal.pause()


# ---- no faults ----

DEADLY = 7  # the move of which `bomb` dies; never listed, never a sample
UNLISTED = ["unlisted", "bomb", "bomb_hang", "bomb_garbage", "illegal_sample"]

mode("none", "good", "no fault")(None)
mode("none", "unlisted", "gives samples, and judges moves itself")(None)
mode("any", "stray", "prints a line that is no message before each answer")(lambda r, p: b"debug: here\n\n" + line(r))
mode("any", "slow", "takes ms=50 for each answer of a game")(lambda r, p: time.sleep(int(p.keys.get("ms", 50)) / 1000) or r)
mode("any", "spaces", "CR LF, blanks, another order of keys")(
    lambda r, p: json.dumps(dict(reversed(r.items())), indent=1).replace("\n", " ").encode() + b" \r\n"
)
mode("any", "extra", "unknown fields")(lambda r, p: r | {"x_note": [None, 1.5, {"move": 1}], "more": "…"})


@mode("any", "flood", "1 MiB on stderr before each answer")
def flood(reply, program):
    for _ in range(1024):
        os.write(2, b"f" * 1023 + b"\n")
    return reply


# ---- a move that was not listed kills the program: its bot loses ----

verdict = "bot"


@mode("bomb", "bomb", f"gives samples, and dies of the unlisted move {DEADLY}")
def bomb(reply, program):
    raise SystemExit(f"rules: killed by the move {DEADLY}")


mode("bomb", "bomb_hang", f"gives samples, and hangs at the unlisted move {DEADLY}")(hang)
mode("bomb", "bomb_garbage", f"gives samples, and answers the unlisted move {DEADLY} with bad JSON")(lambda r, p: b"{oops}\n")

# ---- faults at hello: nothing is played ----

verdict = "usage"

HELLO_FIELDS = {
    "wrong_protocol": ("says protocol 2", {"protocol": 2}),
    "builtin_name": ("says that it is connect4", {"game": "connect4"}),
    "builtin_alias": ("says that it is gomoku", {"game": "gomoku"}),
    "bad_name": ("its name has a blank and a capital", {"game": "My Game"}),
    "long_name": ("its name has 33 letters", {"game": "n" * 33}),
    "bad_version": ("says version 0", {"version": 0}),
    "three_seats": ("says seats 3", {"seats": 3}),
    "bad_default": ("a parameter's default is above its maximum", {"params": [{"name": "heap", "default": 9, "min": 1, "max": 3}]}),
    "twin_params": ("two parameters have one name", {"params": [{"name": "a", "default": 1, "min": 1, "max": 3}] * 2}),
    "bad_word": ("a parameter's default is none of its words", {"params": [{"name": "a", "default": "x", "words": ["y", "z"]}]}),
    "many_params": ("33 parameters", {"params": [{"name": f"p{i}", "default": 1, "min": 1, "max": 2} for i in range(33)]}),
    "hidden_openings": ("hidden, with opening_plies 2", {"hidden": True, "opening_plies": 2}),
}
for name, (text, fields) in HELLO_FIELDS.items():
    mode("hello", name, text)(lambda r, p, fields=fields: r | fields)
mode("hello", "no_hello", "never answers hello")(hang)
mode("hello", "slow_hello", "answers hello after ms=100000")(lambda r, p: time.sleep(int(p.keys.get("ms", 100_000)) / 1000) or r)
mode("hello", "hello_json", "its hello is bad JSON")(lambda r, p: b'{"type":"hello","protocol":1,\n')
mode("hello", "no_protocol", "its hello has no protocol")(lambda r, p: {k: v for k, v in r.items() if k != "protocol"})


@mode("hello", "import_error", "exits before hello, as a program without its library does")
def import_error(reply, program):
    import no_such_library_of_rules  # noqa: F401


@mode("start", "refused", "refuses every start")
def refused(reply, program):
    return {"type": "refused", "id": reply["id"], "message": "no heap is good enough"}


# ---- faults in a game ----

verdict = "rules"


@mode("answer", "crash", "exits with a traceback instead of answering")
def crash(reply, program):
    raise RuntimeError("the rules crash on purpose")


mode("answer", "exit", "exits with status 0 instead of answering")(lambda r, p: sys.exit(0))
mode("answer", "exit_after", "exits right after an answer")(lambda r, p: write(r) or sys.exit(0))
mode("answer", "killed", "kills itself instead of answering")(lambda r, p: os.kill(os.getpid(), signal.SIGKILL))
mode("answer", "hang", "never answers")(hang)
mode("answer", "half_line", "writes half an answer, and hangs")(lambda r, p: write(line(r)[:20]) or hang())
mode("answer", "no_newline", "writes an answer without its newline, and hangs")(lambda r, p: write(line(r)[:-1]) or hang())
mode("answer", "wrong_id", "answers with another id")(lambda r, p: r | {"id": r["id"] + 1})
mode("answer", "no_id", "answers without an id")(lambda r, p: {k: v for k, v in r.items() if k != "id"})
mode("answer", "wrong_type", "answers with `shown`")(lambda r, p: r | {"type": "shown"})
mode("answer", "late_refusal", "answers with `refused`")(lambda r, p: {"type": "refused", "id": r["id"], "message": "no more"})
mode("answer", "array_line", "answers with a list, which is a stray line, so that no answer comes")(lambda r, p: b"[1]\n")
mode("answer", "bad_json", "answers with bad JSON")(lambda r, p: line(r)[:-2] + b",}\n")
mode("answer", "nan", "answers with a NaN")(lambda r, p: line(r)[:-2] + b',"x":NaN}\n')
mode("answer", "duplicate_key", "answers with a key twice")(lambda r, p: line(r)[:-2] + b',"id":%d}\n' % r["id"])
mode("answer", "not_utf8", "answers with a byte that is not UTF-8")(lambda r, p: line(r)[:-2] + b',"x":"\xff"}\n')
mode("answer", "surrogate", "its view has half a character")(lambda r, p: line(viewed(lambda p: "\ud800")(r, p)))
mode("answer", "deep", "answers with a field nested 10,000 deep")(lambda r, p: line(r)[:-2] + b',"x":' + b"[" * 10000 + b"]" * 10000 + b"}\n")
mode("answer", "two_answers", "answers twice at once")(lambda r, p: line(r) * 2)
mode("answer", "surplus", "writes a line that was not asked for after an answer")(lambda r, p: write(r) or time.sleep(0.05) or r)
mode("answer", "long_line", "answers with 1 MiB + 1 byte")(lambda r, p: line(r)[:-2] + b" " * (MIB + 2 - len(line(r))) + b"}\n")
mode("answer", "illegal_listed", "says that a listed move is illegal")(lambda r, p: {"type": "illegal", "id": r["id"], "message": "no"})
mode("answer", "illegal_sample", "gives samples, and says that one is illegal")(MODES["illegal_listed"][1])


@mode("answer", "endless_line", "writes a line without an end")
def endless_line(reply, program):
    while True:
        write(b"{" * 65536)


@mode("answer", "flood_crash", "writes 32 MiB to stderr, then crashes")
def flood_crash(reply, program):
    for _ in range(32):
        flood(reply, program)
    raise RuntimeError("the rules crashed after a flood")


@mode("answer", "orphan", "starts a process that sleeps for 1,000 s, then crashes")
def orphan(reply, program):
    subprocess.Popen(["sleep", "1000"])
    raise RuntimeError("the rules left a process behind")


@mode("answer", "memory_hog", "takes memory without end")
def memory_hog(reply, program):
    kept = []
    while True:
        kept.append(bytearray(os.urandom(MIB)) * 64)


# ---- fields of a position: the same three moves, one thing wrong ----


def moves(*wrong):
    """A fault that puts these in place of the legal moves."""
    return lambda r, p: r | {"legal_moves": list(wrong)}


POSITION_FAULTS = {
    "no_moves": ("a position without any list", lambda r, p: {k: v for k, v in r.items() if k != "legal_moves"}),
    "empty_list": ("an empty list", moves()),
    "empty_samples": ("an empty list of samples", lambda r, p: {**MODES["no_moves"][1](r, p), "sample_moves": []}),
    "many_samples": ("17 samples", lambda r, p: {**MODES["no_moves"][1](r, p), "sample_moves": list(range(1, 18))}),
    "both_lists": ("legal moves and samples", lambda r, p: r | {"sample_moves": [1]}),
    "many_moves": ("1,001 legal moves", moves(*range(1, 1002))),
    "repeated_move": ("a legal move twice", moves(1, 2, 1)),
    "float_move": ("a move 1.0", moves(1.0)),
    "null_move": ("a move null", moves(1, None)),
    "bool_move": ("a move true", moves(1, True)),
    "object_move": ("a move that is an object", moves(1, {"take": 2})),
    "big_move": ("a move 2^53", moves(1, 2**53)),
    "long_move": ("a move of 257 bytes", moves(1, "m" * 257)),
    "wide_move": ("a move that is a list of 257", moves(1, [0] * 257)),
    "deep_move": ("a move that is five deep", moves(1, [[[[[1]]]]])),
    "moves_no_list": ("legal moves that are a number", lambda r, p: r | {"legal_moves": 3}),
    "to_move_2": ("to_move 2", lambda r, p: r | {"to_move": 2}),
    "no_to_move": ("no to_move", lambda r, p: {k: v for k, v in r.items() if k != "to_move"}),
    "view_list": ("a view that is a list", lambda r, p: r | {"view": [1]}),
    "no_view": ("no view", lambda r, p: {k: v for k, v in r.items() if k != "view"}),
}
for name, (text, function) in POSITION_FAULTS.items():
    mode("answer", name, text)(lambda r, p, function=function: function(r, p) if r["type"] == "position" else r)

# ---- the end ----

END_FIELDS = {
    "winner_2": ("winner 2", {"winner": 2}),
    "bad_reason": ("a reason with capitals and blanks", {"reason": "Took the last"}),
    "bad_scores": ("three scores", {"scores": [1, 2, 3]}),
    "float_scores": ("scores that are no integers", {"scores": [0.5, 1]}),
}
for name, (text, fields) in END_FIELDS.items():
    mode("end", name, text)(lambda r, p, fields=fields: r | fields)
mode("end", "no_winner", "no winner")(lambda r, p: {k: v for k, v in r.items() if k != "winner"})
mode("end", "no_reason", "no reason")(lambda r, p: {k: v for k, v in r.items() if k != "reason"})
mode("end", "many_reasons", "another reason for every game; the 65th is a fault")(
    lambda r, p: r | {"reason": "after_" + "".join(map(str, p.game.moves))[-20:]}
)


@mode("any", "endless", "a game without an end: the heap never shrinks")
def endless(reply, program):
    program.game.heap = 21
    program.game.moves.clear()
    return program.game.answer(reply["id"])


# ---- answers that are not a function of parameters, seed and moves ----

verdict = "not_deterministic"


mode("answer", "lies", "its views differ from process to process")(viewed(lambda p: p.secret))
mode("answer", "hash_order", "its views depend on Python's hash seed")(viewed(lambda p: hash("sticks") % 1000))
mode("answer", "time_zone", "its views depend on the time zone")(viewed(lambda p: time.strftime("%H %Z", time.localtime(0))))
mode("answer", "clock", "its views depend on the time")(viewed(lambda p: time.time_ns() % 10**9))
mode("answer", "memory", "its views depend on the number of games before")(viewed(lambda p: p.games))
mode("answer", "seed", "its views depend on the seed, and hidden is false")(viewed(lambda p: int(p.game.start["seed"]) % 1000))
mode("end", "other_winner", "the other seat wins; with if=FILE, rules that change their mind")(lambda r, p: r | {"winner": 1 - r["winner"]})

# ---- show and quit ----

verdict = "shown"
mode("show", "show_crash", "crashes when asked to show")(crash)
mode("show", "show_hang", "hangs when asked to show")(hang)
mode("show", "show_nothing", "shows without a view")(lambda r, p: {"type": "shown", "id": r["id"]})
mode("show", "show_labels", "shows a label too many")(lambda r, p: r | {"labels": r.get("labels", []) + ["more"]})
mode("show", "show_script", "shows a script in its picture and its text")(
    lambda r, p: r | {"text": "<script>alert(1)</script>\x1b[31m", "svg": "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"}
)
mode("show", "show_plays", "plays a move when asked to show")(lambda r, p: p.game.heap > 1 and p.game.play(1) or r)
mode("show", "show_eats", "takes a stick when asked to show")(lambda r, p: p.game.heap > 4 and setattr(p.game, "heap", p.game.heap - 1) or r)
verdict = "plays"
mode("quit", "stays", "does not leave at quit or the end of its input")(hang)


@mode("hello", "hostile", "tries what the sandbox forbids and says on stderr what worked (a line `HARM: …`)")
def hostile(reply, program):
    import socket

    here = os.path.abspath(__file__)
    attempts = {
        "wrote beside itself": lambda: open(here + ".harm", "w").close() or os.remove(here + ".harm"),
        "changed itself": lambda: open(here, "a").close(),
        "signalled its parent": lambda: os.kill(os.getppid(), signal.SIGWINCH),
        "left its process group": os.setsid,
        "connected": lambda: socket.create_connection(("127.0.0.1", 9), 0.2),
    }
    for name, attempt in attempts.items():
        try:
            attempt()
            print("HARM:", name, file=sys.stderr)
        except ConnectionRefusedError:
            print("HARM: reached the network", file=sys.stderr)
        except OSError as error:
            print(f"kept from it: {name}: {error}", file=sys.stderr)
    return reply


def main():
    name, *rest = sys.argv[1:] or ["good"]
    if name == "--modes":
        for name, (_, _, verdict, text) in MODES.items():
            print(f"{name:16} {verdict:18} {text}")
        return
    if name not in MODES:
        sys.exit(f"rules.py: no mode {name}; rules.py --modes lists them")
    Program(name, dict(word.split("=", 1) for word in rest)).run()


main()

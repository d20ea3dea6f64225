#!/usr/bin/env python3
"""Checks a bot on any system, without the arena: it plays against random moves, and this program says what is wrong.

    python check_bot.py --rules rules.py -- python my_bot.py
    python check_bot.py --game connect4 -- ./my_bot

--rules is a program of rules: the file that the `command` in the game's .toml names. Exits with 0 if there is no fault, 1 if
the bot has one, and 2 if the check was not possible. Needs Python 3.9 or later and nothing else.
"""

import argparse
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time

LINE_BYTES_MAX = 65_536  # of a line of the bot
STARTUP_S = 10.0  # until its hello
READY_S = 5.0
LEAVE_S = 1.0
MARGIN_S = 0.010  # forgiven on every move
PATIENCE_S = 2.0  # a reply is waited for this much longer than its limit, to tell what is slow from what never comes
SURPLUS_MAX = 1_000  # lines that answer nothing, in a game
SURPLUS_BYTES_MAX = 1 << 20
RULES_S = 60.0  # for an answer of the rules
RULES_LINE_BYTES_MAX = 1 << 20
PLIES_MAX = 5_000  # of a game; then it is left

FLUSH = "print(json.dumps(reply), flush=True), or the same in your language: one object on one line, and flush after it"


class Fault(Exception):
    """What the bot did wrong: the arena's word for it, what happened, and what to do."""

    def __init__(self, kind, what, cure):
        super().__init__(what)
        self.kind, self.what, self.cure = kind, what, cure


class Ended(Fault):
    """Its process has ended, or its output."""


class NotPossible(Exception):
    """The check cannot go on, and the bot is not to blame."""


class Declined(Exception):
    """The bot says that it cannot play this game."""


class Process:
    """A program that is spoken to in lines. Threads read and write, so that nothing here waits longer than it means to."""

    def __init__(self, command, line_bytes_max, folder=None):
        environment = dict(os.environ, PYTHONUNBUFFERED="1", PYTHONUTF8="1")
        pipe = subprocess.PIPE
        self.child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, cwd=folder)
        self.line_bytes_max = line_bytes_max
        self.received = queue.Queue(maxsize=10_000)
        self.to_send = queue.Queue()
        self.stderr_end = b""
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._write, self._read_stderr)]
        for thread in self.threads:
            thread.start()

    def _read(self):
        line = b"-"
        while line:
            line = self.child.stdout.readline(self.line_bytes_max + 2)
            self.received.put((time.perf_counter(), line))

    def _write(self):
        try:
            for line in iter(self.to_send.get, None):
                self.child.stdin.write(line)
                self.child.stdin.flush()
            self.child.stdin.close()
        except (OSError, ValueError):
            pass  # It is gone; that is seen where its output ends.

    def _read_stderr(self):
        for part in iter(lambda: self.child.stderr.read1(1 << 16), b""):
            self.stderr_end = (self.stderr_end + part)[-4_000:]

    def send(self, message):
        """Sends a message; returns its line."""
        line = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        self.to_send.put(line.encode("utf-8", "replace") + b"\n")
        return line

    def receive(self, deadline):
        """When the next line came, and the line with its end; None at the deadline. Where the output ends, it is empty."""
        while True:
            # Something that it has started may hold its output open.
            has_exited = self.child.poll() is not None
            try:
                return self.received.get(timeout=max(0.0, min(0.05, deadline - time.perf_counter())))
            except queue.Empty:
                now = time.perf_counter()
                if has_exited:
                    return now, b""
                if now >= deadline:
                    return None

    def ended(self):
        """How it ended, in words, after its output did."""
        try:
            code = self.child.wait(1)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        self.threads[-1].join(0.2)  # Its last words.
        return f"it exited with status {code}" if code >= 0 else f"it was killed by signal {-code}"

    def last_words(self):
        """The last lines of its stderr."""
        return [short(line) for line in self.stderr_end.decode("utf-8", "replace").splitlines()[-10:]]

    def leave(self, message):
        """Asks it to exit; returns whether it did so in time. It is ended in any case."""
        self.send(message)
        self.to_send.put(None)
        end = time.perf_counter() + LEAVE_S
        while self.child.poll() is None and time.perf_counter() < end:
            self.receive(min(end, time.perf_counter() + 0.01))  # It may wait for its output to be read.
        has_left = self.child.poll() is not None
        self.kill()
        return has_left

    def kill(self):
        self.child.kill()
        self.child.wait()


def strict_json(text):
    """The object in `text`. Raises ValueError for what the arena does not accept, also where Python would."""

    def pairs(fields):
        names = [name for name, _ in fields]
        twice = [name for name in names if names.count(name) > 1] if len(set(names)) < len(names) else []
        if twice:
            raise ValueError(f"duplicate key `{twice[0]}`")
        return dict(fields)

    def constant(word):
        raise ValueError(f"{word} is no JSON value")

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    return value


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_evaluation(value):
    return (is_integer(value) or isinstance(value, float)) and -1 <= value <= 1


def is_comment(value):
    return isinstance(value, str) and len(value) <= 280


def is_move(value, with_words, depth=0):
    """Whether a value has the form of a move: an integer, a list of integers, and in games that are programs also words."""
    if is_integer(value):
        return -(2**63) <= value < 2**63
    if isinstance(value, str):
        return with_words and len(value.encode("utf-8", "replace")) <= 256
    if not isinstance(value, list) or depth == (4 if with_words else 1):
        return False
    return (not with_words or len(value) <= 256) and all(is_move(part, with_words, depth + 1) for part in value)


def short(text, most=200):
    """A text of others on one line, without what a terminal would obey."""
    text = "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
    return text if len(text) <= most else text[:most] + "…"


class Program:
    """The rules of a program: docs/games.md."""

    with_words = True
    required = {"hello": ("game", "version"), "position": ("to_move", "view"), "over": ("winner", "reason")}

    def __init__(self, file, params):
        path = os.path.abspath(file)
        try:
            command = [sys.executable, path] if path.endswith(".py") else [path]
            self.process = Process(command, RULES_LINE_BYTES_MAX, os.path.dirname(path))
        except OSError as error:
            raise NotPossible(f"the rules do not start: {error}") from None
        limits = {"max_line_bytes": RULES_LINE_BYTES_MAX}
        hello = self._ask({"type": "hello", "protocol": 1, "arena": "check_bot", **limits}, "hello")
        self.name, self.version, self.hello = hello["game"], hello["version"], hello
        known = {param["name"]: param["default"] for param in hello.get("params") or []}
        for name in params:
            if name not in known:
                raise NotPossible(f"{self.name} has no parameter `{name}`; it has: {', '.join(known) or 'none'}")
        self.params = {**known, **params}
        hides = hello.get("hidden") or hello.get("lines")
        self.opening_plies = hello.get("opening_plies", 0 if hides else 2)

    def _ask(self, request, *kinds):
        """The answer to a request, which must be of one of these types."""
        sent = self.process.send(request)
        deadline = time.perf_counter() + RULES_S
        came = self.process.receive(deadline)
        while came and came[1] and not came[1].lstrip().startswith(b"{"):
            came = self.process.receive(deadline)  # A forgotten print.
        line = came[1].decode("utf-8", "replace").strip() if came else ""
        try:
            answer = strict_json(line) if line else {}
            fields = self.required.get(answer.get("type"), ())
            is_good = answer.get("type") in kinds and answer.get("id") == request.get("id")
            if is_good and all(field in answer for field in fields):
                if answer["type"] != "position" or answer.get("legal_moves") or answer.get("sample_moves"):
                    return answer
            why = "not what was asked for" if line else self.process.ended() if came else "no answer in time"
        except ValueError as error:
            why = f"not JSON: {error}"
        said = [f"sent: {short(sent)}", f"received: {short(line)}", *self.process.last_words()]
        raise NotPossible("\n  ".join([f"the rules failed: {why}", *said]))

    def start(self, seed):
        request = {"type": "start", "id": 0, "params": self.params, "seed": str(seed)}
        answer = self._ask(request, "position", "over", "refused")
        if answer["type"] == "refused":
            raise NotPossible(f"the rules refuse: {answer.get('message')}")
        self.plies = 0
        return answer

    def apply(self, move):
        self.plies += 1
        return self._ask({"type": "apply", "id": self.plies, "move": move}, "position", "over", "illegal")

    def reveal(self):
        if not (self.hello.get("hidden") and self.hello.get("shows")):
            return {}
        shown = self._ask({"type": "show", "id": self.plies, "seat": None}, "shown")
        return {"reveal": shown["reveal"]} if "reveal" in shown else {}

    def leave(self):
        self.process.leave({"type": "quit"})


class InARow:
    """Tic-tac-toe and connect four, which the arena has built in: docs/protocol.md."""

    with_words = False
    version, opening_plies = 1, 2

    def __init__(self, name, rows, cols, length, falls):
        self.name, self.rows, self.cols, self.length, self.falls = name, rows, cols, length, falls
        self.params = {"rows": rows, "cols": cols, "connect" if falls else "k": length}

    def start(self, _seed):
        self.board, self.moves = {}, []
        return self._position()

    def apply(self, move):
        row, col = move if not self.falls else (max(r for r in range(self.rows) if (r, move) not in self.board), move)
        mark = self.board[row, col] = "XO"[len(self.moves) % 2]
        self.moves.append(move)
        for down, right in (0, 1), (1, 0), (1, 1), (1, -1):
            reach = [self._run(mark, row, col, sign * down, sign * right) for sign in (1, -1)]
            if sum(reach) + 1 >= self.length:
                return {"type": "over", "winner": (len(self.moves) - 1) % 2, "reason": "line"}
        if len(self.board) == self.rows * self.cols:
            return {"type": "over", "winner": None, "reason": "board_full"}
        return self._position()

    def _run(self, mark, row, col, down, right):
        count = 0
        while self.board.get((row + down, col + right)) == mark:
            row, col, count = row + down, col + right, count + 1
        return count

    def _position(self):
        free = [[r, c] for r in range(self.rows) for c in range(self.cols) if (r, c) not in self.board]
        legal = [c for r, c in free if r == 0] if self.falls else free
        board = ["".join(self.board.get((r, c), ".") for c in range(self.cols)) for r in range(self.rows)]
        view = {"board": board, "moves": self.moves}
        return {"type": "position", "to_move": len(self.moves) % 2, "legal_moves": legal, "view": view}

    def reveal(self):
        return {}

    def leave(self):
        pass


BUILT_IN = {"tictactoe": ("mnk", 3, 3, 3, False), "connect4": ("connect4", 6, 7, 4, True)}
ALIASES = {"mnk": ("tictactoe",)}  # what else a bot may call a game


class Bot:
    """The bot, asked and judged as the arena does: docs/protocol.md."""

    def __init__(self, command, with_words):
        self.with_words = with_words
        self.sent = self.received = ""
        self.ids, self.surplus, self.remarks = [], [], []
        self.in_game, self.count, self.bytes, self.broken = False, 0, 0, None
        try:
            self.process = Process(command, LINE_BYTES_MAX)
        except OSError as error:
            cure = "give the command as in a terminal; a script needs its interpreter: -- python my_bot.py"
            raise Fault("startup_failed", f"it cannot be started: {error}", cure) from None

    def greet(self, game):
        """Says hello to it. Returns its name."""
        begun = time.perf_counter()
        limits = {"max_line_bytes": LINE_BYTES_MAX, "startup_ms": int(STARTUP_S * 1e3)}
        self.sent = self.process.send({"type": "hello", "protocol": 1, "arena": "check_bot", **limits})
        hello, _ = self._await("hello", ("hello",), begun, STARTUP_S, STARTUP_S)
        if hello.get("protocol") != 1 or not is_integer(hello["protocol"]):
            what = f"its hello says protocol {short(json.dumps(hello.get('protocol')), 60)}, not 1"
            raise Fault("startup_failed", what, 'answer hello with {"type":"hello","protocol":1}')
        games = hello.get("games")
        if games is not None:
            cure = f'name "{game}" in `games`, or leave the field out to play all games'
            if not isinstance(games, list) or not all(isinstance(name, str) for name in games):
                raise Fault("startup_failed", "`games` in its hello is no list of names", cure)
            if not any(name.split(":")[0] in (game, *ALIASES.get(game, ())) for name in games):
                raise Fault("startup_failed", f"its hello names other games: {short(', '.join(games))}", cure)
        for field in "name", "version", "authors":
            self._optional(hello, field, lambda value: isinstance(value, str), "a string")
        return hello["name"] if isinstance(hello.get("name"), str) else "without a name"

    def _optional(self, message, field, is_good, expected):
        if message.get(field) is not None and not is_good(message[field]):
            self.remark(f"`{field}` is {short(json.dumps(message[field]), 60)}, not {expected}; the arena drops it")

    def remark(self, text):
        if text not in self.remarks:
            self.remarks.append(text)

    def _fault(self, what, cure):
        """A broken line: before a game it is a failed start."""
        return Fault("protocol_error" if self.in_game else "startup_failed", what, cure)

    def _drop(self, line, why):
        self.count, self.bytes = self.count + 1, self.bytes + len(line)
        self.surplus.append(f"{why}: {short(line.decode('utf-8', 'replace').strip(), 100)}")

    def _message(self, line):
        """The message in a line; None if there is none, which a line that does not begin with { has not."""
        text = (line if self.ids else line.removeprefix(b"\xef\xbb\xbf")).lstrip()
        if not text:
            self.bytes += len(line)
            return None
        if not text.startswith(b"{"):
            return self._drop(line, "stray")
        try:
            message = strict_json(text.decode("utf-8"))
            if message.get("type") not in ("hello", "ready", "decline", "move", "resign"):
                return self._drop(line, "stray, of unknown type")
            if message["type"] != "hello" and not is_integer(message.get("id")):
                raise ValueError("the field `id` is missing or no integer; repeat that of the request")
            if message["type"] == "move" and not is_move(message.get("move"), self.with_words):
                words = ", a string or a list of such" if self.with_words else " or a list of integers"
                raise ValueError(f"`move` is {short(json.dumps(message.get('move')), 60)}; it must be an integer{words}")
            return message
        except ValueError as error:
            why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) or b"\0" in text else short(str(error))
            self.broken = f"its line is no valid message: {why}"
            if self.in_game:
                raise Fault("protocol_error", self.broken, FLUSH) from None
            return self._drop(line, "stray, since not valid")

    def _await(self, asked, kinds, begun, limit, patience):
        """The answer of one of these types, and the seconds that it took."""
        deadline, self.broken = begun + patience, None
        while True:
            came = self.process.receive(deadline)
            if came is None or came[0] > deadline:
                raise self._silent(asked, limit, patience)
            at, line = came
            if line.strip():
                self.received = line.decode("utf-8", "replace").strip()
            if len(line.rstrip(b"\r\n")) > LINE_BYTES_MAX:
                what = f"a line is longer than {LINE_BYTES_MAX} bytes"
                raise self._fault(what, "write less; debug output belongs on stderr")
            if not line.endswith(b"\n"):
                part = "it wrote a line without a newline, and then " if line else ""
                what = f"{part}{self.process.ended()} while its answer to {asked} was awaited"
                cure = "read the end of its stderr; one process plays many games, until `quit`"
                raise Ended("crashed" if self.in_game else "startup_failed", what, cure)
            message = self._message(line)
            if self.count > SURPLUS_MAX or self.bytes > SURPLUS_BYTES_MAX:
                if asked == "move_request" and at - begun > limit + MARGIN_S:
                    raise self._silent(asked, limit, at - begun)
                what = f"more than {SURPLUS_MAX} lines, or 1 MiB, that answer nothing"
                raise self._fault(what, "print debug output to stderr, and answer every request once")
            if message is None:
                if self.broken and not self.in_game:
                    deadline = min(deadline, time.perf_counter() + 0.3)
                continue
            id = message.get("id")
            if message["type"] != "hello" and id not in self.ids:
                cure = "repeat the `id` of the request exactly; it has up to 53 bits"
                raise self._fault(f"its {message['type']} has an `id` that was never sent: {id}", cure)
            if message["type"] in kinds and (asked == "hello" or id == self.ids[-1]):
                return message, at - begun
            self._drop(line, "stale")

    def _silent(self, asked, limit, patience):
        kind = "timeout" if asked == "move_request" else "startup_failed"
        if self.broken:
            return Fault(kind, f"no answer to {asked}: {self.broken}", FLUSH)
        what = f"no answer to {asked} within {patience:.1f} s; the limit is {limit * 1e3:.0f} ms"
        return Fault(kind, what, "flush after every line, and answer each request before reading on")

    def _next_id(self, rng):
        self.ids.append(rng.getrandbits(53))
        return self.ids[-1]

    def new_game(self, rng, rules, seat, move_ms):
        self.in_game = False
        message = {
            "type": "new_game", "id": self._next_id(rng), "game_id": f"{rng.getrandbits(64):016x}", "game": rules.name,
            "rules_version": rules.version, "params": rules.params, "seat": seat, "seed": str(rng.getrandbits(64)),
            "clock": {"move_ms": move_ms},
        }
        begun = time.perf_counter()
        self.sent = self.process.send(message)
        answer, _ = self._await("new_game", ("ready", "decline"), begun, READY_S, READY_S)
        if answer["type"] == "decline":
            raise Declined(short(str(answer.get("reason") or "it gives no reason")))
        self.in_game, self.count, self.bytes = True, 0, 0

    def choose(self, rng, ply, position, sample, move_ms):
        """Its move, or None if it resigns, and the seconds that it took."""
        legal = {"legal_moves": position["legal_moves"]} if "legal_moves" in position else {}
        message = {
            "type": "move_request", "id": self._next_id(rng), "ply": ply, "seat": position["to_move"],
            "state": position["view"], **legal, "sample_move": sample, "clock": {"deadline_ms": move_ms},
        }
        limit = move_ms / 1e3
        begun = time.perf_counter()
        self.sent = self.process.send(message)
        answer, took = self._await("move_request", ("move", "resign"), begun, limit, limit + PATIENCE_S)
        self._optional(answer, "eval", is_evaluation, "a number from -1 to 1")
        self._optional(answer, "comment", is_comment, "a string of up to 280 characters")
        self._optional(answer, "debug", lambda value: len(json.dumps(value)) <= 8 << 10, "at most 8 KiB")
        return answer.get("move"), took

    def game_over(self, outcome, reason, moves, reveal):
        self.in_game = False
        self.process.send({"type": "game_over", "outcome": outcome, "reason": reason, "moves": moves, **reveal})


class Check:
    """All games of a check, and what came of them."""

    def __init__(self, arguments, rules):
        self.arguments, self.rules = arguments, rules
        self.rng = random.Random(arguments.seed)
        self.bot = None
        self.slowest, self.late = (0.0, 0, 0), 0

    def game(self, number):
        """Plays a game; returns how it ended, in words. Seats alternate, and every second pair begins with random moves."""
        bot, rules, rng, seat, moves = self.bot, self.rules, self.rng, number % 2, []
        position = rules.start(rng.getrandbits(64))
        plies = rules.opening_plies if number // 2 % 2 else 0
        bot.new_game(rng, rules, seat, self.arguments.move_ms)
        while position["type"] == "position" and len(moves) < PLIES_MAX:
            listed = position.get("legal_moves") or position["sample_moves"]
            move = sample = rng.choice(listed)
            is_asked = position["to_move"] == seat and len(moves) >= plies
            if is_asked:
                move, took = bot.choose(rng, len(moves), position, sample, self.arguments.move_ms)
                self.slowest = max(self.slowest, (took, number, len(moves)))
                self.late += took > self.arguments.move_ms / 1e3 + MARGIN_S
                if move is None:
                    bot.game_over("loss", "resigned", moves, rules.reveal())
                    return "it resigned"
            at_ply = f"at ply {len(moves)}: move {short(json.dumps(move))}"
            if "legal_moves" in position and move not in listed:
                what = f"{at_ply} is not legal; legal: {short(json.dumps(listed))}"
                raise Fault("illegal_move", what, "choose from `legal_moves` of the request")
            position = rules.apply(move)
            if position["type"] == "illegal":
                if move in listed:
                    raise NotPossible(f"the rules refuse a move that they list, {at_ply}")
                what = f"{at_ply} is not legal: {short(str(position.get('message')))}"
                raise Fault("illegal_move", what, "follow the `state` of the request")
            moves.append(move)
        if position["type"] != "over":
            return f"left after {PLIES_MAX} moves"
        winner, reason = position["winner"], position["reason"]
        outcome = "draw" if winner is None else "win" if winner == seat else "loss"
        bot.game_over(outcome, reason, moves, rules.reveal())
        return f"{outcome} by {reason} after {len(moves)} moves"

    def start(self):
        """A bot that has said hello, and its name."""
        self.bot = Bot(self.arguments.bot, self.rules.with_words)
        return self.bot.greet(self.rules.name)

    def game_with_restart(self, number):
        """Plays a game, with a new process if the one of the games before has ended between them."""
        try:
            return self.game(number)
        except Ended as ended:
            if ended.kind == "crashed" or number == 0:
                raise
            before = self.bot
            before.process.kill()
            self.start()
            self.bot.remarks, self.bot.surplus = before.remarks, before.surplus
            self.bot.remark("it exited after a game; one process plays many games, until `quit`")
            return self.game(number)

    def run(self):
        """Prints what is found; returns whether there is no fault."""
        where = "at its start"
        try:
            print(f"ok    starts         answered hello, {short(self.start(), 60)}")
            for number in range(self.arguments.games):
                where = f"in game {number + 1}, seat {number % 2}"
                result = self.game_with_restart(number)
                print(f"ok    game {number + 1:<9} seat {number % 2}: {result}", flush=True)
        except Declined as why:
            print(f"note  declines       {why}; in a tournament it is left out of this game")
        except Fault as fault:
            self.show(fault, where)
            return False
        return self.finish()

    def show(self, fault, where):
        bot = self.bot
        print(f"FAIL  {fault.kind:<15}{where}: {fault.what}")
        if bot:
            print(f"      last sent:     {short(bot.sent)}")
            print(f"      last received: {short(bot.received) or 'nothing'}")
            for line in bot.process.last_words():
                print(f"      stderr: {line}")
        print(f"      -> {fault.cure}")

    def finish(self):
        """What is seen over all games; returns whether there is no fault."""
        (took, number, ply), limit, bot = self.slowest, self.arguments.move_ms, self.bot
        has_left = bot.process.leave({"type": "quit"})
        if took:
            print(f"note  slowest reply  {took * 1e3:.1f} ms (game {number + 1}, ply {ply}); limit {limit} ms")
        for remark in bot.remarks:
            print(f"note  remark         {remark}")
        if bot.surplus:
            print(f"note  surplus        {len(bot.surplus)} lines answered no request; the first is {bot.surplus[0]}")
            print("      -> print debug output to stderr, and answer every request once")
        if self.late:
            print(f"FAIL  timeout        {self.late} replies took longer than {limit} ms and {MARGIN_S * 1e3:.0f} ms margin")
            print("      -> stop earlier: `clock.deadline_ms` of each request is the limit; leave some of it unused")
        if has_left:
            print("ok    leaves         exited after quit")
        else:
            print(f"FAIL  leaves         still running {LEAVE_S:.0f} s after quit; killed")
            print("      -> exit on `quit` and at the end of stdin")
        return has_left and not self.late


def parameter(text):
    name, _, value = text.partition("=")
    return name, int(value) if value.lstrip("-").isdigit() else value


def main():
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--rules", metavar="FILE", help="program of rules; a .py file is run by this Python")
    which.add_argument("--game", choices=sorted(BUILT_IN), help="a game that the arena has built in")
    parser.add_argument("--param", metavar="NAME=VALUE", type=parameter, action="append", default=[], help="of the rules")
    parser.add_argument("--games", metavar="N", type=int, default=8, help="games to play [default: 8]")
    parser.add_argument("--move-ms", metavar="MS", type=int, default=1000, help="limit per move [default: 1000]")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of the random moves [default: 0]")
    parser.add_argument("bot", nargs="+", metavar="BOT", help="after --: the command that starts the bot")
    arguments = parser.parse_args()
    check = rules = None
    try:
        rules = Program(arguments.rules, dict(arguments.param)) if arguments.rules else InARow(*BUILT_IN[arguments.game])
        check = Check(arguments, rules)
        is_good = check.run()
    except NotPossible as why:
        print(f"error: {why}", file=sys.stderr)
        return 2
    finally:
        if check and check.bot:
            check.bot.process.kill()
        if rules:
            rules.leave()
    print("no fault was found; `arena check` tests more" if is_good else "the bot has a fault")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())

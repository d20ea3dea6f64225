"""Runs a Kaggle agent as a bot of the arena: `INTERPRETER -c SHIM FILE`, started in the bot's folder."""
import sys
# Bots have names such as `random.py`; where Kaggle puts an agent's folder, they hide no module of Python.
sys.path[:] = [folder for folder in sys.path if folder]
import inspect, json, operator, os, random, traceback

FILE = os.path.abspath(sys.argv[1])
sys.path.append(os.path.dirname(FILE))
# The agent has no part in the conversation: it reads nothing, and what it prints, even from C, goes to its log.
requests, replies = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
sys.stdout.reconfigure(errors="backslashreplace", line_buffering=True)

class Record(dict):  # Its keys are attributes too.
    def __init__(self, **fields):
        super().__init__(fields)
        self.__dict__.update(fields)
    def __setattr__(self, name, value):
        self[name] = self.__dict__[name] = value

def stop(fault=""):
    """Ends the process at once, even if threads of the agent still run."""
    os.write(2, fault.encode("utf-8", "backslashreplace"))
    os._exit(1 if fault else 0)

def run(function, *arguments):
    """Calls code of the agent. If it raises anything, even SystemExit, all but our own frames are shown."""
    try:
        return function(*arguments)
    except BaseException as error:
        frames = error.__traceback__
        while frames and frames.tb_frame.f_globals is globals():
            frames = frames.tb_next
        stop("".join(traceback.format_exception(type(error), error, frames)))

def seed(number):
    random.seed(number)
    if sys.modules.get("numpy"): sys.modules["numpy"].random.seed(number % 2**32)

def load():
    """Executes the file in fresh globals; the agent is the last callable that it defines."""
    seed(0)
    with open(FILE, "rb") as file:
        exec(compile(file.read(), FILE, "exec"), names := {})
    functions = {name: value for name, value in names.items() if callable(value)}
    name, last = functions.popitem() if functions else stop("it defines no function; the last one defined is the agent\n")
    try: kinds = [parameter.kind for parameter in inspect.signature(last, follow_wrapped=False).parameters.values()]
    except ValueError: kinds = [0, 0]  # Some functions that are written in C do not tell.
    count = sum(kind <= inspect.Parameter.VAR_POSITIONAL for kind in kinds)
    call = lambda *arguments: last(*arguments[:count])
    call.__name__, call.x_is_another = name, "agent" in functions
    return call

def integer(answer):
    try: return int(operator.index(answer))
    except TypeError: return None  # Arrays of numpy have that method too.

def text(answer):
    """What was returned, on one line and short. The repr of an agent's own class may fail in any way."""
    if type(answer) is int and answer.bit_length() > 200: return "an integer of {} bits".format(answer.bit_length())
    try: line = " ".join(part.strip() for part in repr(answer).splitlines())
    except BaseException: line = "what cannot be shown"
    return line if len(line) <= 80 else line[:60] + "…" + line[-10:]

def move(params, request):
    limit, bank = (request["clock"].get(name, 0) / 1000 for name in ("deadline_ms", "bank_ms"))
    cells = [".XO".index(cell) for row in request["state"]["board"] for cell in row]
    observation = Record(board=cells, mark=request["seat"] + 1, step=request["ply"], remainingOverageTime=bank)
    configuration = Record(columns=params["cols"], rows=params["rows"], inarow=params.get("connect") or params["k"],
        actTimeout=limit, timeout=limit, agentTimeout=60, runTimeout=1200, episodeSteps=1000, __raw_path__=FILE)
    answer = run(agent, observation, configuration)
    kind = type(answer).__name__
    number = None if kind in ("bool", "bool_") else run(integer, answer)  # `True` is no column.
    if number is None:
        stop("the agent returned {} ({}), not an integer\n".format(text(answer), kind[:50]))
    index = max(-2**62, min(number, 2**62))  # What is beyond is off every board too.
    played = index if "connect" in params else divmod(index, params["cols"])
    return {"move": played} if played == number else {"move": played, "x_returned": text(number)}

agent, game = run(load), None
for message in map(json.loads, requests):
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1, "name": agent.__name__, **vars(agent)}), file=replies, flush=True)
    elif message["type"] == "new_game":
        agent = run(load) if game else agent  # Agents keep in their globals what they know of a game.
        game = message["params"]
        seed(int(message["seed"]))
        print(json.dumps({"type": "ready", "id": message["id"]}), file=replies, flush=True)
    elif message["type"] == "move_request":
        print(json.dumps({"type": "move", "id": message["id"], **move(game, message)}), file=replies, flush=True)
    elif message["type"] == "quit":
        break
stop()

import json, sys
def position(i):
    if heap == 0: return {"type": "over", "id": i, "winner": 1 - seat, "reason": "last_stick"}
    return {"type": "position", "id": i, "to_move": seat, "legal_moves": list(range(1, min(3, heap) + 1)), "view": {"heap": heap}}
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello": r = {"type": "hello", "protocol": 1, "game": "sticks", "version": 1}
    elif m["type"] == "start": heap, seat = 21, 0; r = position(m["id"])
    elif m["type"] == "apply": heap, seat = heap - m["move"], 1 - seat; r = position(m["id"])
    else: continue
    print(json.dumps(r), flush=True)

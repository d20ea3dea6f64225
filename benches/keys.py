#!/usr/bin/env python3
"""From a key to the screen: presses keys in `arena replay` or `arena play` on a terminal of 120x40, and prints how long it takes
until the last byte of the answer is there.

    benches/keys.py COUNT KEYS COMMAND...        keys are pressed in turn
    benches/keys.py 300 jk arena replay --results results
"""
import fcntl, os, pty, select, struct, sys, termios, time

count, keys, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
pid, screen = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm-256color"
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    os.execvp(command[0], command)


def read(first, quiet):
    """The time of the last byte, once nothing has come for `quiet` seconds; at most `first` seconds are waited for the first."""
    last, wait = None, first
    while select.select([screen], [], [], wait)[0]:
        os.read(screen, 1 << 16)
        last, wait = time.perf_counter(), quiet
    return last


read(10, 1)
times = []
for press in range(count):
    begun = time.perf_counter()
    os.write(screen, keys[press % len(keys)].encode())
    last = read(1, 0.06)
    if last is None:
        sys.exit(f"key {press + 1} changed nothing")
    times.append(1000 * (last - begun))
os.write(screen, b"q")
times.sort()
print(f"{count} keys: p50 {times[count // 2]:.1f} ms, p99 {times[count * 99 // 100]:.1f} ms, max {times[-1]:.1f} ms")

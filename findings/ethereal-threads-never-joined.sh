#!/usr/bin/env bash
# Ethereal 12 (Debian 12, package ethereal-chess 12.00+ds1-1, amd64) starts a thread for each `go` and never joins it, so each search
# leaves the stack of a thread reserved: 8 MiB of address space at the usual `ulimit -s`, though hardly any memory is used.
# Its resident memory stays the same. Whoever limits address space (RLIMIT_DATA, RLIMIT_AS) ends it after some hundred moves: no
# thread can be made then, and nothing more is written.
#
# Seen: VmData grew by 8,192 kB a search, VmRSS by 26 kB. Run it by hand; it fails if that changes.
set -euo pipefail
version=12.00+ds1-1
searches=100

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "ethereal-chess=$version"
dpkg -x ethereal-chess_*.deb .
engine=$(find . -type f -path '*/games/*' -perm -u+x | head -n 1)

ulimit -s 8192
coproc ENGINE { exec "$engine"; }
say() { printf '%s\n' "$@" >&"${ENGINE[1]}"; }
# Reads until a line begins with this word.
await() {
    while IFS= read -r -t 60 -u "${ENGINE[0]}" line; do
        [[ $line == "$1"* ]] && return
    done
    echo "no $1 came" >&2
    return 1
}
kb() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$ENGINE_PID/status"; }

say uci
await uciok
say isready
await readyok
reserved=$(kb VmData)
resident=$(kb VmRSS)
for ((n = 0; n < searches; n++)); do
    say 'position startpos' 'go depth 4'
    await bestmove
done
reserved=$((($(kb VmData) - reserved) / searches))
resident=$((($(kb VmRSS) - resident) / searches))
say quit
echo "a search leaves $reserved kB reserved and $resident kB resident"
((reserved >= 8000 && reserved <= 8400 && resident < 200))

#!/usr/bin/env bash
# The UCI protocol says that names of options are not case sensitive. Ethereal 12 (Debian 12, package ethereal-chess 12.00+ds1-1,
# amd64) compares every letter: `setoption name hash value 64` does nothing and is not answered, while `Hash` is. Whoever takes
# options in any case has to send them as the engine spelled them.
#
# Seen: one line "info string set Hash to 64MB" for `Hash`, none for `hash` and `HASH`. Run it by hand; it fails if that changes.
set -euo pipefail
version=12.00+ds1-1

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "ethereal-chess=$version"
dpkg -x ethereal-chess_*.deb .
engine=$(find . -type f -path '*/games/*' -perm -u+x | head -n 1)

set_to_64() {
    printf '%s\n' uci "setoption name $1 value 64" isready quit | timeout 60 "$engine" | grep -c 'set Hash to 64MB' || true
}
exact=$(set_to_64 Hash)
lower=$(set_to_64 hash)
upper=$(set_to_64 HASH)
echo "lines for Hash: $exact, for hash: $lower, for HASH: $upper"
((exact == 1 && lower == 0 && upper == 0))

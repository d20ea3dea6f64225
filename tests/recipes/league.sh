#!/bin/sh
# A night of a league, in the folder that has arena.toml. `league.sh --for 8h` plays for eight hours.
PATH="$PATH:$HOME/.cargo/bin"
arena night "$@" -q >> night.log 2>&1

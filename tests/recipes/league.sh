#!/bin/sh
# A night of a league, in the folder that has bots/. `league.sh --for 8h` plays for eight hours.
PATH="$PATH:$HOME/.cargo/bin"
arena check --all --build --game connect4 --out texts > check.txt 2> check.log
arena tournament --format ladder "$@" --keep-last-good --anchor greedy --name league -q > table.txt 2> run.log
arena similar league > similar.txt
arena publish public

#!/bin/sh
# The gate of a commit, in its checkout; the commit before it is checked out in ../base. `gate.sh --for 10m` has ten minutes.
arena match head base --bot head=. --bot base=../base --results ../results --name gate \
    --not-weaker-than 50 "$@" --markdown "${GITHUB_STEP_SUMMARY:-../summary.md}" --junit ../gate.xml || exit
arena history head gate --results ../results

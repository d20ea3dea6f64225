#!/usr/bin/env bash
# What it costs to build and test the arena, in two checkouts in turn: benches/builds.sh OLD NEW [RUNS]
#
# Prints the table of docs/benchmarks.md: seconds of processor time and of wall time for each, and the ratios NEW / OLD. With several
# runs each figure is the smallest. Sources of dependencies are fetched before; everything else begins cold. Each checkout gets a
# `target` folder, which is removed. Needs an idle machine, GNU time, and about 35 minutes a run.
set -euo pipefail
[[ $# -ge 2 ]] || { sed -n 2,6p "$0"; exit 1; }
old=$(realpath "$1") new=$(realpath "$2") runs=${3:-1}
figures=$(mktemp -d)
trap 'rm -rf "$figures"' EXIT
export CARGO_TERM_PROGRESS_WHEN=never
# Does nothing, and is compiled.
line='std::hint::black_box(());'

# Which checkout this is.
side() {
    if [[ $1 == "$old" ]]; then echo old; else echo new; fi
}

# Runs a command in a checkout and notes its processor and wall time: timed CHECKOUT WHAT COMMAND...
timed() {
    local checkout=$1 what=$2 log=$figures/log
    shift 2
    echo "$checkout: $what" >&2
    if ! (cd "$checkout" && command time --quiet -o "$figures/time" -f '%U %S %e' "$@") > "$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "failed in $checkout: $*" >&2
        exit 1
    fi
    awk '{ printf "%.1f %.1f\n", $1 + $2, $3 }' "$figures/time" | tee -a "$figures/$(side "$checkout").$what" >&2
}

# Builds after the first function of the first of these files that is there got a line: changed CHECKOUT WHAT FILE...
changed() {
    local checkout=$1 what=$2 file at
    shift 2
    for file in "$@"; do
        [[ -f $checkout/$file ]] && break
    done
    at=$(grep -nEm 1 '^ *(pub(\([a-z]+\))? )?fn .*\{$' "$checkout/$file" | cut -d: -f1)
    sed -i "${at}a $line" "$checkout/$file"
    timed "$checkout" "$what" cargo build --locked
    files+=("$checkout/$file")
}

measure() {
    local checkout=$1
    rm -rf "$checkout/target"
    (cd "$checkout" && cargo fetch --locked --quiet)
    timed "$checkout" 'release' cargo build --locked --release
    timed "$checkout" 'tournament' cargo run --locked --release -- tournament --seed 1 --results "$figures/results"
    rm -rf "$figures/results"
    strip -o "$figures/arena" "$checkout/target/release/arena"
    stat -c '%s 0' "$figures/arena" > "$figures/$(side "$checkout").size"
    timed "$checkout" 'test-build' cargo test --locked --no-run
    timed "$checkout" 'test' cargo test --locked
    timed "$checkout" 'build-after-test' cargo build --locked
    # Each file is built as changed from here on, and all of them are as they were in the end.
    files=()
    changed "$checkout" 'cli' src/cli/mod.rs
    changed "$checkout" 'report' crates/arena-store/src/report/mod.rs src/report/mod.rs
    changed "$checkout" 'core' crates/arena-rules/src/rules/mod.rs crates/arena-core/src/rules/mod.rs
    sed -i "/^$line\$/d" "${files[@]}"
    rm -rf "$checkout/target"
}

for ((run = 0; run < runs; run++)); do
    measure "$old"
    measure "$new"
done

# The smallest figures of a checkout, added up over some of what was timed: smallest CHECKOUT WHAT...
smallest() {
    local checkout=$1 what
    shift
    for what in "$@"; do
        local file=$figures/$(side "$checkout").$what
        echo "$(cut -d' ' -f1 "$file" | sort -n | head -n 1) $(cut -d' ' -f2 "$file" | sort -n | head -n 1)"
    done | awk '{ processor += $1; wall += $2 } END { print processor, wall }'
}
row() {
    local words=$1
    shift
    echo "$(smallest "$old" "$@") $(smallest "$new" "$@")" | awk -v words="$words" '
        { printf "| %s | %.0f / %.0f s | %.0f / %.0f s | %.2f / %.2f |\n", words, $1, $2, $3, $4, $3 / ($1 ? $1 : 1), $4 / ($2 ? $2 : 1) }'
}
echo "| processor / wall time | $(git -C "$old" rev-parse --short HEAD) | $(git -C "$new" rev-parse --short HEAD) | ratio |"
echo '|---|---|---|---|'
row 'cold `cargo build --release`' release
row 'clone to standings: that, and `cargo run --release -- tournament`' release tournament
row 'cold `cargo test --no-run` after it' test-build
row '`cargo test` after that' test
row 'both README commands' release tournament test-build test
row '`cargo build` after it, nothing changed' build-after-test
row '`cargo build`, one line of cli changed' cli
row '`cargo build`, one line of report changed' report
row '`cargo build`, one line of the rules changed' core
echo "$(smallest "$old" size) $(smallest "$new" size)" | awk '{ printf "| program, stripped | %.1f MB | %.1f MB | %.2f |\n", $1 / 1e6, $3 / 1e6, $3 / $1 }'

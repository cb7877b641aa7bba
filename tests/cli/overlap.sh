#!/bin/sh
# `wavepgo overlap` and `llvm-profdata overlap` give one score, to 0.01 %: for equal profiles, for profiles with nothing in
# common, for a part in common, and for counts that a generator scattered.
#
#     sh tests/cli/overlap.sh WAVEPGO-BINARY
set -u
wavepgo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
data=$(cd "$(dirname "$0")" && pwd)/data
profdata=
for name in "${LLVM_PROFDATA_22:-}" llvm-profdata-22; do
    [ -z "$name" ] || ! command -v "$name" >/dev/null || profdata=$name
done
[ -n "$profdata" ] || { echo "skip: llvm-profdata-22 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# scattered SEED: a profile of 40 functions with counts up to a million, some of them missing.
scattered() {
    echo ":ir"
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        for (f = 0; f < 40; f++) {
            if (rand() < 0.1) continue
            n = 1 + f % 7
            printf "%032x.frag.main#lanes\n%d\n%d\n", f + 1, 1000 + f, n
            for (c = 0; c < n; c++) printf "%d\n", 1 + int(rand() * rand() * 1000000)
            print ""
        }
    }'
}
scattered 1 >a.proftext
scattered 2 >b.proftext
cp "$data/two.proftext" two.proftext
cp "$data/march.wavepgo/counts.proftext" march.proftext
cp "$data/edited.wavepgo/counts.proftext" edited.proftext
failed=0 compared=0
for pair in a:a a:b b:a march:edited edited:march march:two two:two; do
    first=${pair%:*} second=${pair#*:}
    for name in $first $second; do
        "$wavepgo" merge --quiet -o $name.profdata $name.proftext || exit 1
    done
    theirs=$("$profdata" overlap $first.profdata $second.profdata | sed -n 's/.*Edge profile overlap: \([0-9.]*\)%.*/\1/p')
    ours=$("$wavepgo" overlap $first.profdata $second.profdata | sed -n '1s/.*: \([0-9.]*\)%$/\1/p')
    [ -n "$ours" ] || { echo "FAIL: $pair: no score"; failed=1; }
    echo "$pair: ${ours:-none}, ${theirs:-none}"
    awk -v a="${ours:--1}" -v b="${theirs:-0}" 'BEGIN { exit !(a - b <= 0.01 && b - a <= 0.01) }' || failed=1
    compared=$((compared + 1))
done
[ "$compared" = 7 ] && [ "$failed" = 0 ]

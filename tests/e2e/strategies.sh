#!/bin/sh
# Ways of counting: every strategy gives the numbers that the naive one gives, for every block of every pipeline, on the
# benchmarks and on what Debian's programs hand to the driver (WPG_CASE = bench, vkcube, vkd3d-gears); outputs stay equal.
# `lane` has lanes only: they are compared.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so"
case $WPG_CASE in
bench)
    need_built "$bench"
    program="$bench --size small --checksum $steady"
    ;;
vkcube)
    program="timeout 300 vkcube --c 20 --suppress_popups"
    ;;
*)
    program="timeout 300 $WPG_CASE"
    export SHIM_EXIT=1 SHIM_SHOT="1:$work/shot.ppm"
    ;;
esac
if [ "$WPG_CASE" != bench ]; then
    need_program "$WPG_CASE"
    start_x
    make_shim
    export VK_ADD_LAYER_PATH="$shim_folder" VK_INSTANCE_LAYERS=VK_LAYER_WAVEPGO_TEST_shim
fi
# One line a record, name and counters, in order of name; `#waves` and `#uniform` left out for lanes only.
counters() { # NAME PATTERN
    "$wavepgo" merge --format=text -o "$work/$1.proftext" "$work/$1" >"$work/$1.merge" 2>&1 ||
        fail "$1: merge: $(tail -n 2 "$work/$1.merge")"
    awk '/^[^ #:].*#/ { if (line != "") print line; line = $0; next } /^[0-9]/ { line = line " " $0 } END { print line }' \
        "$work/$1.proftext" | LC_ALL=C sort | grep -E "$2"
}

plain absent $program
exited absent 0
strategies=$("$wavepgo" run --help=markdown | sed -n 's/^| `STRATEGY` | \([^|]*\) |.*/\1/p' | tr -d ,)
case $strategies in
*naive*) ;;
*) die "the setting STRATEGY lists no strategies: '$strategies'" ;;
esac
# By day of the benchmarks what is used: the oracle counts by every strategy.
[ "$WPG_CASE" != bench ] || [ -n "${WPG_NIGHTLY:-}" ] || strategies="auto lane"
for strategy in naive $(echo "$strategies" | sed 's/\bnaive\b//'); do
    export WAVEPGO_STRATEGY=$strategy WAVEPGO_BUDGET=0
    generate "$strategy" $program
    same absent "$strategy"
    kinds='#(lanes|waves|uniform|selects) '
    [ "$strategy" != lane ] || kinds='#lanes '
    counters naive "$kinds" >"$work/expected"
    counters "$strategy" "$kinds" >"$work/counted"
    [ -s "$work/expected" ] || fail "nothing was counted"
    diff "$work/expected" "$work/counted" >"$work/diff" || {
        fail "$strategy does not count what naive counts ($(grep -c '^<' "$work/diff") records of $(grep -c . "$work/expected")):"
        cut -c 1-240 "$work/diff" | head -n 8
    }
    echo "$strategy: $(grep -c . "$work/counted") records equal"
done
finish

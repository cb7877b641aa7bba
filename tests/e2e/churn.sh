#!/bin/sh
# Pipelines made, run and destroyed one after the other, as test suites do: what is kept of each is little, files stay few,
# and every count is kept. shaders/measured has the figures of 100,000:
#
#     WPG_CHURN=100000,100 WPG_BUILD=$PWD/build sh tests/e2e/churn.sh
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
export WAVEPGO_CACHE=none WAVEPGO_COMPILE=background
many=${WPG_CHURN:-3000,30}
count=${many%,*}

# Bytes of the heap for each pipeline of the last nine tenths.
heap() { # NAME
    awk '/^churn/ { sub(":", "", $2); n[++last] = $2; heap[last] = $6 }
        END { printf "%d\n", (heap[last] - heap[2]) * 1024 / (n[last] - n[2]) }' "$work/$1.err"
}
least=
little() { # NAME BYTES: no more of the heap a pipeline than without the layer
    more=$(($(heap "$1") - least))
    echo "$1: $more bytes of heap a pipeline"
    [ "$more" -le "$2" ] || fail "$1: $more bytes of heap a pipeline, $2 at most: $(cat "$work/$1.err")"
}
churn() { # NAME OPTIONS...
    name=$1
    shift
    plain "$name" "$wavepgo" run "$@" -- "$app" churn "$WPG_SPIRV" "$many"
    same absent "$name"
}

plain absent "$app" churn "$WPG_SPIRV" "$many"
exited absent 0
least=$(heap absent)
# One file for all.
churn one --generate --profile-file "$work/one.profraw"
little one 1536
grep " $count instrumented, 0 passed through; 1 file in" "$work/one.err" >/dev/null || fail "one: $(tail -n 1 "$work/one.err")"
# A bundle of few; the others' counts are in one file.
churn few --generate --bundle "$work/few" --bundle-pipelines 100
little few 2560
files=$(find "$work/few" -type f | wc -l)
[ "$files" -le 402 ] || fail "few: $files files"
[ "$(grep -c 'the bundle is full' "$work/few.err")" = 1 ] || fail "few: the limit is not said once: $(cat "$work/few.err")"
"$wavepgo" overlap "$work/few" "$work/one.profraw" >"$work/overlap" || fail "overlap"
grep '^overlap.*100.000%' "$work/overlap" >/dev/null && grep ', 0 of other sizes, 0 only in the first, 0 only in the second' "$work/overlap" >/dev/null ||
    fail "few: not the counts of one file: $(head -n 3 "$work/overlap")"
[ "$(sed -n 's/.* \([0-9]*\) in both.*/\1/p' "$work/overlap")" -ge "$count" ] || fail "counts are lost: $(head -n 3 "$work/overlap")"
"$wavepgo" merge --quiet -o "$work/all.profdata" "$work/few" || fail "merge"
# With the profile.
churn use --use "$work/all.profdata"
little use 1024
finish

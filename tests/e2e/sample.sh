#!/bin/sh
# Sampling inside shaders (SAMPLE=1/N): pictures stay as they are, bit for bit; what a sample stands for is all workgroups,
# exactly; the same groups in every run; sampled and exact profiles add up; block shares stay near the exact ones.
. "$(dirname "$0")/lib.sh"
export WAVEPGO_PROBES=none # records of probes take several lines of JSON
need_built "$wavepgo" "$layer" "$bench"

# entries FILE: one line a shader stage: hash, stage, lanes of the entry block, and the #samples record.
entries() {
    "$wavepgo" show --json "$1" |
        sed -n 's/.*"shader": "\([0-9a-f]*\)", "stage": "\([a-z]*\)",.*"function": 0,.*"lanes": \[\([0-9]*\).*"samples": \(.*\)}.*/\1 \2 \3 \4/p' | LC_ALL=C sort
}
# Compute, fragment, vertex, tessellation and geometry.
cases="--case mandelbrot --case raymarch --case lights --case post --case mesh --case patch"
plain exact-image $bench --size small --checksum $cases
for rate in 1 4 16; do
    WAVEPGO_SAMPLE=1/$rate WAVEPGO_VALIDATE=1 generate rate-$rate $bench --size small --checksum $cases
    same exact-image rate-$rate
    # shellcheck disable=SC2046
    accepted $(profiles rate-$rate)
    "$wavepgo" merge --quiet -o "$work/rate-$rate.profdata" "$work/rate-$rate" || fail "merge of rate $rate"
    entries "$work/rate-$rate.profdata" >"$work/entries-$rate"
done
WAVEPGO_SAMPLE=1/4 generate again $bench --size small --checksum $cases
for file in $(profiles rate-4); do
    cmp -s "$file" "$work/again/$(basename "$file")" || fail "two runs differ: $(basename "$file")"
done

# Compute stages: the weights add up to the exact number of invocations (the benchmarks' workgroups are full ones).
grep -c ' null$' "$work/entries-1" >/dev/null || fail "an exact profile has #samples records"
for rate in 4 16; do
    sed -n 's/ comp \([0-9]*\) .*/ \1/p' "$work/entries-$rate" >"$work/represented"
    sed -n 's/ comp \([0-9]*\) .*/ \1/p' "$work/entries-1" >"$work/exact"
    [ "$(grep -c . "$work/exact")" -ge 3 ] || fail "too few compute stages"
    diff "$work/represented" "$work/exact" >"$work/diff" || { fail "1/$rate stands for other invocations:"; cat "$work/diff"; }
    # seen, of a large dispatch: 1 of N, and less for no dispatch
    awk -v rate=$rate '$2 == "comp" { split($4, s, /[\[,]/); total = $3; seen = s[2]
        if (seen * rate < total || (total >= 4096 && seen * rate > 1.3 * total)) print $1, seen, "of", total }' "$work/entries-$rate" >"$work/off"
    [ ! -s "$work/off" ] || { fail "1/$rate was not kept:"; cat "$work/off"; }
done

# Dispatches of fewer than N workgroups are laid end to end: 16 of 4 hold 4 whole strata of 16, so that a sixteenth is seen and
# stands for all; counters that start elsewhere change nothing of that.
small="--case rfc_uniform --case select_rare --size small --checksum --binds 16"
plain small-plain $bench $small
for start in 0 4294967290; do
    WAVEPGO_COUNTER_START=$start WAVEPGO_SAMPLE=1/16 WAVEPGO_VALIDATE=1 generate small-$start $bench $small
    same small-plain small-$start
    entries "$work/small-$start" >"$work/entries-small-$start"
done
generate small-exact $bench $small
entries "$work/small-exact" | sed "s/ null$//" >"$work/small.exact"
sed "s/ \[.*//" "$work/entries-small-0" >"$work/small.0"
[ "$(grep -c . "$work/small.exact")" = 2 ] || fail "small dispatches: not two shaders"
diff "$work/small.exact" "$work/small.0" >"$work/diff" || { fail "small dispatches stand for other invocations:"; cat "$work/diff"; }
sed -n "s/.* \([0-9]*\) \[\([0-9]*\),.*/\1 \2/p" "$work/entries-small-0" "$work/entries-small-4294967290" |
    awk '$2 * 16 != $1 { print }' >"$work/off"
[ ! -s "$work/off" ] || { fail "small dispatches: not 1 of 16:"; cat "$work/off"; }

# Merging sampled and exact counts is addition, and `show` tells the rate of the sum.
"$wavepgo" merge --quiet -o "$work/both.profdata" "$work/rate-1.profdata" "$work/rate-4.profdata" || fail "merge of both"
entries "$work/both.profdata" >"$work/entries-both"
awk 'FNR == NR { exact[$1 $2] = $3; next } $2 == "comp" && $3 != 2 * exact[$1 $2] { print }' "$work/entries-1" "$work/entries-both" >"$work/off"
[ ! -s "$work/off" ] || { fail "sampled and exact counts do not add up:"; cat "$work/off"; }
"$wavepgo" show "$work/rate-4.profdata" --top 0 >"$work/show"
grep 'sampled 1/4\.00: an estimate of' "$work/show" >/dev/null || fail "show does not tell the rate"
"$wavepgo" show "$work/both.profdata" --top 0 | grep 'sampled 1/1\.60: an estimate of' >/dev/null || fail "show does not tell the rate of the sum"
"$wavepgo" show "$work/rate-1.profdata" --top 0 | grep 'sampled' && fail "show calls an exact profile sampled"

# A sampled profile is one to use.
use used "$work/rate-16.profdata" $bench --size small --checksum $cases
same exact-image used
finish

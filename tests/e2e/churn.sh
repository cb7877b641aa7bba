#!/bin/sh
# Pipelines made, run and destroyed one after the other, as test suites do: memory stays flat, files stay few, and every count is kept,
# also of a pipeline that is made again, and of a program that is killed. shaders/measured has the figures of 100,000:
#
#     WPG_CHURN=100000,100 WPG_BUILD=$PWD/build sh tests/e2e/churn.sh
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
export WAVEPGO_CACHE=none WAVEPGO_COMPILE=background
many=3000,100
[ -z "${WPG_NIGHTLY:-}" ] || many=100000,100
many=${WPG_CHURN:-$many}
count=${many%,*}

churn() { # NAME OPTIONS...
    name=$1
    shift
    plain "$name" "$wavepgo" run "$@" -- "$app" churn "$WPG_SPIRV" "$many"
    same absent "$name"
}

plain absent "$app" churn "$WPG_SPIRV" "$many"
exited absent 0
flat absent $count
# One file for all.
churn one --generate --profile-file "$work/one.profraw"
flat one $count
grep " $count instrumented, 0 passed through; 1 file in" "$work/one.err" >/dev/null || fail "one: $(tail -n 1 "$work/one.err")"
# A bundle of few; the others' counts are in one file.
churn few --generate --bundle "$work/few" --bundle-pipelines 100
flat few $count
files=$(find "$work/few" -type f | wc -l)
[ "$files" -le 402 ] || fail "few: $files files"
[ "$(grep -c 'the bundle is full' "$work/few.err")" = 1 ] || fail "few: the limit is not said once: $(cat "$work/few.err")"
"$wavepgo" overlap "$work/few" "$work/one.profraw" >"$work/overlap" || fail "overlap"
grep '^overlap.*100.000%' "$work/overlap" >/dev/null && grep ', 0 of other sizes, 0 only in the first, 0 only in the second' "$work/overlap" >/dev/null ||
    fail "few: not the counts of one file: $(head -n 3 "$work/overlap")"
[ "$(sed -n 's/.* \([0-9]*\) in both.*/\1/p' "$work/overlap")" -ge "$count" ] || fail "counts are lost: $(head -n 3 "$work/overlap")"
"$wavepgo" verify "$work/few" >"$work/few.verify" || fail "verify: $(head -n 3 "$work/few.verify")"
grep 'without their module: control flow not checked' "$work/few.verify" >/dev/null || fail "verify: $(cat "$work/few.verify")"
rm "$(find "$work/few/shaders" -name '*.spv' | head -n 1)"
"$wavepgo" verify "$work/few" >"$work/lost.verify" && fail "a shader of a bundle's own pipeline is missed by nobody"
grep -c ': module: its SPIR-V is in none' "$work/lost.verify" | grep -x 1 >/dev/null || fail "one module is lost: $(head -n 3 "$work/lost.verify")"
"$wavepgo" merge --quiet -o "$work/all.profdata" "$work/few" || fail "merge"
# Stock tools read the file, too.
if [ -n "$LLVM_PROFDATA_19" ]; then
    "$LLVM_PROFDATA_19" merge -o "$work/stock.profdata" "$work/one.profraw" 2>"$work/stock.err" || fail "llvm-profdata: $(head -n 2 "$work/stock.err")"
    "$wavepgo" overlap "$work/stock.profdata" "$work/all.profdata" | grep '^overlap.*100.000%' >/dev/null || fail "llvm-profdata reads other counts"
fi
# With the profile.
churn use --use "$work/all.profdata"
flat use $count

# Pipelines of ten hashes, made again and again; half of them run. Their counts are those of files that nothing leaves before the end.
export WAVEPGO_FLUSH_INTERVAL=0.2
text() { # NAME PROFILE
    "$wavepgo" merge --quiet --format text -o "$work/$1.proftext" "$2" || fail "merge $1"
}
again() { # NAME OPTIONS...
    name=$1
    shift
    plain "$name" "$wavepgo" run --generate "$@" -- "$app" churn "$WPG_SPIRV" 120,4,10
    exited "$name" 0
}
WAVEPGO_FLUSH_INTERVAL=0 again own --profile-file "$work/own/%b.profraw"
text own "$work/own"
grep '^pipeline' "$work/own.proftext" | wc -l | grep -x " *10" >/dev/null || fail "own: $(grep -c '^pipeline' "$work/own.proftext") pipelines"
again shared --profile-file "$work/shared.profraw"
text shared "$work/shared.profraw"
cmp -s "$work/own.proftext" "$work/shared.proftext" || fail "made again: other counts: $(diff "$work/own.proftext" "$work/shared.proftext" | head -n 5)"
WAVEPGO_COUNTER_PLACEMENT=device again device --profile-file "$work/device.profraw"
text device "$work/device.profraw"
cmp -s "$work/own.proftext" "$work/device.proftext" || fail "counters in device memory: other counts: $(diff "$work/own.proftext" "$work/device.proftext" | head -n 5)"
# Runs of a pool add up.
for run in 1 2; do
    again "pool$run" --profile-file "$work/pool/%m.profraw"
done
find "$work/pool" -type f | wc -l | grep -x ' *1' >/dev/null || fail "a pool of several files: $(ls "$work/pool")"
"$wavepgo" merge --quiet --format text -o "$work/twice.proftext" "$work/own" "$work/own" || fail "merge twice"
text pool "$work/pool"
cmp -s "$work/twice.proftext" "$work/pool.proftext" || fail "pool: not twice the counts: $(diff "$work/twice.proftext" "$work/pool.proftext" | head -n 5)"

# Killed: what had run is there, once.
mkdir -p "$work/killed"
"$wavepgo" run --generate --profile-file "$work/killed/all.profraw" -- "$app" churn "$WPG_SPIRV" 100,2 >"$work/killed.out" 2>"$work/killed.err" &
victim=$!
tries=0
while ! grep '^churn 70' "$work/killed.err" >/dev/null && [ $tries -lt 1200 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
kill -9 $victim
wait $victim 2>/dev/null
text killed "$work/killed"
plain whole "$wavepgo" run --generate --profile-file "$work/whole.profraw" -- "$app" churn "$WPG_SPIRV" 100,2
text whole "$work/whole.profraw"
# A record a line, but for the last two pipelines', which were at work, and who made the profile.
lines() { awk -v RS= '/^:ir/ || /#pipelines/ { next } { gsub("\n", " "); print }' "$work/$1.proftext" | grep '#lanes' | sort; }
lines killed >"$work/killed.lines"
lines whole >"$work/whole.lines"
told=$(grep -c . "$work/killed.lines")
[ "$told" -ge 70 ] || fail "killed: counts of $told of 70 pipelines: $(tail -n 2 "$work/killed.err")"
other=$(comm -23 "$work/killed.lines" "$work/whole.lines" | wc -l)
[ "$other" -le 2 ] || fail "killed: $other of $told pipelines have other counts: $(comm -23 "$work/killed.lines" "$work/whole.lines" | head -n 2)"
finish

#!/bin/sh
# Profiles on top of profiles: `run --generate --use PROFILE` counts the program's own words and runs what a profile makes of
# them where it does not count. Three rounds give the same profile and the same words: nothing swings.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"

cases="--case select_rare --case trip_uniform --case bvh ${steady:---case mesh}"
rates="--sample 1/4 --sample-by bind"

# round N [PROFILE]: generates, with the profile of the round before in use if there is one.
round() {
    run_name=round$1
    mkdir -p "$work/$run_name" "$work/$run_name.dump"
    # shellcheck disable=SC2086
    "$wavepgo" run --generate ${2:+--use "$2"} $rates --log info --log-file "$work/$run_name.log" --use-log "$work/$run_name.uselog" \
        --dump "$work/$run_name.dump" --profile-file "$work/$run_name/%b.profraw" -- \
        $bench --size small --checksum --binds 8 $cases >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
    exited $run_name 0
}
# What is counted, without what differs from run to run: pixels go to other waves.
counted() { # NAME
    "$wavepgo" show --json "$work/$1" | sed -n '/"shaders"/,$p' |
        sed '/"stage": "\(frag\|vert\)"/{s/"waves": [^]]*\], //; s/, "uniform": [^]]*\]//; s/, "selects": [^]]*\]//;}' >"$work/$1.counts"
}
used() { (cd "$work/$1.dump" && find . -name '*.use.spv' -exec sha256sum {} + | LC_ALL=C sort); }

plain image $bench --size small --checksum --binds 8 $cases
round 1
round 2 "$work/round1"
round 3 "$work/round2"
for n in 1 2 3; do
    same image round$n
    counted round$n
    [ "$(grep -c '"stage"' "$work/round$n.counts")" -ge 5 ] || fail "round $n: too few shaders"
done
for n in 2 3; do
    diff "$work/round1.counts" "$work/round$n.counts" >"$work/diff" || { fail "round $n counts otherwise than round 1"; cut -c1-300 "$work/diff"; }
    used round$n >"$work/round$n.words"
done
[ "$(grep -c . "$work/round2.words")" -ge 2 ] || fail "round 2 uses no rewritten words"
diff "$work/round2.words" "$work/round3.words" >/dev/null || fail "rounds 2 and 3 use other words"
[ -z "$(used round1)" ] || fail "round 1 has no profile to use"
for lever in unflatten versions; do
    [ "$WPG_DRIVER-$lever" != old-versions ] || continue # left out on that driver
    grep "\"$lever\", \"done\": true" "$work/round3.uselog" >/dev/null || fail "round 3 does not $lever"
done

# Where every bind counts, a profile has no part in what runs, and that is said.
rates=
round 4 "$work/round1"
[ -z "$(used round4)" ] || fail "round 4 uses a profile where every bind counts"
grep 'the profile is not applied' "$work/round4.log" >/dev/null || fail "round 4 does not say that its profile is not applied"
finish

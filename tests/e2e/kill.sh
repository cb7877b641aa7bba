#!/bin/sh
# What a killed program loses of its counts: nothing where they lie in a mapped file (lavapipe), which `show` reads; elsewhere what
# had run since the last flush. Never is there more than had run. A bundle lacks no pipeline, also of those made after the first flush. How long is lost is printed, not judged (a busy machine is late):
#
#     WPG_KILLS=40 WPG_FLUSH=1 WPG_BUILD=$PWD/build sh tests/e2e/kill.sh
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
export WAVEPGO_SUMMARY=0 WAVEPGO_FLUSH_INTERVAL=${WPG_FLUSH:-0.2} WAVEPGO_CRASH_GUARD=0
kills=${WPG_KILLS:-3}

lanes() { "$wavepgo" show --json "$1" | sed -n 's/.*"stage": "comp",.*"function".*"lanes": \[\([0-9]*\).*/\1/p' | head -n 1; }
generate once "$app" compute "$WPG_SPIRV"
one=$(lanes "$work/once")
[ "${one:-0}" -gt 0 ] || die "nothing is counted: $(head -n 3 "$work/once.log")"

: >"$work/losses"
kill_number=0
while [ $kill_number -lt "$kills" ]; do
    kill_number=$((kill_number + 1))
    rm -rf "$work/killed"
    mkdir -p "$work/killed"
    "$wavepgo" run --generate --profile-file "$work/killed/%b.profraw" -- "$app" steady "$WPG_SPIRV" >"$work/killed.out" 2>"$work/killed.err" &
    victim=$!
    tries=0
    while [ "$(count_profiles killed)" = 0 ] && [ $tries -lt 600 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    # Any moment of two intervals, from the process's number: no two runs alike.
    sleep "$(awk -v seed=$victim -v n=$kill_number -v flush=$WAVEPGO_FLUSH_INTERVAL 'BEGIN { srand(seed * 1000 + n); print 2 * flush * rand() }')"
    kill -9 $victim
    wait $victim 2>/dev/null
    [ "$(count_profiles killed)" = 1 ] || die "no profile of a killed program: $(tail -n 3 "$work/killed.err")"
    got=$(lanes "$work/killed")
    # The last line may be cut by the kill, the last dispatch counted be one that was running. One dispatch more than was told may be in the file.
    awk -v dispatches=$((got / one)) 'NF == 2 { last = $1; at[$1] = $2 }
        END { if (dispatches > last + 1) exit 1
              print (dispatches >= last ? 0 : at[last] - (dispatches ? at[dispatches] : 0)) }' "$work/killed.out" >>"$work/losses" ||
        fail "$got lanes are more than $(tail -n 1 "$work/killed.out" | cut -d' ' -f1) dispatches of $one have"
done
[ "$(grep -c . "$work/losses")" = "$kills" ] || fail "$(grep -c . "$work/losses") of $kills kills were seen"
sort -n "$work/losses" | awk -v flush=$WAVEPGO_FLUSH_INTERVAL '{ a[NR] = $1 } END { printf "%d kills, FLUSH_INTERVAL %s s: the last %d ms of counts were lost, median; %d at most\n", NR, flush, a[int((NR + 1) / 2)], a[NR] }'

mkdir -p "$work/late"
"$wavepgo" run --generate --bundle "$work/late" --flush-interval 600 -- "$app" late "$WPG_SPIRV" 3 >"$work/late.out" 2>"$work/late.err" &
victim=$!
tries=0
until grep -q ready "$work/late.out"; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] && kill -0 $victim 2>/dev/null || die "the late pipeline is not there: $(tail -n 3 "$work/late.err")"
    sleep 0.1
done
sleep 3
kill -9 $victim
wait $victim 2>/dev/null
used=$("$wavepgo" show --json "$work/late" | sed -n 's/.*"kind": "pipeline".*"dispatches": \([0-9]*\).*/\1/p' | grep -c '[1-9]')
[ "$used" = 2 ] || fail "the bundle of a killed program tells of $used used pipelines, not 2"
finish

#!/bin/sh
# `wavepgo top` beside a program that runs: what it does now is shown, and the terminal is as before, by q and by Ctrl-C.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
need_program script
export WAVEPGO_SUMMARY=0

"$wavepgo" run --generate --flush-interval 0.8 --bundle "$work/app.wavepgo" -- "$app" forever "$WPG_SPIRV" 1 >"$work/app.out" 2>&1 &
victim=$!
trap 'kill -9 $victim 2>/dev/null' EXIT
draws() { awk 'NR == 2 { print $(NF - 2) }' "$1"; }
tries=0
# Counts may reach the disk before the facts that name draws: '-' until then.
until "$wavepgo" top --once app.wavepgo >once 2>once.err && [ "$(grep -c . once)" = 2 ] && [ "$(draws once)" != - ]; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] && kill -0 $victim 2>/dev/null || die "nothing is counted: $(cat once once.err app.out)"
    sleep 0.1
done
hash=$(basename app.wavepgo/pipelines/*.facts .facts | cut -c 1-8)
grep -E "$hash +100\.0% +[0-9]+ +[0-9.]+ +[0-9.]+%\$" once >/dev/null || fail "one table: $(cat once)"
grep '^PIPELINE .* DRAWS ' once >/dev/null || fail "one table is not of all since the run began"
# A later table has more draws.
sleep 2
"$wavepgo" top --once app.wavepgo >later
[ "$(draws later)" -gt "$(draws once)" ] || fail "draws: $(draws once), later $(draws later)"

cat >inside <<SH
trap : INT
stty -a >before
"$wavepgo" top --interval 0.2 app.wavepgo
echo \$? >code
stty -a >after
SH
shown() { # NAME KEYS
    (
        sleep 4
        printf "$2"
        sleep 1
    ) | script -qec 'sh inside' "$work/$1" >/dev/null 2>&1
    [ "$(cat code)" = 0 ] || fail "$1: exit code $(cat code)"
    cmp before after || fail "$1: the terminal is not as it was"
    grep -a "$(printf '\033\\[?1049h')" "$work/$1" >/dev/null || fail "$1: no screen of its own"
    tail -n 4 "$work/$1" | grep -a "$(printf '\033\\[?25h\033\\[?1049l')" >/dev/null || fail "$1: the screen stays: $(tail -n 3 "$work/$1")"
    # Rates of the time between two writes, of the pipeline that runs.
    grep -a 'DRAWS/S' "$work/$1" >/dev/null || fail "$1: no rates"
    grep -a -E "$hash +100\.0% +[1-9][0-9]* " "$work/$1" >/dev/null || fail "$1: the pipeline is missing: $(tail -n 6 "$work/$1")"
    rm -f before after code
}
shown by-q q
shown by-interrupt '\003'
kill $victim
wait $victim 2>/dev/null
finish

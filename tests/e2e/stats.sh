#!/bin/sh
# STATS: a line of JSON a second, and nothing that becomes of its reader or its disk touches the program. WPG_CASE: file,
# fifo, processes (threads that record and submit, a child that is forked, a program that just ends).
. "$(dirname "$0")/lib.sh"
json=$WPG_PROGRAMS/e2e_json
need_built "$wavepgo" "$layer" "$app" "$json"
export WAVEPGO_SUMMARY=0

field() { sed -n "\$s/.*\"$2\": \"\{0,1\}\([^,\"}]*\).*/\1/p" "$1"; } # FILE KEY: of the last line
ended() { # NAME COMMAND...: as `plain absent` did
    ended_name=$1
    shift
    timeout 120 "$@" >"$work/$ended_name.out" 2>"$work/$ended_name.err"
    echo $? >"$work/$ended_name.code"
    same absent "$ended_name"
}

plain absent "$app" record "$WPG_SPIRV"
case $WPG_CASE in
file)
    for mode in generate use; do
        ended $mode "$wavepgo" run --mode $mode --profile-file "$work/$mode/%b.profraw" --profile-use "$work/generate" \
            --stats "$work/$mode-%e.json" -- "$app" record "$WPG_SPIRV"
        lines=$work/$mode-e2e_app.json
        [ -s "$lines" ] || die "no line: $(cat "$work/$mode.err")"
        "$json" "$lines" >/dev/null || tail -n 1 "$lines" | "$json" /dev/stdin >/dev/null || fail "$mode: no JSON: $(cat "$lines")"
        [ "$(field "$lines" mode)" = $mode ] && [ "$(field "$lines" program)" = e2e_app ] || fail "$mode: $(cat "$lines")"
        [ "$(field "$lines" pipelines)" = 3 ] || fail "$mode: pipelines: $(cat "$lines")"
        # What the bundle of the same program has: 20 + 6 dispatches, 3 draws (record.sh).
        sums=$(sed 's/.*"draws": \([0-9]*\), "dispatches": \([0-9]*\).*/\1 \2/' "$lines" | awk '{ a += $1; b += $2 } END { print a, b }')
        [ "$sums" = "3 26" ] || fail "$mode: draws and dispatches: $sums"
    done
    [ "$(field "$work/generate-e2e_app.json" changed)" = 3 ] || fail "generate: changed: $(cat "$work/generate-e2e_app.json")"
    # A second run appends.
    ended again "$wavepgo" run --generate --profile-file "$work/x/%b.profraw" --stats "$work/generate-%e.json" -- "$app" record "$WPG_SPIRV"
    [ "$(grep -c . "$work/generate-e2e_app.json")" -ge 2 ] || fail "the second run's line is missing"
    # A full disk, a missing folder, a folder, and the mode off: said once or not at all.
    ended full "$wavepgo" run --generate --profile-file "$work/x/%b.profraw" --stats /dev/full -- "$app" record "$WPG_SPIRV"
    [ "$(grep -c 'STATS: cannot write .*No space left' "$work/full.err")" = 1 ] || fail "full disk: $(cat "$work/full.err")"
    ended nowhere "$wavepgo" run --generate --profile-file "$work/x/%b.profraw" --stats "$work/no/where" -- "$app" record "$WPG_SPIRV"
    [ "$(grep -c 'STATS: cannot open .*No such file' "$work/nowhere.err")" = 1 ] || fail "missing folder: $(cat "$work/nowhere.err")"
    ended folder "$wavepgo" run --generate --profile-file "$work/x/%b.profraw" --stats "$work" -- "$app" record "$WPG_SPIRV"
    [ "$(grep -c 'STATS: cannot open' "$work/folder.err")" = 1 ] || fail "a folder: $(cat "$work/folder.err")"
    ended off "$wavepgo" run --mode off --stats "$work/off.json" -- "$app" record "$WPG_SPIRV"
    [ ! -e "$work/off.json" ] || fail "a line in mode off"
    ;;
fifo)
    mkfifo "$work/pipe" || skip "no FIFO here"
    # Nobody ever reads.
    ended unread "$wavepgo" run --generate --profile-file "$work/x/%b.profraw" --stats "$work/pipe" -- "$app" record "$WPG_SPIRV"
    [ ! -s "$work/unread.err" ] || fail "unread: $(cat "$work/unread.err")"
    # A reader comes, goes, and another one comes; then one that never takes anything out: the program lives on.
    WAVEPGO_LOG_FILE=$work/fifo.log "$wavepgo" run --generate --profile-file "$work/x/%b.profraw" --stats "$work/pipe" -- \
        "$app" forever "$WPG_SPIRV" 1 >"$work/fifo.out" 2>&1 &
    victim=$!
    trap 'kill -9 $victim 2>/dev/null' EXIT
    for reader in one two; do
        timeout 60 head -n 2 "$work/pipe" >"$work/$reader"
        [ "$(grep -c '^{"wavepgo-stats": 1, .*}$' "$work/$reader")" = 2 ] || fail "reader $reader: $(cat "$work/$reader")"
        sleep 2 # EPIPE meanwhile
        kill -0 $victim 2>/dev/null || die "the program ended with its reader $reader"
    done
    [ "$(field "$work/two" dispatches)" -gt 0 ] || fail "no dispatches: $(cat "$work/two")"
    timeout 3 sleep 3 <"$work/pipe"
    kill -0 $victim 2>/dev/null || fail "the program ended while nobody read"
    kill $victim
    wait $victim 2>/dev/null
    [ ! -s "$work/fifo.log" ] || fail "the log says: $(head -n 3 "$work/fifo.log")"
    ;;
processes)
    for scenario in record-threads fork leave; do
        plain $scenario-absent "$app" $scenario "$WPG_SPIRV"
        WAVEPGO_LOG_FILE=$work/$scenario.log plain $scenario "$wavepgo" run --mode use --timestamps 1 --times "$work/$scenario.%p.times" \
            --stats "$work/$scenario.%p.json" -- "$app" $scenario "$WPG_SPIRV"
        same $scenario-absent $scenario
        # One process writes: the program's own, once at least, each file whole.
        [ "$(find . -name "$scenario.*.times" | grep -c .)" = 1 ] && [ "$(find . -name "$scenario.*.json" | grep -c .)" = 1 ] ||
            fail "$scenario: files of other processes: $(ls)"
        [ "$(tail -n 1 "$scenario".*.times)" = end ] || fail "$scenario: its times are cut"
        [ "$(grep -c '^{.*}$' "$scenario".*.json)" = "$(grep -c . "$scenario".*.json)" ] || fail "$scenario: its lines are cut"
    done
    grep '^pipeline [0-9a-f]* 0 [1-9]' record-threads.*.times >/dev/null || fail "threads: nothing was timed: $(cat record-threads.*.times)"
    ;;
*) die "no such case: $WPG_CASE" ;;
esac
finish

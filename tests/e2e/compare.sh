#!/bin/sh
# `wavepgo compare`. WPG_CASE: rounds (what is said and kept), stop (interrupted, stopped, failing programs), frames (vkcube).
# No time is expected to be this or that.
. "$(dirname "$0")/lib.sh"
json=$WPG_PROGRAMS/e2e_json
need_built "$wavepgo" "$layer" "$app" "$json"
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"

bundle() { # NAME COMMAND...
    bundle_name=$1
    shift
    "$wavepgo" run --generate --bundle "$work/$bundle_name" -- "$@" >"$work/generate.out" 2>&1 || die "generate: $(tail -n 2 "$work/generate.out")"
}
compared() { # NAME CODE OPTIONS...
    compared_name=$1
    shift
    called compare "$compared_name" "$@"
    [ -z "$(ls "$TMPDIR")" ] || fail "$compared_name leaves files: $(ls "$TMPDIR")"
}
said() { grep -E -e "$2" "$work/$1" >/dev/null || fail "$1 does not say '$2': $(head -n 5 "$work/$1")"; }
# Every ratio has an interval that holds it, and both are finite numbers above zero.
intervals() { # CSV
    awk -F, 'NR > 1 { n++; if (!($7 > 0 && $8 > 0 && $8 <= $7 && $7 <= $9 && $9 < 1e9)) bad = bad " " $1 } END { print n + 0, bad }' "$1" >"$work/checked"
    read -r rows bad <"$work/checked"
    [ "$rows" -gt 0 ] && [ -z "$bad" ] || fail "$1: $rows rows, these are no ratios:$bad: $(cat "$1")"
}

case $WPG_CASE in
rounds)
    bundle app.wavepgo "$app" record "$WPG_SPIRV"
    compared table 0 --profile app.wavepgo --rounds 3 -o result.json -- "$app" record "$WPG_SPIRV"
    said table.out "^3 rounds of off and use, on $(device_called)"
    said table.out '^wall time .* -$'
    said table.out '^processor time '
    said table.out '^GPU time '
    said table.out '^Ratios are use over off, medians of 3 rounds: too few for an interval. 6 rounds give one of 95 %'
    said table.out ' - +- +unchanged$'
    said table.out '^2 of 3 pipelines changed$'
    said table.out '^Noise: unchanged pipelines measured [0-9.]+ to [0-9.]+\.$'
    said result.json '"verdict": "unchanged"'
    said result.json '"changed": 2,'
    grep 'of the same work' table.out >/dev/null && fail "unlike work: $(cat table.out)"
    # Three pipelines, each timed on both sides, each by its hash; the result, and what is kept with the profile, are the same.
    for file in app.wavepgo/pipelines/*.facts; do
        hash=$(basename "$file" .facts)
        said table.out "$(echo "$hash" | cut -c 1-8)"
        said result.json "\"hash\": \"$hash\""
    done
    cmp -s result.json app.wavepgo/compare.json || fail "what is kept is another result"
    "$json" result.json >/dev/null || fail "result.json is no JSON"
    said result.json '"wavepgo-compare": 1,'
    said result.json '"command": \['
    said result.json '"baseline": "timed"'
    said result.json '"work": 1.0,'
    [ "$(grep -c '"side": "off"' result.json)" = 3 ] && [ "$(grep -c '"side": "use"' result.json)" = 3 ] || fail "samples of $(grep -c '"side"' result.json) runs"
    compared csv 0 --profile app.wavepgo --rounds 2 --csv -- "$app" record "$WPG_SPIRV"
    intervals csv.out
    [ "$(grep -c '^pipeline,' csv.out)" = 3 ] || fail "pipelines: $(cat csv.out)"
    # Off without the layer; the same by `run`; a plain profile. Settings are options, for both sides.
    compared bare 0 --profile app.wavepgo --rounds 1 --bare --json -- "$app" record "$WPG_SPIRV"
    "$json" bare.out >/dev/null || fail "--json prints no JSON"
    said bare.out '"baseline": "bare"'
    grep '"gpu"' bare.out >/dev/null && fail "--bare timed pipelines"
    "$wavepgo" merge --quiet -o app.profdata app.wavepgo || fail "merge"
    called run by-run 0 --compare app.profdata --rounds 1 --variants 0 -- "$app" record "$WPG_SPIRV"
    said by-run.out '^1 round of off'
    said by-run.out '^wall time .* -$'
    said by-run.out 'of 1 round: too few for an interval'
    called run one-round 0 --use app.profdata -- "$app" record "$WPG_SPIRV"
    said one-round.err '^wavepgo run: app.profdata: [0-9.]+ of the wall time \(of 1 round: too few for an interval\) on '"$(device_called)"'.*, measured on [0-9-]+ with .*e2e_app record'
    [ -f app.profdata.compare.json ] || fail "nothing is kept beside a plain profile"
    # What library parts and shader objects make up is changed where one of them is.
    ways=library
    [ "$WPG_DRIVER" = old ] || ways="library objects" # VK_EXT_shader_object
    for way in $ways; do
        bundle $way.wavepgo "$app" $way "$WPG_SPIRV"
        compared $way 0 --profile $way.wavepgo --rounds 1 -- "$app" $way "$WPG_SPIRV"
        said $way.out '^(vert|frag) [0-9a-f]{8} \+ (vert|frag) [0-9a-f]{8} .* changed$'
    done
    # `run --use` says what was measured, unless it is to be silent. Merging leaves the result out, and is not in its way.
    compared kept 0 --profile app.wavepgo --rounds 2 -- "$app" record "$WPG_SPIRV"
    called run use 0 --use app.wavepgo -- "$app" record "$WPG_SPIRV"
    said use.err '^wavepgo run: app.wavepgo: [0-9.]+ of the wall time \(of 2 rounds: too few for an interval\) on '"$(device_called)"'.*, measured on [0-9]{4}-[0-9]{2}-[0-9]{2} with .*e2e_app record'
    called run another 0 --use app.wavepgo -- sh -c "exec '$app' record '$WPG_SPIRV'"
    grep 'measured on' another.err >/dev/null && fail "said of another program: $(cat another.err)"
    called run silent 0 --use app.wavepgo --summary 0 -- "$app" record "$WPG_SPIRV"
    grep 'measured on' silent.err >/dev/null && fail "said with SUMMARY=0"
    called merge again 0 --quiet -o app.wavepgo app.wavepgo
    [ ! -e app.wavepgo/compare.json ] || fail "a result survived a merge"
    called show after 0 app.wavepgo
    echo '{"wavepgo-compare": 2}' >app.wavepgo/compare.json
    called run newer 0 --use app.wavepgo -- "$app" record "$WPG_SPIRV"
    grep 'measured on' newer.err >/dev/null && fail "a result of another version was said"
    # A changed pipeline is named as the program named it.
    need_built "$bench"
    WAVEPGO_PROBES=values bundle bench.wavepgo "$bench" --case select_rare --repeat 1
    compared changed 0 --profile bench.wavepgo --rounds 1 -- "$bench" --case select_rare --repeat 1
    said changed.out '^select_rare [0-9a-f]{8} .* changed$'
    said changed.out '^1 of 1 pipelines changed$'
    # Off runs have no profile, whatever a configuration file says.
    mkdir -p "$work/home/wavepgo"
    echo "profile_use = $work/bench.wavepgo" >"$work/home/wavepgo/wavepgo.conf"
    compared configured 0 --profile bench.wavepgo --rounds 1 --json -- "$bench" --case select_rare --repeat 1
    rm "$work/home/wavepgo/wavepgo.conf"
    "$json" configured.out samples.0.side=off samples.0.changed=0 samples.1.side=use samples.1.changed=1 >configured.said ||
        fail "samples: $(cat configured.said)"
    called run named 0 --use bench.wavepgo -- "$bench" --case select_rare --repeat 1
    said named.err '1 optimised \(select_rare\), 0 unchanged'
    ;;
stop)
    bundle app.wavepgo "$app" record "$WPG_SPIRV"
    cat >turns.sh <<'SH'
echo turn >>turns
[ "$(grep -c . turns)" != "${FAILS:-0}" ] || exit 3
exec "$@"
SH
    # Interrupted: the rounds that are whole are kept, and the program is gone.
    : >turns
    "$wavepgo" compare --profile app.wavepgo --rounds 1000 --csv -o stopped.json -- sh turns.sh "$app" record "$WPG_SPIRV" >stopped.out 2>stopped.err &
    victim=$!
    trap 'kill -9 $victim 2>/dev/null' EXIT
    tries=0
    until [ "$(grep -c . turns)" -ge 7 ]; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] && kill -0 $victim 2>/dev/null || die "no rounds: $(cat stopped.err)"
        sleep 0.1
    done
    kill -INT $victim
    wait $victim
    code=$?
    [ $code = 0 ] || fail "interrupted: exit code $code: $(cat stopped.err)"
    said stopped.err '^wavepgo compare: stopped: [0-9]+ of 1000 rounds were measured$'
    said stopped.json '"interrupted": true'
    intervals stopped.out
    [ -z "$(ls "$TMPDIR")" ] || fail "an interrupted comparison leaves files"
    # Interrupted before anything was measured.
    : >turns
    "$wavepgo" compare --profile app.wavepgo -- sh turns.sh "$app" forever "$WPG_SPIRV" 1 >early.out 2>early.err &
    victim=$!
    tries=0
    until [ -s turns ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || die "the program does not start"
        sleep 0.1
    done
    kill -INT $victim
    wait $victim
    code=$?
    [ $code = 1 ] || fail "interrupted at once: exit code $code"
    said early.err 'stopped: 0 of 6 rounds were measured'
    # A program that fails in the first run, and one that fails in a round: how is said, and what was measured before is kept.
    compared fails 1 --profile app.wavepgo -- sh -c 'echo the reason >&2; exit 5'
    said fails.err '^the reason$'
    said fails.err 'sh failed with exit code 5 \(first run, not measured: off\)'
    compared signal 1 --profile app.wavepgo -- sh -c 'kill -SEGV $$'
    said signal.err 'sh was ended by signal 11'
    compared missing 1 --profile app.wavepgo -- no-such-program
    said missing.err 'cannot run no-such-program: No such file'
    compared none 1 --profile app.wavepgo -- true
    said none.err 'true made no Vulkan device under the layer'
    : >turns
    FAILS=5 compared later 1 --profile app.wavepgo --rounds 3 -o later.json -- sh turns.sh "$app" record "$WPG_SPIRV"
    said later.err 'sh failed with exit code 3 \(round 2 of 3: use\)'
    said later.err '1 of 3 rounds were measured before'
    said later.json '"rounds": 1,'
    # Stopped after a while: GPU time of each pipeline is compared, times of whole runs are not.
    compared stopped-after 0 --profile app.wavepgo --rounds 1 --duration 2 --csv -- "$app" forever "$WPG_SPIRV" 1
    intervals stopped-after.out
    grep '^wall' stopped-after.out >/dev/null && fail "whole runs were compared"
    # One that shows nothing by then. What was measured before stays beside the profile.
    beside=$(find app.wavepgo* -name '*compare.json' | head -n 1)
    cp "$beside" before.json || fail "no result beside the profile"
    compared nothing 1 --profile app.wavepgo --rounds 1 --duration 1 --csv -- sh -c '"$0" answers "$1" "$2" && exec sleep 60' \
        "$app" "$WPG_SPIRV" "$work/answers.cache"
    said nothing.err 'nothing to compare: in 1 s sh presented too few frames'
    cmp "$beside" before.json || fail "nothing took the place of a result"
    # Whole runs of unlike work: the second of each pair does as much again.
    cat >unlike.sh <<'SH'
"$@" || exit
[ "$WAVEPGO_PROFILE_USE" = none ] || exec "$@"
SH
    compared unlike 0 --profile app.wavepgo --rounds 1 -o unlike.json -- sh unlike.sh "$app" record "$WPG_SPIRV"
    said unlike.out '^The GPU ran 2.00 times the commands in use runs: wall and processor time are not'
    said unlike.json '"headline": "gpu"'
    said unlike.json '"processes": 2'
    # A result that cannot be written.
    compared unwritable 1 --profile app.wavepgo --rounds 1 -o "$work/turns/x.json" -- "$app" record "$WPG_SPIRV"
    ;;
frames)
    need_program vkcube
    start_x
    bundle cube.wavepgo timeout 60 vkcube --c 60 --suppress_popups
    compared cube 0 --profile cube.wavepgo --rounds 2 --json -- timeout 60 vkcube --c 60 --suppress_popups
    "$json" cube.out >/dev/null || fail "--json prints no JSON"
    [ "$(grep -c '"presents": 6[0-9]' cube.out)" = 4 ] || fail "presents: $(grep presents cube.out)"
    said cube.out '"headline": "frame-median"'
    said cube.out '"frame-99": \{'
    compared cube-stopped 0 --profile cube.wavepgo --rounds 1 --duration 4 --csv -- vkcube --suppress_popups
    intervals cube-stopped.out
    said cube-stopped.out '^frame-median,'
    said cube-stopped.out '^processor,'
    ;;
*) die "no such case: $WPG_CASE" ;;
esac
finish

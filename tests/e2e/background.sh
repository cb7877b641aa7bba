#!/bin/sh
# COMPILE=background: the program gets its own pipelines at once, ours are bound once they are made, and what the cache holds
# is used at once. The same results in every order of events, and every pipeline is accounted for.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$bench"
export WAVEPGO_COMPILE=background

# number NAME TEXT: N of "N TEXT" in the summary of a use run; nothing if it does not say so.
number() { sed -n "s/^wavepgo: info: [0-9]* pipelines\{0,1\} seen.*[ (]\([0-9]*\) $2.*/\1/p" "$work/$1.err"; }
# accounted NAME: what became of the pipelines adds up to those seen.
accounted() {
    seen=$(sed -n 's/^wavepgo: info: \([0-9]*\) pipelines\{0,1\} seen.*/\1/p' "$work/$1.err")
    changed=$(number $1 optimised) unchanged=$(number $1 unchanged) unmade=$(number $1 'not made yet') passed=$(number $1 'passed through')
    [ -n "$seen" ] && [ "$seen" = $((${changed:-0} + ${unchanged:-0} + ${unmade:-0} + ${passed:-0})) ] ||
        fail "$1: not every pipeline is accounted for: $(tail -n 1 "$work/$1.err")"
}
# by_profile NAME SETTINGS... -- COMMAND...: with $bundle, as without the layer.
by_profile() {
    run_name=$1
    shift
    "$wavepgo" run --use "$bundle" --validate 1 "$@" >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
    exited "$run_name" 0
    accounted "$run_name"
}
# orders NAME COMMAND...: whatever is made when, and with an empty cache or a full one.
orders() {
    name=$1 bundle=$work/$1.wavepgo
    shift
    "$wavepgo" run --generate --bundle "$bundle" -- "$@" >"$work/$name-train.out" 2>"$work/$name-train.err" || die "$name: $(tail -n 3 "$work/$name-train.err")"
    plain $name "$@"
    exited $name 0
    by_profile $name-racing --cache none -- "$@"
    by_profile $name-waiting --cache none --variant-wait 30 -- "$@"
    by_profile $name-first --cache "$work/$name-cache" --variant-wait 30 -- "$@"
    words=$(find "$work/$name-cache" -type f | grep -c .)
    by_profile $name-second --cache "$work/$name-cache" --variant-wait 30 -- "$@"
    by_profile $name-many --cache none --background-threads 4 -- "$@"
    for order in racing waiting first second many; do same $name $name-$order; done
    # Of variants, too.
    [ "$(find "$work/$name-cache" -type f | grep -c .)" = "$words" ] || fail "$name: the second start made words anew"
    made=$(number $name-first 'made in the background')
    [ "${made:-0}" -ge 1 ] || fail "$name: nothing was made in the background: $(tail -n 1 "$work/$name-first.err")"
    [ "$(number $name-first 'binds before had')" = 0 ] || fail "$name: binds did not wait: $(tail -n 1 "$work/$name-first.err")"
    # The second start has all words: nothing is left to the background.
    [ "$(number $name-second 'made in the background')" = '' ] || fail "$name: the cache was not used: $(tail -n 1 "$work/$name-second.err")"
    [ "$(number $name-second optimised)" = "$(number $name-first optimised)" ] || fail "$name: $(tail -n 1 "$work/$name-first.err"), then $(tail -n 1 "$work/$name-second.err")"
    # As many are optimised as where creation waits.
    WAVEPGO_COMPILE=blocking by_profile $name-blocking --cache none -- "$@"
    [ "$(number $name-blocking optimised)" = "$(number $name-first optimised)" ] || fail "$name: blocking: $(tail -n 1 "$work/$name-blocking.err")"
    [ "$(number $name-blocking 'made in the background')" = '' ] || fail "$name: COMPILE=blocking makes pipelines in the background"
}

case $WPG_CASE in
bench) orders bench "$bench" --size small --checksum --case select_rare --case trip_uniform --case post --case patch ;;
ways) # specialisation, several at once, derivatives, words inline, secondaries, push constants
    for scenario in draw batch derive inline variants variants-draw; do
        orders $scenario "$app" $scenario "$WPG_SPIRV"
    done
    # Zink's and DXVK's pipelines: what blends is dynamic, and no attachment is stated.
    plain state "$app" dynamic-state "$WPG_SPIRV"
    [ ! -s "$work/state.out" ] || [ "$(cat "$work/state.code")" = 77 ] || orders state "$app" dynamic-state "$WPG_SPIRV"
    ;;
parts) # what is shared or called is made for a later run
    for scenario in library dynamic-linked objects; do
        plain $scenario "$app" $scenario "$WPG_SPIRV"
        [ -s "$work/$scenario.out" ] || continue
        [ "$(cat "$work/$scenario.code")" != 77 ] || { echo "note: $(cat "$work/$scenario.out")" && continue; }
        bundle=$work/$scenario.wavepgo
        "$wavepgo" run --generate --bundle "$bundle" -- "$app" $scenario "$WPG_SPIRV" >"$work/$scenario-train.out" 2>&1 || die "$scenario: $(tail -n 3 "$work/$scenario-train.out")"
        WAVEPGO_COMPILE=blocking by_profile $scenario-blocking --cache none -- "$app" $scenario "$WPG_SPIRV"
        same $scenario $scenario-blocking
        # Builders have what the program leaves of the processors: on a busy machine a short run may end before all words are made.
        run=0
        while [ $run -lt 30 ]; do
            run=$((run + 1))
            by_profile $scenario-$run --cache "$work/$scenario-cache" -- "$app" $scenario "$WPG_SPIRV"
            same $scenario $scenario-$run
            [ $run -lt 3 ] || [ "$(number $scenario-blocking optimised)" != "$(number $scenario-$run optimised)" ] || break
        done
        grep 'made for a later run' "$work/$scenario-1.err" >/dev/null || fail "$scenario: $(tail -n 1 "$work/$scenario-1.err")"
        # An optimised link is made whole, and so is a fast one that stays bound. (It is waited for: a program may be quicker than the builder.)
        if [ $scenario != objects ]; then
            by_profile $scenario-waiting --cache none --variant-wait 30 -- "$app" $scenario "$WPG_SPIRV"
            same $scenario $scenario-waiting
            [ $scenario = library ] && whole=2 || whole=1
            [ "$(number $scenario-waiting 'made in the background')" = $whole ] || fail "$scenario: not $whole made whole: $(tail -n 1 "$work/$scenario-waiting.err")"
        fi
        [ "$(number $scenario-blocking optimised)" = "$(number $scenario-$run optimised)" ] ||
            fail "$scenario: $(tail -n 1 "$work/$scenario-blocking.err"), with words of earlier runs $(tail -n 1 "$work/$scenario-$run.err")"
    done
    ;;
crowd) # many, which the program destroys while they wait or are made; little memory
    bundle=$work/crowd.wavepgo
    "$wavepgo" run --generate --bundle "$bundle" -- "$app" crowd "$WPG_SPIRV" 300 >"$work/train.out" 2>"$work/train.err" || die "$(tail -n 3 "$work/train.err")"
    plain crowd "$app" crowd "$WPG_SPIRV" 300
    by_profile racing --cache none -- "$app" crowd "$WPG_SPIRV" 300
    by_profile many --cache none --background-threads 4 -- "$app" crowd "$WPG_SPIRV" 300
    by_profile small --cache none --variant-memory 1 -- "$app" crowd "$WPG_SPIRV" 300
    by_profile first --variant-wait 10 -- "$app" crowd "$WPG_SPIRV" 300
    for run in racing many small first; do same crowd $run; done
    # A forked child, the driver's refusals, device loss: the failing driver's walk (tests/icd).
    ;;
esac
finish

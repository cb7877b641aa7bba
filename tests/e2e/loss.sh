#!/bin/sh
# A device that is lost, played by the shim below us: what was counted before is written, what ran last passes through
# from then on until `wavepgo clean`, in that mode only.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so"
export WAVEPGO_SUMMARY=0 WAVEPGO_FLUSH_INTERVAL=0
make_shim
export VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim
export VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
denied=$XDG_CACHE_HOME/wavepgo/denied

lanes() { "$wavepgo" show --json "$1" | sed -n 's/.*"stage": "comp",.*"function".*"lanes": \[\([0-9]*\).*/\1/p' | head -n 1; }
lose() { # NAME WHEN: the same without the layer and with it
    SHIM_LOSE=$2 WAVEPGO_MODE=off plain "$1-absent" "$app" forever "$WPG_SPIRV" 100
    SHIM_LOSE=$2 generate "$1" "$app" forever "$WPG_SPIRV" 100
    same "$1-absent" "$1"
}

plain absent "$app" compute "$WPG_SPIRV"
generate once "$app" compute "$WPG_SPIRV"
same absent once
one=$(lanes "$work/once")
[ "${one:-0}" -gt 0 ] || die "nothing is counted: $(head -n 3 "$work/once.log")"

for placement in host device; do
    export WAVEPGO_COUNTER_PLACEMENT=$placement
    for when in 5 5,wait; do
        name=$placement-$when
        lose "$name" $when
        [ -s "$denied" ] || die "$name: nothing on the deny list: $(cat "$work/$name.log")"
        logged_once "$name" 'device was lost.*next time'
        if [ $placement = host ]; then
            # Four were finished; with the fifth in the driver's hands its counts may be there, too.
            [ "$(count_profiles "$name")" = 1 ] || fail "$name: no profile: $(cat "$work/$name.log")"
            got=$(lanes "$work/$name")
            [ "$got" = $((one * 4)) ] || { [ "$when" = 5,wait ] && [ "$got" = $((one * 5)) ]; } || fail "$name: $got lanes, one dispatch has $one"
            accepted $(profiles "$name")
        fi
        # The next run is left alone, and says so once.
        generate "$name-next" "$app" compute "$WPG_SPIRV"
        same absent "$name-next"
        logged_once "$name-next" 'deny list'
        [ "$(count_profiles "$name-next")" = 0 ] || fail "$name: a denied pipeline was counted"
        WAVEPGO_MODE=generate "$wavepgo" doctor >"$work/doctor.out" 2>&1 || fail "$name: doctor: $(head -n 3 "$work/doctor.out")"
        grep -E '^blocked .*generate, device lost in e2e_app' "$work/doctor.out" >/dev/null || fail "$name: doctor does not list it"
        # Until it is cleared.
        "$wavepgo" clean --dry-run >"$work/dry.out" 2>&1 || fail "clean --dry-run: $(cat "$work/dry.out")"
        grep 'deny list: 1 pipeline would be removed' "$work/dry.out" >/dev/null || fail "clean --dry-run says: $(cat "$work/dry.out")"
        [ -s "$denied" ] || fail "a dry run removes the deny list"
        "$wavepgo" clean >"$work/clean.out" 2>&1 || fail "clean: $(cat "$work/clean.out")"
        [ ! -e "$denied" ] || fail "clean leaves the deny list"
        [ -z "$(find "$XDG_CACHE_HOME/wavepgo" -type f ! -name live.lock)" ] || fail "clean leaves: $(find "$XDG_CACHE_HOME/wavepgo")"
    done
    generate "$placement-again" "$app" compute "$WPG_SPIRV"
    [ "$(lanes "$work/$placement-again")" = "$one" ] || fail "$placement: not counted after clean"
done

# Use mode has a list entry of its own; generate mode is not concerned. Marks make every pipeline one of ours.
WAVEPGO_MODE=use WAVEPGO_PSEUDO_PROBES=1 WAVEPGO_LOG_FILE=$work/used.log SHIM_LOSE=5 plain used "$app" forever "$WPG_SPIRV" 100
if grep "no pseudo probes" "$work/used.log" >/dev/null; then
    echo "note: use mode changes nothing on this driver"
else
    grep "	use	" "$denied" >/dev/null 2>&1 || fail "use mode denies nothing: $(cat "$work/used.log")"
    WAVEPGO_MODE=use WAVEPGO_PSEUDO_PROBES=1 WAVEPGO_LOG=info WAVEPGO_LOG_FILE=$work/used-next.log plain used-next "$app" compute "$WPG_SPIRV"
    same absent used-next
    grep 'passes through: on the deny list' "$work/used-next.log" >/dev/null || fail "use mode applies a denied pipeline"
fi
generate after-use "$app" compute "$WPG_SPIRV"
[ "$(lanes "$work/after-use")" = "$one" ] || fail "what use mode denies is not counted"
# What else lies in the folder is not ours to remove.
echo mine >"$XDG_CACHE_HOME/wavepgo/mine"
mkdir -p "$XDG_CACHE_HOME/wavepgo/ab"
echo mine >"$XDG_CACHE_HOME/wavepgo/ab/mine"
"$wavepgo" clean >/dev/null || fail "clean"
[ -f "$XDG_CACHE_HOME/wavepgo/mine" ] && [ -f "$XDG_CACHE_HOME/wavepgo/ab/mine" ] || fail "clean removes what is not ours"
finish

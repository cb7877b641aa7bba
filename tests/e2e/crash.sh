#!/bin/sh
# A driver that crashes on changed pipelines, played by the shim below us: as it makes one, or where one first runs. Three runs in a
# row end so; the fourth passes the pipeline through. What came through in between is forgotten, as are runs ended at other times.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so"
export WAVEPGO_SUMMARY=0 WAVEPGO_FLUSH_INTERVAL=0
make_shim
export VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim
export VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
cache=$XDG_CACHE_HOME/wavepgo
denied=$cache/denied

SHIM_RECORD=$work/known WAVEPGO_MODE=off plain absent "$app" compute "$WPG_SPIRV"
[ -s "$work/known" ] || die "no module was recorded: $(cat "$work/absent.err")"
export SHIM_KNOWN="$work/known"
records() { find "$cache/flights" -type f 2>/dev/null | grep -c . || :; }
listed() { cat "$denied" 2>/dev/null | grep -c "	$1	" || :; } # entries of that mode
counted() { # NAME: as without the layer, and counted
    same absent "$1"
    [ "$(count_profiles "$1")" = 1 ] || fail "$1: not counted: $(cat "$work/$1.log")"
}
crashes() { # NAME WHERE: the process is gone, and what it had in hand is left
    SHIM_CRASH=$2 generate "$1" "$app" compute "$WPG_SPIRV"
    exited "$1" 137
    [ "$(records)" = 1 ] || fail "$1: $(records) flight records, expected one"
}

generate once "$app" compute "$WPG_SPIRV"
counted once
[ "$(records)" = 0 ] && [ ! -e "$denied" ] || fail "a run that ends in order leaves something: $(ls "$cache" "$cache/flights")"

doctor_says() { # WHERE TEXT: of this pipeline one line, and it says TEXT
    WAVEPGO_MODE=generate "$wavepgo" doctor >"$work/doctor.out" 2>&1 || fail "$1: doctor: $(head -n 3 "$work/doctor.out")"
    grep '^blocked ' "$work/doctor.out" >"$work/blocked" || :
    [ "$(grep -c . "$work/blocked")" = 1 ] && grep "generate, ${2}in the driver's hands at the end of e2e_app" "$work/blocked" >/dev/null ||
        fail "$1: doctor says: $(cat "$work/blocked")"
}
for where in make run; do
    crashes "$where-1" $where
    [ ! -s "$work/$where-1.log" ] || fail "$where: the first run speaks of a list: $(cat "$work/$where-1.log")"
    crashes "$where-2" $where
    [ ! -s "$work/$where-2.log" ] || fail "$where: the second run warns: $(cat "$work/$where-2.log")"
    doctor_says $where ''
    crashes "$where-3" $where
    logged_once "$where-3" 'two runs of e2e_app in a row.*Should a third end so'
    doctor_says $where 'twice '
    [ "$(listed generate-ended)" = 1 ] && [ "$(listed generate-ended2)" = 1 ] && [ "$(listed generate-ended3)" = 0 ] ||
        fail "$where: not suspected: $(cat "$denied")"
    SHIM_CRASH=$where WAVEPGO_LOG=info generate "$where-4" "$app" compute "$WPG_SPIRV"
    same absent "$where-4"
    grep -E 'three runs of e2e_app in a row.*pass through from now on' "$work/$where-4.log" >/dev/null || fail "$where: the fourth run says: $(cat "$work/$where-4.log")"
    grep 'passes through: on the deny list' "$work/$where-4.log" >/dev/null || fail "$where: the fourth run does not pass it through"
    [ "$(count_profiles "$where-4")" = 0 ] || fail "$where: a denied pipeline was counted"
    SHIM_CRASH=$where generate "$where-5" "$app" compute "$WPG_SPIRV"
    same absent "$where-5"
    logged_once "$where-5" 'deny list'
    doctor_says $where 'three times '
    # Use mode has other words.
    WAVEPGO_MODE=use WAVEPGO_PSEUDO_PROBES=1 WAVEPGO_LOG_FILE=$work/used.log plain used "$app" compute "$WPG_SPIRV"
    same absent used
    grep 'deny list' "$work/used.log" >/dev/null && fail "$where: use mode is concerned: $(cat "$work/used.log")"
    "$wavepgo" clean --denied >"$work/clean.out" || fail "clean: $(cat "$work/clean.out")"
    generate "$where-cleaned" "$app" compute "$WPG_SPIRV"
    counted "$where-cleaned"
done

# A run that comes through in between: the count starts anew.
for where in make run; do
    crashes "$where-6" $where
    crashes "$where-7" $where
    generate "$where-8" "$app" compute "$WPG_SPIRV"
    counted "$where-8"
    [ "$(listed generate-fine)" = 1 ] || fail "$where: it came through, and that is not noted: $(cat "$denied")"
    crashes "$where-9" $where
    generate "$where-10" "$app" compute "$WPG_SPIRV"
    counted "$where-10"
    [ "$(listed generate-ended3)" = 0 ] || fail "$where: three runs that were not in a row: $(cat "$denied")"
    "$wavepgo" clean --denied >/dev/null || fail "clean"
done

# What a killed run left is forgotten, too.
crashes cleaned make
"$wavepgo" clean --denied >/dev/null || fail "clean"
[ "$(records)" = 0 ] && [ ! -e "$denied" ] || fail "clean leaves a record: $(find "$cache")"

# Use mode, during the program's call and behind it.
for compile in blocking background; do
    for number in 1 2 3 4; do
        name=use-$compile-$number
        SHIM_CRASH=make WAVEPGO_COMPILE=$compile WAVEPGO_VARIANT_WAIT=60 WAVEPGO_MODE=use WAVEPGO_PSEUDO_PROBES=1 \
            WAVEPGO_LOG_FILE=$work/$name.log plain "$name" "$app" compute "$WPG_SPIRV"
        grep "no pseudo probes" "$work/$name.log" >/dev/null 2>&1 && break
        [ $number = 4 ] || exited "$name" 137
    done
    if [ $number != 4 ]; then
        echo "note: use mode changes nothing on this driver"
        continue
    fi
    same absent "$name"
    [ "$(listed use-ended3)" = 1 ] || fail "$compile: use mode denies nothing: $(cat "$denied")"
    "$wavepgo" clean --denied >/dev/null || fail "clean"
done

# Ended by somebody while the driver has nothing of ours in hand, three times; and another process's record stays while it lives.
for number in 1 2 3; do
    "$wavepgo" run --generate --profile-file "$work/steady/%b.profraw" -- "$app" steady "$WPG_SPIRV" >"$work/steady.out" 2>"$work/steady.err" &
    victim=$!
    tries=0
    while [ "$(grep -c . "$work/steady.out")" -lt 20 ] && [ $tries -lt 1200 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    generate "beside-$number" "$app" compute "$WPG_SPIRV"
    counted "beside-$number"
    [ "$(records)" = 1 ] || fail "a living process's record is gone"
    kill -9 $victim
    wait $victim 2>/dev/null
done
generate after-kills "$app" compute "$WPG_SPIRV"
counted after-kills
[ "$(listed generate-ended3)" = 0 ] || fail "a run killed at rest is held against the pipeline: $(cat "$denied")"
[ "$(records)" = 0 ] || fail "records are left: $(ls "$cache/flights")"

# CRASH_GUARD=0: what was noted is tried again, and nothing new is noted.
for number in 1 2 3; do
    crashes guard-$number make
done
generate guard-4 "$app" compute "$WPG_SPIRV"
[ "$(count_profiles guard-4)" = 0 ] || fail "a denied pipeline was counted"
WAVEPGO_CRASH_GUARD=0 generate guard-5 "$app" compute "$WPG_SPIRV"
counted guard-5
"$wavepgo" clean --denied >/dev/null || fail "clean"
for number in 1 2 3; do
    WAVEPGO_CRASH_GUARD=0 SHIM_CRASH=make generate "unguarded-$number" "$app" compute "$WPG_SPIRV"
    exited "unguarded-$number" 137
    [ "$(records)" = 0 ] && [ ! -e "$denied" ] || fail "CRASH_GUARD=0 notes something"
done
# Without a cache folder nothing is noted.
for number in 1 2 3; do
    SHIM_CRASH=make WAVEPGO_CACHE=none generate "none-$number" "$app" compute "$WPG_SPIRV"
    exited "none-$number" 137
done
[ "$(records)" = 0 ] || fail "a record without a cache folder"
finish

#!/bin/sh
# The loop on aarch64, by qemu-user: results as without the layer, and profiles as on x86-64 to the byte, where the same driver runs
# waves of the same size. A profile of either serves the other. Runs from the aarch64 build; WPG_BUILD_64 is the x86-64 one.
. "$(dirname "$0")/lib.sh"
WPG_BUILD_64=${WPG_BUILD_64:-$WPG_SOURCE/build}
[ -n "$WPG_EMULATOR" ] || skip "this is no build for another machine, or there is no emulator"
need_built "$layer" "$app" "$bench" "$wavepgo" "$WPG_BUILD_64/bin/e2e_app" "$WPG_BUILD_64/bin/wavepgo" "$WPG_BUILD_64/bin/wavepgo-bench"
export WAVEPGO_SUMMARY=0
icd_there=$(unset WPG_LVP_ICD WPG_LVP_ICD_OLD && . "$WPG_SOURCE/.deps/env.sh" && echo "${WPG_LVP_ICD_OLD:-$WPG_LVP_ICD}")

# The same under x86-64, with vectors of 128 bits: waves of four lanes, as aarch64 has.
there() { # HELPER NAME [PROFILE] PROGRAM ARGUMENTS...
    (
        wavepgo=$WPG_BUILD_64/bin/wavepgo
        VK_ICD_FILENAMES=$icd_there VK_DRIVER_FILES=$icd_there LP_NATIVE_VECTOR_WIDTH=128
        export VK_ICD_FILENAMES VK_DRIVER_FILES LP_NATIVE_VECTOR_WIDTH
        "$@"
    )
}
# A scenario in both: without the layer, counted, used with the other's profile.
scenario() { # NAME PROGRAM PROGRAM-THERE ARGUMENTS...
    name=$1 program=$2 program_there=$3
    shift 3
    plain "$name-absent" "$program" "$@"
    generate "$name-here" "$program" "$@"
    same "$name-absent" "$name-here"
    [ "$(count_profiles "$name-here")" != 0 ] || fail "$name: nothing was counted: $(tail -n 3 "$work/$name-here.err")"
    there generate "$name-there" "$program_there" "$@"
    diff -rq "$work/$name-here" "$work/$name-there" || fail "$name: profiles of aarch64 and x86-64 differ"
    WAVEPGO_CACHE=none WAVEPGO_DUMP=$work/words-here use "$name-use" "$work/$name-there" "$program" "$@"
    same "$name-absent" "$name-use"
    WAVEPGO_CACHE=none WAVEPGO_DUMP=$work/words-there there use "$name-use-there" "$work/$name-here" "$program_there" "$@"
}
case $WPG_CASE in
app)
    for what in compute draw library; do
        scenario $what "$app" "$WPG_BUILD_64/bin/e2e_app" $what "$WPG_SPIRV"
    done
    # Merged by a command of either they are the same.
    "$wavepgo" merge --quiet -o "$work/here.profdata" "$work/draw-here" "$work/compute-there" || fail "merge"
    "$WPG_BUILD_64/bin/wavepgo" merge --quiet -o "$work/there.profdata" "$work/draw-there" "$work/compute-here" || fail "merge on x86-64"
    cmp "$work/here.profdata" "$work/there.profdata" || fail "merged profiles differ"
    accepted "$work/here.profdata"
    ;;
bench)
    for what in rfc_divergent select_rare value_uniform; do
        scenario $what "$bench" "$WPG_BUILD_64/bin/wavepgo-bench" --checksum --size small --case $what
    done
    find "$work/words-here" -name '*.use.spv' | grep -q . || fail "nothing was rewritten in use mode"
    diff -rq "$work/words-here" "$work/words-there" || fail "use mode gives other words on aarch64"
    ;;
esac
finish

#!/bin/sh
# COUNTER_WAY=binding: counters by a descriptor set of the layer's, for devices without bufferDeviceAddress. The same counts as
# by address, and the same results as without the layer. WPG_CASE names the case.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$bench"

# both NAME COMMAND...: by address and by binding.
both() {
    name=$1
    shift
    plain $name "$@"
    [ "$(cat "$work/$name.code")" != 77 ] || { echo "note: $(cat "$work/$name.out")" && return; }
    exited $name 0
    generate $name-address "$@"
    WAVEPGO_COUNTER_WAY=binding generate $name-binding "$@"
    same $name $name-address
    same $name $name-binding
    [ "$(count_profiles $name-address)" -ge 1 ] || fail "$name: nothing was counted"
    # On a GPU the order of waves decides which words of uniform blocks a table keeps.
    [ "$WPG_DRIVER-$name" != hardware-contents ] || return 0
    same_counts $name-address $name-binding "$name: counts by binding are not those by address"
}

case $WPG_CASE in
bench) both bench "$bench" --size small --checksum $steady ;;
app) # specialisation, derivatives, push constants, secondaries; sets that change, dynamic offsets
    for scenario in draw batch derive variants-train variants-draw-train contents; do
        both $scenario "$app" $scenario "$WPG_SPIRV"
    done
    ;;
push) # sets of push descriptors beside ordinary ones, by every command, in orders in which ours takes the place of the program's
    for scenario in push push-core; do
        both $scenario "$app" $scenario "$WPG_SPIRV"
        grep 'could not be kept' "$work"/$scenario-*.log && fail "$scenario: not all that was pushed was followed"
        # Pipelines that count beside those that do not.
        WAVEPGO_SAMPLE=1/2 WAVEPGO_SAMPLE_BY=bind WAVEPGO_COUNTER_WAY=binding generate $scenario-sampled "$app" $scenario "$WPG_SPIRV"
        same $scenario $scenario-sampled
    done
    [ "$(count_profiles push-binding)" -ge 9 ] || fail "not every pipeline was counted: $(tail -n 1 "$work/push-binding.err")"
    ;;
refused) # what would disturb sets in ways that are not followed passes through, by name
    plain library "$app" library "$WPG_SPIRV"
    [ "$(cat "$work/library.code")" != 77 ] || skip "$(cat "$work/library.out")"
    WAVEPGO_COUNTER_WAY=binding generate bound "$app" library "$WPG_SPIRV"
    same library bound
    [ "$(count_profiles bound)" = 0 ] || fail "library parts were counted by binding"
    grep 'the program enables VK_EXT_graphics_pipeline_library' "$work/bound.log" >/dev/null || fail "not said: $(head -n 3 "$work/bound.log")"
    ;;
swiftshader) # a driver that has no bufferDeviceAddress
    icd=${WPG_SWIFTSHADER_ICD:-/usr/lib/chromium/vk_swiftshader_icd.json}
    [ -f "$icd" ] || skip "no SwiftShader here (Debian's chromium)"
    export VK_DRIVER_FILES="$icd" VK_ICD_FILENAMES="$icd"
    plain off "$bench" --size small --checksum
    [ "$(cat "$work/off.code")" != 77 ] || skip "SwiftShader serves no programs of this build: $(tail -n 1 "$work/off.err")"
    exited off 0
    generate on "$bench" --size small --checksum
    same off on
    counted=$(sed -n 's/.* pipelines seen, \([0-9]*\) instrumented, 0 passed through.*/\1/p' "$work/on.err" "$work/on.log" | head -n 1)
    [ "${counted:-0}" -ge 15 ] && [ "$(count_profiles on)" = "$counted" ] || fail "counted: ${counted:-none}: $(tail -n 2 "$work/on.err")"
    "$wavepgo" merge --quiet -o "$work/on.profdata" "$work/on" || fail "merge: exit code $?"
    "$wavepgo" verify "$work/on.profdata" >"$work/verified" 2>&1 || fail "verify: $(tail -n 3 "$work/verified")"
    use used "$work/on.profdata" "$bench" --size small --checksum
    same off used
    both push "$app" push "$WPG_SPIRV" # a note, as long as it has no push descriptors
    # What each invocation does by itself is the same everywhere: lanes of the integer kernel.
    use_driver "$WPG_DRIVER"
    generate lavapipe "$bench" --size small --checksum --case rfc_divergent
    "$wavepgo" merge --quiet --format text -o "$work/lavapipe.text" "$work/lavapipe" || fail "merge: exit code $?"
    "$wavepgo" merge --quiet --format text -o "$work/swiftshader.text" "$work/on/$(basename "$(profiles lavapipe)")" || fail "no counts of rfc_divergent on SwiftShader"
    for side in lavapipe swiftshader; do
        awk 'BEGIN { RS = ""; ORS = "\n\n" } /#lanes\n/' "$work/$side.text" >"$work/$side.lanes"
    done
    [ -s "$work/lavapipe.lanes" ] && cmp "$work/lavapipe.lanes" "$work/swiftshader.lanes" || fail "lanes of rfc_divergent differ between the drivers"
    ;;
esac
finish

#!/bin/sh
# The pairs of shaders/pairs, a case each: before and after the change the shader gives the same results under use mode as without
# the layer, and the change keeps the results but for last bits. In the form that the project gives to Vulkan; at night in the other, too.
. "$(dirname "$0")/lib.sh"
pairs=$WPG_BUILD/bin/wavepgo-pairs
need_built "$wavepgo" "$layer" "$pairs"

forms=.
[ -z "${WPG_NIGHTLY:-}" ] || forms=". other"
for form in $forms; do
    for side in before after; do
        run="$pairs --shaders $WPG_BUILD/shaders/$form --case $WPG_CASE --size small --checksum"
        WPG_PAIR=$side
        export WPG_PAIR
        mkdir -p "$work/$form/$side"
        # shellcheck disable=SC2086
        plain plain-$side $run --dump-image "$work/$form/$side"
        exited plain-$side 0
        grep "^[0-9a-f]\{16\}  $WPG_CASE\$" "$work/plain-$side.out" >/dev/null || fail "$form, $side: no checksum"
        # shellcheck disable=SC2086
        "$wavepgo" run --generate --bundle "$work/$form/$side.wavepgo" -- $run >"$work/generate.out" 2>"$work/generate.err" ||
            fail "$form, $side: generate: $(tail -n 1 "$work/generate.err")"
        "$wavepgo" merge --quiet -o "$work/$form/$side.profdata" "$work/$form/$side.wavepgo" || fail "$form, $side: merge"
        # As in frames: commands are recorded anew, so that variants for push constants are bound.
        # shellcheck disable=SC2086
        "$wavepgo" run --use "$work/$form/$side.profdata" --variant-wait 20 --validate 1 --log-file "$work/use-$side.log" -- $run --frames 2 \
            >"$work/use-$side.out" 2>"$work/use-$side.err"
        echo $? >"$work/use-$side.code"
        same plain-$side use-$side
        ! grep -i 'invalid\|failed' "$work/use-$side.log" || fail "$form, $side: the log complains"
        ! grep 'knows none of' "$work/use-$side.log" || fail "$form, $side: the profile was not found"
    done
    output=$(ls "$work/$form/before")
    said=$(sh "$WPG_SOURCE/shaders/pairs/difference.sh" "$work/$form/before/$output" "$work/$form/after/$output") ||
        fail "$form: the change has other results: $said"
    find "$work/$form/before" -size +1k | grep -q . || fail "$form: no output"
done
finish

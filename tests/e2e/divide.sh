#!/bin/sh
# Divisions by what a word of a uniform buffer decides: products for the values that the profile saw, divisions
# for others. The same results for both. app_divide.c.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"

for scenario in divide divide-all; do
    plain $scenario "$app" $scenario "$WPG_SPIRV"
    exited $scenario 0
done
[ "$(sort -u "$work/divide-all.out" | wc -l)" = 64 ] || fail "the program tells of $(sort -u "$work/divide-all.out" | wc -l) dispatches, not of 64"
generate counted "$app" divide "$WPG_SPIRV"
same divide counted
for scenario in divide divide-all; do
    use $scenario-use "$work/counted" "$app" $scenario "$WPG_SPIRV"
    same $scenario $scenario-use
    # 22.3.6 runs both arms of a branch: no product there, and no version.
    done=$(grep -c '"pass": "versions", "done": true.* divisions by what a word of uniform blocks .* a product for each of [0-9]* values' "$work/$scenario-use.uselog")
    case $WPG_DRIVER in
    new) [ "$done" = 1 ] || fail "$scenario: no products: $(head -n 5 "$work/$scenario-use.uselog")" ;;
    *) [ "$done" = 0 ] || fail "$scenario: products on a driver that runs both arms" ;;
    esac
    # Without: the same results, and versions or none.
    WAVEPGO_SKIP_PASSES=c use $scenario-skipped "$work/counted" "$app" $scenario "$WPG_SPIRV"
    same $scenario $scenario-skipped
done
finish

#!/bin/sh
# Divisors in a uniform buffer. Case divide: one word of many values; products for those that the profile saw,
# divisions for others. Case counted: words that loops read by their counters; a version. The same results for
# both. app_divide.c.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
case $WPG_CASE in
divide)
    dispatches=64
    remark=' divisions by what a word of uniform blocks .* a product for each of [0-9]* values'
    ;;
*)
    dispatches=16
    remark='a version of the stage for 6 words of uniform blocks (shape\[0\].y, '
    ;;
esac

for scenario in $WPG_CASE $WPG_CASE-all; do
    plain $scenario "$app" $scenario "$WPG_SPIRV"
    exited $scenario 0
done
[ "$(sort -u "$work/$WPG_CASE-all.out" | wc -l)" = $dispatches ] || fail "the program tells of $(sort -u "$work/$WPG_CASE-all.out" | wc -l) dispatches, not of $dispatches"
generate counted "$app" $WPG_CASE "$WPG_SPIRV"
same $WPG_CASE counted
# Where only lanes are counted, the same words are asked for, by the same waves.
(
    export WAVEPGO_STRATEGY=lane
    generate lanes "$app" $WPG_CASE "$WPG_SPIRV"
)
same $WPG_CASE lanes
for run in counted lanes; do
    "$wavepgo" show --values --top 0 "$work/$run" |
        awk '$2 == "word" { printf "%s %s %s", $1, $3, $4; for (i = 8; i <= NF; i++) printf " %s", $i; print "" }' >"$work/$run.words"
done
[ -s "$work/counted.words" ] || fail "no words: $(head -n 5 "$work/counted.log")"
cmp -s "$work/counted.words" "$work/lanes.words" || fail "other words: $(diff "$work/counted.words" "$work/lanes.words" | head -n 6)"
for scenario in $WPG_CASE $WPG_CASE-all; do
    use $scenario-use "$work/counted" "$app" $scenario "$WPG_SPIRV"
    same $scenario $scenario-use
    # 22.3.6 runs both arms of a branch: no product there, and no version.
    done=$(grep -c "\"pass\": \"versions\", \"done\": true.*$remark" "$work/$scenario-use.uselog")
    case $WPG_DRIVER in
    new) [ "$done" = 1 ] || fail "$scenario: not made: $(head -n 5 "$work/$scenario-use.uselog")" ;;
    *) [ "$done" = 0 ] || fail "$scenario: made on a driver that runs both arms" ;;
    esac
    # Without: the same results, and versions or none.
    WAVEPGO_SKIP_PASSES=c use $scenario-skipped "$work/counted" "$app" $scenario "$WPG_SPIRV"
    same $scenario $scenario-skipped
done
finish

#!/bin/sh
# Early depth tests while fragments are counted. Where nothing can tell them from late ones they are declared, and what is
# counted is what a precise occlusion query counts, overdraw hidden by depth left out; where something could, they are not,
# every covered fragment is counted, and `show` says so. The picture and the query are the same with and without the layer.
. "$(dirname "$0")/lib.sh"
early=$WPG_PROGRAMS/e2e_early
need_built "$wavepgo" "$layer" "$early"

# counted NAME: lanes of the fragment stage's entry block.
counted() {
    "$wavepgo" show --json "$1" |
        sed -n 's/.*"stage": "frag",.*"function": 0,.*"lanes": \[\([0-9]*\).*/\1/p'
}
# late NAME: what `show` says was counted without early tests, digits only; nothing if it says nothing.
late() { "$wavepgo" show "$1" --top 0 | sed -n 's/.*counted without early tests: \([0-9,]*\) invocations.*/\1/p' | tr -d ,; }
told() { sed -n "s/.*$2 \([0-9]*\).*/\1/p" "$work/$1.out"; }

# A shader with stores of its own runs late for every covered fragment, layer or not: that many there are.
plain all "$early" stores "$WPG_SPIRV"
[ "$(cat "$work/all.code")" != 77 ] || skip "$(cat "$work/all.out")"
exited all 0
covered=$(told all ran)

seen=0
for variant in plain declared stores depth discard mask input coverage dynamic-coverage feedback dynamic-feedback; do
    plain $variant-plain "$early" $variant "$WPG_SPIRV"
    if [ "$(cat "$work/$variant-plain.code")" = 77 ]; then
        echo "note: $variant: $(cat "$work/$variant-plain.out")"
        continue
    fi
    exited $variant-plain 0
    WAVEPGO_VALIDATE=1 generate $variant "$early" $variant "$WPG_SPIRV"
    same $variant-plain $variant
    seen=$((seen + 1))
    samples=$(told $variant samples)
    [ "$covered" -gt "$samples" ] || fail "$variant: no overdraw is hidden: $covered of $samples"
    counted=$(counted $variant)
    case $variant in
    plain | declared) expected=$samples note= ;; # early
    stores | depth) expected=$covered note= ;;   # late without the layer, too
    *) expected=$covered note=$covered           # early without the layer, late while counted
        # lavapipe 22.3.6 does not take the layer's atomics for side effects: it tests early, and writes depth late.
        if [ "$WPG_DRIVER" = old ] && [ "$counted" -ge "$samples" ] && [ "$counted" -le "$covered" ]; then
            expected=$counted note=$counted
        fi
        ;;
    esac
    [ "$counted" = "$expected" ] || fail "$variant: $counted fragments counted, $expected expected ($samples samples, $covered covered)"
    [ "$(late $variant)" = "$note" ] || fail "$variant: show says '$(late $variant)' were counted without early tests, expected '$note'"
done
[ $seen -ge 7 ] || fail "only $seen variants ran here"
finish

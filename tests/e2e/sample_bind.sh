#!/bin/sh
# Sampling by bind (SAMPLE_BY=bind): one of every N binds counts, the others run the program's own pipeline. Where every bind
# does the same, the estimate is the exact count; pictures stay as they are; ways of making pipelines stay what they were.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench" "$app"

cases="--case mandelbrot --case lights --case post --case mesh --case patch"
shaders() { # FILE: what is known of each shader, but for what was seen
    "$wavepgo" show --json "$1" | sed -n '/"shaders"/,$p' | sed 's/, "samples": [^}]*}/}/'
}
samples() { "$wavepgo" show --json "$1" | sed -n 's/.*"samples": \[\([0-9]*\), \([0-9]*\),.*/\1 \2/p'; }
plain image $bench --size small --checksum $cases
generate exact $bench --size small --checksum --binds 8 $cases
same image exact
for bundle in "" "$work/bundle"; do # with a bundle, command buffers are followed for other reasons too
    name=bind${bundle:+-bundle}
    WAVEPGO_BUNDLE=$bundle WAVEPGO_SAMPLE=1/4 WAVEPGO_SAMPLE_BY=bind generate $name $bench --size small --checksum --binds 8 $cases
    same image $name
    shaders exact >"$work/exact.shaders"
    shaders $name >"$work/$name.shaders"
    [ "$(grep -c '"stage"' "$work/exact.shaders")" -ge 8 ] || fail "too few shaders"
    # Waves are cut anew in every run of a fragment stage: lanes tell.
    for file in exact $name; do
        sed 's/"waves": [^]]*\], //; s/, "uniform": [^]]*\]//; s/, "selects": [^]]*\]//' "$work/$file.shaders" >"$work/$file.lanes"
    done
    diff "$work/exact.lanes" "$work/$name.lanes" >"$work/diff" || { fail "$name: 2 of 8 equal binds do not give the exact counts"; cut -c1-300 "$work/diff"; }
    samples $name >"$work/$name.samples"
    [ "$(grep -c . "$work/$name.samples")" -ge 8 ] || fail "$name: too few #samples records"
    awk '$1 * 4 != $2 { print }' "$work/$name.samples" >"$work/off"
    [ ! -s "$work/off" ] || { fail "$name: not 1 of 4:"; cat "$work/off"; }
done
# Of pipelines bound once, one of N is counted, and stands for N; of the others nothing is said. The same ones in every run.
generate once-exact $bench --size small --checksum
for name in once once-again; do
    WAVEPGO_SAMPLE=1/4 WAVEPGO_SAMPLE_BY=bind generate $name $bench --size small --checksum
    exited $name 0
    samples $name >"$work/$name.samples"
done
cmp -s "$work/once.samples" "$work/once-again.samples" || fail "two runs count other pipelines"
awk '$1 * 4 != $2 { print }' "$work/once.samples" >"$work/off"
[ ! -s "$work/off" ] || { fail "pipelines bound once: not 1 of 4:"; cat "$work/off"; }
[ "$(grep -c . "$work/once.samples")" -ge 1 ] || fail "no pipeline of 13 bound once is counted"
[ "$(grep -c . "$work/once.samples")" -lt "$("$wavepgo" show --json once-exact | grep -c '"stage": .*"function": 0,')" ] || fail "every pipeline bound once is counted"

# Several at once with a cache and feedback, derivatives, compiles that are not to happen, libraries, inline modules.
for scenario in batch derive required library inline draw; do
    plain $scenario-absent "$app" $scenario "$WPG_SPIRV"
    [ "$(cat "$work/$scenario-absent.code")" != 77 ] || continue
    WAVEPGO_SAMPLE=1/4 WAVEPGO_SAMPLE_BY=bind generate $scenario "$app" $scenario "$WPG_SPIRV"
    same $scenario-absent $scenario
done
finish

#!/bin/sh
# Stale profiles: shaders that changed since they were counted find the counts of their earlier version in a bundle, by
# anchors; how much was matched is told; outputs are those of the changed shaders. A shader that is plainly another, or of
# which too little is left, gets nothing. A name is no change.
. "$(dirname "$0")/lib.sh"
old_name=$WPG_PROGRAMS/e2e_old_name
need_built "$wavepgo" "$layer" "$bench" "$old_name"
need_program glslangValidator

compile() { # SOURCE CASE [OPTION]
    # shellcheck disable=SC2086
    glslangValidator -V --quiet ${3:-} --target-env vulkan1.1 -S comp --source-entrypoint main -e "$2" -I"$WPG_SOURCE/shaders" \
        -o "$work/changed/$2.comp.spv" "$1" >"$work/glslang.out" 2>&1 || die "glslangValidator: $(tail -n 3 "$work/glslang.out")"
}

mkdir -p "$work/changed"
cp "$WPG_BUILD"/shaders/*.spv "$work/changed/"
# A changed constant and a block put in; a loop put in; another name; another shader altogether.
awk '/result\[gid\] = sum;/ { print "if (gid > 4000000000u) sum = sum * 0.5 + x;" } { sub("0.07", "0.09"); print }' \
    "$WPG_SOURCE/shaders/trip_uniform.comp" >block.comp
awk '/result\[gid\] = sum;/ { print "for (uint k = 0u; k < push.period / 100000000u; ++k) sum = fract(sum) * 2.0;" } { print }' \
    "$WPG_SOURCE/shaders/select_rare.comp" >loop.comp
sed 's/\<limit\>/most/g' "$WPG_SOURCE/shaders/mandelbrot.comp" >name.comp
cat >other.comp <<'END'
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Output { uint result[]; };
void main()
{
    uint x = gl_GlobalInvocationID.x, steps = 0u;
    while (x > 1u && steps < 90u) {
        x = (x & 1u) == 0u ? x >> 1 : 3u * x + 1u;
        steps++;
        if (bitCount(x) == 20) break;
    }
    if (gl_GlobalInvocationID.x < 64u) result[gl_GlobalInvocationID.x] = steps ^ findMSB(x + 1u);
}
END
compile block.comp trip_uniform
compile loop.comp select_rare -gVS # counted without debug information, under another hash
compile name.comp mandelbrot
compile other.comp rfc_uniform
cmp -s "$work/changed/mandelbrot.comp.spv" "$WPG_BUILD/shaders/mandelbrot.comp.spv" && fail "the name is the same: this test sees nothing"

counted="$bench --size small --checksum --case trip_uniform --case select_rare --case mandelbrot --case rfc_uniform"
WAVEPGO_LOG_FILE=$work/counted.log "$wavepgo" run --generate --bundle "$work/counted.bundle" -- $counted >counted.out 2>&1 ||
    fail "generate: $(tail -n 2 counted.out)"

changed="$counted --shaders $work/changed"
plain absent $changed
exited absent 0
# $1's line in the use log of run $2, by its entry point.
line() { grep -o "\"shader\": \"[0-9a-f]*\", \"stage\": \"[a-z]*\", \"entry\": \"$1\", \"found\": [^[]*" "$work/$2.uselog" | head -n 1; }

WAVEPGO_VALIDATE=1 use anchors "$work/counted.bundle" $changed
same absent anchors
for case in trip_uniform select_rare; do
    line $case anchors | grep '"found": "anchors", "result": "[a-z]*", "why": "", "like": "[0-9a-f]\{32\}", "matched": \(9[0-9]\.[0-9]\|100.0\)' >/dev/null ||
        fail "$case: $(line $case anchors)"
done
line mandelbrot anchors | grep '"found": "pipeline"' >/dev/null || fail "mandelbrot, other names: $(line mandelbrot anchors)"
line rfc_uniform anchors | grep '"found": "no", "result": "original", "why": "the profile does not know this shader"' >/dev/null ||
    fail "another shader: $(line rfc_uniform anchors)"
"$wavepgo" show --use-log anchors.uselog | grep -E ' trip_uniform: [a-z]+, profile found by anchors, (9[0-9]|100) % matched, of [0-9a-f]{32}$' >/dev/null ||
    fail "show: $("$wavepgo" show --use-log anchors.uselog | grep trip_uniform)"
# The lever the old counts are for is applied to the new shader, where the driver lets it.
if [ "$WPG_DRIVER" = new ]; then
    grep '"pass": "unflatten", "done": true' anchors.uselog >/dev/null || fail "select_rare: nothing un-flattened"
    grep '"pass": "trip-guard", "done": true' anchors.uselog >/dev/null || fail "trip_uniform: nothing guarded"
fi
# Twice the same, from whatever thread and in whatever order.
use again "$work/counted.bundle" $changed
same absent again
for case in trip_uniform select_rare; do
    [ "$(line $case anchors)" = "$(line $case again)" ] || fail "$case: another match in the second run"
done

# No creation waits for a search. It is made behind the program, and what it found is known to the next start: that has the
# words at once, and searches for nothing.
made() { grep -o '[0-9]* made in the background' "$work/$1.log"; }
for start in first second; do
    WAVEPGO_CACHE=$work/stale.cache WAVEPGO_COMPILE=background WAVEPGO_VARIANT_WAIT=30 WAVEPGO_LOG=info use $start "$work/counted.bundle" $changed
    same absent $start
    for case in trip_uniform select_rare rfc_uniform; do
        [ "$(line $case anchors)" = "$(line $case $start)" ] || fail "$start: $(line $case $start), in place of $(line $case anchors)"
    done
done
[ -n "$(made first)" ] || fail "nothing was made behind the program: $(tail -n 1 first.log)"
[ -z "$(made second)" ] || fail "the second start searched again: $(tail -n 1 second.log)"
# Below the threshold nothing is applied, and the figure is told.
awk '/result\[gid\] = sum;/ {
        print "for (uint k = 0u; k < push.iterations; ++k) { if (sum > 0.5) sum = sqrt(sum) * x; else sum = fract(sum * 3.0) + x; }"
     } { print }' "$WPG_SOURCE/shaders/trip_uniform.comp" >"$work/longer.comp"
mkdir -p "$work/kept"
cp "$work"/changed/*.spv "$work/kept/"
cp "$WPG_BUILD/shaders/trip_uniform.comp.spv" "$work/changed/"
compile "$work/longer.comp" trip_uniform
WAVEPGO_LOG_FILE=$work/longer.log "$wavepgo" run --generate --bundle "$work/longer.bundle" -- $changed >longer.out 2>&1 || fail "generate"
# Counts of the longer version for the shorter: those of its own loop find nothing.
use fewer "$work/longer.bundle" $counted
line trip_uniform fewer | grep '"found": "no", "result": "original", "why": "the profile does not know this shader; [0-9.]* % of the counts of [0-9a-f]* find their blocks, less than MIN_MATCH"' >/dev/null ||
    fail "too little: $(line trip_uniform fewer)"
WAVEPGO_MIN_MATCH=10 use enough "$work/longer.bundle" $counted
line trip_uniform enough | grep '"found": "anchors"' >/dev/null || fail "MIN_MATCH=10: $(line trip_uniform enough)"
plain short $counted
same short fewer
same short enough
# Each threshold has its own answer in the cache.
for least in 90 10 90; do
    rm -f least.uselog
    WAVEPGO_MIN_MATCH=$least WAVEPGO_CACHE=$work/stale.cache WAVEPGO_COMPILE=background WAVEPGO_VARIANT_WAIT=30 use least "$work/longer.bundle" $counted
    same short least
    [ $least = 90 ] && of=fewer || of=enough
    [ "$(line trip_uniform least)" = "$(line trip_uniform $of)" ] || fail "MIN_MATCH=$least: $(line trip_uniform least)"
done

# A merged file has no shaders to compare with; a merged bundle has.
"$wavepgo" merge --quiet -o "$work/merged.profdata" "$work/counted.bundle" || fail "merge"
"$wavepgo" merge --quiet -o "$work/merged.bundle" "$work/counted.bundle" || fail "merge to a bundle"
changed="$counted --shaders $work/kept"
use file "$work/merged.profdata" $changed
line trip_uniform file | grep '"found": "no"' >/dev/null || fail "a file: $(line trip_uniform file)"
use merged "$work/merged.bundle" $changed
[ "$(line trip_uniform merged)" = "$(line trip_uniform anchors)" ] || fail "a merged bundle: $(line trip_uniform merged)"
# A bundle whose shader is damaged matches nothing, and harms nothing.
cp -r "$work/merged.bundle/shaders" "$work/whole"
for file in "$work"/merged.bundle/shaders/*.spv; do head -c 100 "$file" >cut && cp cut "$file"; done
WAVEPGO_CACHE=$work/mended.cache use damaged "$work/merged.bundle" $changed
same absent damaged
line trip_uniform damaged | grep '"found": "no"' >/dev/null || fail "a damaged bundle: $(line trip_uniform damaged)"
# Mended, it matches: that nothing was found in a damaged one is not kept.
cp "$work"/whole/*.spv "$work/merged.bundle/shaders/"
WAVEPGO_CACHE=$work/mended.cache WAVEPGO_COMPILE=background WAVEPGO_VARIANT_WAIT=30 use mended "$work/merged.bundle" $changed
same absent mended
[ "$(line trip_uniform mended)" = "$(line trip_uniform anchors)" ] || fail "a mended bundle: $(line trip_uniform mended)"

# A profile from before the last change of identity names the same shaders otherwise: found without a bundle.
mandelbrot=$WPG_BUILD/shaders/mandelbrot.comp.spv
"$wavepgo" merge --quiet --format text -o now.proftext "$work/counted.bundle" || die "merge to text"
cp now.proftext before.proftext
for case in trip_uniform select_rare mandelbrot rfc_uniform; do
    names=$("$old_name" "$WPG_BUILD/shaders/$case.comp.spv" $case) || die "$case has no name"
    [ "${names#* }" != "${names% *}" ] || die "$case has one name: this test sees nothing"
    sed "s/${names% *}/${names#* }/" before.proftext >next.proftext && mv next.proftext before.proftext
done
"$wavepgo" merge --quiet -o "$work/before.profdata" before.proftext || fail "merge of the old names"
use before "$work/before.profdata" $counted
same short before
for case in trip_uniform select_rare mandelbrot rfc_uniform; do
    line $case before | grep '"found": "shader"' >/dev/null || fail "$case by its old name: $(line $case before)"
done
[ "$(grep -c 'the profile is of an earlier wavepgo, which named shaders otherwise' before.log)" = 1 ] || fail "the old names are not told once: $(cat before.log)"
"$wavepgo" merge --quiet -o "$work/now.profdata" now.proftext || die "merge"
for profile in now before; do
    "$wavepgo" instrument "$mandelbrot" --use "$work/$profile.profdata" -o $profile.spv >$profile.remarks 2>&1 || fail "instrument, $profile: $(cat $profile.remarks)"
    "$wavepgo" verify "$work/$profile.profdata" "$mandelbrot" >$profile.verify 2>&1
    grep '4 functions, .*; 3 without their module' $profile.verify >/dev/null || fail "verify, $profile: $(cat $profile.verify)"
done
cmp -s now.spv before.spv || fail "instrument makes something else of the old name"
finish

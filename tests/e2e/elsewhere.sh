#!/bin/sh
# A profile from another driver applies: counted on lavapipe 22.3.6, used on lavapipe 25.0.7 and on RADV (without hardware). Shader and
# pipeline hashes are the same, the profile is found by the pipeline, and what each pass does is what a profile of that driver would
# let it do, but for what the driver's own work or its waves decide.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"
[ -n "$WPG_LVP_ICD_OLD" ] && [ -n "$WPG_LVP_ICD" ] || skip "this takes both lavapipes"
export WAVEPGO_SUMMARY=0 WAVEPGO_LOG=info WAVEPGO_VARIANT_WAIT=20 WAVEPGO_VARIANT_RULE=on
on() { # new|old|radv COMMAND...
    on_driver=$1
    shift
    (use_driver "$on_driver" && "$@")
}
hashes() { sed 's/.*"pipeline": "\([0-9a-f]*\)".*/\1/' "$work/$1.uselog" | LC_ALL=C sort -u; }
shaders() { grep -o '"shader": "[0-9a-f]*", "stage": "[a-z]*", "entry": "[^"]*", "found": "[a-z]*"' "$work/$1.uselog" | LC_ALL=C sort -u; }
# What was done, per shader and pass.
done_by() { awk '{ n = split($0, part, "\"shader\": \""); for (i = 2; i <= n; i++) { hash = substr(part[i], 1, 32); m = split(part[i], pass, "\"pass\": \""); for (k = 2; k <= m; k++) if (pass[k] ~ /^[^}]*"done": true/) { name = pass[k]; sub(/".*/, "", name); print hash, name } } }' "$work/$1.uselog" | LC_ALL=C sort -u; }

for driver in old new; do
    on $driver "$wavepgo" run --generate --bundle "$work/$driver.wavepgo" --probes values -- "$bench" --size small --checksum >"$work/generate-$driver.out" 2>&1 || die "no bundle on $driver: $(tail -n 3 "$work/generate-$driver.out")"
done
ls old.wavepgo/pipelines old.wavepgo/shaders | grep -E '^[0-9a-f]{32}\.(facts|spv)$' | LC_ALL=C sort >hashes-old
ls new.wavepgo/pipelines new.wavepgo/shaders | grep -E '^[0-9a-f]{32}\.(facts|spv)$' | LC_ALL=C sort >hashes-new
[ "$(grep -c . hashes-old)" -ge 20 ] || fail "too few hashes: $(cat hashes-old)"
cmp -s hashes-old hashes-new || { fail "hashes differ between drivers"; diff hashes-old hashes-new; }
# Lanes do not depend on the driver but for the pixels and vertices of its rasteriser; of compute shaders they are equal.
"$wavepgo" verify --json old.wavepgo --against new.wavepgo >against.json || fail "verify over another driver's profile"
grep '"stage": "comp"' against.json | grep -v '"lanes": {"overlap": 1.000000, "difference": 0.000000}' && fail "lanes of a compute shader differ between drivers"

plain image "$bench" --size small --checksum
same_image() { cmp -s "$work/$1.out" "$work/image.out" || fail "$1: results differ"; }
for profile in old new; do
    on new use "new-by-$profile" "$work/$profile.wavepgo" "$bench" --size small --checksum
    exited "new-by-$profile" 0
    same_image "new-by-$profile"
done
cmp_sets() { # FIRST SECOND WHAT
    $3 "$1" >first.set
    $3 "$2" >second.set
    [ -s first.set ] || fail "$1: nothing of $3"
    cmp -s first.set second.set || { fail "$1 and $2 differ in $3"; diff first.set second.set; }
}
cmp_sets new-by-old new-by-new hashes
cmp_sets new-by-old new-by-new shaders
shaders new-by-old | grep -v '"found": "pipeline"' && fail "a shader's counts are not found by its pipeline"
# Selects by waves, trips and values are the same whatever the driver: so are the passes that rest on them.
for pass in unflatten trip-guard value-guard push-fold; do
    eval "of_pass() { done_by \"\$1\" | grep \" $pass\\$\"; }"
    of_pass new-by-old >first.set
    of_pass new-by-new >second.set
    [ -s second.set ] || echo "no shader here for $pass"
    cmp -s first.set second.set || { fail "$pass is not the same by the other driver's profile"; diff first.set second.set; }
done
[ "$(done_by new-by-old | grep -c -E ' (unflatten|trip-guard)$')" -ge 2 ] || fail "the other driver's profile moves no code"

if [ -n "$WPG_RADV_ICD" ]; then
    RADV_FORCE_FAMILY=navi31
    export RADV_FORCE_FAMILY
    on radv use radv-by-old "$work/old.wavepgo" "$bench" --compile-only
    exited radv-by-old 0
    cmp_sets new-by-old radv-by-old hashes
    cmp_sets new-by-old radv-by-old shaders
    of_code() { done_by "$1" | grep -E ' (unflatten|trip-guard|value-guard)$'; }
    cmp_sets new-by-old radv-by-old of_code
fi
finish

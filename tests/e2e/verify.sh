#!/bin/sh
# `wavepgo verify` over the profiles of the benchmarks: however they were counted, every count is possible; and a count
# that was changed is found, with its block. Nothing is measured here.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"
json=$WPG_PROGRAMS/e2e_json
need_built "$json" "$oracle"

counted() { # NAME OPTIONS...: a bundle of all benchmarks, verified
    counted_name=$1
    shift
    WAVEPGO_SELECTS=all WAVEPGO_LOG_FILE=$work/$counted_name.log "$wavepgo" run --generate --bundle "$work/$counted_name.bundle" "$@" -- \
        $bench --size small --checksum >"$work/$counted_name.out" 2>&1 || fail "$counted_name: $(tail -n 2 "$work/$counted_name.out")"
    "$wavepgo" verify "$work/$counted_name.bundle" >"$work/$counted_name.verify" 2>&1 ||
        fail "$counted_name: $(head -n 5 "$work/$counted_name.verify")"
    grep ' functions\{0,1\}, [0-9]* checks, 0 broken' "$work/$counted_name.verify" >/dev/null || fail "$counted_name: $(cat "$work/$counted_name.verify")"
    ! grep 'without their module' "$work/$counted_name.verify" || fail "$counted_name: modules are missing in a bundle"
    ! grep 'impossible counts' "$work/$counted_name.log" || fail "$counted_name: the layer finds counts impossible"
}
counted all --probes branches,switch,loops,entry
benchmarks=$($bench --list | grep -c '^[a-z][a-z_]* *[0-9]')
[ "$benchmarks" -ge 14 ] || fail "$benchmarks benchmarks"
[ "$(find all.bundle/pipelines -name '*.facts' | grep -c .)" = "$benchmarks" ] || fail "not every benchmark is in the profile"
counted sampled --sample 1/4 --probes branches,switch,loops,entry
counted lane --strategy lane

# Without modules what needs none is asked; given as files or in another bundle they are found.
"$wavepgo" merge --quiet -o all.profdata all.bundle || fail "merge"
"$wavepgo" verify all.profdata >without || fail "without modules: $(cat without)"
grep 'without their module: control flow not checked' without >/dev/null || fail "without modules: $(cat without)"
for place in all.bundle "$(echo all.bundle/shaders/*.spv)"; do
    # shellcheck disable=SC2086
    "$wavepgo" verify all.profdata $place >with || fail "with modules: $(head -n 3 with)"
    cmp -s with without && fail "modules change nothing"
    ! grep 'without their module' with || fail "modules not found: $(cat with)"
done
# Of too few modules the rest is told.
"$wavepgo" verify all.profdata "$(echo all.bundle/shaders/*.spv | cut -d' ' -f1)" >few && fail "one module is enough for all"
grep ': module: its SPIR-V is in none of the places given$' few >/dev/null || fail "one module: $(head -n 2 few)"

# A count of lanes, one more: found, whichever (every third one but at night). Of other kinds, far too many.
"$wavepgo" merge --quiet --format text -o commented.proftext all.bundle || die "merge to text"
grep -v '^#' commented.proftext >all.proftext
"$wavepgo" verify all.proftext all.bundle >text || fail "as text: $(head -n 3 text)"
change() { # RECORD COUNTER AMOUNT: adds that to the record's counter, counted from 0
    awk -v record="$1" -v counter="$2" -v amount="$3" '
        $0 == record { at = NR }
        at && NR == at + 3 + counter { printf "%.0f\n", $1 + amount; changed = 1; next }
        { print }
        END { exit !changed }' all.proftext >changed.proftext || fail "$1 has no counter $2"
}
tried=0 step=3 least=8
[ -z "${WPG_SANITIZED:-}" ] || step=6 least=4
[ -z "${WPG_NIGHTLY:-}" ] || step=1 least=20
for entry in mandelbrot bvh; do
    record=$(grep "\.comp\.$entry#lanes\$" all.proftext | head -n 1)
    blocks=$(awk -v record="$record" '$0 == record { at = NR } at && NR == at + 2 { print; exit }' all.proftext)
    [ "${blocks:-999}" -lt 100 ] || die "$entry: $blocks blocks"
    counter=0
    while [ "$counter" -lt "$blocks" ]; do
        change "$record" "$counter" 1
        if "$wavepgo" verify changed.proftext all.bundle >changed.verify; then
            fail "$entry, block $counter: one lane more is not found"
        elif [ "$(grep -c . changed.verify)" -lt 2 ] || grep -v "\.$entry function 0[^:]*: [a-z]*: block [0-9]*\( ([^)]*)\)\{0,1\}: .*[0-9]\|broken" changed.verify; then
            fail "$entry, block $counter: $(head -n 3 changed.verify)"
        fi
        tried=$((tried + 1)) counter=$((counter + step))
    done
done
[ $tried -ge $least ] || fail "only $tried counts were changed"
for kind in waves uniform branches trips selects entry_mask cases; do
    record=$(grep "#$kind\$" all.proftext | head -n 1)
    if [ -z "$record" ]; then
        [ $kind = cases ] || fail "no record of kind $kind"
        continue
    fi
    counter=2
    [ $kind = waves ] || [ $kind = uniform ] || [ $kind = selects ] || counter=3
    [ $kind != selects ] || counter=0
    [ $kind != waves ] && [ $kind != uniform ] || counter=0
    change "$record" "$counter" 1000000000
    ! "$wavepgo" verify changed.proftext all.bundle >changed.verify || fail "#$kind: a count far too large is not found"
    "$wavepgo" verify --json changed.proftext all.bundle >changed.json && fail "--json: exit code 0 of something broken"
    "$json" changed.json functions checks findings || fail "--json of #$kind"
done
# Another module under the shader's name: the checksum tells.
cp -r all.bundle other.bundle
set -- other.bundle/shaders/*.spv
mandelbrot=$(grep -o '^[0-9a-f]*\.comp\.mandelbrot#lanes$' all.proftext | cut -d. -f1)
spirv-dis --raw-id "other.bundle/shaders/$mandelbrot.spv" >mandelbrot.spvasm 2>/dev/null && {
    "$wavepgo" instrument "other.bundle/shaders/$mandelbrot.spv" --strategy naive -o "counting.spv" >/dev/null &&
        cp counting.spv "other.bundle/shaders/$mandelbrot.spv"
    "$wavepgo" verify other.bundle >other.verify && fail "another module is not noticed"
    grep '\.mandelbrot function 0: checksum: checksum [0-9a-f]*, ' other.verify >/dev/null || fail "another module: $(head -n 3 other.verify)"
}

# Two runs of the same differ by nothing; a sampled one by little, and not by nothing.
"$wavepgo" verify all.bundle --against all.profdata | grep 'lanes .*difference 0\.00 %' >/dev/null || fail "--against itself"
"$wavepgo" verify --json all.bundle --against sampled.bundle >against.json || fail "--against"
"$json" against.json against || fail "--against --json: $(head -c 300 against.json)"
"$wavepgo" verify all.bundle --against sampled.bundle | grep '^  lanes .*difference 0\.00 %' && fail "sampled counts are exact: this sees nothing"
grep '"functions": \[' against.json >/dev/null && grep -E '^\{"shader": "[0-9a-f]{32}", .*"lanes": \{"overlap": 0\.9' against.json >/dev/null || fail "--against does not score functions"
# A driver that compiles counting wrongly: the layer says so itself, once a stage, three stages by name; verify lists them.
miscounted() { # NAME N CASES...: the Nth addition of each stage is lost
    name=$1 nth=$2
    shift 2
    SHIM_RECORD=$work/known WAVEPGO_MODE=off shimmed "$bench" --size small --repeat 0 "$@" >/dev/null 2>&1
    export SHIM_KNOWN="$work/known" SHIM_MISCOUNT="$nth"
    WAVEPGO_MODE=generate WAVEPGO_BUNDLE=$work/$name.bundle WAVEPGO_PROFILE_FILE=$work/$name.bundle/ WAVEPGO_LOG_FILE=$work/$name.log shimmed \
        "$bench" --size small --checksum "$@" >"$work/$name.out" 2>&1 || fail "$name: $(tail -n 2 "$work/$name.out")"
    unset SHIM_KNOWN SHIM_MISCOUNT
}
make_shim
seen=0
for nth in 1 2 3 4; do
    miscounted wrong$nth $nth --case mandelbrot
    said=$(grep -c 'pipeline [0-9a-f]\{32\} comp mandelbrot: impossible counts: block [0-9]*: .*[0-9]\(, and more\)\{0,1\}\. The driver runs' "$work/wrong$nth.log")
    "$wavepgo" verify "$work/wrong$nth.bundle" >"$work/wrong$nth.verify"
    [ "$said" = $? ] || fail "addition $nth is lost; verify: $(tail -n 1 "$work/wrong$nth.verify"); the layer: $(cat "$work/wrong$nth.log")"
    seen=$((seen + said))
done
[ $seen -ge 2 ] || fail "$seen of 4 lost additions are seen"
miscounted all_wrong 1
[ "$(grep -c ': impossible counts: ' "$work/all_wrong.log")" = 3 ] || fail "not three stages by name: $(cat "$work/all_wrong.log")"
grep 'impossible counts in [1-9][0-9]* more stages*: .wavepgo verify. lists all' "$work/all_wrong.log" >/dev/null || fail "the others are not told: $(cat "$work/all_wrong.log")"

# SPIR-V lets a driver run lanes apart that come to a switch's default by several values: a wave more is possible there, in this
# kernel's two switches, and in no other block.
WAVEPGO_SELECTS=none "$wavepgo" run --generate --probes switch --bundle switch.bundle -- "$oracle" values_mixed comp 64 "$WPG_SPIRV" none >switch.out 2>&1 || fail "switch: $(cat switch.out)"
"$wavepgo" verify switch.bundle >switch.verify || fail "switch: $(cat switch.verify)"
"$wavepgo" merge --quiet --format text -o commented.proftext switch.bundle || fail "switch: merge"
grep -v '^#' commented.proftext >all.proftext
record=$(grep '#waves$' all.proftext)
blocks=$(awk -v record="$record" '$0 == record { at = NR } at && NR == at + 2 { print; exit }' all.proftext)
counter=0 possible=0
while [ "$counter" -lt "${blocks:-0}" ]; do
    change "$record" "$counter" 1
    ! "$wavepgo" verify changed.proftext switch.bundle >changed.verify || possible=$((possible + 1))
    counter=$((counter + 1))
done
# On a GPU lanes do run apart: more is possible then.
[ $possible = 2 ] || [ "$WPG_DRIVER" = hardware ] || fail "one wave more is possible in $possible of ${blocks:-0} blocks, expected 2"

# What one has alone is told, and counts for nothing.
cp -r all.bundle part.bundle
rm "$(find part.bundle -name '*.profraw' | LC_ALL=C sort | head -n 1)"
"$wavepgo" verify part.bundle --against all.bundle >part.verify || fail "--against a larger one"
grep 'overlap of all counters in both 100\.00 %; records in one only: 0, [1-9]' part.verify >/dev/null || fail "records in one only are counted: $(cat part.verify)"
[ "$(grep -c '^  \(lanes\|waves\) .*block overlap 100\.00 %, weighted relative difference 0\.00 %' part.verify)" = 2 ] || fail "a part of a profile differs from it: $(cat part.verify)"
finish

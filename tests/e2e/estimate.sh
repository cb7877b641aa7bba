#!/bin/sh
# `wavepgo estimate`: what the driver's compiler says of the benchmarks given, by use mode, and without what never ran.
# WPG_DRIVER=radv or radv-old tells (without hardware); the profile comes from lavapipe, which does not tell.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"
json=$WPG_PROGRAMS/e2e_json
need_built "$json"
case $WPG_DRIVER in
radv) families="navi31 navi21" profiler=new ;;
radv-old) families="gfx1100 navi21" profiler=old ;;
*) die "WPG_DRIVER must be radv or radv-old" ;;
esac
[ -n "$(driver_icd $profiler)" ] || skip "no lavapipe to make the profile with"
teller=$(driver_icd "$WPG_DRIVER")

(
    use_driver $profiler
    WAVEPGO_LOG_FILE=$work/bundle.log "$wavepgo" run --generate --bundle "$work/all.bundle" -- \
        $bench --size small --checksum >"$work/bundle.out" 2>&1
) || die "generate: $(tail -n 2 "$work/bundle.out")"
"$wavepgo" merge --quiet -o all.profdata all.bundle || die "merge"
cp -r all.bundle untouched.bundle

estimate() { called estimate "$@"; } # NAME CODE OPTIONS...
# figure FILE ENTRY STATISTIC COLUMN(1 original, 2 use, 3 what-if): of the first executable of the pipeline with that entry point
figure() {
    awk -v entry="$2" -v key="$3" -v column="$4" '
        /^PIPELINE|^SHADER/ { here = 0 }
        index($0, "comp " entry ":") { here = 1 }
        here && index($0, "    " key " ") == 1 {
            sub(/^ */, ""); $0 = substr($0, length(key) + 1); print $column; exit
        }' "$1"
}

for family in $families; do
    export RADV_FORCE_FAMILY=$family
    estimate "$family" 0 --bundle all.bundle --driver "$teller"
    grep 'WHAT-IF: .*never saw executed' "$family.out" >/dev/null || fail "$family: not labelled as a what-if"
    [ "$(grep -c '^PIPELINE' "$family.out")" -ge 13 ] || fail "$family: $(grep -c '^PIPELINE' "$family.out") pipelines"
    ! grep -E 'not possible|crash|refuses|what-if: |use: ' "$family.out" || fail "$family: not all of the benchmark is compared"
    [ "$(grep -c '^  frag, waves of' "$family.out")" = 3 ] || fail "$family: $(grep -c '^  frag, waves of' "$family.out") fragment shaders"
    # What never ran in `uber` is most of its materials; in `mandelbrot` everything ran.
    [ "$(figure "$family.out" uber 'Code size' 3)" -lt "$(figure "$family.out" uber 'Code size' 1)" ] ||
        fail "$family: cutting uber frees no code: $(grep -A4 'comp uber' "$family.out")"
    for key in VGPRs 'Subgroups per SIMD' 'Code size' 'Inverse Throughput'; do
        [ -n "$(figure "$family.out" mandelbrot "$key" 1)" ] || fail "$family: no figure '$key'"
        [ "$(figure "$family.out" mandelbrot "$key" 1)" = "$(figure "$family.out" mandelbrot "$key" 3)" ] ||
            fail "$family: mandelbrot's $key changes, though everything ran"
    done
    grep 'comp mandelbrot: 0 of [0-9]* blocks never executed (by waves)$' "$family.out" >/dev/null || fail "$family: $(grep mandelbrot: "$family.out")"
    grep 'comp uber: [1-9][0-9]* of [0-9]* blocks never executed (by waves)$' "$family.out" >/dev/null || fail "$family: $(grep uber: "$family.out")"
    # The figures are the driver's own: what the runner is told of the same shaders.
    $bench --case uber --statistics >"runner.$family" 2>/dev/null || die "$family: the runner has no statistics"
    for key in VGPRs 'Code size' Latency; do
        told=$(awk -v key="$key" 'index($0, " " key " ") { print $NF; exit }' "runner.$family")
        [ -n "$told" ] || fail "$family: the runner has no $key"
        [ "$(figure "$family.out" uber "$key" 1)" = "$told" ] || fail "$family: uber's $key is $(figure "$family.out" uber "$key" 1), the runner's $told"
    done
    # And of the words that use mode really hands down.
    "$wavepgo" run --use all.profdata --cache none --summary 0 --skip-passes w -- $bench --case select_rare --statistics >"runner.use.$family" 2>/dev/null ||
        die "$family: use mode has no statistics"
    for key in VGPRs 'Code size' Latency; do
        told=$(awk -v key="$key" 'index($0, " " key " ") { print $NF; exit }' "runner.use.$family")
        [ -n "$told" ] || fail "$family: use mode has no $key"
        [ "$(figure "$family.out" select_rare "$key" 2)" = "$told" ] ||
            fail "$family: select_rare's $key under use is $(figure "$family.out" select_rare "$key" 2), in use mode $told"
    done
done
estimate "$family-json" 0 --json --bundle all.bundle --driver "$teller"
"$json" "$family-json.out" profile what_if device.name device.driver 'pipelines#13' 'pipelines.*.stages#1' 'pipelines.*.pipeline' \
    'pipelines.*.stages.*.blocks' 'pipelines.*.stages.*.never_executed' 'pipelines.*.forms.original.executables#1' \
    'pipelines.*.forms.use.executables#1' 'pipelines.*.forms.what-if.executables#1' 'pipelines.*.forms.original.same_as_original=true' \
    'pipelines.*.forms.what-if.executables.*.statistics.VGPRs' 'ratios.what-if.Code size.geometric_mean' 'ratios.use.VGPRs.executables' ||
    fail "$family: --json"

# The thesis's experiment where it pays: an arm that never ran, and all the registers it needs (shaders/never.comp).
cp -r "$WPG_BUILD/shaders" never
cp "$WPG_SPIRV/never.comp.spv" never/rfc_uniform.comp.spv
(
    use_driver $profiler
    WAVEPGO_LOG_FILE=$work/never.log "$wavepgo" run --generate --bundle "$work/never.bundle" -- \
        $bench --case rfc_uniform --shaders never --size small --checksum >"$work/never.bench" 2>&1
) || die "never: $(tail -n 2 "$work/never.bench")"
estimate never 0 --bundle never.bundle --driver "$teller"
for key in VGPRs 'Code size' 'Inverse Throughput'; do
    [ $((2 * $(figure never.out rfc_uniform "$key" 3))) -lt "$(figure never.out rfc_uniform "$key" 1)" ] ||
        fail "never: $key is $(figure never.out rfc_uniform "$key" 1), without what never ran $(figure never.out rfc_uniform "$key" 3)"
    [ "$(figure never.out rfc_uniform "$key" 2)" = "$(figure never.out rfc_uniform "$key" 1)" ] || fail "never: use mode cuts: $(cat never.out)"
done
[ "$(figure never.out rfc_uniform 'Subgroups per SIMD' 3)" -gt "$(figure never.out rfc_uniform 'Subgroups per SIMD' 1)" ] ||
    fail "never: no more occupancy: $(cat never.out)"

# One pipeline, by its hash or its shader's.
whole=$(sed -n 's/^PIPELINE \([0-9a-f]*\) .*/\1/p' "$family.out" | head -n 1)
shader=$(basename "$(grep -l '^is entry mandelbrot' all.bundle/shaders/*.info)" .info)
for hash in "$whole" "$(echo "$whole" | cut -c1-8)" "$shader"; do
    estimate one 0 --bundle all.bundle --driver "$teller" "$hash"
    [ "$(grep -c '^PIPELINE' one.out)" = 1 ] || fail "$hash: $(grep -c '^PIPELINE' one.out) pipelines"
done
grep 'comp mandelbrot' one.out >/dev/null || fail "by shader: $(cat one.out)"
estimate nobody 1 --bundle all.bundle --driver "$teller" ffffffffffff
grep 'no pipeline or shader ffffffffffff' nobody.err >/dev/null || fail "unknown hash: $(cat nobody.err)"

# A profile without shaders, and modules as files or a folder of dumps: the same figures. The bundle alone has the program's names
# of pipelines.
figures() { grep -v '^all\.' | sed 's/\( block executions\)  .*/\1/'; }
estimate files 0 --profile all.profdata --driver "$teller" "$WPG_BUILD"/shaders/*.spv
estimate folder 0 --profile all.profdata --driver "$teller" all.bundle/shaders
figures <"$family.out" >expected
for form in files folder; do
    figures <"$form.out" | diff expected - >"$form.diff" || fail "$form: $(head -n 5 "$form.diff")"
done
# Graphics without all of its stages: told, not left out in silence.
estimate part 1 --profile all.profdata --driver "$teller" "$WPG_BUILD/shaders/mesh.frag.spv"
grep 'vert: its SPIR-V is not at hand' part.out >/dev/null || fail "a stage is missing: $(cat part.out)"
grep 'more without their SPIR-V here' part.out >/dev/null || fail "pipelines without modules are not told of"
estimate none 1 --profile all.profdata --driver "$teller" "$WPG_SPIRV/count.comp.spv"
grep 'none of the given modules belongs to a pipeline' none.err >/dev/null || fail "a foreign module: $(cat none.err)"
# Of another version of the shader nothing is said: its hash is another. A sampled profile is told to be one.
(
    use_driver $profiler
    WAVEPGO_LOG_FILE=$work/sampled.log "$wavepgo" run --generate --sample 1/4 --bundle "$work/sampled.bundle" -- \
        $bench --case uber --size small --checksum >"$work/sampled.out" 2>&1
) || die "sampled: $(tail -n 2 "$work/sampled.out")"
estimate sampled 0 --bundle sampled.bundle --driver "$teller"
grep 'by waves, SAMPLED' sampled.out >/dev/null || fail "sampled: $(cat sampled.out)"

# GPU time orders, where there is some.
(
    use_driver $profiler
    WAVEPGO_LOG_FILE=$work/timed.log "$wavepgo" run --generate --timestamps 1 --bundle "$work/timed.bundle" -- \
        $bench --case uber --case lights --size small --checksum >"$work/timed.out" 2>&1
) || die "timed: $(tail -n 2 "$work/timed.out")"
estimate timed 0 --bundle timed.bundle --driver "$teller"
grep 'by GPU time' timed.out >/dev/null || fail "timed: $(head -n 1 timed.out)"
sed -n 's/^PIPELINE [0-9a-f]*  \([0-9.]*\) ms GPU.*/\1/p' timed.out >times
[ "$(grep -c . times)" = 2 ] && sort -rn times | cmp -s - times || fail "not the hottest first: $(tr '\n' ' ' <times)"

# Passes by choice: without any, use mode changes nothing. A version alone has less code than both bodies. Times are told on request.
estimate no-pass 0 --bundle all.bundle --driver "$teller" --skip-passes acefloprstuvwz --changed
[ "$(grep -c 'use mode changes nothing: not compiled$' no-pass.out)" = "$(grep -c '^PIPELINE' no-pass.out)" ] || fail "without passes: $(cat no-pass.out)"
for form in both alone; do
    option=
    [ $form = both ] || option=--version-alone
    # shellcheck disable=SC2086
    estimate "$form" 0 --bundle all.bundle --driver "$teller" --skip-passes aeflprtuvw --changed $option
done
[ "$(grep -c 'waves of' both.out)" -ge 1 ] || fail "no benchmark has a version: $(cat both.out)"
[ "$(figure alone.out value_uniform 'Code size' 2)" -lt "$(figure both.out value_uniform 'Code size' 2)" ] ||
    fail "a version alone: $(figure alone.out value_uniform 'Code size' 2), with the other body $(figure both.out value_uniform 'Code size' 2)"
estimate plain 0 --bundle all.bundle --driver "$teller" --no-what-if
estimate pushed 0 --bundle all.bundle --driver "$teller" --no-what-if --and-passes p --repeat 2
[ "$(figure pushed.out push_stride 'Code size' 2)" -lt "$(figure plain.out push_stride 'Code size' 2)" ] ||
    fail "push constants: $(figure pushed.out push_stride 'Code size' 2), without their values $(figure plain.out push_stride 'Code size' 2)"
! grep WHAT-IF pushed.out || fail "--no-what-if: it is there"
! grep 'compile time' plain.out || fail "times that nobody asked for"
[ "$(grep -c '^  compile time, ms: original [0-9.]*, use [0-9.]*, rewriting [0-9.]*$' pushed.out)" = "$(grep -c '^PIPELINE' pushed.out)" ] ||
    fail "--repeat: $(grep 'compile time' pushed.out)"

# Drivers that do not tell, or are not there: said, with an exit code of its own; a child that dies takes nothing along.
estimate silent 3 --bundle all.bundle --driver "$(driver_icd $profiler)"
grep "does not report its compiler's statistics" silent.err >/dev/null || fail "lavapipe: $(cat silent.err)"
[ ! -s silent.out ] || fail "lavapipe: prints figures: $(head -n 3 silent.out)"
echo '{"file_format_version": "1.0.0", "ICD": {"library_path": "/nowhere.so", "api_version": "1.3.0"}}' >nowhere.json
estimate nowhere 3 --bundle all.bundle --driver nowhere.json
estimate gone 1 --bundle all.bundle --driver missing.json
RADV_FORCE_FAMILY=nonsense "$wavepgo" estimate --bundle all.bundle --driver "$teller" "$whole" >nonsense.out 2>&1
case $? in 1 | 3) ;; *) fail "a driver without a device: $(tail -n 2 nonsense.out)" ;; esac

# Nothing is written.
diff -r all.bundle untouched.bundle >changed || fail "the bundle changed: $(head -n 3 changed)"
finish

#!/bin/sh
# Call paths: the benchmarks that have functions, counted once with calls inlined and once with every function marked
# DontInline, so that it keeps records of its own. llvm-profdata takes both as context-sensitive sample profiles, and what
# it sums up over the contexts of a function is the profile of that function where it was not inlined.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench" "$oracle"
need_program spirv-dis
need_program spirv-as
tool=${LLVM_PROFDATA_22:-$LLVM_PROFDATA_19}
[ -n "$tool" ] || skip "no llvm-profdata 19 or 22 here"
need_program glslangValidator
# A shader of our own in the place of a benchmark: returns out of ifs, loops and switches.
shaders=$work/shaders
cases="bvh raymarch uber rfc_uniform"
mkdir "$shaders"
cp "$WPG_BUILD"/shaders/*.spv "$shaders/"
glslangValidator --quiet -V --target-env vulkan1.1 -e rfc_uniform --source-entrypoint main -o "$shaders/rfc_uniform.comp.spv" \
    "$WPG_SOURCE/tests/e2e/shaders/contexts.comp" || die "contexts.comp does not compile"
run_bench="$bench --size small --checksum --shaders $shaders $(printf -- '--case %s ' $cases)"

# Waves of every shader, however dear: the benchmark in its place is at the budget's edge.
export WAVEPGO_BUDGET=0
generate_dumped() { # NAME COMMAND...: the shaders go to NAME.spirv
    WAVEPGO_DUMP=$work/$1.spirv
    export WAVEPGO_DUMP
    mkdir -p "$WAVEPGO_DUMP"
    generate "$@"
    unset WAVEPGO_DUMP
}
cspgo() { # OUT UNIT FOLDER SHADERS
    "$wavepgo" merge --format=cspgo-text --count "$2" -o "$1" --shaders "$4" "$3" 2>"$1.err" || fail "cspgo-text: $(cat "$1.err")"
    ! grep -v "shaders with call paths" "$1.err" || fail "contexts are missing: see above"
}
# One line a count, function names without the shader's hash, sums over contexts by llvm-profdata.
base() {
    "$tool" merge --sample --text --convert-sample-profile-layout=flat -o - "$1" | sed -E 's/[0-9a-f]{32}\.//g' |
        awk '/^[^ ]/ { n = split($0, part, ":"); name = part[1] " entered " part[n]; next } { print name, $0 }' | LC_ALL=C sort
}

plain absent $run_bench
exited absent 0
generate_dumped inlined $run_bench
same absent inlined

mkdir kept.shaders
cp "$shaders"/*.spv kept.shaders/
for case in $cases; do
    spirv-dis --raw-id "$shaders/$case.comp.spv" |
        sed -E 's/(OpFunction %[0-9]+) (None|Const|Pure|Inline) %/\1 DontInline %/' |
        spirv-as --target-env spv1.3 --preserve-numeric-ids - -o "kept.shaders/$case.comp.spv" || fail "spirv-as"
done
generate_dumped kept $(echo "$run_bench" | sed "s#$shaders#$work/kept.shaders#")
same absent kept

for unit in waves lanes; do
    cspgo $unit-inlined.txt $unit inlined inlined.spirv
    cspgo $unit-kept.txt $unit kept kept.spirv
    grep '@' $unit-inlined.txt >/dev/null || fail "no call path in $unit"
    ! grep '@' $unit-kept.txt >/dev/null || fail "a call path where nothing is inlined"
    for file in $unit-inlined $unit-kept; do
        base $file.txt >$file.base || fail "llvm-profdata does not take $file.txt"
    done
    lines=$(grep -c . $unit-inlined.base)
    [ "$lines" -ge 100 ] || fail "only $lines counts"
    cmp $unit-inlined.base $unit-kept.base >/dev/null || {
        fail "$unit: contexts do not add up to the functions' own counts:"
        diff $unit-inlined.base $unit-kept.base | head -n 20
    }
done

# What is written and what the tools make of it.
for version in 19 22; do
    eval "tool=\$LLVM_PROFDATA_$version"
    [ -n "$tool" ] || continue
    "$tool" merge --sample -o $version.profdata waves-inlined.txt || fail "llvm-profdata $version: merge"
    "$tool" merge --sample --text -o $version.txt $version.profdata || fail "llvm-profdata $version: merge --text"
    LC_ALL=C sort $version.txt >$version.lines
    LC_ALL=C sort waves-inlined.txt | cmp - $version.lines || fail "llvm-profdata $version does not give back what it took"
    "$tool" show --sample $version.profdata >$version.show || fail "llvm-profdata $version: show"
    shown=$(awk '/sampled lines$/ { sum += $1 } END { print sum }' $version.show)
    ours=$(awk '/^ [0-9]/ { sum += $2 } END { print sum }' waves-inlined.txt)
    [ "$shown" = "$ours" ] || fail "llvm-profdata $version shows $shown samples, $ours were written"
done

# A bundle has the shaders, with their specialisation values.
plain bundled "$wavepgo" run --generate --bundle "$work/all.wavepgo" -- $run_bench
same absent bundled
"$wavepgo" merge --format=cspgo-text -o bundle.txt all.wavepgo 2>bundle.err || fail "bundle: $(cat bundle.err)"
cmp waves-inlined.txt bundle.txt || fail "a bundle gives other contexts than dumps: $(cat bundle.err)"
plain special "$wavepgo" run --generate --bundle "$work/special.wavepgo" -- "$oracle" functions comp 64 "$WPG_SPIRV" none
"$wavepgo" merge --format=cspgo-text -o special.txt special.wavepgo 2>special.err || fail "special: $(cat special.err)"
grep '@' special.txt >/dev/null || fail "no call path with specialisation values: $(cat special.err)"

# Without SPIR-V a shader is flat, and that is said; with another shader's SPIR-V too.
"$wavepgo" merge --format=cspgo-text -o flat.txt inlined 2>flat.err || fail "flat: $(cat flat.err)"
[ "$(grep -c 'written without contexts: its SPIR-V is not there' flat.err)" = 4 ] || fail "not said of each: $(cat flat.err)"
! grep '@' flat.txt >/dev/null || fail "call paths from nowhere"
${LLVM_PROFDATA_22:-$LLVM_PROFDATA_19} merge --sample -o flat.profdata flat.txt || fail "llvm-profdata does not take the flat profile"
mkdir mixed
for file in inlined.spirv/*.spv; do
    case $file in *.generate.spv) continue ;; esac
    cp "$shaders/mandelbrot.comp.spv" "mixed/$(basename "$file")"
done
"$wavepgo" merge --format=cspgo-text -o mixed.txt inlined --shaders mixed 2>mixed.err || fail "mixed: $(cat mixed.err)"
[ "$(grep -c 'written without contexts: .*\(no such entry point\|checksum\)' mixed.err)" = 4 ] || fail "not said of each: $(cat mixed.err)"
cmp flat.txt mixed.txt || fail "another shader's SPIR-V changed what is written"
printf 'no SPIR-V' >"mixed/$(ls mixed | head -n 1)"
"$wavepgo" merge --format=cspgo-text -o broken.txt inlined --shaders mixed 2>broken.err || fail "broken: $(cat broken.err)"
cmp flat.txt broken.txt || fail "a broken module changed what is written"
finish

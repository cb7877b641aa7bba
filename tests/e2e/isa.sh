#!/bin/sh
# `wavepgo isa`: the benchmarks' compute shaders down to AMD machine code, with the counts of a lavapipe run beside the instructions;
# WPG_DRIVER=radv or radv-old says the same through RADV without hardware.
. "$(dirname "$0")/lib.sh"
json=$WPG_PROGRAMS/e2e_json
need_built "$wavepgo" "$layer" "$bench" "$json"
[ -x "$wavepgo-isa" ] || skip "built without LLVM 22's development files: there is no wavepgo-isa"
case $WPG_DRIVER in
radv) profiler=new others="gfx1030 gfx900" ;;
radv-old) profiler=old others="gfx1030" ;;
*) die "WPG_DRIVER must be radv or radv-old" ;;
esac
[ -n "$(driver_icd $profiler)" ] || skip "no lavapipe to make the profile with"
(
    use_driver $profiler
    WAVEPGO_LOG_FILE=$work/bundle.log "$wavepgo" run --generate --bundle "$work/all.bundle" -- \
        $bench --size small --checksum >"$work/bundle.out" 2>&1
) || die "generate: $(tail -n 2 "$work/bundle.out")"

isa() { called isa "$@"; } # NAME CODE OPTIONS...
refused() { # NAME CODE PATTERN OPTIONS...
    name=$1 code=$2 pattern=$3
    shift 3
    isa "$name" "$code" "$@"
    grep -e "$pattern" "$name.err" >/dev/null || fail "$name: says '$(head -n 1 "$name.err")', not '$pattern'"
    [ ! -s "$name.out" ] || fail "$name: prints something all the same"
}

link=
command -v ld.lld-22 >/dev/null || command -v ld.lld >/dev/null || link=--relocatable # what is linked: isa_files.sh

# Every benchmark: a listing with the profile's counts, both ABIs, an ELF of its own machine, a page, JSON.
for spv in "$WPG_BUILD"/shaders/*.comp.spv; do
    case=$(basename "$spv" .comp.spv)
    [ -n "$("$wavepgo" show --json all.bundle | grep "\"entry\": \"$case\"")" ] || continue
    isa "$case" 0 "$spv" --gpu gfx1100 --profile all.bundle --html "$case.html" -o "$case.elf" $link
    grep -E "^ +[1-9][0-9,]* +[1-9][0-9,]* +[0-9]+  +[sv]_" "$case.out" >/dev/null || fail "$case: no instruction has counts"
    ! grep -q 'amdhsa_' "$case.out" || fail "$case: the assembler's directives stand in the listing"
    grep -E '^waves a SIMD .* [1-9][0-9]*$' "$case.out" >/dev/null || fail "$case: no occupancy"
    [ "$(head -c 4 "$case.elf" | od -An -tx1 | tr -d ' ')" = 7f454c46 ] || fail "$case: no ELF"
    grep -q '</html>' "$case.html" && ! grep -q 'https\?://' "$case.html" || fail "$case: the page is cut off, or needs another"
    hot=$(sed -n 's/^ *\([1-9][0-9,]*\) .*/\1/p' "$case.out" | head -n 1)
    grep "<td>$hot</td>" "$case.html" >/dev/null || fail "$case: the page lacks the count $hot"
    isa "$case-json" 0 "$spv" --gpu gfx90a --abi pal --json --ir --profile all.bundle
    "$json" "$case-json.out" wave_size=64 abi=pal gpu=gfx90a 'versions.0.lines#20' versions.0.vgprs versions.0.ir 'waves#2' "entry=$case" 'versions#2' versions.1.title=after 'candidates#4' candidates.0.made=true candidates.2.off_by >complaint ||
        fail "$case, JSON: $(cat complaint)"
    [ "$(grep -c '"chosen": true' "$case-json.out")" = 1 ] || fail "$case: not one candidate is chosen"
    # The places of blocks are those of the text.
    sed -n 's/.*"places": \[\([^]]*\)\].*/\1/p' "$case-json.out" | tr -d ' "' | tr ',' '\n' >places
    grep -qE "^[a-z_]+[.][a-z]+:[1-9][0-9]*\$" places || fail "$case: JSON has no places: $(head -c 300 places)"
    sed -n "s/.*  ; \([a-z_]*[.][a-z]*:[0-9]*\)\$/\1/p" "$case.out" | while read -r place; do
        grep -Fx "$place" places >/dev/null || echo "$place"
    done >missing
    [ ! -s missing ] || fail "$case: places of the text that JSON lacks: $(cat missing)"
    seen=yes
done
[ -n "${seen:-}" ] || fail "no benchmark was looked at"
# What was checked of the profile, pass by pass.
isa verified 0 "$WPG_BUILD/shaders/uber.comp.spv" --gpu gfx1100 --profile all.bundle --verify
grep '^structurizecfg  *[1-9][0-9]*  *[1-9]' verified.out >/dev/null || fail "--verify: $(grep structurizecfg verified.out)"
grep '^counts: possible: waves and lanes conserve flow over [1-9]' verified.out >/dev/null || fail "--verify does not tell of the counts"
grep '^quality: .* by 0\.0' verified.out >/dev/null || fail "--verify: $(grep '^quality' verified.out)"
isa verified-json 0 "$WPG_BUILD/shaders/uber.comp.spv" --gpu gfx900 --profile all.bundle --verify --json
"$json" verified-json.out 'verify.phases#6' verify.phases.4.pass=structurizecfg verify.weights.weighted verify.weights.off_by >complaint || fail "--verify: $(cat complaint)"
# Fused where the module allows and it is asked for.
isa apart 0 "$WPG_BUILD/shaders/rfc_uniform.comp.spv" --gpu gfx1100
isa fused 0 "$WPG_BUILD/shaders/rfc_uniform.comp.spv" --gpu gfx1100 --contract
grep -E 'v_(dual_)?(fma|fmac)' fused.out >/dev/null || fail "--contract: nothing is fused"
! grep -E 'v_(dual_)?(fma|fmac)' apart.out >/dev/null || fail "fused without --contract: $(grep -E -m 1 'v_(dual_)?(fma|fmac)' apart.out)"
# The counts are the profile's: of each block, as show has them.
"$wavepgo" show --json all.bundle | tr '{' '\n' | sed -n 's/.*"entry": "mandelbrot".*"waves": \[\([0-9, ]*\)\].*/\1/p' | head -n 1 >shown
sed -n 's/.*"waves": \[\([0-9, ]*\)\].*/\1/p' mandelbrot-json.out | head -n 1 >told
[ -s shown ] && cmp -s shown told || fail "mandelbrot: counts $(cat told), of show $(cat shown)"

# The driver's own compiler, side by side, for GPUs it knows.
mandelbrot=$WPG_BUILD/shaders/mandelbrot.comp.spv
rare=$WPG_BUILD/shaders/select_rare.comp.spv
teller=$(driver_icd "$WPG_DRIVER")
for gpu in gfx1100 $others; do
    isa radv-$gpu 0 "$rare" --gpu $gpu --profile all.bundle --driver "$teller" --json
    "$json" radv-$gpu.out radv.device radv.unchanged=false 'radv.before.Code size' 'radv.after.Code size' >complaint || fail "RADV, $gpu: $(cat complaint)"
done
isa radv-plain 0 "$mandelbrot" --gpu gfx1100 --driver "$teller"
grep '^Inverse Throughput *[1-9]' radv-plain.out >/dev/null || fail "RADV says nothing without a profile"

# RADV is asked also where the environment names another driver; what is no RADV is not asked.
lavapipe=$(driver_icd $profiler)
(
    VK_ICD_FILENAMES=$lavapipe:$teller VK_DRIVER_FILES=$lavapipe:$teller
    export VK_ICD_FILENAMES VK_DRIVER_FILES
    isa radv-second 0 "$mandelbrot" --gpu gfx1100 --driver radv --json
)
grep '"radv": {"device": "[^"]*RADV' radv-second.out >/dev/null || fail "--driver radv asks $(grep -o '"radv": {"device": "[^"]*"' radv-second.out)"
refused radv-not 1 'RADV is not among the drivers here (devices: llvmpipe' "$mandelbrot" --gpu gfx1100 --driver "$lavapipe"

# In s_clause LLVM tells the block of one member: the others have none. What counts is code.
isa clause 0 "$WPG_BUILD/shaders/lights.comp.spv" --gpu gfx1100 --generate --json
grep -A 2 '"s_clause 0x1", "code": true, "block": [0-9]' clause.out | sed -n '3s/.*"block": \([a-z0-9]*\).*/\1/p' | grep -x null >/dev/null || fail "the second of an s_clause has the first one's block"
! grep -E '"text": "(s|v|global)_[^"]*", "code": false' clause.out || fail "counting instructions are no code"
# A kernel that counts itself: every structurised block has its counter, the address of the array an argument; the ELF says what it holds.
isa counting 0 "$mandelbrot" --gpu gfx1100 --generate --json -o counting.elf $link
"$json" counting.out versions.1.title=counting counters.count counters.checksum counters.waves=0 'counters.blocks#4' >complaint || fail "counting: $(cat complaint)"
grep '"kind": "counters"' counting.out >/dev/null || fail "counting: no argument takes the counters' address"
grep -c __wpg_counters_bounds counting.elf >/dev/null || fail "counting: the ELF does not say what it counts"
blocks=$(grep -o '"structurised_blocks": [0-9]*' counting.out | sed -n '2s/.* //p')
[ "$(grep -o '"counters": {"count": [0-9]*' counting.out | sed 's/.* //')" = $((3 * blocks)) ] || fail "counting: not three counters for each of $blocks blocks"
isa counting-text 0 "$mandelbrot" --gpu gfx900 --generate
grep '^counters: waves, lanes, uniform of [1-9]' counting-text.out >/dev/null || fail "counting: the text does not tell"
isa counting-waves 0 "$mandelbrot" --gpu gfx900 --generate --count waves
grep '^counters: waves of [1-9]' counting-waves.out >/dev/null || fail "--count waves: $(grep '^counters' counting-waves.out)"
for placement in lane lane-memory; do
    isa counting-$placement 0 "$mandelbrot" --gpu gfx1100 --generate --placement $placement
    grep '^counters: lanes of [1-9].* a lane for itself' counting-$placement.out >/dev/null || fail "--placement $placement: $(grep '^counters' counting-$placement.out)"
done
refused no-count 2 '--count takes' "$mandelbrot" --generate --count waves,trips
refused no-generate 2 'need --generate' "$mandelbrot" --count waves
refused no-placement 2 '--placement takes' "$mandelbrot" --generate --placement block

# What such a kernel counted comes back as a profile: the array is made here of the counts that were carried over, so that compiling by
# the kernel's own counts must give the same as by these.
isa carried 0 "$rare" --gpu gfx1100 --profile all.bundle --json
"$json" carried.out structurised.exact=false structurised.carried_by=probes structurised.rest structurised.checksum 'structurised.waves#4' 'structurised.lanes#4' 'structurised.uniform#4' >complaint || fail "carried: $(cat complaint)"
sed -n 's/.*"structurised": {.*"waves": \[\([0-9, ]*\)\], "lanes": \[\([0-9, ]*\)\], "uniform": \[\([0-9, ]*\)\]}.*/\1, \2, \3/p' carried.out >numbers
awk -F', ' '{ for (i = 1; i <= NF; i++) { n = $i + 0; for (k = 0; k < 8; k++) { printf "\\%03o", n % 256; n = int(n / 256) } } }' numbers >octal
printf "$(cat octal)" >array.bin
isa own 0 "$rare" --gpu gfx1100 --counters array.bin -o own.profraw
[ ! -s own.out ] || fail "--counters prints $(head -n 1 own.out)"
isa exact 0 "$rare" --gpu gfx1100 --profile own.profraw --json
"$json" exact.out structurised.exact=true 'versions#2' 'candidates#4' >complaint || fail "own counts: $(cat complaint)"
for name in carried exact; do grep -o '"vgprs": [0-9]*, "sgprs": [0-9]*, "occupancy": [0-9]*, "scratch_bytes": [0-9]*, "branches": [0-9]*, "weighted": [0-9]*' $name.out >$name.figures; done
[ -s exact.figures ] && cmp -s carried.figures exact.figures || fail "compiling by the kernel's own counts differs from the same counts carried over"
# The listing has them beside the instructions, by the machine block these lie in: of every block whose code there is, just its count.
isa exact-text 0 "$rare" --gpu gfx1100 --profile own.profraw --html exact.html
grep 'structurised blocks, by the kernel itself' exact-text.out >/dev/null || fail "own counts: the listing does not tell whose they are"
sed -n 's/.*"structurised": {.*"waves": \[\([0-9, ]*\)\], "lanes".*/\1/p' exact.out | tr -d ' ' | tr ',' '\n' >by-block
tr -d , <exact-text.out | awk 'NR == FNR { waves[FNR - 1] = $1; next }
    $4 ~ /^[svdgb][a-z]*_/ && $1 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ { seen[$3] = 1; if (waves[$3] != $1) { print "block " $3 " has " $1 ", not " waves[$3]; bad = 1 } }
    END { for (b in seen) n++; if (n < 3) print n + 0 " blocks"; exit bad || n < 3 }' by-block - >complaint || fail "own counts beside the instructions: $(cat complaint)"
grep "by the kernel itself" exact.html >/dev/null || fail "own counts: the page does not tell whose they are"
# Both kinds of counts of a shader in one profile: the exact ones are taken.
"$wavepgo" merge --quiet -o both.profdata all.bundle own.profraw || fail "both kinds of counts do not merge"
isa both 0 "$rare" --gpu gfx1100 --profile both.profdata --json
"$json" both.out structurised.exact=true 'waves#4' >complaint || fail "both kinds: $(cat complaint)"
if [ -n "${LLVM_PROFDATA:-}" ]; then "$LLVM_PROFDATA" show --counts --all-functions own.profraw 2>&1 | grep '#waves' >/dev/null || fail "llvm-profdata does not read the profile"; fi
refused other-kernel 1 'the counters of this kernel are' "$mandelbrot" --gpu gfx1100 --counters array.bin -o none.profraw
[ ! -e none.profraw ] || fail "an array of another kernel becomes a profile"
"$wavepgo" merge --quiet --format text -o own.txt own.profraw && sed 's/^[0-9]\{12,\}$/123456789012/' own.txt >altered.proftext
refused other-form 1 'generate anew' "$rare" --gpu gfx1100 --profile altered.proftext
refused nowhere-to 2 'name its file' "$rare" --counters array.bin

# What cannot be is said, and nothing is printed.
refused no-module 2 'no module is given'
refused both 2 '--profile cannot be combined' "$mandelbrot" --generate --profile all.bundle
refused no-gpu 2 "no GPU is named 'navi31'" "$mandelbrot" --gpu navi31
refused no-wave 2 'gfx90a has no waves of 32' "$mandelbrot" --gpu gfx90a --wave 32
refused no-file 1 'nowhere.spv' nowhere.spv
refused no-compute 1 'no compute shader' "$WPG_BUILD/shaders/fullscreen.vert.spv"
refused no-entry 1 "no compute shader is called 'main'" "$mandelbrot" --entry main
head -c 100 "$mandelbrot" >cut.spv
refused cut 1 'cut.spv' cut.spv
"$wavepgo" run --generate --profile-file "$work/one/%b.profraw" -- true >/dev/null 2>&1
(
    use_driver $profiler
    "$wavepgo" run --generate --profile-file "$work/one/%b.profraw" -- $bench --case select_rare --size small --checksum >/dev/null 2>&1
)
refused no-counts 1 'no counts of shader [0-9a-f]* (comp mandelbrot)' "$mandelbrot" --profile one
refused no-driver 1 'RADV has no gfx942' "$mandelbrot" --gpu gfx942 --driver "$teller"
finish

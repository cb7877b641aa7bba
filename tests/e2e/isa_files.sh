#!/bin/sh
# What `wavepgo isa` writes, and what it says to wrong calls: code objects as HIP's loader wants them (read by llvm-readelf, where that is
# here), linkers that are not there or fail, and no file left behind. No driver, no profile of a run.
. "$(dirname "$0")/lib.sh"
json=$WPG_PROGRAMS/e2e_json
mandelbrot=$WPG_BUILD/shaders/mandelbrot.comp.spv
need_built "$wavepgo" "$json" "$mandelbrot"
[ -x "$wavepgo-isa" ] || skip "built without LLVM 22's development files: there is no wavepgo-isa"
"$wavepgo" isa --help >/dev/null 2>&1
[ $? != 127 ] || skip "wavepgo-isa does not start here: no LLVM 22"
mkdir out tmp
TMPDIR=$work/tmp
export TMPDIR

isa() { called isa "$@"; } # NAME CODE OPTIONS...
# refused NAME CODE WORDS OPTIONS...: what it says begins with "wavepgo isa: " and has the words; nothing is printed, no file is made.
refused() {
    name=$1 code=$2 words=$3
    shift 3
    isa "$name" "$code" "$@"
    head -n 1 "$name.err" | grep "^wavepgo isa: .*$words" >/dev/null || fail "$name: says '$(head -n 1 "$name.err")', not '$words'"
    [ ! -s "$name.out" ] || fail "$name: prints something all the same"
    [ -z "$(ls -A out tmp | grep -v ':$')" ] || fail "$name: leaves $(ls -A out tmp)"
}
clean() { rm -f out/*; }

# -- Code objects
linker=$(command -v ld.lld-22 || command -v ld.lld)
readelf=$(command -v llvm-readelf-22)
if [ -n "$linker" ]; then
    for gpu in gfx900 gfx90a gfx1030 gfx1100 gfx1201; do
        isa "linked-$gpu" 0 "$mandelbrot" --gpu $gpu -o out/linked.elf --json
        "$json" "linked-$gpu.out" code_object.type=shared code_object.version=5 code_object.file=out/linked.elf code_object.kernel=mandelbrot \
            "code_object.bytes=$(wc -c <out/linked.elf)" >complaint || fail "$gpu, JSON: $(cat complaint)"
        [ -n "$readelf" ] || continue
        "$readelf" -hlSdr --dyn-syms -n out/linked.elf >read 2>&1
        for words in 'Type: *DYN' 'ABI Version: *3$' ' mandelbrot$' ' mandelbrot.kd$' 'NOTE  *0x' "amdhsa.target: *amdgcn-amd-amdhsa--$gpu\$" \
            'kernarg_segment_size: [1-9]' 'There are no relocations'; do
            grep "$words" read >/dev/null || fail "$gpu: llvm-readelf does not say '$words'"
        done
        ! grep -E ' UND [a-zA-Z_]|RWE|WX|\.debug_' read >forbidden || fail "$gpu: has $(head -n 1 forbidden)"
        # One argument, passed by value: whoever launches gives that block, and nothing hidden follows.
        [ "$(grep -c value_kind read)" = 1 ] && grep 'value_kind: *by_value' read >/dev/null || fail "$gpu: other arguments than the block"
    done
    isa counting 0 "$mandelbrot" --gpu gfx1100 --generate -o out/counting.elf --code-object-version 6
    grep '^wrote out/counting.elf: shared object, ' counting.out >/dev/null || fail "counting: does not say what it wrote"
    if [ -n "$readelf" ]; then
        "$readelf" -h --dyn-syms out/counting.elf >read
        grep __wpg_counters_bounds read >/dev/null && grep 'ABI Version: *4$' read >/dev/null || fail "counting: $(cat read)"
    fi
    isa piped 0 "$mandelbrot" --gpu gfx1201 -o -
    cmp -s piped.out out/linked.elf || fail "-o - gives another object"
    isa chosen 0 "$mandelbrot" --gpu gfx1201 -o out/chosen.elf --linker "$linker"
    cmp -s out/chosen.elf out/linked.elf || fail "--linker with the linker's path gives another object"
    # A process that has standard files closed.
    "$wavepgo" isa "$mandelbrot" --gpu gfx1201 -o out/closed.elf <&- >&- 2>&-
    cmp -s out/closed.elf out/linked.elf || fail "with standard files closed there is no object, or another"
    clean
else
    echo "no ld.lld here: nothing is linked"
fi
isa object 0 "$mandelbrot" --gpu gfx1100 -o out/object.o --relocatable --json --linker no-such-linker
"$json" object.out code_object.type=relocatable code_object.version=5 >complaint || fail "object: $(cat complaint)"
isa pal 0 "$mandelbrot" --gpu gfx1100 -o out/pal.elf --abi pal --json --linker no-such-linker
"$json" pal.out code_object.type=relocatable >complaint || fail "pal: $(cat complaint)"
for file in object.o pal.elf; do [ "$(od -An -tu1 -j16 -N1 out/$file | tr -d ' ')" = 1 ] || fail "$file is not relocatable"; done
isa none 0 "$mandelbrot" --gpu gfx1100 --json
grep '"code_object": null' none.out >/dev/null || fail "without -o JSON has a code object"
AMDGPU_GPU_ID= isa example 0 "$mandelbrot" --json
"$json" example.out version=1 shader stage=comp entry=mandelbrot gpu wave_size abi=hsa 'local_size#3' blocks 'versions#1' versions.0.title=code \
    versions.0.elf_bytes versions.0.structurised_blocks versions.0.vgprs versions.0.sgprs versions.0.agprs versions.0.occupancy versions.0.vgpr_spills \
    versions.0.sgpr_spills versions.0.scratch_bytes versions.0.lds_bytes versions.0.code_bytes versions.0.argument_bytes versions.0.arguments.0.kind=buffers \
    versions.0.arguments.0.offset=0 versions.0.arguments.0.size=8 versions.0.lines.0.text versions.0.lines.0.code >complaint || fail "JSON: $(cat complaint)"
for key in profile waves lanes code_object not_used; do grep "\"$key\": null" example.out >/dev/null || fail "JSON: $key is not null"; done
isa nowhere 0 "$mandelbrot" --gpu gfx1100 -o /dev/null --relocatable
[ -c /dev/null ] || die "-o /dev/null put a file there"
clean

# -- No linker, or none that does it: nothing is written, nothing is left.
refused no-linker 1 'the linker no-such-linker is not there; --relocatable gives' "$mandelbrot" -o out/a.elf --linker no-such-linker
refused failing 1 'not linked: false failed (exit code 1)' "$mandelbrot" -o out/a.elf --linker false
refused idle 1 'true made no shared object' "$mandelbrot" -o out/a.elf --linker true --html out/page.html --json
mkdir path
if ! PATH=$work/path "$wavepgo" isa "$mandelbrot" -o out/a.elf >no-path.out 2>no-path.err && [ ! -s no-path.out ]; then
    grep 'neither ld.lld-22 nor ld.lld is in PATH (Debian.s package: lld-22)' no-path.err >/dev/null || fail "no linker in PATH: $(cat no-path.err)"
else
    fail "linked without a linker"
fi
printf '#!/bin/sh\necho "%s: error: no" >&2\nexit 3\n' ld.lld >path/ld.lld
chmod +x path/ld.lld
refused words 1 'failed (exit code 3): ld.lld: error: no; ' "$mandelbrot" -o out/a.elf --linker "$work/path/ld.lld"
printf '#!/bin/sh\nkill -9 $$\n' >path/ld.lld
refused killed 1 'ended by signal 9' "$mandelbrot" -o out/a.elf --linker "$work/path/ld.lld"

# -- Places that cannot be written
mkdir folder
refused folder 1 'cannot write folder: it is a folder' "$mandelbrot" --gpu gfx1100 --relocatable -o folder
refused page 1 'cannot write folder: it is a folder' "$mandelbrot" --gpu gfx1100 --html folder
refused proc 1 '/proc/nowhere' "$mandelbrot" --gpu gfx1100 --relocatable -o /proc/nowhere/a.elf
"$wavepgo" isa "$mandelbrot" --gpu gfx1100 >/dev/full 2>full.err && fail "a full standard output passes"
grep 'standard output cannot be written' full.err >/dev/null || fail "full: $(cat full.err)"

# -- Wrong calls
: >empty.spv
: >empty.profraw
mkdir no-profiles
printf 'no words' >text.spv
printf 'odd' >odd.spv
refused no-value 2 "'--gpu' needs a value" "$mandelbrot" --gpu
refused option 2 "no option is called '--frobnicate'" "$mandelbrot" --frobnicate
refused two 2 'one module at a time' "$mandelbrot" "$mandelbrot"
refused abi 2 '--abi takes hsa or pal' "$mandelbrot" --abi vulkan
refused wave 2 '--wave takes 32 or 64' "$mandelbrot" --wave 48
refused version 2 '--code-object-version takes 5 or 6' "$mandelbrot" --code-object-version 4
refused pal-version 2 'needs --abi hsa' "$mandelbrot" --code-object-version 5 --abi pal
refused spec 2 '--spec takes ID=VALUE' "$mandelbrot" --spec 1=
cp "$mandelbrot" own.spv
refused overwritten 2 'files of their own' own.spv -o own.spv
refused one-file 2 'files of their own' own.spv -o out/a --html out/a
cmp -s own.spv "$mandelbrot" || fail "the module was written over"
refused both-out 2 'leaves no room' "$mandelbrot" --json -o -
refused driver 2 '--driver takes radv' "$mandelbrot" --driver lavapipe
refused driver-file 1 '--driver: no nowhere.json' "$mandelbrot" --gpu gfx1100 --driver nowhere.json
refused gpu 2 "no GPU is named 'rdna3'" "$mandelbrot" --gpu rdna3
refused missing 1 'cannot open nowhere.spv: No such file' nowhere.spv
refused module-folder 1 'folder is not a regular file' folder
refused empty 1 'empty.spv: 0 words are too few' empty.spv
refused text 1 'text.spv: ' text.spv
refused odd 1 'odd.spv: not SPIR-V, or cut off: 3 bytes' odd.spv
refused graphics 1 'fullscreen.vert.spv: no compute shader' "$WPG_BUILD/shaders/fullscreen.vert.spv"
refused entry 1 "no compute shader is called 'main': it has mandelbrot" "$mandelbrot" --entry main
refused no-profile 1 'no file or folder nowhere' "$mandelbrot" --profile nowhere
refused empty-profile 1 'empty.profraw: the file is empty' "$mandelbrot" --profile empty.profraw
refused empty-folder 1 'no profile files in folder no-profiles' "$mandelbrot" --profile no-profiles
isa other-spec 0 "$mandelbrot" --gpu gfx1100 --spec 999=1
grep 'warning: .* has no specialisation constant 999' other-spec.err >/dev/null || fail "a constant that is not there goes unnoticed"
if command -v spirv-as >/dev/null; then
    {
        printf 'OpCapability Shader\nOpMemoryModel Logical GLSL450\n'
        printf 'OpEntryPoint GLCompute %%%s "%s"\nOpExecutionMode %%%s LocalSize 1 1 1\n' one one one two two two
        printf '%%v = OpTypeVoid\n%%f = OpTypeFunction %%v\n'
        printf '%%%s = OpFunction %%v None %%f\n%%l%s = OpLabel\nOpReturn\nOpFunctionEnd\n' one one two two
    } | sed '/^OpExecutionMode/{H;d};/^%v/{x;s/^\n//;G}' >two.spvasm
    spirv-as --target-env spv1.3 two.spvasm -o two.spv || fail "spirv-as"
    refused several 1 'two.spv: .*which one? --entry NAME of one, two' two.spv
    isa one 0 two.spv --entry two --gpu gfx1100
fi

# -- The page: whole in itself, nothing of a name gets into its markup, five thousand instructions are no matter.
if command -v spirv-as >/dev/null; then
    name='<script>alert(1)</script>&<b' file=$work/'<i>.profraw'
    sed "s|\"two\"|\"<script>alert(1)</script>\\&<b\"|" two.spvasm | spirv-as --target-env spv1.3 - -o named.spv || fail "spirv-as"
    isa named 0 named.spv --entry "$name" --gpu gfx1100 --html named.html
    grep '<h1>&lt;script&gt;alert(1)&lt;/script&gt;&amp;&lt;b</h1>' named.html >/dev/null || fail "the page: $(grep '<h1>' named.html)"
    ! grep -E '<script|<b>|<b<' named.html >forbidden || fail "a name gets into the page's markup: $(head -n 1 forbidden)"
    isa named-counts 0 named.spv --entry "$name" --gpu gfx1100 --generate --json --relocatable -o out/named.o
    count=$(grep -o '"counters": {"count": [0-9]*' named-counts.out | sed 's/.* //')
    head -c $((8 * count)) /dev/zero | tr '\000' '\001' >array.bin
    isa named-profile 0 named.spv --entry "$name" --gpu gfx1100 --counters array.bin -o "$file"
    isa named-used 0 named.spv --entry "$name" --gpu gfx1100 --profile "$file" --html named.html
    grep '/&lt;i&gt;.profraw' named.html >/dev/null && ! grep '<i>' named.html >/dev/null || fail "the profile's name gets into the page's markup"
    clean
fi
if command -v glslangValidator >/dev/null; then
    {
        printf '#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer B { uint d[]; };\nvoid main() {\n  uint x = d[gl_GlobalInvocationID.x], y = x;\n'
        i=0
        while [ $i -lt 600 ]; do
            printf '  x = (x ^ (y >> %d)) * %du + d[x & 255u]; y += x * %du;\n' $((i % 31 + 1)) $((2 * i + 3)) $((i + 1))
            i=$((i + 1))
        done
        printf '  d[gl_GlobalInvocationID.x] = x + y;\n}\n'
    } >large.comp
    glslangValidator --quiet --target-env vulkan1.1 -V large.comp -o large.spv >large.log || fail "$(cat large.log)"
    isa large 0 large.spv --gpu gfx1100 --html large.html
    [ "$(grep -c '^<tr><td>' large.html)" -ge 5000 ] || fail "the page has $(grep -c '^<tr><td>' large.html) lines"
    tail -n 1 large.html | grep '</html>$' >/dev/null || fail "the large page is cut off"
fi
for page in "$work"/*.html; do
    ! grep -E 'https?:|src=|href=|@import|url\(' "$page" >/dev/null || fail "$(basename "$page") needs something from elsewhere"
    grep -E 'color-scheme:light dark' "$page" >/dev/null || fail "$(basename "$page") has no dark side"
done

# -- Every option is in --help, and works.
"$wavepgo" isa --help >help || fail "no help"
for option in $(sed -n 's/.*"\(--*[a-z-]*\)".*/\1/p' "$WPG_SOURCE/runtime/cli/isa/options.c" | sort -u); do
    [ "$option" = - ] || grep -e "^  .*$option" help >/dev/null || fail "--help lacks $option"
done
finish

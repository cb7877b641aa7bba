#!/bin/sh
# The labkit: packed, below its size limit, and run in --quick mode from another folder with nothing of this build's environment.
# It must find every counter exact, and say so in JSON; and say what is wrong where something is.
. "$(dirname "$0")/lib.sh"
icd_seen= # another driver than the test's
json=$WPG_PROGRAMS/e2e_json
need_built "$wavepgo" "$layer" "$bench" "$oracle" "$json" "$WPG_PROGRAMS/e2e_random"
[ "$WPG_DRIVER" != hardware ] || skip "there the kit runs by itself"
case $(uname -m) in x86_64) ;; *) skip "the labkit is for x86-64" ;; esac
for tool in strip objdump tar gzip; do need_program $tool; done
loader=$(ldd "$bench" | sed -n 's/.*libvulkan\.so\.1 => \(.*\) (.*/\1/p')

sh "$WPG_SOURCE/shaders/labkit/pack.sh" "$WPG_BUILD" "$work/kit.tar.gz" test "$loader" >pack.out 2>&1 || die "packing: $(tail -n 2 pack.out)"
sh "$WPG_SOURCE/shaders/labkit/pack.sh" "$WPG_BUILD" "$work/again.tar.gz" test "$loader" >pack.out 2>&1
cmp -s kit.tar.gz again.tar.gz || fail "packed twice: two archives"
[ "$(wc -c <kit.tar.gz)" -le $((60 * 1024 * 1024)) ] || fail "more than 60 MiB"
mkdir "a place" elsewhere
tar -C "a place" -xzf kit.tar.gz
kit="$work/a place/wavepgo-labkit-test-x86_64"
# Everyday a few of the kernels, one of each kind, and of the benchmarks; at night all that the kit has.
cases="mandelbrot uber post mesh patch"
if [ -z "${WPG_NIGHTLY:-}" ]; then
    cases="mandelbrot post"
    grep -xE '(if_else|loop_divergent|break_arm)\.comp|demote_arm\.frag|control_switch\.tesc' "$kit/exactness/kernels" >some
    [ "$(grep -c . some)" = 5 ] || fail "the kit lacks kernels: $(cat some)"
    cp some "$kit/exactness/kernels"
fi
find "$kit" -type f | LC_ALL=C sort | xargs -d '\n' cksum >before
# Taken to another machine the binaries may need the C library and, two of them, the loader.
for file in "$kit"/bin/* "$kit/lib/libVkLayer_wavepgo.so"; do
    objdump -p "$file" | sed -n 's/ *NEEDED *//p' | grep -vE '^(libc|libm|libvulkan|ld-linux-x86-64)\.so\.[0-9]+$' >needed
    [ ! -s needed ] || fail "$(basename "$file") needs $(tr '\n' ' ' <needed)"
done

# A machine with a driver and nothing else in its environment. Kit and home cannot be written.
kit_run() {
    chmod -R a-w "$kit" "$HOME"
    (cd elsewhere && env -i PATH=/usr/bin:/bin HOME="$HOME" TMPDIR="$work" VK_ICD_FILENAMES="${icd_seen:-$VK_ICD_FILENAMES}" \
        VK_DRIVER_FILES="${icd_seen:-$VK_ICD_FILENAMES}" CASES="$cases" ${LD_LIBRARY_PATH:+LD_LIBRARY_PATH="$LD_LIBRARY_PATH"} sh "$kit/labkit.sh" "$@") >kit.out 2>kit.err
    kit_code=$?
    chmod -R u+w "$kit" "$HOME"
}
kit_run --quick --out "$work/result.json"
[ $kit_code = 0 ] || { fail "--quick: exit code $kit_code"; cat kit.out kit.err; }
"$json" result.json format=wavepgo-labkit ok=true quick=true date kit.oldest_glibc machine.cpu machine.kernel machine.loader \
    device.device device.driver_name device.driver_info device.api_version device.subgroup_size devices#1 kernel.gpus skipped \
    exactness#1 'exactness.*.passed=true' 'exactness.*.mismatches=0' 'exactness.*.counters' 'exactness.*.kernels' \
    random.passed=true random.failures=0 random.shaders \
    counts#1 'counts.*.lanes_equal=true' 'counts.*.waves_equal=true' 'counts.*.uniform_equal=true' \
    benchmark.results#14 'benchmark.results.*.ratio' 'benchmark.results.*.ratio_min' 'benchmark.results.*.ratio_max' \
    'benchmark.results.*.create_ratio' 'benchmark.results.*.compile_ratio' 'benchmark.results.*.rounds' 'benchmark.results.*.equal=true' \
    benchmark.means#2 'benchmark.means.*.geomean_ratio' || fail "the result"
for mode in off use; do grep -q "\"label\":\"$mode\"" result.json || fail "no mode $mode in the result"; done
grep -q '"counters":[1-9]' result.json || fail "no counter was compared"
find "$kit" -type f | LC_ALL=C sort | xargs -d '\n' cksum >after
cmp -s before after || fail "the run changed the kit"
[ -z "$(ls -A elsewhere)" ] || fail "the run wrote where it was started"
[ -z "$(find "$work" -maxdepth 1 -name 'wavepgo-lab.*')" ] || fail "the run left its folder behind"

# The loader that goes along serves a machine without one.
if [ -e "$kit/lib/loader/libvulkan.so.1" ]; then
    LD_LIBRARY_PATH=$kit/lib/loader${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$kit/bin/wavepgo-bench" --info >info.json || fail "the packed loader"
    "$json" info.json loader_version || fail "the packed loader tells no version"
fi

# What is wrong is said: no driver, no such device, a layer that cannot be loaded, another kernel than the processor's.
icd_seen=$work/none.json
kit_run --quick --out "$work/none.json.out"
icd_seen=
[ $kit_code = 77 ] || fail "no driver: exit code $kit_code"
"$json" none.json.out ok=false error || fail "no driver: the result"
kit_run --only nonsense --out "$work/only.json"
[ $kit_code = 2 ] || fail "--only nonsense: exit code $kit_code"
kit_run --quick --only real --minutes 1 --out "$work/real.json" # less than it takes, or more: a result either way
"$json" real.json format=wavepgo-labkit seconds device.device || fail "--minutes: the result: $(tail -n 3 kit.err)"
kit_run --device 9 --out "$work/device.json"
[ $kit_code = 77 ] || fail "device 9: exit code $kit_code"
"$json" device.json ok=false error devices#1 || fail "device 9: the result"
mv "$kit/lib/libVkLayer_wavepgo.so" "$work/layer.so"
kit_run --quick --out "$work/layer.json"
[ $kit_code = 1 ] || fail "no layer: exit code $kit_code"
"$json" layer.json ok=false error || fail "no layer: the result"
mv "$work/layer.so" "$kit/lib/libVkLayer_wavepgo.so"
printf 'if_else.comp\n' >"$kit/exactness/kernels"
cp "$kit/exactness/loop_divergent.comp.spv" "$kit/exactness/if_else.comp.spv"
kit_run --quick --exactness --out "$work/wrong.json"
[ $kit_code = 1 ] || fail "a wrong kernel: exit code $kit_code"
"$json" wrong.json ok=false 'exactness.*.passed=false' 'exactness.*.failed#1' || fail "a wrong kernel: the result"
finish

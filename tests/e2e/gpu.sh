#!/bin/sh
# What is asked of AMD GPUs (runtime/gpu), on Mesa's made-up amdgpu device: who is there, by its table of ids; and with a libdrm_amdgpu
# of the tests' own, which tells what it was asked, on a software driver that says it is that device: a stable power state is held
# while tuning and let go of in every end, and where it cannot be held nothing else changes. On RADV, which runs on the
# made-up device: sensors and power states that answer with junk are seen through. None of this is a GPU.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench" "$app"
[ "$layer_name" = VK_LAYER_WAVEPGO_shader_pgo ] || skip "the made-up device is for 64-bit programs"
[ -n "${WPG_DRM_SHIM:-}" ] && [ -f "$WPG_DRM_SHIM" ] || skip "no mesa-drm-shim here (sh tests/setup.sh says why)"
export WAVEPGO_SUMMARY=0 WAVEPGO_LOG=info

# on_gpu CHIP COMMAND...: with that GPU in the machine.
on_gpu() {
    chip=$1
    shift
    AMDGPU_GPU_ID=$chip LD_PRELOAD=$WPG_DRM_SHIM "$@"
}
on_gpu navi31 "$wavepgo" gpu >first.out 2>&1
grep '^renderD' first.out >/dev/null || skip "the made-up device is not seen: $(head -n 2 first.out)"

if [ "$WPG_DRIVER" = radv ]; then
    unset RADV_FORCE_FAMILY
    VK_LOADER_DEBUG=none on_gpu navi31 "$bench" --info >info.json 2>info.err || skip "RADV does not run on the made-up device: $(tail -n 1 info.err)"
    for state in on auto; do
        WAVEPGO_LOG_FILE=$work/$state.log WAVEPGO_STABLE_POWER=$state WAVEPGO_PROFILE_FILE=$work/%b.profraw on_gpu navi31 \
            "$wavepgo" run --generate -- "$bench" --size small --repeat 0 --case mandelbrot >$state.out 2>$state.err
        echo $? >$state.code
        exited $state 0
    done
    grep -c 'no stable power state is held: the kernel does not tell' on.log | grep -x 1 >/dev/null || {
        fail "a power state that was not held, on a device that does nothing:"
        cat on.log
    }
    grep 'stable power' auto.log && fail "STABLE_POWER=auto holds a power state though nothing is timed"
    on_gpu navi31 "$bench" --size small --repeat 1 --case mandelbrot --stable-power >bench.out 2>bench.err || fail "--stable-power: $(tail -n 1 bench.err)"
    grep -c '^gpu: gfx1100, stable power state not held (the kernel does not tell.*), clocks unknown$' bench.out | grep -x 2 >/dev/null || {
        fail "--stable-power does not say that it holds nothing"
        cat bench.out
    }
    finish
fi

# -- Who is there
"$wavepgo" gpu >none.out 2>none.err || fail "wavepgo gpu without a GPU: exit code $?"
[ -e /dev/dri ] || [ "$(cat none.out)" = "no AMD GPU here" ] || fail "no GPU, and it says: $(cat none.out)"
for pair in navi31:gfx1100 navi21:gfx1030 navi10:gfx1010 vega10:gfx900 polaris10:gfx803 raven:gfx902; do
    chip=${pair%:*}
    on_gpu "$chip" "$wavepgo" gpu >"$chip.out" 2>"$chip.err" || fail "$chip: exit code $?"
    grep "^renderD128  ${pair#*:} ($chip)  AMD Radeon" "$chip.out" >/dev/null || fail "$chip is taken for: $(cat "$chip.out")"
    grep '^ *clocks unknown; at most [0-9]* and [0-9]* MHz$' "$chip.out" >/dev/null || fail "$chip has sensors: $(cat "$chip.out")"
    [ ! -s "$chip.err" ] || fail "$chip: something is printed: $(head -n 1 "$chip.err")"
done
on_gpu navi21 "$wavepgo" gpu --json >gpu.json || fail "--json: exit code $?"
for line in '"node": "renderD128"' '"target": "gfx1030"' '"chip": "navi21"' '"device": 29631' '"family": 143' '"shader_mhz": null'; do
    grep -F "$line" gpu.json >/dev/null || fail "--json has no $line: $(cat gpu.json)"
done

# -- No library
mkdir none
: >none/libdrm_amdgpu.so.1
LD_LIBRARY_PATH=$work/none on_gpu navi31 "$wavepgo" gpu >broken.out 2>broken.err
[ $? = 1 ] || fail "a libdrm_amdgpu that is none: exit code not 1"
grep 'gpu: renderD128: libdrm_amdgpu is not here' broken.err >/dev/null || fail "a libdrm_amdgpu that is none: $(cat broken.err)"

# -- The power state, by a libdrm_amdgpu that tells of it
fake=$WPG_BUILD/tests/fake_drm
need_built "$fake/libdrm_amdgpu.so.1"
make_shim
on_fake() { # LOG COMMAND...: the layer and the driver that says it is renderD128 below it; what the library was asked to LOG
    asked=$work/$1
    shift
    VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder" VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim \
        SHIM_DRM=${node:-128} FAKE_DRM_LOG=$asked LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} on_gpu navi31 "$@"
}
tune() { # NAME PROGRAM...
    run_name=$1
    shift
    rm -rf "$run_name.wavepgo"
    cp -r first.wavepgo "$run_name.wavepgo"
    WAVEPGO_MODE=tune WAVEPGO_PROFILE_USE=$work/$run_name.wavepgo WAVEPGO_BUNDLE=$work/$run_name.wavepgo WAVEPGO_LOG_FILE=$work/$run_name.log \
        on_fake "$run_name.asked" "$@" >"$run_name.out" 2>"$run_name.err"
    echo $? >"$run_name.code"
    exited "$run_name" 0
}
balanced() { # NAME: one context, the state set and set back, and two lines tell of it
    printf 'context 0\nstate 1\nstate 0\nfree 0\n' | cmp -s - "$1.asked" || {
        fail "$1: the power state is not held once and let go of:"
        cat "$1.asked"
    }
    grep -c 'stable power state of renderD128 (gfx1100) \(held\|released\): shader 1234 MHz, memory 567 MHz, load 9 %, temperature 45 C' "$1.log" |
        grep -x 2 >/dev/null || {
        fail "$1: the log does not tell the clocks at begin and end"
        cat "$1.log"
    }
}
untouched() { # NAME: nothing was asked
    [ ! -e "$1.asked" ] || {
        fail "$1: a power state is set"
        cat "$1.asked"
    }
}
program="$bench --size small --repeat 0 --binds 8 --case select_rare"
"$wavepgo" run --generate --bundle "$work/first.wavepgo" -- $program >generate.out 2>&1 || die "no bundle: $(tail -n 2 generate.out)"

tune tuned $program
balanced tuned
WAVEPGO_STABLE_POWER=off tune off $program
untouched off
WAVEPGO_TUNE_METHOD=static tune static $program
untouched static
FAKE_DRM_REFUSE=16 tune busy $program
printf 'context 0\nfree 0\n' | cmp -s - busy.asked || fail "refused, and: $(cat busy.asked)"
grep -c 'info: no stable power state is held: another program holds' busy.log | grep -x 1 >/dev/null || fail "a power state that another holds is not told of: $(cat busy.log)"
node=190 tune elsewhere $program
untouched elsewhere
grep -c 'info: no stable power state is held: /dev/dri/renderD190: ' elsewhere.log | grep -x 1 >/dev/null || fail "a node that is not there is not told of: $(cat elsewhere.log)"
ls tuned.wavepgo/verdicts busy.wavepgo/verdicts >/dev/null || fail "tuning did not go on"

# Other modes hold nothing unless told to; a program that leaves its device alive, one that makes two in turn (at once: tests/unit/layer/test_power.c).
other() { # NAME PROGRAM...
    run_name=$1
    shift
    WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE=$work/%b-$run_name.profraw WAVEPGO_LOG_FILE=$work/$run_name.log \
        on_fake "$run_name.asked" "$@" >"$run_name.out" 2>"$run_name.err"
    echo $? >"$run_name.code"
    exited "$run_name" 0
}
other auto "$app" compute "$WPG_SPIRV"
untouched auto
export WAVEPGO_STABLE_POWER=on
other on "$app" compute "$WPG_SPIRV"
balanced on
other leave "$app" leave "$WPG_SPIRV"
balanced leave
other twice "$app" twice "$WPG_SPIRV"
printf 'context 0\nstate 1\nstate 0\nfree 0\ncontext 0\nstate 1\nstate 0\nfree 0\n' | cmp -s - twice.asked ||
    fail "two devices in turn: $(cat twice.asked)"
unset WAVEPGO_STABLE_POWER

# -- The benchmark runner
on_bench() {
    VK_ADD_LAYER_PATH=$shim_folder VK_INSTANCE_LAYERS=VK_LAYER_WAVEPGO_TEST_shim SHIM_DRM=128 FAKE_DRM_LOG=$work/bench.asked \
        LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} on_gpu navi31 "$bench" --size small --repeat 1 --case mandelbrot "$@"
}
clocks='{"shader_mhz":1234,"memory_mhz":567,"load_percent":9,"temperature_millidegrees":45678}'
on_bench --json - >bench.json 2>bench.err || fail "bench: $(tail -n 1 bench.err)"
grep -F "\"stable_power\":\"not asked for\",\"gpu_clocks\":{\"begin\":$clocks,\"end\":$clocks}" bench.json >/dev/null || fail "no clocks in $(cat bench.json)"
untouched bench
on_bench --stable-power --json bench.json >bench.out 2>bench.err || fail "bench --stable-power: $(tail -n 1 bench.err)"
grep -F '"stable_power":"held"' bench.json >/dev/null || fail "not held: $(cat bench.json)"
grep -c '^gpu: gfx1100, stable power state held, shader 1234 MHz, memory 567 MHz, load 9 %, temperature 45 C$' bench.out | grep -x 2 >/dev/null || {
    fail "--stable-power does not tell the clocks at begin and end"
    cat bench.out
}
printf 'context 0\nstate 1\nstate 0\nfree 0\n' | cmp -s - bench.asked || fail "--stable-power: $(cat bench.asked)"
rm bench.asked
on_bench --stable-power --rounds 1 --compare 'a: A=1' --against '' --json compare.json >compare.out 2>&1 || fail "--compare --stable-power: $(tail -n 2 compare.out)"
grep -F '"stable_power":"held","a_shader_mhz":[1234,1234],"b_shader_mhz":[1234,1234]' compare.json >/dev/null || fail "--compare tells no clocks: $(cat compare.json)"
FAKE_DRM_REFUSE=13 on_bench --stable-power --rounds 2 --compare '' --against '' --json compare.json >compare.out 2>&1 || fail "--compare, refused: $(tail -n 2 compare.out)"
grep -c 'stable power state not held: the kernel does not permit' compare.out | grep -x 1 >/dev/null || fail "--compare does not say once that it holds nothing: $(cat compare.out)"
grep -c '^state 1' bench.asked | grep -x 2 >/dev/null || fail "--compare does not hand --stable-power on"
"$bench" --size small --repeat 0 --case mandelbrot --stable-power --json none.json >none.out 2>none.err || fail "--stable-power without a GPU: exit code $?"
grep -F '"gpu_clocks":"unknown"' none.json | grep -F '"stable_power":"not held: the driver does not tell' >/dev/null || fail "without a GPU: $(cat none.json)"
finish

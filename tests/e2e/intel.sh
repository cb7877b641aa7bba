#!/bin/sh
# Programs under the layer on Intel's driver, which compiles at creation, caches, and has waves of 8, 16 or 32; on a GPU that is none
# (intel_device.c), so no shader runs and all counts are zero. In every mode as without the layer, and rewritten modules are valid.
# (Validation 1.3.239 of Debian 12 crashes on what this driver of 1.4 has, without us.)
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
device=9a49
on_intel $device "$app" compute "$WPG_SPIRV" >"$work/probe.out" 2>&1 || skip "Intel's driver does not run here: $(tail -n 1 "$work/probe.out")"
export WAVEPGO_CACHE=none WAVEPGO_VALIDATE=1

layers() { VK_INSTANCE_LAYERS=$1 VK_ADD_LAYER_PATH=$WPG_BUILD/share/vulkan/explicit_layer.d on_intel "$device" "$app" "$scenario" "$WPG_SPIRV" $argument; }
# mode NAME SETTINGS...: as without the layer, but for what the layer says.
mode() {
    name=$scenario-$1
    shift
    (export "$@" && plain "$name" layers "$layer_name")
    cmp -s "$work/$scenario.code" "$work/$name.code" || fail "$name: exit code $(cat "$work/$name.code"), not $(cat "$work/$scenario.code"): $(tail -n 2 "$work/$name.err")"
    cmp -s "$work/$scenario.out" "$work/$name.out" || fail "$name: $(diff "$work/$scenario.out" "$work/$name.out" | head -n 5)"
    ! grep -E 'wavepgo: (warning|error)' "$work/$name.err" >/dev/null || fail "$name: $(grep -E 'wavepgo: (warning|error)' "$work/$name.err" | head -n 2)"
}

for scenario in compute old draw threads core versions batch derive required library inline features dynamic-state dynamic-linked \
    many answers variants variants-draw variants-linked shapes contents push stages record churn churn-parts; do
    case $scenario in churn*) argument=30 ;; *) argument= ;; esac
    plain "$scenario" layers ""
    [ "$(cat "$work/$scenario.code")" != 77 ] || continue
    bundle=$work/$scenario.wavepgo
    mode counted WAVEPGO_MODE=generate WAVEPGO_BUNDLE="$bundle"
    mode probed WAVEPGO_MODE=generate WAVEPGO_STRATEGY=naive WAVEPGO_PROBES=all WAVEPGO_PROFILE_FILE="$work/$scenario-probed/%b.profraw"
    seen=$(sed -n 's/^wavepgo: info: [0-9]* pipelines\{0,1\} seen, \([0-9]*\) instrumented.*/\1/p' "$work/$scenario-counted.err")
    [ "${seen:-0}" -ge 1 ] || fail "$scenario: nothing was counted: $(tail -n 1 "$work/$scenario-counted.err")"
    mode used WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$bundle" WAVEPGO_COMPILE=background
done
finish

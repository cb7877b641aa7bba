#!/bin/sh
# One kernel of the oracle (oracle/oracle.c), in all its shapes, by every strategy, and with counters that carry, live in
# device memory, are 32 bits wide: every counter exact. WPG_CASE=NAME.STAGE
# Everyday: each strategy once a shape, settings by turns. At night (WPG_NIGHTLY): all of it everywhere.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$oracle"
# Without the layer, too.
case $WPG_DRIVER.$WPG_CASE in swiftshader.demote_[ln]*) skip "SwiftShader stores what demoted invocations write" ;; esac
# How lanes of a switch run together is open in SPIR-V where several values lead to one target (compiler/instrument/README.md): what
# the kernel's waves are there, no processor can tell. Lanes are exact.
lanes_only=
[ "$WPG_DRIVER" != hardware ] || ! grep -q switch "$WPG_SOURCE/tests/e2e/oracle/kernels/$WPG_CASE" || lanes_only=yes
kernel=${WPG_CASE%%.*}
stage=${WPG_CASE##*.}
case $stage in
comp | task | mesh) variants="64 21" ;;
frag) variants="full part" ;;
*) variants="plain" ;;
esac
make_shim
skipped=
try() { # VARIANT SETTING STRATEGY
    [ -z "$lanes_only" ] || [ "$3" = lane ] || return 0
    name=$1-$2-$3
    (
        export WAVEPGO_STRATEGY="$3" WAVEPGO_SELECTS=all WAVEPGO_BUDGET=0
        case $2 in
        start) export WAVEPGO_COUNTER_START=4294967294 ;;
        device) export WAVEPGO_COUNTER_PLACEMENT=device WAVEPGO_PROBES=branches,switch,loops,entry WAVEPGO_BUNDLE="$work/$name" ;;
        waves) export VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder" WAVEPGO_PROBES=branches,switch,loops,entry VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim ;;
        narrow)
            # The layer sees a device without 64-bit atomics: low words carry into high ones.
            export WAVEPGO_COUNTER_START=4294967294 SHIM_HIDE=int64 WAVEPGO_PROBES=branches,switch,loops,entry VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
            export VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim
            ;;
        lanes) export WAVEPGO_PROBES=all WAVEPGO_BUNDLE="$work/$name" ;;
        ranges)
            export SHIM_HIDE=int64 WAVEPGO_PROBES=loops WAVEPGO_BUNDLE="$work/$name" VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
            export VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim
            ;;
        esac
        generate "$name" "$oracle" "$kernel" "$stage" "$1" "$WPG_SPIRV" "$work/$name"
    )
    code=$(cat "$work/$name.code")
    case $code in
    0) echo "$3: $(tail -n 1 "$work/$name.out")" ;;
    77) skipped=$(cat "$work/$name.out") ;;
    *)
        fail "$WPG_CASE $1 $2 $3: exit code $code"
        head -n 20 "$work/$name.out" "$work/$name.err" "$work/$name.log"
        ;;
    esac
}
settings="default start device narrow ranges" derived=start additive=narrow naive=start
# lavapipe has subgroup operations in raygen shaders, but does not claim them: the shim does.
if [ $stage = rgen ]; then
    settings="default waves narrow" derived=waves additive=waves naive=waves
    export SHIM_RAY_WAVES=1
fi
# What everyday leaves to the night alternates with the kernel's name: each setting is met by some kernels.
if [ -z "${WPG_NIGHTLY:-}" ] && [ $stage != rgen ]; then
    turn=$(($(printf %s "$kernel" | cksum | cut -d' ' -f1) % 3))
    if [ "$WPG_DRIVER" != new ] || [ -n "${WPG_SANITIZED:-}" ]; then
        case $turn in
        0) settings=start additive=narrow naive=default ;;
        1) settings=narrow additive=device naive=start ;;
        2) settings=ranges additive=start naive=narrow ;;
        esac
    else
        case $turn in
        0) settings="default start ranges" ;;
        1) settings="default device narrow" ;;
        2) settings="default start device" ;;
        esac
    fi
fi
for variant in $variants; do
    for setting in $settings; do
        try "$variant" $setting auto
    done
    try "$variant" $derived derived
    try "$variant" $additive additive
    try "$variant" $naive naive
    if [ "$variant" = "${variants%% *}" ] || [ -n "${WPG_NIGHTLY:-}" ]; then
        try "$variant" default slots
        try "$variant" lanes lane
    fi
    settings=start derived=narrow additive=start naive=narrow # the second shape: what depends on shape
    [ -n "${WPG_NIGHTLY:-}" ] || settings=
done
[ -z "$skipped" ] || skip "$skipped"
finish

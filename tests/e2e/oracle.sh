#!/bin/sh
# One kernel of the oracle (oracle/oracle.c), in all its shapes and with counters that carry, live in device memory, are
# 32 bits wide: every counter exact. WPG_CASE=NAME.STAGE
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$oracle"
kernel=${WPG_CASE%%.*}
stage=${WPG_CASE##*.}
case $stage in
comp) variants="64 21" ;;
frag) variants="full part" ;;
*) variants="plain" ;;
esac
make_shim
skipped=
for variant in $variants; do
    for setting in default start device narrow; do
        (
            case $setting in
            start) export WAVEPGO_COUNTER_START=4294967294 ;;
            device) export WAVEPGO_COUNTER_PLACEMENT=device ;;
            narrow)
                # The layer sees a device without 64-bit atomics: low words carry into high ones.
                export WAVEPGO_COUNTER_START=4294967294 SHIM_HIDE=int64 VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
                export VK_INSTANCE_LAYERS=VK_LAYER_WAVEPGO_shader_pgo:VK_LAYER_WAVEPGO_TEST_shim
                ;;
            esac
            generate $variant-$setting "$oracle" "$kernel" "$stage" $variant "$WPG_SPIRV" "$work/$variant-$setting"
        )
        code=$(cat "$work/$variant-$setting.code")
        case $code in
        0) tail -n 1 "$work/$variant-$setting.out" ;;
        77) skipped=$(cat "$work/$variant-$setting.out") ;;
        *)
            fail "$WPG_CASE $variant $setting: exit code $code"
            head -n 20 "$work/$variant-$setting.out" "$work/$variant-$setting.err" "$work/$variant-$setting.log"
            ;;
        esac
    done
done
[ -z "$skipped" ] || skip "$skipped"
finish

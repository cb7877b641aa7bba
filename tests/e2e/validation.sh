#!/bin/sh
# The validation layer below ours says nothing that it does not say without us. VK_INSTANCE_LAYERS names the layer
# closest to the program first, so that validation, named last, sees what we hand to the driver.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$bench"
find /usr/share/vulkan/explicit_layer.d "$HOME/.local" -name 'VkLayer_khronos_validation.json' 2>/dev/null | grep . >/dev/null ||
    skip "the validation layer is not installed"

manifest=$(find /usr/share/vulkan/explicit_layer.d -name 'VkLayer_khronos_validation*.json' | head -n 1)
# Validation that is older than an extension of the driver finds fault with it wherever it is used: there the shim, below
# ours, hides the extension. VK_KHR_shader_maximal_reconvergence came with 1.3.281.
make_shim
layers_below=VK_LAYER_KHRONOS_validation
patch=$(sed -n 's/.*"api_version": *"\([0-9]*\)\.\([0-9]*\)\.\([0-9]*\)".*/\2 \3/p' "$manifest")
if [ "$WPG_DRIVER" = new ] && [ "${patch% *}" -lt 4 ] && [ "${patch#* }" -lt 281 ]; then
    layers_below=VK_LAYER_WAVEPGO_TEST_shim:VK_LAYER_KHRONOS_validation
    export SHIM_HIDE=reconvergence
fi

# Message ids of what validation printed, with how often. What newer validation says of a module's words when the module is
# made, it says again of our copy of them: such ids count once.
messages() {
    cat "$work/$1.out" "$work/$1.err" | sed -n "s/.*Validation [A-Za-z]*: \\[ \\([A-Za-z0-9_.-]*\\) \\].*/\\1/p" | LC_ALL=C sort | uniq -c |
        awk '$2 ~ /^VUID-RuntimeSpirv-/ { $1 = 1 } { print $1, $2 }'
}
check() { # NAME COMMAND...
    name=$1
    shift
    VK_INSTANCE_LAYERS=$layers_below VK_ADD_LAYER_PATH="$shim_folder" plain $name-absent "$@"
    mkdir -p "$work/$name-generate"
    export VK_INSTANCE_LAYERS=$layer_name:$layers_below
    export VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
    WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/$name-generate/%b.profraw" plain $name-generate "$@"
    WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/$name-generate" plain $name-use "$@"
    unset VK_INSTANCE_LAYERS VK_ADD_LAYER_PATH
    messages $name-absent >"$work/absent.messages"
    # Which bind of four counts hangs on the shaders' hashes, and so on the compiler that made them: of few binds perhaps none.
    [ $name = library ] || [ $name = sampled-batch ] || [ "$(count_profiles $name-generate)" -ge 1 ] || fail "$name: no profile: $(tail -n 3 "$work/$name-generate.err")"
    for mode in generate use; do
        messages $name-$mode >"$work/$mode.messages"
        diff "$work/absent.messages" "$work/$mode.messages" >"$work/diff" || {
            fail "$name, $mode: messages differ from those without the layer:"
            cat "$work/diff"
            grep -h -A 2 'VUID\|UNASSIGNED' "$work/$name-$mode.out" | head -n 12
        }
        cmp -s "$work/$name-absent.code" "$work/$name-$mode.code" || fail "$name, $mode: exit code $(cat "$work/$name-$mode.code")"
    done
}
# Validation is there at all: a rule broken by the program is reported, the same with and without us.
check invalid "$app" invalid "$WPG_SPIRV"
grep 'VkBufferCreateInfo-size' "$work/absent.messages" >/dev/null || skip "the validation layer does not report here"
check compute "$app" compute "$WPG_SPIRV"
check old "$app" old "$WPG_SPIRV"
for scenario in draw core versions batch library library-tessellation library-feedback inline; do
    check $scenario "$app" $scenario "$WPG_SPIRV"
done
# Links of library parts that have a counting twin, bound in place of the program's.
touch "$work/there"
for scenario in library library-tessellation library-feedback library-two; do
    WAVEPGO_TRIGGER=$work/there check $scenario "$app" $scenario "$WPG_SPIRV"
    [ "$(cat "$work/$scenario-absent.code")" = 77 ] || [ "$(count_profiles $scenario-generate)" -ge 1 ] || fail "$scenario: its links have no profile"
done
# Everything that is written into the program's command buffers: queries of ours.
export WAVEPGO_BUNDLE="$work/record.wavepgo" WAVEPGO_TIMES="$work/record.times" WAVEPGO_TIMESTAMPS=1 WAVEPGO_PIPELINE_STATISTICS=1
check record "$app" record "$WPG_SPIRV"
grep -l '^sum gpu-nanoseconds' "$work"/record.wavepgo/pipelines/*.facts >/dev/null || fail "record: nothing was measured"
grep '^pipeline ' "$work/record.times" >/dev/null || fail "record: nothing was timed in use mode"
unset WAVEPGO_BUNDLE WAVEPGO_TIMES WAVEPGO_TIMESTAMPS WAVEPGO_PIPELINE_STATISTICS
check bench "$bench" --size small --checksum
# Pipelines made for push constants, bound in place of the program's, in passes and secondaries, while theirs and what they
# were made with are destroyed.
check_variants() { # SCENARIO TRAINING
    name=$1
    [ -d "$work/$2.wavepgo" ] || "$wavepgo" run --generate --bundle "$work/$2.wavepgo" -- "$app" "$2" "$WPG_SPIRV" >"$work/$2.out" 2>&1 || fail "$2: exit code $?"
    VK_INSTANCE_LAYERS=$layers_below VK_ADD_LAYER_PATH="$shim_folder" plain $name-absent "$app" "$name" "$WPG_SPIRV"
    messages $name-absent >"$work/absent.messages"
    export VK_INSTANCE_LAYERS=$layer_name:$layers_below
    export VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
    for wait in 0 20; do
        WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/$2.wavepgo" WAVEPGO_VARIANT_RULE=on WAVEPGO_VARIANT_WAIT=$wait plain $name-$wait "$app" "$name" "$WPG_SPIRV"
        messages $name-$wait >"$work/use.messages"
        diff "$work/absent.messages" "$work/use.messages" >"$work/diff" || {
            fail "$name, waiting for $wait s: messages differ from those without the layer:"
            cat "$work/diff"
            grep -h -A 2 'VUID\|UNASSIGNED' "$work/$name-$wait.out" | head -n 12
        }
        cmp -s "$work/$name-absent.code" "$work/$name-$wait.code" || fail "$name, waiting for $wait s: exit code $(cat "$work/$name-$wait.code")"
    done
    unset VK_INSTANCE_LAYERS VK_ADD_LAYER_PATH
    grep '; [1-9][0-9]* variants, [1-9][0-9]* of ' "$work/$name-20.err" >/dev/null || fail "$name: no variant was bound: $(tail -n 1 "$work/$name-20.err")"
}
check_variants variants variants-train
check_variants variants-draw variants-draw-train
check_variants variants-rendering variants-draw-train
check_variants variants-linked variants-draw-train
# Whole pipelines made behind their creation, and bound from some bind on.
export WAVEPGO_COMPILE=background WAVEPGO_CACHE=none
check_variants variants variants-train
check_variants variants-draw variants-draw-train
check_variants variants-linked variants-draw-train
for name in variants-draw variants-linked; do
    grep '; [1-9][0-9]* made in the background' "$work/$name-20.err" >/dev/null || fail "$name: nothing was made in the background: $(tail -n 1 "$work/$name-20.err")"
done
export WAVEPGO_COMPILE=blocking
unset WAVEPGO_CACHE
# The same with queries of ours around what they run.
export WAVEPGO_TIMES="$work/variants.times" WAVEPGO_TIMESTAMPS=1
check_variants variants-draw variants-draw-train
grep '^pipeline ' "$work/variants.times" >/dev/null || fail "variants: nothing was timed"
unset WAVEPGO_TIMES WAVEPGO_TIMESTAMPS
# A descriptor set of ours behind the program's.
export WAVEPGO_COUNTER_WAY=binding
check bound "$bench" --size small --checksum --case mandelbrot --case post --case patch
check bound-batch "$app" batch "$WPG_SPIRV"
check bound-contents "$app" contents "$WPG_SPIRV"
check bound-push "$app" push "$WPG_SPIRV" old # the newer commands are unknown to it
unset WAVEPGO_COUNTER_WAY
# Two bodies in one shader; two pipelines for one.
export WAVEPGO_SAMPLE=1/4
check sampled "$bench" --size small --checksum --case mandelbrot --case post --case patch
export WAVEPGO_SAMPLE_BY=bind
check sampled-bind "$bench" --size small --checksum --binds 3 --case mandelbrot --case post --case patch
check sampled-batch "$app" batch "$WPG_SPIRV"
unset WAVEPGO_SAMPLE WAVEPGO_SAMPLE_BY
for kernel in nested_loops.comp demote_loop.frag discard_loop.frag vertex_loop.vert geometry_branch.geom \
    control_switch.tesc evaluation_loop.tese mesh_loops.mesh task_loops.task segments.rgen; do
    stage=${kernel##*.}
    case $stage in comp | task | mesh) variant=21 ;; frag) variant=part ;; *) variant=plain ;; esac
    # Not every driver has mesh shaders and ray tracing.
    case $stage in
    task | mesh | rgen)
        plain there "$oracle" "${kernel%.*}" $stage $variant "$WPG_SPIRV" none
        [ "$(cat "$work/there.code")" = 0 ] || continue
        ;;
    esac
    check $kernel "$oracle" "${kernel%.*}" $stage $variant "$WPG_SPIRV" none
done
plain there "$WPG_PROGRAMS/e2e_rays" plain "$WPG_SPIRV"
for scenario in plain library; do # validation 1.3.239 does not survive a deferred one
    [ "$(cat "$work/there.code")" = 0 ] && check rays-$scenario "$WPG_PROGRAMS/e2e_rays" $scenario "$WPG_SPIRV"
done
finish

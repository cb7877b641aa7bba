#!/bin/sh
# Probes of values against the oracle: each kernel values_*, in all its shapes, with 64-bit and 32-bit counters, in host and
# device memory; then stock llvm-profdata reads and merges what was written, and so does wavepgo.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$oracle"
make_shim
export WAVEPGO_PROBES=values,every
for kernel in values_mixed; do
    for variant in 64 21; do
        for setting in default device narrow naive part; do
            run=$kernel-$variant-$setting
            # Counted in place, waves inside a divergent switch are the driver's, and GPUs run its lanes apart.
            [ "$setting-$WPG_DRIVER" != naive-hardware ] || continue
            (
                case $setting in
                device) export WAVEPGO_COUNTER_PLACEMENT=device ;;
                part) export WAVEPGO_PROBES=values ;; # in loops, some visits
                naive) export WAVEPGO_STRATEGY=naive ;;
                narrow)
                    export SHIM_HIDE=int64 VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
                    export VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim
                    ;;
                esac
                generate "$run" "$oracle" "$kernel" comp $variant "$WPG_SPIRV" "$work/$run"
            )
            code=$(cat "$work/$run.code")
            [ "$code" != 77 ] || skip "$(cat "$work/$run.out")"
            [ "$code" = 0 ] || { fail "$run: exit code $code"; head -n 20 "$work/$run.out" "$work/$run.err" "$work/$run.log"; }
            tail -n 1 "$work/$run.out"
        done
    done
done

# A part is less than all.
for variant in 64 21; do
    grep -q '^values: asked \([0-9]*\) of \1$' "$work/values_mixed-$variant-default.out" || fail "not every visit was asked"
    grep -q '^values: asked \([0-9]*\) of \1$' "$work/values_mixed-$variant-part.out" && fail "every visit was asked"
done

# Merged with itself every count doubles, in LLVM's hands as in ours. (LLVM's own reader shows the raw file first.)
run=values_mixed-64-default
for tool in "$LLVM_PROFDATA_22" "$LLVM_PROFDATA_19"; do
    [ -n "$tool" ] || continue
    "$tool" merge -o "$work/llvm.profdata" "$work/$run"/*.profraw "$work/$run"/*.profraw ||
        fail "$tool does not merge the values"
    "$tool" show --memop-sizes --all-functions "$work/llvm.profdata" >"$work/llvm.txt" || fail "$tool does not show"
    "$wavepgo" merge -o "$work/ours.profdata" "$work/$run"/*.profraw "$work/$run"/*.profraw || fail "wavepgo merge"
    "$tool" show --memop-sizes --all-functions "$work/ours.profdata" >"$work/ours.txt" || fail "$tool does not show ours"
    # One line a record, in order of name: indexed files list records in the order of their hash tables.
    for side in llvm ours; do
        awk '/^  [^ ]/ { if (line != "") print line; line = $0; next } { line = line " " $0 } END { print line }' "$work/$side.txt" |
            LC_ALL=C sort >"$work/$side.records"
    done
    cmp "$work/llvm.records" "$work/ours.records" || fail "$tool and wavepgo merge differently"
    grep -q '#values' "$work/ours.txt" || fail "no values after merging"
done

# The least and most trips of loops lie in the bundle: shown, and as they were when it is merged with itself.
(
    export WAVEPGO_PROBES=loops WAVEPGO_BUNDLE="$work/trips"
    generate trips "$oracle" nested_loops comp 64 "$WPG_SPIRV" none
)
"$wavepgo" merge --format=bundle -o "$work/twice" "$work/trips" "$work/trips" || fail "bundles with extremes do not merge"
for bundle in trips twice; do
    "$wavepgo" show --blocks "$work/$bundle" >"$work/$bundle.txt" || fail "show $bundle"
    sed -n 's/.* trips a lane, //p' "$work/$bundle.txt" >"$work/$bundle.ranges"
done
grep -q ' to ' "$work/trips.ranges" || fail "show does not tell least and most trips"
cmp "$work/trips.ranges" "$work/twice.ranges" || fail "merging changed the least or most trips"
# A GPU interpolates equal inputs to values that are not quite equal.
[ "$WPG_DRIVER" != hardware ] || finish
# Inputs of fragment stages: three components of `tint` are constants, and nothing else is. The picture stays.
need_built "$app"
plain stages-plain "$app" stages "$WPG_SPIRV"
exited stages-plain 0
for probes in inputs,every inputs; do
    plain "stages-$probes.run" "$wavepgo" run --generate --probes $probes --validate --bundle "$work/stages-$probes" -- "$app" stages "$WPG_SPIRV"
    same stages-plain "stages-$probes.run"
    "$wavepgo" show --values --top 0 "$work/stages-$probes" >"$work/stages.values" || fail "show of inputs"
    for value in 0.5 0.75 1; do
        grep -E " input +float .* 100.0%  always $value\$" "$work/stages.values" >/dev/null || fail "$probes: no input is always $value: $(cat "$work/stages.values")"
    done
    [ "$(grep -c ' input .* always ' "$work/stages.values")" = "$(($(grep -c ' input .* always 0.5$' "$work/stages.values") * 3))" ] ||
        fail "$probes: other inputs are constant, too: $(cat "$work/stages.values")"
    "$wavepgo" advise --top 0 "$work/stages-$probes" >"$work/stages.advice" || fail "advise"
    grep -A2 'drop them from the stage before: tint.y = 0.5, tint.z = 0.75, tint.w = 1$' "$work/stages.advice" >"$work/stages.inputs" ||
        fail "$probes: advise says $(cat "$work/stages.advice")"
    grep '^   predicted: ' "$work/stages.inputs" >/dev/null || fail "$probes: no prediction: $(cat "$work/stages.inputs")"
done
# Not asked by default.
plain stages-default.run "$wavepgo" run --generate --bundle "$work/stages-default" -- "$app" stages "$WPG_SPIRV"
"$wavepgo" show --values --top 0 "$work/stages-default" | grep ' input ' >/dev/null && fail "inputs are asked about by default"
finish

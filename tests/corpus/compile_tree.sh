#!/bin/sh
# SPIR-V of the shaders of this tree: each with and without debug information, and as spirv-opt makes it; assembly as it
# is. With WPG_CORPUS=all for every Vulkan version and in three ways of spirv-opt, else for one version and in one way,
# which the path's hash chooses.
#
#     sh tests/corpus/compile_tree.sh OUTPUT-FOLDER SOURCE...      <hash of the path>-<way>.spv
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
shift
glslang=$(command -v glslangValidator || command -v glslang) || glslang=

for source in "$@"; do
    made=$out/$(echo "$source" | cksum | tr ' ' -)
    case $source in
    *.spvasm)
        spirv-as --preserve-numeric-ids "$source" -o "$made.spv" >/dev/null 2>&1
        continue
        ;;
    esac
    [ -n "$glslang" ] || continue
    sum=$(echo "${source#"$root"/}" | cksum | cut -d' ' -f1)
    chosen=$((sum / 4 % 3 + 1))
    for step in 0 1 2 3; do
        target=$(((sum + step) % 4))
        "$glslang" --quiet -g --target-env vulkan1.$target -I"$root/tests/e2e/oracle" -o "$made-$target-g.spv" "$source" >/dev/null 2>&1
        "$glslang" --quiet --target-env vulkan1.$target -I"$root/tests/e2e/oracle" -o "$made-$target.spv" "$source" >/dev/null 2>&1 || continue
        number=0
        for level in -O -Os "-O --merge-return --inline-entry-points-exhaustive --ssa-rewrite"; do
            number=$((number + 1))
            [ "${WPG_CORPUS:-}" = all ] || [ $number = $chosen ] || continue
            # shellcheck disable=SC2086
            spirv-opt $level "$made-$target.spv" -o "$made-$target-$number.spv" >/dev/null 2>&1
        done
        [ "${WPG_CORPUS:-}" = all ] || break
    done
done

#!/bin/sh
# SPIR-V of shader sources: each as compiled, and as optimised by spirv-opt, as programs ship it.
#
#     sh tests/corpus/compile.sh OUTPUT-FOLDER SOURCE...      one name of its own for each: OUTPUT-FOLDER/<hash of the path>.spv
#
# A source is assembly (.asm. in its name, .spvasm), HLSL (below a folder of that name, or .hlsl) or GLSL; the stage is what its
# name says. GLSL is tried for Vulkan 1.1, then 1.3, then as OpenGL's under the relaxed rules. What no way
# compiles (tests of compilers hold errors on purpose) is left out without a word.
set -u
out=$1
shift
glslang=$(command -v glslangValidator || command -v glslang) || exit 0
made=$out/made-$$
trap 'rm -f "$made" "$made.spv"' EXIT

glsl() { # FLAGS...
    "$glslang" --quiet --amb --aml -S "$stage" -o "$made" "$@" "$source" >/dev/null 2>&1
}

for source in "$@"; do
    rm -f "$made"
    name=$(basename "$source" .vk)
    stage=
    rest=$name
    while [ -z "$stage" ]; do
        case ${rest##*.} in
        vert | frag | comp | geom | tesc | tese | mesh | task | rgen | rchit | rmiss | rahit | rint | rcall) stage=${rest##*.} ;;
        "$rest") break ;;
        esac
        rest=${rest%.*}
    done
    case $source in
    *.asm.* | *.spvasm)
        case $name in
        *.spv16.*) version=spv1.6 ;;
        *.spv14.*) version=vulkan1.1spv1.4 ;;
        *) version=vulkan1.1 ;;
        esac
        spirv-as --target-env $version -o "$made" "$source" >/dev/null 2>&1
        ;;
    *hlsl*)
        [ -n "$stage" ] || continue
        glsl -D -e main --target-env vulkan1.1
        ;;
    *)
        [ -n "$stage" ] || continue
        glsl --target-env vulkan1.1 || glsl --target-env vulkan1.3 || glsl -R --target-env vulkan1.1
        ;;
    esac
    [ -s "$made" ] || continue
    hash=$(echo "$source" | cksum | tr ' ' -)
    ! spirv-opt -O "$made" -o "$made.spv" >/dev/null 2>&1 || mv "$made.spv" "$out/$hash-O.spv"
    mv "$made" "$out/$hash.spv"
done

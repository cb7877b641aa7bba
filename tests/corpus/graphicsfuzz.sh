#!/bin/sh
# Modules of Khronos' GraphicsFuzz tests, with the numbers of their buffers, for conform.sh:
#
#     git clone --depth 1 https://github.com/KhronosGroup/VK-GL-CTS.git
#     sh tests/corpus/graphicsfuzz.sh VK-GL-CTS/external/vulkancts/data/vulkan/amber/graphicsfuzz FOLDER
#     sh tests/corpus/conform.sh FOLDER
#
# Of each script of Amber the SPIR-V shaders (amber.awk). Nearly all draw pure red. Exit code 77: no spirv-as.
set -eu
[ $# = 2 ] && [ -d "$1" ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
command -v spirv-as >/dev/null 2>&1 || { echo "graphicsfuzz: no spirv-as" >&2; exit 77; }
mkdir -p "$2"
awk -v to="$2" -f "$(dirname "$0")/amber.awk" "$1"/*.amber
made=0
for text in "$2"/*.spvasm; do
    spirv-as --target-env "$(sed -n '1s/; //p' "$text")" "$text" -o "${text%.spvasm}.spv" && made=$((made + 1))
    rm "$text"
done
echo "graphicsfuzz: $made modules, $(find "$2" -name '*.data' | grep -c . || :) with numbers of their own"

#!/bin/sh
# The family materialx: MaterialX's surface shaders, by its own generator for Vulkan (README.md).
#
#     sh shaders/real/materialx.sh fetch | list | run NAME,NAME... SECONDS | attainable NAME,NAME... SECONDS
#
# attainable: the same shaders with the material's parameters as constants in the GLSL. Such a shader serves one material.
# Needs node, npm, cc, glslangValidator and Vulkan's headers. Exit code 77: something is missing; it says what.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${WPG_REAL:-$root/.deps/real}/materialx
skip() { echo "materialx: skipped: $*" >&2; exit 77; }
for tool in node glslangValidator cc; do command -v "$tool" >/dev/null 2>&1 || skip "needs $tool"; done
driver() { NODE_PATH=$folder/node_modules node "$here/materialx.cjs" "$@"; }

# The packages once; shaders and program whenever a source here is newer.
fetch() {
    mkdir -p "$folder/items"
    if [ ! -e "$folder/fetched" ]; then
        command -v npm >/dev/null 2>&1 || skip "needs npm"
        (cd "$folder" && echo '{"private":true}' >package.json &&
            npm install --no-audit --no-fund --silent --ignore-scripts @needle-tools/materialx@1.4.6 >&2) ||
            skip "npm could not fetch its packages"
        : >"$folder/fetched"
    fi
    if [ ! -e "$folder/made" ] || [ -n "$(find "$here" "$here/../runner" \( -name "materialx.c*" -o -name 'program.[ch]' -o -name 'pixels.[ch]' -o -name 'drawing.[ch]' -o -name 'device.[ch]' \) -newer "$folder/made")" ]; then
        driver generate "$folder/items" || skip "the generator failed"
        for source in "$folder"/items/*.vert "$folder"/items/*.frag; do
            glslangValidator -V --quiet "$source" -o "$source.spv" >&2 || skip "glslangValidator refused $source"
        done
        (cd "$root" && cc -O2 -std=gnu17 -I. ${WPG_VULKAN_HEADERS:+-I"$WPG_VULKAN_HEADERS"} -o "$folder/materialx" shaders/real/materialx.c \
            shaders/real/drawing.c shaders/real/pixels.c shaders/real/program.c shaders/runner/device.c runtime/base/error.c runtime/base/text.c -lvulkan -lm -pthread) || skip "cc could not build materialx.c"
        : >"$folder/made"
    fi
}

case ${1:-} in
fetch) fetch ;;
list) driver list ;;
run | attainable)
    [ "$1" = run ] && suffix= || suffix=.const
    # shellcheck disable=SC2046
    exec "$folder/materialx" "$folder/items" "$suffix" "$3" $(echo "$2" | tr , ' ')
    ;;
*)
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

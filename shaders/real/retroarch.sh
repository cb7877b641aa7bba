#!/bin/sh
# The family retroarch: shader presets of RetroArch (libretro/slang-shaders), drawn pass after pass (README.md).
#
#     sh shaders/real/retroarch.sh fetch | list | run NAME,NAME... SECONDS | attainable NAME,NAME... SECONDS
#
# attainable: the same passes with the presets' parameters as constants in the GLSL. Each change of one would be a new shader.
# Needs node, cc, glslangValidator and Vulkan's headers. SLANG_SHADERS: a folder that has the presets; without it fetch needs git
# and takes the newest from github.com. Exit code 77: something is missing; it says what.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${WPG_REAL:-$root/.deps/real}/retroarch
skip() { echo "retroarch: skipped: $*" >&2; exit 77; }
for tool in node glslangValidator cc; do command -v "$tool" >/dev/null 2>&1 || skip "needs $tool"; done
driver() { node "$here/retroarch.cjs" "$@"; }

# The presets once; shaders and program whenever a source here is newer.
fetch() {
    mkdir -p "$folder/items"
    pack=${SLANG_SHADERS:-$folder/slang-shaders}
    [ -z "${SLANG_SHADERS:-}" ] || [ -d "$pack/crt" ] || skip "SLANG_SHADERS=$pack has no folder crt: no copy of libretro/slang-shaders"
    if [ ! -d "$pack" ] && [ ! -e "$folder/made" ]; then
        command -v git >/dev/null 2>&1 || skip "needs git, or SLANG_SHADERS=FOLDER with libretro/slang-shaders"
        GIT_TERMINAL_PROMPT=0 git clone --quiet --depth 1 https://github.com/libretro/slang-shaders "$pack" >&2 ||
            { rm -rf "$pack"; skip "git could not fetch libretro/slang-shaders: SLANG_SHADERS=FOLDER names a copy"; }
    fi
    if [ ! -e "$folder/made" ] || [ -n "$(find "$here" "$here/../runner" \( -name "retroarch.c*" -o -name 'program.[ch]' -o -name 'drawing.[ch]' -o -name 'device.[ch]' \) -newer "$folder/made")" ]; then
        [ -d "$pack" ] || skip "the presets are gone: $pack"
        driver generate "$pack" "$folder/items" || skip "the presets could not be read"
        for source in "$folder"/items/*.vert "$folder"/items/*.frag; do
            glslangValidator -V --quiet "$source" -o "$source.spv" >&2 || skip "glslangValidator refused $source"
        done
        driver bind "$folder/items" || skip "the modules could not be read"
        (cd "$root" && cc -O2 -std=gnu17 -I. ${WPG_VULKAN_HEADERS:+-I"$WPG_VULKAN_HEADERS"} -o "$folder/retroarch" shaders/real/retroarch.c \
            shaders/real/drawing.c shaders/real/program.c shaders/runner/device.c runtime/base/error.c runtime/base/text.c -lvulkan -lm -pthread) || skip "cc could not build retroarch.c"
        : >"$folder/made"
    fi
}

case ${1:-} in
fetch) fetch ;;
list) driver list ;;
run | attainable)
    [ "$1" = run ] && suffix= || suffix=.const
    export WARM="${WARM:-3}" # variants for push constants are made beside the first frames
    # shellcheck disable=SC2046
    exec "$folder/retroarch" "$folder/items" "$suffix" "$3" $(echo "$2" | tr , ' ')
    ;;
*)
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

#!/bin/sh
# The family kernels: llama.cpp's Vulkan kernels, alone, at sizes of real models (README.md).
#
#     sh shaders/real/kernels.sh fetch | list | run NAME,NAME... SECONDS | attainable NAME,NAME... SECONDS
#
# attainable: the same modules with their push constants as constants. Such a module serves one shape.
# SEVERAL=1: three shapes in turns, the first two sizes an eighth and two eighths larger. One pipeline serves all three.
# Needs npm, cc and Vulkan's headers. Exit code 77: something is missing; it says what.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${WPG_REAL:-$root/.deps/real}/kernels
library=$folder/node_modules/@fugood/node-llama-linux-x64-vulkan/index.node
skip() { echo "kernels: skipped: $*" >&2; exit 77; }

# The package once; the program whenever its source is newer.
fetch() {
    mkdir -p "$folder"
    if [ ! -e "$folder/fetched" ]; then
        command -v npm >/dev/null 2>&1 || skip "needs npm"
        (cd "$folder" && echo '{"private":true}' >package.json &&
            npm install --no-audit --no-fund --silent --ignore-scripts @fugood/node-llama-linux-x64-vulkan@1.7.15 >&2) ||
            skip "npm could not fetch its packages"
        : >"$folder/fetched"
    fi
    if [ ! -e "$folder/kernels" ] || [ -n "$(find "$here" "$here/../runner" \( -name 'kernel*.[ch]' -o -name 'program.[ch]' -o -name 'device.[ch]' \) -newer "$folder/kernels")" ]; then
        command -v cc >/dev/null 2>&1 || skip "needs cc"
        (cd "$root" && cc -O2 -std=gnu17 -I. ${WPG_VULKAN_HEADERS:+-I"$WPG_VULKAN_HEADERS"} -o "$folder/kernels" shaders/real/kernels.c \
            shaders/real/kernel_modules.c shaders/real/program.c shaders/runner/device.c runtime/base/error.c runtime/base/text.c -lvulkan -lm -pthread) || skip "cc could not build kernels.c"
    fi
}

case ${1:-} in
fetch) fetch ;;
list) "$folder/kernels" list ;;
run | attainable)
    # shellcheck disable=SC2046
    exec "$folder/kernels" "$library" "$1" "$3" $(echo "$2" | tr , ' ')
    ;;
*)
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

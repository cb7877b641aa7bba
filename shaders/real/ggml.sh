#!/bin/sh
# The family ggml: llama.cpp's Vulkan kernels, on tiny models of random weights (README.md).
#
#     sh shaders/real/ggml.sh fetch | list | run NAME,NAME... SECONDS | training
#
# training: options of the run that counts. Left out there: pipelines that lavapipe compiles for minutes once they count.
# Needs node and npm. lavapipe compiles each kernel for seconds; with counters some need minutes. Exit code 77: something is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${WPG_REAL:-$here/../../.deps/real}/ggml
skip() { echo "ggml: skipped: $*" >&2; exit 77; }
command -v node >/dev/null 2>&1 || skip "needs node"
driver() { GGML_VK_VISIBLE_DEVICES=0 NODE_PATH=$folder/node_modules exec node "$here/ggml.cjs" "$@"; }
case ${1:-} in
fetch)
    [ ! -e "$folder/fetched" ] || exit 0
    command -v npm >/dev/null 2>&1 || skip "needs npm"
    mkdir -p "$folder"
    (cd "$folder" && echo '{"private":true}' >package.json &&
        npm install --no-audit --no-fund --silent --ignore-scripts --omit=optional @fugood/llama.node@1.7.15 \
            @fugood/node-llama-linux-x64-vulkan@1.7.15 >&2) || skip "npm could not fetch its packages"
    (driver model "$folder") || skip "the models could not be written"
    : >"$folder/fetched"
    ;;
list) driver list ;;
training) echo "--pipelines !43cc37b8,!a26f7542,!a0c75ab7" ;;
run) driver "$folder" "$2" "$3" ;;
*)
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

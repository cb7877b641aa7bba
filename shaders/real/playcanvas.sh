#!/bin/sh
# The family playcanvas: scenes of the PlayCanvas engine on WebGPU, on Dawn (README.md).
#
#     sh shaders/real/playcanvas.sh fetch | list | run SCENE,SCENE... SECONDS
#
# Needs node and npm. Dawn needs Vulkan 1.3's features: lavapipe 25, not 22. Exit code 77: something is missing; it says what.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${WPG_REAL:-$here/../../.deps/real}/playcanvas
skip() { echo "playcanvas: skipped: $*" >&2; exit 77; }
command -v node >/dev/null 2>&1 || skip "needs node"
driver() { XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp} NODE_PATH=$folder/node_modules exec node "$here/playcanvas.cjs" "$@"; }
case ${1:-} in
fetch)
    [ ! -e "$folder/fetched" ] || exit 0
    command -v npm >/dev/null 2>&1 || skip "needs npm"
    mkdir -p "$folder"
    (cd "$folder" && echo '{"private":true}' >package.json &&
        npm install --no-audit --no-fund --silent --ignore-scripts webgpu@0.6 playcanvas@2.23.3 >&2) || skip "npm could not fetch its packages"
    : >"$folder/fetched"
    ;;
list) driver list ;;
run) driver "$2" "$3" ;;
*)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

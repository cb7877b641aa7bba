# Sourced by the families of npm packages on Dawn: the same commands, with the family's packages and its driver FAMILY.cjs.
#
# The family sets `name` and `packages`; `attainable` where its driver has that command. Needs node and npm. Dawn needs Vulkan 1.3's features: lavapipe 25, not 22.
# Exit code 77: something is missing; it says what.
here=$(cd "$(dirname "$0")" && pwd)
folder=${WPG_REAL:-$here/../../.deps/real}/$name
skip() { echo "$name: skipped: $*" >&2; exit 77; }
command -v node >/dev/null 2>&1 || skip "needs node"
driver() { XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp} NODE_PATH=$folder/node_modules exec node "$here/$name.cjs" "$@"; }
case ${1:-} in
fetch)
    [ ! -e "$folder/fetched" ] || exit 0
    command -v npm >/dev/null 2>&1 || skip "needs npm"
    mkdir -p "$folder"
    # shellcheck disable=SC2086
    (cd "$folder" && echo '{"private":true}' >package.json &&
        npm install --no-audit --no-fund --silent --ignore-scripts webgpu@0.6 $packages >&2) || skip "npm could not fetch its packages"
    : >"$folder/fetched"
    ;;
list) driver list ;;
run) driver "$2" "$3" ;;
attainable)
    [ -n "${attainable:-}" ] || { echo "$name: no uniforms can be frozen here" >&2; exit 2; }
    driver attainable "$2" "$3"
    ;;
*)
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

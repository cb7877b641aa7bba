# Sourced by dawn.sh and browser.sh: the commands of a family of npm packages, with its driver FAMILY.cjs.
#
# The family sets `name` and `packages`; `attainable` where its driver has that command; `programs` of Debian's packages of
# the same name, which fetch installs. Needs node and npm.
# Exit code 77: something is missing; it says what.
here=$(cd "$(dirname "$0")" && pwd)
folder=${WPG_REAL:-$here/../../.deps/real}/$name
. "$here/frames.sh"
command -v node >/dev/null 2>&1 || skip "needs node"
driver() { XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp} NODE_PATH=$folder/node_modules exec node "$here/$name.cjs" "$@"; }
case ${1:-} in
fetch)
    for program in ${programs:-}; do needs "$program" "$program"; done
    [ ! -e "$folder/fetched" ] || exit 0
    command -v npm >/dev/null 2>&1 || skip "needs npm"
    mkdir -p "$folder"
    # shellcheck disable=SC2086
    (cd "$folder" && echo '{"private":true}' >package.json &&
        npm install --no-audit --no-fund --silent --ignore-scripts $packages >&2) || skip "npm could not fetch its packages"
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

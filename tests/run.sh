#!/bin/sh
# Installs what is needed, builds, and runs every test:
#
#     sh tests/run.sh [--preset release|asan|tsan|all] [--no-setup] [-- CTEST OPTIONS...]
#
# release (the default): every test, on every driver there is. asan: the unit tests and those end-to-end tests in which
# both the program and the layer carry AddressSanitizer and UndefinedBehaviorSanitizer. tsan: what runs threads, under
# ThreadSanitizer. all: the three in this order. Stops at the first preset that fails. The last lines are ctest's summary.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
preset=release
setup=yes
while [ $# -gt 0 ]; do
    case $1 in
    --preset)
        [ $# -ge 2 ] || { echo "run.sh: --preset needs a name" >&2; exit 2; }
        preset=$2
        shift
        ;;
    --preset=*) preset=${1#--preset=} ;;
    --no-setup) setup=no ;;
    --)
        shift
        break
        ;;
    *)
        echo "run.sh: unknown option '$1' (known: --preset release|asan|tsan|all, --no-setup, --)" >&2
        exit 2
        ;;
    esac
    shift
done
case $preset in
release | asan | tsan) presets=$preset ;;
all) presets="release asan tsan" ;;
*)
    echo "run.sh: unknown preset '$preset' (known: release, asan, tsan, all)" >&2
    exit 2
    ;;
esac

[ "$setup" = no ] || sh "$root/tests/setup.sh"

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
cd "$root"
for name in $presets; do
    build=build-$name
    [ "$name" != release ] || build=build
    echo "== $name: configure and build"
    launcher=
    if command -v ccache >/dev/null 2>&1; then
        launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
    fi
    # shellcheck disable=SC2086
    cmake --preset "$name" $launcher
    cmake --build "$build" -j "$jobs"
    echo "== $name: test"
    case $name in
    tsan) selection='-R ^(runtime|layer|e2e)/' ;;
    *) selection= ;;
    esac
    # shellcheck disable=SC2086
    ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$jobs" $selection "$@"
done

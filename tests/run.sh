#!/bin/sh
# Installs what is needed, builds, and runs every test:
#
#     sh tests/run.sh [--preset release|i386|aarch64|asan|tsan|fuzz|all] [--quick] [--nightly] [--no-setup] [-- CTEST OPTIONS...]
#
# release (the default): every test, on every driver there is. i386: the 32-bit layer, where it can be built: what differs by
# width, and the loop on 32-bit drivers; it is compared with the release build. aarch64: by a cross compiler, under qemu-user: unit
# tests, and the loop, compared with the release build. asan: the unit tests and those end-to-end tests in which
# both the program and the layer carry AddressSanitizer and UndefinedBehaviorSanitizer. tsan: what runs threads, under
# ThreadSanitizer. fuzz: each libFuzzer program for 10 seconds (WPG_FUZZ_SECONDS) from the committed seeds, where clang has
# libFuzzer. all: the six in this order. Stops at the first preset that fails. The last lines are ctest's summary.
#
# --quick: the development loop: builds the product and the unit tests, and runs these, but for those labelled slow, and the
# checks of the tree.
# --nightly: the long form of the same tests: more random shaders and draws, the whole corpus, 10 minutes a fuzzer; and the
# tests labelled nightly: on Mesa 22.3.6, what does not depend on the driver.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
preset=release
setup=yes
quick= nightly=
while [ $# -gt 0 ]; do
    case $1 in
    --preset)
        [ $# -ge 2 ] || { echo "run.sh: --preset needs a name" >&2; exit 2; }
        preset=$2
        shift
        ;;
    --preset=*) preset=${1#--preset=} ;;
    --no-setup) setup=no ;;
    --quick) quick=yes ;;
    --nightly) nightly=yes ;;
    --)
        shift
        break
        ;;
    *)
        echo "run.sh: unknown option '$1' (known: --preset release|i386|aarch64|asan|tsan|fuzz|all, --quick, --nightly, --no-setup, --)" >&2
        exit 2
        ;;
    esac
    shift
done
[ -z "$quick" ] || [ -z "$nightly" ] || { echo "run.sh: --quick and --nightly exclude each other" >&2; exit 2; }
[ -z "$quick" ] || [ "$preset" = release ] || { echo "run.sh: --quick is of the release preset only" >&2; exit 2; }
if [ -n "$nightly" ]; then
    WPG_NIGHTLY=1 # read by tests/support/effort.h, tests/e2e/random.sh, tests/corpus/run.sh
    WPG_FUZZ_SECONDS=${WPG_FUZZ_SECONDS:-600}
    export WPG_NIGHTLY WPG_FUZZ_SECONDS
fi
case $preset in
release | asan | tsan | fuzz) presets=$preset ;;
i386 | aarch64) presets="release $preset" ;; # the first is built, not tested
all) presets="release i386 aarch64 asan tsan fuzz" ;;
*)
    echo "run.sh: unknown preset '$preset' (known: release, i386, aarch64, asan, tsan, fuzz, all)" >&2
    exit 2
    ;;
esac

if [ "$setup" = yes ] && [ -n "$quick" ]; then
    sh "$root/tests/setup.sh" --runtime-only
elif [ "$setup" = yes ]; then
    sh "$root/tests/setup.sh"
fi

# Whether clang makes libFuzzer programs.
has_fuzzer() {
    command -v clang++ >/dev/null 2>&1 || return 1
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }' |
        clang++ -fsanitize=fuzzer,address,undefined -x c++ -o /dev/null - 2>/dev/null
}

minutes() { echo $((($(date +%s) - $1 + 30) / 60)); }
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
cd "$root"
for name in $presets; do
    build=build-$name
    [ "$name" != release ] || build=build
    if [ "$name" = i386 ] && [ -z "$(. "$root/.deps/env.sh" 2>/dev/null && echo "${WPG_I386_LIBRARY_PATH:-}")" ]; then
        echo "== i386: skipped: no 32-bit compiler or libraries here (sh tests/setup.sh says why)"
        continue
    fi
    if [ "$name" = aarch64 ] && [ -z "$(. "$root/.deps/env.sh" 2>/dev/null && echo "${WPG_AARCH64_ROOT:-}")" ]; then
        echo "== aarch64: skipped: no cross compiler or arm64 libraries here (sh tests/setup.sh says why)"
        continue
    fi
    if [ "$name" = fuzz ] && ! has_fuzzer; then
        echo "== fuzz: left out: no clang with libFuzzer here"
        [ "$preset" = all ] || exit 77
        continue
    fi
    echo "== $name: configure and build"
    began=$(date +%s)
    launcher=
    if command -v ccache >/dev/null 2>&1; then
        launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
    fi
    # A folder that was configured by hand may be another generator's, which CMake refuses to change.
    if [ -f "$build/CMakeCache.txt" ] && ! grep -q '^CMAKE_GENERATOR:INTERNAL=Ninja$' "$build/CMakeCache.txt"; then
        echo "run.sh: $build/ was configured for another generator: its configuration is made anew for Ninja"
        rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    fi
    # shellcheck disable=SC2086
    cmake --preset "$name" $launcher
    case $name in
    fuzz) target="--target fuzzers" ;;
    aarch64) target="--target unit e2e_app wavepgo-bench" ;;
    *) target= ;;
    esac
    [ -z "$quick" ] || target="--target unit"
    # shellcheck disable=SC2086
    cmake --build "$build" -j "$jobs" $target
    case $preset.$name in
    i386.release | aarch64.release) continue ;;
    esac
    if [ "$name" = aarch64 ] && ! grep -q '^WPG_QEMU:FILEPATH=/' "$build/CMakeCache.txt"; then
        echo "== aarch64: built in $(minutes $began) min; not tested: no qemu-user here"
        continue
    fi
    echo "== $name: built in $(minutes $began) min; test"
    case $name in
    tsan) selection='-R ^(runtime|layer|e2e)/' ;;
    fuzz) selection='-R ^fuzz/' ;;
    aarch64) selection='-R ^((runtime|compiler|layer)/|e2e/aarch64/)' ;;
    i386) selection='-R ^((runtime|layer)/|compiler/.*_(golden|grammar|module)$|e2e/(families/|loop/new|behaviour/|failures/|ways/|record/facts|rays/plain|mesh|install|library))' ;;
    *) selection= ;;
    esac
    [ -z "$quick" ] || selection='-R ^(runtime|compiler|layer|lint)/ -LE slow'
    [ -n "$quick$nightly" ] || selection="$selection -LE ^nightly\$"
    # shellcheck disable=SC2086
    ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$jobs" $selection "$@"
done

#!/bin/sh
# Collects SPIR-V modules and checks on each what corpus.c says; has RADV compile what was made of them, which needs no
# hardware (driver.c); at night builds the checker with another compiler and sees the same hashes and checksums.
#
#     sh tests/corpus/run.sh [BUILD-FOLDER] [FURTHER FOLDERS OF .spv...]
#
#     WPG_CORPUS=all sh tests/corpus/run.sh ...       several thousand: the tree's for every Vulkan version and in three ways
#                                                     of spirv-opt, all of what others write, not one source of 64
#
# Sources: every GLSL file of this tree, as compiled and as optimised by spirv-opt; the shaders that
# SPIRV-Cross and glslang are tested with (compile.sh); what real programs hand to the driver, taken by the layer's dump
# setting: vkcube, vkd3d's demos, OpenGL programs over Zink,
# ffmpeg's Vulkan filters. What is not installed is left out with a message. Nothing is kept in the tree.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
WPG_BUILD=${1:-${WPG_BUILD:-$root/build}}
[ $# -eq 0 ] || shift
further=$*
WPG_SOURCE=$root
real_home=${HOME:-/}
WPG_CASE=corpus
WPG_DRIVER=new
# lib.sh finds its own test by this name.
. "$root/tests/e2e/lib.sh"
checker=$WPG_BUILD/bin/corpus
need_built "$checker"
corpus=$work/corpus
. "$root/tests/corpus/collect.sh"
collect_tree
collect_foreign
collect_programs
for folder in $further; do
    for module in $(find "$folder" -name '*.spv'); do add "$module"; done
done
total=$(count)
least=300
[ ! -d "$root/.deps/corpus" ] || least=700
[ "$WPG_CORPUS" != all ] || least=3000
[ "$total" -ge $least ] || fail "only $total modules"

# -- The checks, and the same with another compiler.
list() { find "$corpus" -name '*.spv' | LC_ALL=C sort; }
mkdir -p "$work/forms"
list | "$checker" --out "$work/forms" - >"$work/check.txt" 2>"$work/check.err" || {
    fail "$(grep -c ^FAIL "$work/check.txt") checks failed; $(tail -n 1 "$work/check.err")"
    grep ^FAIL "$work/check.txt" | head -n 20
}
tail -n 1 "$work/check.txt"

# -- As given, as generate and as use make them, on RADV, which needs no hardware to compile.
if [ -n "$(driver_icd radv)" ] && [ -e "$WPG_BUILD/bin/corpus_driver" ]; then
    (
        use_driver radv
        export RADV_FORCE_FAMILY=navi31
        list | "$WPG_BUILD/bin/corpus_driver" "$work/forms" - >"$work/driver.txt" 2>"$work/driver.err"
    )
    code=$?
    if [ $code = 77 ]; then
        echo "note: RADV here has no shader objects"
    else
        echo "RADV: $(tail -n 1 "$work/driver.txt")"
        [ $code = 0 ] || { fail "rewritten modules do not compile:"; grep ^FAIL "$work/driver.txt" | head -n 20; tail -n 2 "$work/driver.err"; }
        compiled=$(sed -n 's/.* given, \([0-9]*\) of generate.*/\1/p' "$work/driver.txt" | tail -n 1)
        [ "${compiled:-0}" -ge $((total / 2)) ] || fail "only ${compiled:-0} of $total instrumented modules were compiled"
    fi
else
    echo "note: no RADV here"
fi
other= # at night
[ -z "${WPG_NIGHTLY:-}" ] || case $(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$WPG_BUILD/CMakeCache.txt") in
*clang*) other="gcc g++" ;;
*) other="clang clang++" ;;
esac
if [ -z "$other" ]; then
    echo "note: one build only by day"
elif command -v ${other% *} >/dev/null 2>&1 && command -v ${other#* } >/dev/null 2>&1; then
    launcher=
    ! command -v ccache >/dev/null 2>&1 || launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
    # shellcheck disable=SC2086
    if env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$real_home" cmake -S "$root" -B "$WPG_BUILD/other" -G Ninja -DCMAKE_C_COMPILER=${other% *} -DCMAKE_CXX_COMPILER=${other#* } $launcher >"$work/other.log" 2>&1 &&
        env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$real_home" cmake --build "$WPG_BUILD/other" --target corpus >>"$work/other.log" 2>&1; then
        list | "$WPG_BUILD/other/bin/corpus" - >"$work/other.txt" 2>"$work/other.err" || fail "the checker built by ${other% *} fails"
        diff "$work/check.txt" "$work/other.txt" >"$work/diff" || { fail "two builds disagree:"; head -n 10 "$work/diff"; }
        echo "the same built by ${other% *}"
    else
        fail "cannot build the checker with ${other% *}: $(grep -E 'error|FAILED' "$work/other.log" | head -n 3)"
    fi
else
    echo "note: no ${other% *} here: one build only"
fi
finish

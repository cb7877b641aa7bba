# Sourced by the end-to-end tests. ctest sets WPG_BUILD (build folder), WPG_SOURCE (source root), WPG_PROGRAMS (folder of
# the test programs), WPG_SPIRV (their shaders) and WPG_DRIVER (new, old: which lavapipe); by hand:
#
#     WPG_BUILD=$PWD/build WPG_DRIVER=old sh tests/e2e/loop.sh
#
# Gives $work, a fresh folder for this test and driver, kept after a failure; $wavepgo, $layer, $bench, $app, $oracle.
# Nothing of the caller's own settings reaches the programs under test.
set -u

WPG_SOURCE=${WPG_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
WPG_BUILD=${WPG_BUILD:-$WPG_SOURCE/build}
WPG_PROGRAMS=${WPG_PROGRAMS:-$WPG_BUILD/bin}
WPG_SPIRV=${WPG_SPIRV:-$WPG_BUILD/tests/e2e/spirv}
WPG_DRIVER=${WPG_DRIVER:-new}
test_name=$(basename "$0" .sh)

wavepgo=$WPG_BUILD/bin/wavepgo
bench=$WPG_BUILD/bin/wavepgo-bench
layer=$WPG_BUILD/lib/libVkLayer_wavepgo.so
app=$WPG_PROGRAMS/e2e_app
oracle=$WPG_PROGRAMS/e2e_oracle
refused=0

skip() {
    echo "skip: $*"
    exit 77
}
fail() {
    echo "FAIL: $*"
    refused=1
}
die() {
    echo "FAIL: $*"
    exit 1
}
# The last line of a test.
finish() {
    [ "$refused" = 0 ] || exit 1
    [ -n "${WPG_KEEP:-}" ] || rm -rf "$work"
    echo "ok"
    exit 0
}
need_program() { command -v "$1" >/dev/null 2>&1 || skip "$1 is not installed"; }
need_built() {
    for built in "$@"; do
        [ -e "$built" ] || skip "$built is not built"
    done
}

for variable in $(env | sed -n 's/^\(WAVEPGO_[A-Z_]*\|LLVM_PROFILE_[A-Z_]*\|VK_[A-Z_]*\|SHIM_[A-Z_]*\|RADV_[A-Z_]*\|MESA_[A-Z_]*\|LP_[A-Z_]*\)=.*/\1/p'); do
    unset "$variable"
done
# What a test asserts of use mode waits for its words, but where it says otherwise (background.sh).
# No assertion hangs on how busy the machine is: no compile is noted as slow, but in budget.sh.
export WAVEPGO_COMPILE=blocking WAVEPGO_COMPILE_LIMIT=0
WPG_LVP_ICD= WPG_LVP_ICD_OLD= WPG_RADV_ICD= WPG_RADV_ICD_OLD= WPG_INTEL_ICD= WPG_INTEL_SHIM= WPG_DRIVER_LIBRARY_PATH=
LLVM_PROFDATA=$(command -v llvm-profdata 2>/dev/null) || LLVM_PROFDATA=
LLVM_PROFDATA_14= LLVM_PROFDATA_19= LLVM_PROFDATA_22=
[ ! -f "$WPG_SOURCE/.deps/env.sh" ] || . "$WPG_SOURCE/.deps/env.sh"
[ "$WPG_DRIVER" != hardware ] || LLVM_PROFDATA= # of whatever version that machine has

# A 32-bit build: its drivers, and its layer's name.
layer_name=VK_LAYER_WAVEPGO_shader_pgo
manifest_name=VkLayer_wavepgo.json
if [ -f "$WPG_BUILD/share/vulkan/explicit_layer.d/VkLayer_wavepgo.x86.json" ] &&
    [ ! -f "$WPG_BUILD/share/vulkan/explicit_layer.d/$manifest_name" ]; then
    layer_name=${layer_name}_x86
    manifest_name=VkLayer_wavepgo.x86.json
    WPG_LVP_ICD=${WPG_LVP_ICD_I386:-} WPG_LVP_ICD_OLD=${WPG_LVP_ICD_OLD_I386:-}
    WPG_RADV_ICD=${WPG_RADV_ICD_I386:-} WPG_RADV_ICD_OLD=${WPG_RADV_ICD_OLD_I386:-} WPG_INTEL_ICD= WPG_DRIVER_LIBRARY_PATH=
    LD_LIBRARY_PATH=${WPG_I386_LIBRARY_PATH:-}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
fi

# A build for another machine: its driver, and programs by the emulator.
WPG_EMULATOR=${WPG_EMULATOR:-}
if [ -n "$WPG_EMULATOR" ]; then
    WPG_LVP_ICD=${WPG_LVP_ICD_AARCH64:-} WPG_LVP_ICD_OLD= WPG_RADV_ICD= WPG_RADV_ICD_OLD= WPG_INTEL_ICD=
    WPG_DRIVER_LIBRARY_PATH=
fi
# The path of a script that runs the program: `run` becomes a program, which only this machine's can.
emulated() {
    if [ -z "$WPG_EMULATOR" ] || [ ! -e "$1" ]; then
        echo "$1"
        return
    fi
    mkdir -p "$work/emulated"
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$WPG_EMULATOR" "$1" >"$work/emulated/${1##*/}"
    chmod 755 "$work/emulated/${1##*/}"
    echo "$work/emulated/${1##*/}"
}

driver_icd() { # new|old|radv|radv-old|intel|swiftshader|hardware|icd: prints the manifest, nothing if there is none
    case $1 in
    new) echo "$WPG_LVP_ICD" ;;
    old) echo "$WPG_LVP_ICD_OLD" ;;
    radv) echo "$WPG_RADV_ICD" ;;
    radv-old) echo "$WPG_RADV_ICD_OLD" ;;
    intel) echo "$WPG_INTEL_ICD" ;; # on a GPU that is none (intel_device.c): it compiles
    swiftshader) echo "${WPG_SWIFTSHADER_ICD:-/usr/lib/chromium/vk_swiftshader_icd.json}" ;; # of Debian's chromium
    hardware) echo "${WPG_HARDWARE_ICD:-}" ;; # of a GPU (hardware.sh)
    icd) echo "$WPG_BUILD/tests/icd/wpg_test_icd.json" ;; # the failing driver (tests/icd)
    *) die "unknown driver $1" ;;
    esac
}
use_driver() {
    icd=$(driver_icd "$1")
    [ -n "$icd" ] && [ -f "$icd" ] || skip "no driver '$1' here (sh tests/setup.sh says why)"
    VK_ICD_FILENAMES=$icd
    VK_DRIVER_FILES=$icd
    export VK_ICD_FILENAMES VK_DRIVER_FILES
    case $1 in
    new | radv | intel)
        [ -z "$WPG_DRIVER_LIBRARY_PATH" ] || LD_LIBRARY_PATH=$WPG_DRIVER_LIBRARY_PATH${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        [ -z "$WPG_DRIVER_LIBRARY_PATH" ] || export LD_LIBRARY_PATH
        ;;
    esac
    [ "$1" != intel ] || {
        need_built "$WPG_BUILD/lib/libwavepgo_test_intel_device.so"
        [ -f "$WPG_INTEL_SHIM" ] || skip "no mesa-drm-shim here (sh tests/setup.sh says why)"
    }
}
# on_intel DEVICE COMMAND...: with that GPU in the machine, by its PCI number.
on_intel() {
    device=$1
    shift
    WPG_INTEL_DEVICE=$device LD_PRELOAD="$WPG_BUILD/lib/libwavepgo_test_intel_device.so $WPG_INTEL_SHIM" "$@"
}
use_driver "$WPG_DRIVER"

work=$WPG_BUILD/tests/e2e/out/$test_name${WPG_CASE:+-$WPG_CASE}-$WPG_DRIVER
rm -rf "$work"
mkdir -p "$work/home" "$work/cache" || die "cannot make $work"
wavepgo=$(emulated "$wavepgo") bench=$(emulated "$bench") app=$(emulated "$app") oracle=$(emulated "$oracle")
HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/home XDG_RUNTIME_DIR=$work/home
MESA_SHADER_CACHE_DISABLE=true __GL_SHADER_DISK_CACHE=0 NODEVICE_SELECT=1
# A sanitizer's layer runs inside drivers that leak and that do not tell it of their locks.
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
UBSAN_OPTIONS=print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}
TSAN_OPTIONS=suppressions=$WPG_SOURCE/tests/e2e/tsan.supp${TSAN_OPTIONS:+:$TSAN_OPTIONS}
export HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR MESA_SHADER_CACHE_DISABLE __GL_SHADER_DISK_CACHE NODEVICE_SELECT
# By themselves hints are left out on Mesa: here they rewrite many a stage that nothing else would.
WAVEPGO_HINTS=on
export ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS WAVEPGO_HINTS
cd "$work" || die "cannot enter $work"

# Benchmarks whose floats a GPU's driver contracts otherwise where other code is around them (seen on NVIDIA's).
contracted='mandelbrot|mesh|uber'
# How often a vertex shader runs is a GPU's affair, and need not be the same twice: there the benchmarks without one.
steady=
[ "$WPG_DRIVER" != hardware ] ||
    steady=$(for file in "$WPG_SOURCE"/shaders/*.comp; do basename "$file" .comp; done | grep -vxE "$contracted" | sed 's/^/--case /' | tr '\n' ' ')

# What the device is called, as a pattern.
device_called() {
    [ "$WPG_DRIVER" = hardware ] || { echo llvmpipe && return; }
    "$bench" --info 2>/dev/null | sed -n 's/.*"device":"\([^"]*\)".*/\1/p' | sed 's/[^A-Za-z0-9 ]/./g'
}

# plain NAME COMMAND...: without the layer; output to $work/NAME.out and .err, exit code to NAME.code.
plain() {
    run_name=$1
    shift
    "$@" >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
}

# generate NAME COMMAND...: under the layer in generate mode; profiles to $work/NAME/<hash>.profraw, the layer's log to
# $work/NAME.log. Extra settings by environment.
generate() {
    run_name=$1
    shift
    mkdir -p "$work/$run_name"
    WAVEPGO_LOG_FILE=${WAVEPGO_LOG_FILE:-$work/$run_name.log} "$wavepgo" run --generate \
        --profile-file "${profile_pattern:-$work/$run_name/%b.profraw}" -- "$@" >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
}

# use NAME PROFILE COMMAND...
use() {
    run_name=$1
    run_profile=$2
    shift 2
    WAVEPGO_LOG_FILE=${WAVEPGO_LOG_FILE:-$work/$run_name.log} WAVEPGO_USE_LOG=$work/$run_name.uselog "$wavepgo" run \
        --use "$run_profile" -- "$@" >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
}

# same NAME NAME: exit code and standard output of two runs are equal. On a GPU the images of `contracted` do not count, nor do the bytes
# of a pipeline binary: two runs without the layer make others.
same() {
    [ "$WPG_DRIVER" != hardware ] || sed -i -E "/^[0-9a-f]{16}  ($contracted)\$/d
        s/^(binary [0-9]+: .*), [0-9]+ bytes, [0-9a-f]+, /\1, /" "$work/$1.out" "$work/$2.out"
    cmp -s "$work/$1.code" "$work/$2.code" ||
        fail "exit codes of $1 and $2 differ: $(cat "$work/$1.code") and $(cat "$work/$2.code"): $(tail -n 3 "$work/$2.err")"
    diff "$work/$1.out" "$work/$2.out" >"$work/diff" || {
        fail "output of $1 and $2 differs"
        head -n 20 "$work/diff"
    }
}
# same_counts NAME NAME WHAT: two runs wrote the same profiles; where not, the counts that differ are shown.
same_counts() {
    diff -rq "$work/$1" "$work/$2" >"$work/diff" && return
    fail "$3: $(head -n 3 "$work/diff")"
    for side in "$1" "$2"; do
        "$wavepgo" merge --quiet --format text -o "$work/counts.$side" "$work/$side" || echo "no counts of $side"
    done
    diff "$work/counts.$1" "$work/counts.$2" | head -n 20
}
called() { # SUBCOMMAND NAME CODE OPTIONS...: `wavepgo SUBCOMMAND OPTIONS` prints to NAME.out and NAME.err, and ends with that code
    called_name=$2 called_code=$3 called_command=$1
    shift 3
    "$wavepgo" "$called_command" "$@" >"$called_name.out" 2>"$called_name.err"
    code=$?
    [ $code = "$called_code" ] || fail "$called_name: exit code $code, expected $called_code: $(tail -n 2 "$called_name.err")"
}
exited() { # NAME CODE
    [ "$(cat "$work/$1.code")" = "$2" ] || {
        fail "$1: exit code $(cat "$work/$1.code"), expected $2"
        tail -n 10 "$work/$1.err"
    }
}
# How many profiles NAME wrote, and their names.
profiles() { find "$work/$1" -name '*.profraw' | LC_ALL=C sort; }
count_profiles() { profiles "$1" | grep -c . || :; }

# accepted FILES...: stock llvm-profdata of the version that the files are written for merges and shows them.
accepted() {
    [ -n "$LLVM_PROFDATA" ] || {
        echo "note: no llvm-profdata here, files not checked with it"
        return 0
    }
    "$LLVM_PROFDATA" merge -o "$work/stock.profdata" "$@" 2>"$work/stock.err" || fail "llvm-profdata merge: $(head -n 3 "$work/stock.err")"
    [ ! -s "$work/stock.err" ] || fail "llvm-profdata merge warns: $(head -n 3 "$work/stock.err")"
    "$LLVM_PROFDATA" show --all-functions --counts "$work/stock.profdata" >"$work/stock.show" 2>"$work/stock.err" ||
        fail "llvm-profdata show: $(head -n 3 "$work/stock.err")"
    grep '#lanes:' "$work/stock.show" >/dev/null || fail "llvm-profdata show lists no #lanes record"
}

# One log line, and it says TEXT (an extended regular expression).
logged_once() { # NAME TEXT
    lines=$(grep -c . "$work/$1.log" 2>/dev/null)
    [ "${lines:-0}" = 1 ] && grep -E -i -e "$2" "$work/$1.log" >/dev/null && return 0
    fail "$1: ${lines:-0} log lines, expected one that says '$2':"
    head -n 8 "$work/$1.log" 2>/dev/null
}

# Starts an X server of our own on a free display; it ends with the test.
start_x() { # -noreset: a server that resets when its last client leaves may refuse the next one
    need_program Xvfb
    : >"$work/display"
    Xvfb -displayfd 5 -screen 0 800x600x24 -nolisten tcp -noreset 5>"$work/display" >"$work/xvfb.log" 2>&1 &
    xvfb_pid=$!
    trap 'kill $xvfb_pid 2>/dev/null' EXIT
    tries=0
    while [ ! -s "$work/display" ]; do
        tries=$((tries + 1))
        [ $tries -le 100 ] || skip "Xvfb does not start: $(tail -n 1 "$work/xvfb.log")"
        sleep 0.1
    done
    DISPLAY=:$(cat "$work/display")
    export DISPLAY
    unset WAYLAND_DISPLAY
}

# on_x COMMAND... as a script, for programs whose last image Mesa's presenting thread puts into a window that is gone by
# then (seen of glmark2 over Zink on a busy machine): that X error alone is no failure.
make_on_x() {
    on_x=$work/on_x
    cat >"$on_x" <<'SH'
"$@" 2>"$0.$$"
code=$?
cat "$0.$$" >&2
[ $code != 1 ] || ! grep 'Major opcode.*X_PutImage' "$0.$$" >/dev/null || code=0
rm -f "$0.$$"
exit $code
SH
}

# A manifest of the shim layer (shim_layer.c) in a folder of its own: shim_folder, for VK_ADD_LAYER_PATH.
make_shim() {
    shim_folder=$work/shim
    mkdir -p "$shim_folder"
    cat >"$shim_folder/shim.json" <<JSON
{"file_format_version": "1.1.2", "layer": {"name": "VK_LAYER_WAVEPGO_TEST_shim", "type": "GLOBAL",
 "library_path": "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so", "api_version": "1.3.0",
 "implementation_version": "1", "description": "wavepgo tests: a difficult driver"}}
JSON
}
shimmed() { # runs the rest with the shim below the layer, which `run` would put below all others
    VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder" \
        VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim "$@"
}
# flat NAME COUNT [BYTES]: of COUNT things that the program made and destroyed (app_churn.c) each leaves 32 bytes of heap at most, or
# BYTES. Compared are the least in the second to fifth tenth and in the last five: in between the heap rises until records are
# written. Answers about shaders come on top: 96 bytes for each of 65,536 (WPG_ANSWERS_MOST), a fifth of COUNT before the first look.
# A sanitizer has a heap of its own.
flat() {
    [ -z "${WPG_SANITIZED:-}" ] || return 0
    # shellcheck disable=SC2046
    set -- "$1" "$2" "${3:-32}" $(awk '/^churn/ { n++; if (n > 2 && n < 7 && (!first || $11 < first)) first = $11
        if (n > 6 && (!last || $11 < last)) last = $11 } END { print first + 0, last + 0 }' "$work/$1.err")
    answers=$((($2 < 65536 ? $2 : 65536) - $2 / 5))
    [ $answers -gt 0 ] || answers=0
    limit=$(($4 + 1024 + $2 * $3 / 1024 + answers * 96 / 1024))
    echo "$1: $4 KiB of heap at first, $5 later, $limit at most"
    [ "$4" -gt 0 ] || fail "$1: nothing is told: $(tail -n 3 "$work/$1.err")"
    [ "$5" -le "$limit" ] || fail "$1: the heap grows: $(cat "$work/$1.err")"
}
# The same as `run --tune BUNDLE`, below whatever VK_INSTANCE_LAYERS says.

#!/bin/sh
# The end-to-end tests on this machine's own GPU, several at a time, with no compiler:
#
#     sh tests/e2e/hardware.sh [--icd MANIFEST] [--jobs N] [--limit SECONDS] [--keep FILE.tar.gz] [PATTERN...]
#     sh tests/e2e/hardware.sh --pack OUT.tar.gz      # tests and programs for a machine that cannot build: unpack, the same command there
#
# MANIFEST: the driver's (default: the first of a GPU where loaders look). PATTERN: tests whose names contain it (default: all that
# run on one driver). --limit (120): of one test. --keep: the small files of tests that failed. A process that crashes is listed with
# its call stack, even if the test expects it. If the GPU no longer answers, no further test begins. Stopped by TERM, the script tells
# what it has by then. What needs another driver, or a tool that is absent, reports itself as skipped.
# Files of failed tests stay in build/tests/e2e/out. Exit code: 1 if a test failed, 77 without a GPU's driver.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${WPG_BUILD:-$root/build}
list=$build/tests/e2e/list # by the build: NAME SCRIPT CASE, a line each
icd= jobs=$(getconf _NPROCESSORS_ONLN) limit=120 keep= out= patterns=

pack() {
    staging=$(mktemp -d) && trap 'rm -rf "$staging"' EXIT
    tree=$staging/wavepgo-tests
    mkdir -p "$tree/build/bin" "$tree/build/lib" "$tree/build/tests/e2e"
    (cd "$root" && git ls-files tests shaders runtime/config '*.sh' | tar -cf - -T -) | tar -C "$tree" -xf -
    for file in "$build"/bin/e2e_* "$build"/bin/corpus_run "$build"/bin/wavepgo "$build"/bin/wavepgo-* "$build"/lib/libVkLayer_*.so "$build"/lib/libwavepgo_*.so; do
        strip --strip-unneeded -o "$tree/build/${file#"$build"/}" "$file" && chmod 755 "$tree/build/${file#"$build"/}" || return 1
    done
    for tool in glslangValidator spirv-as spirv-dis spirv-opt spirv-val; do # Debian's need nothing but the C and C++ libraries
        file=$(command -v $tool) && mkdir -p "$tree/build/tools" && cp -L "$file" "$tree/build/tools/"
    done
    cp -r "$build/share" "$tree/build/"
    cp -r "$build/tests/e2e/spirv" "$list" "$tree/build/tests/e2e/"
    (cd "$build" && find shaders -name '*.spv' | tar -cf - -T -) | tar -C "$tree/build" -xf -
    tar -C "$staging" -czf "$1" wavepgo-tests
}

while [ $# -gt 0 ]; do
    case $1 in
    --icd | --jobs | --limit | --keep | --pack)
        [ $# -ge 2 ] || { echo "hardware: $1 needs a value" >&2; exit 2; }
        case $1 in --icd) icd=$2 ;; --jobs) jobs=$2 ;; --limit) limit=$2 ;; --keep) keep=$2 ;; --pack) pack "$2"; exit ;; esac
        shift
        ;;
    -*) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
    *) patterns="$patterns $1" ;;
    esac
    shift
done
for file in ${icd:-/etc/vulkan/icd.d/nvidia*.json /usr/share/vulkan/icd.d/nvidia*.json /usr/local/nvidia/share/vulkan/icd.d/*.json \
    /usr/share/vulkan/icd.d/radeon*x86_64.json /usr/share/vulkan/icd.d/intel*x86_64.json}; do
    # A driver may be there without its GPU.
    [ -n "$out" ] || [ ! -r "$file" ] || ! VK_DRIVER_FILES=$file VK_ICD_FILENAMES=$file "$build/bin/wavepgo-bench" --info >/dev/null 2>&1 || out=$file
done
WPG_HARDWARE_ICD=$out
[ -n "$out" ] || { echo "skip: no GPU with a driver here"; exit 77; }
[ ! -d "$build/tools" ] || PATH=$PATH:$build/tools
told() {
    # A test has a process group of its own, which no signal to ours reaches.
    for file in "$results"/*.running; do
        [ ! -e "$file" ] || kill "$(cat "$file")" 2>/dev/null
    done
    for file in "$results"/crashed/*; do
        [ -e "$file" ] && echo "== a process crashed:" && cat "$file"
    done
    # Small files alone: profiles of thousands of pipelines say little of a failure.
    [ -z "$keep" ] || (cd "$build/tests/e2e" && find out -type f -size -64k ! -name '*.spv' | tar -czf - -T -) >"$keep"
    [ ! -e "$results/hung" ] || echo hung >>"$results/words"
    awk '{ n[$1]++ } END { printf "%d passed, %d skipped, %d failed, %d ran too long\n", n["passed"], n["skipped"], n["failed"], n["timeout"];
        exit n["failed"] + n["timeout"] + n["hung"] > 0 }' "$results/words"
}
results=$(mktemp -d) && trap 'rm -rf "$results"' EXIT
mkdir "$results/crashed"
: >"$results/words"
trap 'trap "" HUP INT TERM; told; exit 1' HUP INT TERM
export WPG_BACKTRACES="$results/crashed" LD_PRELOAD="$build/lib/libwavepgo_test_backtrace.so${LD_PRELOAD:+:$LD_PRELOAD}"
export WPG_HARDWARE_ICD WPG_DRIVER=hardware WPG_SOURCE="$root" WPG_BUILD="$build" results limit
awk -v patterns="$patterns" 'BEGIN { n = split(patterns, wanted, " ") }
    { keep = !n; for (i = 1; i <= n; i++) if (index($1, wanted[i])) keep = 1; if (keep) print $1, $2, $3 == "" ? "-" : $3 }' "$list" >"$results/list"
[ -s "$results/list" ] || { echo "hardware: no test '$patterns'" >&2; exit 2; }
# shellcheck disable=SC2016 # the words of the inner shell
xargs -P "$jobs" -L 1 sh -c '
    [ ! -e "$results/hung" ] || exit 0
    file=$results/$(echo "$0" | tr / _)
    began=$(date +%s)
    WPG_CASE=${2#-} timeout -k 5 "$limit" sh "$WPG_SOURCE/tests/e2e/$1" >"$file.out" 2>&1 &
    echo $! >"$file.running"
    wait $!
    code=$?
    rm "$file.running"
    case $code in 0) word=passed ;; 77) word=skipped ;; 124 | 137) word=timeout ;; *) word=failed ;; esac
    echo "$word $0 $(($(date +%s) - began)) s: $(tail -n 1 "$file.out" | cut -c -160)" >"$file.word"
    cat "$file.word" >>"$results/words"
    [ $word = passed ] || [ $word = skipped ] || sed "s/^/    /" "$file.out" | tail -n 40 >>"$file.word"
    cat "$file.word"
    # One program that hangs a GPU may take it from all others, for minutes.
    case $word in failed | timeout) ;; *) exit 0 ;; esac
    VK_DRIVER_FILES=$WPG_HARDWARE_ICD VK_ICD_FILENAMES=$WPG_HARDWARE_ICD timeout -k 2 20 "$WPG_BUILD/bin/wavepgo-bench" --case rfc_uniform --size small >/dev/null 2>&1 || [ -e "$results/hung" ] || {
        echo "hung" >"$results/hung"
        echo "after $0 the GPU does not answer, not even without the layer; with it ran: $(cd "$results" && ls | sed -n "s/\\.running\$//p" | tr "\n" " "). The rest is left out."
    }' <"$results/list"
told

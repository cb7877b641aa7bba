#!/bin/sh
# The whole loop on a fresh Debian 12 or 13, in a few minutes, most of which is installing:
#
#     sh shaders/demo.sh [--no-setup] [--own-driver] [--size small|demo|full]
#
# Installs what is needed (as root, or through sudo), builds into build/, runs the benchmarks of this folder counting on
# the software driver, merges the counts, shows them, runs again with the profile, and measures what it gained. Then the
# same on a program that nobody here wrote: a surface of MaterialX, whose generator npm fetches into .deps/.
# --no-setup: install nothing. --own-driver: the machine's own Vulkan driver instead of the software one.
# Everything else that it writes is below build/.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/build/demo
setup=yes
own_driver=
size=demo

usage() {
    sed -n '2,10s/^# \{0,1\}//p' "$0"
}

while [ $# -gt 0 ]; do
    case $1 in
    --no-setup) setup=no ;;
    --own-driver) own_driver=yes ;;
    --size)
        [ $# -ge 2 ] || { echo "demo: --size needs a value" >&2; exit 2; }
        size=$2
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "demo: unknown option '$1'" >&2
        usage >&2
        exit 2
        ;;
    esac
    shift
done

# say TEXT: a heading. show COMMAND...: the command as one would type it, then what it prints.
say() { printf '\n== %s\n' "$*"; }
exec 3>&1 # the terminal, whatever a command's own output is redirected to
show() {
    printf '$ %s\n' "$*" >&3
    "$@"
}

# build_with LOG COMMAND...: quiet when all is well.
build_with() {
    log=$1
    shift
    printf '$ %s\n' "$*"
    "$@" >"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        echo "demo: failed (whole log: $log)" >&2
        exit 1
    }
}

if [ "$setup" = yes ]; then
    say "Installing what is needed"
    sh "$root/tests/setup.sh" --runtime-only
fi
[ ! -r "$root/.deps/env.sh" ] || . "$root/.deps/env.sh"

say "Building"
mkdir -p "$work"
cd "$root"
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
if [ ! -f build/CMakeCache.txt ]; then
    build_with "$work/configure.log" cmake -S . -B build -G Ninja -DWPG_BUILD_TESTS=OFF
fi
build_with "$work/build.log" cmake --build build -j "$jobs" --target wavepgo wpg_layer wavepgo-bench

PATH=$root/build/bin:$PATH
export PATH
if [ -z "$own_driver" ]; then
    icd=${WPG_LVP_ICD:-}
    for other in /usr/share/vulkan/icd.d/lvp_icd.*.json /usr/share/vulkan/icd.d/lvp_icd.json; do
        [ -n "$icd" ] || [ ! -f "$other" ] || icd=$other
    done
    [ -n "$icd" ] || { echo "demo: no software driver (Debian package mesa-vulkan-drivers)" >&2; exit 77; }
    VK_DRIVER_FILES=$icd
    VK_ICD_FILENAMES=$icd # what older loaders read
    export VK_DRIVER_FILES VK_ICD_FILENAMES
    if [ -n "${WPG_DRIVER_LIBRARY_PATH:-}" ]; then
        LD_LIBRARY_PATH=$WPG_DRIVER_LIBRARY_PATH${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export LD_LIBRARY_PATH
    fi
fi
# What an earlier run left would be merged with this one's counts.
rm -rf "$work/wavepgo-bench.wavepgo" "$work/demo.profdata" "$work/use.json"
cd "$work"

say "1. Count: every pipeline is instrumented while it runs"
wavepgo-bench --size "$size" --checksum >plain.sums
show wavepgo run --generate -- wavepgo-bench --size "$size" --checksum >generate.sums
if ! cmp -s plain.sums generate.sums; then
    diff plain.sums generate.sums || :
    echo "demo: outputs differ while counting" >&2
    exit 1
fi
echo "$(wc -l <generate.sums) cases, outputs equal to those without the layer;" \
    "$(find wavepgo-bench.wavepgo -name '*.profraw' | wc -l) profiles in wavepgo-bench.wavepgo/"

say "2. Merge: one profile of all pipelines, as llvm-profdata reads it"
show wavepgo merge -o demo.profdata wavepgo-bench.wavepgo/
profdata=${LLVM_PROFDATA:-$(command -v llvm-profdata || :)}
if [ -n "$profdata" ]; then
    show "$profdata" show demo.profdata
else
    echo "(llvm-profdata is not installed: its own view of the file is left out)"
fi

say "3. What the profile says"
show wavepgo show demo.profdata
show wavepgo report -o benchmarks.html wavepgo-bench.wavepgo
echo "(open $work/benchmarks.html in a browser: source lines with counts, control flow, advice)"

say "4. Use: the same pipelines, recompiled with the profile"
show wavepgo run --use demo.profdata --compile blocking --use-log use.json -- wavepgo-bench --size "$size" --checksum >use.sums
if ! cmp -s plain.sums use.sums; then
    diff plain.sums use.sums || :
    echo "demo: outputs differ with the profile" >&2
    exit 1
fi
echo "$(wc -l <use.sums) cases, outputs equal to those without the layer"
show wavepgo show --use-log use.json >use.txt
# Refusals make most of it: here only what changed how the work is done.
awk '
    /^pipeline/ { next }
    /^  [a-z]/ { stage = $0; sub(/: .*/, "", stage); sub(/^ +/, "", stage) }
    $1 == "done" && $2 != "annotate" { text = $0; sub(/^ *done +/, "", text); print stage "\n    " text }
    { last = $0 }
    END { print last }' use.txt
echo "(all of it, refusals too: $work/use.txt)"

say "5. What it gained, processor time: A with the profile, B without the layer, in alternation"
with_profile=$(wavepgo run --use demo.profdata --compile blocking --log-file compare.log --print-environment | sed 's/^export //' | tr '\n' ' ')
wavepgo-bench --clock processor --size "$size" --repeat 5 --rounds 3 --compare "$with_profile" --against ''

say "6. A program that nobody here wrote: MaterialX's OpenPBR surface, unmodified"
surface=$root/shaders/real/materialx.sh
sh "$surface" fetch || {
    echo "(left out; what is missing stands above)"
    exit 0
}
rm -rf materialx.wavepgo surface.profdata
show wavepgo run --generate -- sh "$surface" run pbr_default 0.5 >surface.count
show wavepgo merge -o surface.profdata materialx.wavepgo/
show wavepgo report -o surface.html materialx.wavepgo
show wavepgo advise --top 1 materialx.wavepgo
show wavepgo run --use surface.profdata --compile blocking -- sh "$surface" run pbr_default 0.5 >surface.use
: >surface.times
for round in 1 2 3; do
    sh "$surface" run pbr_default 0.5 >surface.off
    [ $round = 1 ] || wavepgo run --use surface.profdata --compile blocking -- sh "$surface" run pbr_default 0.5 >surface.use 2>>surface.log
    # Of each run one line: name, processor time of a frame, hash of the image.
    [ "$(cat surface.off surface.count surface.use | cut -d ' ' -f 3 | sort -u | wc -l)" = 1 ] || {
        cat surface.off surface.count surface.use >&2
        echo "demo: the surface's images differ" >&2
        exit 1
    }
    paste -d ' ' surface.off surface.use >>surface.times
done
awk '{ print $5 / $2 }' surface.times | sort -n | awk '
    { ratio[NR] = $1 }
    END { printf "a frame takes %.2f of the processor time (%.2f to %.2f in %d rounds), images equal; others: shaders/real/README.md\n", ratio[int((NR + 1) / 2)], ratio[1], ratio[NR], NR }'

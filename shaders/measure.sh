#!/bin/sh
# The figures of the README, measured anew on this machine: Markdown on standard output.
#
#     sh shaders/measure.sh [BUILD-FOLDER]         (default: build)
#
# Every table is made of ratios within one run: two environments in alternating child processes, medians of pairs. Run it on
# a quiet machine; it takes some minutes (SIZE, ROUNDS and REPEAT in the environment change that). Drivers are those of .deps/env.sh (tests/setup.sh).
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
[ ! -r "$root/.deps/env.sh" ] || . "$root/.deps/env.sh"
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
size=${SIZE:-demo}
rounds=${ROUNDS:-3}
repeat=${REPEAT:-2}
layer="VK_ADD_LAYER_PATH=$build/share/vulkan/explicit_layer.d VK_INSTANCE_LAYERS=VK_LAYER_WAVEPGO_shader_pgo WAVEPGO_SUMMARY=0 WAVEPGO_CACHE=none"

# driver ICD: the environment that selects it.
driver() { echo "VK_DRIVER_FILES=$1 VK_ICD_FILENAMES=$1 LD_LIBRARY_PATH=$2"; }

# compare NAME A B: JSON lines of the runner's compare mode into NAME.json.
compare() {
    wavepgo-bench --size "$size" --rounds "$rounds" --repeat "$repeat" --compare "$2" --against "$3" --json - >"$1.json" ||
        { echo "measure: outputs differ, or a case failed: $1" >&2; exit 1; }
}

# field FILE CASE KEY: one number of one case; the last line holds the geometric means.
field() { sed -n "/\"case\":\"$2\"/s/.*\"$3\":\([0-9.]*\).*/\1/p" "$1.json"; }
mean() { sed -n "s/.*\"$2\":\([0-9.]*\).*/\1/p" "$1.json"; }
two() { printf '%.2f' "$1"; }

measure_driver() { # NAME ICD LIBRARIES
    environment=$(driver "$2" "$3")
    # shellcheck disable=SC2086
    env $environment $layer WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/$1/%b.profraw" \
        wavepgo-bench --size "$size" --checksum >/dev/null
    wavepgo merge --quiet -o "$1.profdata" "$1"
    compare "$1-off" "$environment $layer WAVEPGO_MODE=off" "$environment"
    compare "$1-generate" "$environment $layer WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE=$work/$1-out/%b.profraw" "$environment"
    compare "$1-use" "$environment $layer WAVEPGO_MODE=use WAVEPGO_PROFILE_USE=$work/$1.profdata" "$environment"
}

# Our time beside the driver's, per pipeline, from the layer's own log.
rewriting() { # NAME MODE ENVIRONMENT
    # shellcheck disable=SC2086
    env $3 $layer WAVEPGO_MODE="$2" WAVEPGO_LOG=debug WAVEPGO_PROFILE_USE="$work/new.profdata" RADV_DEBUG=nocache \
        MESA_SHADER_CACHE_DISABLE=true WAVEPGO_PROFILE_FILE="$work/rewriting/%b.profraw" wavepgo-bench --compile-only 2>&1 |
        sed -n 's/.*debug: pipeline .*: \([0-9.]*\) ms here, \([0-9.]*\) ms in the driver.*/\1 \2/p' | sort -n |
        awk -v name="$1" '{ ours[NR] = $1; all += $1; driver += $2 }
            END { if (NR) printf "| %s | %d | %.2f | %.2f | %.1f | %.1f |\n", name, NR, ours[int((NR + 1) / 2)], ours[NR], all, driver }'
}

columns="new"
measure_driver new "$WPG_LVP_ICD" "${WPG_DRIVER_LIBRARY_PATH:-}"
if [ -n "${WPG_LVP_ICD_OLD:-}" ]; then
    measure_driver old "$WPG_LVP_ICD_OLD" ""
    columns="new old"
fi

version() { env $(driver "$1" "$2") wavepgo-bench --case select_rare --size small 2>/dev/null | sed -n 's/^device: \(.*\), size.*/\1/p'; }
echo "new = $(version "$WPG_LVP_ICD" "${WPG_DRIVER_LIBRARY_PATH:-}")"
[ "$columns" = new ] || echo "old = $(version "$WPG_LVP_ICD_OLD" "")"
echo "Size $size, $rounds rounds of $repeat executions, $(uname -m), $(getconf _NPROCESSORS_ONLN) processors, $(date -u +%Y-%m-%d)."
echo
header="| case |" rule="|---|"
for mode in generate use; do
    for column in $columns; do
        header="$header $mode, $column |"
        rule="$rule---|"
    done
done
echo "$header"
echo "$rule"
for case in $(sed -n 's/.*"case":"\([^"]*\)".*/\1/p' new-generate.json); do
    row="| $case |"
    for mode in generate use; do
        for column in $columns; do
            value=$(field "$column-$mode" "$case" ratio)
            row="$row $([ -n "$value" ] && two "$value" || echo -) |"
        done
    done
    echo "$row"
done
row="| geometric mean |"
for mode in generate use; do
    for column in $columns; do row="$row **$(two "$(mean "$column-$mode" geomean_ratio)")** |"; done
done
echo "$row"
echo
for column in $columns; do
    echo "Mode off over no layer ($column): time $(two "$(mean "$column-off" geomean_ratio)"), pipeline creation $(two "$(mean "$column-off" geomean_create_ratio)")."
done
echo
echo "| rewriting, ms | pipelines | ours, median | ours, most | ours, sum | driver, sum |"
echo "|---|---|---|---|---|---|"
for mode in generate use; do
    if [ -n "${WPG_RADV_ICD:-}" ]; then
        family=${RADV_FORCE_FAMILY:-navi31}
        rewriting "$mode, RADV $family" "$mode" "$(driver "$WPG_RADV_ICD" "${WPG_DRIVER_LIBRARY_PATH:-}") RADV_FORCE_FAMILY=$family"
    fi
    rewriting "$mode, lavapipe new" "$mode" "$(driver "$WPG_LVP_ICD" "${WPG_DRIVER_LIBRARY_PATH:-}")"
done

#!/bin/sh
# What counting makes of modules, and what that costs drivers' compilers, in percentiles: Markdown on standard output.
#
#     sh tests/corpus/growth.sh FOLDER OF .spv...      fragment and compute shaders; of a release build
#
#     DRIVERS="new old radv intel"   FORMS=normal,budget,auto,naive,lane   STEP=10: one module of ten   LIMIT=20: seconds a module
#     TIMES=1: compiles of each form, by turns, of which the least time counts    PROBES=none: as the setting
#     KEEP=FILE: the lines of all modules are kept as FILE.DRIVER
#
# Over the shader in its normal form, which is what use mode starts with: words, and the driver's processor time. `budget` is
# what generate mode does by itself, `auto` the same without a budget. Times below FLOOR (5) milliseconds say little, so of such
# modules only the words count. A module that does not end counts with LIMIT. RADV:
# the family RADV_FORCE_FAMILY (navi31). Intel's driver: by the number INTEL_DEVICE (9a49, Tiger Lake).
set -eu
started=$PWD
[ $# -gt 0 ] || { sed -n '2,14s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
WPG_SOURCE=$root WPG_BUILD=${WPG_BUILD:-$root/build} WPG_DRIVER=new WPG_CASE=
WPG_PROGRAMS=$WPG_BUILD/bin WPG_SPIRV=$WPG_BUILD/tests/e2e/spirv
export WPG_SOURCE WPG_BUILD WPG_DRIVER WPG_CASE WPG_PROGRAMS WPG_SPIRV
. "$root/.deps/env.sh"
set +eu
. "$root/tests/e2e/lib.sh"
need_built "$WPG_PROGRAMS/corpus_growth"
limit=${LIMIT:-20} floor=${FLOOR:-5} forms=${FORMS:-normal,budget,auto,naive,lane}
for folder in "$@"; do
    case $folder in /*) ;; *) folder=$started/$folder ;; esac
    find "$folder" -name '*.spv'
done | LC_ALL=C sort | awk -v step="${STEP:-1}" 'NR % step == 0' >"$work/list"
percentiles='
function cell(list, n, at) { return n ? sprintf("%.2f", list[int((n - 1) * at + 0.5) + 1]) : "-" }
function row(list, n) { return cell(list, n, 0.5) " | " cell(list, n, 0.9) " | " cell(list, n, 0.99) " | " cell(list, n, 1) }
function shell_sort(list, n,    gap, i, j, kept) {
    for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
        for (i = gap + 1; i <= n; i++) {
            kept = list[i]
            for (j = i; j > gap && list[j - gap] > kept; j -= gap) list[j] = list[j - gap]
            list[j] = kept
        }
}
{ words[$1, $2] = $3; ms[$1, $2] = $6 == "-" ? limit * 1000 : $6; lost[$2] += $6 == "-"; files[$1] = 1; seen[$2] = 1 }
END {
    order = split(forms, name, ",")
    for (i = 2; i <= order; i++) {
        form = name[i]; n = timed = dearer = 0; sum = of = 0
        split("", grown); split("", longer)
        for (file in files) {
            if (!((file, form) in words) || !((file, "normal") in words)) continue
            grown[++n] = words[file, form] / words[file, "normal"]
            if (ms[file, "normal"] < floor) continue
            longer[++timed] = ms[file, form] / ms[file, "normal"]
            sum += ms[file, form]; of += ms[file, "normal"]
            dearer += (file, "naive") in ms && ms[file, form] > 1.1 * ms[file, "naive"]
        }
        shell_sort(grown, n); shell_sort(longer, timed)
        printf "| %s | %s | %d | %s | %d | %s | %s | %d | %d |\n", driver, form, n, row(grown, n), timed, row(longer, timed),
            of ? sprintf("%.2f", sum / of) : "-", lost[form], dearer
    }
}'
echo "| driver | counters | modules | words: median | p90 | p99 | most | timed | compiling: median | p90 | p99 | most | all together | did not end | dearer than naive by 10 % |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
for driver in ${DRIVERS:-new old radv}; do
    case $driver in
    radv) family=${RADV_FORCE_FAMILY:-navi31} ;;
    radv-old) family=${RADV_FORCE_FAMILY:-gfx1100} ;; # the same under its older name
    *) family= ;;
    esac
    (
        use_driver "$driver"
        unset VK_INSTANCE_LAYERS WAVEPGO_MODE
        [ -z "$family" ] || export RADV_FORCE_FAMILY="$family"
        on() { "$@"; }
        suspends=
        case $driver in new) suspends="-s -o" ;; old) suspends=-s ;; esac
        [ "$driver" != intel ] || on() { on_intel "${INTEL_DEVICE:-9a49}" "$@"; }
        # shellcheck disable=SC2086
        on "$WPG_PROGRAMS/corpus_growth" $suspends -l "$limit" -n "${TIMES:-1}" -p "${PROBES:-none}" -F "$forms" -v "$WPG_SPIRV/triangle.vert.spv" -f "$WPG_SPIRV/plain.frag.spv" - <"$work/list" \
            >"$work/$driver.lines" 2>"$work/$driver.err"
    )
    grep -qE '	[0-9.]+$' "$work/$driver.lines" || die "$driver: $(head -n 1 "$work/$driver.err")"
    [ -z "${KEEP:-}" ] || cp "$work/$driver.lines" "$KEEP.$driver"
    awk -F '\t' -v driver="$driver" -v forms="$forms" -v limit="$limit" -v floor="$floor" "$percentiles" "$work/$driver.lines"
done

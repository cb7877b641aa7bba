#!/bin/sh
# What each pass of use mode (a lever) costs on shaders of real programs: Markdown on standard output (README.md).
#
#     sh shaders/real/levers.sh [--build FOLDER] [FAMILY...]        (default: the families of WebGPU, materialx and ggml; build)
#
# Growth of code, our own time, the driver's time to compile, registers: by `wavepgo estimate` on RADV, without hardware.
#
# BUNDLES (BUILD/levers): FOLDER/FAMILY/*.wavepgo, as `wavepgo run --generate` writes. A family without any is trained once.
# TRAIN_SECONDS (0.05): of each item in training. PROBES (default,values): what training learns.
# GPUS (navi31 navi21): RADV_FORCE_FAMILY. Times are of the first alone. REPEAT (3): times, medians of processor time.
# LEVERS (all): letters of SKIP_PASSES, one row each. ROWS (base alone rule all): the further rows.
# KEEP: a file that gets every figure, a line each.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/shaders/real
families="tfjs materialx three babylon playcanvas anime4k ggml"
apart="materialx" # each item is a program with a bundle of its own
build=$root/build wanted=
while [ $# -gt 0 ]; do
    case $1 in
    --build)
        [ $# -ge 2 ] || { echo "levers: --build needs a folder" >&2; exit 2; }
        build=$2
        shift
        ;;
    -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "levers: no option is called '$1'" >&2; exit 2 ;;
    *)
        [ -e "$here/$1.sh" ] || [ -d "${BUNDLES:-$build/levers}/$1" ] || { echo "levers: no family and no folder of bundles '$1'" >&2; exit 2; }
        wanted="$wanted $1"
        ;;
    esac
    shift
done
. "$here/start.sh"
[ -n "${WPG_RADV_ICD:-}" ] || { echo "levers: no RADV here: sh tests/setup.sh" >&2; exit 77; }
bundles=${BUNDLES:-$build/levers} gpus=${GPUS:-navi31 navi21} repeat=${REPEAT:-3}
# "c versions for words of ..., p push ..." of the setting's help: lines "c:versions-for-words-of-uniform-blocks".
levers=$(wavepgo run --help=markdown | sed -n 's/^| `SKIP_PASSES` .*leave out (\(.*\)) |$/\1/p' | sed 's/, /\n/g' | sed 's/^\([a-z]\) /\1:/; s/ /-/g')
letters=$(for lever in $levers; do printf '%s' "${lever%%:*}"; done)
wanted_levers=${LEVERS:-$letters}
without() { printf '%s' "$letters" | tr -d "$1"; } # LETTERS: the others

train() { # FAMILY
    sh "$here/$1.sh" fetch || return 1
    items=$(sh "$here/$1.sh" list | paste -s -d , -)
    options=
    ! grep -q "^training)" "$here/$1.sh" || options=$(sh "$here/$1.sh" training)
    case " $apart " in *" $1 "*) items=$(echo "$items" | tr , ' ') ;; esac
    for item in $items; do
        echo "levers: $1: training $item" >&2
        # shellcheck disable=SC2086
        VK_DRIVER_FILES=$WPG_LVP_ICD VK_ICD_FILENAMES=$WPG_LVP_ICD wavepgo run --generate --bundle "$bundles/$1/%e-%p.wavepgo" --summary 0 \
            --probes "${PROBES:-default,values}" $options -- sh "$here/$1.sh" run "$item" "${TRAIN_SECONDS:-0.05}" >"$work/out" 2>"$work/err" ||
            { echo "levers: $1: training failed" >&2; tail -n 5 "$work/err" >&2; return 1; }
    done
}

# JSON of `wavepgo estimate` to lines: "stage WHERE PIPELINE NAME IN OUT REWRITE-US CHANGED", "time WHERE PIPELINE FORM US",
# "figure WHERE PIPELINE FORM STAGES VALUE NAME", "pass WHERE PIPELINE STAGE PASS". WHERE: family, GPU and row.
flat() {
    awk -v where="$1" '
        function text(line) { sub(/^[^:]*: "/, "", line); sub(/",?$/, "", line); return line }
        function number(line) { sub(/^[^:]*: /, "", line); return line + 0 }
        /^   "(pipeline|shader)": / { pipe = substr(text($0), 1, 12) }
        /^     "stage": / { stage = text($0); changed = 0 }
        /^     "passes": \[$/ { changed = 1 }
        /^      "[a-z-]*",?$/ { name = $1; gsub(/[",]/, "", name); print "pass", where, pipe, stage, name }
        /^      "original": / { before = number($0) }
        /^      "use": / { after = number($0) }
        /^     "rewrite_microseconds": / { print "stage", where, pipe, stage, before, after, number($0), changed }
        /^    "(original|use)": \{$/ { form = $1; gsub(/[":]/, "", form) }
        /^     "compile_microseconds": [0-9]/ { print "time", where, pipe, form, number($0) }
        /^       "stages": / { stages = text($0) }
        /^        "[^"]*": -?[0-9]/ { name = $0; sub(/^ *"/, "", name); sub(/".*/, "", name); print "figure", where, pipe, form, stages, number($0), name }'
}

# row FAMILY GPU ROW OPTIONS...: the figures of all bundles of a family.
row() {
    family=$1 gpu=$2 row=$3
    shift 3
    times=
    [ "$gpu" != "${gpus%% *}" ] || times="--repeat $repeat"
    for bundle in "$bundles/$family"/*.wavepgo; do
        # shellcheck disable=SC2086
        RADV_FORCE_FAMILY=$gpu wavepgo estimate --bundle "$bundle" --driver "$WPG_RADV_ICD" --no-what-if --json $times "$@" >"$work/json" 2>"$work/err" ||
            { echo "levers: $family, $gpu, $row: $(tail -n 1 "$work/err")" >&2; continue; }
        flat "$family $gpu $row" <"$work/json"
    done
}

rows_of() { # FAMILY GPU
    case " ${ROWS-base alone rule all} " in *" base "*) [ "$2" != "${gpus%% *}" ] || row "$1" "$2" base --skip-passes "$letters" ;; esac
    for lever in $levers; do
        letter=${lever%%:*}
        case $wanted_levers in *"$letter"*) ;; *) continue ;; esac
        [ "$letter" != s ] || continue # a form, no lever
        row "$1" "$2" "$letter" --changed --and-passes prw --skip-passes "$(without "s$letter")"
    done
    for more in ${ROWS-base alone rule all}; do
        case $more in
        alone) row "$1" "$2" alone --changed --version-alone --skip-passes "$(without sc)" ;;
        rule) row "$1" "$2" rule --changed --and-passes w --skip-passes afr ;;
        all) row "$1" "$2" all --changed --and-passes prw ;;
        esac
    done
}

: >"$work/figures"
used=
for name in ${wanted:-$families}; do
    [ -n "$(ls -d "$bundles/$name"/*.wavepgo 2>/dev/null)" ] || train "$name" || continue
    used="$used $name"
    for gpu in $gpus; do
        echo "levers: $name: $gpu" >&2
        rows_of "$name" "$gpu" >>"$work/figures"
    done
done
[ -z "${KEEP:-}" ] || cp "$work/figures" "$KEEP"

cat >"$work/table.awk" <<'END_OF_AWK'
function sort_list(list, n,    i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
}
function at_share(list, n, share,    i) { i = int(n * share); if (i < n * share) i++; return list[i < 1 ? 1 : i] }
function two(x) { return sprintf("%.2f", x) }
function mean(key) { return count[key] ? two(exp(logs[key] / count[key])) : "-" }
function span(key) { return count[key] ? mean(key) " (" two(least[key]) " to " two(most[key]) ")" : "-" }
function ratio(key, from, to,    r) {
    if (from <= 0 || to <= 0) return
    r = to / from
    logs[key] += log(r)
    if (!count[key]++ || r < least[key]) least[key] = r
    if (count[key] == 1 || r > most[key]) most[key] = r
}
function title(row) { return row == "alone" ? "c, the version alone" : row == "rule" ? "by rule" : row == "all" ? "all" : row " " names[row] }
BEGIN {
    n = split(levers, list, " ")
    for (i = 1; i <= n; i++) { letter = substr(list[i], 1, 1); name = substr(list[i], 3); gsub(/-/, " ", name); sub(/ (for|by) .*/, "", name); names[letter] = name }
    first = gpus; sub(/ .*/, "", first)
}
{ row = $4; place = $2 SUBSEP $3 SUBSEP row }
$1 == "stage" {
    # stage family gpu row pipeline stage in out us changed: $10 is changed, pipelines of bundles may meet
    family = $2; gpu = $3; pipe = $5; stage = $6
    if (!(row in seen_row)) { seen_row[row] = 1; order[++rows] = row }
    is_changed[place, pipe, stage] = $10 + 0
    if (gpu != first) next
    for (f = 0; f < 2; f++) {
        key = (f ? "all families" : family) SUBSEP row
        stages[key]++
        ours[key, stages[key]] = $9
        sum_ours[key] += $9
        if ($10) { altered[key]++; ratio(key SUBSEP "words", $7, $8) }
    }
    next
}
$1 == "time" {
    family = $2; pipe = $5
    if (row == "base") {
        if ($6 == "original") { base[family] += $7; base["all families"] += $7; base_of[family, pipe] += $7; base_count[family, pipe]++ }
        next
    }
    if ($6 == "original") { before[place, pipe] = $7; next }
    if (!((place SUBSEP pipe) in before)) next
    for (f = 0; f < 2; f++) {
        key = (f ? "all families" : family) SUBSEP row
        ratio(key SUBSEP "time", before[place, pipe], $7)
        # Weighted by the base, which another run timed: a machine is not as fast in each.
        if (base_count[family, pipe]) {
            usual = base_of[family, pipe] / base_count[family, pipe]
            more[key] += usual * ($7 / before[place, pipe] - 1)
            usual_sum[key] += usual
            before_sum[key] += before[place, pipe]
        }
    }
    next
}
$1 == "figure" {
    family = $2; gpu = $3; pipe = $5; form = $6; stage = $7; value = $8
    name = $9; for (i = 10; i <= NF; i++) name = name " " $i
    if (!is_changed[place, pipe, stage]) next
    if (form == "original") { original[place, pipe, stage, name] = value; next }
    from = original[place, pipe, stage, name]
    for (f = 0; f < 2; f++) {
        key = (f ? "all families" : family) SUBSEP gpu SUBSEP row
        ratio(key SUBSEP name, from, value)
        if (name ~ /^Spilled/) { spills[key, 0] += from; spills[key, 1] += value }
        if (name == "VGPRs") executables[key]++
        if (name == "VGPRs" && value > from) worse[key]++
        if (name == "VGPRs" && value < from) better[key]++
        if (name == "Subgroups per SIMD" && value < from) fewer[key]++
        if (name == "Subgroups per SIMD" && value > from) fuller[key]++
    }
}
END {
    n = split(used " all", family_list, " ")
    family_list[n] = "all families"
    print "### Code, our time, the driver's time (" first ")\n"
    print "| family | lever | stages changed | words out / in | ours a stage, ms: median, 95 %, most | driver, changed pipelines | driver, whole family | with ours |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= n; i++)
        for (r = 1; r <= rows; r++) {
            family = family_list[i]; row = order[r]; key = family SUBSEP row
            if (!stages[key] || row == "base") continue
            if (!altered[key]) { none[family] = none[family] (none[family] == "" ? "" : " ") row; continue }
            split("", times)
            for (k = 1; k <= stages[key]; k++) times[k] = ours[key, k] / 1000
            sort_list(times, stages[key])
            whole = base[family] && before_sum[key] ? two((base[family] + more[key]) / base[family]) : "-"
            with = base[family] && before_sum[key] ? two((base[family] + more[key] + sum_ours[key] * usual_sum[key] / before_sum[key]) / base[family]) : "-"
            printf "| %s | %s | %d of %d | %s | %.2f, %.2f, %.1f | %s | %s | %s |\n", family, title(row), altered[key], stages[key], row == "alone" ? "-" : span(key SUBSEP "words"),
                at_share(times, stages[key], 0.5), at_share(times, stages[key], 0.95), times[stages[key]], span(key SUBSEP "time"), whole, row == "alone" ? "-" : with
        }
    print "\nLevers that change no stage:\n"
    for (i = 1; i <= n; i++) if (none[family_list[i]] != "") print "- " family_list[i] ": " none[family_list[i]]
    m = split(gpus, gpu_list, " ")
    for (g = 1; g <= m; g++) {
        gpu = gpu_list[g]
        print "\n### Registers (" gpu "), changed stages\n"
        print "| family | lever | stages | VGPRs | more, fewer | SGPRs | spills | waves a SIMD | fewer, more | code size | latency | inverse throughput |"
        print "|---|---|---|---|---|---|---|---|---|---|---|---|"
        for (i = 1; i <= n; i++)
            for (r = 1; r <= rows; r++) {
                family = family_list[i]; row = order[r]; key = family SUBSEP gpu SUBSEP row
                if (!executables[key]) continue
                printf "| %s | %s | %d | %s | %d, %d | %s | %d, %d | %s | %d, %d | %s | %s | %s |\n", family, title(row), executables[key],
                    span(key SUBSEP "VGPRs"), worse[key], better[key], mean(key SUBSEP "SGPRs"), spills[key, 0], spills[key, 1],
                    span(key SUBSEP "Subgroups per SIMD"), fewer[key], fuller[key], span(key SUBSEP "Code size"), mean(key SUBSEP "Latency"), mean(key SUBSEP "Inverse Throughput")
            }
    }
}
END_OF_AWK

echo "Use over original; geometric means, in brackets least to most. RADV: $(basename "$WPG_RADV_ICD"); medians of $repeat."
echo
echo "| family | bundles | pipelines | driver without use mode, ms | stages for which each pass did something |"
echo "|---|---|---|---|---|"
for name in $used; do
    echo "| $name | $(ls -d "$bundles/$name"/*.wavepgo | wc -l) | $(ls "$bundles/$name"/*.wavepgo/pipelines/*.facts | wc -l) | $(
        awk -v family="$name" '$1 == "time" && $2 == family && $4 == "base" { sum += $7 } END { printf "%.0f", sum / 1000 }' "$work/figures"
    ) | $(
        awk -v family="$name" -v gpu="${gpus%% *}" '$1 == "pass" && $2 == family && $3 == gpu && $4 == "all" { done_[$7]++ }
            END { for (name in done_) { printf "%s%s %d", sep, name, done_[name]; sep = ", " } }' "$work/figures"
    ) |"
done
echo
awk -v levers="$(echo $levers)" -v gpus="$gpus" -v used="${used# }" -f "$work/table.awk" "$work/figures"

#!/bin/sh
# The tables of shaders/measured, measured anew on this machine: Markdown on standard output.
#
#     sh shaders/measure.sh [SECTION]... [BUILD-FOLDER]         (default: all sections but fleet, pairs and real, build)
#
#     generate    what counting costs: time by way of counting, sampled; compile time on lavapipe
#     compile     what an instrumented shader costs a compiler: compile time, registers and code on RADV without hardware
#     sampling    what 1/16 and 1/4 cost by workgroup and by bind, and how far the estimates are from the exact counts
#     placement   per wave after structurisation beside per lane before it: cost, and what the counts differ in
#     use         what the profile gains: together, after tuning, by lever; static figures on RADV without hardware; what variants cost;
#                 wave sizes; mode off; our own time beside the driver's
#     variants    what pipelines made for usual push constants gain, what making one costs, and their code on RADV without hardware
#     estimate    what RADV's compiler says without the blocks that never ran (a what-if, `wavepgo estimate`), without hardware
#     gate        the offload PGO RFC's three microbenchmarks without a profile, and with one, heeding divergence and not
#     quality     profiles beside ones measured anew: on top of use mode, sampled, on another driver
#     fleet       many thin profiles beside an exact one, what thin counting costs, what merging takes (measure_fleet.sh); only where it is named
#     pairs       changes that people made to shaders by hand, and what use mode gains on the shader before (shaders/pairs); only where it is named
#     real        unmodified real programs (shaders/real): fetched from npm and Debian, so not among the default sections
#
# Every figure is a ratio within one run: environments in alternating child processes, medians over rounds. Run it on a quiet
# machine. SIZE (small, demo, full), ROUNDS, REPEAT and CASES (names; default: all) in the environment change what it takes: `generate` with the defaults needs
# half an hour for two drivers, the rest about ten minutes each. Drivers are those of .deps/env.sh (tests/setup.sh). A way of counting that the
# layer of this build does not know is left out, and named. `sampling` takes SIZES (default: small demo) and BINDS, binds an execution
# (default 16). `use` binds BINDS times an execution (default 1), tunes by TUNE_BINDS binds (default 200) in each of TUNE_RUNS runs (default
# 3), and measures levers in LEVER_ROUNDS rounds (default: ROUNDS). CLOCK=processor measures what all processors spent, not what passed: for a busy machine.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
sections=
while [ $# -gt 0 ]; do
    case $1 in
    generate | compile | sampling | placement | use | variants | estimate | gate | quality | fleet | pairs | real) sections="$sections $1" ;;
    all) sections="generate compile sampling placement use variants estimate gate quality" ;;
    -h | --help) sed -n '2,25s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "measure: unknown option '$1'" >&2; exit 2 ;;
    *) break ;;
    esac
    shift
done
sections=${sections:-generate compile sampling placement use variants estimate gate quality}
build=$(cd "${1:-$root/build}" && pwd)
[ ! -r "$root/.deps/env.sh" ] || . "$root/.deps/env.sh"
PATH=$build/bin:$PATH
. "$root/shaders/labkit/modes.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
size=${SIZE:-demo}
rounds=${ROUNDS:-3}
repeat=${REPEAT:-2}
some=
for case in ${CASES:-}; do some="$some --case $case"; done
binds=64 # an execution, for sampling by bind
unset VK_INSTANCE_LAYERS VK_LAYER_PATH VK_ADD_LAYER_PATH
for variable in $(env | sed -n 's/^\(WAVEPGO_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
export WAVEPGO_COMPILE=blocking # what is measured waits for its words
export MESA_SHADER_CACHE_DISABLE=true RADV_DEBUG=nocache
say() { echo "measure: $*" >&2; }

# ---- drivers ----

# driver ICD LIBRARIES: the environment that selects it.
driver() { echo "VK_DRIVER_FILES=$1 VK_ICD_FILENAMES=$1 LD_LIBRARY_PATH=$2"; }
drivers=new
[ -z "${WPG_LVP_ICD_OLD:-}" ] || drivers="new old"
driver_environment() { # new, old
    case $1 in
    new) driver "$WPG_LVP_ICD" "${WPG_DRIVER_LIBRARY_PATH:-}" ;;
    old) driver "$WPG_LVP_ICD_OLD" "" ;;
    esac
}
# RADV compiles for a GPU that is not there: "FAMILY new|old".
radv_families=
[ -z "${WPG_RADV_ICD:-}" ] || radv_families="navi31:new"
[ -z "${WPG_RADV_ICD_OLD:-}" ] || radv_families="$radv_families gfx1100:old navi21:old"
radv_environment() { # FAMILY:new|old
    case $1 in
    *:new) echo "$(driver "$WPG_RADV_ICD" "${WPG_DRIVER_LIBRARY_PATH:-}") RADV_FORCE_FAMILY=${1%:*}" ;;
    *) echo "$(driver "$WPG_RADV_ICD_OLD" "") RADV_FORCE_FAMILY=${1%:*}" ;;
    esac
}
version() { # ENVIRONMENT
    # shellcheck disable=SC2086
    env $1 wavepgo-bench --info 2>/dev/null | sed 's/.*"device":"\([^"]*\)".*"driver_info":"\([^"]*\)".*/\1, \2/'
}

# ---- modes ----

# Those of the argument list that this build knows, into `modes`; the others are named once.
: >left-out
choose_modes() {
    modes=
    for mode in "$@"; do
        if mode_known "$mode"; then
            modes="$modes $mode"
        elif ! grep -q "^$mode " left-out; then
            echo "$mode ($mode_why)" >>left-out
            say "left out: $mode: $mode_why"
        fi
    done
}
# The file `sides`: a line for each mode, as --compare takes it. Files of a mode go below $work.
write_sides() {
    for mode in "$@"; do
        # shellcheck disable=SC2046
        printf '%s: %s\n' "$mode" "$(mode_environment $(mode_options "$mode") --profile-file "$work/out-$mode/%b.profraw" --log error)"
    done >sides
}
# compare NAME ENVIRONMENT OPTIONS...: all sides beside the driver alone, JSON lines to NAME.json.
compare() {
    compare_name=$1
    environment=$2
    shift 2
    while read -r side; do
        set -- "$@" --compare "$side"
    done <sides
    # shellcheck disable=SC2086
    env $environment wavepgo-bench $some ${CLOCK:+--clock $CLOCK} --rounds "$rounds" --repeat "$repeat" "$@" --against '' --json - >"$compare_name.json" 2>"$compare_name.err" || {
        # A driver's own last bits, or a side that failed: said, and seen in the table by a dash.
        sed 's/^/measure: /' "$compare_name.err" >&2
    }
}
# cell FILE CASE LABEL KEY: one number with two digits, or a dash; CASE "mean": of the last lines.
cell() {
    awk -v case_name="$2" -v label="$3" -v key="$4" '
        index($0, "\"label\":\"" label "\"") && (case_name == "mean" ? /^\{"cases"/ : index($0, "\"case\":\"" case_name "\"")) {
            at = index($0, "\"" key "\":")
            if (at) value = substr($0, at + length(key) + 3) + 0
            if (/"equal":false/) mark = " (output differs)"
        }
        END { if (value) printf "%.2f%s", value, mark; else printf "-" }' "$1.json"
}
cases() { sed -n 's/^{"case":"\([^"]*\)".*/\1/p' "$1.json" | awk '!seen[$0]++'; }
heading() { # FIRST MODES...: two lines of a table
    line="| $1 |"
    rule="|---|"
    shift
    for mode in "$@"; do
        line="$line $(mode_title "$mode") |"
        rule="$rule---|"
    done
    printf '%s\n%s\n' "$line" "$rule"
}
row() { # TITLE FILE CASE KEY MODES...
    line="| $1 |"
    row_file=$2 row_case=$3 row_key=$4
    shift 4
    for mode in "$@"; do line="$line $(cell "$row_file" "$row_case" "$mode" "$row_key") |"; done
    echo "$line"
}
time_table() { # FILE MODES...
    file=$1
    shift
    heading case "$@"
    for case in $(cases "$file"); do row "$case" "$file" "$case" ratio "$@"; done
    row "**geometric mean**" "$file" mean geomean_ratio "$@"
    row "**worst**" "$file" mean worst_ratio "$@"
}

# ---- static cost: what RADV's compiler says ----

statistics() { # NAME ENVIRONMENT [OPTIONS OF RUN...]
    statistics_name=$1
    environment=$2
    shift 2
    [ $# = 0 ] || set -- wavepgo run "$@" --cache none --summary 0 --log error --profile-file "$work/static/%b.profraw" --
    # shellcheck disable=SC2086
    env $environment "$@" wavepgo-bench $some --statistics --json - >"$statistics_name.stat" 2>/dev/null
}
# ratio_of BASE MODE KEY: geometric mean and most over all shaders, "mean (most)".
ratio_of() {
    paste -d '\n' "$1.stat" "$2.stat" | awk -v key="\"$3\":" '
        function value(line) { at = index(line, key); return at ? substr(line, at + length(key)) + 0 : 0 }
        NR % 2 { base = value($0); next }
        base > 0 && value($0) > 0 { r = value($0) / base; sum += log(r); n++; if (r > most) most = r }
        END { if (n) printf "%.2f (%.2f)", exp(sum / n), most; else printf "-" }'
}
most_of() { # NAME KEY: the largest value
    awk -v key="\"$2\":" '{ at = index($0, key); v = at ? substr($0, at + length(key)) + 0 : 0; if (v > most) most = v } END { printf "%d", most }' "$1.stat"
}
static_tables() { # MODES...
    [ -n "$radv_families" ] || { echo "No RADV here: no static cost."; return; }
    echo "Static cost on RADV without hardware, all shader stages of the benchmark: ratio over uninstrumented, geometric mean (most)."
    echo
    heading "RADV, figure" "$@"
    for family in $radv_families; do
        environment=$(radv_environment "$family")
        statistics base "$environment"
        for mode in "$@"; do
            # shellcheck disable=SC2046
            statistics "mode-$mode" "$environment" $(mode_options "$mode")
        done
        for figure in 'Pre-Sched VGPRs' 'Pre-Sched SGPRs' 'Code size' 'Inverse Throughput' 'Latency'; do
            line="| ${family%:*} ${family#*:}, $figure |"
            for mode in "$@"; do line="$line $(ratio_of base "mode-$mode" "$figure") |"; done
            echo "$line"
        done
        line="| ${family%:*} ${family#*:}, most VGPRs (uninstrumented $(most_of base VGPRs)), spilled |"
        for mode in "$@"; do line="$line $(most_of "mode-$mode" VGPRs), $(most_of "mode-$mode" 'Spilled VGPRs') |"; done
        echo "$line"
    done
}

# ---- sections ----

introduce() {
    for name in $drivers; do echo "$name = $(version "$(driver_environment "$name")")"; done
    echo "Size $size, $rounds rounds of $repeat executions, $(uname -m), $(getconf _NPROCESSORS_ONLN) processors, $(date -u +%Y-%m-%d)."
}

measure_generate() {
    choose_modes naive slots additive derived auto default
    counting=$modes
    choose_modes sampled-workgroup sampled-bind
    sampling=$modes
    # shellcheck disable=SC2086
    for name in $drivers; do
        say "generate, $name"
        write_sides $counting
        compare "generate-$name" "$(driver_environment "$name")" --size "$size"
        echo
        echo "Time of generate mode over no layer, $name:"
        echo
        time_table "generate-$name" $counting
        [ -n "$sampling" ] || continue
        write_sides $sampling
        compare "sampled-$name" "$(driver_environment "$name")" --size small --binds $binds
        echo
        echo "Sampled, $name (size small, $binds binds an execution):"
        echo
        time_table "sampled-$name" $sampling
    done
    echo
    echo "Compiling, instrumented over original, geometric means (lavapipe compiles at the first execution, which is part of it):"
    echo
    # shellcheck disable=SC2086
    heading driver $counting
    for name in $drivers; do
        # shellcheck disable=SC2086
        row "lavapipe $name" "generate-$name" mean geomean_compile_ratio $counting
    done
}

measure_compile() {
    choose_modes naive slots additive derived auto default
    counting=$modes
    # shellcheck disable=SC2086
    write_sides $counting
    echo "Compiling on RADV without hardware, pipeline creation, instrumented over original, geometric means of ${COMPILE_ROUNDS:-7} rounds:"
    echo
    # shellcheck disable=SC2086
    heading driver $counting
    for family in $radv_families; do
        say "compile time, RADV $family"
        compare "compile-${family%:*}" "$(radv_environment "$family")" --compile-only --rounds "${COMPILE_ROUNDS:-7}"
        # shellcheck disable=SC2086
        row "RADV ${family%:*} ${family#*:}" "compile-${family%:*}" mean geomean_create_ratio $counting
    done
    echo
    # shellcheck disable=SC2086
    static_tables $counting
}

# Block shares of each shader, sampled beside exact: how much of them overlaps. Shaders that no sample met are named apart.
sampling_error() { # SIZE RATE
    for rate in 1 "$2"; do
        # shellcheck disable=SC2046
        env $(driver_environment new) wavepgo run --mode generate --sample 1/$rate --cache none --summary 0 \
            --profile-file "$work/error-$1-$rate/%b.profraw" -- wavepgo-bench $some --size "$1" --checksum >/dev/null
        wavepgo show --json "error-$1-$rate" | grep '"function": ' | sed 's/"samples": .*//' >"error-$rate.counts"
    done
    awk -v size="$1" -v rate="$2" '
        function list(line, out,    at, text) {
            at = index(line, "\"lanes\": [")
            if (!at) return 0
            text = substr(line, at + 10)
            sub(/\].*/, "", text)
            return split(text, out, ", ")
        }
        { key = $0; sub(/.*"shader": "/, "", key); stage = key; sub(/".*/, "", key); sub(/.*"stage": "/, "", stage); sub(/".*/, "", stage)
          match($0, /"function": [0-9]+/); key = key "." stage "." substr($0, RSTART, RLENGTH) }
        FNR == NR { exact[key] = $0; known++; next }
        key in exact {
            n = list(exact[key], a); m = list($0, b); ta = tb = 0
            for (i = 1; i <= n; i++) { ta += a[i]; tb += b[i] }
            if (n != m || !ta) { known--; next }
            if (!tb) next
            same = 0
            for (i = 1; i <= n; i++) { p = a[i] / ta; q = b[i] / tb; same += p < q ? p : q }
            sum += same; met++
            if (met == 1 || same < least) least = same
        }
        END { if (met) printf "| 1/%d, %s | %d of %d | %.4f | %.4f |\n", rate, size, met, known, sum / met, least }' error-1.counts "error-$2.counts"
}

measure_sampling() {
    sampling="exact workgroup-16 bind-16 workgroup-4 bind-4"
    for side in $sampling; do
        case $side in
        exact) set -- ;;
        *) set -- --sample "1/${side#*-}" --sample-by "${side%-*}" ;;
        esac
        printf '%s: %s\n' "$side" "$(mode_environment --mode generate "$@" --profile-file "$work/out-sampling/%b.profraw" --log error)"
    done >sides
    for sampling_size in ${SIZES:-small demo}; do
        say "sampling, $sampling_size"
        compare "sampling-$sampling_size" "$(driver_environment new)" --size "$sampling_size" --binds "${BINDS:-16}"
        echo
        echo "Sampled, size $sampling_size, ${BINDS:-16} binds an execution (new${CLOCK:+, clock: $CLOCK}):"
        echo
        echo "| case | exact | 1/16 by workgroup | 1/16 by bind | 1/4 by workgroup | 1/4 by bind |"
        echo "|---|---|---|---|---|---|"
        for case in $(cases "sampling-$sampling_size"); do
            # shellcheck disable=SC2086
            row "$case" "sampling-$sampling_size" "$case" ratio $sampling
        done
        # shellcheck disable=SC2086
        row "**geometric mean**" "sampling-$sampling_size" mean geomean_ratio $sampling
        # shellcheck disable=SC2086
        row "**worst**" "sampling-$sampling_size" mean worst_ratio $sampling
    done
    echo
    echo "Sampled by workgroup beside exact, one execution: the shaders' block shares overlap by"
    echo
    echo "| rate, size | shaders met | mean | least |"
    echo "|---|---|---|---|"
    for sampling_size in ${SIZES:-small demo}; do
        sampling_error "$sampling_size" 16
        sampling_error "$sampling_size" 4
    done
}

# counts NAME MODE: what `wavepgo show --json` says of the benchmark, counted that way on the new driver.
counts() {
    # shellcheck disable=SC2046
    env $(driver_environment new) wavepgo run $(strategy_options "$2") --cache none --summary 0 --profile-file "$work/counts-$2/%b.profraw" -- \
        wavepgo-bench $some --size "$size" --checksum >/dev/null
    wavepgo show --json "counts-$2" | grep '"blocks": ' | sort >"$1.counts"
}

measure_placement() {
    choose_modes lane naive derived auto
    case " $modes " in *" lane "*) ;; *) echo "The layer of this build does not count per lane."; return ;; esac
    # shellcheck disable=SC2086
    {
        say "placement"
        write_sides $modes
        compare placement "$(driver_environment new)" --size "$size"
        echo "Cost of the placements, time over no layer (new): per lane before structurisation, per wave after it:"
        echo
        time_table placement $modes
        echo
        static_tables $modes
    }
    counts wave naive
    counts lane lane
    echo
    echo "What the placements say (new). Blocks by their share of the entry's executions: a block is mistaken by lanes where waves run it more than"
    echo "twice as often as lanes say."
    echo
    echo "| shader | lanes agree | blocks | mistaken by lanes | furthest: by lanes | by waves | lanes a wave |"
    echo "|---|---|---|---|---|---|---|"
    paste -d '\n' wave.counts lane.counts | awk '
        function list(line, key, out,    at, text) {
            at = index(line, "\"" key "\": [")
            if (!at) return 0
            text = substr(line, at + length(key) + 5)
            sub(/\].*/, "", text)
            return split(text, out, ", ")
        }
        NR % 2 { wave_line = $0; next }
        {
            n = list(wave_line, "lanes", lanes); w = list(wave_line, "waves", waves); k = list($0, "lanes", other)
            name = wave_line; sub(/.*"stage": "/, "", name); stage = substr(name, 1, 4); sub(/.*"entry": "/, "", name); sub(/".*/, "", name)
            if (!w || lanes[1] == 0 || waves[1] == 0) next
            agree = n == k
            all = runs = bad = furthest = 0
            for (i = 1; i <= n; i++) {
                if (lanes[i] != other[i]) agree = 0
                all += lanes[i]; runs += waves[i]
                if (waves[i] == 0 || lanes[i] == 0) continue
                l = lanes[i] / lanes[1]; v = waves[i] / waves[1]
                if (v > 2 * l) bad++
                if (v / l > furthest) { furthest = v / l; fl = l; fv = v }
            }
            printf "| %s.%s | %s | %d | %d | %.4g | %.4g | %.1f |\n", name, stage, agree ? "yes" : "no", n, bad, fl, fv, all / runs
        }'
}

# Our time beside the driver's, per pipeline, from the layer's own log.
rewriting() { # NAME OPTIONS OF RUN ENVIRONMENT
    # shellcheck disable=SC2086
    env $3 wavepgo run $2 --cache none --summary 0 --log debug --profile-file "$work/rewriting/%b.profraw" -- wavepgo-bench $some --compile-only 2>&1 |
        sed -n 's/.*debug: pipeline .*: \([0-9.]*\) ms here, \([0-9.]*\) ms in the driver.*/\1 \2/p' | sort -n |
        awk -v name="$1" '{ ours[NR] = $1; all += $1; driver += $2 }
            END { if (NR) printf "| %s | %d | %.2f | %.2f | %.1f | %.1f |\n", name, NR, ours[int((NR + 1) / 2)], ours[NR], all, driver }'
}

# Letters of SKIP_PASSES and their names, as the command's help tells them: "LETTER:NAME" each.
levers=$(wavepgo run --help=markdown | sed -n 's/^| `SKIP_PASSES` .*leave out (\(.*\)) |$/\1/p' | sed 's/, /\n/g' | sed 's/^\([a-z]\) /\1:/; s/ /-/g')
only_lever() { # LETTER: the letters of the others, to be left out
    for lever in $levers; do [ "${lever%%:*}" = "$1" ] || printf '%s' "${lever%%:*}"; done
}

# What RADV's compiler says of the smallest waves over the usual ones, of the stages that may have them; by the profile of $1.
wave_sizes() {
    say "wave sizes"
    [ -n "$radv_families" ] || { echo "No RADV here: no wave sizes."; return; }
    echo "| RADV, stage | waves | latency | inverse throughput | VGPRs | code size |"
    echo "|---|---|---|---|---|---|"
    for family in $radv_families; do
        environment=$(radv_environment "$family")
        statistics usual "$environment" --use "$1" --skip-passes "$2w"
        statistics smallest "$environment" --use "$1" --skip-passes "$2" --wave-fill 1
        paste -d '\n' usual.stat smallest.stat | awk -v family="${family%:*}" '
            function value(line, key) { key = "\"" key "\":"; at = index(line, key); return at ? substr(line, at + length(key)) + 0 : 0 }
            function text(line, key) { key = "\"" key "\":\""; line = substr(line, index(line, key) + length(key)); return substr(line, 1, index(line, "\"") - 1) }
            function ratio(key) { return value(usual, key) ? sprintf("%.2f", value($0, key) / value(usual, key)) : "-" }
            NR % 2 { usual = $0; next }
            value(usual, "subgroup_size") != value($0, "subgroup_size") {
                printf "| %s, %s.%s | %d, %d | %s | %s | %s | %s |\n", family, text($0, "case"), text($0, "stage"), value(usual, "subgroup_size"),
                    value($0, "subgroup_size"), ratio("Latency"), ratio("Inverse Throughput"), ratio("VGPRs"), ratio("Code size")
            }'
    done
}

. "$root/shaders/measure_use.sh"
. "$root/shaders/measure_quality.sh"
. "$root/shaders/measure_fleet.sh"
. "$root/shaders/measure_pairs.sh"

# The words of the variants that were dumped stand for the benchmark's own: what RADV's compiler says of both.
variant_statics() { # FOLDER OF THE DUMP
    [ -n "$radv_families" ] || { echo "No RADV here: no static cost."; return; }
    cp -r "$build/shaders" variant-shaders
    for dumped in "$1"/*.variant.spv; do
        for original in variant-shaders/*.comp.spv; do
            entry=${original##*/}
            ! grep -q -a -w "${entry%.comp.spv}" "$dumped" || cp "$dumped" "$original"
        done
    done
    for family in $radv_families; do
        environment=$(radv_environment "$family")
        for side in plain variant; do
            # shellcheck disable=SC2086
            env $environment wavepgo-bench $some $([ $side = plain ] || echo --shaders variant-shaders) --statistics --json - >"$side.stat" 2>/dev/null
        done
        paste -d '\n' plain.stat variant.stat | awk -v family="${family%:*}" '
            function value(line, key) { key = "\"" key "\":"; at = index(line, key); return at ? substr(line, at + length(key)) + 0 : 0 }
            function text(line, key) { key = "\"" key "\":\""; line = substr(line, index(line, key) + length(key)); return substr(line, 1, index(line, "\"") - 1) }
            function ratio(key) { return value(plain, key) ? sprintf("%.2f", value($0, key) / value(plain, key)) : "-" }
            NR % 2 { plain = $0; next }
            plain != $0 { printf "| %s, %s | %s | %s | %d, %d | %s |\n", family, text($0, "case"), ratio("Latency"), ratio("Inverse Throughput"), value(plain, "VGPRs"), value($0, "VGPRs"), ratio("Code size") }'
    done
}

measure_variants() {
    for name in $drivers; do
        say "variants, $name"
        # shellcheck disable=SC2046
        env $(driver_environment "$name") wavepgo run --generate --cache none --summary 0 --bundle "$work/$name.wavepgo" -- \
            wavepgo-bench $some --size "$size" --checksum >/dev/null
        printf 'use: %s\n' "$(mode_environment --use "$work/$name.wavepgo" --log error --variants 0)" >sides
        printf 'variants: %s\n' "$(mode_environment --use "$work/$name.wavepgo" --log error --variant-rule on --variant-wait 60)" >>sides
        compare "variants-$name" "$(driver_environment "$name")" --size "$size"
        echo
        echo "Time of use mode over no layer, $name, without and with variants for push constants (waited for):"
        echo
        time_table "variants-$name" use variants
        # shellcheck disable=SC2046
        env $(driver_environment "$name") wavepgo run --use "$work/$name.wavepgo" --cache none --log info --variant-rule on --variant-wait 60 --dump "$work/dump-$name" -- \
            wavepgo-bench $some --size "$size" --checksum 2>&1 >/dev/null |
            awk '/: variant [0-9]/ { n++; sub(/.*0x[0-9a-f]*: /, ""); bytes += $1; here += $3; driver += $6 }
                 END { printf "\n%d variants made: %.1f KB of words and %.2f ms here each, %.2f ms in the driver.\n", n, bytes / (n ? n : 1) / 1000, here / (n ? n : 1), driver / (n ? n : 1) }'
    done
    echo
    echo "| RADV, variant over original | latency | inverse throughput | VGPRs | code size |"
    echo "|---|---|---|---|---|"
    variant_statics "$work/dump-new"
}

# Rows of what `wavepgo estimate` prints on its standard input: a compute shader each, its figures given and as a ratio without what never ran.
estimate_rows() { # FAMILY
    awk -v family="$1" '
        function finish() {
            if (name == "") return
            printf "| %s, %s | %s | %s | %s | %s | %s | %s | %s |\n", family, name, blocks, pair("VGPRs"), pair("Pre-Sched VGPRs"), pair("Subgroups per SIMD"),
                ratio("Code size"), ratio("Latency"), ratio("Inverse Throughput")
            name = ""
        }
        function pair(key) { return key in given ? given[key] ", " without[key] : "-" }
        function ratio(key) { return given[key] ? sprintf("%.2f", without[key] / given[key]) : "-" }
        /^PIPELINE|^SHADER|^RATIO/ { finish() }
        /^  comp [^:]*: [0-9]+ of [0-9]+ blocks/ { name = $2; sub(/:$/, "", name); blocks = $3 " of " $5; delete given; delete without }
        name != "" && /^    [A-Z]/ {
            key = $0; sub(/^ */, "", key); sub(/  +.*/, "", key)
            rest = $0; sub(/^ */, "", rest); rest = substr(rest, length(key) + 1); split(rest, columns, " ")
            given[key] = columns[1]; without[key] = columns[3]
        }'
}

measure_estimate() {
    [ -n "$radv_families" ] || { echo "No RADV here: nothing to estimate with."; return; }
    say "estimate"
    # shellcheck disable=SC2046
    env $(driver_environment new) wavepgo run --mode generate --bundle "$work/estimate.bundle" --cache none --summary 0 -- \
        wavepgo-bench $some --size "$size" --checksum >/dev/null
    echo "What if the blocks that never ran were not there (profile: size $size); given, without; ratios without over given:"
    echo
    echo "| RADV, shader | never executed | VGPRs | before scheduling | occupancy | code size | latency | inverse throughput |"
    echo "|---|---|---|---|---|---|---|---|"
    for family in $radv_families; do
        # shellcheck disable=SC2046
        env $(radv_environment "$family") wavepgo estimate --bundle "$work/estimate.bundle" >"estimate-${family%:*}.txt"
        estimate_rows "${family%:*}" <"estimate-${family%:*}.txt" | sort
    done
    for family in $radv_families; do
        echo
        echo "All executables of the suite, ${family%:*}:"
        echo
        sed -n '/^RATIO/,$s/^/    /p' "estimate-${family%:*}.txt"
    done
}

# Figures of one shader from a file of statistics.
figures_of() { # FILE CASE
    awk -v case_name="$2" '
        function value(key) { key = "\"" key "\":"; at = index($0, key); return at ? substr($0, at + length(key)) + 0 : "-" }
        index($0, "\"case\":\"" case_name "\"") {
            printf "%s | %s | %s | %s | %s", value("Latency"), value("Inverse Throughput"), value("VGPRs"), value("Spilled VGPRs"), value("Code size"); exit
        }' "$1.stat"
}

measure_gate() {
    say "gate"
    rfc="rfc_uniform rfc_divergent rfc_divergent_hot"
    some_before=$some
    some=
    for case in $rfc; do some="$some --case $case"; done
    gate_profile=$work/gate.profdata
    # shellcheck disable=SC2046
    env $(driver_environment new) wavepgo run --mode generate --cache none --summary 0 --profile-file "$work/gate/%b.profraw" -- \
        wavepgo-bench $some --size "$size" --checksum >/dev/null
    wavepgo merge --quiet -o "$gate_profile" gate
    echo "The offload PGO RFC's microbenchmarks: the cold arm by lanes and by waves, and what use mode says of its branch:"
    echo
    echo "| shader | gate | weights of the branch (hot, cold) | selection |"
    echo "|---|---|---|---|"
    for case in $rfc; do
        for gate in 1 0; do
            # shellcheck disable=SC2046
            env $(driver_environment new) wavepgo run --use "$gate_profile" --divergence-gate $gate --cache none --summary 0 --dump "$work/gate-dump-$gate" -- \
                wavepgo-bench --case "$case" --size small --checksum >/dev/null
            said=$(for module in "$work/gate-dump-$gate"/*.use.spv; do spirv-dis --raw-id "$module" 2>/dev/null; done |
                awk '/OpSelectionMerge/ { control = $3 } /OpBranchConditional/ && control != "" { print $5 ", " $6 " | " control; control = "" }' | head -n 1)
            rm -rf "$work/gate-dump-$gate"
            echo "| $case | $([ $gate = 1 ] && echo on || echo off) | ${said:-- | -} |"
        done
    done
    echo
    echo "Static figures (RADV without hardware):"
    echo
    echo "| RADV, shader | profile | latency | inverse throughput | VGPRs | spilled | code |"
    echo "|---|---|---|---|---|---|---|"
    for family in $radv_families; do
        environment=$(radv_environment "$family")
        statistics gate-none "$environment"
        statistics gate-on "$environment" --use "$gate_profile" --divergence-gate 1
        statistics gate-off "$environment" --use "$gate_profile" --divergence-gate 0
        for case in $rfc; do
            echo "| ${family%:*}, $case | none | $(figures_of gate-none "$case") |"
            echo "| ${family%:*}, $case | gate on | $(figures_of gate-on "$case") |"
            echo "| ${family%:*}, $case | gate off | $(figures_of gate-off "$case") |"
        done
    done
    # shellcheck disable=SC2086
    for name in $drivers; do
        {
            printf 'on: %s\n' "$(mode_environment --use "$gate_profile" --log error --divergence-gate 1)"
            printf 'off: %s\n' "$(mode_environment --use "$gate_profile" --log error --divergence-gate 0)"
        } >sides
        compare "gate-$name" "$(driver_environment "$name")" --size "$size"
        echo
        echo "Time over no profile, lavapipe $name${CLOCK:+, clock: $CLOCK}:"
        echo
        echo "| shader | gate on | gate off |"
        echo "|---|---|---|"
        for case in $rfc; do row "$case" "gate-$name" "$case" ratio on off; done
    done
    some=$some_before
}

measure_real() {
    sh "$root/shaders/real/measure.sh" --build "$build"
}

begun=$(date +%s)
introduce
for section in $sections; do
    echo
    "measure_$section"
done
echo
[ ! -s left-out ] || { echo "Left out, unknown to the layer of this build:"; sed 's/^/- /' left-out; echo; }
echo "Measured in $((($(date +%s) - begun + 30) / 60)) minutes."

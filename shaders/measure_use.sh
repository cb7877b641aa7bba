# Sourced by measure.sh: what use mode gains, after tuning too, by lever; static figures; what variants cost.

# trained NAME ENVIRONMENT: a bundle with everything that a lever asks for, trained-NAME.wavepgo.
trained() {
    say "training, $1"
    # shellcheck disable=SC2086
    env $2 wavepgo run --generate --probes values --cache none --summary 0 --bundle "$work/trained-$1.wavepgo" -- \
        wavepgo-bench $some --size "$size" --binds "${BINDS:-1}" --checksum >/dev/null
}
# tuned NAME ENVIRONMENT: the same with verdicts, tuned-NAME.wavepgo.
tuned() {
    say "tuning, $1"
    cp -r "trained-$1.wavepgo" "tuned-$1.wavepgo"
    for turn in $(seq "${TUNE_RUNS:-3}"); do
        say "tuning, $1, run $turn"
        # shellcheck disable=SC2086
        env $2 wavepgo run --tune "$work/tuned-$1.wavepgo" --cache none --summary 0 --log error -- \
            wavepgo-bench $some --size "$size" --repeat 0 --binds "${TUNE_BINDS:-200}" >/dev/null
    done
}
# names_of BUNDLE: "HASH CASE" of each pipeline, by the entry point of its last stage.
names_of() {
    for facts in "$1"/pipelines/*.facts; do
        name=${facts##*/}
        echo "${name%.facts} $(sed -n 's/^is stage\.\(comp\|frag\) [0-9a-f]* //p' "$facts")"
    done
}
# winner BUNDLE CASE: the letters that won, "-" for none.
winner() {
    hash=$(names_of "$1" | sed -n "s/^\([0-9a-f]*\) $2\$/\1/p")
    letters=$(grep -l "^is pipeline $hash" "$1"/verdicts/*.facts 2>/dev/null | head -n 1 | xargs -r sed -n 's/^is winner //p')
    echo "${letters:--}"
}

# static_use BUNDLE: what RADV's compiler says of use mode beside the original; and the cost of whole pipelines, weighted by the waves
# of the profile, as static tuning reckons it.
static_use() {
    [ -n "$radv_families" ] || { echo "No RADV here: no static figures."; return; }
    names_of "$1" >names
    echo "| RADV | stages changed | VGPRs | waves a SIMD | inverse throughput | code size | cost, weighted by waves | after static tuning (winners) |"
    echo "|---|---|---|---|---|---|---|---|"
    : >static-rows
    for family in $radv_families; do
        say "static figures, $family"
        environment=$(radv_environment "$family")
        statistics original "$environment"
        statistics used "$environment" --use "$work/$1" --variants 0
        rm -rf static.wavepgo
        cp -r "$1" static.wavepgo
        # shellcheck disable=SC2086
        env $environment wavepgo run --tune "$work/static.wavepgo" --tune-method static --cache none --summary 0 --log info -- \
            wavepgo-bench $some --compile-only 2>&1 >/dev/null |
            sed -n "s/.*pipeline \([0-9a-f]*\): passes \([a-z]*\): \([a-z]*\) by the driver's figures, \([0-9.]*\) of.*/\1 \2 \3 \4/p" >judged
        paste -d '\n' original.stat used.stat >both
        awk -v family="${family%:*}" '
            function value(line, key) { key = "\"" key "\":"; at = index(line, key); return at ? substr(line, at + length(key)) + 0 : 0 }
            function text(line, key) { key = "\"" key "\":\""; line = substr(line, index(line, key) + length(key)); return substr(line, 1, index(line, "\"") - 1) }
            function add(key) { if (value(before, key) > 0 && value($0, key) > 0) { sum[key] += log(value($0, key) / value(before, key)); n[key]++ } }
            function mean(key) { return n[key] ? sprintf("%.3f", exp(sum[key] / n[key])) : "-" }
            function pair(key) { return sprintf(" %d, %d |", value(before, key), value($0, key)) }
            FILENAME == "names" { name[$1] = $2; next }
            FILENAME == "judged" {
                if (!($1 in all)) all[$1] = $4 # the first set is all passes
                if ($3 == "wins" && (!($1 in best) || $4 < best[$1])) best[$1] = $4
                next
            }
            FNR % 2 { before = $0; next }
            {
                stages++
                add("VGPRs"); add("Subgroups per SIMD"); add("Inverse Throughput"); add("Code size")
                if (value(before, "Hash") != value($0, "Hash")) {
                    changed++
                    printf "| %s, %s.%s |%s%s%s%s%s\n", family, text($0, "case"), text($0, "stage"), pair("VGPRs"), pair("Subgroups per SIMD"), pair("Inverse Throughput"), pair("Latency"), pair("Code size") >>"static-rows"
                }
            }
            END {
                for (p in all) {
                    cost += log(all[p])
                    after += p in best ? log(best[p]) : 0
                    judged++
                    if (p in best) won = won sprintf(", %s %.2f", name[p], best[p])
                }
                printf "| %s | %d of %d | %s | %s | %s | %s | %s | %s (%s) |\n", family, changed, stages, mean("VGPRs"), mean("Subgroups per SIMD"), mean("Inverse Throughput"), mean("Code size"),
                    judged ? sprintf("%.3f", exp(cost / judged)) : "-", judged ? sprintf("%.3f", exp(after / judged)) : "-", won ? substr(won, 3) : "none"
            }' names judged both
    done
    echo
    echo "Stages whose code changes, original and use:"
    echo
    echo "| stage | VGPRs | waves a SIMD | inverse throughput | latency | code size |"
    echo "|---|---|---|---|---|---|"
    cat static-rows
}

# peak_of FILE COMMAND...: most memory a command had at once, KiB, as the kernel tells while it runs; its standard error to FILE.
peak_of() {
    peak_file=$1
    shift
    "$@" >/dev/null 2>"$peak_file" &
    peak_pid=$!
    peak=0
    while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$peak_pid/status" 2>/dev/null) && [ -n "$now" ]; do
        peak=$now
        sleep 0.02
    done
    wait "$peak_pid" || true
    echo "$peak"
}
# Everything until the second execution begins, which waits for variants, and memory: beside no layer, without and with variants.
variants_cost() {
    say "cost of variants"
    : >sides
    for count in 0 2; do
        printf 'variants-%s: %s\n' "$count" "$(mode_environment --use "$work/trained-new.wavepgo" --log error --variants "$count" --variant-rule on --variant-wait 60)" >>sides
    done
    compare cost "$(driver_environment new)" --size "$size"
    echo "| VARIANTS | compile time over no layer, geometric mean | most memory, all cases in one process, MiB | variants |"
    echo "|---|---|---|---|"
    for count in 0 2; do
        # shellcheck disable=SC2046,SC2086
        peak=$(peak_of "variants-$count.err" env $(driver_environment new) wavepgo run --use "$work/trained-new.wavepgo" --cache none --log info --summary 1 \
            --variants "$count" --variant-rule on --variant-wait 60 -- wavepgo-bench $some --size "$size" --repeat 0)
        made=$(sed -n 's/.*; \([0-9]*\) variants, .*/\1/p' "variants-$count.err")
        echo "| $count | $(cell cost mean "variants-$count" geomean_compile_ratio) | $((peak / 1024)) | ${made:-0} |"
    done
}

# use_row NAME CASE
use_row() {
    line="| $2 | $(cell "use-$1" "$2" use ratio) | $(cell "use-$1" "$2" tuned ratio) ($(cell "use-$1" "$2" tuned ratio_min) to $(cell "use-$1" "$2" tuned ratio_max)) | $(winner "tuned-$1.wavepgo" "$2") |"
    for lever in $levers; do line="$line $(cell "levers-$1" "$2" "${lever#*:}" ratio) |"; done
    echo "$line"
}
use_table() { # NAME
    echo
    echo "Time over no layer, $1${CLOCK:+ (clock: $CLOCK)}: use (all that is safe by rule, variants waited for); after tuning, with the range over $rounds rounds, which holds the median with"
    echo "$(awk -v n="$rounds" 'BEGIN { printf "%.0f", 100 * (1 - 2 ^ (1 - n)) }') % confidence (sign test), and the passes that won; each lever alone (${LEVER_ROUNDS:-$rounds} rounds):"
    echo
    line="| case | use | tuned | won |" rule="|---|---|---|---|"
    for lever in $levers; do line="$line $(echo "${lever#*:}" | tr - ' ') |" rule="$rule---|"; done
    printf '%s\n%s\n' "$line" "$rule"
    slower=
    for case in $(cases "use-$1"); do
        use_row "$1" "$case"
        low=$(cell "use-$1" "$case" tuned ratio_min)
        [ "$(awk -v low="${low%% *}" 'BEGIN { print (low + 0 > 1.01) }')" = 0 ] || slower="$slower $case"
    done
    for figure in geomean_ratio:'geometric mean' worst_ratio:worst; do
        line="| **${figure#*:}** | $(cell "use-$1" mean use "${figure%%:*}") | $(cell "use-$1" mean tuned "${figure%%:*}") | |"
        for lever in $levers; do line="$line $(cell "levers-$1" mean "${lever#*:}" "${figure%%:*}") |"; done
        echo "$line"
    done
    echo
    echo "After tuning the range lies wholly above 1.01 for:${slower:- none}. Mode off over no layer, $1: time $(cell "use-$1" mean off geomean_ratio), pipeline creation $(cell "use-$1" mean off geomean_create_ratio)."
}

measure_use() {
    for name in $drivers; do
        environment=$(driver_environment "$name")
        trained "$name" "$environment"
        tuned "$name" "$environment"
        say "use, $name"
        write_sides off
        printf 'use: %s\n' "$(mode_environment --use "$work/trained-$name.wavepgo" --log error --variant-wait 60)" >>sides
        printf 'tuned: %s\n' "$(mode_environment --use "$work/tuned-$name.wavepgo" --log error --variant-wait 60)" >>sides
        compare "use-$name" "$environment" --size "$size" --binds "${BINDS:-1}"
        : >sides
        for lever in $levers; do
            printf '%s: %s\n' "${lever#*:}" "$(mode_environment --use "$work/trained-$name.wavepgo" --log error --variant-rule on --variant-wait 60 --skip-passes "$(only_lever "${lever%%:*}")")" >>sides
        done
        say "levers, $name"
        rounds_of_use=$rounds rounds=${LEVER_ROUNDS:-$rounds}
        compare "levers-$name" "$environment" --size "$size" --binds "${BINDS:-1}"
        rounds=$rounds_of_use
        use_table "$name"
    done
    echo
    echo "What RADV's compiler says of use mode by the profile of new, over the original (geometric means over all stages; without variants, which are built as values are pushed):"
    echo
    static_use trained-new.wavepgo
    echo
    variants_cost
    echo
    wave_sizes "$work/trained-new.wavepgo" "$(only_lever w)"
    echo
    echo "| rewriting, ms | pipelines | ours, median | ours, most | ours, sum | driver, sum |"
    echo "|---|---|---|---|---|---|"
    for mode in generate use; do
        options="--mode generate"
        [ $mode = generate ] || options="--use $work/trained-new.wavepgo"
        [ -z "${WPG_RADV_ICD:-}" ] || rewriting "$mode, RADV navi31" "$options" "$(radv_environment navi31:new)"
        rewriting "$mode, lavapipe new" "$options" "$(driver_environment new)"
    done
}

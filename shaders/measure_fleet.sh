# Sourced by measure.sh: fleets. How far many thin profiles merged are from one exact profile: in the decisions that use mode takes
# by them, and in the counts; what thin counting costs; what merging takes.
#
# FLEET_RUNS (100): thin runs. FLEET_RATE (bench 1/1024, tfjs 1/512): of binds, other ones in each run. FLEET_PROGRAMS (decisions:
# bench tfjs; cost: materialx bench). FLEET_ROUNDS (30): of cost. FLEET_WAYS: of counting. FLEET_PARTS (decisions cost merge). KEEP: a folder that keeps the profiles.

fleet_real=$root/shaders/real
fleet_ops=${FLEET_OPS:-add,add_broadcast,matmul,softmax,reduce_sum,transpose,gather,slice,pad,tile,cumsum,erf,leaky,batchnorm,argmax}

# What a player runs: fleet_program NAME.
fleet_program() {
    case $1 in
    bench) wavepgo-bench $some --size small --binds 32 --repeat 1 ;; # 32 binds of each pipeline, submitted twice
    tfjs) sh "$fleet_real/tfjs.sh" run "$fleet_ops" "${FLEET_SECONDS:-0.3}" ;;
    materialx) sh "$fleet_real/materialx.sh" run "${FLEET_ITEMS:-ss_gold}" "${FLEET_SECONDS:-1}" ;;
    esac
}
# counted OPTIONS... -- NAME: the program while it counts.
counted() {
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    # shellcheck disable=SC2086
    (eval "$(wavepgo run $options --generate --summary 0 --log error --print-environment)" && fleet_program "$2") \
        >"$work/fleet.out" 2>>"$work/fleet.err"
}

# decisions BUNDLE PROFILE: a line for each decision of use mode on each shader of the bundle, without the counts behind it.
decisions() {
    for info in "$1"/shaders/*.info; do
        shader=$(basename "$info" .info)
        specs=$(sed -n 's/^is spec\.\([0-9]*\) [0-9] \([0-9a-f]*\)$/--spec \1=0x\2/p' "$info")
        # shellcheck disable=SC2086
        wavepgo instrument "$1/shaders/$shader.spv" -o /dev/null --use "$2" --entry "$(sed -n 's/^is entry //p' "$info")" \
            --stage "$(sed -n 's/^is stage //p' "$info")" $specs 2>/dev/null | sed "s/^/$shader /"
    done | sed 's/[0-9]* of [0-9]* waves/waves/; s/[0-9.]* trips on average in [0-9]* entries/trips/; s/[0-9]* % of waves/a part of waves/
        s/[0-9]* of [0-9]* entries/entries/; s/in all [0-9]* entries/in all entries/' | LC_ALL=C sort
}

# fleet_score EXACT THIN: "all exact done exact others": decisions of EXACT, of these in THIN; the same of "done"; in THIN alone.
fleet_score() {
    LC_ALL=C comm -12 "$1" "$2" >common
    echo "$(grep -c . "$1") $(grep -c . common || :) $(grep -c ': done:' "$1") $(grep -c ': done:' common || :) $(LC_ALL=C comm -13 "$1" "$2" | grep -c . || :)"
}

fleet_decisions() { # NAME
    fleet=$work/fleet-$1
    mkdir -p "$fleet"
    say "fleet: $1: exact"
    counted --bundle "$fleet/exact.wavepgo" -- "$1"
    wavepgo merge --quiet -o "$fleet/exact.profdata" "$fleet/exact.wavepgo"
    decisions "$fleet/exact.wavepgo" "$fleet/exact.profdata" >"$fleet/exact.decisions"
    runs=${FLEET_RUNS:-100}
    case $1 in bench) rate=${FLEET_RATE:-1/1024} ;; *) rate=${FLEET_RATE:-1/512} ;; esac
    for run in $(seq "$runs"); do
        [ $((run % 10)) != 1 ] || say "fleet: $1: thin run $run of $runs"
        mkdir -p "$fleet/$run"
        counted --sample "$rate" --sample-by bind --sample-seed "$run" --profile-file "$fleet/$run/%b.profraw" -- "$1"
    done
    fleet_table "$1" "$rate"
    [ -z "${KEEP:-}" ] || { mkdir -p "$KEEP" && cp -r "$fleet" "$KEEP"; }
}

fleet_table() { # NAME RATE: of the runs in $fleet
    echo
    echo "### $1, 1 of ${2#1/} binds: $(grep -c . "$fleet/exact.decisions") decisions of use mode on $(ls "$fleet"/exact.wavepgo/shaders/*.info | grep -c .) shaders"
    echo
    echo "| runs merged | groups | decisions as by the exact profile, median (least) | of those that change something | decisions that the exact profile has not | lanes: weighted relative difference, median (most) |"
    echo "|---|---|---|---|---|---|"
    for count in 1 3 10 30 100; do
        [ "$count" -le "$runs" ] || continue
        first=1
        : >"$fleet/scores"
        while [ $((first + count - 1)) -le "$runs" ] && [ "$(grep -c . "$fleet/scores")" -lt 20 ]; do
            for run in $(seq "$first" $((first + count - 1))); do ls "$fleet/$run/"*.profraw 2>/dev/null || :; done >"$fleet/list"
            wavepgo merge --quiet --allow-empty --format text -o "$fleet/thin.proftext" -f "$fleet/list"
            decisions "$fleet/exact.wavepgo" "$fleet/thin.proftext" >"$fleet/thin.decisions"
            difference=$(wavepgo verify --json "$fleet/exact.profdata" --against "$fleet/thin.proftext" 2>/dev/null |
                sed -n 's/.*"all": {"lanes": {"overlap": [0-9.]*, "difference": \([0-9.]*\).*/\1/p')
            echo "$(fleet_score "$fleet/exact.decisions" "$fleet/thin.decisions") ${difference:--}" >>"$fleet/scores"
            first=$((first + count))
        done
        awk -v count="$count" '
            function median(list, n,    i, j, t) {
                for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
                return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
            }
            { all[NR] = 100 * $2 / $1; done[NR] = $3 ? 100 * $4 / $3 : 100; more[NR] = $5; if ($6 != "-") apart[++known] = 100 * $6 }
            END {
                printf "| %d | %d | %.1f %% (", count, NR, median(all, NR)
                printf "%.1f %%) | %.1f %% (", all[1], median(done, NR)
                printf "%.1f %%) | %.0f | ", done[1], median(more, NR)
                if (known) { middle = median(apart, known); printf "%.2f %% (%.2f %%) |\n", middle, apart[known] } else printf "- |\n"
            }' "$fleet/scores"
    done
    # How many of the pipelines' files there are with one run, and how many binds they stand for.
    echo
    echo "Profiles of pipelines in a thin run: $(for run in $(seq "$runs"); do ls "$fleet/$run" | grep -c profraw; done | awk '{ n += $1 } END { printf "%.2f", n / NR }') of $(ls "$fleet/exact.wavepgo"/*.profraw | grep -c .) on average."
}

# By turns, in another order in each round. Whole processes: their processor time, with start and compiling; of programs whose work
# is fixed (bench). Steady: the processor time of a frame, which the program prints (materialx). The sum over all rounds tells what
# is rare, too: most runs count nothing at 1/1024.
fleet_cost() { # NAME
    case $1 in
    bench) ways="exact bind-1024 pipeline-64 no-process" ;;
    *) ways="exact bind-4 bind-16 bind-64 bind-1024 no-process" ;;
    esac
    ways=${FLEET_WAYS:-$ways}
    rm -f "$work"/cost-*
    order="off $ways"
    for round in $(seq "${FLEET_ROUNDS:-30}"); do
        [ $((round % 5)) != 1 ] || say "fleet: cost of $1: round $round"
        for way in $order; do
            case $way in
            off | exact) options= ;;
            bind-*) options="--sample 1/${way#bind-} --sample-by bind" ;;
            pipeline-*) options="--sample 1/${way#pipeline-} --sample-by pipeline" ;;
            no-process) options="--sample-processes 1/65536" ;;
            esac
            : >"$work/fleet.out"
            before=$(awk '{ print $16 + $17 }' /proc/$$/stat) # processor time of children that ended, in ticks of 10 ms
            if [ $way = off ]; then
                fleet_program "$1" >"$work/fleet.out" 2>>"$work/fleet.err"
            else
                # shellcheck disable=SC2086
                counted $options --sample-seed "$round" --profile-file "$work/cost/%b.profraw" -- "$1"
            fi
            awk -v before="$before" '{ print $16 + $17 - before }' /proc/$$/stat >>"$work/cost-$way"
            awk 'NF == 3 && $2 > 0 { n += $2 } END { print n + 0 }' "$work/fleet.out" >>"$work/cost-steady-$way"
        done
        order="${order#* } ${order%% *}"
    done
    [ "$1" = bench ] && what=cost || what=cost-steady
    echo
    echo "### $1: processor time over that without the layer, $([ "$1" = bench ] && echo whole processes || echo "a frame"), ${FLEET_ROUNDS:-30} rounds"
    echo
    echo "| counted | sum over sum | median of ratios (half of them within) |"
    echo "|---|---|---|"
    for way in $ways; do
        sums=$(paste "$work/$what-off" "$work/$what-$way" | awk '{ a += $1; b += $2 } END { printf "%.3f", b / a }')
        paste "$work/$what-off" "$work/$what-$way" | awk '$1 > 0 { print $2 / $1 }' | sort -n | awk -v way="$way" -v sums="$sums" '
            { r[NR] = $1 }
            END { if (NR) printf "| %s | %s | %.3f (%.3f to %.3f) |\n", way, sums, NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2, r[int((NR + 3) / 4)], r[int((3 * NR + 1) / 4)] }'
    done
}

# Peak memory and time of a merge by the number of its inputs.
fleet_merge() {
    command -v /usr/bin/time >/dev/null 2>&1 || { echo; echo "Merging: not measured, no /usr/bin/time here."; return 0; }
    mkdir -p "$work/inputs"
    counted --profile-file "$work/inputs/%b.profraw" -- bench
    echo
    echo "### Merging: inputs are raw profiles of the 18 benchmarks' pipelines, again and again"
    echo
    echo "| inputs | bytes | peak memory, KiB | processor time, s |"
    echo "|---|---|---|---|"
    for count in 10 100 1000 10000; do
        ls "$work/inputs/"*.profraw >once
        : >list
        while [ "$(grep -c . list)" -lt "$count" ]; do cat once >>list; done
        head -n "$count" list >some
        bytes=$(xargs cat <some | wc -c)
        /usr/bin/time -f "%M %U %S" -o spent wavepgo merge --quiet -o merged.profdata -f some
        awk -v count="$count" -v bytes="$bytes" '{ printf "| %d | %d | %d | %.2f |\n", count, bytes, $1, $2 + $3 }' spent
    done
}

measure_fleet() {
    # shellcheck disable=SC2046
    export $(driver_environment new)
    # Players have warm caches: compiling would drown what is measured.
    export MESA_SHADER_CACHE_DISABLE=false MESA_SHADER_CACHE_DIR="$work/mesa" XDG_CACHE_HOME="$work/cache" WPG_REAL="${WPG_REAL:-$root/.deps/real}"
    echo "Fleets: $(version "$(driver_environment new)")"
    for part in ${FLEET_PARTS:-decisions cost merge}; do
        [ "$part" != merge ] || { fleet_merge; continue; }
        case $part in cost) programs=${FLEET_PROGRAMS:-materialx bench} ;; *) programs=${FLEET_PROGRAMS:-bench tfjs} ;; esac
        for name in $programs; do
            case $name in bench) ;; *) sh "$fleet_real/$name.sh" fetch || continue ;; esac
            "fleet_$part" "$name"
        done
    done
}

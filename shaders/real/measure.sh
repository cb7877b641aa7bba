#!/bin/sh
# Measures unmodified real programs with a profile and without: Markdown on standard output (README.md).
#
#     sh shaders/real/measure.sh [--build FOLDER] [FAMILY...]        (default: every family but ggml; build)
#
# By the three plain commands: a run that counts, one merge to a .profdata file, a run with it.
#
# ROUNDS (3): how often off and use alternate. SECONDS_EACH (1; of programs that draw frames 4): of each item in each round.
# ITEMS: only these, by commas.
# PROBES (default): what the training run learns. TRAIN_SECONDS (0.05): of each item in it.
# TUNE_SECONDS (0, none): of each item under `wavepgo run --tune`; then each round also runs with that bundle.
# DRIVER (new): old is lavapipe 22.3.6 of Debian 12, where a family runs there.
# KEEP: a folder that gets each family's profiles, tuned bundles and last use logs.
# USE_OPTIONS: options of `wavepgo run` with the profile, and of tuning, such as "--float spec".
# TOGETHER=1: one training run for all items also where each item is a program of its own (materialx: a material).
# TURNS=1 (materialx, beside TOGETHER=1): all items at once, those of one shader in one pipeline, a frame of each in turns.
# SEVERAL=1: each item has three inputs in turns, in the training run and after it (tfjs, onnx, kernels: three shapes).
# OTHER_INPUT=1: what is timed has other inputs than the training run (tfjs, onnx: shapes; three, babylon, playcanvas, webgl, niivue,
# filament: camera and lights; paper: preset and time; materialx: each material by the profile of the one before it in the list).
# Each round is a process; medians over rounds of the ratio within one round. A result "-" cannot be compared.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/shaders/real
families="tfjs onnx materialx three webgl babylon playcanvas anime4k niivue paper filament glmark2 ffmpeg libplacebo demos blender piglit games kernels retroarch dolphin"
slow="ggml" # only where named: lavapipe compiles for minutes
# Of these each item is a process anyway: off and use alternate item by item, and so are seconds apart.
by_item="glmark2 ffmpeg libplacebo demos piglit games"
# Of these each item is a program of its own, with a profile of its own. TOGETHER=1: one program for all.
[ -n "${TOGETHER:-}" ] && apart= || apart="materialx retroarch dolphin"
tool=real known="$families $slow" help=2,20
. "$here/options.sh"
other=${OTHER_INPUT:-}
unset OTHER_INPUT
rounds=${ROUNDS:-3} seconds=${SECONDS_EACH:-} probes=${PROBES:-default} training=${TRAIN_SECONDS:-0.05}
tuning=${TUNE_SECONDS:-0}
case $tuning in *[!0-9.]* | *.*.* | .) echo "real: TUNE_SECONDS=$tuning is no number" >&2; exit 2 ;; esac
tunes=$(echo "$tuning" | awk '$1 > 0 { print "yes" }')

# lines NAME COMMAND...: the items' lines of a run.
lines() {
    out=$1
    shift
    "$@" >"$work/out" 2>"$work/err" || { echo "real: failed: $*" >&2; tail -n 5 "$work/err" >&2; return 1; }
    awk 'NF == 3 && $2 + 0 > 0' "$work/out" >"$out"
}

# What the passes did to the family's shaders in the last round: "versions 12, annotate 9 (remarks; 40 stages)".
passes_of() {
    wavepgo show --use-log "$1" | awk '
        / optimised,| unchanged,| passed through/ { stages++ }
        $1 == "done" { done_[$2]++ }
        END { for (pass in done_) { printf "%s%s %d", sep, pass, done_[pass]; sep = ", " } printf " (remarks; %d stages)\n", stages }'
}

# The commonest reasons why a pass left a site alone.
refusals_of() {
    echo "Most refusals, as remarks say them:"
    echo
    wavepgo show --use-log "$1" | sed -n 's/^ *refused  *\([a-z-]*\) .*: refused: \(.*\)$/\1: \2/p; s/^ *refused  *\(ssa\|versions\|push-fold\) *block [0-9]* *\([a-z].*\)$/\1: \2/p' |
        sed 's/%[0-9][0-9]*/a value/g; s/[0-9][0-9]*/N/g' | sort | uniq -c | sort -rn | head -n 6 | awk '{ n = $1; $1 = ""; printf "-%s (%d)\n", $0, n }'
}

# The name of a program's files: the family, and the item where the program is one item.
slug() {
    case $1 in *,*) echo "$name" ;; *) echo "$name-$1" ;; esac
}

# verdicts_of BUNDLE...: "4 pipelines: 1 won, 2 lost, 0 undecided, 1 open". Won: a set of passes or variants. Open: nothing won
# yet. Undecided: nothing won, and of one candidate all samples say neither.
verdicts_of() {
    for bundle in "$@"; do wavepgo show "$bundle"; done | awk '
        function add() { if (passes == "open") open++; else if (passes != "-") won++; else if (neither) undecided++; else lost++ }
        /^PIPELINE/ { tuned = /as tuned/; next }
        !NF { tuned = 0 }
        tuned && /^[0-9a-f]+ / { if (count++) add(); passes = $2; neither = 0 }
        tuned && $1 == "passes" && $3 ~ /^undecided/ { neither = 1 }
        END { if (count) add(); printf "%d pipeline%s: %d won, %d lost, %d undecided, %d open\n", count, count == 1 ? "" : "s", won, lost, undecided, open }'
}

# tune PROGRAM: the program's bundle, tuned for TUNE_SECONDS an item. Runs of half of that, until all is decided: a draw that is
# recorded once gives one sample a run. 1: it failed; what failed was said.
tune() {
    bundle=$work/$(slug "$1").wavepgo
    wavepgo merge --quiet -o "$bundle" "$work/$(slug "$1")"/*.wavepgo || return 1
    until=$(echo "$1" | awk -v now="$(date +%s)" -v each="$tuning" '{ printf "%d", now + each * split($0, items, ",") + 0.999 }')
    runs=0
    while [ "$(date +%s)" -lt "$until" ]; do
        # shellcheck disable=SC2086
        lines "$work/tune" wavepgo run --tune "$bundle" ${USE_OPTIONS:-} -- sh "$here/$name.sh" run "$1" "$(echo "$tuning" | awk '{ print $1 / 2 }')" ||
            { rm -rf "$bundle"; return 1; }
        sed "s/^/tune 1 /" "$work/tune" >>"$work/all"
        runs=$((runs + 1))
        case $(verdicts_of "$bundle") in "0 pipelines"*) break ;; *" 0 open") break ;; esac
    done
    echo "real: $name: tuned $1 in $runs runs: $(verdicts_of "$bundle")" >&2
    # Without a verdict use mode would take the bundle for one that nobody tuned.
    [ -d "$bundle/verdicts" ] || echo "real: $name: nothing to tune in $1" >&2
}

# before ITEM: the program before it; of the first, the last.
before() { echo "$programs" | awk -v item="$1" '{ for (i = 1; i <= NF; i++) if ($i == item) print (i > 1 ? $(i - 1) : $NF) }'; }

family() {
    name=$1
    # The time of a frame is a difference of two processes: below a second of frames, starting and compiling drown it.
    case $name in glmark2 | ffmpeg | libplacebo | demos) seconds=${SECONDS_EACH:-4} ;; *) seconds=${SECONDS_EACH:-1} ;; esac
    sh "$here/$name.sh" fetch || return 0
    items=${ITEMS:-$(sh "$here/$name.sh" list | paste -s -d , -)}
    options=
    ! grep -q "^training)" "$here/$name.sh" || options=$(sh "$here/$name.sh" training)
    using=
    ! grep -q "^using)" "$here/$name.sh" || using=$(sh "$here/$name.sh" using)
    attainable=
    ! grep -q "attainable[)=]" "$here/$name.sh" || attainable=yes
    case " $by_item $apart " in *" $name "*) groups=$(echo "$items" | tr , ' ') ;; *) groups=$items ;; esac
    : >"$work/all"
    case " $apart " in *" $name "*) programs=$groups ;; *) programs=$items ;; esac
    for program in $programs; do
        echo "real: $name: training${program:+ $program}" >&2
        # shellcheck disable=SC2086
        lines "$work/train" wavepgo run --generate --bundle "$work/$(slug "$program")/%e-%p.wavepgo" --probes "$probes" $options -- \
            sh "$here/$name.sh" run "$program" "$training" || return 0
        wavepgo merge --quiet -o "$work/$(slug "$program").profdata" "$work/$(slug "$program")"/*.wavepgo || return 0
        sed "s/^/generate 1 /" "$work/train" >>"$work/all"
        [ -z "$tunes" ] || tune "$program" || echo "real: $name: not tuned: $program" >&2
    done
    [ -z "$other" ] || export OTHER_INPUT=1
    round=1
    while [ "$round" -le "$rounds" ]; do
        echo "real: $name: round $round of $rounds" >&2
        rm -f "$work/use.log" "$work/tuned.log"
        for group in $groups; do
            lines "$work/lines" sh "$here/$name.sh" run "$group" "$seconds" || return 0
            sed "s/^/off $round /" "$work/lines" >>"$work/all"
            profile=$work/$(slug "$group").profdata
            [ -z "$other" ] || [ "$programs" = "$items" ] || profile=$work/$(slug "$(before "$group")").profdata
            [ -e "$profile" ] || profile=$work/$(slug "$programs").profdata
            # shellcheck disable=SC2086
            lines "$work/lines" wavepgo run --use "$profile" --use-log "$work/use.log" $using ${USE_OPTIONS:-} -- sh "$here/$name.sh" run "$group" "$seconds" ||
                return 0
            sed "s/^/use $round /" "$work/lines" >>"$work/all"
            bundle=${profile%.profdata}.wavepgo
            if [ -d "$bundle" ]; then
                # shellcheck disable=SC2086
                lines "$work/lines" wavepgo run --use "$bundle" --use-log "$work/tuned.log" $using ${USE_OPTIONS:-} -- \
                    sh "$here/$name.sh" run "$group" "$seconds" || return 0
                sed "s/^/tuned $round /" "$work/lines" >>"$work/all"
            fi
            [ -z "$attainable" ] || lines "$work/lines" sh "$here/$name.sh" attainable "$group" "$seconds" || return 0
            [ -z "$attainable" ] || sed "s/^/most $round /" "$work/lines" >>"$work/all"
        done
        round=$((round + 1))
    done
    unset OTHER_INPUT
    echo
    echo "## $name"
    echo
    echo "| item | off, us | use / off |${tunes:+ tuned / off |}${attainable:+ attainable / off |} generate / off | results |"
    echo "|---|---|---|${tunes:+---|}${attainable:+---|}---|---|"
    awk -v reaches="$attainable" -v tunes="$tunes" -v other="$other" '
        function median(list, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
            return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
        }
        {
            if (($1 == "generate" || $1 == "tune") && other) next # it had another input
            time[$1, $2, $3] = $4
            if ($2 > rounds) rounds = $2
            if ($1 == "most") next # another shader: its last bits are its own
            if (!($3 in first)) { first[$3] = $5; order[++count] = $3 }
            if ($5 != first[$3]) differs[$3] = 1
        }
        END {
            for (i = 1; i <= count; i++) {
                item = order[i]; n = m = q = 0; split("", ratio); split("", off); split("", most); split("", tuned)
                for (r = 1; r <= rounds; r++) {
                    if (!((("off" SUBSEP r SUBSEP item)) in time) || !((("use" SUBSEP r SUBSEP item)) in time)) continue
                    ratio[++n] = time["use", r, item] / time["off", r, item]
                    off[n] = time["off", r, item]
                    if ((("tuned" SUBSEP r SUBSEP item)) in time) tuned[++q] = time["tuned", r, item] / off[n]
                    if ((("most" SUBSEP r SUBSEP item)) in time) most[++m] = time["most", r, item] / off[n]
                }
                if (!n) continue
                middle = median(ratio, n); sum += log(middle); k++
                reach = best = ""
                if (n > 2 && ratio[1] > 1.01) slower = slower " " item
                if (q) { b = median(tuned, q); best = sprintf(" %.2f (%.2f to %.2f) |", b, tuned[1], tuned[q]); won += log(b); bests++; if (q > 2 && tuned[1] > 1.01) worse = worse " " item }
                else if (tunes) best = " - |"
                if (m) { a = median(most, m); reach = sprintf(" %.2f |", a); all += log(a); reached++ }
                else if (reaches) reach = " - |"
                counting = time["generate", 1, item] / median(off, n)
                if (counting > 0) { counted += log(counting); c++ }
                printf "| %s | %.0f | %.2f (%.2f to %.2f) |%s%s %s | %s |\n", item, median(off, n), middle, ratio[1], ratio[n], best, reach, (counting > 0 ? sprintf("%.2f", counting) : "-"),
                    (item in differs) ? "**differ**" : first[item] == "-" ? "not compared" : "equal"
            }
            if (!k) exit
            best = bests ? sprintf(" %.2f |", exp(won / bests)) : tunes ? " - |" : ""
            reach = reached ? sprintf(" %.2f |", exp(all / reached)) : reaches ? " - |" : ""
            printf "| geometric mean of %d | | %.2f |%s%s %s | |\n", k, exp(sum / k), best, reach, (c ? sprintf("%.2f", exp(counted / c)) : "-")
            if (rounds > 2) printf "\nAbove 1.01 in every round:%s%s\n", (slower == "" ? " none" : slower), (tunes ? "; tuned:" (worse == "" ? " none" : worse) : "")
        }' "$work/all"
    echo
    if [ -n "${KEEP:-}" ]; then
        mkdir -p "$KEEP" && cp "$work/$name"*.profdata "$KEEP" && cp "$work/use.log" "$KEEP/$name.log"
        [ ! -e "$work/tuned.log" ] || cp "$work/tuned.log" "$KEEP/$name.tuned.log"
        for bundle in "$work/$name"*.wavepgo; do
            [ ! -d "$bundle" ] || { rm -rf "${KEEP:?}/${bundle##*/}" && cp -r "$bundle" "$KEEP"; }
        done
    fi
    set -- "$work/$name"*.wavepgo
    if [ -n "$tunes" ] && [ -d "$1" ]; then
        echo "Tuning: $(verdicts_of "$@")"
        echo
    fi
    echo "Passes: $(passes_of "$work/use.log")"
    echo
    refusals_of "$work/use.log"
}

echo "Driver: $(basename "$VK_DRIVER_FILES"); rounds: $rounds; seconds an item: ${SECONDS_EACH:-1, and 4 of glmark2, ffmpeg, libplacebo and demos}; probes: $probes${tunes:+; seconds of tuning: $tuning}."
for name in ${wanted:-$families}; do
    family "$name"
done

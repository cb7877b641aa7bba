#!/bin/sh
# Measures unmodified real programs with a profile and without: Markdown on standard output (README.md).
#
#     sh shaders/real/measure.sh [--build FOLDER] [FAMILY...]        (default: every family but ggml; build)
#
# By the three plain commands: a run that counts, one merge to a .profdata file, a run with it.
#
# ROUNDS (3): how often off and use alternate. SECONDS_EACH (1): of each item in each round. ITEMS: only these, by commas.
# PROBES (default): what the training run learns. Each round is a process; medians over rounds of the ratio within one round.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/shaders/real
families="tfjs materialx three babylon playcanvas anime4k"
slow="ggml" # only where named: lavapipe compiles for minutes
build=$root/build wanted=
while [ $# -gt 0 ]; do
    case $1 in
    --build)
        [ $# -ge 2 ] || { echo "real: --build needs a folder" >&2; exit 2; }
        build=$2
        shift
        ;;
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *)
        case " $families $slow " in *" $1 "*) ;; *) echo "real: no family '$1' (known: $families $slow)" >&2; exit 2 ;; esac
        wanted="$wanted $1"
        ;;
    esac
    shift
done
build=$(cd "$build" && pwd)
[ ! -r "$root/.deps/env.sh" ] || . "$root/.deps/env.sh"
WPG_REAL=${WPG_REAL:-$root/.deps/real}
VK_DRIVER_FILES=${WPG_LVP_ICD:-}
VK_ICD_FILENAMES=$VK_DRIVER_FILES
export WPG_REAL VK_DRIVER_FILES VK_ICD_FILENAMES MESA_SHADER_CACHE_DISABLE=true
for variable in $(env | sed -n 's/^\(WAVEPGO_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
[ -n "$VK_DRIVER_FILES" ] || { echo "real: no lavapipe here: sh tests/setup.sh" >&2; exit 77; }
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
rounds=${ROUNDS:-3} seconds=${SECONDS_EACH:-1} probes=${PROBES:-default}

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

family() {
    name=$1
    sh "$here/$name.sh" fetch || return 0
    items=${ITEMS:-$(sh "$here/$name.sh" list | paste -s -d , -)}
    training=
    ! grep -q "^training)" "$here/$name.sh" || training=$(sh "$here/$name.sh" training)
    echo "real: $name: training" >&2
    # shellcheck disable=SC2086
    lines "$work/train" wavepgo run --generate --profile-file "$work/$name/%b.profraw" --probes "$probes" $training -- sh "$here/$name.sh" run "$items" 0.05 ||
        return 0
    wavepgo merge --quiet -o "$work/$name.profdata" "$work/$name" || return 0
    attainable=
    ! grep -q "attainable)" "$here/$name.sh" || attainable=yes
    round=1
    while [ "$round" -le "$rounds" ]; do
        echo "real: $name: round $round of $rounds" >&2
        rm -f "$work/use.log"
        lines "$work/off.$round" sh "$here/$name.sh" run "$items" "$seconds" || return 0
        lines "$work/use.$round" wavepgo run --use "$work/$name.profdata" --use-log "$work/use.log" -- sh "$here/$name.sh" run "$items" "$seconds" ||
            return 0
        [ -z "$attainable" ] || lines "$work/most.$round" sh "$here/$name.sh" attainable "$items" "$seconds" || return 0
        round=$((round + 1))
    done
    echo
    echo "## $name"
    echo
    echo "| item | off, us | use / off | results |${attainable:+ attainable / off |}"
    echo "|---|---|---|---|${attainable:+---|}"
    for r in $(seq "$rounds"); do
        sed "s/^/off $r /" "$work/off.$r"
        sed "s/^/use $r /" "$work/use.$r"
        [ -z "$attainable" ] || sed "s/^/most $r /" "$work/most.$r"
    done | awk '
        function median(list, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
            return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
        }
        { time[$1, $2, $3] = $4; if ($1 != "most" && !($3 in first)) { first[$3] = $5; order[++count] = $3 } if ($1 != "most" && $5 != first[$3]) differs[$3] = 1; if ($2 > rounds) rounds = $2 }
        END {
            for (i = 1; i <= count; i++) {
                item = order[i]; n = 0; reach = ""; split("", ratio); split("", off); split("", most)
                for (r = 1; r <= rounds; r++)
                    if (((("off" SUBSEP r SUBSEP item)) in time) && ((("use" SUBSEP r SUBSEP item)) in time)) {
                        ratio[++n] = time["use", r, item] / time["off", r, item]
                        off[n] = time["off", r, item]
                        if (("most" SUBSEP r SUBSEP item) in time)
                            most[n] = time["most", r, item] / time["off", r, item]
                    }
                if (!n) continue
                m = median(ratio, n); sum += log(m); k++
                if (n in most) { a = median(most, n); reach = sprintf(" %.2f |", a); all += log(a) }
                printf "| %s | %.0f | %.2f (%.2f to %.2f) | %s |%s\n", item, median(off, n), m, ratio[1], ratio[n], (item in differs) ? "**differ**" : "equal", reach
            }
            if (k) printf "| geometric mean of %d | | %.2f | |%s\n", k, exp(sum / k), reach == "" ? "" : sprintf(" %.2f |", exp(all / k))
        }'
    echo
    echo "Passes: $(passes_of "$work/use.log")"
}

echo "Driver: $(basename "$VK_DRIVER_FILES"); rounds: $rounds; seconds an item: $seconds; probes: $probes."
for name in ${wanted:-$families}; do
    family "$name"
done

#!/bin/sh
# Measures what counting costs unmodified real programs: Markdown on standard output (README.md).
#
#     sh shaders/real/cost.sh [--build FOLDER] [FAMILY...]        (default: tfjs materialx kernels; build)
#
# Columns: processor time of one run of an item while ways of counting count, over that without the layer. What an item does
# before it is timed (start, compiling) is not in it.
#
# ROUNDS (3): how often all sides take turns. SECONDS_EACH (0.5): of each item in each round. ITEMS: only these, by commas.
# WAYS: names of the columns, by spaces (default: default naive lane selects-all selects-none).
# DRIVER (new): old is lavapipe 22.3.6 of Debian 12, where a family runs there.
# Medians over rounds of the ratio within one round; the order of the sides rotates from round to round.
#
# The way `turns` measures the default within one process, which counts every other moment (TRIGGER): the machine's own changes fall on
# both. Give items 6 seconds. Families of JavaScript only (steady.cjs). Browsers then make whole pipelines, counted or not.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/shaders/real
tool=cost known="tfjs materialx kernels anime4k niivue paper webgl filament" help=2,16
. "$here/options.sh"
rounds=${ROUNDS:-3} seconds=${SECONDS_EACH:-0.5}
ways=${WAYS:-default naive lane selects-all selects-none}

options_of() { # WAY
    case $1 in
    default | turns) ;;
    naive | additive | derived | slots | lane) echo "--strategy $1" ;;
    selects-*) echo "--selects ${1#selects-}" ;;
    plain) echo "--selects none --probes none" ;;
    binding | address) echo "--counter-way $1" ;;
    *) echo "cost: no way '$1'" >&2; exit 2 ;;
    esac
}
for way in $ways; do options_of "$way" >/dev/null; done

one_side() { # NAME ROUND SIDE: lines "side round item microseconds result"; of `turns` the ratio in place of microseconds
    turns=
    [ "$3" != turns ] || turns=1
    if [ "$3" = off ]; then
        sh "$here/$1.sh" run "$items" "$seconds" >"$work/out" 2>"$work/err"
    else
        rm -f "$work/turn" "$work/turn.ratio"
        # shellcheck disable=SC2046,SC2086
        env ${turns:+BY_TURNS="$work/turn"} wavepgo run --generate --profile-file "$work/profiles/%b.profraw" $(options_of "$3") ${turns:+--trigger "$work/turn"} $options -- \
            sh "$here/$1.sh" run "$items" "$seconds" >"$work/out" 2>"$work/err"
    fi || { echo "cost: $1: $3 failed" >&2; tail -n 5 "$work/err" >&2; return 1; }
    [ -z "$turns" ] || [ -s "$work/turn.ratio" ] || { echo "cost: $1 takes no turns: it is no program of JavaScript" >&2; return 1; }
    awk 'NF == 3 && $2 + 0 > 0' "$work/out" >"$work/items"
    # steady.cjs has written a line for each item: its ratio comes first.
    [ -z "$turns" ] || paste -d ' ' "$work/items" "$work/turn.ratio" | awk '{ print $1, $4, $3 }' >"$work/ratios"
    [ -z "$turns" ] || mv "$work/ratios" "$work/items"
    sed "s/^/$3 $2 /" "$work/items" >>"$work/all"
}

family() {
    name=$1
    sh "$here/$name.sh" fetch || return 0
    items=${ITEMS:-$(sh "$here/$name.sh" list | paste -s -d , -)}
    options=
    ! grep -q "^training)" "$here/$name.sh" || options=$(sh "$here/$name.sh" training)
    : >"$work/all"
    sides="off $ways" round=1
    while [ "$round" -le "$rounds" ]; do
        echo "cost: $name: round $round of $rounds" >&2
        for side in $sides; do one_side "$name" "$round" "$side" || return 0; done
        sides="${sides#* } ${sides%% *}" round=$((round + 1))
    done
    echo
    echo "## $name"
    echo
    awk -v ways="$ways" '
        function median(list, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
            return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
        }
        {
            time[$1, $2, $3] = $4
            if ($2 > rounds) rounds = $2
            if (!($3 in first)) { first[$3] = $5; order[++count] = $3 }
            if ($5 != first[$3]) differs[$3] = 1
        }
        END {
            k = split(ways, way, " ")
            printf "| item | off, us |"
            for (w = 1; w <= k; w++) printf " %s / off |", way[w]
            printf " results |\n|---|---|"
            for (w = 1; w <= k; w++) printf "---|"
            print "---|"
            for (i = 1; i <= count; i++) {
                item = order[i]; m = 0; split("", off)
                for (r = 1; r <= rounds; r++) if (("off", r, item) in time) off[++m] = time["off", r, item]
                printf "| %s | %.0f |", item, m ? median(off, m) : 0
                for (w = 1; w <= k; w++) {
                    n = 0; split("", ratio)
                    for (r = 1; r <= rounds; r++)
                        if ((("off" SUBSEP r SUBSEP item) in time) && ((way[w] SUBSEP r SUBSEP item) in time))
                            ratio[++n] = time[way[w], r, item] / (way[w] == "turns" ? 1 : time["off", r, item])
                    if (!n) { printf " - |"; continue }
                    middle = median(ratio, n)
                    printf " %.2f |", middle
                    sum[w] += log(middle); items[w]++
                    if (middle > worst[w]) worst[w] = middle
                }
                printf " %s |\n", (item in differs) ? "**differ**" : first[item] == "-" ? "not compared" : "equal"
            }
            printf "| geometric mean of %d | |", count
            for (w = 1; w <= k; w++) printf " %s |", items[w] ? sprintf("%.2f", exp(sum[w] / items[w])) : "-"
            printf " |\n| worst | |"
            for (w = 1; w <= k; w++) printf " %s |", items[w] ? sprintf("%.2f", worst[w]) : "-"
            print " |"
        }' "$work/all"
}

echo "Driver: $(basename "$VK_DRIVER_FILES"); rounds: $rounds; seconds an item: $seconds."
for name in ${wanted:-tfjs materialx kernels}; do
    family "$name"
done

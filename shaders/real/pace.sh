#!/bin/sh
# Measures frame times of games while use mode makes their pipelines: Markdown on standard output (README.md).
#
#     sh shaders/real/pace.sh [--build FOLDER] [GAME...]        (default: every game of games.sh; build)
#
# Sides: off, without the layer; first, COMPILE=background with an empty cache; second, with the cache of that run; blocking,
# COMPILE=blocking with an empty cache. One run that counts trains the profile. The driver's own cache is off.
#
# ROUNDS (3): how often all sides take turns; their order changes from round to round. SECONDS_EACH (30): of each run, from its
# first frame on. START_SECONDS (15): the part of them that counts as the start. TRAIN_SECONDS (20): of the run that counts.
# A game goes by the clock. At the same second all sides draw the same scene, so frames of the same seconds are compared.
# Medians over rounds; in brackets the least and the most. Long frames of the start: above three medians of afterwards. Beside
# the builder: frames within which it made a pipeline. Times of the builder count from the first frame on.
# KEEP: a folder that gets all times, logs and profiles.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/shaders/real
tool=pace known=$(sh "$here/games.sh" list | paste -s -d ' ' -) help=2,16
. "$here/options.sh"
rounds=${ROUNDS:-3} seconds=${SECONDS_EACH:-30} start=${START_SECONDS:-15} training=${TRAIN_SECONDS:-20}

# one_run SIDE ROUND: $work/times.SIDE.ROUND, and the layer's log beside it.
one_run() {
    cache=$work/cache.$2
    case $1 in
    off) set -- "$1" "$2" env ;;
    first | second) set -- "$1" "$2" wavepgo run --use "$work/profile" --compile background --cache "$cache" ;;
    blocking) set -- "$1" "$2" wavepgo run --use "$work/profile" --compile blocking --cache "$cache.blocking" ;;
    esac
    times=$work/times.$1.$2 log=$work/log.$1.$2
    : >"$log"
    [ "$1" = off ] || set -- "$@" --log info --log-file "$log" --
    shift 2
    "$@" sh "$here/games.sh" times "$game" "$seconds" "$times"
}

# numbers SIDE ROUND: a line "side round name value" for each column. The builder's threads are told by their name.
numbers() {
    awk -v side="$1" -v round="$2" -v early="$start" -v all="$seconds" '
        function say(name, value) { print side, round, name, value }
        function sort(list, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
        }
        FILENAME ~ /log/ { if (/: profile found .*, optimised,/) { sub(/.*pipeline /, ""); if (!($1 in ours)) { ours[$1]; changed++ } } next }
        $1 == "start" { began = $2 }
        $1 == "present" && (!frames || $3 - at[1] <= all) { at[++frames] = $3 } # then the game is being ended
        $1 == "pipeline" && $5 ~ /^wavepgo-/ { built[$2] = ++jobs; from[jobs] = $3; to[jobs] = $4 }
        $1 == "pipeline" && $5 !~ /^wavepgo-/ { delete built[$2] }
        $1 == "bind" && ($2 in built) { bound++; last_bind = $3 }
        END {
            for (i = 2; i <= frames; i++) {
                t = 1000 * (at[i] - at[i - 1])
                if (at[i] - at[1] <= early) { first[++few] = t; continue }
                rest[++many] = t
            }
            sort(rest, many)
            middle = many % 2 ? rest[(many + 1) / 2] : (rest[many / 2] + rest[many / 2 + 1]) / 2
            say("first", at[1] - began)
            for (i = 1; i <= few; i++) {
                if (first[i] > 3 * middle) { stalls++; stalled += first[i] / 1000 }
                if (first[i] > longest) longest = first[i]
                # Beside the builder: some pipeline was made within the frame.
                for (j = 1; j <= jobs; j++)
                    if (from[j] < at[i + 1] && to[j] > at[i]) { beside++; break }
            }
            say("few", few); say("long", stalls + 0); say("stalled", stalled + 0); say("longest", longest)
            say("middle", middle); say("p99", rest[int(0.99 * many + 0.999999)]); say("most", rest[many]);
            say("changed", changed + 0)
            if (!jobs) exit
            for (j = 1; j <= jobs; j++) { busy += to[j] - from[j]; if (to[j] > done) done = to[j] }
            say("jobs", jobs); say("busy", 1000 * busy); say("done", done - at[1]); say("bound", bound + 0)
            say("beside", beside + 0)
            if (bound) say("last", last_bind - at[1])
        }' "$work/log.$1.$2" "$work/times.$1.$2"
}

tables() {
    awk '
        function median(side, name, digits,    list, n, r, i, j, t) {
            n = 0
            for (r = 1; r <= rounds; r++) if ((side, r, name) in value) list[++n] = value[side, r, name]
            if (!n) return "-"
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
            t = sprintf("%." digits "f", n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2)
            return list[1] == list[n] ? t : sprintf("%s (%." digits "f to %." digits "f)", t, list[1], list[n])
        }
        { value[$1, $2, $3] = $4; if ($2 > rounds) rounds = $2 }
        END {
            k = split("off first second blocking", side, " ")
            print "| side | first frame, s | start: frames | long ones | these together, s | longest, ms | afterwards: median, ms | 99th percentile | longest |"
            print "|---|---|---|---|---|---|---|---|---|"
            for (s = 1; s <= k; s++)
                printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", side[s], median(side[s], "first", 2), median(side[s], "few", 0), median(side[s], "long", 0), median(side[s], "stalled", 2), median(side[s], "longest", 0), median(side[s], "middle", 1), median(side[s], "p99", 0), median(side[s], "most", 0)
            print "\n| side | pipelines changed | made in the background | in the driver, ms | last made, s | bound | last bound, s | frames beside it |"
            print "|---|---|---|---|---|---|---|---|"
            for (s = 2; s <= k; s++)
                printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", side[s], median(side[s], "changed", 0), median(side[s], "jobs", 0), median(side[s], "busy", 0), median(side[s], "done", 2), median(side[s], "bound", 0), median(side[s], "last", 2), median(side[s], "beside", 0)
        }' "$work/all"
}

measure() {
    game=$1
    rm -rf "$work/profiles" "$work"/cache.* "$work"/times.* "$work"/log.*
    echo "pace: $game: training" >&2
    wavepgo run --generate --profile-file "$work/profiles/%b.profraw" --cache "$work/cache.training" -- \
        sh "$here/games.sh" times "$game" "$training" "$work/times.training" 2>"$work/err" || { tail -n 3 "$work/err" >&2; return 0; }
    wavepgo merge -o "$work/profile" "$work/profiles" >"$work/err" 2>&1 || { echo "pace: $game: $(tail -n 1 "$work/err")" >&2; return 0; }
    : >"$work/all"
    turns="off first.second blocking" round=1
    while [ "$round" -le "$rounds" ]; do
        echo "pace: $game: round $round of $rounds" >&2
        for side in $(echo "$turns" | tr . ' '); do
            one_run "$side" "$round" 2>"$work/err" || true
            ! grep '^games: failed' "$work/err" >&2 || continue
            numbers "$side" "$round" >>"$work/all"
        done
        turns="${turns#* } ${turns%% *}" round=$((round + 1))
    done
    printf '\n## %s\n\n' "$game"
    tables
    [ -z "${KEEP:-}" ] || { mkdir -p "$KEEP/$game" && cp "$work"/times.* "$work"/log.* "$work/all" "$work/profile" "$KEEP/$game"; }
}

sh "$here/games.sh" fetch || exit $?
echo "Driver: $(basename "$VK_DRIVER_FILES"); rounds: $rounds; seconds of a run: $seconds, of its start: $start."
for game in ${wanted:-$known}; do measure "$game"; done

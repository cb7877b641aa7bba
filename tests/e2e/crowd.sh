#!/bin/sh
# Many pipelines at once: nothing changes for the program, memory grows by the same for each, limits are said once and
# what is counted beside them is what is counted without. shaders/measured has the figures of 10,000:
#
#     WPG_CROWD=10000 WPG_BUILD=$PWD/build sh tests/e2e/crowd.sh
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
export WAVEPGO_CACHE=none
many=${WPG_CROWD:-1000}

crowd() { generate "$1" "$app" crowd "$WPG_SPIRV" $many; }
figure() { sed -n '/pipelines* seen/{s/.* \([0-9][0-9]*\) '"$2"'.*/\1/p;}' "$work/$1.log"; } # NAME instrumented|passed
warned() { grep -c '^wavepgo: warning: .*passes through' "$work/$1.log"; }
# The second half of the pipelines takes hardly more memory than the first.
even() {
    awk -v name="$1" '/^crowd/ { sub(":", "", $2); sub(",", "", $4); n[NR] = $2; heap[NR] = $(NF - 3); last = NR }
        END { if (!heap[last]) exit; first = heap[last - 1] - heap[1]; second = heap[last] - heap[last - 1]
              printf "%s: %.1f KiB of heap a pipeline, then %.1f\n", name, first / n[last - 1], second / (n[last] - n[last - 1])
              exit second > first * 1.25 }' "$work/$1.err" || fail "$1: memory grows faster than the pipelines: $(cat "$work/$1.err")"
}

plain absent "$app" crowd "$WPG_SPIRV" $many
exited absent 0
even absent
crowd counted
same absent counted
even counted
instrumented=$(figure counted instrumented)
[ "$((instrumented + $(figure counted passed)))" = "$many" ] || fail "not all are told of: $(cat "$work/counted.log")"
[ "$instrumented" = "$many" ] || fail "only $instrumented of $many are counted: $(cat "$work/counted.log")"
[ "$(count_profiles counted)" = "$instrumented" ] || fail "$(count_profiles counted) profiles of $instrumented pipelines"
[ "$(warned counted)" = 0 ] || fail "a limit is said, though none is reached: $(head -n 3 "$work/counted.log")"
# Marks make every pipeline one of ours.
WAVEPGO_PSEUDO_PROBES=1 use used "$work/counted" "$app" crowd "$WPG_SPIRV" $many
same absent used
even used
"$wavepgo" merge -o "$work/all.profdata" "$work/counted" || fail "merge"

# What is counted under NAME is a part of what was counted without the limit, and the same.
part_of_all() {
    same absent "$1"
    for file in $(profiles "$1"); do
        cmp -s "$file" "$work/counted/${file##*/}" || fail "$1: $file is not as without the limit"
    done
}
# Few slots: so many pipelines at most, which is said once.
WAVEPGO_SLOTS=256 crowd slots
[ "$(count_profiles slots)" -le 256 ] && [ "$(count_profiles slots)" -ge 128 ] || fail "$(count_profiles slots) profiles in 256 slots"
[ "$(count_profiles slots)" = "$(figure slots instrumented)" ] || fail "slots: $(cat "$work/slots.log")"
[ "$(warned slots)" = 1 ] && grep 'directory is full.*logged once' "$work/slots.log" >/dev/null || fail "slots: $(head -n 3 "$work/slots.log")"
grep "instrumented, $(figure slots passed) passed through (the address directory is full: $(figure slots passed))" "$work/slots.log" >/dev/null ||
    fail "slots: the summary is $(tail -n 1 "$work/slots.log")"

# The words do not depend on what came before: every other pipeline alone, where many share a seed of the directory.
WAVEPGO_SLOTS=1024 WAVEPGO_DUMP=$work/words-of-all crowd all
half=$(profiles counted | awk 'NR % 2 && NR < 2000 { sub(".*/", ""); printf "%s%s", comma, substr($0, 1, 16); comma = "," }')
WAVEPGO_SLOTS=1024 WAVEPGO_DUMP=$work/words-of-half WAVEPGO_PIPELINES=$half crowd half
words=$(find "$work/words-of-half" -name '*.generate.spv' | grep -c .)
[ "$words" = "$(echo "$half" | tr , '\n' | grep -c .)" ] || fail "half: words of $words pipelines"
for file in "$work/words-of-half"/*.generate.spv; do
    cmp -s "$file" "$work/words-of-all/${file##*/}" || fail "half: other words than among all: $file"
done

# Little memory: 256 copies of the counters of each fill one MiB soon.
WAVEPGO_COUNTER_MEMORY=1 WAVEPGO_STRATEGY=slots crowd memory
[ "$(count_profiles memory)" -ge 10 ] && [ "$(count_profiles memory)" -lt 500 ] || fail "$(count_profiles memory) profiles in one MiB"
[ "$(warned memory)" -ge 1 ] && [ "$(grep -c 'counter memory is full' "$work/memory.log")" = 2 ] || # the warning, the summary
    fail "memory: $(head -n 3 "$work/memory.log")"
part_of_all memory
part_of_all slots

# One pipeline, and all but that.
one=$(profiles counted | head -n 1)
one=$(basename "$one" .profraw)
WAVEPGO_PIPELINES=$one crowd one
[ "$(count_profiles one)" = 1 ] || fail "one: $(count_profiles one) profiles"
part_of_all one
WAVEPGO_PIPELINES="!$one" crowd others
[ ! -e "$work/others/$one.profraw" ] || fail "others: what is excluded is counted"
[ "$(count_profiles others)" = $((instrumented - 1)) ] || fail "others: $(count_profiles others) profiles"
# The table.
[ -z "${WPG_CROWD:-}" ] || for run in absent counted used; do sed -n "s/^crowd/$run/p" "$work/$run.err"; done
finish

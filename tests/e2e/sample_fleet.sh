#!/bin/sh
# Sampling for fleets: other binds in each process (SAMPLE_SEED), 1 of N pipelines (SAMPLE_BY=pipeline), 1 of N processes
# (SAMPLE_PROCESSES), 1 of N frames. Results stay as they are. What is counted is counted whole and stands for N; what is not is
# absent. Seeds choose otherwise, each the same again.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"
export WAVEPGO_SUMMARY=0
# The driver's cache: each process compiles the same words.
export MESA_SHADER_CACHE_DISABLE=false MESA_SHADER_CACHE_DIR="$work/mesa"

program() { echo "$bench --size small --checksum --case trip_uniform --case value_uniform --case divergent_short --case rfc_uniform --case rfc_divergent --case first_trip"; }
plain image $(program)
generate exact $(program)
same image exact
# "SHADER LANES...": of all blocks.
lanes() {
    [ "$(count_profiles "$1")" = 0 ] ||
        "$wavepgo" show --json "$1" | sed -n 's/.*"shader": "\([0-9a-f]*\)", "stage": "comp".*"function": 0.*"lanes": \[\([^]]*\)\].*/\1 \2/p' | tr -d ,
}
lanes exact | sort >exact.lanes
[ "$(grep -c . exact.lanes)" = 6 ] || fail "not 6 shaders"
awk '{ printf "%s", $1; for (i = 2; i <= NF; i++) printf " %d", 2 * $i; print "" }' exact.lanes >scaled.lanes

# Pipelines that are bound once, 1 of 2, in 8 processes: 24 of 48 on average (a deviation is 3.5), each 2 times the exact counts.
for what in bind pipeline; do
    for seed in 1 2 3 4 5 6 7 8; do
        WAVEPGO_SAMPLE=1/2 WAVEPGO_SAMPLE_BY=$what WAVEPGO_SAMPLE_SEED=$seed generate $what-$seed $(program)
        same image $what-$seed
        lanes $what-$seed
    done >$what.all
    sort $what.all | grep -v -x -F -f scaled.lanes >$what.odd && { fail "$what: not 2 times the exact counts:"; cut -c1-200 $what.odd | head -n 3; }
    times=$(grep -c . $what.all)
    { [ "$times" -ge 8 ] && [ "$times" -le 40 ]; } || fail "$what: counted $times times of 48, expected about 24"
    WAVEPGO_SAMPLE=1/2 WAVEPGO_SAMPLE_BY=$what WAVEPGO_SAMPLE_SEED=3 generate $what-again $(program)
    same_counts $what-3 $what-again "$what: two runs with one seed differ"
done
cat bind-?/*.profraw >/dev/null && "$wavepgo" merge -o all.profdata bind-? && "$wavepgo" show --json all.profdata | grep -q '"samples": \[' || fail "no #samples"
# By chance: six processes do not all choose alike.
for run in 1 2 3 4 5 6; do
    WAVEPGO_SAMPLE=1/2 WAVEPGO_SAMPLE_BY=pipeline WAVEPGO_SAMPLE_SEED=-1 generate any-$run $(program)
    (cd any-$run && ls | tr '\n' ' ')
    echo
done >any.sets
[ "$(sort -u any.sets | grep -c '')" -gt 1 ] || fail "SAMPLE_SEED=-1: six processes count the same pipelines"

# Processes: those that count do so whole; the others write nothing and say nothing. Each with probability 1/2: not all alike.
counting=0
for seed in 1 2 3 4 5 6 7 8 9 10; do
    WAVEPGO_SAMPLE_PROCESSES=1/2 WAVEPGO_SAMPLE_SEED=$seed WAVEPGO_SUMMARY=1 generate process-$seed $(program)
    same image process-$seed
    if [ "$(count_profiles process-$seed)" -gt 0 ]; then
        counting=$((counting + 1))
        same_counts exact process-$seed "a process that counts, counts otherwise"
    else
        [ ! -s process-$seed.log ] || fail "a process that does not count logs: $(head -n 2 process-$seed.log)"
    fi
done
{ [ $counting -ge 1 ] && [ $counting -le 9 ]; } || fail "$counting of 10 processes count"

# Frames: a program that presents nothing is one frame, which counts whole or not at all.
for seed in 1 2 3 4 5 6; do
    WAVEPGO_SAMPLE=1/2 WAVEPGO_SAMPLE_BY=frame WAVEPGO_SAMPLE_SEED=$seed generate frame-$seed $(program)
    same image frame-$seed
    count_profiles frame-$seed
    lanes frame-$seed | grep -v -x -F -f scaled.lanes >&2 && fail "frame: not 2 times the exact counts" >&2
done 2>frame.odd | sort -u >frame.counts
[ ! -s frame.odd ] || { fail "frame: not 2 times the exact counts"; cut -c1-200 frame.odd | head -n 3; }
[ "$(tr '\n' ' ' <frame.counts)" = "0 6 " ] || fail "one frame is counted whole or not at all, by some seeds: $(tr '\n' ' ' <frame.counts)"
finish

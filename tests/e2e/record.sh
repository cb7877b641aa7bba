#!/bin/sh
# What the layer sees while command buffers are recorded: the program app_record.c does known things. WPG_CASE: facts
# (counts of commands and push constants), queries (time and statistics), threads (several threads at once), failures (folders that cannot be
# written, programs that are killed, two at once), hooks (what is intercepted).
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"

# bundle NAME COMMAND...: as generate, with a bundle: $work/NAME.wavepgo.
bundle() {
    run_name=$1
    shift
    WAVEPGO_LOG_FILE=$work/$run_name.log "$wavepgo" run --generate --bundle "$work/$run_name.wavepgo" -- "$@" \
        >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
}
# facts FILE: what is not the same everywhere (hashes, the device's name) left out.
facts() { sed -e '1d' -e '/^is made\./d' -e 's/^\(is stage\.[a-z]*\) [0-9a-f]* /\1 HASH /' "$1"; }
# expect NAME PATTERN: the facts of the one pipeline whose file says PATTERN are standard input.
expect() {
    cat >"$work/want"
    file=$(grep -l -e "$2" "$work/$1.wavepgo"/pipelines/*.facts)
    [ -f "$file" ] || {
        fail "$1: no facts of one pipeline with $2: $file"
        return
    }
    facts "$file" >"$work/got"
    diff -u "$work/want" "$work/got" >"$work/diff" || fail "$1: facts of $2: $(cat "$work/diff")"
}

case $WPG_CASE in
facts)
    plain absent "$app" record "$WPG_SPIRV"
    exited absent 0
    for round in one two; do
        bundle $round "$app" record "$WPG_SPIRV"
        same absent $round
    done
    diff -rq "$work/one.wavepgo" "$work/two.wavepgo" >"$work/diff" || fail "two runs differ: $(cat "$work/diff")"
    grep -L '^is made\.[0-9a-f]* e2e_app on .*; wavepgo [0-9.]*$' "$work"/one.wavepgo/pipelines/*.facts >"$work/diff"
    [ ! -s "$work/diff" ] || fail "no word of program and device in $(cat "$work/diff")"
    # 3 submissions of (2 binds, 4 dispatches), 2 of two executions of (1 bind, 2 dispatches).
    expect one 'is spec.comp.3' <<'FACTS'
sum binds 10
sum dispatches 20
count push.00 0x00000001 12
count push.00 0x00000005 8
count push.01 0x00000006 8
count push.01 0x00000002 6
count push.01 0x00000009 6
count push.02 0x00000003 12
count push.02 0x00000007 8
count push.03 0x00000004 12
count push.03 0x00000008 8
sum pushed.1b596a04c3b42e03 6
sum pushed.4cc029dde300058c 6
sum pushed.de39ec4d13e6dca9 8
is pushes.1b596a04c3b42e03 00000001 00000009 00000003 00000004
is pushes.4cc029dde300058c 00000001 00000002 00000003 00000004
is pushes.de39ec4d13e6dca9 00000005 00000006 00000007 00000008
sum runs 1
is spec.comp.3 0x00000005
is stage.comp HASH main
sum submissions 5
sum workgroups 35
end
FACTS
    # A layout with other ranges: one word is pushed, the other three never are.
    expect one 'dispatches-indirect' <<'FACTS'
sum binds 3
sum dispatches 6
sum dispatches-indirect 3
count push.00 0x00000007 6
count push.01 * 0
count push.02 * 0
count push.03 * 0
sum pushed.31df63e08f0fadea 6
is pushes.31df63e08f0fadea 00000007
sum runs 1
is stage.comp HASH main
sum submissions 3
sum unpushed.01 6
sum unpushed.02 6
sum unpushed.03 6
sum workgroups 120
end
FACTS
    expect one 'is stage.vert' <<'FACTS'
sum binds 1
sum draws 3
sum draws-indirect 1
count push.00 0x0000000b 3
count push.01 0x0000000c 3
count push.02 0x0000000d 3
count push.03 0x0000000e 3
sum pushed.e76154fc3291fdba 3
is pushes.e76154fc3291fdba 0000000b 0000000c 0000000d 0000000e
sum runs 1
is stage.frag HASH main
is stage.vert HASH main
sum submissions 1
sum vertices 9
end
FACTS
    accepted "$work"/one.wavepgo/*.profraw
    # Every shader's words as the program gave them, and what they are.
    [ "$(find "$work/one.wavepgo/shaders" -name '*.spv' | grep -c .)" = 4 ] || fail "shaders: $(ls "$work/one.wavepgo/shaders")"
    for name in push.comp count.comp triangle.vert gradient.frag; do
        found=
        for file in "$work"/one.wavepgo/shaders/*.spv; do
            cmp -s "$file" "$WPG_SPIRV/$name.spv" && found=${file%.spv}.info
        done
        [ -n "$found" ] || fail "$name.spv is not in the bundle"
        grep "^is stage ${name#*.}\$" "$found" >/dev/null || fail "$name: $(cat "$found")"
    done
    grep '^is spec.3 4 00000005$' "$work"/one.wavepgo/shaders/*.info >/dev/null || fail "no specialisation value"
    # Two bundles merge whole; the result is used and shown as any profile.
    "$wavepgo" merge -o "$work/all.bundle" "$work/one.wavepgo" "$work/two.wavepgo" || fail "merge of bundles"
    file=$(grep -l "is spec.comp.3" "$work"/all.bundle/pipelines/*.facts)
    grep "^sum dispatches 40\$" "$file" >/dev/null && grep "^count push.01 0x00000006 16\$" "$file" >/dev/null || fail "merged facts: $(cat "$file")"
    [ "$(find "$work/all.bundle/shaders" -name "*.spv" | grep -c .)" = 4 ] || fail "shaders of the merged bundle"
    "$wavepgo" merge -o "$work/x.profdata" "$work"/one.wavepgo/*.profraw "$work"/two.wavepgo/*.profraw &&
        cmp "$work/x.profdata" "$work/all.bundle/merged.profdata" ||
        fail "the profiles of the merged bundle are not those of a plain merge"
    use used "$work/all.bundle" "$app" record "$WPG_SPIRV"
    same absent used
    "$wavepgo" show "$work/all.bundle" >"$work/shown" || fail "show of a bundle"
    grep "push constant at byte 4 .*0x00000006 (6) 40.0%" "$work/shown" >/dev/null || fail "shown: $(cat "$work/shown")"
    grep "  30.0%  byte 0: 0x00000001, byte 4: 0x00000009, byte 8: 0x00000003, byte 12: 0x00000004" "$work/shown" >/dev/null ||
        fail "shown, sets: $(cat "$work/shown")"
    ;;
queries)
    # Timestamps and statistics around runs of one pipeline: nothing of the program's changes, and what is measured has
    # exact denominators: the secondary's dispatches are not timed, a draw inside a query of the program's has no statistics.
    plain absent "$app" record "$WPG_SPIRV"
    exited absent 0
    WAVEPGO_TIMESTAMPS=1 WAVEPGO_PIPELINE_STATISTICS=1 bundle measured "$app" record "$WPG_SPIRV"
    same absent measured
    bundle counted "$app" record "$WPG_SPIRV"
    for file in "$work"/counted.wavepgo/pipelines/*.facts; do
        name=$(basename "$file")
        grep -v '^sum \(gpu\|statistic\)' "$work/measured.wavepgo/pipelines/$name" | diff - "$file" >"$work/diff" ||
            fail "measuring changes what is counted: $(cat "$work/diff")"
    done
    measures() { # PATTERN KEY VALUE, for the pipeline whose facts say PATTERN
        file=$(grep -l -e "$1" "$work"/measured.wavepgo/pipelines/*.facts)
        grep "^sum $2 $3\$" "$file" >/dev/null || fail "no $2 $3 in $(cat "$file")"
    }
    measures 'is spec.comp.3' gpu-commands 12
    measures 'is spec.comp.3' gpu-nanoseconds '[1-9][0-9]*'
    measures dispatches-indirect gpu-commands 6
    measures 'is stage.vert' gpu-commands 3
    measures 'is stage.vert' statistics-commands 2
    measures 'is stage.vert' statistic.input-vertices 6
    measures 'is stage.vert' statistic.input-primitives 2
    # The old driver counts helper lanes as invocations.
    [ "$WPG_DRIVER" != new ] || measures 'is stage.vert' statistic.fragment-invocations 5734
    "$wavepgo" show "$work/measured.wavepgo" >"$work/shown"
    grep 'input-vertices 6 in 2 commands' "$work/shown" >/dev/null || fail "shown: $(cat "$work/shown")"
    ;;
hardware)
    # Counters of the hardware, of a driver that the shim makes up: no rule is broken, each run is read, and the program runs as ever.
    make_shim
    plain absent "$app" record "$WPG_SPIRV"
    below() { # NAME SHIM_PERFORMANCE HARDWARE_COUNTERS
        (
            export SHIM_PERFORMANCE=$2 WAVEPGO_HARDWARE_COUNTERS="$3" VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
            export VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim
            bundle "$1" "$app" record "$WPG_SPIRV"
        )
        same absent "$1"
        if grep '^shim:' "$work/$1.err"; then fail "$1: rules of performance queries are broken"; fi
    }
    below all 1 '*'
    below some 1 'Bytes*'
    below passes passes '*'
    below busy busy '*'
    sums() { sed -n 's/^sum \(counter[^ ]*\|hardware-commands\) /\1 /p' "$(grep -l -e "$2" "$work/$1.wavepgo"/pipelines/*.facts)" | tr '\n' ' '; }
    is() { [ "$(sums "$1" "$2")" = "$3" ] || fail "$1, $2: $(sums "$1" "$2")"; }
    is all 'is spec.comp.3' 'counter.Bytes-read.bytes 768 counter.Vector-instructions 12000 hardware-commands 12 '
    is some 'is spec.comp.3' 'counter.Bytes-read.bytes 768 hardware-commands 12 '
    is passes 'is spec.comp.3' 'counter.Vector-instructions 12000 hardware-commands 12 '
    [ -z "$(sums busy 'is spec.comp.3')" ] || fail "counters without the lock"
    grep -c 'profiling lock' "$work/busy.log" | grep -x 1 >/dev/null || fail "busy: $(cat "$work/busy.log")"
    "$wavepgo" show "$work/all.wavepgo" | grep 'Vector-instructions 1' >/dev/null || fail "show tells no counters"
    # A driver without.
    WAVEPGO_HARDWARE_COUNTERS='*' bundle none "$app" record "$WPG_SPIRV"
    same absent none
    grep -c 'no VK_KHR_performance_query' "$work/none.log" | grep -x 1 >/dev/null || fail "none: $(cat "$work/none.log")"
    ;;
threads)
    plain absent "$app" record-threads "$WPG_SPIRV"
    for round in one two; do
        WAVEPGO_FLUSH_INTERVAL=0.01 bundle $round "$app" record-threads "$WPG_SPIRV"
        same absent $round
    done
    WAVEPGO_TIMESTAMPS=1 WAVEPGO_PIPELINE_STATISTICS=1 WAVEPGO_FLUSH_INTERVAL=0.01 bundle measured "$app" record-threads "$WPG_SPIRV"
    same absent measured
    grep "^sum gpu-commands 200\$" "$work"/measured.wavepgo/pipelines/*.facts >/dev/null || fail "measured: $(cat "$work"/measured.wavepgo/pipelines/*.facts)"
    diff -rq "$work/one.wavepgo" "$work/two.wavepgo" >"$work/diff" || fail "two runs differ: $(cat "$work/diff")"
    expect one 'is spec.comp.3' <<'FACTS'
sum binds 200
sum dispatches 200
count push.00 0x0000000a 50
count push.00 0x00000014 50
count push.00 0x0000001e 50
count push.00 0x00000028 50
count push.01 0x0000000b 50
count push.01 0x00000015 50
count push.01 0x0000001f 50
count push.01 0x00000029 50
count push.02 0x0000000c 50
count push.02 0x00000016 50
count push.02 0x00000020 50
count push.02 0x0000002a 50
count push.03 0x0000000d 50
count push.03 0x00000017 50
count push.03 0x00000021 50
count push.03 0x0000002b 50
sum pushed.2e48fb965ddc3f1e 50
sum pushed.37513a7f1d94e5f4 50
sum pushed.9f76b286a72aede8 50
sum pushed.a0b3e00c12067574 50
is pushes.2e48fb965ddc3f1e 0000000a 0000000b 0000000c 0000000d
is pushes.37513a7f1d94e5f4 00000028 00000029 0000002a 0000002b
is pushes.9f76b286a72aede8 0000001e 0000001f 00000020 00000021
is pushes.a0b3e00c12067574 00000014 00000015 00000016 00000017
sum runs 1
is spec.comp.3 0x00000005
is stage.comp HASH main
sum submissions 200
sum workgroups 200
end
FACTS
    ;;
failures)
    # A folder that cannot be made: said once, and the program goes on.
    plain absent "$app" record "$WPG_SPIRV"
    echo in the way >"$work/file"
    WAVEPGO_LOG_FILE=$work/blocked.log WAVEPGO_FLUSH_INTERVAL=0.05 WAVEPGO_SUMMARY=0 "$wavepgo" run --generate \
        --profile-file "$work/blocked/%b.profraw" --bundle "$work/file/x" -- "$app" record "$WPG_SPIRV" >"$work/blocked.out" 2>"$work/blocked.err"
    echo $? >"$work/blocked.code"
    same absent blocked
    logged_once blocked 'file/x/ is not written: .*Not a directory'
    # Killed: what the last flush wrote is whole, and a second process does not overwrite the first one's facts.
    WAVEPGO_FLUSH_INTERVAL=0.3 WAVEPGO_LOG_FILE=$work/killed.log "$wavepgo" run --generate --bundle "$work/killed.wavepgo" -- \
        "$app" forever "$WPG_SPIRV" 2 >"$work/killed.out" 2>&1 &
    program=$!
    tries=0
    while ! grep ready "$work/killed.out" >/dev/null 2>&1 && [ $tries -lt 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    bundle killed "$app" compute "$WPG_SPIRV"
    kill -9 $program
    wait $program 2>/dev/null
    [ "$(ls "$work/killed.wavepgo/pipelines" | grep -c '\.facts$')" = 2 ] || fail "two processes: $(ls "$work/killed.wavepgo/pipelines")"
    "$wavepgo" merge -o "$work/joined.bundle" "$work/killed.wavepgo" || fail "what a killed program left is not whole"
    grep '^sum runs 2$' "$work"/joined.bundle/pipelines/*.facts >/dev/null || fail "joined: $(cat "$work"/joined.bundle/pipelines/*)"
    grep '^sum dispatches [1-9][0-9]' "$work"/joined.bundle/pipelines/*.facts >/dev/null || fail "joined: $(cat "$work"/joined.bundle/pipelines/*)"
    ;;
hooks)
    # Without a bundle recorded commands are intercepted only to know what runs when a device is lost; with one those that are counted are.
    generate plainly "$app" hooks "$WPG_SPIRV"
    grep '^vk\(Cmd\|Begin\|Allocate\).* libVkLayer_wavepgo' "$work/plainly.out" | grep -v "AllocateMemory\|BeginCommandBuffer\|CmdBindPipeline\|CmdExecuteCommands" >"$work/taken" &&
        fail "without a bundle: $(cat "$work/taken")"
    bundle recorded "$app" hooks "$WPG_SPIRV"
    for command in vkBeginCommandBuffer vkCmdBindPipeline vkCmdPushConstants vkCmdDraw vkCmdDrawIndexed vkCmdDispatch; do
        grep "^$command libVkLayer_wavepgo" "$work/recorded.out" >/dev/null || fail "$command is not intercepted"
    done
    grep '^vkCmdBindDescriptorSets libVkLayer_wavepgo' "$work/recorded.out" >/dev/null && fail "more is intercepted than needed"
    ;;
*) die "no such case: $WPG_CASE" ;;
esac
finish

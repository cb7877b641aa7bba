#!/bin/sh
# Mesh and task shaders beyond what oracle.sh holds exact: optimised by their profile they compute the same, draws are
# recorded with their workgroups, sampling leaves these stages in full.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$oracle"

for kernel in mesh_loops.mesh mesh_barrier.mesh task_loops.task; do
    name=${kernel%.*} stage=${kernel#*.}
    plain absent "$oracle" $name $stage 64 "$WPG_SPIRV" none
    [ "$(cat "$work/absent.code")" != 77 ] || skip "$(cat "$work/absent.out")"
    exited absent 0
    bundle=$work/$name.wavepgo
    WAVEPGO_LOG_FILE=$work/$name.log "$wavepgo" run --generate --bundle "$bundle" -- "$oracle" $name $stage 64 "$WPG_SPIRV" none \
        >"$work/counted.out" 2>"$work/counted.err"
    echo $? >"$work/counted.code"
    same absent counted
    for fact in 'sum draws 1' 'sum workgroups 6'; do
        grep "^$fact\$" "$bundle"/pipelines/*.facts >/dev/null || fail "$kernel: no fact '$fact'"
    done
    grep "^is stage\.$stage " "$bundle"/pipelines/*.facts >/dev/null || fail "$kernel: its stage is not among the facts"
    use used "$bundle" "$oracle" $name $stage 64 "$WPG_SPIRV" none
    same absent used
    tr '{' '\n' <"$work/used.uselog" | grep "\"stage\": *\"$stage\"" >/dev/null || fail "$kernel: the use log does not name its stage"
    WAVEPGO_SAMPLE=1/4 generate sampled-$name "$oracle" $name $stage 64 "$WPG_SPIRV" "$work/sampled-$name"
    exited sampled-$name 0
done
finish

#!/bin/sh
# Counting keeps the wave size that the driver chose for the original, stage by stage, whatever the program asked for: by
# RADV's own word, which needs no hardware for that (RADV_FORCE_FAMILY). WPG_DRIVER=radv or radv-old.
# Use mode asks for smaller waves where a profile says that lanes idle, and only where neither the shader nor the program
# cares.
. "$(dirname "$0")/lib.sh"
sizes=$WPG_PROGRAMS/e2e_wave_sizes
need_built "$wavepgo" "$layer" "$sizes"
case $WPG_DRIVER in
radv) families="navi31 navi21" ;;
radv-old) families="gfx1100 navi21" ;;
*) die "WPG_DRIVER must be radv or radv-old" ;;
esac

# A profile, made up since nothing runs here: eight lanes enter, one goes on. The hashes are those of the modules that a
# run hands to the driver.
mkdir -p "$work/dump"
RADV_FORCE_FAMILY=navi21 "$wavepgo" run --generate --dump "$work/dump" --profile-file "$work/none-%b.profraw" -- \
    "$sizes" "$WPG_SPIRV" >"$work/dump.out" 2>"$work/dump.err"
printf '# IR level Instrumentation Flag\n:ir\n' >"$work/idle.txt"
for shader in waves waves_ballot; do
    map=$("$wavepgo" instrument "$WPG_SPIRV/$shader.comp.spv" -o "$work/map.spv" --spec 0=64 --map | head -n 1)
    checksum=$(printf '%d' "0x$(echo "$map" | sed 's/.*checksum \([0-9a-f]*\).*/\1/')")
    blocks=$(echo "$map" | sed 's/.*blocks \([0-9]*\).*/\1/')
    for module in "$work"/dump/????????????????????????????????.spv; do
        cmp -s "$module" "$WPG_SPIRV/$shader.comp.spv" || continue
        for kind in lanes waves uniform; do
            case $kind in lanes) first=8000 others=1000 ;; waves) first=1000 others=1000 ;; uniform) first=1000 others=0 ;; esac
            printf '%s.comp.main#%s\n%s\n%s\n%s\n' "$(basename "$module" .spv)" $kind "$checksum" "$blocks" $first
            yes $others | head -n $((blocks - 1))
            echo
        done
    done
done >>"$work/idle.txt"
[ "$(grep -c '#lanes' "$work/idle.txt")" = 8 ] || die "expected two shaders with four sizes of workgroups"

# asked NAME FAMILY SETTINGS...: what the driver says in use mode, in $work/NAME.out.
asked() {
    run_name=$1
    RADV_FORCE_FAMILY=$2
    export RADV_FORCE_FAMILY
    shift 2
    rm -f "$work/$run_name.uselog"
    "$wavepgo" run --use "$work/idle.txt" --use-log "$work/$run_name.uselog" "$@" -- "$sizes" "$WPG_SPIRV" \
        >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
}
for family in $families; do
    RADV_FORCE_FAMILY=$family plain usual "$sizes" "$WPG_SPIRV"
    sed 's/^\(waves.comp of [0-9]*, plain: stages 20: \)64$/\132/' "$work/usual.out" >"$work/smaller.out"
    cp "$work/usual.code" "$work/smaller.code"
    ! cmp -s "$work/usual.out" "$work/smaller.out" || fail "$family: no wave of 64 to make smaller"
    asked idle "$family"
    same smaller idle
    grep 'wave-size.*waves of 32 instead of 64' "$work/idle.uselog" >/dev/null || fail "$family: the use log does not tell of the choice"
    grep 'wave-size.*built-in variable of waves' "$work/idle.uselog" >/dev/null || fail "$family: the use log does not tell why not"
    asked again "$family" # from the cache
    same smaller again
    asked skipped "$family" --skip-passes w
    same usual skipped
    asked full "$family" --wave-fill 0.01
    same usual full
done

for family in $families; do
    # RADV_PERFTEST: waves of 32 in graphics stages. (Its cswave32 is left out: that is off by default, and RADV itself
    # takes it back for every compute shader that has a ballot.)
    for perftest in none pswave32,gewave32; do
        export RADV_FORCE_FAMILY=$family RADV_PERFTEST=$perftest
        plain plain "$sizes" "$WPG_SPIRV"
        [ "$(cat "$work/plain.code")" != 77 ] || skip "$(cat "$work/plain.out")"
        exited plain 0
        [ "$(sed 's/.*: //' "$work/plain.out" | sort -u | grep -c .)" -ge 2 ] || fail "$family: only one wave size in all pipelines"
        for how in "--strategy auto" "--strategy naive" "--probes all" "--sample 1/16"; do
            mkdir -p "$work/counted"
            # shellcheck disable=SC2086
            "$wavepgo" run --generate $how --log info --log-file "$work/counted.log" --profile-file "$work/counted/%b.profraw" -- \
                "$sizes" "$WPG_SPIRV" >"$work/counted.out" 2>"$work/counted.err"
            echo $? >"$work/counted.code"
            same plain counted
            grep ' instrumented, 0 passed through' "$work/counted.log" "$work/counted.err" >/dev/null ||
                fail "$family, $how: not every pipeline is counted: $(tail -n 1 "$work/counted.log")"
        done
    done
done
finish

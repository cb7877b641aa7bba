#!/bin/sh
# Counting keeps the wave size that the driver chose for the original, stage by stage, whatever the program asked for: by
# RADV's own word, which needs no hardware for that (RADV_FORCE_FAMILY). WPG_DRIVER=radv or radv-old.
. "$(dirname "$0")/lib.sh"
sizes=$WPG_PROGRAMS/e2e_wave_sizes
need_built "$wavepgo" "$layer" "$sizes"
case $WPG_DRIVER in
radv) families="navi31 navi21" ;;
radv-old) families="gfx1100 navi21" ;;
*) die "WPG_DRIVER must be radv or radv-old" ;;
esac

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

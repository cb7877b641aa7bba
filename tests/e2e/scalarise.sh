#!/bin/sh
# Loads by an index that lanes agree on, behind a vote: outputs are equal on lavapipe, where only the setting brings it about;
# on RADV, which compiles without hardware, the loads become scalar ones. By itself it takes a verdict of tuning.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"
case $WPG_DRIVER in
radv) profiler=new family=navi31 ;;
radv-old) profiler=old family=gfx1100 ;;
*) profiler=$WPG_DRIVER ;;
esac
[ -n "$(driver_icd $profiler)" ] || skip "no lavapipe to make the profile with"
done_by() { grep -c '"pass": "scalarise", "done": true' "$work/$1.uselog"; }

(
    use_driver $profiler
    export WAVEPGO_PROBES=values
    generate profile "$bench" --size small --checksum
)
exited profile 0
if [ -z "${family:-}" ]; then
    plain absent "$bench" --size small --checksum
    exited absent 0
    same absent profile
    WAVEPGO_SCALARISE=on WAVEPGO_VALIDATE=1 use on "$work/profile" "$bench" --size small --checksum
    same absent on
    [ "$(done_by on)" != 0 ] || fail "no loads went behind a vote: $(grep scalarise "$work/on.uselog" | head -n 3)"
    grep -q "spirv-val" "$work/on.log" && fail "$(head -n 3 "$work/on.log")"
    use auto "$work/profile" "$bench" --size small --checksum
    same absent auto
    [ "$(done_by auto)" = 0 ] || fail "loads went behind a vote on a driver that gains nothing by it"
    # From one run to the next the cache tells the settings apart.
    use again "$work/profile" "$bench" --size small --checksum
    [ "$(done_by again)" = 0 ] || fail "the cache gave words of another setting"
    finish
fi

export RADV_FORCE_FAMILY=$family RADV_DEBUG=nocache
for setting in on auto off; do
    WAVEPGO_SCALARISE=$setting use $setting "$work/profile" "$bench" --case lights --statistics --json -
    exited $setting 0
    RADV_DEBUG=nocache,shaders WAVEPGO_SCALARISE=$setting use $setting-code "$work/profile" "$bench" --case lights --compile-only
    wide=$(cat "$work/$setting-code.out" "$work/$setting-code.err" | grep -cE 's_buffer_load_dwordx(4|8|16).*storage:buffer')
    case $setting in
    on) [ "$(done_by on)" != 0 ] && [ "$wide" != 0 ] || fail "on: $(done_by on) regions, $wide wide scalar loads" ;;
    *) [ "$(done_by $setting)" = 0 ] && [ "$wide" = 0 ] || fail "$setting: $(done_by $setting) regions, $wide wide scalar loads" ;;
    esac
done
finish

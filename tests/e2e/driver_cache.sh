#!/bin/sh
# The driver's own disk cache serves the second run, whatever order pipelines are made in: what we give the driver is the
# same, word by word, in every run. shaders/measured has the times of 1,000 pipelines; this prints them:
#
#     WPG_CROWD=1000 WPG_DRIVER=radv WPG_BUILD=$PWD/build sh tests/e2e/driver_cache.sh
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
case $WPG_DRIVER in
radv) export RADV_FORCE_FAMILY=navi31 profiler=new ;;
radv-old) export RADV_FORCE_FAMILY=gfx1100 profiler=old ;;
*) profiler=$WPG_DRIVER ;;
esac
many=${WPG_CROWD:-32}

# A profile of all of them, from a driver that runs them.
(
    [ "$profiler" = "$WPG_DRIVER" ] || unset RADV_FORCE_FAMILY
    use_driver $profiler
    generate profile "$app" crowd "$WPG_SPIRV" $many
    exited profile 0
)
# What is in the driver's cache: bytes, less its index, whose size is fixed.
held() { find "$work/driver-$1" -type f ! -name index -printf '%s\n' 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'; }
took() { sed -n "s/^crowd $many: .* ms, \\([0-9.]*\\) ms of processors.*/\\1/p" "$work/$1.err"; }
run_as() { # MODE NAME SEED
    export MESA_SHADER_CACHE_DIR="$work/driver-$1" MESA_GLSL_CACHE_DIR="$work/driver-$1" WAVEPGO_CACHE="$work/words-$1"
    case $1 in
    off) plain "$2" "$app" crowd "$WPG_SPIRV" $many,$3 ;;
    generate) generate "$2" "$app" crowd "$WPG_SPIRV" $many,$3 ;;
    # Marks make every shader one of ours.
    use) WAVEPGO_PSEUDO_PROBES=1 use "$2" "$work/profile" "$app" crowd "$WPG_SPIRV" $many,$3 ;;
    esac
}

unset MESA_SHADER_CACHE_DISABLE
for mode in off generate use; do
    mkdir -p "$work/driver-$mode"
    run_as $mode $mode-first 0
    same off-first $mode-first
    first=$(held $mode)
    [ "$mode" != off ] || [ "$first" -gt 0 ] || skip "this driver keeps no cache on disk"
    [ "$first" -gt 0 ] || fail "$mode: the driver's cache is empty"
    run_as $mode $mode-second 0
    same off-first $mode-second
    for seed in 0 1 2 3; do # 0: as they were
        WAVEPGO_DUMP="$work/dump-$mode-$seed" run_as $mode $mode-$seed $seed
        same off-first $mode-$seed
        [ $mode = off ] || diff -rq "$work/dump-$mode-0" "$work/dump-$mode-$seed" >"$work/diff" ||
            fail "$mode: words depend on the order: $(head -n 2 "$work/diff")"
    done
    [ "$(held $mode)" = "$first" ] || fail "$mode: the driver's cache grew from $first to $(held $mode) bytes: it was missed"
    echo "$mode: $many pipelines in $(took $mode-first) ms of processors, in the next run $(took $mode-second) ms"
done
[ "$(find "$work/dump-generate-0" -name '*.generate.spv' | grep -c .)" -ge $((many * 9 / 10)) ] || fail "nothing was dumped: this test sees nothing"
[ "$(find "$work/dump-use-0" -name '*.use.spv' | grep -c .)" -ge $((many * 9 / 10)) ] || echo "note: use mode changes nothing on this driver"
# Other words are seen to make it grow.
before=$(held generate)
WAVEPGO_SLOTS=1024 run_as generate other 0
[ "$(held generate)" -gt "$before" ] || fail "other words do not show in the driver's cache: this test sees nothing"
finish

#!/bin/sh
# Debian's own Vulkan programs under Xvfb (WPG_CASE = vkcube, vkd3d-gears, vkd3d-triangle): the presented image is the
# same without the layer, in generate mode and in use mode; one profile a pipeline hash, the same ones in a second run;
# stock llvm-profdata accepts them. The vkd3d demos never destroy their device: they are ended by exit() in a present.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so"
need_program "$WPG_CASE"
start_x
make_shim
case $WPG_CASE in
vkcube) frame=30 program="vkcube --c 40 --suppress_popups" ;;
*)
    frame=1 program=$WPG_CASE
    export SHIM_EXIT=1
    ;;
esac
export VK_ADD_LAYER_PATH="$shim_folder" VK_INSTANCE_LAYERS=VK_LAYER_WAVEPGO_TEST_shim
limit="timeout 120"

shoot() { # NAME: where the next run's image goes
    export SHIM_SHOT="$frame:$work/$1.ppm"
}
same_image() {
    [ -s "$work/$2.ppm" ] || { fail "$2 presented no image $frame: $(tail -n 3 "$work/$2.err")"; return; }
    cmp -s "$work/$1.ppm" "$work/$2.ppm" || fail "the image of $2 is not that of $1 ($work/$2.ppm)"
}
shoot absent
plain absent $limit $program
exited absent 0
[ -s "$work/absent.ppm" ] || skip "$WPG_CASE presents nothing here: $(tail -n 2 "$work/absent.err")"

for name in one two; do
    shoot $name
    generate $name $limit $program
    same absent $name
    same_image absent $name
done
# With everything that can be told and measured of its command buffers.
shoot measured
WAVEPGO_BUNDLE="$work/measured.wavepgo" WAVEPGO_TIMESTAMPS=1 WAVEPGO_PIPELINE_STATISTICS=1 generate measured $limit $program
same absent measured
same_image absent measured
grep -l "^sum draws [1-9]" "$work"/measured.wavepgo/pipelines/*.facts >/dev/null 2>&1 || fail "no draws seen: $(tail -n 3 "$work/measured.log")"
"$wavepgo" show "$work/measured.wavepgo" >"$work/shown" || fail "show of the bundle"
# vkcube records its command buffers for simultaneous use, and destroys its device.
[ "$WPG_CASE" != vkcube ] || grep "^sum gpu-nanoseconds [1-9]" "$work"/measured.wavepgo/pipelines/*.facts >/dev/null || fail "no time was measured"
[ "$(count_profiles one)" -ge 1 ] || fail "no profile; log: $(head -n 5 "$work/one.log")"
(cd "$work/one" && ls) >"$work/names-one"
(cd "$work/two" && ls) >"$work/names-two"
cmp -s "$work/names-one" "$work/names-two" || fail "two runs give different file names"
accepted $(profiles one)

"$wavepgo" merge -o "$work/merged.profdata" "$work/one" >"$work/merge.out" 2>&1 || fail "merge: $(tail -n 2 "$work/merge.out")"
shoot used
use used "$work/merged.profdata" $limit $program
same absent used
same_image absent used
echo "$WPG_CASE: $(count_profiles one) pipelines"
finish

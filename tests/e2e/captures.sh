#!/bin/sh
# Replayed captures (WPG_CASE = vkcube, vkd3d-gears, vkd3d-triangle, glmark2): gfxreconstruct records a program without
# the layer; the replay, counted, gives the program's own pipeline hashes and counts; the merged profile of the replay
# applies to both, and every frame of both is the program's own in every mode. A capture made with the layer active has
# the program's own shaders, whichever of the two layers is above.
. "$(dirname "$0")/lib.sh"
frame_clock=$WPG_BUILD/lib/libwavepgo_test_frame_clock.so
need_built "$wavepgo" "$layer" "$frame_clock" "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so"
need_program "$WPG_CASE"
for tool in gfxrecon-replay gfxrecon-extract; do need_program $tool; done
start_x
make_shim
# last: how many frames; ends: whether the program ends by itself then.
last=6 ends=yes
case $WPG_CASE in
vkcube) program="vkcube --c $last --suppress_popups" ;;
vkd3d-gears) program=vkd3d-gears ends= ;;
vkd3d-triangle) program=vkd3d-triangle last=1 ends= ;;
glmark2)
    program="glmark2 -s 200x150 -b build:nframes=2 -b bump:bump-render=height:nframes=2 -b shadow:nframes=2"
    export MESA_LOADER_DRIVER_OVERRIDE=zink LIBGL_ALWAYS_SOFTWARE=1
    ;;
*) die "no such case: $WPG_CASE" ;;
esac
make_on_x
program="timeout 120 sh $on_x env LD_PRELOAD=$frame_clock${LD_PRELOAD:+:$LD_PRELOAD} $program"
shim=VK_LAYER_WAVEPGO_TEST_shim
capture=VK_LAYER_LUNARG_gfxreconstruct
export VK_ADD_LAYER_PATH="$shim_folder" GFXRECON_CAPTURE_FILE_TIMESTAMP=false
export VK_INSTANCE_LAYERS=$shim

# frames NAME: where the next run's frames go. The demos of vkd3d do not end: they are, in the last frame's present.
frames() {
    export SHIM_FRAMES="$work/$1.frames"
    [ -n "$ends" ] || export SHIM_EXIT=$last
}
same_frames() { # NAME NAME...: each has the frames of the first
    expected=$1
    shift
    for other in "$@"; do
        cmp "$work/$expected.frames" "$work/$other.frames" >"$work/diff" 2>&1 ||
            fail "$other does not present the frames of $expected: $(diff "$work/$expected.frames" "$work/$other.frames" 2>&1 | sed -n 2p); $(tail -n 2 "$work/$other.err")"
    done
}
# capture NAME COMMAND...: the command's Vulkan calls go to NAME.gfxr, its shaders to NAME.shaders. A program that does
# not end is ended when the capture is complete.
capture() {
    run_name=$1
    shift
    export SHIM_FRAMES="$work/$run_name.frames" GFXRECON_CAPTURE_FILE="$work/$run_name.gfxr"
    if [ -n "$ends" ]; then
        "$@" >"$work/$run_name.out" 2>"$work/$run_name.err" || fail "$run_name: exit code $?: $(tail -n 2 "$work/$run_name.err")"
    else
        unset SHIM_EXIT
        GFXRECON_CAPTURE_FRAMES=1-$last "$@" >"$work/$run_name.out" 2>"$work/$run_name.err" &
        recorder=$!
        tries=0
        until grep 'Finished recording' "$work/$run_name.out" "$work/$run_name.err" >/dev/null 2>&1; do
            tries=$((tries + 1))
            [ $tries -lt 600 ] && kill -0 $recorder 2>/dev/null || { fail "$run_name is not recorded: $(tail -n 2 "$work/$run_name.err")"; break; }
            sleep 0.1
        done
        kill $recorder
        wait $recorder 2>/dev/null
        mv "$work/${run_name}_frames_1_through_$last.gfxr" "$work/$run_name.gfxr" 2>/dev/null || mv "$work/${run_name}_frame_1.gfxr" "$work/$run_name.gfxr"
        head -n $last "$work/$run_name.frames" >"$work/frames" && mv "$work/frames" "$work/$run_name.frames"
    fi
    unset GFXRECON_CAPTURE_FILE
    gfxrecon-extract --dir "$work/$run_name.shaders" "$work/$run_name.gfxr" >"$work/extract.out" 2>&1 || fail "extract: $(tail -n 2 "$work/extract.out")"
    cat "$work/$run_name.shaders"/* 2>/dev/null | grep . >/dev/null || fail "the capture $run_name has no shaders"
}
# The modules a capture holds, by content.
contents() { (cd "$work/$1.shaders" && cksum sh*) | cut -d ' ' -f 1,2 | LC_ALL=C sort; }

frames absent
plain absent $program
exited absent 0
[ -s "$work/absent.frames" ] || skip "$WPG_CASE presents nothing here: $(tail -n 2 "$work/absent.err")"

VK_INSTANCE_LAYERS=$capture:$shim capture tape $program
same_frames absent tape
replay="timeout 120 gfxrecon-replay $work/tape.gfxr"
unset SHIM_EXIT
SHIM_FRAMES=$work/replay.frames plain replay $replay
[ "$(cat "$work/replay.code")" = 0 ] || skip "gfxrecon-replay does not replay $WPG_CASE here, without the layer: $(tail -n 2 "$work/replay.err")"
same_frames absent replay

# Counting: the program and its replay have the same pipelines, with the same counts.
frames program-one
generate program-one $program
unset SHIM_EXIT
SHIM_FRAMES=$work/replay-one.frames generate replay-one $replay
exited replay-one 0
same_frames absent program-one replay-one
(cd "$work/program-one" && ls) >"$work/names-program"
(cd "$work/replay-one" && ls) >"$work/names-replay"
[ -s "$work/names-program" ] || fail "no profile; log: $(head -n 5 "$work/program-one.log")"
diff "$work/names-program" "$work/names-replay" >"$work/diff" || fail "program and replay have other pipelines: $(head -n 4 "$work/diff")"
# Counts alone: the replay is another program.
unmade() { tail -n +2 | sed '/^ "made": \[/,/\],$/d'; }
for file in $(cat "$work/names-program"); do
    "$wavepgo" show --json "$work/program-one/$file" | unmade >"$work/counts-program"
    "$wavepgo" show --json "$work/replay-one/$file" | unmade >"$work/counts-replay"
    cmp -s "$work/counts-program" "$work/counts-replay" || fail "$file: the replay counts otherwise than the program"
done
accepted $(profiles replay-one)

# The replay's profile applies to the program and to the replay, by pipeline hash.
"$wavepgo" merge -o "$work/merged.profdata" "$work/replay-one" >"$work/merge.out" 2>&1 || fail "merge: $(tail -n 2 "$work/merge.out")"
frames program-used
use program-used "$work/merged.profdata" $program
unset SHIM_EXIT
SHIM_FRAMES=$work/replay-used.frames use replay-used "$work/merged.profdata" $replay
exited replay-used 0
same_frames absent program-used replay-used
sed 's/\.profraw$//' "$work/names-program" | LC_ALL=C sort >"$work/hashes"
for run in program-used replay-used; do
    sed -n 's/^{"pipeline": "\([0-9a-f]*\)".*/\1/p' "$work/$run.uselog" | LC_ALL=C sort -u >"$work/$run.hashes"
    cmp -s "$work/hashes" "$work/$run.hashes" || fail "$run: the use log names other pipelines than the profile"
    ! grep -E '"found": "[^"]*"' -o "$work/$run.uselog" | grep -v '"pipeline"' | sort | uniq -c | grep . ||
        fail "$run: the profile was not found by pipeline hash"
    grep -E '[1-9][0-9]* pipelines? seen.* 0 passed through' "$work/$run.log" >/dev/null || fail "$run: $(tail -n 1 "$work/$run.log")"
done

# Captured with the layer active: `wavepgo run` puts it below the capture layer, which records the program's own shaders.
WAVEPGO_LOG_FILE=$work/below.log VK_INSTANCE_LAYERS=$capture:$shim \
    capture below "$wavepgo" run --generate --profile-file "$work/below/%b.profraw" -- $program
same_frames absent below
contents tape >"$work/contents-tape"
contents below >"$work/contents-below"
diff "$work/contents-tape" "$work/contents-below" >"$work/diff" || fail "the capture made over the layer has other shaders: $(head -n 4 "$work/diff")"
[ -n "$ends" ] && { [ "$(count_profiles below)" = "$(count_profiles program-one)" ] || fail "captured, not every pipeline was counted"; }
# Asked for by hand above the capture layer, it would be recorded itself: it says so and passes everything through.
WAVEPGO_LOG_FILE=$work/above.log WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE=$work/above/%b.profraw \
    VK_INSTANCE_LAYERS=VK_LAYER_WAVEPGO_shader_pgo:$capture:$shim \
    VK_ADD_LAYER_PATH=$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder capture above $program
same_frames absent above
contents above >"$work/contents-above"
diff "$work/contents-tape" "$work/contents-above" >"$work/diff" || fail "the capture made below the layer has other shaders: $(head -n 4 "$work/diff")"
grep "$capture" "$work/above.log" >/dev/null || fail "above the capture layer nothing is said: $(head -n 3 "$work/above.log")"
[ ! -e "$work/above" ] || fail "above the capture layer pipelines were counted"
echo "$WPG_CASE: $(grep -c . "$work/names-program") pipelines, $(grep -c . "$work/absent.frames") frames, $(grep -c . "$work/contents-tape") shader modules"
finish

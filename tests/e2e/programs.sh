#!/bin/sh
# Debian's programs give the same frames without the layer, generating and using, from first to last; every pipeline of
# theirs is counted and finds its profile again. WPG_CASE:
#
#     glmark2   every scene, over Zink, by a clock of our own (WPG_FRAMES frames a scene, 3 unless said)
#     ffmpeg    the Vulkan filters that this ffmpeg has, on planar YUV or RGBA
#
# What does not run here without the layer is left out, and said.
. "$(dirname "$0")/lib.sh"
frame_clock=$WPG_BUILD/lib/libwavepgo_test_frame_clock.so
need_built "$wavepgo" "$layer" "$frame_clock" "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so"
need_program "$WPG_CASE"
ran=0 pipelines=0

# The presented frames of a run go to NAME.frames, where the program presents any.
presenting() { export SHIM_FRAMES="$work/$1.frames"; }
equal_runs() { # NAME NAME: output and frames
    cmp -s "$work/$1.out" "$work/$2.out" && { [ ! -e "$work/$1.frames" ] || cmp -s "$work/$1.frames" "$work/$2.frames"; }
}
same_run() { # NAME NAME COMMAND...: exit code, output, frames. A program that races with itself gives another output
    # without the layer too, within eight runs (ffmpeg 7.1's blend_vulkan does): it is left out, and said.
    if ! equal_runs "$1" "$2"; then
        first=$1 second=$2
        shift 2
        for again in 1 2 3 4 5 6 7 8; do
            presenting $name-again
            plain $name-again "$@"
            if ! equal_runs "$first" $name-again; then
                echo "$name differs from run to run without the layer (run $again): left out"
                return 1
            fi
        done
        set -- "$first" "$second"
    fi
    same "$1" "$2"
    [ ! -e "$work/$1.frames" ] || cmp "$work/$1.frames" "$work/$2.frames" >"$work/cmp" 2>&1 || fail "frames: $(cat "$work/cmp")"
}

# in_every_mode NAME COMMAND...
in_every_mode() {
    name=$1
    shift
    presenting $name-absent
    plain $name-absent "$@"
    if [ "$(cat "$work/$name-absent.code")" != 0 ]; then
        echo "$name does not run here without the layer: left out: exit code $(cat "$work/$name-absent.code"): $(tail -n 1 "$work/$name-absent.err")"
        return
    fi
    ran=$((ran + 1))
    presenting $name-counted
    generate $name-counted "$@"
    same_run $name-absent $name-counted "$@" || return 0
    grep -E '[1-9][0-9]* pipelines? seen.* 0 passed through' "$work/$name-counted.log" >/dev/null ||
        fail "$name: not every pipeline was counted: $(tail -n 2 "$work/$name-counted.log")"
    pipelines=$((pipelines + $(count_profiles $name-counted)))
    "$wavepgo" merge -o "$work/$name.profdata" "$work/$name-counted" >"$work/merge.out" 2>&1 || fail "$name: merge: $(tail -n 2 "$work/merge.out")"
    presenting $name-used
    use $name-used "$work/$name.profdata" "$@"
    same_run $name-absent $name-used "$@" || return 0
    found=$(grep -o '"found": "[^"]*"' "$work/$name-used.uselog" | sort | uniq -c)
    [ "$(echo "$found" | cut -d '"' -f 4)" = pipeline ] || fail "$name: not every stage found its profile by pipeline: $found"
}

case $WPG_CASE in
glmark2)
    start_x
    make_shim
    export VK_ADD_LAYER_PATH="$shim_folder" VK_INSTANCE_LAYERS=VK_LAYER_WAVEPGO_TEST_shim
    export MESA_LOADER_DRIVER_OVERRIDE=zink LIBGL_ALWAYS_SOFTWARE=1
    make_on_x
    scenes=
    for scene in $(glmark2 --list-scenes | sed -n 's/^\[Scene\] //p'); do scenes="$scenes -b $scene:nframes=${WPG_FRAMES:-3}"; done
    in_every_mode glmark2 timeout 500 sh "$on_x" env LD_PRELOAD="$frame_clock" glmark2 -s 200x150 $scenes
    grep 'GL_RENDERER: *zink' "$work/glmark2-absent.out" >/dev/null || skip "no Zink here: $(grep GL_RENDERER "$work/glmark2-absent.out")"
    frames=$(grep -c . "$work/glmark2-absent.frames")
    [ "$frames" -ge 30 ] || fail "glmark2 presented $frames frames"
    accepted $(profiles glmark2-counted)
    ;;
ffmpeg)
    ffmpeg -hide_banner -v error -filters >"$work/filters" 2>/dev/null
    bars=testsrc2=size=160x120:rate=5:duration=1
    # FILTER=OPTIONS FORMAT. Of two inputs this ffmpeg (5.1) does not await all planes: without any layer, planar frames
    # then differ from run to run.
    filter() {
        if ! grep " ${1%%=*} " "$work/filters" >/dev/null; then
            echo "${1%%=*} is not in this ffmpeg"
            return
        fi
        if grep " ${1%%=*} .*VV->V" "$work/filters" >/dev/null; then
            in_every_mode "${1%%=*}-$2" timeout 60 ffmpeg -hide_banner -nostdin -v error -init_hw_device vulkan=v:0 -filter_hw_device v \
                -f lavfi -i $bars -f lavfi -i mandelbrot=size=160x120:rate=5 \
                -filter_complex "[0:v]format=$2,hwupload[a];[1:v]format=$2,hwupload[b];[a][b]$1,hwdownload,format=$2" -frames:v 3 -f framemd5 -
        else
            in_every_mode "${1%%=*}-$2" timeout 60 ffmpeg -hide_banner -nostdin -v error -init_hw_device vulkan=v:0 -filter_hw_device v \
                -f lavfi -i $bars -vf "format=$2,hwupload,$1,hwdownload,format=$2" -frames:v 3 -f framemd5 -
        fi
    }
    for filter in gblur_vulkan=sigma=3 avgblur_vulkan=sizeX=4 chromaber_vulkan=dist_x=4:dist_y=3 flip_vulkan transpose_vulkan=dir=clock \
        scale_vulkan=w=100:h=80; do
        filter $filter yuv420p
    done
    for filter in gblur_vulkan=size=7 overlay_vulkan=x=20:y=30 blend_vulkan=c0_mode=multiply:c1_mode=multiply \
        xfade_vulkan=duration=0.6:offset=0.2; do
        filter $filter rgba
    done
    [ "$ran" -gt 0 ] || skip "no Vulkan filter of ffmpeg runs here"
    ;;
*) die "no such case: $WPG_CASE" ;;
esac
echo "$WPG_CASE: $ran runs, $pipelines pipelines${frames:+, $frames frames}: equal in every mode"
finish

#!/bin/sh
# FRAMES and TRIGGER (WPG_CASE = frames, trigger): exactly those frames are counted, nothing while the file is absent, and
# what the program does is the same. Gears over Zink record every frame anew; vkcube records once and is told so.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
export WAVEPGO_SUMMARY=0

# The lanes of a stage's first block, summed over shaders; nothing without a profile.
lanes() { # STAGE FOLDER
    [ "$(find "$2" -name '*.profraw' 2>/dev/null | grep -c .)" -gt 0 ] || return 0
    "$wavepgo" show --json "$2" | sed -n "s/.*\"stage\": \"$1\",.*\"function\".*\"lanes\": \[\([0-9]*\).*/\1/p" | awk '{ n += $1 } END { print n }'
}

case $WPG_CASE in
frames)
    need_program glxgears
    need_program vkcube
    start_x
    gears() { # NAME RANGE: until the range has passed and its counts are written
        mkdir -p "$work/$1"
        MESA_LOADER_DRIVER_OVERRIDE=zink LIBGL_ALWAYS_SOFTWARE=1 WAVEPGO_FRAMES=$2 WAVEPGO_FLUSH_INTERVAL=0.2 WAVEPGO_LOG=info \
            WAVEPGO_LOG_FILE=$work/$1.log "$wavepgo" run --generate --profile-file "$work/$1/%b.profraw" -- glxgears >"$work/$1.out" 2>&1 &
        victim=$!
        trap 'kill -9 $victim $xvfb_pid 2>/dev/null' EXIT
        tries=0
        until grep 'counting stops' "$work/$1.log" >/dev/null 2>&1; do
            tries=$((tries + 1))
            [ $tries -lt 200 ] && kill -0 $victim 2>/dev/null || skip "glxgears over Zink does not run here: $(tail -n 2 "$work/$1.out")"
            sleep 0.1
        done
        before=none
        now=$(lanes vert "$work/$1")
        while [ "$now" != "$before" ]; do
            sleep 1
            before=$now
            now=$(lanes vert "$work/$1")
        done
        kill -9 $victim
        wait $victim 2>/dev/null
        counted=${now:-0}
    }
    # The same vertices in every frame.
    gears ten 11-20
    ten=$counted
    gears thirty 21-50
    [ "$ten" -gt 0 ] && [ $((ten * 3)) = "$counted" ] || fail "10 frames have $ten vertices, 30 have $counted"
    # One of each four frames, which stands for four.
    export WAVEPGO_SAMPLE=1/4 WAVEPGO_SAMPLE_BY=frame WAVEPGO_SAMPLE_SEED=5
    gears sampled 21-60
    unset WAVEPGO_SAMPLE WAVEPGO_SAMPLE_BY WAVEPGO_SAMPLE_SEED
    [ $((ten * 4)) = "$counted" ] || fail "10 frames have $ten vertices, 40 sampled by frame $counted"
    "$wavepgo" show --json sampled | sed -n 's/.*"samples": \[\([0-9]*\), \([0-9]*\),.*/\1 \2/p' | awk '{ n++ } $1 * 4 != $2 { bad = 1 } END { exit n == 0 || bad }' ||
        fail "sampled by frame: not 1 of 4 was seen"
    # A program that records its command buffers once; one that ends before; one that presents nothing; and no range.
    WAVEPGO_FRAMES=5-9 generate cube timeout 60 vkcube --c 20 --suppress_popups
    exited cube 0
    logged_once cube 'recorded while counting was on'
    WAVEPGO_FRAMES=100- generate late timeout 60 vkcube --c 5 --suppress_popups
    logged_once late 'ended in frame [567]'
    plain still-absent "$app" compute "$WPG_SPIRV"
    WAVEPGO_FRAMES=2-3 generate still "$app" compute "$WPG_SPIRV"
    same still-absent still
    logged_once still 'presented nothing'
    ;;
trigger)
    mkdir -p "$work/on"
    WAVEPGO_TRIGGER=$work/go WAVEPGO_FLUSH_INTERVAL=0.2 WAVEPGO_LOG=info WAVEPGO_LOG_FILE=$work/on.log "$wavepgo" run --generate \
        --profile-file "$work/on/%b.profraw" -- "$app" forever "$WPG_SPIRV" 1 >"$work/on.out" 2>&1 &
    victim=$!
    trap 'kill -9 $victim 2>/dev/null' EXIT
    wait_for() { # TEXT COMMAND...
        text=$1
        shift
        tries=0
        until "$@"; do
            tries=$((tries + 1))
            [ $tries -lt 300 ] && kill -0 $victim 2>/dev/null || { fail "$text: $(tail -n 3 "$work/on.log")"; return; }
            sleep 0.1
        done
    }
    counted() { [ "$(lanes comp "$work/on")" -gt "${1:-0}" ] 2>/dev/null; }
    wait_for "the program does not start" grep ready "$work/on.out" >/dev/null
    counted 0 && fail "counted without the file"
    touch "$work/go"
    wait_for "the file does not start it" counted 0
    rm "$work/go"
    wait_for "its removal does not stop it" grep 'counting stops' "$work/on.log" >/dev/null
    sleep 1
    before=$(lanes comp "$work/on")
    sleep 1
    [ "$(lanes comp "$work/on")" = "$before" ] || fail "counted after the file was removed"
    touch "$work/go"
    wait_for "the file does not start it again" counted "$before"
    kill -9 $victim
    wait $victim 2>/dev/null
    accepted $(profiles on)
    # Links of library parts, fast and optimised: the twin is one pipeline. As many lanes as where parts count themselves.
    plain parts-absent "$app" library "$WPG_SPIRV"
    if [ "$(cat "$work/parts-absent.code")" != 77 ]; then
        generate parts "$app" library "$WPG_SPIRV"
        WAVEPGO_TRIGGER=$work/go generate parts-on "$app" library "$WPG_SPIRV"
        WAVEPGO_TRIGGER=$work/never generate parts-off "$app" library "$WPG_SPIRV"
        same parts-absent parts-on
        same parts-absent parts-off
        for stage in vert frag; do
            all=$(lanes $stage "$work/parts")
            [ "$all" -gt 0 ] && [ "$(lanes $stage "$work/parts-on")" = "$all" ] ||
                fail "links: $stage has $all lanes, with the file there $(lanes $stage "$work/parts-on")"
        done
        [ -z "$(lanes vert "$work/parts-off")" ] || [ "$(lanes vert "$work/parts-off")" = 0 ] || fail "links counted without the file"
    fi
    ;;
*) die "no such case: $WPG_CASE" ;;
esac
finish

#!/bin/sh
# The family dolphin: Dolphin, the GameCube and Wii emulator, with its uber-shaders (README.md).
#
#     sh shaders/real/dolphin.sh fetch | list | using | run PROGRAM,PROGRAM... SECONDS | attainable PROGRAM,PROGRAM... SECONDS
#
# The programs are GRRLIB's examples for the Wii, which its repository held as binaries for release 4.2.0. GRRLIB: a repository to
# take them from (default: the one at github.com). Dolphin is Debian's, on a display of Xvfb, in a home of its own, with the
# setting "Exclusive Ubershaders". attainable: the same with "Specialized", a shader of Dolphin's own for each state.
# Time is that of all threads but the one in which Dolphin compiles for later. An image that is presented twice counts once.
# Exit code 77: something is missing; it says what.
set -eu
name=dolphin
. "$(dirname "$0")/frames.sh"
. "$(dirname "$0")/running.sh"
PATH=$PATH:/usr/games
commit=01d32586cc53af9bb2a3ee94b1e83e5986031d57
folder=${WPG_REAL:-$(cd "$(dirname "$0")/../.." && pwd)/.deps/real}/dolphin
programs="3D_CubedTileDemo 3D_sample1 3D_sample2 3D_sample3 3D_sample4 TileDemo basic_drawing bitmap_fx blending compositing funsin
particle unlimited2d unlimited3d"
first=60 rate=60 most_tries=8000 # frames before the time counts; frames for a second of SECONDS; lavapipe compiles long
images=12 shown=240              # distinct images that are compared, of so many frames

fetch() {
    needs dolphin-emu-nogui dolphin-emu
    needs Xvfb xvfb
    [ -e "$shim" ] || skip "needs the tests' shim layer: build with WPG_BUILD_TESTS"
    [ ! -e "$folder/made" ] || return 0
    command -v git >/dev/null 2>&1 || skip "needs git"
    rm -rf "$folder"
    mkdir -p "$folder"
    from=${GRRLIB:-https://github.com/GRRLIB/GRRLIB}
    git init --quiet "$folder/git" && GIT_TERMINAL_PROMPT=0 git -C "$folder/git" fetch --quiet --depth 1 "$from" $commit >&2 ||
        { rm -rf "$folder"; skip "git could not fetch $from: GRRLIB=REPOSITORY names a copy"; }
    for program in $programs; do
        git -C "$folder/git" show "$commit:examples/$program/$program.dol" >"$folder/$program.dol" || skip "$from has no $program.dol"
    done
    rm -rf "$folder/git"
    : >"$folder/made"
}

# settings MODE: Dolphin's own, 1 for uber-shaders, 0 for specialised ones. The console's clock starts at one time.
settings() {
    rm -rf "$work/user"
    mkdir -p "$work/user/Config"
    printf '[Settings]\nShaderCompilationMode = %s\nWaitForShadersBeforeStarting = False\n' "$1" >"$work/user/Config/GFX.ini"
    printf '[Core]\nCPUThread = False\nEmulationSpeed = 0.0\nEnableCustomRTC = True\nCustomRTCValue = 0x386d4380\n' >"$work/user/Config/Dolphin.ini"
    printf '[DSP]\nBackend = No audio output\n[Interface]\nOnScreenDisplayMessages = False\n' >>"$work/user/Config/Dolphin.ini"
    printf '[Analytics]\nEnabled = False\nPermissionAsked = True\n' >>"$work/user/Config/Dolphin.ini"
}
ticks() {
    cat /proc/$game/task/*/stat 2>/dev/null | grep -v '(AsyncShader' | awk '{ sub(/.*\) /, ""); n += $12 + $13 } END { if (NR) print n }'
}
start() {
    : >"$times"
    dolphin-emu-nogui -p x11 -u "$work/user" -v Vulkan -e "$folder/$1.dol" >"$work/program" 2>&1 &
    game=$!
    trap 'end_game; kill $x_server 2>/dev/null; rm -rf "$work"' EXIT
}
# The first signal asks Dolphin to stop, which it may not do in minutes; the second one stops it.
stop() {
    kill $game 2>/dev/null || true
    sleep 0.3
    end_game
}
failed() { echo "dolphin: failed: $1: $(tail -n 2 "$work/program")" >&2; }

# images_of PROGRAM MODE: $hash, of the first distinct images. Where there are fewer, the last one may have come late.
images_of() {
    settings "$2"
    rm -f "$work/frames"
    SHIM_FRAMES=$work/frames
    export SHIM_FRAMES
    start "$1"
    until_frame $shown || failed "$1"
    stop
    unset SHIM_FRAMES
    hash=$(head -n $shown "$work/frames" | awk '{ print $3 }' | uniq | awk -v most=$images '
        NR <= most { image[NR] = $0 } END { for (i = 1; i <= (NR < most ? NR - 1 : most); i++) print image[i] }' | sha256sum | cut -c 1-12)
}

# measure PROGRAM MODE SECONDS: its line.
measure() {
    settings "$2"
    start "$1"
    between $first "$(awk "BEGIN { print int($first + 10 + $rate * $3) }")" || { failed "$1"; stop; return 0; }
    stop
    images_of "$1" "$2"
    echo "$1 $time $hash"
}

case ${1:-} in
fetch) fetch ;;
list) printf '%s\n' $programs ;;
using) echo --compile blocking ;;
run | attainable)
    [ "$1" = run ] && mode=1 || mode=0
    scratch
    start_x
    HOME=$work times=$work/times SHIM_TIMES=$work/times
    export HOME SHIM_TIMES
    use_shim
    for program in $(echo "$2" | tr , ' '); do measure "$program" $mode "$3"; done
    ;;
*)
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

#!/bin/sh
# The family games: SuperTuxKart over Vulkan and over Zink (README.md).
#
#     sh shaders/real/games.sh fetch | list | run GAME,GAME... SECONDS
#
# Debian's game, on a display of Xvfb, in a home of its own. The tests' shim layer counts the frames; then the game is ended.
# Frames go by the clock and by chance, so they are not compared. Exit code 77: something is missing; it says what.
set -eu
name=games
. "$(dirname "$0")/frames.sh"
PATH=$PATH:/usr/games
command_of() {
    case $1 in
    supertuxkart) echo supertuxkart --render-driver=vulkan $kart ;;
    supertuxkart-zink) echo env MESA_LOADER_DRIVER_OVERRIDE=zink LIBGL_ALWAYS_SOFTWARE=1 supertuxkart $kart ;;
    *) echo "games: no game '$1'" >&2; exit 2 ;;
    esac
}
kart='--screensize=640x480 --windowed --no-sound --track=lighthouse --profile-laps=9 --numkarts=2'
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$game/stat" 2>/dev/null; }
presented() { grep -c . "$work/frames" 2>/dev/null || true; }
# until_frame N: waits; fails where the game ends before.
until_frame() {
    tries=0
    while [ "$(presented)" -lt "$1" ]; do
        tries=$((tries + 1))
        kill -0 $game 2>/dev/null && [ $tries -lt 3000 ] || return 1
        sleep 0.05
    done
}
# Five seconds to end by itself: over Zink the game may hang in its exit handlers.
end_game() {
    kill $game 2>/dev/null || return 0
    tries=0
    while kill -0 $game 2>/dev/null && [ $tries -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    kill -9 $game 2>/dev/null || true
    wait $game 2>/dev/null || true
}
case ${1:-} in
fetch)
    needs supertuxkart supertuxkart libgl1-mesa-dri
    needs Xvfb xvfb
    [ -e "$shim" ] || skip "needs the tests' shim layer: build with WPG_BUILD_TESTS"
    ;;
list) printf '%s\n' supertuxkart supertuxkart-zink ;;
run)
    scratch
    start_x
    HOME=$work SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null SHIM_FRAMES=$work/frames
    first=40 last=$(awk "BEGIN { n = int(60 * $3); print 50 + n }")
    export HOME SDL_AUDIODRIVER ALSOFT_DRIVERS SHIM_FRAMES
    use_shim
    for item in $(echo "$2" | tr , ' '); do
        : >"$work/frames"
        $(command_of "$item") >"$work/program" 2>&1 &
        game=$!
        trap 'end_game; kill $x_server 2>/dev/null; rm -rf "$work"' EXIT
        until_frame $first && from=$(ticks) frame=$(presented) && until_frame "$last" && to=$(ticks) at=$(presented) && [ -n "$to" ] &&
            echo "$item $(((to - from) * 10000 / (at - frame))) -" || echo "games: failed: $item: $(tail -n 2 "$work/program")" >&2
        end_game
    done
    ;;
*)
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

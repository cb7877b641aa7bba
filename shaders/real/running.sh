# What families of programs that do not end by themselves share; sourced after frames.sh by their scripts (README.md).
#
# $game is the process, $times the file of the tests' shim layer, which notes each frame (SHIM_TIMES).
presented() { grep -c ^present "$times" 2>/dev/null || true; }
# until_frame N: waits; fails where the program ends before.
until_frame() {
    tries=0
    while [ "$(presented)" -lt "$1" ]; do
        tries=$((tries + 1))
        kill -0 $game 2>/dev/null && [ $tries -lt "${most_tries:-3000}" ] || return 1
        sleep 0.05
    done
}
# Five seconds to end by itself: over Zink the program may hang in its exit handlers.
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
# between FIRST LAST: $time, in microseconds of `ticks` a frame, of the frames from FIRST to LAST.
between() {
    until_frame "$1" && from=$(ticks) frame=$(presented) && until_frame "$2" && to=$(ticks) at=$(presented) && [ -n "$to" ] &&
        time=$(((to - from) * 10000 / (at - frame)))
}

# What families of programs that draw frames share; sourced by their scripts, with $name set (README.md).
#
# A family defines `draw ITEM FRAMES`, which runs the program by `measured`. `item ITEM RATE SECONDS` has it draw a few
# frames, and RATE more a second. The difference of both processor times is that of the frames alone, without start and
# compiling. A third run hashes each presented image, by the tests' shim layer and the tests' clock. These come from
# WPG_BUILD, which measure.sh sets; without them results are not compared.
skip() { echo "$name: skipped: $*" >&2; exit 77; }

# needs PROGRAM PACKAGE...: installs the packages where the program is absent.
needs() {
    command -v "$1" >/dev/null 2>&1 && return 0
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || skip "$1 is missing, and packages are installed by root alone: $*"
    program=$1
    shift
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >/dev/null 2>&1 || skip "apt-get could not install: $*"
    command -v "$program" >/dev/null 2>&1 || skip "$* lack $program"
}

# scratch: $work, a folder that goes when the script ends, and the display with it.
scratch() {
    work=$(mktemp -d) x_server=
    trap '[ -z "$x_server" ] || kill $x_server 2>/dev/null; rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$work}
    export XDG_RUNTIME_DIR
}
start_x() {
    : >"$work/display"
    Xvfb -displayfd 5 -screen 0 800x600x24 -nolisten tcp -noreset 5>"$work/display" >"$work/xvfb" 2>&1 &
    x_server=$! tries=0
    while [ ! -s "$work/display" ]; do
        tries=$((tries + 1))
        [ $tries -le 100 ] || skip "Xvfb does not start: $(tail -n 1 "$work/xvfb")"
        sleep 0.1
    done
    DISPLAY=:$(cat "$work/display")
    export DISPLAY
    unset WAYLAND_DISPLAY
}

# The test tools. $by_clock goes before a program: time is then counted in readings, and each run draws the same.
shim=${WPG_BUILD:-}/lib/libVkLayer_wavepgo_test_shim.so
clock=${WPG_BUILD:-}/lib/libwavepgo_test_frame_clock.so
by_clock=env
[ ! -e "$clock" ] || by_clock="env LD_PRELOAD=$clock"
# The shim below all other layers; for a subshell.
use_shim() {
    cat >"$work/shim.json" <<JSON
{"file_format_version": "1.1.2", "layer": {"name": "VK_LAYER_WAVEPGO_TEST_shim", "type": "GLOBAL", "library_path": "$shim",
 "api_version": "1.3.0", "implementation_version": "1", "description": "hashes presented images"}}
JSON
    VK_ADD_LAYER_PATH=${VK_ADD_LAYER_PATH:+$VK_ADD_LAYER_PATH:}$work
    VK_INSTANCE_LAYERS=${VK_INSTANCE_LAYERS:+$VK_INSTANCE_LAYERS:}VK_LAYER_WAVEPGO_TEST_shim
    export VK_ADD_LAYER_PATH VK_INSTANCE_LAYERS
}

# measured COMMAND...: $microseconds is the processor time of all its threads and children; $work/program has what it
# printed. An X error of Mesa's presenting thread, whose window is gone at the end, is no failure.
measured() {
    bash -c 'TIMEFORMAT="%3U %3S"; time "$@" >"$0/program" 2>&1' "$work" "$@" 2>"$work/time" ||
        grep 'Major opcode.*X_PutImage' "$work/program" >/dev/null || { echo "$name: failed: $*: $(tail -n 3 "$work/program")" >&2; return 1; }
    microseconds=$(tail -n 1 "$work/time" | awk '{ printf "%d", ($1 + $2) * 1000000 }')
}

# timed ITEM RATE SECONDS: $time, in microseconds a frame.
timed() {
    few=5 more=$(awk "BEGIN { n = int($2 * $3); print n < 10 ? 10 : n }")
    draw "$1" $few || return 1
    short=$microseconds
    draw "$1" $((few + more)) || return 1
    time=$(awk "BEGIN { t = ($microseconds - $short) / $more; printf \"%.1f\", t < 1 ? 1 : t }")
}

# item ITEM RATE SECONDS: its line.
item() {
    timed "$@" || return 0
    hash=-
    if [ -e "$shim" ] && [ -e "$clock" ]; then
        rm -f "$work/frames"
        (use_shim && SHIM_FRAMES=$work/frames && export SHIM_FRAMES && draw "$1" 8) || return 0
        [ ! -s "$work/frames" ] || hash=$(sha256sum "$work/frames" | cut -c 1-12)
    fi
    echo "$1 $time $hash"
}

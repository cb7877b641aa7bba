#!/bin/sh
# The family demos: vkcube, and vkd3d-gears of vkd3d's demos, Direct3D 12 (README.md). Small shaders: they must lose nothing.
#
#     sh shaders/real/demos.sh fetch | list | run PROGRAM,PROGRAM... SECONDS
#
# Debian's vulkan-tools and vkd3d-demos, on a display of Xvfb. vkd3d-gears does not end: the tests' shim layer ends it
# after so many presents. Exit code 77: something is missing; it says what.
set -eu
name=demos
. "$(dirname "$0")/frames.sh"
draw() {
    case $1 in
    vkcube) measured timeout -k 5 120 $by_clock vkcube --c "$2" --width 640 --height 480 --present_mode 0 --suppress_popups ;;
    *) (use_shim && SHIM_EXIT=$2 && export SHIM_EXIT && measured timeout -k 5 120 $by_clock "$1" && echo "$microseconds" >"$work/time") &&
        microseconds=$(cat "$work/time") ;;
    esac
}
case ${1:-} in
fetch)
    needs vkcube vulkan-tools
    needs vkd3d-gears vkd3d-demos
    needs Xvfb xvfb
    ;;
list)
    echo vkcube
    [ ! -e "$shim" ] || echo vkd3d-gears
    ;;
run)
    scratch
    start_x
    for program in $(echo "$2" | tr , ' '); do item "$program" 300 "$3"; done
    ;;
*)
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

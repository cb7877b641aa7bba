#!/bin/sh
# The family blender: images of EEVEE and Workbench, OpenGL over Zink (README.md).
#
#     sh shaders/real/blender.sh fetch | list | run SCENE,SCENE... SECONDS
#
# Debian's blender, on a display of Xvfb. Exit code 77: something is missing; it says what.
set -eu
name=blender
here=$(cd "$(dirname "$0")" && pwd)
. "$here/frames.sh"
case ${1:-} in
fetch)
    needs blender blender libgl1-mesa-dri
    needs Xvfb xvfb
    ;;
list) sed -n "s/^    '\([a-z]*\)': (.*/\1/p" "$here/blender.py" ;;
run)
    scratch
    start_x
    export MESA_LOADER_DRIVER_OVERRIDE=zink LIBGL_ALWAYS_SOFTWARE=1
    timeout -k 5 600 blender --factory-startup --python "$here/blender.py" -- "$2" "$3" "$work/lines" >"$work/program" 2>&1 || true
    [ -s "$work/lines" ] || { echo "blender: failed: $(tail -n 3 "$work/program")" >&2; exit 1; }
    cat "$work/lines"
    ;;
*)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

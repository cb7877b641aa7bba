#!/bin/sh
# The family piglit: programs of piglit's shader_runner, OpenGL over Zink (README.md). What is compared is passed or failed.
#
#     sh shaders/real/piglit.sh fetch | list | run GROUP,GROUP... SECONDS
#
# Debian's piglit; a group is one specification's execution tests, the time is that of 20 of them a run of the program,
# with start and compiling. Exit code 77: something is missing; it says what.
set -eu
name=piglit
. "$(dirname "$0")/frames.sh"
root=/usr/lib/x86_64-linux-gnu/piglit
groups='glsl-1.10 glsl-1.20 glsl-1.30 glsl-1.50 arb_gpu_shader5 arb_compute_shader arb_shader_storage_buffer_object arb_arrays_of_arrays'
case ${1:-} in
fetch)
    needs piglit piglit libgl1-mesa-dri
    needs Xvfb xvfb
    [ -x $root/bin/shader_runner ] || skip "no $root/bin/shader_runner"
    ;;
list) for group in $groups; do echo "$group"; done ;;
run)
    scratch
    start_x
    export MESA_LOADER_DRIVER_OVERRIDE=zink LIBGL_ALWAYS_SOFTWARE=1 PIGLIT_SOURCE_DIR=$root
    for group in $(echo "$2" | tr , ' '); do
        # Every so many of a group, 40 at most.
        find "$root/tests/spec/$group" -path '*execution*' -name '*.shader_test' | LC_ALL=C sort >"$work/tests"
        awk -v all="$(grep -c . "$work/tests")" 'NR % (1 + int(all / 40)) == 0' "$work/tests" >"$work/chosen"
        : >"$work/verdicts" >"$work/log"
        total=0
        while [ -s "$work/chosen" ]; do
            head -n 20 "$work/chosen" >"$work/some"
            sed 1,20d "$work/chosen" >"$work/rest" && mv "$work/rest" "$work/chosen"
            # A test that crashes ends its batch, in each run at the same test.
            measured sh -c 'timeout -k 5 600 "$0"/bin/shader_runner $(cat "$1") -auto -fbo || true' $root "$work/some" || continue
            grep '^PIGLIT' "$work/program" >>"$work/verdicts" || true
            cat "$work/program" >>"$work/log"
            total=$((total + microseconds))
        done
        [ -s "$work/verdicts" ] || continue
        [ -z "${KEEP_VERDICTS:-}" ] || cp "$work/log" "$KEEP_VERDICTS/$group"
        echo "$group $total $(sha256sum "$work/verdicts" | cut -c 1-12)"
    done
    ;;
*)
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

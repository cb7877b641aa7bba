#!/bin/sh
# Lane counts do not depend on the driver: generate on the newest and on the oldest lavapipe, compare every lanes array;
# and the lanes of a full-screen pass are its pixels.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench" "$app"
[ -n "$(driver_icd old)" ] || skip "only one lavapipe version here"

lanes_of() { # FOLDER: one line a shader: hash, stage, function, lanes
    for file in $(profiles "$1"); do
        "$wavepgo" show --json "$file" || fail "wavepgo show --json $file"
    done | sed -n 's/.*"shader": "\([0-9a-f]*\)", "stage": "\([a-z]*\)",.*"function": \([0-9]*\),.*"lanes": \(\[[^]]*\]\).*/\1 \2 \3 \4/p' | LC_ALL=C sort
}

for driver in new old; do
    use_driver $driver
    generate bench-$driver $bench --size small --checksum
    exited bench-$driver 0
    generate draw-$driver "$app" draw "$WPG_SPIRV"
    exited draw-$driver 0
    lanes_of bench-$driver >"$work/lanes-$driver"
    [ "$(grep -c . "$work/lanes-$driver")" -ge 8 ] || fail "too few shaders on $driver: $(head -n 3 "$work/bench-$driver.log")"
    pixels=$(sed -n 's/.*of \([0-9]*\) pixels/\1/p' "$work/draw-$driver.out")
    lanes_of draw-$driver >"$work/draw-lanes-$driver"
    entry=$(sed -n 's/^[0-9a-f]* frag 0 \[\([0-9]*\).*/\1/p' "$work/draw-lanes-$driver")
    [ -n "$pixels" ] && [ "$pixels" = "$entry" ] || fail "$driver: a full-screen pass of $pixels pixels has ${entry:-no} lanes"
done
same bench-new bench-old
# The benchmarks mesh and patch draw with a depth test: early tests are declared for them, so that fragments killed early
# are counted nowhere.
diff "$work/lanes-new" "$work/lanes-old" >"$work/diff" || { fail "lane counts differ between drivers:"; cut -c1-200 "$work/diff" | head -n 10; }
finish

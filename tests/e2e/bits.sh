#!/bin/sh
# Last bits: a loop whose first trip, once unrolled, is x * a + x * b, which Mesa factors where it may. At a size that
# shows it, off, generate and use give equal outputs, for the benchmark's shader and for a larger one of the same arithmetic.
# lavapipe 22.3.6 unrolls by itself what it finds uniform values for, in shaders of more than 100 values: there the larger shader
# has other bits than the smaller without any layer, and counting makes the smaller one large.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"
need_program glslangValidator

mkdir -p "$work/large"
cp "$WPG_BUILD"/shaders/*.spv "$work/large/"
# 40 more steps of integer work behind the loop, whose result is used and never matters.
awk '/result\[gid\] = sum;/ {
        print "uint h = gid;"
        for (i = 0; i < 40; i++) print "h = (h ^ (h >> " 3 + i % 13 "u)) * " 40503 + 2 * i "u + gl_LocalInvocationID.x;"
        print "if (h == 12345u && gid > 4000000000u) sum += 1.0;"
     } { print }' "$WPG_SOURCE/shaders/trip_uniform.comp" >"$work/large.comp"
glslangValidator -V --quiet --target-env vulkan1.1 -S comp --source-entrypoint main -e trip_uniform \
    -o "$work/large/trip_uniform.comp.spv" "$work/large.comp" >"$work/glslang.out" 2>&1 ||
    die "glslangValidator: $(tail -n 3 "$work/glslang.out")"

for form in small large; do
    folder=$WPG_BUILD/shaders
    [ $form = small ] || folder=$work/large
    run_bench="$bench --shaders $folder --case trip_uniform --size demo --checksum"
    plain $form $run_bench
    exited $form 0
    generate $form-generate $run_bench
    use $form-use "$work/$form-generate" $run_bench
    same $form $form-use
    guarded=$(grep -c '"pass": "\(trip-guard\|versions\)", "done": true' "$work/$form-use.uselog")
    case $WPG_DRIVER in
    new) [ "$guarded" != 0 ] || fail "$form: no loop was versioned or guarded: $(head -n 3 "$work/$form-use.uselog")" ;;
    *) [ "$guarded" = 0 ] || fail "$form: guarded on a driver that specialises by itself" ;;
    esac
done
same large large-generate
# Conditions that stand still: decided in copies of the loop, or left where a driver specialises by itself.
run_bench="$bench --case loop_modes --size small --checksum"
plain modes $run_bench
exited modes 0
generate modes-generate $run_bench
use modes-use "$work/modes-generate" $run_bench
same modes modes-use
versions=$(grep -c '"pass": "versions", "done": true' "$work/modes-use.uselog")
case $WPG_DRIVER in
new) [ "$versions" = 1 ] || fail "loop_modes: $versions versions: $(head -n 3 "$work/modes-use.uselog")" ;;
*) [ "$versions" = 0 ] || fail "loop_modes: a version on a driver that runs both arms" ;;
esac
WAVEPGO_SKIP_PASSES=c
export WAVEPGO_SKIP_PASSES
use modes-loops "$work/modes-generate" $run_bench
unset WAVEPGO_SKIP_PASSES
same modes modes-loops
unswitched=$(grep -o '"pass": "unswitch", "done": true' "$work/modes-loops.uselog" | wc -l)
case $WPG_DRIVER in
new) [ "$unswitched" = 3 ] || fail "loop_modes: $unswitched conditions decided: $(head -n 3 "$work/modes-loops.uselog")" ;;
*) [ "$unswitched" = 0 ] || fail "loop_modes: unswitched on a driver that specialises by itself" ;;
esac
# A first trip that is not as the others: apart, or left in its loop by the same rule. The profile is of another size, too.
run_bench="$bench --case first_trip --size small --checksum"
plain first $run_bench
exited first 0
generate first-generate $run_bench
use first-use "$work/first-generate" $run_bench
same first first-use
peeled=$(grep -o '"pass": "peel", "done": true' "$work/first-use.uselog" | wc -l)
case $WPG_DRIVER in
new) [ "$peeled" = 1 ] || fail "first_trip: $peeled loops peeled: $(head -n 3 "$work/first-use.uselog")" ;;
*) [ "$peeled" = 0 ] || fail "first_trip: peeled on a driver that specialises by itself" ;;
esac
run_bench="$bench --case first_trip --size demo --checksum"
plain other $run_bench
use other-use "$work/first-generate" $run_bench
same other other-use
if [ "$WPG_DRIVER" = new ]; then
    same small small-generate
else
    cmp -s "$work/small.out" "$work/small-generate.out" || {
        echo "note: counting makes this driver specialise the smaller shader too: its bits are the larger one's"
        same large small-generate
    }
fi
finish

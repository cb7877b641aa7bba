#!/bin/sh
# Random compute, fragment and vertex shaders, each counted in several ways, against an interpreter: every counter of every
# block exact, the output untouched (random/random.c). WPG_CASE=simulated: the interpreter runs the instrumented shaders too, many more of them and in
# waves of up to 64 lanes. A few by default; WPG_RANDOM_KERNELS=5000 WPG_RANDOM_SEED=1000 for a long run.
# What fails lies, shrunk, in this test's folder.
. "$(dirname "$0")/lib.sh"
need_built "$WPG_PROGRAMS/e2e_random"
need_program glslangValidator
need_program spirv-as
export WPG_LVP_ICD="$VK_ICD_FILENAMES"
kernels=24
[ -z "${WPG_SANITIZED:-}" ] || kernels=8
[ -z "${WPG_NIGHTLY:-}" ] || kernels=1000
export MESA_SHADER_CACHE_DISABLE=true # each shader is compiled once
if [ "${WPG_CASE:-}" = simulated ]; then
    export WPG_RANDOM_DRIVER=none
    kernels=100
    [ -z "${WPG_NIGHTLY:-}" ] || kernels=5000
fi
WPG_RANDOM_KERNELS=${WPG_RANDOM_KERNELS:-$kernels} "$WPG_PROGRAMS/e2e_random" "$work"
code=$?
[ $code != 77 ] || exit 77
[ $code = 0 ] || fail "exit code $code"
# What once was wrong on a driver, lavapipe 22.3.6: counters that leave a loop by an arm; a flush where lanes share marks.
if [ "${WPG_CASE:-}" != simulated ]; then
    for seed in 3001036 3001156 28000079; do
        WPG_RANDOM_STAGE=comp WPG_RANDOM_CONFIG=all WPG_RANDOM_KERNELS=1 WPG_RANDOM_SEED=$seed "$WPG_PROGRAMS/e2e_random" "$work" ||
            fail "seed $seed: exit code $?"
    done
    # A loop over an array that its counter indexes: 22.3.6 unrolls it wrongly with an if before its exit.
    WPG_RANDOM_STAGE=frag WPG_RANDOM_CONFIG=all WPG_RANDOM_KERNELS=1 WPG_RANDOM_SEED=1 "$WPG_PROGRAMS/e2e_random" "$work" ||
        fail "seed 1 of fragment shaders: exit code $?"
else # a back edge behind a phi that is known on the way
    WPG_RANDOM_CONFIG=all WPG_RANDOM_KERNELS=1 WPG_RANDOM_SEED=701475 "$WPG_PROGRAMS/e2e_random" "$work" || fail "seed 701475: exit code $?"
fi
finish

#!/bin/sh
# The walk over the failing driver (walk.c) in one mode of the layer: WPG_CASE. Every driver call and every allocation
# of the layer fails once, or the device is odd.
. "$(dirname "$0")/../e2e/lib.sh"
walk=$WPG_PROGRAMS/wpg_icd_walk
need_built "$walk" "$layer" "$WPG_SPIRV/push.comp.spv" "$WPG_SPIRV/rays.rgen.spv"
# Nothing foreign runs here: what leaks is ours.
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=1
# Little memory, which every case fills anew. Without a cache folder each case rewrites its shaders.
export WAVEPGO_COUNTER_MEMORY=1 WAVEPGO_SLOTS=1024 WAVEPGO_SUMMARY=0 WAVEPGO_LOG=info WAVEPGO_CACHE=/dev/null/none
export WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/profiles/%b.profraw" WAVEPGO_LOG_FILE="$work/log"

walk() { # NAME ARGUMENTS...
    walked=$1
    shift
    : >"$work/log"
    "$walk" "$layer" "$WPG_SPIRV" "$@" >"$work/$walked.out" 2>"$work/$walked.err" || {
        fail "$walked: exit code $?"
        head -n 60 "$work/$walked.err"
    }
    tail -n 1 "$work/$walked.out"
}
# Everything that the layer can say where the driver or memory fails is said: a line each.
said() {
    for line in "$@"; do
        grep -E -e "$line" "$work/log" >/dev/null || fail "the log does not say: $line"
    done
}

case $WPG_CASE in
devices) # two at once, and a driver that gives a freed command buffer's handle to either
    two() {
        two_name=$1
        shift
        env "$@" "$walk" "$layer" "$WPG_SPIRV" --reload --pieces devices >"$work/$two_name.out" 2>"$work/$two_name.err" || {
            fail "$two_name: exit code $?"
            head -n 20 "$work/$two_name.err"
        }
    }
    two off WAVEPGO_MODE=off
    two generate
    two by-bind WAVEPGO_SAMPLE_BY=bind WAVEPGO_SAMPLE=1/2
    two observe WAVEPGO_BUNDLE="$work/bundle" WAVEPGO_PROFILE_FILE= WAVEPGO_TIMESTAMPS=1
    two use WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/profiles"
    two timed WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/bundle" WAVEPGO_TIMESTAMPS=1 WAVEPGO_TIMES="$work/times" WAVEPGO_STATS="$work/stats"
    two timed-off WAVEPGO_MODE=use WAVEPGO_PROFILE_USE= WAVEPGO_TIMESTAMPS=1 WAVEPGO_TIMES="$work/times-off"
    two variants WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/bundle"
    two tune WAVEPGO_MODE=tune WAVEPGO_PROFILE_USE="$work/profiles" WAVEPGO_PROFILE_FILE= WAVEPGO_BUNDLE="$work/tuned" WAVEPGO_FLUSH_INTERVAL=0
    [ "$(count_profiles profiles)" -ge 2 ] || fail "too few profiles"
    ;;
generate)
    walk generate
    said 'device passes through: out of memory' 'passes through: .*the driver refuses' 'trying without'
    ;;
cached)
    export WAVEPGO_CACHE="$work/cache"
    walk cached
    ;;
device-memory)
    export WAVEPGO_COUNTER_PLACEMENT=device
    walk device-memory
    ;;
by-bind)
    export WAVEPGO_SAMPLE_BY=bind WAVEPGO_SAMPLE=1/4
    walk by-bind
    ;;
probes)
    export WAVEPGO_PROBES=all WAVEPGO_FRAMES=2-3
    walk probes
    ;;
validate) # SPIRV-Tools: exceptions
    export WAVEPGO_VALIDATE=1
    ICD_WALK_ALLOCATIONS=60 walk validate --pieces compute,graphics,objects
    ;;
observe)
    export WAVEPGO_BUNDLE="$work/bundle" WAVEPGO_PROFILE_FILE= WAVEPGO_TIMESTAMPS=1 WAVEPGO_PIPELINE_STATISTICS=1
    export WAVEPGO_HARDWARE_COUNTERS='*'
    walk observe
    ;;
use)
    walk profile --pieces compute,graphics,libraries,objects,rays --odd
    [ "$(count_profiles profiles)" -ge 6 ] || fail "too few profiles to use"
    export WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/profiles" WAVEPGO_PSEUDO_PROBES=1
    walk use
    ;;
background) # the thread that makes them has its calls fail; the program's own stay bound then
    walk profile --pieces compute,graphics,libraries,objects,rays --odd
    [ "$(count_profiles profiles)" -ge 6 ] || fail "too few profiles to use"
    export WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/profiles" WAVEPGO_PSEUDO_PROBES=1 WAVEPGO_COMPILE=background ICD_WALK_ALLOCATIONS=300
    export ICD_WALK_RACES=1
    walk racing
    export WAVEPGO_VARIANT_WAIT=20 WAVEPGO_LOG=info
    walk background
    said 'the driver refuses the rewritten pipeline' 'made for a later run'
    ;;
variants) # the thread that makes them has its calls fail; the program's own are bound then
    WAVEPGO_BUNDLE="$work/bundle" WAVEPGO_PROFILE_FILE= walk profile --pieces variants --odd
    grep '^count push.00 0x00000002 ' "$work"/bundle/pipelines/*.facts >/dev/null || fail "no push constants to use"
    export WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/bundle" WAVEPGO_VARIANT_WAIT=20 WAVEPGO_LOG=info ICD_WALK_ALLOCATIONS=300
    walk variants --pieces variants
    said ': variant 1, for push constants 0x1f' 'the driver refuses a variant'
    walk odd --pieces variants --odd
    ;;
tune)
    walk profile --pieces compute,graphics,libraries,objects,rays --odd
    export WAVEPGO_MODE=tune WAVEPGO_PROFILE_USE="$work/profiles" WAVEPGO_PROFILE_FILE= WAVEPGO_BUNDLE="$work/bundle" WAVEPGO_FLUSH_INTERVAL=0 WAVEPGO_PSEUDO_PROBES=1
    walk tune --pieces compute,graphics,libraries,objects,rays
    # A tuning that is done changes nothing any more: each case of what runs commands begins its own.
    ICD_WALK_ALLOCATIONS=$([ -n "${WPG_NIGHTLY:-}" ] && echo 400 || echo 160) WAVEPGO_BUNDLE="$work/fresh-%p" walk tune-fresh --fresh --pieces commands
    [ "$(find bundle/verdicts -name "*.facts" | grep -c .)" -ge 1 ] || fail "no verdict was begun"
    ;;
static) # no candidate is bound: what the driver says of a build of its own decides
    walk profile --pieces compute --odd
    export WAVEPGO_MODE=tune WAVEPGO_PROFILE_USE="$work/profiles" WAVEPGO_PROFILE_FILE= WAVEPGO_FLUSH_INTERVAL=0 WAVEPGO_PSEUDO_PROBES=1
    export WAVEPGO_TUNE_METHOD=static WAVEPGO_LOG=info
    [ -n "${WPG_NIGHTLY:-}" ] || export ICD_WALK_ALLOCATIONS=40 # what fails where is the same in each of them, and in `tune`
    judged() { # NAME OWN:OTHER OUTCOME [ARGUMENTS OF THE WALK...]
        judged_name=$1 judged_cost=$2 judged_outcome=$3
        shift 3
        ICD_COST=$judged_cost WAVEPGO_BUNDLE="$work/$judged_name" walk "$judged_name" --pieces compute "$@"
        cat "$work/$judged_name"/verdicts/*.facts >"$work/$judged_name.facts" || { fail "$judged_name: no verdict"; return; }
        grep '^is method static' "$work/$judged_name.facts" >/dev/null || fail "$judged_name: not static"
        grep "^is candidate[^ ]* $judged_outcome" "$work/$judged_name.facts" >/dev/null || { fail "$judged_name: not '$judged_outcome'"; grep candidate "$work/$judged_name.facts"; }
        grep -E '^is samples[^ ]* [0-9a-f]' "$work/$judged_name.facts" >/dev/null && fail "$judged_name: something was timed"
    }
    judged cheaper 100:50 'wins 0.500000'
    judged dearer 100:150 'loses 1.500000'
    judged tie 100:95 'undecided 0.950000'
    # Without timestamps (one of the odd devices) it is so by itself. Tuned once, a pipeline is left alone by the devices that follow.
    unset WAVEPGO_TUNE_METHOD
    : >"$work/log"
    ICD_COST=100:50 WAVEPGO_BUNDLE="$work/timeless" "$walk" "$layer" "$WPG_SPIRV" --odd --pieces compute >"$work/timeless.out" 2>"$work/timeless.err"
    grep '^FAIL' "$work/timeless.err" | grep -v 'nothing is changed any more' && fail "timeless: a rule is broken"
    said 'has no timestamps: verdicts are static' 'the driver.s figures decide'
    ;;
odd)
    walk odd --odd
    WAVEPGO_COUNTER_PLACEMENT=device walk odd-device --odd
    export WAVEPGO_BUNDLE="$work/bundle" WAVEPGO_PROFILE_FILE= WAVEPGO_TIMESTAMPS=1 WAVEPGO_PIPELINE_STATISTICS=1
    WAVEPGO_HARDWARE_COUNTERS="*" walk odd-observe --odd
    ;;
fresh) # from loading to unloading, each case in a process of its own
    ICD_WALK_ALLOCATIONS=400 walk fresh-generate --fresh --pieces compute
    WAVEPGO_BUNDLE="$work/bundle" WAVEPGO_PROFILE_FILE= ICD_WALK_ALLOCATIONS=400 walk fresh-bundle --fresh --pieces commands
    export WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/profiles"
    ICD_WALK_ALLOCATIONS=800 walk fresh-use --fresh --pieces compute
    ;;
reload) # many times in one process
    walk reload --reload
    [ "$(count_profiles profiles)" -ge 6 ] || fail "too few profiles"
    export WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/profiles" WAVEPGO_PSEUDO_PROBES=1
    walk reload-use --reload
    ;;
settings) # by the program alone (VK_EXT_layer_settings); the environment is asked first
    unset WAVEPGO_MODE WAVEPGO_PROFILE_FILE
    export ICD_WALK_ALLOCATIONS=20
    ICD_WALK_SETTINGS="mode=generate,profile_file=$work/passed/%b.profraw,strategy=lane,flush_interval=4000000000,nonsense=1" walk settings --pieces compute
    said 'setting ignored: .*NONSENSE' 'setting ignored: .*FLUSH_INTERVAL.*4000000000'
    [ "$(count_profiles passed)" -ge 1 ] || fail "no profile where the program's setting says"
    "$wavepgo" show --json "$work/passed" | grep '"lanes": \[' | grep '"waves": \[' >/dev/null && fail "waves are counted, the program asked for lanes"
    WAVEPGO_MODE=off ICD_WALK_SETTINGS="mode=generate,profile_file=$work/none/%b.profraw" walk environment --pieces compute
    [ ! -e "$work/none" ] || fail "the program's setting stands above the environment's"
    ;;
off)
    export WAVEPGO_MODE=off
    walk off
    ;;
loader) # the driver by its manifest, under the loader and its validation of our chain
    unset WAVEPGO_MODE WAVEPGO_PROFILE_FILE WAVEPGO_LOG_FILE WAVEPGO_CACHE
    export ICD_REPORT=1
    doctor() { # NAME CODE PATTERN
        "$wavepgo" doctor >"$work/$1.out" 2>"$work/$1.err"
        code=$?
        [ $code = "$2" ] || fail "$1: exit code $code"
        grep -E -e "$3" "$work/$1.out" >/dev/null || { fail "$1 does not say '$3'"; cat "$work/$1.out"; }
        [ ! -s "$work/$1.err" ] || { fail "$1: wrong uses of the driver"; head -n 5 "$work/$1.err"; }
    }
    doctor plain 0 "devices .*failing driver .*lanes and waves:.* comp"
    ICD_LACKS=bufferDeviceAddress doctor lacks 1 "no bufferDeviceAddress"
    ICD_FAIL=vkCreateDevice:1:-3 doctor refused 1 "refuses the device features that the layer adds .VkResult -3."
    ICD_ODD=no-host doctor odd 1 "no memory type fits"
    ICD_ODD=old doctor old 1 "Vulkan 1.0 only"
    ;;
*) die "unknown case '$WPG_CASE'" ;;
esac
finish

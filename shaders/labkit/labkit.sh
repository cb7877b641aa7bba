#!/bin/sh
# Measures what counting in shaders costs on this machine, and checks that the counts are exact:
#
#     sh labkit.sh [--out FILE.json] [--quick] [--exactness] [--only SECTIONS] [--minutes N] [--device N]
#
# --out     where the result goes (default: wavepgo-lab.json in this folder)
# --quick   small sizes, one round: does it work here?
# --exactness  only the checks, no times
# --only    these sections, by commas: exactness random counts real benchmark sampling
# --minutes stop then, with what there is: for a machine that is lent
# --device  which Vulkan device, by number from 0 (default: the first that is no processor)
#
# Needs x86-64 Linux and a Vulkan driver; no root, no network, no display, no compiler. Writes the result file and nothing else (work is
# done in a temporary folder that is removed). Exit status: 0 all is well, 1 something is inexact or failed (the file says what),
# 77 no Vulkan device, 2 bad option. In the environment: CASES (names of benchmarks), FAMILIES (surfaces, kernels) and SIDES
# (of real shaders) leave out the others; ROUNDS (5; quick 1; without a GPU 3) is how often sides take turns.
set -u

kit=$(cd "$(dirname "$0")" && pwd) || exit 1
out=$PWD/wavepgo-lab.json
quick=
sections="exactness random counts real benchmark sampling"
device=
minutes=

while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --exactness) sections="exactness random counts" ;;
    --out | --device | --only | --minutes)
        [ $# -ge 2 ] || { echo "labkit: $1 needs a value" >&2; exit 2; }
        case $1 in
        --out) case $2 in /*) out=$2 ;; *) out=$PWD/$2 ;; esac ;;
        --device)
            case $2 in '' | *[!0-9]*) echo "labkit: --device needs a number" >&2; exit 2 ;; esac
            device=$2
            ;;
        --minutes)
            case $2 in '' | *[!0-9]*) echo "labkit: --minutes needs a number" >&2; exit 2 ;; esac
            minutes=$2
            ;;
        --only)
            all=$sections sections=$(echo "$2" | tr , ' ')
            for section in ${sections:-none}; do
                case " $all " in *" $section "*) ;; *) echo "labkit: no section '$section' ($all)" >&2; exit 2 ;; esac
            done
            ;;
        esac
        shift
        ;;
    -h | --help) sed -n '2,17s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "labkit: unknown option '$1'" >&2; sed -n '2,17s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    shift
done

# The same once more, below what ends it: TERM, to which it answers with what there is by then.
if [ -n "$minutes" ]; then
    [ -z "$device" ] || set -- --device "$device"
    [ -z "$quick" ] || set -- "$@" --quick
    exec timeout --preserve-status "${minutes}m" sh "$kit/labkit.sh" --out "$out" --only "$(echo "$sections" | tr ' ' ,)" "$@"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/wavepgo-lab.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM # once there are results: those

# What is set on this machine for other purposes shall not be measured; caches of compiled shaders would hide what compiling costs.
for variable in $(env | sed -n 's/^\(WAVEPGO_[A-Z_]*\|LLVM_PROFILE_[A-Z_]*\|VK_INSTANCE_LAYERS\|VK_ADD_LAYER_PATH\)=.*/\1/p'); do
    unset "$variable"
done
PATH=$kit/bin:$PATH
VK_LAYER_PATH=$kit/share/vulkan/explicit_layer.d # every loader knows this one; the newer names some do not
MESA_SHADER_CACHE_DISABLE=true __GL_SHADER_DISK_CACHE=0 AMD_SHADER_DISK_CACHE_ENABLE=0 NODEVICE_SELECT=1
XDG_CACHE_HOME=$work/cache
export PATH VK_LAYER_PATH MESA_SHADER_CACHE_DISABLE __GL_SHADER_DISK_CACHE AMD_SHADER_DISK_CACHE_ENABLE NODEVICE_SELECT XDG_CACHE_HOME
cd "$work" || exit 1
mkdir parts
. "$kit/modes.sh"
started=$(date +%s)
status=0
say() { echo "labkit: $*" >&2; }
wants() { case " $sections " in *" $1 "*) return 0 ;; esac; return 1; }

# ---- JSON ----

# json_string TEXT: quoted, without control characters.
json_string() { printf '"%s"' "$(printf '%s' "$1" | tr '\t\n' '  ' | tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g')"; }
# json_list: lines of JSON on standard input as the elements of an array; json_line: the same, in one line.
json_list() { awk 'BEGIN { printf "[" } NF { printf "%s\n    %s", n++ ? "," : "", $0 } END { printf "]" }'; }
json_line() { json_list | tr -d '\n'; }
skipped() { # WHAT WHY
    say "left out: $1: $2"
    printf '{"what":%s,"why":%s}\n' "$(json_string "$1")" "$(json_string "$2")" >>parts/skipped
}
: >parts/skipped

machine() {
    printf '{"os":%s' "$(json_string "$(sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\).*/\1/p' /etc/os-release 2>/dev/null)")"
    printf ',"kernel":%s' "$(json_string "$(uname -srm)")"
    printf ',"libc":%s' "$(json_string "$(getconf GNU_LIBC_VERSION 2>/dev/null)")"
    printf ',"cpu":%s' "$(json_string "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)")"
    printf ',"processors":%s' "$(grep -c '^processor' /proc/cpuinfo 2>/dev/null)"
    printf ',"memory_kib":%s' "$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo 2>/dev/null | grep . || echo 0)"
    printf ',"loader":"%s"}' "$loader"
}

write_result() { # ERROR or nothing
    {
        printf '{"format":"wavepgo-labkit","format_version":1,\n'
        printf ' "kit":%s,\n "date":"%s","seconds":%d,"quick":%s,\n' "$(cat "$kit/KIT.json")" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
            $(($(date +%s) - started)) "$([ -n "$quick" ] && echo true || echo false)"
        [ -z "${1:-}" ] || printf ' "error":%s,\n' "$(json_string "$1")"
        printf ' "ok":%s,\n' "$([ "$status" = 0 ] && echo true || echo false)"
        printf ' "machine":%s,\n' "$(machine)"
        [ ! -s real ] || real_result
        for part in device exactness random counts benchmark sampling real creation; do
            [ ! -s parts/$part ] || printf ' "%s":%s,\n' "$part" "$(cat parts/$part)"
        done
        printf ' "devices":%s,\n' "$(json_list <parts/devices)"
        wavepgo gpu --json >gpu.json 2>/dev/null
        printf ' "kernel":%s,\n' "$(grep . gpu.json || echo '{"gpus":[]}')"
        printf ' "skipped":%s}\n' "$(json_list <parts/skipped)"
    } >"$out.part" && mv "$out.part" "$out" || { say "cannot write $out"; exit 1; }
    say "wrote $out"
}

# ---- loader, driver, device ----

loader=system
: >parts/devices
# Without libvulkan.so.1 the program does not start: only then ours is used.
if ! wavepgo-bench --list >/dev/null 2>start.err; then
    loader=kit
    LD_LIBRARY_PATH=$kit/lib/loader${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    if ! wavepgo-bench --list >/dev/null 2>start.err; then
        cat start.err >&2
        status=1
        write_result "the programs do not start here: $(head -n 1 start.err)"
        exit 1
    fi
fi

list_devices() {
    number=0
    : >parts/devices
    while [ $number -lt 16 ] && wavepgo-bench --info --device $number >info.json 2>info.err; do
        cat info.json >>parts/devices
        number=$((number + 1))
    done
    [ -s parts/devices ]
}
if ! list_devices && [ -z "${VK_ICD_FILENAMES:-}${VK_DRIVER_FILES:-}" ]; then
    # Drivers of containers and of unusual installations are where loaders do not look.
    for icd in /usr/local/nvidia/share/vulkan/icd.d/*.json /usr/share/glvnd/vulkan/icd.d/*.json /opt/amdgpu*/etc/vulkan/icd.d/*.json \
        /opt/amdgpu*/share/vulkan/icd.d/*64*.json /run/opengl-driver/share/vulkan/icd.d/*.json; do
        [ ! -r "$icd" ] || icds=${icds:+$icds:}$icd
    done
    if [ -n "${icds:-}" ]; then
        say "no driver where loaders look; taking $icds"
        VK_ICD_FILENAMES=$icds VK_DRIVER_FILES=$icds
        export VK_ICD_FILENAMES VK_DRIVER_FILES
        list_devices
    fi
fi
if [ ! -s parts/devices ]; then
    status=77
    cat info.err >&2
    write_result "no Vulkan device: $(head -n 1 info.err)"
    exit 77
fi
if [ -z "$device" ]; then
    device=$(awk '!/"type":"cpu"/ && !found { print NR - 1; found = 1 }' parts/devices)
    device=${device:-0}
fi
sed -n "$((device + 1))p" parts/devices >parts/device
if [ ! -s parts/device ]; then
    status=77
    write_result "there is no device $device"
    exit 77
fi
kind=$(sed -n 's/.*"type":"\([a-z]*\)".*/\1/p' parts/device)
trap 'trap "" HUP INT TERM; status=1; write_result "interrupted: this is what there was by then"; exit 1' HUP INT TERM
say "device $device: $(sed -n 's/.*"device":"\([^"]*\)".*/\1/p' parts/device)," \
    "$(sed -n 's/.*"driver_name":"\([^"]*\)".*/\1/p' parts/device) $(sed -n 's/.*"driver_info":"\([^"]*\)".*/\1/p' parts/device)"
E2E_DEVICE=$device # for the exactness checks
export E2E_DEVICE
some= # CASES: names of benchmarks; default all
for case in ${CASES:-}; do some="$some --case $case"; done
# shellcheck disable=SC2086
bench() { wavepgo-bench --stable-power --device "$device" $some "$@"; }

# ---- which modes this layer knows ----

modes=
for mode in $(mode_names); do
    if mode_known "$mode"; then
        modes="$modes $mode"
    else
        skipped "mode $mode" "not in this build: $mode_why"
    fi
done
strategies=
for mode in $modes; do
    case $mode in naive | slots | additive | derived | auto) strategies="$strategies $mode" ;; esac
done
# A layer that knows one way of counting: that one.
strategies=${strategies:-default}

# Is the layer there at all? Without this question a loader that ignores it would give ratios of one.
# shellcheck disable=SC2046
wavepgo run --mode generate --cache none --summary 0 --profile-file "$work/probe/%b.profraw" -- \
    wavepgo-bench --device "$device" --size small --case mandelbrot --checksum >probe.out 2>probe.err
if ! ls "$work"/probe/*.profraw >/dev/null 2>&1; then
    status=1
    cat probe.err >&2
    write_result "the layer counts nothing here: $(head -n 1 probe.err)"
    exit 1
fi

# ---- exactness ----

# Each kernel runs under the layer, with everything counted, then lane by lane on the processor; every counter of every block must
# agree.
exactness() { # MODE
    runs=0 counters=0 wrong=0 failures=0
    mkdir "exactness-$1"
    cd "exactness-$1" || return
    : >exact.skipped
    : >exact.failed
    for module in "$kit"/exactness/*.spv; do
        kernel=$(basename "$module" .spv)
        stage=${kernel##*.}
        grep -qx "$kernel" "$kit/exactness/kernels" || continue
        case $stage in
        comp | task | mesh) variants="64 21" ;;
        frag) variants="part full" ;;
        *) variants=plain ;;
        esac
        [ -z "$quick" ] || variants=${variants%% *}
        for variant in $variants; do
            rm -rf exact
            # shellcheck disable=SC2046
            wavepgo run $(strategy_options "$1") --selects all --budget 0 --cache none --summary 0 --profile-file "$PWD/exact/%b.profraw" -- \
                wavepgo-exactness "${kernel%.*}" "$stage" "$variant" "$kit/exactness" "$PWD/exact" >exact.out 2>exact.err
            code=$?
            # shellcheck disable=SC2046
            set -- "$1" $(sed -n 's/.* \([0-9]*\) counters compared, \([0-9]*\) disagreements$/\1 \2/p' exact.out)
            if [ $code = 77 ]; then
                printf '{"kernel":%s,"why":%s}\n' "$(json_string "$kernel")" "$(json_string "$(sed 's/^skip: //' exact.out | head -n 1)")" >>exact.skipped
            elif [ $code = 0 ] && [ $# = 3 ]; then
                runs=$((runs + 1)) counters=$((counters + $2))
            else
                failures=$((failures + 1))
                [ $# != 3 ] || { runs=$((runs + 1)) counters=$((counters + $2)) wrong=$((wrong + $3)); }
                printf '{"kernel":%s,"exit_status":%d,"why":%s}\n' "$(json_string "$kernel $variant")" $code \
                    "$(json_string "$(head -n 3 exact.out exact.err | tr '\n' ' ')")" >>exact.failed
            fi
        done
    done
    say "exactness, $1: $runs runs, $counters counters, $wrong disagree, $failures failed, $(grep -c . exact.skipped) left out"
    printf '{"mode":"%s","kernels":%d,"runs":%d,"counters":%d,"mismatches":%d,"passed":%s,"skipped":%s,"failed":%s}\n' "$1" \
        "$(grep -c . "$kit/exactness/kernels")" $runs $counters $wrong "$([ $failures = 0 ] && [ $runs -gt 0 ] && echo true || echo false)" \
        "$(json_line <exact.skipped)" "$(json_line <exact.failed)" >../exactness-"$1".line
}
# Nothing is timed here: all ways of counting at once where there are processors for them.
if wants exactness; then
    for mode in $strategies; do
        if [ "$(getconf _NPROCESSORS_ONLN)" -ge 8 ]; then exactness "$mode" & else (exactness "$mode"); fi
    done
    wait
    for mode in $strategies; do cat "exactness-$mode.line"; done >exactness.lines
    ! grep -q '"passed":false' exactness.lines || status=1
    json_list <exactness.lines >parts/exactness
fi

# Random shaders, counted in every way, against an interpreter (no layer: the rewriter alone).
random_shaders() {
    kernels=400 seconds=300
    [ -z "$quick" ] || { kernels=16; seconds=60; }
    WPG_RANDOM_KERNELS=$kernels WPG_RANDOM_SECONDS=$seconds WPG_RANDOM_GLSL=0 wavepgo-random "$work" >random.out 2>random.err
    code=$?
    if [ $code = 77 ]; then
        skipped "random shaders" "$(sed 's/^skip: //' random.out | head -n 1)"
        return
    fi
    # shellcheck disable=SC2046
    set -- $(sed -n 's/.*: \([0-9]*\) shaders from seed .* barriers, \([0-9]*\) checks, \([0-9]*\) blocks, .*; \([0-9]*\) excluded .* \([0-9]*\) unusable, .* \([0-9]*\) failures$/\1 \2 \3 \4 \5 \6/p' random.out)
    [ $code = 0 ] && [ $# = 6 ] || status=1
    [ $# = 6 ] || set -- 0 0 0 0 0 1
    say "random shaders: $1, $2 checks, $3 blocks, $6 failures"
    grep -v ' shaders from seed ' random.out | head -n 10 | while read -r line; do json_string "$line"; echo; done >random.lines
    printf '{"shaders":%d,"checks":%d,"blocks":%d,"excluded":%d,"unusable":%d,"failures":%d,"passed":%s,"exit_status":%d,"says":%s}' "$@" \
        "$([ $code = 0 ] && echo true || echo false)" $code "$(json_line <random.lines)" >parts/random
}
! wants random || random_shaders

# ---- counts of the benchmark: the same by every strategy ----

count_size=small
[ "$kind" = cpu ] || [ -n "$quick" ] || count_size=demo
# Text profile: a record is a name, hash, count and counters, then an empty line. Prints those of one kind ("" = all).
records() { awk -v kind="$2" -v RS= '{ name = $1 } kind == "" || index(name, kind) { print }' "$1"; }
reference=
: >counts.lines
# Use mode's profile comes from here, too.
wants counts || wants benchmark && counted=$strategies || counted=
for mode in $counted; do
    # shellcheck disable=SC2046,SC2086
    wavepgo run $(strategy_options "$mode") --cache none --summary 0 --profile-file "$work/counts-$mode/%b.profraw" -- \
        wavepgo-bench --device "$device" $some --size $count_size --checksum >counts.out 2>counts.err &&
        wavepgo merge --quiet --format text -o "counts-$mode.txt" "counts-$mode" 2>>counts.err || {
        status=1
        printf '{"mode":"%s","error":%s}\n' "$mode" "$(json_string "$(tail -n 1 counts.err)")" >>counts.lines
        continue
    }
    reference=${reference:-$mode}
    for kind_of_record in '#lanes' '#waves' '#uniform'; do
        records "counts-$reference.txt" "$kind_of_record" >a
        records "counts-$mode.txt" "$kind_of_record" >b
        # Fragment waves are the rasteriser's choice, which may differ from run to run: lanes may not.
        if cmp -s a b; then echo equal; elif [ "$kind_of_record" = '#lanes' ]; then echo different; else echo differs; fi
    done | tr '\n' ' ' >verdicts
    read -r lanes waves uniform <verdicts
    [ "$lanes" = equal ] || status=1
    printf '{"mode":"%s","reference":"%s","size":"%s","profiles":%d,"lanes_equal":%s,"waves_equal":%s,"uniform_equal":%s}\n' "$mode" "$reference" \
        $count_size "$(find "counts-$mode" -name '*.profraw' | grep -c .)" "$([ "$lanes" = equal ] && echo true || echo false)" \
        "$([ "$waves" = equal ] && echo true || echo false)" "$([ "$uniform" = equal ] && echo true || echo false)" >>counts.lines
done
json_list <counts.lines >parts/counts

# ---- real shaders ----

rounds=5 repeat=5
if [ -n "$quick" ]; then
    rounds=1 repeat=1
elif [ "$kind" = cpu ]; then
    rounds=3 repeat=2
fi
rounds=${ROUNDS:-$rounds}
if ! wants real; then
    :
elif [ -d "$kit/real" ]; then
    . "$kit/real.sh"
    real_shaders
else
    skipped "real shaders" "this kit was packed without any"
fi

# ---- benchmark ----

# A profile for use mode, of the size that is measured or smaller: pipelines are the same.
trained=${strategies##* }
! wants benchmark || wavepgo merge --quiet -o trained.profdata "counts-$trained" 2>trained.err || skipped "mode use" "$(head -n 1 trained.err)"

# Sides of a comparison: "NAME: VAR=VALUE ..." one a line.
side() { printf '%s: %s\n' "$1" "$(mode_environment $(mode_options "$1") --profile-file "$work/out-$1/%b.profraw")"; }
for mode in $modes; do
    case $mode in
    sampled-bind | thin-bind) ;; # one bind an execution tells nothing: measured below
    *) side "$mode" ;;
    esac
done >sides
# Use mode waits for its words, so that they are what is timed; in the background is what creation then costs the program.
if [ -s trained.profdata ]; then
    printf 'use: %s\n' "$(mode_environment --use "$work/trained.profdata" --compile blocking)" >>sides
    printf 'use-background: %s\n' "$(mode_environment --use "$work/trained.profdata" --compile background)" >>sides
fi

# compare OUTPUT OPTIONS...: every side of the file `sides`, one line of JSON a case and side.
compare() {
    compare_to=$1
    shift
    while read -r line; do
        set -- "$@" --compare "$line"
    done <sides
    bench "$@" --against '' --json - >>"$compare_to" 2>compare.err || {
        # A case without timing is not a wrong count; but an output that differs, or a side that fails, is.
        status=1
        say "$(tail -n 1 compare.err)"
    }
}

: >results
if ! wants benchmark; then
    :
elif [ -n "$quick" ]; then
    compare results --size small --rounds $rounds --repeat $repeat
elif [ "$kind" = cpu ]; then
    compare results --size demo --rounds $rounds --repeat $repeat
else
    # Full size where that is short (counting can take a hundred times as long, and a GPU that hangs for seconds is reset).
    bench --size full --repeat 1 --json - >full.json 2>full.err || say "$(tail -n 1 full.err)"
    short=$(sed -n 's/.*"case":"\([^"]*\)".*"median_ms":\([0-9.]*\).*/\1 \2/p' full.json | awk '$2 < 20 { print $1 }')
    long=$(sed -n 's/.*"case":"\([^"]*\)".*/\1/p' full.json | grep -vxF "$(printf '%s\n' "${short:--}")")
    options() { for name in $1; do printf -- '--case %s ' "$name"; done; }
    # shellcheck disable=SC2046
    [ -z "$short" ] || compare results $(options "$short") --size full --rounds $rounds --repeat $repeat
    # shellcheck disable=SC2046
    [ -z "$long" ] || compare results $(options "$long") --size demo --rounds $rounds --repeat $repeat
fi
section() { # ROUNDS REPEAT BINDS FILE
    printf '{"rounds":%d,"repeat":%d,"binds":%d,\n  "results":%s,\n  "means":%s}' "$1" "$2" "$3" \
        "$(grep '^{"case":' "$4" | json_list)" "$(grep '^{"cases":' "$4" | json_list)"
}
! wants benchmark || section $rounds $repeat 1 results >parts/benchmark

# Sampling by bind: many binds an execution, of which every sixteenth counts.
binds=64
[ -z "$quick" ] || binds=16
: >results.sampled
for mode in $modes; do
    case $mode in sampled-* | thin-*) side "$mode" ;; esac
done >sides
if [ -s sides ] && wants sampling; then
    sampled_size=small
    [ "$kind" = cpu ] || [ -n "$quick" ] || sampled_size=demo
    compare results.sampled --size $sampled_size --rounds $rounds --repeat $repeat --binds $binds
    section $rounds $repeat $binds results.sampled >parts/sampling
fi

write_result
echo
if [ -s parts/real ]; then
    echo "real shaders, time over no layer, geometric means:"
    sed -n 's/^ *{"family":"\([^"]*\)","item":"[^"]*","mode":"\([^"]*\)".*"ratio":\([0-9.]*\),.*"equal":\([a-z]*\).*/\1 \2 \3 \4/p' parts/real |
        awk '{ key = $1 " " $2; sum[key] += log($3); n[key]++; if ($3 > worst[key]) worst[key] = $3; if ($4 == "false") wrong[key]++ }
            END { for (key in n) { split(key, name); printf "  %-10s %-14s %6.3f  (worst %6.3f; %d items%s)\n", name[1], name[2], exp(sum[key] / n[key]), worst[key], n[key],
                wrong[key] ? ", results of " wrong[key] " DIFFER" : "" } }' | LC_ALL=C sort
    echo
fi
touch results results.sampled
if [ -s results ] || [ -s results.sampled ]; then
    echo "time over no layer, geometric means:"
    cat results results.sampled | sed -n 's/^{"cases":\([0-9]*\),"label":"\([^"]*\)","geomean_ratio":\([0-9.]*\),"geomean_create_ratio":\([0-9.]*\).*"worst_ratio":\([0-9.]*\).*/\2 \3 \5 \4 \1/p' |
        awk '{ printf "  %-18s %6.3f  (worst %6.3f; pipeline creation %6.3f; %d cases)\n", $1, $2, $3, $4, $5 }'
fi
[ $status = 0 ] && echo "$sections: all agrees" || echo "something failed or disagrees: see $out"
exit $status

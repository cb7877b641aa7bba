#!/bin/sh
# What the program destroyed takes no memory, and what it counted is kept: churn.sh for the other things that count. WPG_CASE:
# parts (of pipeline libraries), objects (shader objects), binding (counters by descriptor sets), own (a file for each pipeline).
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so"
export WAVEPGO_CACHE=none
make_shim

# counts NAME PROFILE TIMES: every shader is told of; each ran that often or never, in all as often as the program says.
counts() {
    runs=$(sed -n 's/^\([0-9]*\) runs$/\1/p' "$work/$1.out")
    "$wavepgo" merge --quiet --format text -o "$work/$1.proftext" "$2" || fail "merge $1"
    awk -v stage="$stage" -v lanes=$((lanes * runs)) -v each=$((lanes * $3)) -v made="$distinct" 'BEGIN { RS = ""; FS = "\n" }
        { first = 1 + 2 * ($2 == ":ir") } index($first, "." stage ".main#lanes") {
            sum += $(first + 6); told++
            if ($(first + 6) != 0 && $(first + 6) != each) odd++ }
        END { printf "%d lanes of %d in %d of %d shaders, %d of them odd\n", sum, lanes, told, made, odd
            exit sum != lanes || told != made || odd }' "$work/$1.proftext" >"$work/$1.told" ||
        fail "$1: $(cat "$work/$1.told")"
}
# churn NAME ARGUMENT OPTIONS...
churn() {
    name=$1 argument=$2
    shift 2
    plain "$name" "$wavepgo" run --generate "$@" -- "$app" "$scenario" "$WPG_SPIRV" "$argument"
    same "absent-$argument" "$name"
}
absent() { # ARGUMENT
    plain "absent-$1" "$app" "$scenario" "$WPG_SPIRV" "$1"
    [ "$(cat "$work/absent-$1.code")" != 77 ] || skip "$(cat "$work/absent-$1.out")"
    exited "absent-$1" 0
}

case $WPG_CASE in
parts) scenario=churn-parts stage=frag lanes=$((61 * 47)) ;;
objects) scenario=churn-objects stage=comp lanes=64 ;;
binding) scenario=churn stage=comp lanes=64 && export WAVEPGO_COUNTER_WAY=binding ;;
own) scenario=churn stage=comp lanes=64 ;;
esac
# What a pipeline may leave in memory, how many of a bundle have files, and where NAME's profiles are.
bytes=32 files=50
into() { echo "$work/$1.profraw"; }
from() { into "$1"; }
if [ "$WPG_CASE" = own ]; then # the file's name and how much is in it
    bytes=300 files=50000
    into() { echo "$work/$1/%b.profraw"; }
    from() { echo "$work/$1"; }
fi

# Memory.
many=3000
[ -z "${WPG_NIGHTLY:-}" ] || many=30000
many=${WPG_CHURN:-$many}
distinct=$many
absent "$many,100"
churn one "$many,100" --profile-file "$(into one)"
flat one "$many" $bytes
counts one "$(from one)" 1
churn few "$many,100" --bundle "$work/few" --bundle-pipelines $files
[ "$WPG_CASE" = own ] || flat few "$many" # a bundle's facts stay in memory
counts few "$work/few" 1

# What still runs is nobody else's: some run again, after many others are gone.
distinct=1500
keep() {
    case $WPG_CASE in
    parts) SHIM_KEEP=1 shimmed "$@" ;; # app_churn.c says why
    *) "$@" ;;
    esac
}
keep plain absent-1500,50,0,late "$app" "$scenario" "$WPG_SPIRV" 1500,50,0,late
exited absent-1500,50,0,late 0
keep churn late 1500,50,0,late --profile-file "$(into late)"
counts late "$(from late)" 2
# The same few hashes come and go, between flushes.
distinct=10
export WAVEPGO_FLUSH_INTERVAL=0.2
for placement in host device; do
    keep plain absent-240,3,10,late "$app" "$scenario" "$WPG_SPIRV" 240,3,10,late
    WAVEPGO_COUNTER_PLACEMENT=$placement keep churn "$placement" 240,3,10,late --profile-file "$(into "$placement")"
    counts "$placement" "$(from "$placement")" 16
done
finish

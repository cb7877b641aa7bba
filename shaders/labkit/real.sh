# Sourced by labkit.sh: real shaders, which nobody here wrote. Frames of MaterialX's surfaces, each a program with a profile of its own,
# and llama.cpp's kernels, all in one program. Sides take turns: without the layer; with the profile; frozen by hand, as the author
# could have written it; tuned on this device; while counting.

real_run() { # FAMILY SIDE SECONDS ITEMS...: lines "name microseconds hash"
    family=$1 side=$2 each=$3
    shift 3
    if [ "$family" = surfaces ]; then
        suffix=
        [ "$side" != by-hand ] || suffix=.const
        set -- wavepgo-surfaces "$kit/real/surfaces" "$suffix" "$each" "$@"
        profile=$work/real-$5
    else
        verb=run
        [ "$side" != by-hand ] || verb=attainable
        set -- wavepgo-kernels "$kit/real/kernels" $verb "$each" "$@"
        profile=$work/real-kernels
    fi
    # A GPU's driver compiles for longer than it is timed: variants of kernels shall be there.
    case $kind-$side in cpu-*) ;; *-use* | *-tuned) export WARM=0.2 ;; esac
    # shellcheck disable=SC2046
    case $side in
    off | by-hand) "$@" ;;
    train) wavepgo run --generate --cache none --summary 0 --bundle "$profile.runs/%p.wavepgo" -- "$@" ;;
    tune) wavepgo run --tune "$profile.wavepgo" --cache none --summary 0 -- "$@" ;;
    use) wavepgo run --use "$profile.profdata" --compile blocking --cache none --summary 0 -- "$@" ;;
    blocking | background) __GL_SHADER_DISK_CACHE=0 wavepgo run --use "$profile.profdata" --compile "$side" --cache none -- "$@" ;;
    use-unhinted) wavepgo run --use "$profile.profdata" --hints off --compile blocking --cache none --summary 0 -- "$@" ;;
    use-contents) wavepgo run --use "$profile.profdata" --contents 4 --compile blocking --cache none --summary 0 -- "$@" ;;
    use-spec) wavepgo run --use "$profile.profdata" --float spec --compile blocking --cache none --summary 0 -- "$@" ;;
    tuned) wavepgo run --use "$profile.wavepgo" --compile blocking --cache none --summary 0 -- "$@" ;;
    device-memory) wavepgo run --generate --counter-placement device --cache none --summary 0 --profile-file "$work/counted-$side/%b.profraw" -- "$@" ;;
    *) wavepgo run $(mode_options "$side") --cache none --summary 0 --profile-file "$work/counted-$side/%b.profraw" -- "$@" ;;
    esac >real.out 2>real.err
    code=$?
    unset WARM
    [ $code != 0 ] || return 0
    status=1
    say "$family, $side, $*: $(tail -n 1 real.err)"
    return 1
}

# real_creation FAMILY ITEMS...: what creating pipelines takes on the program's threads, with nothing in any cache; lines
# "family item compile ours driver", milliseconds, in the file `creation`.
real_creation() {
    of=$1 item=$2
    shift
    [ $# = 1 ] || item=all
    for how in background blocking; do
        real_run "$of" "$how" 0 "$@" || return
        sed -n "s/.*creation took \([0-9.]*\) ms here, \([0-9.]*\) ms in the driver.*/$of $item $how \1 \2/p" real.err >>"$work/creation"
    done
}

# real_prepare FAMILY SIDES ITEMS...: the profile, the tuned bundle, and, where the driver keeps a cache, the shaders of each side in it.
real_prepare() {
    of=$1 sides=$2
    shift 2
    real_run "$of" train 0.05 "$@" || return
    trained=$profile
    wavepgo merge --quiet -o "$trained.profdata" "$trained.runs"/*.wavepgo 2>real.err &&
        wavepgo merge --quiet -o "$trained.wavepgo" "$trained.runs"/*.wavepgo 2>real.err || { status=1; say "$of: $(tail -n 1 real.err)"; return 1; }
    case " $sides " in *" tuned "*) for turn in 1 2 3; do real_run "$of" tune 0.2 "$@" || return; done ;; esac
    [ "$kind" = cpu ] || real_creation "$of" "$@" || return
    [ "$kind" = cpu ] || for real_side in $sides; do real_run "$of" "$real_side" 0 "$@"; done
}

# real_round FAMILY ROUND SECONDS SIDES ITEMS...: lines "family side round name microseconds hash" in the file `real`.
real_round() {
    of=$1 turn=$2 time=$3 sides=$4
    shift 4
    for real_side in $sides; do
        case $real_side in binding | *-bind) case " $modes " in *" $real_side "*) ;; *) continue ;; esac ;; esac
        # Images of the first round without the layer are kept, those of the others compared with them.
        [ "$real_side$turn" = off1 ] && export PIXELS="$work/pixels" || export LIKE="$work/pixels"
        ! real_run "$of" "$real_side" "$time" "$@" || sed "s/^/$of $real_side $turn /" real.out >>real
        unset PIXELS LIKE
    done
}

# Preparing times nothing: all surfaces at once, where there are processors for that.
real_surfaces() { # SECONDS SIDES ITEMS...
    time=$1 sides=$2
    shift 2
    for surface; do
        if [ "$(getconf _NPROCESSORS_ONLN)" -ge 8 ]; then
            (mkdir "prepare-$surface" && cd "prepare-$surface" && real_prepare surfaces "$sides" "$surface") &
        else
            real_prepare surfaces "$sides" "$surface"
        fi
    done
    wait
    for round in $(seq "$rounds"); do
        for surface; do real_round surfaces "$round" "$time" "$sides" "$surface"; done
    done
}

real_kernels() { # SECONDS SIDES ITEMS...
    time=$1 sides=$2
    shift 2
    real_prepare kernels "$sides" "$@" || return
    for round in $(seq "$rounds"); do real_round kernels "$round" "$time" "$sides" "$@"; done
}

real_shaders() {
    export DEVICE="$device" CLOCK=gpu __GL_SHADER_DISK_CACHE=1 __GL_SHADER_DISK_CACHE_PATH="$XDG_CACHE_HOME"
    if [ "$kind" = cpu ] || [ -n "$quick" ]; then
        [ "$kind" != cpu ] || CLOCK=processor
        export SIDE=64 PASSES=1
        surfaces=ss_gold surface_time=0.05 surface_sides="off use default"
        kernels="add copy_heads" kernel_time=0.02 kernel_sides="off use by-hand default"
    else
        surfaces=$(cd "$kit/real/surfaces" 2>/dev/null && ls | sed -n 's/\.vert\.spv$//p') surface_time=0.15
        surface_sides="off use use-unhinted use-contents use-spec by-hand default device-memory binding sampled-bind thin-bind"
        kernels=$(wavepgo-kernels list) kernel_time=0.06
        kernel_sides="off use use-unhinted tuned by-hand default device-memory binding sampled-bind thin-bind"
        export SIDE=1024 PASSES=8
    fi
    mkdir -p "$XDG_CACHE_HOME" "$work/pixels"
    : >real
    : >creation
    # shellcheck disable=SC2086
    case " ${FAMILIES:-surfaces kernels} " in *" surfaces "*) [ ! -d "$kit/real/surfaces" ] || real_surfaces $surface_time "${SIDES:-$surface_sides}" $surfaces ;; esac
    [ $PASSES = 1 ] || PASSES=32
    # shellcheck disable=SC2086
    case " ${FAMILIES:-surfaces kernels} " in *" kernels "*) [ ! -d "$kit/real/kernels" ] || real_kernels $kernel_time "${SIDES:-$kernel_sides}" $kernels ;; esac
    real_result
    [ -s real.lines ] || status=1
    # A driver may contract floats otherwise in other code: other bits of an image, which nobody sees.
    ! grep -v '"image":{[^}]*"levels":[01]}' real.lines | grep -q '"equal":false' || status=1
}

# Of what was measured by now: the medians, into parts/real.
real_result() {
    # Frozen by hand is another shader, and --float spec rounds otherwise: their last bits are their own.
    awk '
        { key = $1 SUBSEP $4; time[key, $2, $3] = $5; hash[key, $2, $3] = $6; item[key] = $4; family[key] = $1; sides[$2]; if ($3 > rounds) rounds = $3 }
        $3 == 1 && $8 == "of" { image[key, $2] = sprintf(",\"image\":{\"pixels\":%d,\"of\":%d,\"ulp\":%d,\"in_bytes\":%d,\"levels\":%d}", $7, $9, $11, $16, $18) }
        END {
            for (key in item) for (side in sides) {
                if (side == "off") continue
                n = 0; equal = "true"; split("", ratio)
                for (r = 1; r <= rounds; r++) {
                    if (!((key SUBSEP side SUBSEP r) in time) || !((key SUBSEP "off" SUBSEP r) in time) || time[key, "off", r] <= 0) continue
                    x = time[key, side, r] / time[key, "off", r]
                    for (i = n++; i > 0 && ratio[i] > x; i--) ratio[i + 1] = ratio[i]
                    ratio[i + 1] = x
                    if (hash[key, side, r] != hash[key, "off", r]) equal = "false"
                }
                if (side == "by-hand" || side == "use-spec") equal = "null"
                if (n) printf "{\"family\":\"%s\",\"item\":\"%s\",\"mode\":\"%s\",\"off_us\":%.1f,\"ratio\":%.4f,\"ratio_min\":%.4f,\"ratio_max\":%.4f,\"equal\":%s%s}\n",
                    family[key], item[key], side, time[key, "off", 1], n % 2 ? ratio[(n + 1) / 2] : (ratio[n / 2] + ratio[n / 2 + 1]) / 2, ratio[1], ratio[n], equal,
                    image[key, side]
            }
        }' real | LC_ALL=C sort >real.lines
    json_list <real.lines >parts/real
    LC_ALL=C sort creation | awk '{ printf "{\"family\":\"%s\",\"item\":\"%s\",\"compile\":\"%s\",\"ours_ms\":%s,\"driver_ms\":%s}\n", $1, $2, $3, $4, $5 }' |
        json_list >parts/creation
}

#!/bin/sh
# What a user sees of `wavepgo run` and the layer around the loop: exit codes, file patterns, version, explicit and
# implicit activation, threads, Vulkan 1.0 programs. WPG_CASE names the case.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"

case $WPG_CASE in
exit-code)
    for code in 0 1 42; do
        "$wavepgo" run --generate --profile-file "$work/x-%b.profraw" -- sh -c "exit $code"
        got=$?
        [ $got = $code ] || fail "exit code $got for a program that ends with $code"
    done
    "$wavepgo" run --generate -- sh -c 'kill -TERM $$'
    [ $? = 143 ] || fail "a signal does not come through"
    "$wavepgo" run --generate -- "$work/no-such-program" >/dev/null 2>"$work/none.err" && fail "a missing program succeeds"
    [ -s "$work/none.err" ] || fail "a missing program is not said"
    "$wavepgo" version >"$work/version.out" || fail "wavepgo version"
    grep -E '[0-9]+\.[0-9]+\.[0-9]+' "$work/version.out" >/dev/null || fail "wavepgo version prints no version"
    ;;
steam)
    # As a Steam launch option: the command comes after --, with quotes and blanks of its own.
    "$wavepgo" run --generate --profile-file "$work/steam/%b.profraw" -- sh -c 'printf "%s|" "$@"' game 'a b' '' "c'd" >"$work/steam.out"
    [ "$(cat "$work/steam.out")" = "a b||c'd|" ] || fail "arguments changed: $(cat "$work/steam.out")"
    ;;
pattern)
    plain absent "$app" compute "$WPG_SPIRV"
    # The default of run: a folder named after the program.
    "$wavepgo" run --generate -- "$app" compute "$WPG_SPIRV" >"$work/default.out" 2>"$work/default.err"
    [ -d "$work/e2e_app.wavepgo" ] && find "$work/e2e_app.wavepgo" -name '*.profraw' | grep . >/dev/null || fail "no e2e_app.wavepgo/: $(ls "$work")"
    # Every letter; one file for all pipelines without %b.
    mkdir -p "$work/t"
    TMPDIR=$work/t profile_pattern='%t/%e-%p-%h-%%-%b.profraw' generate letters "$app" compute "$WPG_SPIRV"
    same absent letters
    find "$work/t" -name "e2e_app-[0-9]*-$(uname -n)-%-*.profraw" | grep . >/dev/null || fail "pattern letters: $(ls "$work/t")"
    profile_pattern="$work/single.profraw" generate single "$app" compute "$WPG_SPIRV"
    accepted "$work/single.profraw"
    # LLVM's own variable, with the hash put before the extension.
    LLVM_PROFILE_FILE="$work/llvm/default.profraw" VK_INSTANCE_LAYERS=$layer_name WAVEPGO_MODE=generate \
        VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d" plain llvm "$app" compute "$WPG_SPIRV"
    same absent llvm
    find "$work/llvm" -name 'default.vulkan-*.profraw' 2>/dev/null | grep . >/dev/null || fail "LLVM_PROFILE_FILE: $(ls "$work/llvm" 2>&1)"
    ;;
implicit)
    plain absent "$app" compute "$WPG_SPIRV"
    mkdir -p "$work/home/.local/share/vulkan/implicit_layer.d"
    sed "s|\"library_path\": *\"[^\"]*\"|\"library_path\": \"$layer\"|" "$WPG_BUILD/share/vulkan/implicit_layer.d/$manifest_name" \
        >"$work/home/.local/share/vulkan/implicit_layer.d/$manifest_name"
    unset XDG_CONFIG_HOME
    WAVEPGO_ENABLE=1 WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/implicit/%b.profraw" plain implicit "$app" compute "$WPG_SPIRV"
    same absent implicit
    [ "$(count_profiles implicit)" = 1 ] || fail "implicit activation counts nothing: $(tail -n 3 "$work/implicit.err")"
    # Found by both routes it acts once: the counts are those of one.
    mkdir -p "$work/both"
    WAVEPGO_ENABLE=1 generate both "$app" compute "$WPG_SPIRV"
    same absent both
    same_counts implicit both "by both routes the counts differ"
    WAVEPGO_ENABLE=1 WAVEPGO_DISABLE=1 WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/disabled/%b.profraw" plain disabled "$app" compute "$WPG_SPIRV"
    same absent disabled
    [ ! -e "$work/disabled" ] || fail "WAVEPGO_DISABLE=1 does not disable"
    ;;
names)
    # The module is named before the pipeline is made of it: that acts at once. The pipeline itself later: from the next run on.
    plain absent "$app" named "$WPG_SPIRV"
    exited absent 0
    WAVEPGO_PIPELINES="e2e pipe*" generate first "$app" named "$WPG_SPIRV"
    WAVEPGO_PIPELINES="e2e pipe*" generate second "$app" named "$WPG_SPIRV"
    WAVEPGO_PIPELINES="!e2e pipe*" generate without "$app" named "$WPG_SPIRV"
    WAVEPGO_CACHE=none WAVEPGO_PIPELINES="*module" generate module "$app" named "$WPG_SPIRV"
    WAVEPGO_CACHE=none WAVEPGO_PIPELINES="other*" generate other "$app" named "$WPG_SPIRV"
    for run in first:0 second:1 without:0 module:1 other:0; do
        same absent ${run%:*}
        [ "$(count_profiles ${run%:*})" = ${run#*:} ] || fail "$run: $(count_profiles ${run%:*}) profiles"
    done
    # A bundle keeps them, the module's also where it comes after the pipeline; PIPELINES was not set in that run.
    rm -rf "$work/cache/wavepgo"
    WAVEPGO_BUNDLE=$work/names.bundle generate kept "$app" named "$WPG_SPIRV"
    same absent kept
    "$wavepgo" show "$work/names.bundle" >"$work/show.txt" && "$wavepgo" show --json "$work/names.bundle" >"$work/show.json" || fail "show"
    for name in 'named e2e pipeline' 'comp module named e2e module' 'comp module named e2e module, late'; do
        grep "^ *$name$" "$work/show.txt" >/dev/null || fail "show does not print '$name': $(grep named "$work/show.txt")"
    done
    [ "$(grep -o '"\(name\|module.comp\)[.][0-9a-f]*": "e2e [a-z, ]*"' "$work/show.json" | grep -c .)" = 3 ] || fail "show --json: $(grep -o '"name[^,]*' "$work/show.json")"
    WAVEPGO_PIPELINES="e2e pipe*" generate next "$app" named "$WPG_SPIRV"
    [ "$(count_profiles next)" = 1 ] || fail "PIPELINES does not know a name that an earlier run's pipeline was given"
    ;;
threads)
    plain absent "$app" threads "$WPG_SPIRV"
    for round in one two; do
        WAVEPGO_FLUSH_INTERVAL=0.01 generate $round "$app" threads "$WPG_SPIRV"
        same absent $round
    done
    WAVEPGO_COMPILE_THREADS=1 WAVEPGO_CACHE=none generate capped "$app" threads "$WPG_SPIRV"
    same absent capped
    same_counts one capped "one thread at a time counts otherwise"
    [ "$(count_profiles one)" = 1 ] || fail "$(count_profiles one) profiles of one pipeline"
    same_counts one two "two runs differ"
    use used "$work/one" "$app" threads "$WPG_SPIRV"
    same absent used
    ;;
interleaved)
    # Each thread of the layer sleeps after each lock it gives back, so that another has its turn there: the counts stay.
    need_built "$WPG_BUILD/lib/libwavepgo_test_yield.so"
    for scenario in compute twice threads; do
        plain absent "$app" $scenario "$WPG_SPIRV"
        WAVEPGO_FLUSH_INTERVAL=0 generate quiet-$scenario "$app" $scenario "$WPG_SPIRV"
        YIELD_COUNT=$work/yields WAVEPGO_FLUSH_INTERVAL=0.001 LD_PRELOAD=$WPG_BUILD/lib/libwavepgo_test_yield.so \
            generate $scenario "$app" $scenario "$WPG_SPIRV"
        same absent quiet-$scenario
        same absent $scenario
        same_counts quiet-$scenario $scenario "$scenario: counts depend on the order of threads"
        [ -s "$work/yields" ] || fail "$scenario: no lock of the layer was seen: this test sees nothing"
        rm -f "$work/yields"
    done
    ;;
off)
    # Off costs nothing: no command leads into the layer. Counting takes pipelines, and of the commands that
    # are recorded only what tells which of them run (for the deny list).
    for mode in off generate; do
        WAVEPGO_MODE=$mode WAVEPGO_PROFILE_FILE="$work/$mode/%b.profraw" WAVEPGO_LOG_FILE="$work/$mode.log" \
            VK_INSTANCE_LAYERS=$layer_name VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d" \
            plain $mode "$app" hooks "$WPG_SPIRV"
        exited $mode 0
    done
    grep libVkLayer_wavepgo "$work/off.out" >"$work/taken" && fail "off takes: $(tr "\n" " " <"$work/taken")"
    grep "^vkCreateComputePipelines libVkLayer_wavepgo" "$work/generate.out" >/dev/null || fail "generate does not take pipelines: this test sees nothing"
    grep "^vkCmd.* libVkLayer_wavepgo" "$work/generate.out" | grep -v "^vkCmd\(BindPipeline\|ExecuteCommands\) " >"$work/taken" && fail "generate takes: $(tr "\n" " " <"$work/taken")"
    [ ! -e "$work/off" ] || fail "off writes files"
    ;;
old)
    # A Vulkan 1.0 program on a driver that can do more is served.
    plain absent "$app" old "$WPG_SPIRV"
    generate old "$app" old "$WPG_SPIRV"
    same absent old
    [ "$(count_profiles old)" = 1 ] || fail "a Vulkan 1.0 program is not profiled: $(head -n 3 "$work/old.log")"
    generate new "$app" compute "$WPG_SPIRV"
    same_counts old new "its counts differ from the same program's as 1.1"
    ;;
app-*)
    # Ways of asking for a device and of making pipelines: the same output as ever, and the pipelines are counted.
    scenario=${WPG_CASE#app-}
    plain absent "$app" $scenario "$WPG_SPIRV"
    [ "$(cat "$work/absent.code")" != 77 ] || skip "$(cat "$work/absent.out")"
    exited absent 0
    generate counted "$app" $scenario "$WPG_SPIRV"
    same absent counted
    use used "$work/counted" "$app" $scenario "$WPG_SPIRV"
    same absent used
    case $scenario in
    batch) least=2 like= ;; # two of its three pipelines are one
    # Counted, or passed through and said so.
    derive) least=0 like= reason="derivative" ;;
    library) least=0 like= reason="librar" ;;
    inline) least=0 like= reason="inline" ;;
    required) least=1 like= ;;
    *) least=1 like=compute ;;
    esac
    [ "$(count_profiles counted)" -ge $least ] || fail "$(count_profiles counted) profiles, expected $least: $(head -n 4 "$work/counted.log")"
    if [ $least = 0 ] && [ "$(count_profiles counted)" = 0 ]; then
        grep -i "$reason" "$work/counted.log" >/dev/null || fail "neither counted nor said why not: $(head -n 3 "$work/counted.log")"
    elif [ "$scenario" = inline ]; then
        like=draw
    fi
    if [ -n "$like" ]; then
        # The same pipeline made another way has the same hash and counts.
        generate like "$app" $like "$WPG_SPIRV"
        same_counts counted like "not the profile of $like"
    fi
    ;;
raw-versions)
    # Raw profiles for every LLVM that is here.
    for pair in "8 14" "10 19" "10 22"; do
        version=${pair% *}
        eval "LLVM_PROFDATA=\$LLVM_PROFDATA_${pair#* }"
        [ -n "$LLVM_PROFDATA" ] || { echo "note: no llvm-profdata-${pair#* }"; continue; }
        WAVEPGO_RAW_VERSION=$version generate raw-${pair#* } "$app" draw "$WPG_SPIRV"
        exited raw-${pair#* } 0
        [ "$(count_profiles raw-${pair#* })" = 1 ] || fail "raw $version: $(head -n 3 "$work/raw-${pair#* }.log")"
        accepted $(profiles raw-${pair#* })
    done
    ;;
validate)
    # VALIDATE=1: spirv-val runs on every rewritten module and finds nothing.
    plain absent "$app" draw "$WPG_SPIRV"
    WAVEPGO_VALIDATE=1 WAVEPGO_SUMMARY=0 generate draw "$app" draw "$WPG_SPIRV"
    same absent draw
    [ "$(count_profiles draw)" = 1 ] || fail "not profiled: $(head -n 3 "$work/draw.log")"
    [ ! -s "$work/draw.log" ] || fail "log: $(head -n 3 "$work/draw.log")"
    ;;
cache)
    # Rewritten words come from the disk cache the second time, and are the same.
    for round in one two; do
        WAVEPGO_CACHE=$work/words WAVEPGO_DUMP=$work/dump-$round generate $round "$app" draw "$WPG_SPIRV"
    done
    same one two
    same_counts one two "counts differ with a warm cache"
    find "$work/words" -type f | grep . >/dev/null || fail "nothing in the cache"
    diff -rq "$work/dump-one" "$work/dump-two" >"$work/diff" || fail "rewritten words differ with a warm cache: $(head -n 2 "$work/diff")"
    # A damaged cache does no harm.
    find "$work/words" -type f | while read -r file; do head -c 40 "$file" >"$work/cut" && cp "$work/cut" "$file"; done
    WAVEPGO_CACHE=$work/words generate damaged "$app" draw "$WPG_SPIRV"
    same one damaged
    same_counts one damaged "counts differ with a damaged cache"
    ;;
*) die "no such case: $WPG_CASE" ;;
esac
finish

#!/bin/sh
# Ways of making pipelines beside the plain one: what is counted, under which hash, and that programs cannot tell.
# WPG_CASE names the case. What the scenarios of the test program do: app.c.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"

# through SCENARIO: without the layer, counted (bundle in $work/SCENARIO), with the profile: all the same. Skips the test
# where the driver has not what the scenario needs.
through() {
    plain $1-absent "$app" "$@" "$WPG_SPIRV"
    [ "$(cat "$work/$1-absent.code")" != 77 ] || skip "$(cat "$work/$1-absent.out")"
    exited $1-absent 0
    WAVEPGO_LOG=info WAVEPGO_BUNDLE="$work/$1" generate $1 "$app" "$@" "$WPG_SPIRV"
    same $1-absent $1
    use $1-used "$work/$1" "$app" "$@" "$WPG_SPIRV"
    same $1-absent $1-used
}
# wrote SCENARIO PIPELINES SHADERS: so many profiles of pipelines, and of shaders by themselves.
wrote() {
    whole=$(profiles $1 | grep -v -c '/shader-')
    parts=$(profiles $1 | grep -c '/shader-')
    [ "$whole $parts" = "$2 $3" ] || fail "$1: profiles of $whole pipelines, $parts shaders; expected $2, $3: $(head -n 20 "$work/$1.log")"
}
# draws SCENARIO N: the facts of the pipeline of `draw` name so many draws.
draws() {
    grep -x "sum draws $2" "$work/$1/pipelines/$pipeline.facts" >/dev/null ||
        fail "$1: draws of the pipeline: $(grep '^sum draws' "$work/$1/pipelines/$pipeline.facts" 2>&1)"
}
# What the shaders counted, without the records that name a pipeline.
shader_counts() { # PROFILES...
    "$wavepgo" merge --quiet --format text -o "$work/counts.text" "$@" 2>"$work/merge.err" || fail "merge: $(head -n 2 "$work/merge.err")"
    awk 'BEGIN { RS = ""; ORS = "\n\n" } !/^(:ir\n)?pipeline\./ { sub(/^:ir\n/, ""); print }' "$work/counts.text"
}

case $WPG_CASE in
library)
    generate draw "$app" draw "$WPG_SPIRV"
    exited draw 0
    pipeline=$(basename "$(profiles draw)" .profraw)
    # Parts that are linked fast count each under its shader's hash, what they draw is the pipeline's.
    through library-fast
    wrote library-fast 0 2
    draws library-fast 1
    # An optimised link is the pipeline made whole: the same file.
    through library-optimised
    wrote library-optimised 1 2 # the parts count nothing: zero
    draws library-optimised 1
    cmp "$work/draw/$pipeline.profraw" "$work/library-optimised/$pipeline.profraw" ||
        fail "an optimised link counts otherwise than the pipeline made whole"
    through library
    wrote library 1 2
    draws library 2
    # Every stage of a part by itself.
    through library-tessellation
    wrote library-tessellation 1 4
    # One render pass is left: the link is made for that.
    through library-stale
    wrote library-stale 1 2
    draws library-stale 1
    # Parts that cannot be made anew go on counting by themselves.
    through library-gone
    wrote library-gone 0 2
    draws library-gone 1
    # Vertex input and all shaders in one library.
    through library-two
    wrote library-two 1 2
    draws library-two 2
    through library-feedback
    wrote library-feedback 1 2
    # A profile of the pipeline made whole serves parts and links.
    use by-pipeline "$work/draw" "$app" library "$WPG_SPIRV"
    same library-absent by-pipeline
    grep -q "\"pipeline\": \"$pipeline\"" "$work/by-pipeline.uselog" || fail "an optimised link is not found in use mode: $(head -n 5 "$work/by-pipeline.uselog")"
    accepted $(profiles library-fast)
    ;;
objects)
    # Shader objects count each under its own hash, what a program stores of them is its own, and loads as it is.
    through objects
    wrote objects 0 3
    grep -q 'made of a shader binary' "$work/objects.log" || fail "a binary is not said to pass through"
    # What objects draw and dispatch is that of the pipeline of their shaders; what was made of a binary is nobody's.
    generate draw "$app" draw "$WPG_SPIRV"
    pipeline=$(basename "$(profiles draw)" .profraw)
    draws objects 2
    grep -x 'sum binds 2' "$work/objects/pipelines/$pipeline.facts" >/dev/null && grep -x 'sum vertices 6' "$work/objects/pipelines/$pipeline.facts" >/dev/null &&
        grep '^is stage.vert' "$work/objects/pipelines/$pipeline.facts" >/dev/null && grep '^is stage.frag' "$work/objects/pipelines/$pipeline.facts" >/dev/null ||
        fail "facts of what objects draw: $(cat "$work/objects/pipelines/$pipeline.facts")"
    # The same counts as in a pipeline.
    generate compute "$app" compute "$WPG_SPIRV"
    pipeline=$(basename "$(profiles compute)" .profraw)
    grep -x 'sum dispatches 1' "$work/objects/pipelines/$pipeline.facts" >/dev/null && grep -x 'sum workgroups 40' "$work/objects/pipelines/$pipeline.facts" >/dev/null ||
        fail "facts of what an object dispatches: $(cat "$work/objects/pipelines/$pipeline.facts" 2>&1)"
    [ "$(ls "$work/objects/pipelines" | grep -c '\.facts$')" = 2 ] || fail "facts of more: $(ls "$work/objects/pipelines")"
    shader_counts $(profiles compute) >"$work/compute.counts"
    shader=$(sed -n 's/^\([0-9a-f]*\)\.comp\.main#lanes$/\1/p' "$work/compute.counts")
    shader_counts "$work/objects/shader-$shader.profraw" >"$work/object.counts"
    [ -s "$work/object.counts" ] && diff "$work/compute.counts" "$work/object.counts" || fail "an object counts otherwise than its pipeline"
    use by-pipeline "$work/compute" "$app" objects "$WPG_SPIRV"
    same objects-absent by-pipeline
    grep -q '"found": "shader"' "$work/by-pipeline.uselog" || fail "an object does not find the shader of a pipeline: $(head -n 3 "$work/by-pipeline.uselog")"
    accepted $(profiles objects)
    # The object that ran when a device was lost is left alone by the next run.
    make_shim
    VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim SHIM_LOSE=1 WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/lost/%b.profraw" \
        VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder" plain lost "$app" objects "$WPG_SPIRV"
    grep "$shader" "$XDG_CACHE_HOME/wavepgo/denied" >/dev/null || fail "not on the deny list: $shader: $(cat "$work/lost.err" "$XDG_CACHE_HOME/wavepgo/denied")"
    WAVEPGO_LOG=info generate next "$app" objects "$WPG_SPIRV"
    same objects-absent next
    wrote next 0 2
    ;;
answers)
    # What a program is told: compile required or not, cache hits, identifiers, several in one call; with a cold cache and
    # with one from an earlier run. Nothing is run: drivers without hardware answer more than software ones.
    case $WPG_DRIVER in
    radv) export RADV_FORCE_FAMILY=navi31 profiler=new ;;
    radv-old) export RADV_FORCE_FAMILY=gfx1100 profiler=old ;;
    *) profiler=$WPG_DRIVER ;;
    esac
    [ -n "$(driver_icd $profiler)" ] || skip "no lavapipe to make the profile with"
    (use_driver $profiler && generate profile "$app" compute "$WPG_SPIRV")
    plain absent "$app" answers "$WPG_SPIRV" "$work/absent.cache"
    [ "$(cat "$work/absent.code")" != 77 ] || skip "$(cat "$work/absent.out")"
    exited absent 0
    cp "$work/absent.cache" "$work/warm.cache"
    generate counted "$app" answers "$WPG_SPIRV" "$work/counted.cache"
    same absent counted
    use used "$work/profile" "$app" answers "$WPG_SPIRV" "$work/used.cache"
    same absent used
    grep -q '"result": "optimised"' "$work/used.uselog" || fail "nothing is optimised: $(head -n 3 "$work/used.uselog")"
    plain warm "$app" answers "$WPG_SPIRV" "$work/warm.cache"
    for mode in generate use; do
        cp "$work/absent.cache" "$work/$mode.cache"
        case $mode in
        generate) WAVEPGO_LOG=info generate warm-$mode "$app" answers "$WPG_SPIRV" "$work/$mode.cache" ;;
        use) use warm-$mode "$work/profile" "$app" answers "$WPG_SPIRV" "$work/$mode.cache" ;;
        esac
        same warm warm-$mode
        # What is at hand for the program counts nevertheless.
        [ $mode = use ] || ! grep 'not compiled yet' "$work/warm-$mode.log" || fail "passed through with a warm cache"
        # What the program had in its cache is still there.
        plain after-$mode "$app" answers "$WPG_SPIRV" "$work/$mode.cache"
        same warm after-$mode
    done
    # What it stored under the layer serves without: hits where it asked for feedback, nothing foreign for the rest.
    sed -i '/^other/d' "$work/warm.out"
    for cache in counted used; do
        plain after-$cache "$app" answers "$WPG_SPIRV" "$work/$cache.cache"
        sed -i '/^other/d' "$work/after-$cache.out"
        same warm after-$cache # else the cache of that run does not serve without the layer
    done
    ;;
features)
    # What shaders and pipelines may ask for beside the core: the same output, and counted.
    export WAVEPGO_VALIDATE=1
    through features
    [ "$(count_profiles features)" -ge 7 ] || fail "$(count_profiles features) profiles: $(head -n 20 "$work/features.log")"
    ! grep -v 'device-generated' "$work/features.log" | grep 'passes through' || fail "passed through"
    # Flags and words in the chain, descriptors in a buffer: the same pipeline, the same counts as ever.
    generate compute "$app" compute "$WPG_SPIRV"
    for one in maintenance5 descriptor-buffer generated; do
        generate $one "$app" features "$WPG_SPIRV" $one
        grep 'not here' "$work/$one.out" && continue
        same_counts compute "$one" "$one: other counts than a plain pipeline's"
    done
    accepted $(profiles features)
    ;;
many)
    # Sixteen threads on three devices of three instances, opened and closed in rounds: whatever the order, the same counts,
    # and the same rewritten words, all of which the cache of them holds.
    plain absent "$app" many "$WPG_SPIRV" 1
    [ "$(cat "$work/absent.code")" != 77 ] || skip "$(cat "$work/absent.out")"
    exited absent 0
    for seed in 1 2; do
        WAVEPGO_CACHE="$work/words-$seed" WAVEPGO_FLUSH_INTERVAL=0.5 WAVEPGO_BUNDLE="$work/run-$seed" \
            generate run-$seed "$app" many "$WPG_SPIRV" $seed
        same absent run-$seed
    done
    wrote run-1 6 2 # five of compute, one of graphics; its two shaders by themselves
    same_counts run-1 run-2 "counts depend on the order"
    [ "$(find "$work/words-1" -type f -size +1k | grep -c .)" -ge 8 ] || fail "few words in the cache"
    diff -rq -x answers "$work/words-1" "$work/words-2" || fail "rewritten words depend on the order"
    # Records of 40 bytes, in the order of events.
    for seed in 1 2; do cat "$work/words-$seed"/answers/* | od -An -v -tx1 -w40 | sort >"$work/answers-$seed"; done
    [ -s "$work/answers-1" ] && cmp "$work/answers-1" "$work/answers-2" || fail "answers about shaders depend on the order"
    use used "$work/run-1" "$app" many "$WPG_SPIRV" 3
    same absent used
    # Counting on top of use, and tuning, from as many threads.
    WAVEPGO_PROFILE_USE=$work/run-1 WAVEPGO_SAMPLE=1/4 WAVEPGO_SAMPLE_BY=bind generate on-top "$app" many "$WPG_SPIRV" 4
    same absent on-top
    "$wavepgo" run --tune "$work/run-1" -- "$app" many "$WPG_SPIRV" 5 >"$work/tuned.out" 2>"$work/tuned.err"
    echo $? >"$work/tuned.code"
    same absent tuned
    ;;
refused)
    # A driver that refuses rewritten modules: parts and links fall back to the program's own, one line each says so.
    make_shim
    plain absent "$app" library "$WPG_SPIRV"
    [ "$(cat "$work/absent.code")" != 77 ] || skip "$(cat "$work/absent.out")"
    export VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim
    export VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
    SHIM_RECORD=$work/known WAVEPGO_MODE=off plain record "$app" library "$WPG_SPIRV"
    for scenario in library library-feedback; do
        for what in pipeline module; do
            SHIM_KNOWN=$work/known SHIM_REFUSE=$what WAVEPGO_MODE=generate WAVEPGO_SUMMARY=0 WAVEPGO_PROFILE_FILE="$work/$scenario-$what/%b.profraw" \
                WAVEPGO_LOG_FILE="$work/$scenario-$what.log" plain $scenario-$what "$app" $scenario "$WPG_SPIRV"
            exited $scenario-$what 0
            grep '^[a-z]* link' "$work/absent.out" >"$work/expected"
            grep '^[a-z]* link' "$work/$scenario-$what.out" | grep -v -x -F -f "$work/expected" && fail "$scenario, $what: other pixels"
            [ "$(grep -c 'refuses' "$work/$scenario-$what.log")" = 3 ] || fail "$scenario, $what: $(cat "$work/$scenario-$what.log")"
            [ "$(count_profiles $scenario-$what)" = 0 ] || fail "$scenario, $what: a profile of what was not counted"
        done
    done
    ;;
*) die "no such case: $WPG_CASE" ;;
esac
finish

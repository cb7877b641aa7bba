#!/bin/sh
# What counting may cost to compile. A shader that would be too dear is counted by lanes alone, the same lanes; a pipeline
# that took the driver longer than COMPILE_LIMIT is counted by lanes in the next run, passes through in the one after, and
# is counted again once `wavepgo clean` forgot it. What compiles at its first use is noted the same, even if the program is
# ended then.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench" "$app" "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so"
export WAVEPGO_FLUSH_INTERVAL=0 WAVEPGO_COMPILE_LIMIT=0
denied=$XDG_CACHE_HOME/wavepgo/denied

kinds_of() { # FOLDER: how many records have waves, and how many have lanes
    for file in $(profiles "$1"); do
        "$wavepgo" show --json "$file" || fail "wavepgo show --json $file"
    done | awk '/"lanes": \[/ { lanes++ } /"waves": \[/ { waves++ } END { print waves + 0, lanes + 0 }'
}
lanes_of() { # FOLDER: one line a function of a shader: hash, stage, function, lanes
    for file in $(profiles "$1"); do
        "$wavepgo" show --json "$file" || fail "wavepgo show --json $file"
    done | sed -n 's/.*"shader": "\([0-9a-f]*\)", "stage": "\([a-z]*\)",.*"function": \([0-9]*\),.*"lanes": \(\[[^]]*\]\).*/\1 \2 \3 \4/p' | LC_ALL=C sort
}

# -- The budget: a shader with many conditions in loops, in place of the program's.
mkdir -p "$work/spirv"
cp "$WPG_SPIRV"/* "$work/spirv"
awk 'BEGIN {
    print "#version 450\nlayout(local_size_x = 61) in;\nlayout(set = 0, binding = 0) buffer Data { uint words[]; };"
    print "void main()\n{\n    uint x = gl_GlobalInvocationID.x;"
    for (i = 0; i < 1; i++)
        printf "for (uint i%d = 0; i%d < 1u + x %% 2u; i%d++) {\n", i, i, i
    for (i = 0; i < 40; i++)
        printf "if (((x >> %d) & 1u) == 0u) { if (x == %du) return; x += 1u; } else x ^= %du;\n", i % 7, 1000 + i, i
    for (i = 0; i < 1; i++)
        print "}"
    print "    words[gl_GlobalInvocationID.x] = x;\n}"
}' >"$work/heavy.comp"
glslang=$(command -v glslangValidator || command -v glslang) || skip "no glslang here"
"$glslang" --target-env vulkan1.0 -S comp -o "$work/spirv/count.comp.spv" "$work/heavy.comp" >/dev/null || die "glslang"
plain absent "$app" compute "$work/spirv"
WAVEPGO_BUDGET=0 generate free "$app" compute "$work/spirv"
same absent free
WAVEPGO_BUDGET=4 WAVEPGO_LOG=info generate tight "$app" compute "$work/spirv"
same absent tight
set -- $(kinds_of free)
[ "$1" = "$2" ] && [ "$1" -gt 0 ] || fail "without a budget: $1 of $2 records have waves"
set -- $(kinds_of tight)
[ "$1" -lt "$2" ] || fail "with a budget of 1 all $2 records have waves: $(head -n 3 "$work/tight.log")"
lanes_of free >"$work/free.lanes"
lanes_of tight >"$work/tight.lanes"
cmp -s "$work/free.lanes" "$work/tight.lanes" || fail "lanes differ: $(diff "$work/free.lanes" "$work/tight.lanes" | cut -c1-300 | head -n 4)"
grep 'stage comp: .*(BUDGET)' "$work/tight.log" >/dev/null || fail "nothing is said: $(cat "$work/tight.log")"

# -- The watchdog. No driver makes a pipeline in a microsecond.
export WAVEPGO_COMPILE_LIMIT=0.000001
plain absent "$app" compute "$WPG_SPIRV"
generate first "$app" compute "$WPG_SPIRV"
same absent first
set -- $(kinds_of first)
[ "$1" = "$2" ] && [ "$1" -gt 0 ] || fail "at first: $1 of $2 records have waves"
grep 'only its lanes are counted' "$work/first.log" >/dev/null || fail "nothing was noted: $(head -n 3 "$work/first.log")"
grep -P '\tslow\t' "$denied" >/dev/null || fail "the list has no entry: $(cat "$denied")"
generate second "$app" compute "$WPG_SPIRV"
same absent second
set -- $(kinds_of second)
[ "$1" = 0 ] && [ "$2" -gt 0 ] || fail "the second time: $1 of $2 records have waves"
lanes_of first >"$work/first.lanes"
lanes_of second >"$work/second.lanes"
cmp -s "$work/first.lanes" "$work/second.lanes" || fail "lanes differ: $(diff "$work/first.lanes" "$work/second.lanes" | cut -c1-300 | head -n 4)"
generate third "$app" compute "$WPG_SPIRV"
same absent third
[ "$(count_profiles third)" = 0 ] || fail "the third time it is counted"
grep 'COMPILE_LIMIT' "$work/third.log" >/dev/null || fail "the third time nothing is said: $(cat "$work/third.log")"
WAVEPGO_COMPILE_LIMIT=0 generate unlimited "$app" compute "$WPG_SPIRV"
set -- $(kinds_of unlimited)
[ "$1" = "$2" ] && [ "$1" -gt 0 ] || fail "without a limit: $1 of $2 records have waves"
WAVEPGO_MODE=generate "$wavepgo" doctor >"$work/doctor.out" 2>&1 || fail "doctor: $(head -n 3 "$work/doctor.out")"
grep 'slow to compile, passes through' "$work/doctor.out" >/dev/null || fail "doctor does not list it: $(cat "$work/doctor.out")"
"$wavepgo" clean --denied >"$work/clean.out" 2>&1 || fail "clean: $(cat "$work/clean.out")"
export WAVEPGO_COMPILE_LIMIT=0
generate again "$app" compute "$WPG_SPIRV"
set -- $(kinds_of again)
[ "$1" = "$2" ] && [ "$1" -gt 0 ] || fail "after clean: $1 of $2 records have waves"
[ ! -e "$denied" ] || fail "noted without a limit"

# -- A driver that compiles where a command buffer runs. The shim below us does; creation takes no second.
make_shim
export VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim
export VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
export WAVEPGO_COMPILE_LIMIT=2 WAVEPGO_SUMMARY=0
SHIM_COMPILE=3 generate lazy "$app" compute "$WPG_SPIRV"
same absent lazy
logged_once lazy 'at its first use.*only its lanes are counted'
[ "$(grep -cP '\tslow\t' "$denied")" = 1 ] || fail "what compiled at its first use is not noted: $(cat "$denied")"
rm "$denied"
# Ended meanwhile: it was noted.
export WAVEPGO_FLUSH_INTERVAL=30 WAVEPGO_COMPILE_LIMIT=1
SHIM_COMPILE=600 WAVEPGO_MODE=generate WAVEPGO_PROFILE_FILE="$work/ended/%b.profraw" WAVEPGO_LOG_FILE="$work/ended.log" \
    "$app" compute "$WPG_SPIRV" >"$work/ended.out" 2>&1 &
pid=$!
for try in $(seq 300); do
    [ ! -s "$denied" ] || break
    kill -0 $pid 2>/dev/null || break
    sleep 0.1
done
kill -KILL $pid
wait $pid 2>/dev/null
[ "$(grep -cP '\tslow\t' "$denied")" = 1 ] || fail "ended while it compiled, and not noted: $(cat "$work/ended.log")"
finish

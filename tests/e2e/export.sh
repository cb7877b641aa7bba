#!/bin/sh
# `wavepgo export` of real runs: shaders whose line counts were made by hand, and the programs that read exports. WPG_CASE:
#
#     lines       lcov of three shaders, by -g and by -gVS, equals the counts below; without debug information a message
#     genhtml     lcov's genhtml takes the export and the sources; lcov's own merge and ours agree
#     callgrind   callgrind_annotate reads the export, and its totals are ours
#     traces      Chrome trace and folded stacks add up to the GPU time that was measured
#     speedscope  speedscope itself (npm) in headless Chromium shows both profiles
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"
need_program glslangValidator
shaders=$WPG_SOURCE/tests/e2e/shaders/lines

# counted BUNDLE SHADER FLAGS...: the shader of that name, compiled so, in 1280 invocations (40 groups of 32).
counted() {
    bundle=$1 shader=$2
    shift 2
    rm -rf "$work/spirv"
    mkdir -p "$work/spirv"
    (cd "$shaders" && glslangValidator --quiet --target-env vulkan1.1 "$@" -V -o "$work/spirv/count.comp.spv" "$shader.comp") ||
        die "$shader.comp does not compile"
    WAVEPGO_TIMESTAMPS=1 "$wavepgo" run --generate --bundle "$work/$bundle" -- "$app" compute "$work/spirv" >"$work/run.out" 2>&1 ||
        die "run of $shader: $(tail -n 2 "$work/run.out")"
}
exported() { # OUT CODE OPTIONS...
    out=$1
    shift
    code=$1
    shift
    "$wavepgo" export -o "$work/$out" "$@" 2>"$work/$out.err"
    ended=$?
    [ $ended = "$code" ] || fail "export $*: exit code $ended, expected $code: $(cat "$work/$out.err")"
}
lines_of() { sed -n "\\#^SF:$2\$#,/^end_of_record/p" "$1" | sed -n 's/^DA:\([0-9]*\),\([0-9]*\)$/\1 \2/p'; } # INFO SOURCE
# Functions and branches. lcov 2 writes FNA:index,count,name for FNDA:count,name.
others_of() { sed -n "\\#^SF:$2\$#,/^end_of_record/p" "$1" | sed -n 's/^FNA:[0-9]*,/FNDA /p;s/^\(FNDA\|BRDA\):/\1 /p'; }
expect() { # WHAT: what `lines_of` or `others_of` prints is standard input's
    cat >"$work/expected"
    diff "$work/expected" "$work/got" >"$work/diff" || { fail "$1: expected and exported differ:"; cat "$work/diff"; }
}

# Ids are 0 to 1279. 256 are multiples of 5 and return; the other 1024 make id % 8 trips. Each remainder of 8 has 128 of them:
# 128 * (0 + 1 + ... + 7) = 3584 trips, and one more test of the condition each. i is 5 where the remainder is 6 or 7.
loop_lines() {
    cat <<'COUNTS'
12 1280
13 1280
14 256
15 256
17 1024
18 4608
19 3584
20 3584
21 256
23 1024
COUNTS
}
loop_others() {
    cat <<'COUNTS'
FNDA 1280,main
BRDA 13,0,0,256
BRDA 13,0,1,1024
BRDA 18,0,0,3584
BRDA 18,0,1,1024
BRDA 20,0,0,256
BRDA 20,0,1,3328
COUNTS
}
# twist is called by all 1280, and by the 280 from id 1000 on with b = id - 1000: b is below 100 in 100 lanes of each call.
# fold is called three times by all.
calls_lines() {
    cat <<'COUNTS'
9 1560
10 200
11 1360
12 1360
17 3840
18 3840
23 1280
24 1280
25 1280
26 280
27 5120
28 3840
29 1280
COUNTS
}
calls_others() {
    cat <<'COUNTS'
FNDA 1560,twist
FNDA 3840,fold
FNDA 1280,main
BRDA 9,0,0,200
BRDA 9,0,1,1360
BRDA 25,0,0,280
BRDA 25,0,1,1000
BRDA 27,0,0,3840
BRDA 27,0,1,1280
COUNTS
}
# No id is above 5000. q = id / 128 is 0 to 9, 128 lanes each: i = 0 to q add, and i = q + 1 breaks, but for q = 9, whose
# loop ends by its condition. Conditions: q + 2 each, 65 * 128. Tests: 10 for q = 9, else q + 2: 64 * 128. Additions: 55 * 128.
branch_lines() {
    cat <<'COUNTS'
9 1280
10 1280
11 1280
12 640
14 640
15 1280
16 0
17 0
19 1280
21 320
22 320
24 320
25 320
27 640
28 640
30 8320
31 8192
32 1152
33 7040
35 1280
COUNTS
}
branch_others() {
    cat <<'COUNTS'
FNDA 1280,main
BRDA 11,0,0,640
BRDA 11,0,1,640
BRDA 15,0,0,0
BRDA 15,0,1,1280
BRDA 30,0,0,8192
BRDA 30,0,1,128
BRDA 31,0,0,1152
BRDA 31,0,1,7040
COUNTS
}

case $WPG_CASE in
lines)
    for debug in -g -gVS; do
        for shader in loop calls branch; do
            counted one $shader $debug
            exported one.info 0 --format lcov one
            [ ! -s "$work/one.info.err" ] || fail "$shader $debug: export says $(cat "$work/one.info.err")"
            lines_of one.info $shader.comp >"$work/got"
            "${shader}_lines" | expect "$shader.comp by $debug"
            others_of one.info $shader.comp >"$work/got"
            "${shader}_others" | expect "functions and branches of $shader.comp by $debug"
            rm -rf one
        done
    done

    # Another shader of the same file adds to its lines: multiples of 4 return, 320 of them. The other 960 have the remainders
    # 1, 2, 3, 5, 6, 7 of 8, 160 each: 160 * 24 = 3840 trips.
    counted two loop -g
    counted two loop -g -DEVERY=4u
    exported two.info 0 --format lcov two
    lines_of two.info loop.comp >"$work/got"
    expect "two shaders of loop.comp" <<'COUNTS'
12 2560
13 2560
14 576
15 576
17 1984
18 9408
19 7424
20 7424
21 576
23 1984
COUNTS

    # Waves: as many as the program reports for the entry; a stage has them on this driver.
    waves=$("$wavepgo" report --json --no-use-mode two | grep -o '"waves": [0-9]*, "work-lanes"' | sed 's/[^0-9]//g' | awk '{ n += $1 } END { print n }')
    exported waves.info 0 --format lcov --count waves two
    lines_of waves.info loop.comp | head -n 1 >"$work/got"
    echo "12 $waves" | expect "waves"

    # Waves of branches are those of the probe of branches; its lanes are the same as those that follow from the blocks.
    WAVEPGO_PROBES=branches counted probed calls -g
    exported probed.info 0 --format lcov probed
    others_of probed.info calls.comp >"$work/got"
    calls_others | expect "branches by their probe"
    exported probed.waves 0 --format lcov --count waves probed
    entry=$(sed -n 's/^DA:25,//p' probed.waves)
    others_of probed.waves calls.comp | sed -n 's/^BRDA 25,0,[01],//p' | tr '\n' ' ' >"$work/got"
    # Ids from 1000 on, and below: so many lanes, in waves of one size; one wave may have both.
    echo "$(((entry * 280 + 1279) / 1280)) $(((entry * 1000 + 1279) / 1280)) " | tr -d '\n' | expect "waves of a branch"

    # Without debug information: a message, exit code 1 and no file. Beside a shader with lines: a message.
    counted bare branch
    exported bare.info 1 --format lcov bare
    [ ! -e bare.info ] || fail "something was written of shaders without lines"
    grep 'left out: comp [0-9a-f]*: its SPIR-V has no source lines' bare.info.err >/dev/null &&
        grep 'glslang -g or -gVS' bare.info.err >/dev/null && grep 'none of 1 shader has lines' bare.info.err >/dev/null ||
        fail "without debug information export says $(cat bare.info.err)"
    exported both.info 0 --format lcov bare two
    grep 'left out: .*no source lines' both.info.err >/dev/null || fail "a shader was left out unsaid: $(cat both.info.err)"
    cmp -s both.info two.info && fail "the test's name is not that of the first input"
    lines_of both.info loop.comp >"$work/got"
    lines_of two.info loop.comp | expect "beside a shader without lines"
    exported quiet.info 0 --quiet --format lcov bare two
    [ ! -s quiet.info.err ] || fail "--quiet says $(cat quiet.info.err)"

    # A profile alone has no shaders; with the bundle as the place of shaders it has.
    "$wavepgo" merge --quiet -o two.profdata two || fail "merge"
    exported none.info 1 --format lcov two.profdata
    grep 'a profile has no SPIR-V: give the bundle' none.info.err >/dev/null || fail "a profile alone: $(cat none.info.err)"
    exported place.info 0 --format lcov --shaders two two.profdata
    cmp -s place.info two.info || fail "profile and bundle differ"
    ;;
genhtml)
    need_program lcov
    need_program genhtml
    mkdir 1 2 3
    counted 1/game.wavepgo loop -g
    counted 1/game.wavepgo calls -g
    counted 2/game.wavepgo calls -gVS
    counted 2/game.wavepgo branch -gVS
    exported a.info 0 --format lcov --sources sources 1/game.wavepgo
    exported b.info 0 --format lcov --sources sources 2/game.wavepgo
    genhtml --branch-coverage --output-directory pages a.info b.info >genhtml.out 2>&1 || fail "genhtml: $(tail -n 3 genhtml.out)"
    ! grep -i -E 'warning|error' genhtml.out || fail "genhtml complains"
    grep 'lines\.*: .*(41 of 43 lines)' genhtml.out >/dev/null || fail "genhtml counts other lines: $(grep 'lines\.' genhtml.out)"
    grep -r 'sum = sum \* 3u + i;' pages >/dev/null || fail "genhtml did not find the sources"

    # Real loops, returns and included files: what a branch did adds up to its line. The line's block ends in the branch.
    need_built "$bench"
    "$wavepgo" run --generate --probes branches --bundle bench.wavepgo -- "$bench" --size small --case bvh --case raymarch \
        --case uber --case rfc_divergent --checksum >bench.out 2>&1 || fail "run of $bench: $(tail -n 2 bench.out)"
    exported bench.info 0 --format lcov --sources sources bench.wavepgo
    awk -F '[:,]' '/^SF/ { file = $2 } /^DA/ { line[file ":" $2] = $3 }
        /^BRDA/ && $5 != "-" { place[file ":" $2 ":" $3] = file ":" $2; sum[file ":" $2 ":" $3] += $5 }
        END { for (one in sum) { count++; if (sum[one] != line[place[one]]) print one, sum[one], line[place[one]] }
              if (count < 20) print count " branches" }' bench.info >off
    [ ! -s off ] || { fail "branches and their lines differ:"; cat off; }

    # One test (TN) of three names of bundles: what lcov adds up of two exports is the export of the merged bundle, and of both.
    "$wavepgo" merge --quiet -o 3/game.bundle 1/game.wavepgo 2/game.wavepgo || fail "merge"
    exported merged.info 0 --format lcov --sources sources 3/game.bundle
    exported both.info 0 --format lcov --sources sources 1/game.wavepgo 2/game.wavepgo
    lcov --quiet --rc lcov_branch_coverage=1 -a a.info -a b.info -o added.info >lcov.out 2>&1 || fail "lcov -a: $(cat lcov.out)"
    for one in added merged both; do
        for shader in loop calls branch; do
            lines_of $one.info ".*sources/$shader.comp"
            others_of $one.info ".*sources/$shader.comp" | LC_ALL=C sort
        done >"$one"
    done
    [ "$(grep -c . merged)" -ge 60 ] || fail "only $(grep -c . merged) counts"
    diff added merged >diff || { fail "lcov -a and the merged bundle differ:"; cat diff; }
    diff merged both >diff || { fail "the merged bundle and both bundles differ:"; cat diff; }
    ;;
callgrind)
    need_program callgrind_annotate
    for shader in loop calls branch; do counted all $shader -g; done
    counted all branch # without lines: one function of an unknown file
    exported all.callgrind 0 --format callgrind --sources sources all
    callgrind_annotate --auto=yes --threshold=100 --show=Lanes,Waves,Work all.callgrind >annotated 2>annotated.err ||
        fail "callgrind_annotate: $(cat annotated.err)"
    [ ! -s annotated.err ] || fail "callgrind_annotate says $(cat annotated.err)"
    ours=$(sed -n 's/^totals: //p' all.callgrind)
    theirs=$(sed -n '/PROGRAM TOTALS/{s/,//g;s/([^)]*)//g;s/PROGRAM.*//;s/  */ /g;s/ $//p;}' annotated | head -n 1)
    [ "$ours" = "$theirs" ] || fail "totals: ours '$ours', theirs '$theirs'"
    summed=$(awk '/^[0-9]/ { for (i = 2; i <= 4; i++) sum[i] += $i } END { print sum[2], sum[3], sum[4] }' all.callgrind)
    [ "$ours" = "$summed" ] || fail "totals: '$ours', of the lines '$summed'"
    # By line as lcov has them: branch.comp with lines and without is one shader, so counted twice.
    grep 'calls.comp:twist' annotated >/dev/null || fail "no function twist"
    grep '^1,560 .*if (b < 100u)$' annotated >/dev/null || fail "twist's first line is not annotated: $(grep 'b < 100u' annotated)"
    ;;
traces)
    for shader in loop calls branch; do counted all $shader -g; done
    measured=$(cat all/pipelines/*.facts | awk '$2 == "gpu-nanoseconds" { n += $3 } END { print n }')
    exported all.folded 0 --format folded all
    sum=$(awk '{ n += $NF } END { print n }' all.folded)
    [ "$sum" = "$measured" ] || fail "folded stacks: $sum ns, measured were $measured"
    [ "$(grep -c 'calls.comp.*;twist;calls.comp:11 [0-9]*$' all.folded)" = 1 ] || fail "no stack of calls.comp:11"
    exported all.trace 0 --format chrome-trace all
    "$WPG_PROGRAMS/e2e_json" all.trace || fail "chrome-trace: no JSON"
    grep '"note": "an aggregate, not a timeline' all.trace >/dev/null || fail "chrome-trace does not say that it is an aggregate"
    for row in '"cat": "pipeline", "tid": 1' '"cat": "pipeline", "tid": 2' '"cat": "shader", "tid": 2' '"cat": "line", "tid": 2'; do
        sum=$(grep -F "$row" all.trace | sed 's/.*"dur": \([0-9]*\)\.\([0-9]*\)}.*/\1\2/' | awk '{ n += $1 } END { print n }')
        [ "$sum" = "$measured" ] || fail "chrome-trace, $row: $sum ns, measured were $measured"
    done
    # Not all timed: work, in no unit of time. The program's own counters make it: instructions times waves.
    sed -i '/gpu-/d' "all/pipelines/$(ls all/pipelines | head -n 1)"
    exported work.json 0 --format speedscope all
    "$WPG_PROGRAMS/e2e_json" work.json || fail "speedscope: no JSON"
    [ "$(grep -c '"name": "work by .*", "unit": "none"' work.json)" = 2 ] || fail "speedscope of untimed pipelines: $(grep unit work.json)"
    ;;
speedscope)
    speedscope=$WPG_SOURCE/.deps/speedscope/node_modules/speedscope/dist/release
    [ -f "$speedscope/index.html" ] || skip "no speedscope here (sh tests/setup.sh fetches it by npm)"
    need_program chromium
    need_program node
    for shader in loop calls branch; do counted all $shader -g; done
    exported all.speedscope.json 0 --format speedscope all
    timeout 120 node "$WPG_SOURCE/tests/e2e/export_speedscope.cjs" "$speedscope" "$work/all.speedscope.json" >seen 2>seen.err ||
        fail "speedscope: $(cat seen.err)"
    cat seen
    echo '{"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": 7}' >broken.json
    ! timeout 120 node "$WPG_SOURCE/tests/e2e/export_speedscope.cjs" "$speedscope" "$work/broken.json" >broken.out 2>&1 ||
        fail "speedscope takes anything"
    ;;
*) die "unknown case $WPG_CASE" ;;
esac
finish

#!/bin/sh
# Bad input and failure: the program runs as if the layer were absent (output and exit code), one log line says why, and
# files already written stay whole. WPG_CASE names the case.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$WPG_BUILD/lib/libVkLayer_wavepgo_test_shim.so"
export WAVEPGO_SUMMARY=0

plain absent "$app" compute "$WPG_SPIRV"
exited absent 0

lanes() { "$wavepgo" show --json "$1" | sed -n 's/.*"stage": "comp",.*"function".*"lanes": \[\([0-9]*\).*/\1/p' | head -n 1; }
good_profile() { # one good profile of the compute scenario in $work/good
    generate good "$app" compute "$WPG_SPIRV"
    same absent good
    good=$(profiles good)
    [ "$(count_profiles good)" = 1 ] || die "no profile: $(head -n 3 "$work/good.log")"
}
# Below ours: the shim. `wavepgo run` puts ours last, so the order is set here.
below() {
    make_shim
    # The loader of Debian 12 orders layers by where it finds them, newer ones by their order here: both put ours above.
    export VK_INSTANCE_LAYERS=$layer_name:VK_LAYER_WAVEPGO_TEST_shim
    export VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d:$shim_folder"
}
not_root() { # COMMAND...: as an ordinary user if we are root and can
    if [ "$(id -u)" != 0 ]; then
        "$@"
    else
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    fi
}

case $WPG_CASE in
malformed)
    plain malformed-absent "$app" malformed "$WPG_SPIRV"
    generate malformed "$app" malformed "$WPG_SPIRV"
    same malformed-absent malformed
    # None of them reached a pipeline: nothing to say. The good one is profiled as ever.
    [ "$(count_profiles malformed)" = 1 ] || fail "the good module was not profiled"
    ;;
unread)
    plain unread-absent "$app" unread "$WPG_SPIRV"
    generate unread "$app" unread "$WPG_SPIRV"
    same unread-absent unread
    logged_once unread 'version|SPIR-V|1\.9'
    [ "$(count_profiles unread)" = 0 ] || fail "a profile of a pipeline that never was"
    ;;
unwritable)
    [ "$(id -u)" != 0 ] || need_program setpriv
    mkdir -p "$work/locked/inside"
    chmod 0555 "$work/locked/inside"
    # The folder that holds the log and the libraries must stay readable to an ordinary user.
    chmod a+rwx "$work"
    not_root test -x "$wavepgo" || skip "an ordinary user cannot reach $wavepgo"
    not_root "$app" compute "$WPG_SPIRV" >/dev/null 2>&1 || skip "an ordinary user cannot run $app"
    mkdir -p "$work/unwritable" && chmod a+rwx "$work/unwritable" "$work/cache" "$work/home"
    WAVEPGO_LOG_FILE=$work/unwritable.log not_root "$wavepgo" run --generate --profile-file "$work/locked/inside/%b.profraw" \
        -- "$app" compute "$WPG_SPIRV" >"$work/unwritable.out" 2>"$work/unwritable.err"
    echo $? >"$work/unwritable.code"
    same absent unwritable
    logged_once unwritable 'permission|denied|write'
    ;;
full-disk)
    [ "$(id -u)" = 0 ] || skip "a full disk is a small tmpfs, which needs root"
    mkdir -p "$work/small"
    mount -t tmpfs -o size=64k wavepgo-test "$work/small" 2>/dev/null || skip "cannot mount a tmpfs here"
    trap 'umount "$work/small"' EXIT
    # A profile of an earlier run is there; then the disk fills up.
    profile_pattern=$work/small/%b.profraw generate earlier "$app" compute "$WPG_SPIRV"
    same absent earlier
    file=$(find "$work/small" -name '*.profraw')
    [ -n "$file" ] || die "no profile on the small disk: $(head -n 3 "$work/earlier.log")"
    cp "$file" "$work/before.profraw"
    dd if=/dev/zero of="$work/small/filler" bs=4096 2>/dev/null
    profile_pattern=$work/small/%b.profraw generate full "$app" compute "$WPG_SPIRV"
    same absent full
    logged_once full 'space|write|disk'
    cmp -s "$file" "$work/before.profraw" || fail "the earlier profile did not stay whole"
    [ "$(find "$work/small" -type f | grep -c .)" = 2 ] || fail "leavings on the full disk: $(ls "$work/small")"
    ;;
small-files)
    # Files may have 512 bytes: SIGXFSZ ends a program that writes more, and must not come of us.
    (ulimit -f 1 && "$app" compute "$WPG_SPIRV" >/dev/null 2>&1) || skip "this driver itself needs larger files"
    (ulimit -f 1 && WAVEPGO_CACHE=none generate small "$app" compute "$WPG_SPIRV")
    same absent small
    logged_once small 'profraw is not written.*File too large'
    [ "$(count_profiles small)" = 0 ] && [ -z "$(ls "$work/small")" ] || fail "leavings: $(ls "$work/small")"
    ;;
large-memory)
    # The newer lavapipe's memory is a file, too.
    [ "$WPG_DRIVER" = new ] || skip "this driver's memory is no file"
    (ulimit -f 60000 && "$app" compute "$WPG_SPIRV" >/dev/null 2>&1) || skip "this driver itself needs larger files"
    (ulimit -f 60000 && generate large "$app" compute "$WPG_SPIRV")
    same absent large
    logged_once large 'ulimit -f.*COUNTER_MEMORY'
    (ulimit -f 60000 && WAVEPGO_COUNTER_MEMORY=8 generate less "$app" compute "$WPG_SPIRV")
    same absent less
    [ "$(count_profiles less)" = 1 ] || fail "8 MiB of counters are too many: $(cat "$work/less.log")"
    ;;
truncated-profile)
    good_profile
    head -c 100 "$good" >"$work/cut.profraw"
    use cut "$work/cut.profraw" "$app" compute "$WPG_SPIRV"
    same absent cut
    logged_once cut 'truncat|malformed|cut|short|header|end'
    ;;
foreign-profile)
    echo "this is no profile" >"$work/foreign.profdata"
    use foreign "$work/foreign.profdata" "$app" compute "$WPG_SPIRV"
    same absent foreign
    logged_once foreign 'profile|format|magic'
    # A good profile, but of another program: said once, at the end.
    use other "$WPG_SOURCE/tests/cli/data/two.proftext" "$app" compute "$WPG_SPIRV"
    same absent other
    logged_once other 'two\.proftext does not know the one shader of this program.*Nothing was changed'
    ;;
missing-profile)
    use missing "$work/nowhere.profdata" "$app" compute "$WPG_SPIRV"
    # `run` may refuse before the program starts, as a mistake of the user's; the layer itself must not.
    WAVEPGO_MODE=use WAVEPGO_PROFILE_USE="$work/nowhere.profdata" WAVEPGO_LOG_FILE="$work/absent-file.log" \
        VK_INSTANCE_LAYERS=$layer_name VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d" \
        plain absent-file "$app" compute "$WPG_SPIRV"
    same absent absent-file
    logged_once absent-file 'nowhere\.profdata'
    ;;
wrong-checksum)
    # The same names, another function hash: as an older normal form would leave it. Made through llvm-profdata's text.
    [ -n "$LLVM_PROFDATA" ] || skip "no llvm-profdata"
    good_profile
    "$LLVM_PROFDATA" merge --text -o "$work/good.txt" "$good" || die "llvm-profdata --text"
    awk '/^# Func Hash:/ { print; getline; print "1234567890"; next } { print }' "$work/good.txt" >"$work/wrong.txt"
    cmp -s "$work/good.txt" "$work/wrong.txt" && die "the text has no function hash"
    use right "$work/good.txt" "$app" compute "$WPG_SPIRV"
    same absent right
    use wrong "$work/wrong.txt" "$app" compute "$WPG_SPIRV"
    same absent wrong
    logged_once wrong 'checksum|hash|disagree|match'
    ;;
refuse-pipeline | refuse-module)
    below
    SHIM_RECORD=$work/known WAVEPGO_MODE=off plain record "$app" compute "$WPG_SPIRV"
    [ -s "$work/known" ] || die "the shim recorded no module"
    export SHIM_KNOWN="$work/known"
    generate accepted-first "$app" compute "$WPG_SPIRV"
    same absent accepted-first
    [ "$(count_profiles accepted-first)" = 1 ] || fail "no profile below the shim: $(head -n 3 "$work/accepted-first.log")"
    export SHIM_REFUSE=${WPG_CASE#refuse-}
    generate refused "$app" compute "$WPG_SPIRV"
    same absent refused
    logged_once refused 'refus|reject|driver|VkResult|-13'
    [ "$(count_profiles refused)" = 0 ] || fail "a profile of a pipeline that was not counted"
    ;;
hidden-*)
    # A device that lacks a feature: that stage is not counted, or counted otherwise; nothing breaks.
    below
    export SHIM_HIDE=${WPG_CASE#hidden-}
    generate hidden "$app" compute "$WPG_SPIRV"
    same absent hidden
    case $SHIM_HIDE in
    address)
        # Counted by a descriptor set; by addresses alone, not at all.
        [ "$(count_profiles hidden)" = 1 ] || fail "no profile by binding: $(head -n 3 "$work/hidden.log")"
        WAVEPGO_COUNTER_WAY=address generate addresses "$app" compute "$WPG_SPIRV"
        same absent addresses
        logged_once addresses 'bufferDeviceAddress|device address'
        [ "$(count_profiles addresses)" = 0 ] || fail "a profile without buffer device address"
        ;;
    subgroups)
        # Lanes alone: waves are absent, never zero.
        [ "$(count_profiles hidden)" = 1 ] || fail "no profile: $(head -n 3 "$work/hidden.log")"
        "$wavepgo" show --json "$(profiles hidden)" >"$work/hidden.json" || fail "show --json"
        grep '"waves": null' "$work/hidden.json" >/dev/null || fail "waves are not absent"
        grep '"lanes": \[' "$work/hidden.json" >/dev/null || fail "lanes are absent"
        ;;
    stores)
        unset SHIM_HIDE
        plain draw-absent "$app" draw "$WPG_SPIRV"
        export SHIM_HIDE=stores
        generate draw "$app" draw "$WPG_SPIRV"
        same draw-absent draw
        [ "$(count_profiles draw)" = 0 ] || fail "a profile of stages without stores and atomics"
        ;;
    esac
    ;;
ended)
    # A driver that ends itself at exit, before us, and takes its memory along (shim_end.h): a program that destroys nothing leaves its
    # counts and ends as it would have, also while a pipeline is made in the background.
    plain ended-absent "$app" leave "$WPG_SPIRV"
    generate whole "$app" compute "$WPG_SPIRV"
    below
    export SHIM_END=1 SHIM_HIDE=host
    generate ended "$app" leave "$WPG_SPIRV"
    same ended-absent ended
    [ "$(count_profiles ended)" = 1 ] || fail "no profile: $(head -n 3 "$work/ended.log") $(tail -n 3 "$work/ended.err")"
    same_counts ended whole "its counts are not those of a program that destroys its device"
    # The flush comes every few milliseconds: its thread is not in the driver's memory either.
    WAVEPGO_FLUSH_INTERVAL=0.001 generate flushed "$app" leave "$WPG_SPIRV"
    same ended-absent flushed
    WAVEPGO_COMPILE=background SHIM_END_COMPILE=0.4 WAVEPGO_HINTS=on use used "$work/whole" "$app" leave "$WPG_SPIRV"
    same ended-absent used
    ;;
leave)
    plain leave-absent "$app" leave "$WPG_SPIRV"
    generate leave "$app" leave "$WPG_SPIRV"
    same leave-absent leave
    [ "$(count_profiles leave)" = 1 ] || fail "a program that never destroys its device leaves no profile: $(head -n 3 "$work/leave.log")"
    accepted $(profiles leave)
    generate whole "$app" compute "$WPG_SPIRV"
    same_counts leave whole "its counts are not those of one that does"
    # One that does so by a handler of exit, which comes after ours or before it.
    for when in early late; do
        plain leave-$when-absent "$app" leave-$when "$WPG_SPIRV" # NVIDIA's has ended itself when it comes to `early`, and crashes
        WAVEPGO_SUMMARY=1 WAVEPGO_FLUSH_INTERVAL=0 generate leave-$when "$app" leave-$when "$WPG_SPIRV"
        same leave-$when-absent leave-$when
        [ "$WPG_DRIVER" = hardware ] || exited leave-$when 0
        [ "$(cat "$work/leave-$when.code")" != 0 ] || [ "$(grep -c ' pipelines\{0,1\} seen' "$work/leave-$when.log")" = 1 ] ||
            fail "leave-$when: $(cat "$work/leave-$when.log")"
        same_counts leave-$when whole "leave-$when: its counts are not those of one that destroys at once"
    done
    ;;
early)
    # The first flush comes soon after the first counts, whatever FLUSH_INTERVAL is. The limit is of tries: half a minute, if nothing comes.
    mkdir -p "$work/early"
    WAVEPGO_FLUSH_INTERVAL=3600 WAVEPGO_LOG_FILE=$work/early.log "$wavepgo" run --generate --profile-file "$work/early/%b.profraw" \
        -- "$app" forever "$WPG_SPIRV" >"$work/early.out" 2>"$work/early.err" &
    victim=$!
    tries=0
    while [ "$(count_profiles early)" = 0 ] && [ $tries -lt 600 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    kill -TERM $victim
    wait $victim 2>/dev/null
    [ "$(count_profiles early)" = 1 ] || die "no profile long before FLUSH_INTERVAL is over: $(head -n 3 "$work/early.log")"
    accepted $(profiles early)
    # quick_exit runs no destructors, and loses nothing.
    generate whole "$app" compute "$WPG_SPIRV"
    WAVEPGO_FLUSH_INTERVAL=0 generate quick_exit "$app" cut "$WPG_SPIRV" quick_exit
    same absent quick_exit
    same_counts quick_exit whole "quick_exit loses counts"
    ;;
second)
    # What a second run does. It replaces the first one's profile and says so. A profile that another process of the first run wrote
    # beside it goes, too, or `show` of the folder would add it. No process has this number.
    generate whole "$app" compute "$WPG_SPIRV"
    one=$(lanes "$work/whole")
    profile=$(profiles whole)
    cp "$profile" "${profile%.profraw}.2147483646.profraw"
    WAVEPGO_SUMMARY=1 generate whole "$app" compute "$WPG_SPIRV"
    [ "$(count_profiles whole)" = 1 ] && [ "$(lanes "$work/whole")" = "$one" ] || fail "an earlier run's profile stays beside the second run's: $(ls "$work/whole")"
    grep '1 replaced an earlier run' "$work/whole.log" >/dev/null || fail "it is not said that a profile was replaced: $(cat "$work/whole.log")"
    for run in first second; do
        "$wavepgo" run --generate --bundle "$work/facts.bundle" -- "$app" record "$WPG_SPIRV" >"$work/$run.out" 2>&1
        facts=$(find "$work/facts.bundle/pipelines" -name '*.facts' ! -name '*.2147483646.*' | head -n 1)
        [ $run = second ] || cp "$facts" "${facts%.facts}.2147483646.facts"
    done
    [ ! -e "${facts%.facts}.2147483646.facts" ] || fail "facts of an earlier run stay beside the second run's"
    # A pool (%m) adds up: runs in turn, runs at once, what a killed run left, and runs that end in quick_exit.
    profile_pattern=$work/pool/%b-%m.profraw
    generate pool "$app" compute "$WPG_SPIRV"
    profile=$(profiles pool)
    cp "$profile" "${profile%.profraw}.2147483646.profraw"
    for run in 1 2 3; do
        "$wavepgo" run --generate --profile-file "$profile_pattern" -- "$app" compute "$WPG_SPIRV" >"$work/pool-$run.out" 2>&1 &
    done
    wait
    WAVEPGO_LOG=debug generate pool "$app" cut "$WPG_SPIRV" quick_exit
    [ "$(count_profiles pool)" = 1 ] || fail "a pool of five runs is: $(ls "$work/pool")"
    [ "$(lanes "$work/pool")" = $((one * 6)) ] || fail "five runs and a killed one have $(lanes "$work/pool") lanes in their pool, one has $one"
    accepted $(profiles pool)
    # A pool that is no profile stays; the run's counts lie beside it.
    echo "not a profile" >"$profile"
    generate pool "$app" compute "$WPG_SPIRV"
    grep 'not added to .*: ' "$work/pool.log" >/dev/null || fail "a broken pool is not told of: $(cat "$work/pool.log")"
    [ "$(cat "$profile")" = "not a profile" ] && [ "$(count_profiles pool)" = 2 ] || fail "a broken pool: $(ls "$work/pool")"
    ;;
cut)
    # However a program ends, nothing that it counted is lost where counters lie in pages of our own (lavapipe): no flush comes here.
    generate whole "$app" compute "$WPG_SPIRV"
    generate whole-twice "$app" twice "$WPG_SPIRV"
    export WAVEPGO_FLUSH_INTERVAL=0
    # lived NAME RUN...: the folder NAME holds the counts of these whole runs, and nothing else is left there.
    lived() {
        "$wavepgo" merge --quiet --format text -o "$work/$1.txt" "$work/$1" 2>"$work/$1.merge" || fail "$1: merge: $(cat "$work/$1.merge")"
        lived_name=$1
        shift
        "$wavepgo" merge --quiet --format text -o "$work/expected.txt" "$@" || fail "$lived_name: no whole runs"
        diff "$work/$lived_name.txt" "$work/expected.txt" >"$work/diff" || fail "$lived_name: not the counts of $*: $(head -n 4 "$work/diff") in $(ls "$work/$lived_name")"
        [ "$(ls "$work/$lived_name" | grep -vc '[.]profraw$')" = 0 ] || fail "$lived_name: more than profiles is left: $(ls "$work/$lived_name")"
    }
    for way in SIGKILL SIGTERM abort exec; do
        generate $way "$app" cut "$WPG_SPIRV" $way
        [ "$WPG_DRIVER" != hardware ] || [ -n "$(find "$work/$way" -name 'wavepgo-*.live')" ] || skip "counters lie in this driver's memory, not in a file"
        [ -n "$(find "$work/$way" -name 'wavepgo-*.live')" ] || fail "$way: no counts are left: $(ls "$work/$way")"
        lived $way whole
    done
    # A device that was destroyed before the kill is counted, too, also where its counts have been flushed; `show` reads what is left as well.
    generate twice "$app" cut-twice "$WPG_SPIRV" SIGKILL
    [ "$(count_profiles twice)" = 1 ] || fail "the first device's counts are not in a profile: $(ls "$work/twice")"
    "$wavepgo" show "$work/twice" >/dev/null || fail "show of what a killed run left"
    lived twice whole-twice
    # So do `verify` and use mode.
    generate used "$app" cut "$WPG_SPIRV" SIGKILL
    cp -r --sparse=always "$work/used" "$work/verified"
    "$wavepgo" verify "$work/verified" >"$work/verify.out" 2>&1 || fail "verify of what a killed run left: $(cat "$work/verify.out")"
    use using "$work/used" "$app" compute "$WPG_SPIRV"
    same absent using
    [ "$(count_profiles used)$(count_profiles verified)" = 11 ] || fail "no profiles for use and verify: $(ls "$work/used" "$work/verified")"
    # The next run makes profiles of it; those of its own pipelines it replaces. In a pool they add up.
    generate next "$app" cut "$WPG_SPIRV" SIGKILL
    WAVEPGO_LOG=info generate next "$app" compute "$WPG_SPIRV"
    grep 'counts of 1 killed run' "$work/next.log" >/dev/null || fail "it is not said that a killed run's counts were read: $(cat "$work/next.log")"
    lived next whole
    profile_pattern=$work/pool/%b-%m.profraw
    generate pool "$app" compute "$WPG_SPIRV"
    generate pool "$app" cut-twice "$WPG_SPIRV" SIGKILL
    generate pool "$app" compute "$WPG_SPIRV"
    lived pool whole whole-twice whole
    # What a living process counts is left alone; a journal cut short is read as far as it goes, garbage stays.
    unset profile_pattern
    mkdir -p "$work/odd"
    for size in 9 14 300; do
        generate odd "$app" cut "$WPG_SPIRV" SIGKILL
        journal=$(find "$work/odd" -name 'wavepgo-*.live')
        truncate -s $size "$journal"
        "$wavepgo" show "$work/odd" >"$work/odd.out" 2>&1
        [ -z "$(find "$work/odd" -name 'wavepgo-*')" ] || fail "a journal of $size bytes stays: $(ls "$work/odd")"
    done
    echo "no journal of wavepgo" >"$work/odd/wavepgo-2147483646-0.live"
    "$wavepgo" show "$work/odd" >"$work/odd.out" 2>&1
    grep 'wavepgo-\*.live. are left out: .*malformed' "$work/odd.out" >/dev/null || fail "garbage: $(cat "$work/odd.out")"
    ;;
fork)
    plain fork-absent "$app" fork "$WPG_SPIRV"
    generate fork "$app" fork "$WPG_SPIRV"
    same fork-absent fork
    generate whole "$app" compute "$WPG_SPIRV"
    same_counts fork whole "a forked child changed the profile"
    ;;
twice)
    plain twice-absent "$app" twice "$WPG_SPIRV"
    generate twice "$app" twice "$WPG_SPIRV"
    same twice-absent twice
    [ "$(count_profiles twice)" -ge 1 ] || fail "no profile"
    # Both devices' counts are there.
    generate once "$app" compute "$WPG_SPIRV"
    "$wavepgo" merge -o "$work/twice.profdata" "$work/twice" >/dev/null 2>&1 && "$wavepgo" merge -o "$work/once.profdata" "$work/once" "$work/once/" >/dev/null 2>&1
    [ "$(lanes "$work/twice.profdata")" = "$(($(lanes "$(profiles once)") * 2))" ] || fail "two devices: $(lanes "$work/twice.profdata") lanes, one: $(lanes "$(profiles once)")"
    ;;
killed)
    # Killed after a flush: what was flushed is there, whole.
    mkdir -p "$work/killed"
    WAVEPGO_FLUSH_INTERVAL=1 WAVEPGO_LOG_FILE=$work/killed.log "$wavepgo" run --generate --profile-file "$work/killed/%b.profraw" \
        -- "$app" forever "$WPG_SPIRV" 3 >"$work/killed.out" 2>"$work/killed.err" &
    victim=$!
    tries=0
    while ! grep ready "$work/killed.out" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || break
        sleep 0.1
    done
    kill -9 $victim
    wait $victim 2>/dev/null
    [ "$(count_profiles killed)" = 1 ] || die "no profile after a kill: $(head -n 3 "$work/killed.log")"
    accepted $(profiles killed)
    # What a killed run left half written goes with the next run, what another process is writing stays.
    left=$(profiles killed)
    echo half >"$left.tmp.abc123"
    if command -v flock >/dev/null 2>&1; then
        echo half >"$left.tmp.alive1"
        flock -F "$left.tmp.alive1" sleep 20 &
        holder=$!
        tries=0
        while flock -n "$left.tmp.alive1" true && [ $tries -lt 100 ]; do
            tries=$((tries + 1))
            sleep 0.1
        done
    fi
    WAVEPGO_LOG=info generate killed "$app" compute "$WPG_SPIRV"
    [ ! -e "$left.tmp.abc123" ] || fail "what a killed run left is not removed"
    grep -c 'killed process left' "$work/killed.log" | grep -x 1 >/dev/null || fail "it is not said that leftovers were removed: $(tail -n 3 "$work/killed.log")"
    if [ -n "${holder:-}" ]; then
        [ -e "$left.tmp.alive1" ] || fail "a file that another process writes is removed"
        kill $holder
        wait $holder 2>/dev/null
    fi
    # So does merging.
    WAVEPGO_LOG_FILE=$work/swept.log "$wavepgo" run --generate --bundle "$work/swept.wavepgo" -- "$app" compute "$WPG_SPIRV" >"$work/swept.out" 2>&1
    for name in pipelines/x.facts shaders/x.info shaders/x.spv index.wavepgo x.profraw; do echo half >"$work/swept.wavepgo/$name.tmp.abc123"; done
    echo half >"$work/swept.profdata.tmp.abc123"
    "$wavepgo" merge -o "$work/swept.profdata" "$work/swept.wavepgo" >"$work/merge.out" 2>&1 || fail "merge: $(cat "$work/merge.out")"
    [ -z "$(find "$work" -name '*.tmp.abc123')" ] || fail "merge leaves: $(find "$work" -name '*.tmp.abc123')"
    ;;
killed-often)
    # Killed at any moment, twenty times over the same files: each is absent or whole, and the next run goes on with them.
    accepted_all=yes
    # The last two are killed once there is a file, however slow the machine. Not one of these is a crash of the driver.
    export WAVEPGO_CRASH_GUARD=0
    for delay in 0.05 0.11 0.17 0.23 0.29 0.31 0.37 0.41 0.43 0.47 0.53 0.59 0.61 0.67 0.71 0.73 0.79 0.83 file5 file; do
        # Every second one into a bundle, which is a folder of several kinds of files.
        case $delay in
        *[15]) into=bundle expected=bundle where="--bundle $work/killed.bundle" ;;
        *) into=files expected='killed/' where="--profile-file $work/killed/%b.profraw" ;;
        esac
        # shellcheck disable=SC2086
        WAVEPGO_FLUSH_INTERVAL=0.01 WAVEPGO_LOG_FILE=$work/killed.log "$wavepgo" run --generate $where \
            -- "$app" forever "$WPG_SPIRV" 100 >"$work/killed.out" 2>"$work/killed.err" &
        victim=$!
        tries=0
        case $delay in
        file*)
            while [ $tries -lt 300 ] && [ -z "$(find "$work/killed" "$work/killed.bundle" -name '*.profraw' -newer "$work/absent.code" 2>/dev/null | grep "$expected")" ]; do
                tries=$((tries + 1))
                sleep 0.1
            done
            ;;
        *) sleep $delay ;;
        esac
        kill -9 $victim
        wait $victim 2>/dev/null
        for file in $(find "$work/killed" "$work/killed.bundle" -name '*.profraw' 2>/dev/null); do
            "${LLVM_PROFDATA:-true}" show --all-functions "$file" >/dev/null 2>"$work/stock.err" || {
                fail "broken after a kill at $delay s into $into: $file: $(head -n 2 "$work/stock.err")"
                accepted_all=no
            }
        done
        [ ! -d "$work/killed.bundle" ] || [ -z "$(find "$work/killed.bundle" -name '*.profraw')" ] ||
            "$wavepgo" show "$work/killed.bundle" >/dev/null 2>"$work/show.err" || fail "bundle after a kill at $delay s: $(head -n 2 "$work/show.err")"
        [ $accepted_all = yes ] || break
    done
    [ "$(count_profiles killed)" = 1 ] && [ -n "$(find "$work/killed.bundle" -name '*.profraw')" ] || fail "no run lived long enough to write: this test sees nothing"
    # What is left is as good as new for the next run that ends by itself.
    generate killed "$app" compute "$WPG_SPIRV"
    same absent killed
    generate whole "$app" compute "$WPG_SPIRV"
    cmp -s "$(profiles killed)" "$(profiles whole)" || fail "a run after the kills counts otherwise"
    ;;
garbage-settings)
    WAVEPGO_FLUSH_INTERVAL=soon WAVEPGO_SLOTS=1000 WAVEPGO_SUMMARY=0 WAVEPGO_FRAMES=3-2 WAVEPGO_PROBES=frob WAVEPGO_BUNDLE=a%q \
        WAVEPGO_SKIP_PASSES=xyz WAVEPGO_PROFIL_FILE=x VK_INSTANCE_LAYERS=$layer_name \
        VK_ADD_LAYER_PATH="$WPG_BUILD/share/vulkan/explicit_layer.d" WAVEPGO_MODE=sideways WAVEPGO_LOG_FILE="$work/garbage.log" \
        plain garbage "$app" compute "$WPG_SPIRV"
    same absent garbage
    for key in FLUSH_INTERVAL SLOTS MODE FRAMES PROBES BUNDLE SKIP_PASSES PROFIL_FILE; do
        [ "$(cat "$work/garbage.log" "$work/garbage.err" 2>/dev/null | grep -c "$key")" = 1 ] || fail "not one line about $key"
    done
    ;;
setuid)
    # Under setuid every setting is ignored: nothing is written, nothing said.
    [ "$(id -u)" = 0 ] || skip "making a setuid program needs root"
    need_program setpriv
    cp "$app" "$work/setuid-app"
    chown root "$work/setuid-app"
    chmod 4755 "$work/setuid-app"
    not_root test -x "$work/setuid-app" || skip "an ordinary user cannot reach $work: the clone lies in a folder that others cannot read"
    mkdir -p "$work/setuid"
    chmod -R a+rwx "$work/setuid" "$work/cache" "$work/home"
    not_root "$work/setuid-app" compute "$WPG_SPIRV" >"$work/probe.out" 2>/dev/null || skip "a setuid program does not run here"
    not_root "$wavepgo" run --generate --profile-file "$work/setuid/%b.profraw" -- "$work/setuid-app" compute "$WPG_SPIRV" \
        >"$work/setuid.out" 2>"$work/setuid.err"
    echo $? >"$work/setuid.code"
    same absent setuid
    [ "$(count_profiles setuid)" = 0 ] || fail "a setuid program wrote where an ordinary user told it to"
    ;;
*) die "no such case: $WPG_CASE" ;;
esac
finish

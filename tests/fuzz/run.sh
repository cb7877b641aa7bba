#!/bin/sh
# Runs one fuzzer from the committed seeds; what fails is said with the way to see it again.
#
#     sh tests/fuzz/run.sh FUZZER SEEDS...       FUZZER: path of fuzz_NAME; SEEDS: folders of tests/fuzz/corpus
#
# A libFuzzer program runs for WPG_FUZZ_SECONDS (10) from WPG_FUZZ_SEED (1: the same start every time; 0: another each
# time) and keeps what it finds in <build>/fuzz/NAME/found for the next run only where WPG_FUZZ_KEEP is set. A program
# built without libFuzzer runs the seeds once, and a few mutations of each.
#
# By hand, for an hour:
#
#     cmake --preset fuzz && cmake --build build-fuzz
#     WPG_FUZZ_SECONDS=3600 WPG_FUZZ_SEED=0 WPG_FUZZ_KEEP=1 ctest --test-dir build-fuzz -R '^fuzz/' -j 2
#
# New seeds: build-fuzz/bin/fuzz_NAME -merge=1 tests/fuzz/corpus/NAME build-fuzz/fuzz/NAME/found
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
fuzzer=$1
shift
name=$(basename "$fuzzer" | sed 's/^fuzz_//')
folders=
for seeds in "$@"; do
    [ ! -d "$root/tests/fuzz/corpus/$seeds" ] || folders="$folders $root/tests/fuzz/corpus/$seeds"
done
[ -n "$folders" ] || { echo "no seeds for $name"; exit 1; }
work=$(cd "$(dirname "$fuzzer")/.." && pwd)/fuzz/$name
[ -n "${WPG_FUZZ_KEEP:-}" ] || rm -rf "$work/found"
mkdir -p "$work/found"
rm -rf "$work/crash"
mkdir "$work/crash"
# Nothing of this machine's settings.
export XDG_CONFIG_HOME="$work" VK_LAYER_SETTINGS_PATH=/dev/null
if ! grep -q libFuzzer "$fuzzer"; then
    # shellcheck disable=SC2086
    "$fuzzer" $folders >"$work/log" 2>&1 && { tail -n 1 "$work/log"; exit 0; }
    echo "$name fails; the last file named here, or a mutation of it, does it:"
    tail -n 30 "$work/log"
    echo "again: $fuzzer $folders"
    exit 1
fi
largest=4096
case " $* " in *" spirv "*) largest=65536 ;; esac
status=0
# shellcheck disable=SC2086
"$fuzzer" -max_total_time="${WPG_FUZZ_SECONDS:-10}" -seed="${WPG_FUZZ_SEED:-1}" -max_len=$largest -timeout=60 \
    -rss_limit_mb=3000 -print_final_stats=1 -verbosity=1 -artifact_prefix="$work/crash/" \
    "$work/found" $folders >"$work/log" 2>&1 || status=$?
grep -E 'INFO: Seed|INITED|stat::(number|average)' "$work/log"
grep -E '#[0-9]+.* cov: ' "$work/log" | tail -n 1
[ $status -ne 0 ] || exit 0
echo "$name fails (exit code $status; whole log: $work/log):"
grep -nE 'fuzz:|ERROR|runtime error|SUMMARY|^ +#[0-9] ' "$work/log" | head -n 40
for crash in "$work/crash"/*; do
    [ -f "$crash" ] || continue
    echo "the input, in base64 of gzip; 'base64 -d | gunzip >INPUT' gives it back:"
    gzip -9 <"$crash" | base64
    echo "again: $fuzzer $crash"
done
exit 1

#!/bin/sh
# Plants faults in a source file, one at a time, and runs the unit tests of its folder: does a test see each fault?
#
#     sh tests/mutate.sh FILE [--faults N] [--seed N] [--line N] [--tests REGEX]
#
# --faults: how many of the possible faults are tried (20), spread over the file; 0: all. --seed: which ones (1). --line:
# only faults of that line. --tests: ctest's names of the tests to run; else those of the file's folder (tests/unit/FOLDER).
#
# A fault is one operator, constant or returned value changed: `<` for `<=`, `==` for `!=`, `&&` for `||`, `+` for `-`, `true` for `false`,
# `return WPG_E_...` for `return WPG_OK`, a condition negated, a statement that calls left out. Prints each fault that no test saw, with file and line; then one line a file:
#
#     runtime/bundle/cache.c: 18 of 20 faults seen (90 %), 2 not seen, 1 did not compile
#
# A fault that hangs the tests counts as seen. A fault that cannot change any result (an early way out, a reserve of memory) is
# never seen: look at each. Exit code 0 if all were seen, 1 if not. Works on a copy of the tree in build/mutate; the tree itself is not touched.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
usage() { sed -n '2,17s/^# \{0,1\}//p' "$0"; }
file= faults=20 seed=1 line= tests=
while [ $# -gt 0 ]; do
    case $1 in
    --faults | --seed | --line | --tests)
        [ $# -ge 2 ] || { echo "mutate.sh: $1 needs a value" >&2; exit 2; }
        case $1 in
        --faults) faults=$2 ;;
        --seed) seed=$2 ;;
        --line) line=$2 ;;
        --tests) tests=$2 ;;
        esac
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    -*)
        echo "mutate.sh: unknown option '$1'" >&2
        exit 2
        ;;
    *) file=$1 ;;
    esac
    shift
done
[ -n "$file" ] || { usage >&2; exit 2; }
case $file in "$root"/*) file=${file#"$root"/} ;; esac
[ -f "$root/$file" ] || { echo "mutate.sh: no such file in the tree: $file" >&2; exit 2; }
folder=$(dirname "$file")
[ -d "$root/tests/unit/$folder" ] || [ -n "$tests" ] || {
    echo "mutate.sh: $folder has no folder tests/unit/$folder; name the tests with --tests" >&2
    exit 2
}
[ -n "$tests" ] || tests="^$folder/test_"

# -- The copy: what git knows and what it does not ignore, refreshed where it differs.
work=$root/build/mutate
tree=$work/tree
mkdir -p "$tree"
exec 9>"$work/lock"
if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
    echo "mutate.sh: another run works in $work" >&2
    exit 2
fi
(cd "$root" && git ls-files -z --cached --others --exclude-standard |
    xargs -0 -r sh -c 'for f; do [ ! -f "$f" ] || printf "%s\0" "$f"; done' sh) >"$work/files"
(cd "$root" && tar --null -T "$work/files" -cf -) | (cd "$tree" && tar --skip-old-files -xf -)
(cd "$root" && xargs -0 -r sh -c 'for f; do cmp -s "$f" "$0/$f" || cp "$f" "$0/$f"; done' "$tree" <"$work/files")
[ ! -d "$root/.deps" ] || ln -sfn "$root/.deps" "$tree/.deps"
launcher=
if command -v ccache >/dev/null 2>&1; then
    launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
fi
# Each time anew: the tree may have other tests than the copy had.
# shellcheck disable=SC2086
cmake -S "$tree" -B "$work/build" -G Ninja $launcher -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O1 >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2; exit 1; }
targets=$(ctest --test-dir "$work/build" -N -R "$tests" | sed -n 's/^ *Test *#[0-9]*: //p' | tr '/' '_')
[ -n "$targets" ] || { echo "mutate.sh: no test is named like $tests" >&2; exit 2; }
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

run_tests() { # SECONDS: 0 if all pass
    # shellcheck disable=SC2086
    cmake --build "$work/build" -j "$jobs" --target $targets >"$work/log" 2>&1 || return 3
    timeout -k 5 "$1" ctest --test-dir "$work/build" -j "$jobs" --stop-on-failure -R "$tests" >"$work/log" 2>&1
}
began=$(date +%s)
run_tests 3600 || { tail -n 20 "$work/log" >&2; echo "mutate.sh: the tests fail without any fault" >&2; exit 1; }
limit=$((($(date +%s) - began) * 5 + 20))

# -- The faults: LINE, COLUMN, LENGTH, the new text, a tab between. Comments, strings and preprocessor lines are left alone.
awk -v only="$line" '
function fault(at, old, new) { printf "%d\t%d\t%d\t%s\n", NR, at, length(old), new }
BEGIN {
    n = split("<= < >= > == != && || += -= true false", from, " ")
    split("< <= > >= != == || && -= += false true", to, " ")
}
{
    text = $0
    if (comment) { if (match(text, /\*\//)) { comment = 0; gsub(/^.*\*\//, "", text) } ; next }
    if (text ~ /^[ \t]*#/ || text ~ /^(static |enum |typedef |struct )?.*;[ \t]*\/\*/ && text ~ /^(enum|typedef)/) next
    # Blanks for strings, characters and comments, so that columns stay.
    while (match(text, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\*([^*]|\*[^\/])*\*\/|\/\/.*/)) {
        blank = sprintf("%" RLENGTH "s", "")
        text = substr(text, 1, RSTART - 1) blank substr(text, RSTART + RLENGTH)
    }
    if (match(text, /\/\*/)) { comment = 1; text = substr(text, 1, RSTART - 1) }
    if (only != "" && NR != only) next
    for (i = 1; i <= n; i++) {
        at = 1
        rest = text
        while ((p = index(rest, from[i])) > 0) {
            place = at + p - 1
            before = substr(text, place - 1, 1)
            after = substr(text, place + length(from[i]), 1)
            word = from[i] ~ /^[a-z]/
            if (word ? before !~ /[A-Za-z0-9_]/ && after !~ /[A-Za-z0-9_]/ : \
                before !~ /[-<>=!+&|]/ && after !~ /[<>=&|]/)
                fault(place, from[i], to[i])
            at = place + length(from[i])
            rest = substr(text, at)
        }
    }
    if (match(text, / [+] /)) fault(RSTART + 1, "+", "-")
    if (match(text, / - /)) fault(RSTART + 1, "-", "+")
    if (match(text, /return WPG_E_[A-Z_]+/)) fault(RSTART, substr(text, RSTART, RLENGTH), "return WPG_OK")
    if (match(text, /return [0-9]+;/)) fault(RSTART, substr(text, RSTART, RLENGTH), "return 7;")
    if (match(text, /if \([^()]*\)$/)) fault(RSTART + 3, "(", "(!(")
    if (match(text, /^ +[a-z_]+\([^=]*\);$/)) { match(text, /[a-z]/); fault(RSTART, substr(text, RSTART), ";") }
}' "$root/$file" | awk -F '\t' '{ if ($4 == "(!(") { print $0 "\tclose" } else print }' >"$work/faults"
total=$(wc -l <"$work/faults")
[ "$faults" -gt 0 ] && [ "$faults" -lt "$total" ] || faults=$total

seen=0 missed=0 stillborn=0 number=0
restore() { cp "$root/$file" "$tree/$file"; }
trap restore EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# Spread over the file: one of each of N equal parts, which one by the seed.
awk -v n="$faults" -v total="$total" -v seed="$seed" '
BEGIN { for (i = 0; i < n; i++) { a = int(i * total / n); b = int((i + 1) * total / n); want[a + (seed * 7919 + i * 104729) % (b - a) + 1] = 1 } }
NR in want' "$work/faults" >"$work/chosen"
tab=$(printf '\t')
while IFS=$tab read -r at column length text closing <&3; do
    number=$((number + 1))
    awk -v at="$at" -v column="$column" -v length_="$length" -v text="$text" -v closing="$closing" '
        NR == at {
            head = substr($0, 1, column - 1) text
            tail = substr($0, column + length_)
            if (closing != "") sub(/\)$/, "))", tail)
            print head tail
            next
        }
        { print }' "$root/$file" >"$tree/$file"
    status=0
    run_tests "$limit" || status=$?
    if [ $status = 3 ]; then
        stillborn=$((stillborn + 1))
    elif [ $status != 0 ]; then
        seen=$((seen + 1))
    else
        missed=$((missed + 1))
        printf 'not seen: %s:%s: %s\n' "$file" "$at" "$(sed -n "${at}s/^ *//p" "$tree/$file")"
    fi
done 3<"$work/chosen"
tried=$((seen + missed))
printf '%s: %s of %s faults seen (%s %%), %s not seen, %s did not compile\n' "$file" "$seen" "$tried" \
    "$((tried ? seen * 100 / tried : 100))" "$missed" "$stillborn"
[ "$missed" = 0 ]

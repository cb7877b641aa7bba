#!/bin/sh
# The whole loop on the benchmarks: off, generate twice, stock and own merge, use. Outputs are equal everywhere, both
# generate runs give the same files byte for byte (SwiftShader: but for vertex shaders), one a pipeline hash.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"
run_bench="$bench --size small --checksum"

plain absent $run_bench
exited absent 0
pipelines=$(grep -c -v ' skipped: ' "$work/absent.out")
[ "$pipelines" -ge 8 ] || fail "only $pipelines benchmarks ran"

WAVEPGO_MODE=off plain off "$wavepgo" run -- $run_bench
same absent off

generate one $run_bench
same absent one
generate two $run_bench
same absent two
written=$(count_profiles one)
[ "$written" = "$pipelines" ] || fail "$written profiles of $pipelines pipelines; log: $(head -n 5 "$work/one.log")"
case $WPG_DRIVER in
swiftshader | hardware)
    # SwiftShader draws batches of triangles by several threads, each with a vertex cache that lasts: how often a vertex shader runs
    # depends on which thread takes which batch. GPUs are like that. Of what has one, the fragments alone are compared.
    for run in one two; do
        mkdir -p "$work/steady-$run"
        for file in $(profiles $run); do
            "$wavepgo" show "$file" >"$work/listed"
            if grep ' vert ' "$work/listed" >/dev/null; then
                # A GPU packs fragments into waves as it likes: the lanes, behind the waves.
                grep ' frag ' "$work/listed" | sed 's/^ *[0-9.]*%//' |
                    { [ "$WPG_DRIVER" = hardware ] && sed -E 's/.* frag +[0-9,]+ +[0-9,]+ +([0-9,]+) .*/\1/' || cat; } \
                    >"$work/steady-$run/$(basename "$file").fragments"
            else
                cp "$file" "$work/steady-$run/"
            fi
        done
    done
    [ -s "$(find "$work/steady-one" -name '*.fragments' | head -n 1)" ] || fail "no fragments to compare"
    diff -r "$work/steady-one" "$work/steady-two" >"$work/diff" || fail "two runs give different profiles: $(head -n 5 "$work/diff")"
    ;;
*) same_counts one two "two runs give different profiles" ;;
esac
for file in $(profiles one); do
    basename "$file" | grep -E '^[0-9a-f]{32}\.profraw$' >/dev/null || fail "file name is no pipeline hash: $file"
done

accepted $(profiles one)
for version in 14 19 22; do
    eval "tool=\$LLVM_PROFDATA_$version"
    [ -n "$tool" ] || continue
    "$wavepgo" merge -o "$work/merged.profdata" "$work/one" "$work/two" >"$work/merge.out" 2>&1 ||
        fail "wavepgo merge: $(tail -n 3 "$work/merge.out")"
    "$tool" show --all-functions --counts "$work/merged.profdata" >"$work/show-$version" 2>"$work/show.err" ||
        fail "llvm-profdata $version does not read the merged profile: $(head -n 3 "$work/show.err")"
    grep '#lanes:' "$work/show-$version" >/dev/null || fail "llvm-profdata $version shows no lanes"
done
# The merge of two equal runs holds every counter twice; stock llvm-profdata agrees.
"$wavepgo" merge -o "$work/merged.profdata" "$work/one" "$work/two" >"$work/merge.out" 2>&1 || fail "wavepgo merge"
if [ -n "$LLVM_PROFDATA" ]; then
    "$LLVM_PROFDATA" merge -o "$work/stock.profdata" $(profiles one) $(profiles two) 2>"$work/stock.err" ||
        fail "llvm-profdata merge: $(head -n 3 "$work/stock.err")"
    # One line a record, in order of name: indexed files list records in the order of their hash tables.
    for file in merged stock; do
        "$LLVM_PROFDATA" show --all-functions --counts "$work/$file.profdata" 2>&1 |
            awk '/^  [^ ]/ { if (line != "") print line; line = $0; next } { line = line " " $0 } END { print line }' |
            LC_ALL=C sort >"$work/$file.show"
    done
    diff "$work/merged.show" "$work/stock.show" >"$work/diff" || {
        fail "wavepgo merge and llvm-profdata merge disagree:"
        head -n 5 "$work/diff"
    }
fi

use used "$work/merged.profdata" $run_bench
same absent used
use folder "$work/one" $run_bench
same absent folder
"$wavepgo" show "$work/merged.profdata" >"$work/show.out" 2>&1 || fail "wavepgo show: $(tail -n 3 "$work/show.out")"
"$wavepgo" show --json "$work/merged.profdata" >"$work/show.json" 2>&1 || fail "wavepgo show --json"
if [ -s "$work/used.uselog" ]; then
    "$wavepgo" show --use-log "$work/used.uselog" >"$work/uselog.out" 2>&1 || fail "wavepgo show --use-log"
    [ -s "$work/uselog.out" ] || fail "wavepgo show --use-log prints nothing"
else
    fail "use mode wrote no use log"
fi

# SwiftShader gets no hints; a GPU's driver that is not Mesa's gets them.
case $WPG_DRIVER in swiftshader | hardware) finish ;; esac
# A stage that hints alone would change keeps the program's words on Mesa (HINTS=auto), and is optimised with HINTS=on.
hints="--size small --checksum --case rfc_uniform"
for hint in on auto; do
    WAVEPGO_HINTS=$hint WAVEPGO_LOG=info use "hints-$hint" "$work/one" $bench $hints
done
same hints-on hints-auto
grep "1 optimised, 0 unchanged" "$work/hints-on.log" >/dev/null || fail "HINTS=on: $(cat "$work/hints-on.log")"
grep "0 optimised, 1 unchanged" "$work/hints-auto.log" >/dev/null || fail "HINTS=auto: $(cat "$work/hints-auto.log")"
finish

#!/bin/sh
# Checks corpus_loops on two modules whose loops are known: what it reads, and why not.
#
#     sh tests/corpus/loops.sh BUILD-FOLDER/bin/corpus_loops
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tool=$1
glslang=$(command -v glslangValidator || command -v glslang) || { echo "skipped: no glslang"; exit 77; }
command -v spirv-as >/dev/null 2>&1 || { echo "skipped: no spirv-as"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$glslang" --quiet --target-env vulkan1.1 -o "$work/counted.spv" "$here/loops/counted.comp"
spirv-as --target-env vulkan1.1 -o "$work/own_way_out.spv" "$here/loops/own_way_out.spvasm"
echo "no module" >"$work/text.spv"
"$tool" --reasons "$work" >"$work/got" 2>"$work/messages"
grep -q '^loops: text.spv: .*: left out$' "$work/messages" || { echo "FAIL text.spv is not named:"; cat "$work/messages"; exit 1; }
cat >"$work/want" <<'END'
counted.spv: glslang: loops 8, one way out 7, test 7, counter 5, trips 5 (constant 2, words 2, before 1); branches 12: loop test 5, words 2, invariant 1, other 4; in memory 0 of 1
own_way_out.spv: SPIR-V Tools Assembler: loops 2, one way out 2, test 1, counter 1, trips 1 (constant 0, words 1, before 0); branches 2: loop test 1, words 0, invariant 0, other 1; in memory 0 of 1

| front end | modules | loops | test | counter | trips: constant, words, before | branches | loop test | words | invariant | other |
|---|---|---|---|---|---|---|---|---|---|---|
| SPIR-V Tools Assembler | 1 | 2 | 1 | 1 | 1: 0, 1, 0 | 2 | 1 | 0 | 0 | 1 |
| glslang | 1 | 8 | 7 | 5 | 5: 2, 2, 1 | 12 | 5 | 2 | 1 | 4 |

SPIR-V Tools Assembler: 1 the test is a Boolean made in several places (&&, ||, a flag)

glslang: 1 the counter is changed otherwise than by adding (shifted, multiplied, loaded)
glslang: 1 the counter starts at a value computed before the loop
glslang: 1 the test compares no integers (floats, vectors)
END
diff "$work/want" "$work/got" || { echo "FAIL other lines than known"; exit 1; }

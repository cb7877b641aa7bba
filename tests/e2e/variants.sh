#!/bin/sh
# Variants by push constants: the same results on values the profile saw and on others, and variants are really
# bound. app_variants.c.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$bench"

plain absent "$app" variants "$WPG_SPIRV"
exited absent 0
"$wavepgo" run --generate --bundle "$work/bundle.wavepgo" -- "$app" variants-train "$WPG_SPIRV" >"$work/train.out" 2>"$work/train.err"
[ -f "$work/bundle.wavepgo/index.wavepgo" ] || die "no bundle: $(tail -n 3 "$work/train.err")"

# with NAME SETTINGS...: the program with that bundle.
with() {
    run_name=$1
    shift
    "$wavepgo" run --use "$work/bundle.wavepgo" --validate 1 "$@" -- "$app" variants "$WPG_SPIRV" >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
    exited "$run_name" 0
    same absent "$run_name"
}
# summary NAME: "BUILT USED SEEN" of the summary line, nothing if it does not speak of variants.
summary() { sed -n 's/.*; \([0-9]*\) variants, \([0-9]*\) of \([0-9]*\) dispatches recorded with one.*/\1 \2 \3/p' "$work/$1.err"; }

# Without variants nothing is said of them; with some, in the background, whatever is ready when.
with none --variants 0
[ -z "$(summary none)" ] || fail "VARIANTS=0: $(summary none)"
for round in 1 2 3; do with background-$round; done
with one-thread --compile-threads 1
# Where dispatches wait, both usual combinations are served, and nothing else.
with waiting --variant-wait 20 --use-log "$work/use.jsonl"
set -- $(summary waiting)
[ $# -eq 3 ] || die "no word of variants: $(tail -n 2 "$work/waiting.err")"
[ "$1" -ge 2 ] || fail "$1 variants built"
# partial: usual 7 and second 1 of 14, twice, and one second with another seed; layouts 3 of 6 and 3 of the other; ...
[ "$2" -ge 100 ] || fail "$2 of $3 dispatches used a variant"
[ "$2" -lt "$3" ] || fail "every dispatch used a variant, though values were pushed that none is for"
grep '"pass": "push-fold", "done": true' "$work/use.jsonl" >/dev/null || fail "USE_LOG does not tell of the pass"
# One variant a pipeline, little memory: said, and right all the same.
with one --variants 1 --variant-wait 20
set -- $(summary one)
[ "${2:-0}" -ge 1 ] || fail "one variant: $*"
with skipped --skip-passes p --variant-wait 20
set -- $(summary skipped)
[ "${1:-0}" -eq 0 ] || fail "without the pass $1 variants were built"

# The benchmark's shader that divides by push constants: the same outputs where a variant serves, and at a size whose values
# no profile saw, some of the words equal and some not.
divide="$bench --case push_stride --checksum --size"
for size in small demo; do plain divide-$size $divide $size; done
"$wavepgo" run --generate --bundle "$work/divide.wavepgo" -- $divide small >"$work/divide.train" 2>&1 || die "push_stride: $(tail -n 3 "$work/divide.train")"
for size in small demo; do
    "$wavepgo" run --use "$work/divide.wavepgo" --validate 1 --variant-wait 20 -- $divide $size >"$work/divided-$size.out" 2>"$work/divided-$size.err"
    echo $? >"$work/divided-$size.code"
    exited divided-$size 0
    same divide-$size divided-$size
done
[ "$(summary divided-small)" = "1 1 1" ] || fail "push_stride, trained values: $(summary divided-small)"
set -- $(summary divided-demo)
[ "${2:-1}" = 0 ] || fail "push_stride, other values: $*"
finish

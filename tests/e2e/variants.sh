#!/bin/sh
# Variants by push constants: the same results on values the profile saw and on others, and variants are really
# bound. app_variants.c.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$bench"

# train NAME SCENARIO: the program's few combinations, into NAME.wavepgo.
train() {
    "$wavepgo" run --generate --bundle "$work/$1.wavepgo" -- "$app" "$2" "$WPG_SPIRV" >"$work/$1.out" 2>"$work/$1.err"
    [ -f "$work/$1.wavepgo/index.wavepgo" ] || die "no bundle: $(tail -n 3 "$work/$1.err")"
}
# with NAME SETTINGS...: $scenario with $bundle, as without the layer.
with() {
    run_name=$scenario-$1
    shift
    "$wavepgo" run --use "$work/$bundle.wavepgo" --validate 1 "$@" -- "$app" $scenario "$WPG_SPIRV" >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
    exited "$run_name" 0
    same $scenario "$run_name"
}
# summary NAME: "BUILT USED SEEN" of the summary line, nothing if it does not speak of variants.
summary() { sed -n 's/.*; \([0-9]*\) variants\{0,1\}, \([0-9]*\) of \([0-9]*\) draws and dispatches recorded with one.*/\1 \2 \3/p' "$work/$1.err"; }

train dispatches variants-train
train draws variants-draw-train
for scenario in variants variants-draw variants-rendering variants-linked; do
    bundle=draws
    [ $scenario != variants ] || bundle=dispatches
    plain $scenario "$app" $scenario "$WPG_SPIRV"
    exited $scenario 0
    # Without variants nothing is said of them; with some, in the background, whatever is ready when.
    with none --variants 0
    [ -z "$(summary $scenario-none)" ] || fail "$scenario, VARIANTS=0: $(summary $scenario-none)"
    for round in 1 2; do with background-$round; done
    # Where the recording waits, both usual combinations are served, and nothing else; in every run the same.
    with waiting --variant-rule on --variant-wait 20 --use-log "$work/$scenario.jsonl"
    set -- $(summary $scenario-waiting)
    [ $# -eq 3 ] || die "$scenario: no word of variants: $(tail -n 2 "$work/$scenario-waiting.err")"
    [ "$1" -ge 2 ] || fail "$scenario: $1 variants built"
    [ "$2" -ge 50 ] || fail "$scenario: $2 of $3 used a variant"
    [ "$2" -lt "$3" ] || fail "$scenario: all used a variant, though values were pushed that none is for"
    with waiting-again --compile-threads 1 --variant-rule on --variant-wait 20
    [ "$(summary $scenario-waiting)" = "$(summary $scenario-waiting-again)" ] ||
        fail "$scenario, waiting: $(summary $scenario-waiting), then $(summary $scenario-waiting-again)"
    grep '"variant": "0x[1-9a-f][0-9a-f]*".*"pass": "push-fold", "done": true' "$work/$scenario.jsonl" >/dev/null || fail "$scenario: USE_LOG does not tell of variants"
    grep '"verdict".*"push-fold"' "$work/$scenario.jsonl" && fail "$scenario: USE_LOG tells of variants as of pipelines"
    "$wavepgo" show --use-log "$work/$scenario.jsonl" >"$work/$scenario.shown"
    [ "$(grep -c '^pipeline .*, variant for words of push constants 0x' "$work/$scenario.shown")" = "$1" ] || fail "$scenario: show does not tell of $1 variants"
    # One variant a pipeline; none, since the pass is left out.
    with one --variants 1 --variant-rule on --variant-wait 20
    set -- $(summary $scenario-one)
    [ "${2:-0}" -ge 1 ] || fail "$scenario, one variant: $*"
    with skipped --skip-passes p --variant-rule on --variant-wait 20
    set -- $(summary $scenario-skipped)
    [ "${1:-0}" -eq 0 ] || fail "$scenario: without the pass $1 variants were built"
    # While tuning they are an alternative to the program's own, of which both get their turn; what won is applied: the same results.
    cp -r "$bundle.wavepgo" "$scenario-tuned.wavepgo"
    WAVEPGO_LOG_FILE=$work/$scenario-tune.log "$wavepgo" run --tune "$work/$scenario-tuned.wavepgo" --validate 1 --log info -- "$app" $scenario "$WPG_SPIRV" >"$work/$scenario-tune.out" 2>"$work/$scenario-tune.err"
    echo $? >"$work/$scenario-tune.code"
    exited $scenario-tune 0
    same $scenario $scenario-tune
    grep -h '^is samples\.p [0-9a-f]' "$scenario-tuned.wavepgo"/verdicts/*.facts >/dev/null || { fail "$scenario: variants were not timed"; tail -n 20 "$work/$scenario-tune.log"; }
    bundle=$scenario-tuned
    with tuned --variant-rule on --variant-wait 20
done
# Words of both stages, and of each alone.
grep '"variant": "0x1f"' "$work/variants-draw.jsonl" >/dev/null || fail "variants-draw: $(grep -o '"variant": "[^"]*"' "$work/variants-draw.jsonl" | sort | uniq -c)"

# Values need no counts: pipelines that were left out while counting have the same variants, by the bundle and by what is merged
# of it, alone and beside counts of another program.
others="$bench --case mandelbrot --size small"
"$wavepgo" run --generate --bundle "$work/others.wavepgo" -- $others >"$work/others.train" 2>&1 || die "mandelbrot: $(tail -n 3 "$work/others.train")"
for scenario in variants variants-draw; do
    training=draws train=variants-draw-train
    [ $scenario != variants ] || training=dispatches train=variants-train
    left_out=$(ls $training.wavepgo/pipelines | sed 's/^\([0-9a-f]*\)\.facts$/!\1/' | paste -s -d , -)
    "$wavepgo" run --generate --pipelines "$left_out" --bundle "$work/$scenario-bare.wavepgo" -- "$app" $train "$WPG_SPIRV" >"$work/bare.out" 2>"$work/bare.err"
    [ "$(find $scenario-bare.wavepgo -name '*.prof*' | grep -c .)" = 0 ] || die "$scenario: PIPELINES left nothing out: $(tail -n 2 "$work/bare.err")"
    "$wavepgo" merge -o $scenario-merged.wavepgo $scenario-bare.wavepgo && "$wavepgo" merge -o $scenario-beside.wavepgo $scenario-bare.wavepgo others.wavepgo || fail "$scenario: a bundle without counts does not merge"
    "$wavepgo" merge -o $scenario-bare.profdata $scenario-bare.wavepgo && "$wavepgo" merge -o $scenario-beside.profdata others.wavepgo $scenario-bare.wavepgo || fail "$scenario: values without counts do not merge to a profile"
    for profile in bare.wavepgo merged.wavepgo beside.wavepgo bare.profdata beside.profdata; do
        "$wavepgo" show $scenario-$profile | grep '^values of push constants: of \|^    push constant at byte' >/dev/null || fail "$scenario: show $profile does not tell values"
        profile=$scenario-$profile
        "$wavepgo" run --use $profile --validate 1 --variant-rule on --variant-wait 20 --use-log "$work/$profile.jsonl" -- "$app" $scenario "$WPG_SPIRV" >"$work/$profile.out" 2>"$work/$profile.err"
        echo $? >"$work/$profile.code"
        exited $profile 0
        same $scenario $profile
        [ "$(summary $profile)" = "$(summary $scenario-waiting)" ] || fail "$profile: $(summary $profile), with counts $(summary $scenario-waiting): $(tail -n 2 "$work/$profile.err")"
        grep 'warning' "$work/$profile.err" && fail "$profile: a warning where values are used"
        grep '"variant": "0x[1-9a-f][0-9a-f]*".*"found": "no", "result": "optimised", "why": ""' "$work/$profile.jsonl" >/dev/null || { fail "$profile: USE_LOG does not tell of variants without counts"; cat "$work/$profile.jsonl"; }
        grep '"why": "the profile has no counts of this shader"' "$work/$profile.jsonl" >/dev/null || { fail "$profile: USE_LOG does not tell that counts are lacking"; cat "$work/$profile.jsonl"; }
    done
    # Without variants nothing comes of it, which is said, and no foreign profile is suspected.
    "$wavepgo" run --use $scenario-beside.profdata --variants 0 -- "$app" $scenario "$WPG_SPIRV" >"$work/unused.out" 2>"$work/unused.err"
    grep 'beside.profdata has no counts of .* of this program: .*Nothing was changed' "$work/unused.err" >/dev/null || { fail "$scenario: that nothing was changed is not said"; cat "$work/unused.err"; }
    "$wavepgo" run --use $scenario-bare.wavepgo --variants 0 -- "$app" $scenario "$WPG_SPIRV" >"$work/unused.out" 2>"$work/unused.err"
    grep 'bare.wavepgo has no counts and VARIANTS=0 leaves out push constants' "$work/unused.err" >/dev/null || { fail "$scenario: that nothing is used is not said"; cat "$work/unused.err"; }
done
# They are timed, too.
WAVEPGO_LOG_FILE=$work/bare-tune.log "$wavepgo" run --tune "$work/variants-merged.wavepgo" --log info -- "$app" variants "$WPG_SPIRV" >"$work/bare-tune.out" 2>"$work/bare-tune.err"
grep -h '^is samples\.p [0-9a-f]' variants-merged.wavepgo/verdicts/*.facts >/dev/null || { fail "variants without counts are not timed"; tail -n 5 "$work/bare-tune.log"; }
# Two shapes in turns. Sizes decide. Strides go along, since the bundle knows that each belongs to a size; the offset does not.
scenario=shapes
plain $scenario "$app" $scenario "$WPG_SPIRV"
train sizes shapes-train
# folded NAME: the words that variants were made for, "COUNT WORDS" a line.
folded() { sed -n 's/.*"variant": "\(0x[0-9a-f]*\)".*/\1/p' "$work/$1.jsonl" | sort | uniq -c | awk '{ print $1, $2 }'; }
wanted="--variant-rule on --variant-wait 20"
bundle=sizes
with both $wanted --use-log "$work/shapes-both.jsonl"
[ "$(folded shapes-both)" = "2 0x3" ] || fail "shapes: $(folded shapes-both)"
# The rarer shape is pushed first, and waits for the commoner one. Each size with the other's stride has no variant.
[ "$(summary shapes-both)" = "2 16 24" ] || fail "shapes: $(summary shapes-both)"
with one --variants 1 $wanted --use-log "$work/shapes-one.jsonl"
[ "$(summary shapes-one)" = "1 12 24" ] || fail "shapes, one variant: $(summary shapes-one)"
# The same by a merged profile; and a bundle of a build before sets, where the stride stays a load.
"$wavepgo" merge -o sizes.profdata sizes.wavepgo || fail "merge"
"$wavepgo" run --use sizes.profdata $wanted --use-log "$work/shapes-merged.jsonl" -- "$app" shapes "$WPG_SPIRV" >"$work/shapes-merged.out" 2>"$work/shapes-merged.err"
echo $? >"$work/shapes-merged.code"
same shapes shapes-merged
[ "$(summary shapes-merged)" = "2 16 24" ] || fail "shapes, merged: $(summary shapes-merged)"
cp -r sizes.wavepgo before.wavepgo
sed -i '/^is pushes\./d; /^sum pushed\./d' before.wavepgo/pipelines/*.facts
bundle=before
with before $wanted --use-log "$work/shapes-before.jsonl"
[ "$(folded shapes-before)" = "2 0x1" ] || fail "shapes, no sets: $(folded shapes-before)"

# What feeds transform feedback has no variants: no pipeline may be bound meanwhile.
scenario=variants-feedback bundle=feedback
plain $scenario "$app" $scenario "$WPG_SPIRV"
if [ "$(cat "$work/$scenario.code")" = 77 ]; then
    echo "note: no transform feedback here"
else
    train feedback $scenario
    with waiting --variant-rule on --variant-wait 20 --log info
    [ "$(summary $scenario-waiting | cut -d ' ' -f 1)" = 0 ] || fail "feedback: $(summary $scenario-waiting)"
    grep 'no variant: it feeds transform feedback' "$work/$scenario-waiting.err" >/dev/null || fail "feedback: the log does not say why there is no variant"
fi

# The benchmark's shader that divides by push constants: the same outputs where a variant serves, and at a size whose values
# no profile saw, some of the words equal and some not.
divide="$bench --case push_stride --checksum --size"
for size in small demo; do plain divide-$size $divide $size; done
"$wavepgo" run --generate --bundle "$work/divide.wavepgo" -- $divide small >"$work/divide.train" 2>&1 || die "push_stride: $(tail -n 3 "$work/divide.train")"
for size in small demo; do
    "$wavepgo" run --use "$work/divide.wavepgo" --validate 1 --variant-rule on --variant-wait 20 -- $divide $size >"$work/divided-$size.out" 2>"$work/divided-$size.err"
    echo $? >"$work/divided-$size.code"
    exited divided-$size 0
    same divide-$size divided-$size
done
[ "$(summary divided-small)" = "1 1 1" ] || fail "push_stride, trained values: $(summary divided-small)"
# The same by the three plain commands: the merged profile carries the values.
(mkdir -p three && cd three && "$wavepgo" run --generate -- $divide small >train 2>&1 && "$wavepgo" merge -o divide.profdata wavepgo-bench.wavepgo >merge 2>&1) ||
    die "three commands: $(tail -n 3 three/train three/merge)"
"$wavepgo" run --use three/divide.profdata --variant-wait 20 -- $divide small >"$work/plain-small.out" 2>"$work/plain-small.err"
echo $? >"$work/plain-small.code"
same divide-small plain-small
[ "$(summary plain-small)" = "1 1 1" ] || fail "push_stride, by three commands: $(summary plain-small)"
set -- $(summary divided-demo)
[ "${2:-1}" = 0 ] || fail "push_stride, other values: $*"

# A push constant that only counts the trips of a loop of float work makes no variant, asked for or not: the driver would unroll the
# loop and re-associate across its trips.
guarded="$bench --case value_uniform --checksum --size small"
if [ "$WPG_DRIVER" = new ]; then # the other takes no guards
    plain guarded $guarded
    "$wavepgo" run --generate --probes values --bundle "$work/guarded.wavepgo" -- $guarded >"$work/guarded.train" 2>&1 || die "value_uniform: $(tail -n 3 "$work/guarded.train")"
    for rule in auto on; do
        "$wavepgo" run --use "$work/guarded.wavepgo" --validate 1 --variant-rule $rule --variant-wait 20 --log info -- $guarded >"$work/guarded-$rule.out" 2>"$work/guarded-$rule.err"
        echo $? >"$work/guarded-$rule.code"
        exited guarded-$rule 0
        same guarded guarded-$rule
    done
    for rule in auto on; do
        grep 'no variant: folding its push constants changes nothing' "$work/guarded-$rule.err" >/dev/null ||
            fail "value_uniform, VARIANT_RULE=$rule: $(summary guarded-$rule)"
    done
fi
finish

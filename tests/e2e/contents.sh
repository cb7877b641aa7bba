#!/bin/sh
# Pipelines for contents of uniform blocks: the same images however the contents change, and such pipelines really
# run. app_contents.c.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app"

frames=400
[ -z "${WPG_NIGHTLY:-}" ] || frames=92000 # a million changes of contents
"$wavepgo" run --generate --bundle "$work/trained.wavepgo" -- "$app" contents-train "$WPG_SPIRV" >"$work/train.out" 2>"$work/train.err"
[ -f "$work/trained.wavepgo/index.wavepgo" ] || die "no bundle: $(tail -n 3 "$work/train.err")"
plain train-plain "$app" contents-train "$WPG_SPIRV"
cmp -s "$work/train.out" "$work/train-plain.out" || fail "training: other pixels while counting"

plain contents "$app" contents "$WPG_SPIRV" $frames
exited contents 0
changes=$(sed -n 's/^changes of contents: //p' "$work/contents.out")
[ "${changes:-0}" -ge $((frames * 11)) ] || fail "$frames frames with ${changes:-no} changes of contents"
# with NAME SETTINGS...
with() {
    run_name=contents-$1
    shift
    "$wavepgo" run --use "$work/trained.wavepgo" --validate 1 --log info --log-file "$work/$run_name.log" "$@" -- "$app" contents "$WPG_SPIRV" $frames >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
    exited "$run_name" 0
    same contents "$run_name"
}
with off --contents 0 --use-log "$work/off.jsonl"
case $WPG_DRIVER in
new) grep '"pass": "zero-guard", "done": true' "$work/off.jsonl" >/dev/null || fail "no weight of 0 is guarded on: $(cat "$work/off.jsonl")" ;;
*) grep '"pass": "zero-guard", "done": true' "$work/off.jsonl" >/dev/null && fail "a guard on a driver that runs both arms" ;;
esac
with waiting --contents 8 --variant-wait 20 --use-log "$work/contents.jsonl"
built=$(grep -c 'pipeline [0-9]* for contents of [0-9]* words' "$work/contents-waiting.log")
[ "$built" -ge 2 ] || { fail "$built pipelines for contents"; tail -n 5 "$work/contents-waiting.log"; }
twice=$(sed -n 's/.*\(pipeline [0-9a-f]*: pipeline [0-9]* for contents\) of .*/\1/p' "$work/contents-waiting.log" | LC_ALL=C sort | uniq -d)
[ -z "$twice" ] || fail "made for a pipeline without a draw, too: $twice"
grep '; [0-9]* pipelines for contents of uniform blocks, [1-9][0-9]* draws left the choice' "$work/contents-waiting.log" >/dev/null || { fail "the summary does not tell of draws by contents"; tail -n 2 "$work/contents-waiting.log"; }
# A pass that no draw of theirs is in has no comparison for long; one before each pass that has such draws, again and again.
passes=$(sed -n 's/^passes: \([0-9]*\), .*/\1/p' "$work/contents.out") idle=$(sed -n 's/^passes: .*, \([0-9]*\) without a draw$/\1/p' "$work/contents.out")
compared=$(sed -n 's/.* left the choice to the GPU in \([0-9]*\) comparisons*;.*/\1/p;s/.* left the choice to the GPU in \([0-9]*\) comparisons*$/\1/p' "$work/contents-waiting.log" | head -n 1)
[ "${idle:-0}" -ge $((frames / 2)) ] && [ "${compared:-0}" -le $((passes - idle + 8)) ] && [ "$compared" -ge $((passes - idle - 8)) ] ||
    fail "${compared:-no} comparisons before $passes passes, $idle without a draw"
[ "$(grep -c '"contents": [1-9]' "$work/contents.jsonl")" = "$built" ] || fail "USE_LOG does not tell of each pipeline for contents"
"$wavepgo" show --use-log "$work/contents.jsonl" | grep ', number 1 for contents of uniform blocks$' >/dev/null || fail "show --use-log does not tell of them"
# By itself, where a version gains nothing as one arm of a branch.
with default --variant-wait 20
case $WPG_DRIVER in
old) grep 'pipeline [0-9]* for contents' "$work/contents-default.log" >/dev/null || fail "none by default on this driver" ;;
*) grep 'pipeline [0-9]* for contents' "$work/contents-default.log" >/dev/null && fail "pipelines for contents that nobody asked for" ;;
esac
# And where one would save more alone than within the stage: with floats as constants no weight is guarded on.
with better --variant-wait 20 --float spec
case $WPG_DRIVER in
new | old) grep 'pipeline [0-9]* for contents' "$work/contents-better.log" >/dev/null || fail "none where it would save more" ;;
esac
with one --contents 1 --variant-wait 20
with background --contents 8
# Timed meanwhile, as `wavepgo compare` does: queries of ours among the draws that have a choice.
with timed --contents 8 --variant-wait 20 --timestamps 1 --times "$work/contents.times"
grep '^pipeline [0-9a-f]* 1 [1-9]' "$work/contents.times" >/dev/null || fail "nothing that was changed was timed: $(head -n 12 "$work/contents.times")"
# What is allowed to none: the pass is left out.
with skipped --contents 8 --variant-wait 20 --skip-passes c
grep 'pipeline [0-9]* for contents' "$work/contents-skipped.log" >/dev/null && fail "pipelines for contents without the pass"
finish

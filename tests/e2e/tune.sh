#!/bin/sh
# Tuning end to end: differences planted by the shim (a dispatch done forty times over) are judged right both ways; use applies
# the winners, and what is safe by rule where nothing was tuned; a killed tuning goes on; what no pass changes is not tuned; bundles with verdicts merge.
# Nothing here depends on how fast the machine is.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"
make_shim
export WAVEPGO_SUMMARY=0 WAVEPGO_LOG=info
cases="--case select_rare --case mandelbrot --case rfc_divergent"
others=aceflortuvwz # passes but p, and s, which is no candidate
work_of() { # of a pipeline by its case: the pipelines' hashes in the order of the cases
    "$wavepgo" show --json "$1" | sed -n 's/.*"kind": "pipeline", "subject": "\([0-9a-f]*\)".*"stage.comp": "[0-9a-f]* '"$2"'".*/\1/p'
}
tune() { # NAME BUNDLE CASES...
    run_name=$1
    run_bundle=$2
    shift 2
    WAVEPGO_LOG_FILE=$work/$run_name.log ${under:-"$wavepgo" run --tune "$run_bundle" --} "$bench" --size small --repeat ${repeat:-0} \
        --binds ${binds:-200} "$@" >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
    exited "$run_name" 0
}
shim_tune() { # NAME BUNDLE CASES...
    WAVEPGO_MODE=tune WAVEPGO_PROFILE_USE=$2 WAVEPGO_BUNDLE=$2 under=env shimmed tune "$@"
}
verdict() { # BUNDLE PIPELINE FACT: of the verdict on a pipeline
    grep -l "^is pipeline $2" "$1"/verdicts/*.facts | head -n 1 | xargs sed -n "s/^is $3 //p"
}

plain image "$bench" --size small --checksum $cases
"$wavepgo" run --generate --bundle "$work/first.wavepgo" -- "$bench" --size small --repeat 0 $cases >"$work/generate.out" 2>&1 || die "no bundle: $(tail -n 3 "$work/generate.out")"
rare=$(work_of first.wavepgo select_rare) plain_one=$(work_of first.wavepgo mandelbrot)
[ -n "$rare" ] && [ -n "$plain_one" ] || die "the bundle's pipelines are not found: '$rare' '$plain_one'"
cp -r first.wavepgo slow.wavepgo
cp -r first.wavepgo fast.wavepgo
cp -r first.wavepgo killed.wavepgo
cp -r first.wavepgo none.wavepgo

# The modules as the program makes them; then candidates are what the shim does not know.
SHIM_RECORD=$work/known WAVEPGO_MODE=off shimmed "$bench" --size small --repeat 0 $cases >/dev/null 2>&1
[ -s "$work/known" ] || die "the shim recorded nothing"
# Every candidate much slower than its gain (0.02 of the time, variants and un-flattening together): none wins, none is applied.
SHIM_KNOWN=$work/known SHIM_SLOW=200 binds=120 shim_tune slow "$work/slow.wavepgo" --case mandelbrot --case select_rare
for pipeline in $rare $plain_one; do
    [ "$(verdict slow.wavepgo $pipeline winner)" = - ] || fail "a candidate made slow wins: $(verdict slow.wavepgo $pipeline 'candidate.*')"
    verdict slow.wavepgo $pipeline 'candidate[^ ]*' >"$work/outcomes"
    grep -v '^loses ' "$work/outcomes" && fail "a candidate made slow does not lose"
done
use left "$work/slow.wavepgo" "$bench" --size small --checksum --case mandelbrot --case select_rare
exited left 0
grep -c '"result": "original"' "$work/left.uselog" | grep -x 2 >/dev/null || { fail "what did not win is applied"; cat "$work/left.uselog"; }
# A candidate that lost gets no more binds, and a tuning that is done binds none.
[ "$(verdict slow.wavepgo $plain_one 'candidate[^ ]*' | cut -d' ' -f6)" = 16 ] || fail "a clear loser was bound beyond the first look: $(verdict slow.wavepgo $plain_one 'candidate[^ ]*')"
tune again "$work/slow.wavepgo" --case mandelbrot
grep 'nothing is left to tune' "$work/again.log" >/dev/null || { fail "a finished tuning is begun again"; cat "$work/again.log"; }

# The passes that use mode applies by rule are a candidate. On lavapipe these are all but hints and votes on loads.
cp -r first.wavepgo by-rule.wavepgo
WAVEPGO_HINTS=auto binds=8 tune by-rule "$work/by-rule.wavepgo" --case select_rare
[ -n "$(verdict by-rule.wavepgo $rare candidate.celotuvwz)" ] || { fail "the passes that are safe by rule are no candidate"; verdict by-rule.wavepgo $rare 'candidate[^ ]*'; }

# The program's own forty times as slow: the candidates win, and are applied.
SHIM_RECORD=$work/all shim_tune record "$work/none.wavepgo" --case mandelbrot --case select_rare
rm -rf none.wavepgo
cp -r first.wavepgo none.wavepgo
grep -v -x -F -f "$work/known" "$work/all" >"$work/candidates"
[ -s "$work/candidates" ] || die "no candidate was made"
SHIM_KNOWN=$work/candidates SHIM_SLOW=40 binds=120 shim_tune fast "$work/fast.wavepgo" --case mandelbrot --case select_rare
for pipeline in $rare $plain_one; do
    winner=$(verdict fast.wavepgo $pipeline winner)
    [ "${winner:--}" != - ] || { fail "nothing wins against forty times the work"; verdict fast.wavepgo $pipeline 'candidate.*'; }
done
use won "$work/fast.wavepgo" "$bench" --size small --checksum $cases
exited won 0
cmp -s "$work/won.out" "$work/image.out" || fail "results differ where winners are applied"
grep "\"pipeline\": \"$plain_one\", \"verdict\": \"$(verdict fast.wavepgo $plain_one winner)\"" "$work/won.uselog" | grep '"result": "optimised"' >/dev/null ||
    { fail "USE_LOG does not say which passes won"; cat "$work/won.uselog"; }
# A pipeline that was not tuned here gets what is safe by rule, as it does without any verdict; USE_LOG and the log say so.
untuned="not tuned on this device: what is safe by rule"
[ "$(grep -c "\"verdict\": \"$untuned\"" "$work/won.uselog")" = 1 ] || { fail "USE_LOG does not tell the pipeline that was not tuned"; cat "$work/won.uselog"; }
grep "\"verdict\": \"$untuned\"" "$work/won.uselog" | grep '"result": "optimised"' >/dev/null || fail "verdicts withhold what is safe by rule from a pipeline without one"
[ "$(grep -c "pipeline [0-9a-f]*: $untuned" "$work/won.log")" = 1 ] || { fail "the log does not tell the pipeline that was not tuned"; cat "$work/won.log"; }
"$wavepgo" show --use-log "$work/won.uselog" | grep "tuning: " >/dev/null || fail "show --use-log does not tell verdicts"

# Without verdicts: what is safe by rule, said once in the log and in USE_LOG. The same on a device without verdicts of its own.
use bare "$work/first.wavepgo" "$bench" --size small --checksum $cases
[ "$(grep -c 'no verdicts of it' "$work/bare.log")" = 1 ] || fail "a bundle without verdicts is not told"
grep '"verdict": "none of this device' "$work/bare.uselog" | grep '"result": "optimised"' >/dev/null || fail "without verdicts nothing is optimised by rule"
if [ -n "$WPG_LVP_ICD_OLD" ] && [ "$WPG_DRIVER" = new ]; then
    VK_ICD_FILENAMES=$WPG_LVP_ICD_OLD VK_DRIVER_FILES=$WPG_LVP_ICD_OLD use elsewhere "$work/fast.wavepgo" "$bench" --size small --checksum --case mandelbrot
    grep 'no verdicts of it (2 of others)' "$work/elsewhere.log" >/dev/null || { fail "another device's verdicts are taken"; cat "$work/elsewhere.log"; }
fi
# Verdicts of other words are not applied.
WAVEPGO_PSEUDO_PROBES=1 use words "$work/fast.wavepgo" "$bench" --size small --checksum --case mandelbrot
[ "$(cat "$work/words.code")" = 0 ] || fail "use with other words failed"
grep -E 'of other words|no pseudo probes' "$work/words.log" >/dev/null || { fail "a verdict of other words is applied"; cat "$work/words.log"; }

# Stopped before the first look, nothing is known: what is safe by rule is applied, and log, USE_LOG, show and the summary say how far it is.
cp -r first.wavepgo open.wavepgo
WAVEPGO_SUMMARY=1 binds=24 tune open "$work/open.wavepgo" --case mandelbrot
use unfinished "$work/open.wavepgo" "$bench" --size small --checksum --case mandelbrot
use ruled "$work/first.wavepgo" "$bench" --size small --checksum --case mandelbrot
grep '"result": "optimised"' "$work/unfinished.uselog" >/dev/null || { fail "tuning that is not finished switches optimisation off"; cat "$work/unfinished.uselog"; }
without_run() { sed 's/"verdict": "[^"]*", //; s/, "run": "[^"]*"//' "$work/$1.uselog"; }
[ "$(without_run unfinished)" = "$(without_run ruled)" ] || fail "where tuning is not finished, other passes are applied than by rule"
grep -E '"verdict": "open, [0-9]+ of 16 samples: what is safe by rule"' "$work/unfinished.uselog" >/dev/null || fail "USE_LOG does not say how far tuning is"
grep -E "pipeline $plain_one: its tuning is open, [0-9]+ of 16 samples" "$work/unfinished.log" >/dev/null || { fail "the log does not say how far tuning is"; cat "$work/unfinished.log"; }
grep 'found nothing faster' "$work/unfinished.log" && fail "tuning that is not finished is said to have found nothing"
"$wavepgo" show --full "$work/open.wavepgo" >"$work/open.show"
grep -E "^$plain_one  open " "$work/open.show" >/dev/null && grep -E 'passes .* open, [0-9]+ of 16 samples$' "$work/open.show" >/dev/null && grep '^1 pipeline is open: `wavepgo run --tune' "$work/open.show" >/dev/null || { fail "show does not say how far tuning is"; tail -n 8 "$work/open.show"; }
grep -E "tuning: 0 of 1 pipelines decided, 1 open \\([0-9]+ of 16 samples\\): run it with \`wavepgo run --tune\` again \\([1-9][0-9]* such run" "$work/open.log" >/dev/null || { fail "the summary of a tune run does not say how far it is"; tail -n 3 "$work/open.log"; }

# A program that records its command buffer once is tuned as well: each submission is a trial. The same results, and a verdict in one run.
cp -r first.wavepgo once.wavepgo
SHIM_KNOWN=$work/candidates SHIM_SLOW=40 repeat=60 binds=1 shim_tune once "$work/once.wavepgo" --case mandelbrot
[ "$(verdict once.wavepgo $plain_one winner)" != - ] || { fail "what is recorded once is not tuned by its submissions"; verdict once.wavepgo $plain_one 'candidate.*'; }

# Beside that verdict a pipeline without one is made as without verdicts: the same passes, the same variants.
by_rule() { WAVEPGO_VARIANT_WAIT=20 use "$@" "$bench" --size small --checksum $cases; }
by_rule beside "$work/once.wavepgo"
by_rule alone "$work/first.wavepgo"
exited beside 0
cmp -s "$work/beside.out" "$work/image.out" || fail "results differ where pipelines beside tuned ones go by rule"
for name in beside alone; do
    grep "\"pipeline\": \"$rare\"" "$work/$name.uselog" | sed 's/"verdict": "[^"]*", //; s/, "run": "[^"]*"//' | sort >"$work/$name.rare"
done
cmp -s "$work/beside.rare" "$work/alone.rare" || { fail "beside verdicts on others, a pipeline without one is not made as by rule"; diff "$work/beside.rare" "$work/alone.rare"; }
grep "pipeline $rare: variant 1, for push constants" "$work/beside.log" >/dev/null || { fail "verdicts withhold variants from a pipeline without one"; cat "$work/beside.log"; }
grep "\"pipeline\": \"$plain_one\", \"verdict\": \"$(verdict once.wavepgo $plain_one winner)\"" "$work/beside.uselog" >/dev/null || { fail "beside pipelines by rule the winner is not applied"; cat "$work/beside.uselog"; }
# Verdicts on others do not make a foreign program known.
use foreign "$work/once.wavepgo" "$bench" --size small --checksum --case push_stride
grep 'once.wavepgo does not know the one shader of this program' "$work/foreign.log" >/dev/null || { fail "a tuned bundle of another program is not warned of"; cat "$work/foreign.log"; }

grep "$(sed -n 's/  *mandelbrot$//p' "$work/image.out" | head -n 1)" "$work/once.out" >/dev/null || { fail "results differ where submissions are tuned"; cat "$work/once.out"; }

# Where no pass changes a pipeline there is no candidate, and no verdict.
WAVEPGO_SKIP_PASSES=${others}p tune none "$work/none.wavepgo" --case mandelbrot
grep 'nothing to tune' "$work/none.log" >/dev/null || fail "a candidate that equals the original is tuned"
[ ! -d none.wavepgo/verdicts ] || fail "a verdict without a candidate"

# Variants by push constants are an alternative too: alone here, since no other pass is let in. A winner's are bound, a loser's not built.
values() { WAVEPGO_SKIP_PASSES=$others WAVEPGO_VARIANT_WAIT=20 "$@"; }
for name in pushed unpushed; do cp -r first.wavepgo $name.wavepgo; done
cp -r first.wavepgo scratch.wavepgo
SHIM_RECORD=$work/all-values values shim_tune record-values "$work/scratch.wavepgo" --case select_rare
grep -v -x -F -f "$work/known" "$work/all-values" >"$work/variants"
[ -s "$work/variants" ] || die "no variant was built while tuning"
SHIM_KNOWN=$work/variants SHIM_SLOW=40 binds=60 values shim_tune pushed "$work/pushed.wavepgo" --case select_rare
SHIM_KNOWN=$work/known SHIM_SLOW=40 binds=60 values shim_tune unpushed "$work/unpushed.wavepgo" --case select_rare
[ "$(verdict pushed.wavepgo $rare winner)" = p ] || { fail "variants do not win against forty times the work"; verdict pushed.wavepgo $rare 'candidate.*'; }
verdict unpushed.wavepgo $rare candidate.p | grep '^loses ' >/dev/null || { fail "variants forty times as slow do not lose"; verdict unpushed.wavepgo $rare 'candidate.*'; }
for name in pushed unpushed; do
    values use $name-use "$work/$name.wavepgo" "$bench" --size small --checksum $cases
    exited $name-use 0
    cmp -s "$work/$name-use.out" "$work/image.out" || fail "$name: results differ"
done
grep "pipeline $rare: variant 1, for push constants" "$work/pushed-use.log" >/dev/null || { fail "variants that won are not built"; cat "$work/pushed-use.log"; }
grep "\"pipeline\": \"$rare\", \"verdict\": \"p\"" "$work/pushed-use.uselog" >/dev/null || { fail "USE_LOG does not tell that variants won"; cat "$work/pushed-use.uselog"; }
grep "pipeline $rare: variant 1, for push" "$work/unpushed-use.log" && fail "variants that lost are built"
# Creation does not wait for the words that a verdict on push constants is about. The second start has them from the cache.
for start in first second; do
    WAVEPGO_SUMMARY=1 WAVEPGO_COMPILE=background WAVEPGO_CACHE=$work/values.cache values use pushed-$start "$work/pushed.wavepgo" \
        "$bench" --size small --checksum --case select_rare
    grep -F -f "$work/pushed-$start.out" "$work/image.out" >/dev/null || fail "$start: results differ"
    grep "pipeline $rare: variant 1, for push constants" "$work/pushed-$start.log" >/dev/null || { fail "$start: variants that won are not built"; cat "$work/pushed-$start.log"; }
    grep "\"pipeline\": \"$rare\", \"verdict\": \"p\"" "$work/pushed-$start.uselog" >/dev/null || { fail "$start: USE_LOG does not tell that variants won"; cat "$work/pushed-$start.uselog"; }
done
grep 'made in the background' "$work/pushed-first.log" >/dev/null || { fail "creation waited for a verdict's words"; tail -n 1 "$work/pushed-first.log"; }
grep 'made in the background' "$work/pushed-second.log" && fail "the second start made a verdict's words anew"
# Of other words (the passes that share them are let in): not applied.
WAVEPGO_VARIANT_WAIT=20 use pushed-words "$work/pushed.wavepgo" "$bench" --size small --checksum --case select_rare
grep 'verdict on push constants is for other words' "$work/pushed-words.log" >/dev/null || { fail "a verdict on other variants is applied"; cat "$work/pushed-words.log"; }

# Killed, and taken up again.
WAVEPGO_FLUSH_INTERVAL=0.1 WAVEPGO_LOG_FILE=$work/killed.log "$wavepgo" run --tune "$work/killed.wavepgo" -- "$bench" --size small --repeat 0 --binds 24 \
    $cases $cases $cases --case raymarch --case lights --case bvh --case uber >"$work/killed.out" 2>&1 &
victim=$!
tries=0
while ! grep -l '^is samples.- .' killed.wavepgo/verdicts/*.facts >/dev/null 2>&1 && [ $tries -lt 1200 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
kill -9 $victim 2>/dev/null
wait $victim 2>/dev/null
"$wavepgo" show "$work/killed.wavepgo" >"$work/killed.show" 2>&1 || { fail "a killed tuning leaves a bundle that cannot be read"; cat "$work/killed.show"; }
binds=24 tune resumed "$work/killed.wavepgo" $cases
grep -E 'tuning goes on from [1-9][0-9]* samples?' "$work/resumed.log" >/dev/null || { fail "a killed tuning begins anew"; cat "$work/resumed.log"; }

# Merged: every verdict is there once, of one pipeline the one with more samples.
"$wavepgo" merge --quiet -o all.wavepgo slow.wavepgo resumed.wavepgo fast.wavepgo 2>/dev/null || "$wavepgo" merge --quiet -o all.wavepgo slow.wavepgo killed.wavepgo fast.wavepgo || fail "bundles with verdicts do not merge"
[ "$(find all.wavepgo/verdicts -name '*.facts' | grep -c .)" = "$(ls slow.wavepgo/verdicts killed.wavepgo/verdicts fast.wavepgo/verdicts | grep facts | sort -u | grep -c .)" ] || fail "verdicts are lost or doubled by merging"
"$wavepgo" show --full all.wavepgo | grep -E "$plain_one .*$(device_called)" >/dev/null || { fail "show does not list verdicts"; "$wavepgo" show all.wavepgo | tail -n 12; }

# Progress, on a terminal alone: a line while some pipeline is open. Pipelines come one after another.
slowly="--size demo --repeat 0 --frames 40 --case bvh --case rfc_divergent --case mandelbrot --case raymarch"
"$wavepgo" run --generate --bundle "$work/told.wavepgo" -- "$bench" --size small --repeat 0 >/dev/null 2>&1 || fail "no bundle of all cases"
if command -v script >/dev/null 2>&1; then
    WAVEPGO_SUMMARY=1 script -qec "'$wavepgo' run --tune '$work/told.wavepgo' -- '$bench' $slowly" /dev/null >told 2>&1 </dev/null || fail "tuning on a terminal: $(tail -n 2 told)"
    grep 'wavepgo: tuning: [0-9]* of [0-9]* pipelines decided, [1-9][0-9]* open ([0-9]* of [1-9][0-9]* samples' told >/dev/null || fail "no progress on a terminal: $(cat told)"
    WAVEPGO_SUMMARY=0 script -qec "'$wavepgo' run --tune '$work/told.wavepgo' -- '$bench' $slowly" /dev/null >silent 2>&1 </dev/null || fail "tuning on a terminal, silent"
    ! grep 'wavepgo: tuning:' silent >/dev/null || fail "progress with SUMMARY=0: $(cat silent)"
fi
"$wavepgo" run --tune "$work/told.wavepgo" --summary 1 -- "$bench" $slowly >/dev/null 2>untold || fail "tuning without a terminal"
! grep '^wavepgo: tuning:' untold >/dev/null || fail "progress without a terminal: $(cat untold)"
finish

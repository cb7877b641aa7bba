#!/bin/sh
# Static verdicts on a driver that runs nothing (RADV without hardware): counted on lavapipe, judged by what RADV's compiler says,
# applied there, shown as static; what was measured stands before it.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$bench"
[ -n "$WPG_LVP_ICD" ] || skip "no lavapipe to count on"
case $WPG_DRIVER in radv) family=navi31 ;; *) family=gfx1100 ;; esac
export WAVEPGO_SUMMARY=0 WAVEPGO_LOG=info
bundle=$work/bundle.wavepgo
verdicts() { cat "$bundle"/verdicts/*.facts; }
tune() { # NAME OPTIONS OF RUN...
    run_name=$1
    shift
    RADV_FORCE_FAMILY=$family WAVEPGO_LOG_FILE=$work/$run_name.log "$wavepgo" run --tune "$bundle" "$@" -- "$bench" --compile-only >"$work/$run_name.out" 2>"$work/$run_name.err"
    echo $? >"$work/$run_name.code"
    exited "$run_name" 0
}

VK_DRIVER_FILES=$WPG_LVP_ICD VK_ICD_FILENAMES=$WPG_LVP_ICD "$wavepgo" run --generate --bundle "$bundle" -- "$bench" --size small --checksum >"$work/generate.out" 2>&1 || die "no bundle: $(tail -n 3 "$work/generate.out")"
tune first
[ -d "$bundle/verdicts" ] || { tail -n 5 "$work/first.log"; die "nothing was judged"; }
verdicts >"$work/facts"
[ "$(grep -c '^is method static' "$work/facts")" = "$(grep -c '^is method' "$work/facts")" ] || fail "nothing ran, and yet a verdict is not static"
grep -E '^is candidate[^ ]* (wins|loses|undecided) [0-9.]+ ' "$work/facts" >/dev/null || { fail "no candidate was judged"; cat "$work/facts"; }
# The stated rule: a winner costs less than 0.9, a loser more than 1.1 or spills; ties are the original's.
grep '^is candidate' "$work/facts" | awk '$3 == "wins" && $4 >= 0.9 || $3 == "undecided" && $4 > 1.1 { bad = 1; print } END { exit bad }' || fail "the margin does not hold"
"$wavepgo" show "$bundle" | grep -E ' - +0 +static +.*RADV' >/dev/null || { fail "show does not tell static verdicts"; "$wavepgo" show "$bundle" | tail -n 20; }
"$wavepgo" show "$bundle" | grep -E 'passes .* of the cost' >/dev/null || fail "show does not tell what candidates cost"
# The same again from the same figures.
tune again
verdicts | cmp -s - "$work/facts" || fail "judged again, the verdicts are others"

# use: exactly the winners.
RADV_FORCE_FAMILY=$family use won "$bundle" "$bench" --compile-only
exited won 0
winners=$(grep -c '^is winner [a-z]' "$work/facts")
[ "$(grep -c '(static)".*"result": "optimised"' "$work/won.uselog")" = "$winners" ] || { fail "not the $winners static winners are applied"; cat "$work/won.uselog"; }
[ "$(grep -c '"result": "optimised"' "$work/won.uselog")" = "$winners" ] || fail "something that did not win is applied"
echo "$winners winners of $(grep -c '^is method' "$work/facts") judged"

# A margin nobody reaches: no winner. By timestamps alone: nothing runs, nothing is judged.
tune strict --tune-static-margin 0.9
verdicts | grep '^is winner [a-z]' && fail "a winner beyond a margin of 0.9"
rm -r "$bundle/verdicts"
tune timed --tune-method timestamps
verdicts | grep '^is method static' && fail "TUNE_METHOD=timestamps gives a static verdict"

# Measured verdicts stand: made so by hand, with a look and samples.
tune plain
for file in "$bundle"/verdicts/*.facts; do
    sed -e 's/^is method static/is method timestamps/' -e 's/^is winner .*/is winner -/' -e 's/^\(is candidate[^ ]*\) [a-z]* [0-9.]* [0-9.]* [0-9.]* 0 0 /\1 loses 1.200000 1.100000 1.300000 1 16 /' \
        -e 's/^is confidence .*/is confidence 0.950000/' -e 's/^is margin .*/is margin 0.010000/' "$file" >"$work/measured" && cp "$work/measured" "$file"
done
verdicts >"$work/measured"
tune static --tune-method static
verdicts | cmp -s - "$work/measured" || { fail "a static verdict replaces a measured one"; verdicts | diff - "$work/measured" | head; }
finish

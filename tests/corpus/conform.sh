#!/bin/sh
# Modules of the corpus as pipelines, hundreds alive in one process, in every mode (run_modules.c): each case writes what it
# writes without the layer, bit by bit.
#
#     sh tests/corpus/conform.sh [FOLDER OF .spv...]      of these folders' modules; else of a sample that it collects
#
#     WPG_CORPUS=all ...       of all that run.sh collects; WPG_DRIVER=new|old|swiftshader; WPG_MODES="generate use": some modes
#     WPG_STEP=10 ...          one module of ten
#
# Absent runs several times: from the second time on the last case comes first, and fresh memory has other contents. What differs
# then reads what nobody wrote; it is left out, as is what the driver refuses, what crashes it and what does not end. A case that differs
# in a mode fails, unless one of these takes the difference away:
#
# - the module's indexes clamped (spirv-opt --graphics-robust-access): it reads beyond its variables;
# - its variables begun with zeros (corpus_run -z): it reads what it did not write;
# - FLOAT=strict, in use mode: that setting's rule, stated in runtime/config.
set -u
started=$PWD
. "$(dirname "$0")/../e2e/lib.sh"
runner=$WPG_PROGRAMS/corpus_run
need_built "$runner" "$wavepgo" "$layer"
root=$WPG_SOURCE
corpus=$work/corpus
# At night what run.sh takes by day.
[ -n "${WPG_CORPUS:-}" ] || [ $# -gt 0 ] || { [ -n "${WPG_NIGHTLY:-}" ] && WPG_CORPUS=some || WPG_CORPUS=few; }
# Of processor time, for a case without the layer and in a mode.
seconds=2 longest=60
[ "${WPG_CORPUS:-}" != few ] || seconds=1 longest=30
. "$root/tests/corpus/collect.sh"
if [ $# -gt 0 ]; then
    for folder in "$@"; do
        case $folder in /*) ;; *) folder=$started/$folder ;; esac
        find "$folder" \( -name '*.spv' -o -name '*.data' \) -exec cp {} "$corpus" \;
    done
else
    collect_tree
    collect_foreign
    [ "$WPG_CORPUS" = few ] || collect_programs
fi
use_driver "$WPG_DRIVER"
# One thread runs the groups in one order: what races gives one result.
export LP_NUM_THREADS=1 WAVEPGO_CACHE=none

# run NAME LIST OPTIONS COMMAND...: lines to NAME.lines. COMMAND: what stands before the runner.
run() {
    run_name=$1 run_list=$2 run_options=$3
    shift 3
    # shellcheck disable=SC2086
    (cd "$corpus" && "$@" "$runner" $run_options - <"$run_list") >"$work/$run_name.lines" 2>"$work/$run_name.err"
    code=$?
    [ $code != 77 ] || skip "$(tail -n 1 "$work/$run_name.lines")"
    [ $code = 0 ] || fail "$run_name: exit code $code: $(tail -n 2 "$work/$run_name.err")"
}
# differing NAME NAME: file, stage and entry of cases whose lines are not the same; absent ones, too.
differing() {
    awk -F'\t' 'NR == FNR { line[$1 FS $2 FS $3] = $4 FS $5; next }
        { key = $1 FS $2 FS $3; if (line[key] != $4 FS $5) print key; delete line[key] }
        END { for (key in line) print key }' "$work/$1.lines" "$work/$2.lines" | LC_ALL=C sort
}
lines_of() { # NAME LIST
    awk -F'\t' 'NR == FNR { wanted[$0] = 1; next } ($1 FS $2 FS $3) in wanted' "$2" "$work/$1.lines"
}
spent() { sed -n 's/^[0-9]* cases, [0-9]* ran; processor time: //p' "$work/$1.err"; }
number() { grep -c . "$1" || :; }

# -- Without the layer.
(cd "$corpus" && find . -name '*.spv' | sed 's|^\./||' | LC_ALL=C sort | awk -v step="${WPG_STEP:-1}" 'NR % step == 0') >"$work/files"
run first "$work/files" "-l $seconds -b 32" env MALLOC_PERTURB_=85
awk -F'\t' '$4 != "-" { print $1 FS $2 FS $3 }' "$work/first.lines" >"$work/ran"
lines_of first "$work/ran" >"$work/once.lines"
: >"$work/unstable"
# SwiftShader takes a tenth of the time, and some cases differ there once in ten times.
for perturb in 170 $([ "$WPG_DRIVER" != swiftshader ] || echo 255 1 128 204 51 240); do
    run reversed "$work/ran" "-l $seconds -R -a" env "MALLOC_PERTURB_=$perturb"
    differing once reversed >>"$work/unstable"
done
LC_ALL=C sort -u -o "$work/unstable" "$work/unstable"
grep -vxFf "$work/unstable" "$work/ran" >"$work/cases"
lines_of first "$work/cases" >"$work/absent.lines"
run plain "$work/cases" "-l $longest" env
# What two runs did not tell: a case that differs only now and then. None is compared that differed without the layer.
differing absent plain >"$work/seldom"
if [ -s "$work/seldom" ]; then
    [ $(($(number "$work/seldom") * 8)) -le "$(number "$work/cases")" ] || fail "without the layer not twice the same: $(head -n 3 "$work/seldom")"
    cat "$work/seldom" >>"$work/unstable"
    grep -vxFf "$work/unstable" "$work/ran" >"$work/cases"
    lines_of first "$work/cases" >"$work/absent.lines"
fi
echo "without the layer: $(number "$work/first.lines") cases, $(number "$work/cases") to compare; $(spent plain)"
awk -F'\t' '$4 != "-" { $5 = "to run" } { print "  " $2 ": " $5 }' "$work/first.lines" | LC_ALL=C sort | uniq -c | sort -rn
[ ! -s "$work/unstable" ] || echo "  $(number "$work/unstable") of them read what nobody wrote: not twice the same"

# -- A comparison that cannot fail is worth nothing: another module in one's place, a case that goes missing, one that ends
# otherwise.
# A case, and another of its stage and entry point that writes something else.
planted_name=$(awk -F'\t' '{ kind = $2 FS $3 }
    !(kind in first) { first[kind] = $1; hash[kind] = $4; next }
    $4 != hash[kind] { print first[kind]; print $1; exit }' "$work/absent.lines")
planted() {
    # shellcheck disable=SC2086
    set -- $planted_name
    [ $# = 2 ] || { fail "no two modules to try the comparison with" && return; }
    awk -F'\t' -v one="$1" '$1 == one || others++ < 5' "$work/cases" >"$work/few"
    mv "$corpus/$1" "$work/kept.spv"
    cp "$corpus/$2" "$corpus/$1"
    run planted "$work/few" "" env
    mv "$work/kept.spv" "$corpus/$1"
    lines_of absent "$work/few" >"$work/few.lines"
    differing few planted | cut -f1 | grep -qxF "$1" || fail "another module in place of $1 was not noticed"
    sed 1d "$work/few.lines" >"$work/missing.lines"
    [ "$(differing few missing | wc -l)" = 1 ] || fail "a missing case was not noticed"
    awk -F'\t' 'BEGIN { OFS = FS } NR == 2 { $4 = "-"; $5 = "does not end" } 1' "$work/few.lines" >"$work/ended.lines"
    [ "$(differing few ended | wc -l)" = 1 ] || fail "a case that does not end was not noticed"
}
planted

# -- The modes.
bundle=$work/bundle
counted() { "$wavepgo" run --generate --bundle "$bundle" -- "$@"; }
used() { # blocking; background: bound whenever they are made; waiting: each bind waits for its pipeline
    compile=$1
    shift
    waits=0
    [ "$compile" != waiting ] || compile=background waits=60
    "$wavepgo" run --use "$bundle" --compile "$compile" --variant-wait $waits -- "$@"
}
# settled CHANGE: into $work/found, which cases of $differ are equal in this mode once modules or options are changed: zero,
# clamp or strict. Changed modules are other shaders to a profile: they are counted anew.
settled() {
    : >"$work/found"
    [ -s "$differ" ] || return 0
    plain_options=
    case $1 in
    clamp)
        command -v spirv-opt >/dev/null 2>&1 || return 0
        mkdir -p "$work/given"
        cut -f1 "$differ" | sort -u | while read -r file; do
            cp "$corpus/$file" "$work/given/$file"
            spirv-opt --graphics-robust-access "$work/given/$file" -o "$corpus/$file" 2>/dev/null || cp "$work/given/$file" "$corpus/$file"
        done
        ;;
    zero) plain_options=-z ;;
    strict) export WAVEPGO_FLOAT=strict ;;
    esac
    case $1$mode_name in
    zerouse* | clampuse*)
        bundle=$work/$mode_name-$1.wavepgo
        run "$mode_name-$1-counted" "$differ" "-l $longest -n 8 $plain_options" counted
        ;;
    esac
    run "$mode_name-$1-plain" "$differ" "-l $longest $plain_options" env
    # shellcheck disable=SC2086
    run "$mode_name-$1" "$differ" "-l $longest $mode_options $plain_options" $mode_command
    bundle=$work/bundle
    unset WAVEPGO_FLOAT
    [ "$1" != clamp ] || cp "$work/given/"*.spv "$corpus"
    differing "$mode_name-$1-plain" "$mode_name-$1" >"$work/still"
    grep -vxFf "$work/still" "$differ" >"$work/found" || :
}
# set_aside WHY: the cases of $work/found are no longer among $differ; NAME.aside names them.
set_aside() {
    [ -s "$work/found" ] || return 0
    echo "  $(number "$work/found") $1" >>"$work/$mode_name.why"
    sed "s|\$|	$1|" "$work/found" >>"$work/$mode_name.aside"
    grep -vxFf "$work/found" "$differ" >"$work/rest" || :
    mv "$work/rest" "$differ"
}
mode() { # NAME OPTIONS COMMAND
    mode_name=$1 mode_options=$2 mode_command=$3
    case " ${WPG_MODES:-$mode_name} " in *" $mode_name "*) ;; *) return 0 ;; esac
    differ=$work/$mode_name.differ
    # shellcheck disable=SC2086
    run "$mode_name" "$work/cases" "-l $longest $mode_options" $mode_command
    differing absent "$mode_name" >"$differ"
    : >"$work/$mode_name.why"
    echo "$mode_name: $(($(number "$work/cases") - $(number "$differ"))) of $(number "$work/cases") cases equal; $(spent "$mode_name")"
    sed -n 's/^wavepgo: info: \(.*pipelines\{0,1\} seen[^;]*\).*/  \1/p' "$work/$mode_name.err"
    # Counting multiplies what compiling costs: known, and bounded elsewhere (BUDGET). And a loop without end and without
    # results, which the driver removes, is kept once it counts. No later mode runs such a case.
    awk -F'\t' '$5 == "does not end" { print $1 FS $2 FS $3 }' "$work/$mode_name.lines" >"$work/found"
    [ $(($(number "$work/found") * 25)) -le "$(number "$work/cases")" ] || fail "$mode_name: $(number "$work/found") cases do not end"
    set_aside "more do not end within $longest s, nor are they run in later modes"
    if [ -s "$work/found" ]; then
        grep -vxFf "$work/found" "$work/cases" >"$work/rest"
        mv "$work/rest" "$work/cases"
        lines_of first "$work/cases" >"$work/absent.lines"
    fi
    settled zero
    set_aside "more with variables begun with zeros: they read what they did not write"
    settled clamp
    set_aside "more with indexes clamped: they read beyond their variables"
    case $mode_name in
    use*)
        settled strict
        set_aside "more with FLOAT=strict"
        ;;
    esac
    cat "$work/$mode_name.why"
    [ -s "$differ" ] || return 0
    fail "$mode_name: $(number "$differ") cases differ:"
    lines_of absent "$differ" | head -n 5
    lines_of "$mode_name" "$differ" | head -n 5
}
mode off "" "$wavepgo run --mode off --"
mode generate "-n 8" counted
mode binding "" "env WAVEPGO_COUNTER_WAY=binding $wavepgo run --generate --profile-file $work/binding/%b.profraw --"
mode naive "" "env WAVEPGO_STRATEGY=naive $wavepgo run --generate --profile-file $work/naive/%b.profraw --"
if [ -d "$bundle" ]; then
    mode use "" "used blocking"
    mode use-background "-a" "used background"
    mode use-waiting "" "used waiting"
    optimised=$(sed -n 's/.*pipelines seen, \([0-9]*\) optimised.*/\1/p' "$work/use.err" | tail -n 1)
    [ "$(number "$work/cases")" -lt 50 ] || [ "${optimised:-0}" -gt 0 ] || fail "use mode changed nothing: $(tail -n 1 "$work/use.err")"
fi
finish

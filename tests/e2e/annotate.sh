#!/bin/sh
# The commands on the terminal, on a real run of the benchmarks: the counts of bvh's source lines are those of `report --json`, in
# text and in CSV; show names the shaders; two runs overlap wholly and do not differ; an edited shader is named by diff.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$bench" "$WPG_BUILD/shaders/bvh.comp.spv"
need_program glslangValidator

count() { # NAME BENCH-OPTIONS...
    run_name=$1
    shift
    "$wavepgo" run --generate --bundle "$run_name.wavepgo" -- "$bench" --case bvh --case select_rare --size small --repeat 0 "$@" \
        >"$run_name.out" 2>"$run_name.err" || fail "$run_name: $(tail -n 2 "$run_name.err")"
}
count first
count second

# "LINE LANES WAVES UNIFORM" of each line with code, as the report has them.
"$wavepgo" report --json first.wavepgo >report.json || fail "report --json"
grep '"entry": "bvh"' report.json | sed 's/.*"lines": \[\[//; s/\]\].*//; s/\], \[/\n/g' | tr -d ',' |
    awk '{ print $2, $3, $4, $5 }' >lines.report
[ "$(grep -c . lines.report)" -gt 20 ] || fail "the report has $(grep -c . lines.report) lines of bvh"
"$wavepgo" annotate --csv first.wavepgo bvh.comp >bvh.csv || fail "annotate --csv"
awk -F, 'NR > 1 { print $3, $5, $4, $6 }' bvh.csv >lines.csv
cmp lines.report lines.csv || fail "annotate --csv has other counts than the report"
"$wavepgo" annotate --context all first.wavepgo bvh.comp >bvh.txt || fail "annotate"
# The gutter: waves, lanes, lanes a wave, uniform, line. Lines without code have the line's number alone.
sed -n '/^ *WAVES/,$p' bvh.txt | awk 'NR > 1 && $1 ~ /^[0-9,]+$/ && $4 ~ /^([0-9.]+%|-)$/ { gsub(/,/, ""); print $5, $2, $1 }' >lines.text
awk '{ print $1, $2, $3 }' lines.report | cmp - lines.text || fail "annotate has other counts than the report"
sed -n '/^ *WAVES/,$p' bvh.txt | tail -n +2 | grep -c . >text.count
[ "$(cat text.count)" = "$(wc -l <"$WPG_SOURCE/shaders/bvh.comp" | tr -d ' ')" ] || fail "annotate prints $(cat text.count) lines of bvh.comp"

# Names, and one shader by name.
"$wavepgo" show first.wavepgo >show.txt || fail "show"
for name in bvh.comp select_rare.comp; do
    grep "  $name$" show.txt >/dev/null || fail "show does not name $name"
done
"$wavepgo" show first.wavepgo bvh >one.txt || fail "show NAME"
grep ' bvh.comp:[0-9]* loop  *#' one.txt >/dev/null || fail "show NAME has no place of a loop"
grep select_rare one.txt && fail "show bvh prints select_rare"

# Equal runs.
"$wavepgo" overlap first.wavepgo second.wavepgo >overlap.txt || fail "overlap"
grep '^overlap of .*: 100.000%$' overlap.txt >/dev/null || fail "two runs: $(head -n 1 overlap.txt)"
"$wavepgo" diff --threshold 0 first.wavepgo second.wavepgo >same.txt || fail "diff"
grep '^nothing changed$' same.txt >/dev/null || fail "two runs differ: $(cat same.txt)"

# An edited shader: one operation more. Where source is the same otherwise, the name finds it.
cp -r "$WPG_BUILD/shaders" edited && cp "$WPG_SOURCE/shaders/select_rare.comp" . || die "cannot copy the shaders"
awk '{ print } /^void main/ { edit = 1 } edit && /{/ && !done { print "    if (gl_GlobalInvocationID.x == 0xffffffffu) return;"; done = 1 }' select_rare.comp >edited.comp
mv edited.comp select_rare.comp
glslangValidator --quiet -g --target-env vulkan1.1 -I"$WPG_SOURCE/shaders" -e select_rare --source-entrypoint main -o edited/select_rare.comp.spv \
    select_rare.comp || die "the edited shader does not compile"
count edited --shaders edited
"$wavepgo" diff --json first.wavepgo edited.wavepgo >diff.json || fail "diff of an edited shader"
grep -c '"changed-code": true' diff.json >changed.count
[ "$(cat changed.count)" = 1 ] || fail "$(cat changed.count) shaders have changed code"
grep '"name": "select_rare.comp".*"changed-code": true' diff.json >/dev/null || fail "diff does not name the edited shader"
grep '"name": "bvh.comp".*"changed-code": false, "changes": \[.*"work"' diff.json && fail "bvh differs"
finish

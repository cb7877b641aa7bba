#!/bin/sh
# The report of a real run: the page in headless Chromium (report_page.cjs), JSON, advice; with source lines, without, and of many pipelines.
. "$(dirname "$0")/lib.sh"
need_built "$wavepgo" "$layer" "$app" "$bench"
. "$(dirname "$0")/page.sh"

# Lines: bvh's loop runs as often as its header says, and the page shows what JSON says.
WAVEPGO_TIMESTAMPS=1 WAVEPGO_BUNDLE=$work/bench generate bench "$bench" --case bvh --size small --checksum
"$wavepgo" report -o "$work/bench.html" "$work/bench" >"$work/said" || fail "report"
grep '^.*bench.html: 1 pipeline, 1 shader, ' "$work/said" >/dev/null || fail "report says $(cat "$work/said")"
"$wavepgo" report --json "$work/bench" >"$work/bench.json" || fail "report --json"
"$WPG_PROGRAMS/e2e_json" "$work/bench.json" || fail "report --json: no JSON"
"$wavepgo" show --json "$work/bench" >"$work/show.json" || fail "show --json"
# The condition in line 30 is the block that leaves the loop: its lanes are those of a block in `show`.
lanes=$(grep -o '\[[0-9]*, 30, [0-9]*' "$work/bench.json" | sed 's/.* //')
[ -n "$lanes" ] && grep "\"lanes\": \[[^]]*\b$lanes\b" "$work/show.json" >/dev/null || fail "line 30 has '$lanes' lanes, which no block has"
"$wavepgo" advise "$work/bench" >"$work/advice" || fail "advise"
grep 'bvh.comp:30 if' "$work/advice" >/dev/null && grep 'predicted: ' "$work/advice" >/dev/null || fail "advise says $(cat "$work/advice")"

# Without debug information: names by hash. GLSL by SPIRV-Cross, where that is.
WAVEPGO_BUNDLE=$work/app generate app "$app" compute "$WPG_SPIRV"
"$wavepgo" report -o "$work/app.html" "$work/app" >"$work/said" || fail "report of $app"
# A profile alone has counts, and says what is missing.
"$wavepgo" merge -o "$work/app.profdata" "$work/app" >/dev/null || fail "merge"
"$wavepgo" report --json "$work/app.profdata" | grep '"no-module": "a profile has no SPIR-V: give the bundle"' >/dev/null || fail "a profile without modules"
"$wavepgo" report --json "$work/app.profdata" "$work/app" | grep '"no-module": null' >/dev/null || fail "the bundle as a place of modules"

# What was measured: three pipelines, of which use mode changes two.
WAVEPGO_BUNDLE=$work/gain generate gain "$app" record "$WPG_SPIRV"
"$wavepgo" compare --profile "$work/gain" --rounds 1 -- "$app" record "$WPG_SPIRV" >"$work/said" 2>&1 || fail "compare: $(cat "$work/said")"
"$wavepgo" report -o "$work/gain.html" "$work/gain" >"$work/said" || fail "report of $app with what was measured"

# Many pipelines.
many=${WPG_CROWD:-300}
WAVEPGO_CACHE=none WAVEPGO_BUNDLE=$work/crowd generate crowd "$app" crowd "$WPG_SPIRV" "$many"
began=$(date +%s%N)
"$wavepgo" report -o "$work/crowd.html" "$work/crowd" >"$work/said" || fail "report of $many pipelines"
echo "report of $many pipelines: $((($(date +%s%N) - began) / 1000000)) ms, $(wc -c <"$work/crowd.html") bytes"

[ "$refused" = 0 ] || exit 1
need_browser || skip "needs chromium and node: the page was made and not looked at"
for one in bench app crowd gain; do
    look_at "$one.html" >"$work/$one.seen" || fail "$one.html: $(cat "$work/page.err")"
    cat "$work/$one.seen"
done
grep '^gain of 3 pipelines' "$work/gain.seen" >/dev/null || fail "the page has no gains"
finish

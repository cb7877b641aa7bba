#!/bin/sh
# wavepgo-bench, the measuring stick: what its options say is so. Checked: outputs do not depend on --binds; comparing
# takes several named sides, finds another output, lives with a side that fails; JSON parses.
. "$(dirname "$0")/lib.sh"
json=$WPG_PROGRAMS/e2e_json
need_built "$bench" "$json"

"$bench" --list >list.out 2>list.err || fail "--list: exit code $?"
[ ! -s list.err ] || fail "--list complains: $(head -n 1 list.err)"
"$bench" --help | awk 'length > 100 { bad = 1 } END { exit bad }' || fail "--help has a line longer than 100 columns"
"$bench" --info >info.json || fail "--info: exit code $?"
"$json" info.json device driver_name api_version subgroup_size timestamp_bits runs_shaders || fail "--info"

"$bench" --size small --checksum >once.sums || fail "--checksum: exit code $?"
"$bench" --size small --checksum --binds 3 >thrice.sums || fail "--checksum --binds 3: exit code $?"
[ "$(grep -c . once.sums)" -ge 13 ] || fail "only $(grep -c . once.sums) cases"
cmp -s once.sums thrice.sums || { fail "another output with --binds 3:"; diff once.sums thrice.sums; }

# Two named sides, then one that cannot run: it is named, the other is measured all the same.
"$bench" --size small --case mandelbrot --rounds 2 --repeat 1 --compare 'first: A=1' --compare "second: B='x y'" --against '' \
    --json compare.json >compare.out || fail "--compare: exit code $?"
for label in first second; do
    grep "\"label\":\"$label\"" compare.json | head -n 1 >one.json
    "$json" one.json case label ratio ratio_min ratio_max create_ratio compile_ratio checksum equal=true || fail "--compare, $label"
    grep "\"cases\":1,\"label\":\"$label\"" compare.json >one.json
    "$json" one.json geomean_ratio geomean_create_ratio geomean_compile_ratio worst_ratio || fail "--compare, sum of $label"
done
"$bench" --size small --case mandelbrot --rounds 1 --repeat 1 --compare "broken: VK_ICD_FILENAMES=$work/none VK_DRIVER_FILES=$work/none" \
    --compare 'well: A=1' --against '' --json broken.json >broken.out 2>&1
[ $? = 1 ] || fail "a side without a driver: exit code not 1"
grep '"label":"broken"' broken.json >one.json
"$json" one.json state=failed exit_status=77 || fail "the side without a driver"
grep '"case".*"label":"well"' broken.json >one.json
"$json" one.json ratio equal=true || fail "the side beside it"
if [ -n "$(driver_icd radv)" ]; then
    VK_ICD_FILENAMES=$(driver_icd radv) VK_DRIVER_FILES=$(driver_icd radv) RADV_FORCE_FAMILY=navi31 \
        "$bench" --statistics --case mandelbrot --json - >statistics.json 2>statistics.err || fail "--statistics: $(tail -n 1 statistics.err)"
    "$json" statistics.json case=mandelbrot stage=comp statistics || fail "--statistics"
    grep -q '"VGPRs":[1-9]' statistics.json || fail "--statistics has no registers"
fi
finish

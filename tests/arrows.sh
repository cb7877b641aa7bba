#!/bin/sh
# Checks the dependency arrows of the house on every #include of the tree: which folder may use which, that includes
# are rooted at the top, and that Vulkan, SPIR-V opcodes and SPIRV-Tools stay where they belong.
#
#     sh tests/arrows.sh [ROOT]     prints every violation; exit code 1 if there is one
#
# tests/lint/arrows-selftest.sh breaks each rule and sees it reported.
set -u
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1

# FOLDER: what it may use beside itself; what these may use is added. A folder that is not listed may not hold code.
table='
runtime/base:
runtime/config: runtime/base
runtime/profile: runtime/base
runtime/bundle: runtime/base runtime/profile
runtime/counters: runtime/base
runtime/gpu: runtime/base
runtime/tune: runtime/base runtime/bundle
runtime/report/text: runtime/base runtime/profile
runtime/report/model: runtime/report/text runtime/bundle compiler/spirv compiler/analysis/graph compiler/analysis/values compiler/normalize
runtime/report/listing: runtime/report/model
runtime/report/export: runtime/report/model
runtime/report/page: runtime/report/model
compiler/spirv: runtime/base
compiler/analysis/graph: compiler/spirv
compiler/analysis/values: compiler/spirv compiler/analysis/graph
compiler/analysis/match: compiler/spirv compiler/analysis/graph compiler/analysis/values
compiler/normalize: compiler/spirv compiler/analysis/graph
compiler/instrument/code: compiler/spirv compiler/analysis/graph compiler/analysis/values
compiler/instrument/sampling: compiler/instrument/code
compiler/instrument/counting: compiler/instrument/sampling
compiler/instrument/probes: compiler/instrument/counting
compiler/instrument/driver: compiler/instrument/probes
compiler/optimize/ir: compiler/spirv compiler/analysis/graph compiler/analysis/values
compiler/optimize/loops: compiler/optimize/ir
compiler/optimize/facts: compiler/optimize/loops
compiler/optimize/fold: compiler/optimize/facts
compiler/optimize/memory: compiler/optimize/ir
compiler/optimize/passes: compiler/optimize/fold compiler/optimize/memory
compiler/amdgpu/flow: compiler/analysis/graph
compiler/amdgpu/llvm: compiler/spirv compiler/analysis/graph compiler/amdgpu/flow
compiler/amdgpu/translate: compiler/amdgpu/llvm
compiler/amdgpu/driver: compiler/amdgpu/translate
compiler/amdgpu/counters: compiler/amdgpu/driver
compiler/amdgpu/profile: compiler/amdgpu/counters
layer/base: compiler/analysis/match compiler/normalize compiler/instrument/driver compiler/optimize/passes runtime/counters runtime/profile runtime/bundle runtime/gpu runtime/tune runtime/config
layer/files: layer/base
layer/profile: layer/files
layer/rewrite: layer/base layer/profile
layer/contents: layer/base
layer/variants: layer/rewrite layer/contents
layer/commands: layer/variants
layer/api: layer/commands
runtime/cli/common: runtime/base runtime/config runtime/profile runtime/bundle runtime/counters runtime/gpu runtime/tune runtime/report/listing runtime/report/export runtime/report/page compiler/spirv compiler/analysis/graph compiler/analysis/values compiler/analysis/match compiler/normalize compiler/instrument/driver compiler/optimize/passes
runtime/cli/help: runtime/cli/common
runtime/cli/show: runtime/cli/common
runtime/cli/annotate: runtime/cli/common
runtime/cli/diff: runtime/cli/common
runtime/cli/report: runtime/cli/common
runtime/cli/compare: runtime/cli/common
runtime/cli/top: runtime/cli/common
runtime/cli/verify: runtime/cli/common
runtime/cli/estimate: runtime/cli/common
runtime/cli/doctor: runtime/cli/common
runtime/cli/merge: runtime/cli/common
runtime/cli/export: runtime/cli/common runtime/cli/merge
runtime/cli/isa: runtime/cli/common runtime/cli/estimate runtime/cli/verify compiler/amdgpu/profile
runtime/cli: runtime/cli/common runtime/cli/compare runtime/cli/top runtime/cli/help runtime/cli/show runtime/cli/annotate runtime/cli/diff runtime/cli/report runtime/cli/export runtime/cli/verify runtime/cli/estimate runtime/cli/doctor runtime/cli/merge
shaders: runtime/base runtime/gpu
tests: *
'

# Folders that may include a system header: PATTERN: folders.
system='
vulkan/: runtime/counters runtime/gpu runtime/cli/common runtime/cli/estimate runtime/cli/doctor layer/base layer/profile layer/rewrite layer/contents layer/variants layer/commands layer/api shaders tests
spirv/: runtime/report/model runtime/report/listing compiler/spirv compiler/analysis/graph compiler/analysis/values compiler/analysis/match compiler/normalize compiler/instrument/code compiler/instrument/sampling compiler/instrument/counting compiler/instrument/probes compiler/instrument/driver compiler/optimize/ir compiler/optimize/memory compiler/optimize/loops compiler/optimize/facts compiler/optimize/fold compiler/optimize/passes compiler/amdgpu/flow compiler/amdgpu/llvm compiler/amdgpu/translate compiler/amdgpu/driver compiler/amdgpu/counters compiler/amdgpu/profile tests
spirv-tools/: compiler/normalize tests
llvm: compiler/amdgpu/flow compiler/amdgpu/llvm compiler/amdgpu/translate compiler/amdgpu/driver compiler/amdgpu/counters compiler/amdgpu/profile tests
xxhash.h: runtime/base
'

# Headers that few may include, of their own folder only the file of that name: HEADER: folders.
private='
compiler/optimize/passes/cut_dead.h: runtime/cli/estimate tests
'

files=$(find runtime compiler layer json shaders tests \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.inc' \) -type f 2>/dev/null | LC_ALL=C sort)
[ -n "$files" ] || { echo "arrows: no sources below $root" >&2; exit 1; }

# shellcheck disable=SC2086
awk -v table="$table" -v system_table="$system" -v private_table="$private" '
function folder_of(path,    parts, n, f) {
    n = split(path, parts, "/")
    f = parts[1] "/" parts[2] "/" parts[3]
    if (n > 3 && f in known) return f
    if (parts[1] == "runtime" || parts[1] == "compiler" || parts[1] == "layer") f = parts[1] "/" parts[2]
    else f = parts[1]
    return f
}
function allowed(from, to,    list, n, i) {
    if (from == to || uses[from] == "*") return 1
    if ((from SUBSEP to) in memo) return memo[from, to]
    memo[from, to] = 0
    n = split(uses[from], list, " ")
    for (i = 1; i <= n; i++)
        if (list[i] == to || allowed(list[i], to)) { memo[from, to] = 1; return 1 }
    return 0
}
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; bad++ }
BEGIN {
    n = split(table, lines, "\n")
    for (i = 1; i <= n; i++)
        if (lines[i] != "") {
            name = rest = lines[i]; sub(/:.*/, "", name); sub(/^[^:]*:[ ]*/, "", rest)
            known[name] = 1; uses[name] = rest
        }
    n = split(system_table, lines, "\n")
    for (i = 1; i <= n; i++)
        if (lines[i] != "") {
            name = rest = lines[i]; sub(/:.*/, "", name); sub(/^[^:]*:[ ]*/, "", rest)
            patterns[++pattern_count] = name; pattern_folders[pattern_count] = " " rest " "
        }
    n = split(private_table, lines, "\n")
    for (i = 1; i <= n; i++)
        if (lines[i] != "") {
            name = rest = lines[i]; sub(/:.*/, "", name); sub(/^[^:]*:[ ]*/, "", rest)
            private_folders[name] = " " rest " "
        }
}
FNR == 1 {
    from = folder_of(FILENAME)
    if (!(from in known)) complain("folder " from " is not in the table of tests/arrows.sh")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    path = $0; sub(/^[^"]*"/, "", path); sub(/".*/, "", path)
    to = folder_of(path)
    beside = FILENAME; sub(/[^\/]*$/, "", beside)
    # A test may have helpers of its own beside it.
    if (from == "tests" && path !~ /\// && (getline line < (beside path)) >= 0) { close(beside path); next }
    if (!(to in known)) { complain("\"" path "\" is not rooted at the top of the tree"); next }
    count++
    own = path; sub(/h$/, "c", own)
    if (!allowed(from, to)) complain(from " may not use " to " (\"" path "\")")
    else if (path in private_folders && !index(private_folders[path], " " from " ") && FILENAME != own)
        complain(FILENAME " may not include \"" path "\", which is for" private_folders[path] "only")
    else if ((getline line < path) < 0) complain("\"" path "\" does not exist")
    else close(path)
    next
}
/^[ \t]*#[ \t]*include[ \t]*</ {
    path = $0; sub(/^[^<]*</, "", path); sub(/>.*/, "", path)
    if (folder_of(path) in known && path ~ /^(runtime|compiler|layer|tests|shaders)\//) complain("<" path "> is ours: use quotes")
    for (i = 1; i <= pattern_count; i++)
        if (index(path, patterns[i]) == 1 && !index(pattern_folders[i], " " from " "))
            complain(from " may not include <" path ">")
}
END {
    printf "arrows: %d includes, %d violations\n", count, bad
    exit bad > 0
}' $files

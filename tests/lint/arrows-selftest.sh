#!/bin/sh
# Breaks each rule of tests/arrows.sh in a small tree and sees it reported; a clean tree passes.
set -u
arrows=$(cd "$(dirname "$0")/.." && pwd)/arrows.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

fresh() {
    rm -rf "$tree/runtime" "$tree/compiler" "$tree/layer/base"
    mkdir -p "$tree/runtime/base" "$tree/runtime/profile" "$tree/compiler/spirv" "$tree/compiler/analysis/graph" "$tree/layer/base"
    echo '#include <stdio.h>' >"$tree/runtime/base/a.h"
    echo '#include "runtime/base/a.h"' >"$tree/compiler/spirv/s.h"
    printf '#include "compiler/spirv/s.h"\n#include "runtime/base/a.h"\n' >"$tree/compiler/analysis/graph/c.c"
}
expect() { # EXIT-CODE TEXT NAME
    output=$(sh "$arrows" "$tree" 2>&1)
    code=$?
    if [ $code != "$1" ] || ! printf '%s' "$output" | grep -F -e "$2" >/dev/null; then
        printf 'arrows-selftest: %s: exit %s, expected %s and "%s"\n%s\n' "$3" "$code" "$1" "$2" "$output"
        failed=1
    fi
}

fresh
expect 0 "3 includes, 0 violations" "clean tree"
echo '#include "compiler/spirv/s.h"' >>"$tree/runtime/base/a.h"
expect 1 "runtime/base may not use compiler/spirv" "upward include"
fresh
echo '#include "runtime/profile/p.h"' >"$tree/compiler/spirv/s.c"
expect 1 "compiler/spirv may not use runtime/profile" "compiler knows no file format"
fresh
echo '#include "a.h"' >"$tree/runtime/base/b.c"
expect 1 "not rooted" "include that is not rooted"
fresh
echo '#include <vulkan/vulkan.h>' >"$tree/compiler/spirv/s.c"
expect 1 "compiler/spirv may not include <vulkan/vulkan.h>" "compiler knows no Vulkan"
fresh
echo '#include <spirv/unified1/spirv.h>' >"$tree/layer/base/l.c"
expect 1 "layer/base may not include <spirv/unified1/spirv.h>" "layer knows no opcode"
fresh
echo '#include "runtime/base/gone.h"' >"$tree/layer/base/l.c"
expect 1 "does not exist" "missing header"
fresh
mkdir -p "$tree/compiler/optimize/passes" "$tree/runtime/cli/estimate"
echo 'int x;' >"$tree/compiler/optimize/passes/cut_dead.h"
for user in compiler/optimize/passes/cut_dead.c runtime/cli/estimate/estimate.c; do
    echo '#include "compiler/optimize/passes/cut_dead.h"' >"$tree/$user"
done
expect 0 "5 includes, 0 violations" "a private header where it belongs"
echo '#include "compiler/optimize/passes/cut_dead.h"' >"$tree/compiler/optimize/passes/optimize.c"
expect 1 "compiler/optimize/passes/optimize.c may not include" "a pass uses the what-if"
rm "$tree/compiler/optimize/passes/optimize.c"
echo '#include "compiler/optimize/passes/cut_dead.h"' >"$tree/layer/base/l.c"
expect 1 "layer/base/l.c may not include" "the layer uses the what-if"
rm -r "$tree/compiler/optimize" "$tree/runtime/cli"
fresh
mkdir -p "$tree/runtime/extra" && echo 'int x;' >"$tree/runtime/extra/x.c"
expect 1 "runtime/extra is not in the table" "unknown folder"
exit $failed

#!/bin/sh
# Every C file is as clang-format leaves it. Versions of clang-format disagree: 14 (Debian 12) is the reference, with
# another one the test skips.
set -u
cd "$(dirname "$0")/../.." || exit 1
formatter=
for candidate in clang-format-14 clang-format; do
    if command -v $candidate >/dev/null 2>&1 && $candidate --version | grep -E 'version 14\.' >/dev/null; then
        formatter=$candidate
        break
    fi
done
[ -n "$formatter" ] || { echo "skip: clang-format 14 is not installed"; exit 77; }
files=$(find runtime compiler layer shaders tests \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -type f)
# shellcheck disable=SC2086
$formatter --dry-run --Werror $files 2>&1 | sed -n 's/^\([^ :]*:[0-9]*\):.*clang-format-violations.*/\1/p' | awk -F: '!seen[$1]++ { print "not formatted: " $0; bad = 1 } END { exit bad }'

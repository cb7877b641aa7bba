#!/bin/sh
# The README's table of settings is the one the command prints.
#     sh tests/cli/readme.sh WAVEPGO-BINARY README.md
set -eu
want=$(mktemp)
trap 'rm -f "$want" "$want.got"' EXIT
"$1" run --help=markdown >"$want"
sed -n '/^<!-- settings -->$/,/^<!-- \/settings -->$/p' "$2" | sed '1d;$d' >"$want.got"
diff -u "$want" "$want.got" && echo "the README's $(($(wc -l <"$want") - 2)) settings agree"

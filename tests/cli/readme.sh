#!/bin/sh
# The README's table of settings is the one the command prints, and its two commands are those CI runs.
#     sh tests/cli/readme.sh WAVEPGO-BINARY README.md
set -eu
want=$(mktemp)
trap 'rm -f "$want" "$want.got"' EXIT
"$1" run --help=markdown >"$want"
sed -n '/^<!-- settings -->$/,/^<!-- \/settings -->$/p' "$2" | sed '1d;$d' >"$want.got"
diff -u "$want" "$want.got" && echo "the README's $(($(wc -l <"$want") - 2)) settings agree"

# The README's two commands, in its order, are what CI runs and what tests/fresh.sh runs on a fresh Debian.
commands() { sed -n 's/^ *\(exec \)\{0,1\}\(sh \(shaders\/demo\|tests\/run\)\.sh\)\( .*\)\{0,1\}$/\2/p' "$1" | head -n 2; }
[ "$(commands "$2" | sort -u | wc -l)" = 2 ] || { echo "README.md does not name the two commands"; exit 1; }
ci=$(dirname "$2")/.ci/run
[ "$(commands "$2")" = "$(commands "$ci")" ] || { echo ".ci/run does not run the README's commands in its order: $(commands "$ci" | tr '\n' ',')"; exit 1; }
echo "the README's two commands, in its order, are .ci/run's"

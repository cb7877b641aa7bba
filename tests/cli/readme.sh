#!/bin/sh
# The tables of settings in runtime/config/README.md are those the command prints. The two commands of README.md are those CI runs.
#     sh tests/cli/readme.sh WAVEPGO-BINARY ROOT
set -eu
readme=$2/README.md
settings=$2/runtime/config/README.md
want=$(mktemp)
trap 'rm -f "$want" "$want.got"' EXIT
"$1" run --help=markdown >"$want"
sed -n '/^<!-- settings -->$/,/^<!-- \/settings -->$/p' "$settings" | sed '1d;$d' >"$want.got"
diff -u "$want" "$want.got" && echo "the tables of runtime/config/README.md: $(grep -c '^| `' "$want") settings agree"

# The two commands of README.md, in its order, are what CI runs and what tests/fresh.sh runs on a fresh Debian.
commands() { sed -n 's/^ *\(exec \)\{0,1\}\(sh \(shaders\/demo\|tests\/run\)\.sh\)\( .*\)\{0,1\}$/\2/p' "$1" | head -n 2; }
[ "$(commands "$readme" | sort -u | wc -l)" = 2 ] || { echo "README.md does not name the two commands"; exit 1; }
ci=$2/.ci/run
[ "$(commands "$readme")" = "$(commands "$ci")" ] || { echo ".ci/run does not run the README's commands in its order: $(commands "$ci" | tr '\n' ',')"; exit 1; }
echo "the README's two commands, in its order, are .ci/run's"

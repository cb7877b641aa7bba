#!/bin/sh
# The completions that `wavepgo help --write` makes, in the shells they are for: tests/cli/completion.bash, completion.zsh.
#     sh tests/cli/completion.sh WAVEPGO-BINARY bash|zsh
set -u
wavepgo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
command -v "$2" >/dev/null 2>&1 || { echo "skip: $2 is not here"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$wavepgo" help --write "$folder/share" || { echo "FAIL: help --write"; exit 1; }
mkdir "$folder/work"
case $2 in
bash) bash --norc "$here/completion.bash" "$folder/share/bash-completion/completions/wavepgo" "$wavepgo" "$folder/work" ;;
zsh) zsh -f "$here/completion.zsh" "$folder/share/zsh/site-functions" "$wavepgo" "$folder/work" ;;
esac

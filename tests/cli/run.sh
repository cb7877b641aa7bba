#!/bin/sh
# The command line, exactly: each cases/NAME.sh runs in an empty folder with $DATA and the command `wavepgo` at hand; its exit
# code, standard output and standard error must equal cases/NAME.golden.
#
#     sh tests/cli/run.sh WAVEPGO-BINARY [--update] [NAME...]
#
# --update rewrites the golden files from what is printed now: read the difference before committing it.
set -u

binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
update=
[ "${1:-}" != --update ] || { update=yes; shift; }
unset TERM PAGER LESS NO_COLOR
here=$(cd "$(dirname "$0")" && pwd)
DATA=$here/data
export DATA
for variable in $(env | sed -n 's/^\(WAVEPGO_[A-Z_]*\|LLVM_PROFILE_[A-Z_]*\|VK_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
XDG_CONFIG_HOME=$folder/none
export XDG_CONFIG_HOME
ln -s "$binary" "$folder/bin/wavepgo"
PATH=$folder/bin:$PATH
export PATH

failed=0 passed=0
for case in "$here"/cases/*.sh; do
    name=$(basename "$case" .sh)
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    rm -rf "$folder/work"
    mkdir "$folder/work"
    (cd "$folder/work" && LC_ALL=C sh "$case" >"$folder/out" 2>"$folder/err" </dev/null)
    code=$?
    {
        echo "exit $code"
        echo "--- stdout"
        cat "$folder/out"
        echo "--- stderr"
        cat "$folder/err"
    } | sed "s#$DATA#DATA#g; s#$folder/work#WORK#g; s#$binary#WAVEPGO#g" >"$folder/got"
    if [ -n "$update" ]; then
        cp "$folder/got" "$here/cases/$name.golden"
    elif cmp -s "$folder/got" "$here/cases/$name.golden"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        diff -u "$here/cases/$name.golden" "$folder/got"
    fi
done
echo "command line: $passed passed, $failed failed"
[ "$failed" = 0 ] && { [ "$passed" -gt 0 ] || [ -n "$update" ]; }

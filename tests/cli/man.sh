#!/bin/sh
# The man pages that `wavepgo help --write` makes: groff and man render each without a warning, every command has its page, and
# the pages hold every option of --help and every setting.
#     sh tests/cli/man.sh WAVEPGO-BINARY
set -u
wavepgo=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
refused=0
fail() {
    echo "FAIL: $*"
    refused=1
}
LC_ALL=C
MANWIDTH=80
export LC_ALL MANWIDTH
unset MANOPT MANROFFOPT MANPAGER

"$wavepgo" help --write "$folder/share" || fail "help --write: exit code $?"
commands=$("$wavepgo" help | sed -n 's/^  wavepgo \([a-z]*\) .*/\1/p' | grep -v '^help$' | sort -u)
[ "$(echo "$commands" | wc -l)" -ge 10 ] || fail "too few commands: $commands"
for command in $commands; do
    [ -f "$folder/share/man/man1/wavepgo-$command.1" ] || fail "no page of the command $command"
done
[ -f "$folder/share/man/man1/wavepgo.1" ] || fail "no page of the command itself"

renderers=
! command -v groff >/dev/null 2>&1 || renderers=groff
# Where documentation is left out on purpose, man is a script that says so.
! man -P cat -l "$folder/share/man/man1/wavepgo.1" 2>/dev/null | grep '^NAME$' >/dev/null || renderers="$renderers man"
[ -n "$renderers" ] || { [ "$refused" = 0 ] || exit 1; echo "skip: neither groff nor man is here"; exit 77; }
pages=0
for page in "$folder"/share/man/man*/*; do
    name=$(basename "$page")
    for renderer in $renderers; do
        case $renderer in
        groff) groff -man -ww -Tascii -P-cbou "$page" ;;
        man) man --warnings -P cat -l "$page" ;;
        esac >"$folder/$name.text" 2>"$folder/warnings" || fail "$renderer fails on $name"
        [ ! -s "$folder/warnings" ] || fail "$renderer warns of $name: $(head -n 3 "$folder/warnings")"
        grep '^NAME$' "$folder/$name.text" >/dev/null && grep '^SEE ALSO$' "$folder/$name.text" >/dev/null ||
            fail "$renderer: $name is no page: $(head -n 5 "$folder/$name.text")"
    done
    pages=$((pages + 1))
done

# Each option that stands first in a line of --help is the tag of a paragraph.
options=0
for command in $commands; do
    for option in $("$wavepgo" "$command" --help | sed -n 's/^  \(-[-a-z0-9]*\).*/\1/p' | sort -u); do
        grep -- "^ *$option\([ ,]\|\$\)" "$folder/wavepgo-$command.1.text" >/dev/null || fail "wavepgo-$command.1 lacks $option"
        options=$((options + 1))
    done
done
[ $options -ge 100 ] || fail "only $options options are found in --help"
settings=0
for setting in $("$wavepgo" help settings | sed -n 's/^  \([A-Z_]*\) .*/\1/p'); do
    grep "^ *$setting " "$folder/wavepgo-settings.5.text" >/dev/null || fail "wavepgo-settings.5 lacks $setting"
    settings=$((settings + 1))
done
[ $settings -ge 40 ] || fail "only $settings settings are found in 'help settings'"
[ "$refused" = 0 ] || exit 1
echo "$pages man pages, $options options, $settings settings; rendered by:" $renderers

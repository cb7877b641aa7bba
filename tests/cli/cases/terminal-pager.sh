# On a terminal: colours unless NO_COLOR, a pager unless --no-pager. Piped: neither, unless asked for.
. "$DATA/bundle.sh"
bundle march
export TERM=xterm
escapes() { grep -a -c "$(printf '\033\\[')" "$1"; }
PAGER='sed s/^/paged:/' script -qec 'wavepgo annotate --context 0 march.wavepgo' out </dev/null >/dev/null
grep -a -c paged: out
PAGER='sed s/^/paged:/' NO_COLOR=1 script -qec 'wavepgo annotate --no-pager --context 0 march.wavepgo' out </dev/null >/dev/null
grep -a -c paged: out
escapes out
script -qec 'wavepgo annotate --no-pager --context 0 march.wavepgo' out </dev/null >/dev/null
[ "$(escapes out)" -gt 2 ] && echo coloured
PAGER=false script -qec 'wavepgo annotate march.wavepgo; echo "code $?"' out </dev/null >/dev/null
grep -a -o 'code [0-9]' out
wavepgo annotate --context 0 march.wavepgo | cat >out
escapes out
wavepgo annotate --context 0 --color=always march.wavepgo >out
[ "$(escapes out)" -gt 2 ] && echo coloured

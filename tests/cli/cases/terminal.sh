# An entry point's name may hold a terminal's commands (here a title): on a terminal they are shown, with colours too; in a file
# they stay. Names in tables have blanks there.
sed 's/shade%20it/main%1B%5D0%3Bx%07/' $DATA/two.proftext >x.proftext
script -qec 'wavepgo show x.proftext 3333' terminal </dev/null >/dev/null
tr -d '\r' <terminal | grep -a -o 'entry main.*'
grep -c "$(printf '\033')" terminal
TERM=xterm script -qec 'wavepgo show --no-pager x.proftext 3333' terminal </dev/null >/dev/null
tr -d '\r' <terminal | grep -a -o 'entry main.*'
grep -a -c "$(printf '\033]')" terminal
wavepgo show x.proftext 3333 | grep -a -c "$(printf 'entry main\033]0;x\007')"
wavepgo show x.proftext | grep -a -c "$(printf '\033')"
wavepgo show "$(printf 'no\033[2Jfile')"

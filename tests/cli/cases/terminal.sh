# An entry point's name may hold a terminal's commands (here a title): on a terminal they are shown, in a file they stay.
sed 's/shade%20it/main%1B%5D0%3Bx%07/' $DATA/two.proftext >x.proftext
script -qec 'wavepgo show x.proftext' terminal </dev/null >/dev/null
grep -a -o 'main.*' terminal | tr -d '\r' | grep -F ']0;'
grep -c "$(printf '\033')" terminal
wavepgo show x.proftext | grep -c "$(printf '\033]0;x\007')"
wavepgo show "$(printf 'no\033[2Jfile')"

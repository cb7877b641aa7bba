# The layer appends to a use log: each run in it, and each of two programs that wrote at the same time, is counted for itself.
line() { # RUN RESULT
    echo "{\"pipeline\": \"00000000000000000000000000000aaa\", \"run\": \"$1\", \"stages\": [{\"shader\": \"1\", \"stage\": \"frag\", \"entry\": \"main\", \"found\": \"no\", \"result\": \"$2\", \"why\": \"\", \"remarks\": []}]}"
}
{
    line '2026-11-21T10:00:00Z 7 game' original
    line '2026-11-22T10:00:00Z 8 game' optimised
    line '2026-11-22T10:00:00Z 9 launcher' original
    line '2026-11-22T10:00:00Z 8 game' optimised
} >use.log
wavepgo show --use-log use.log
echo
head -n 1 use.log | wavepgo show --use-log -

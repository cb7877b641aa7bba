# What was done comes first; refusals of one pass for one reason are one line.
refusal() { printf '{"pass": "%s", "done": false, "function": 0, "block": %d, "text": "loop at block %d: refused: %s"}' "$1" "$2" "$2" "$3"; }
{
    printf '{"pipeline": "%032d", "stages": [{"stage": "frag", "shader": "%032d", "entry": "main", "result": "optimised", "found": "pipeline", "remarks": [' 1 2
    refusal unswitch 3 'it never ran'; printf ', '
    refusal trip-guard 3 'it never ran'; printf ', '
    refusal unswitch 7 'it never ran'; printf ', '
    refusal unswitch 9 'it has a barrier'; printf ', '
    refusal unswitch 11 'it never ran'; printf ', '
    printf '{"pass": "peel", "done": true, "function": 0, "block": 5, "text": "loop at block 5: first trip peeled"}, '
    printf '{"pass": "peel", "done": true, "function": 0, "block": 6, "text": "loop at block 6: first trip peeled"}'
    printf ']}]}\n'
} >use.log
wavepgo show --use-log use.log

# With the bundle, a use log says names and places. Other blocks that its text names get theirs, too; a shader that the bundle has
# not keeps its hash.
. "$DATA/bundle.sh"
bundle march
cat >use.log <<'END'
{"pipeline": "a0010000000000000000000000000001", "stages": [{"shader": "fd299afaaa5af46f8d73b92354ce0e99", "stage": "comp", "entry": "main", "found": "pipeline", "result": "optimised", "why": "", "remarks": [{"pass": "unflatten", "done": true, "function": 0, "block": 3, "text": "select 0: needed by 5.0% of waves; from block 4"}, {"pass": "trip-guard", "done": false, "function": 0, "block": 1, "text": "loop at block 1: trips vary"}, {"pass": "peel", "done": false, "function": 9, "block": 99, "text": "block 99 and subblock 1"}]}, {"shader": "12", "stage": "frag", "entry": "main", "found": "no", "result": "original", "why": "", "remarks": []}]}
END
wavepgo show --use-log use.log --bundle march.wavepgo
wavepgo show --use-log use.log --bundle missing
wavepgo show --bundle march.wavepgo
